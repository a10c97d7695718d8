//! Runs one call-spec.

use crate::check;
use crate::decode::{self, known};
use crate::failure::{Failure, Stage};
use crate::machine::Machine;
use crate::{arguments, outcome};
use abi_mcp_meos_call::Call;
use serde_json::Value;

/// Runs `call` with the caller's `given` arguments. The result is absent where the function gives nothing.
///
/// # Errors
///
/// The call does not fit the library, an argument is wrong, or the library refused it.
pub fn run(machine: &mut impl Machine, call: &Call, given: &str) -> Result<Option<Value>, Failure> {
    if let Some(reason) = check::unsupported(machine, call) {
        return Err(Failure::at(Stage::Execution, reason));
    }
    let given = match serde_json::from_str::<Value>(given) {
        Ok(Value::Object(given)) => given,
        Ok(_) => return Err(Failure::at(Stage::Arguments, "the arguments are not an object")),
        Err(error) => return Err(Failure::at(Stage::Arguments, format!("the arguments are not JSON: {error}"))),
    };
    let function = known(machine, &call.function, Stage::Execution)?;
    let slots = arguments::read(machine, call, &function, &given)?;
    let returned = decode::call(machine, &call.function, &function, &slots.values, Stage::Execution)?;
    outcome::write(machine, call, &function, &slots, returned)
}
