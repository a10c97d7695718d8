//! Reads one serialized value with one codec.

use crate::failure::{Failure, Stage};
use crate::machine::{Function, Machine, Slot, address, place_text};
use crate::signature::{Base, Kind};
use abi_mcp_meos_call::{Argument, Codec, Constant};

/// Room for what a function writes and nobody reads.
const IGNORED: u32 = 64;

/// Reads `text` with `codec`.
///
/// # Errors
///
/// The codec is not there, refused the text, or gave nothing.
pub(crate) fn read(machine: &mut impl Machine, codec: &Codec, text: &str) -> Result<Slot, Failure> {
    if text.contains('\0') {
        return Err(Failure::at(Stage::Arguments, "a string may not contain the character NUL"));
    }
    let function = known(machine, &codec.function, Stage::Arguments)?;
    let mut arguments = vec![u64::from(place_text(machine, text))];
    arguments.extend(constants(machine, &function, &codec.then));
    let value = call(machine, &codec.function, &function, &arguments, Stage::Arguments)?;
    if function.signature.result.is_pointer() && address(value) == 0 {
        return Err(Failure::at(Stage::Arguments, format!("`{}` could not read it", codec.function)));
    }
    Ok(value)
}

/// Writes `value` with `codec`; a null pointer is `None`.
///
/// # Errors
///
/// The codec is not there or refused the value.
pub(crate) fn write(machine: &mut impl Machine, codec: &Codec, value: Slot) -> Result<Option<String>, Failure> {
    let function = known(machine, &codec.function, Stage::Outcome)?;
    if function.signature.parameters.first().is_some_and(Kind::is_pointer) && address(value) == 0 {
        return Ok(None);
    }
    let mut arguments = vec![value];
    arguments.extend(constants(machine, &function, &codec.then));
    let text = call(machine, &codec.function, &function, &arguments, Stage::Outcome)?;
    Ok(string(machine, text))
}

/// A C string's characters; what is no UTF-8 is replaced. A null pointer is `None`.
pub(crate) fn string(machine: &impl Machine, slot: Slot) -> Option<String> {
    let at = address(slot);
    (at != 0).then(|| String::from_utf8_lossy(&machine.text(at)).into_owned())
}

/// The function, which the check before promised.
pub(crate) fn known(machine: &impl Machine, name: &str, stage: Stage) -> Result<Function, Failure> {
    machine.function(name).ok_or_else(|| Failure::at(stage, format!("`{name}` is not in MEOS {}", machine.release())))
}

/// Calls and turns a refusal into a failure.
pub(crate) fn call(
    machine: &mut impl Machine,
    name: &str,
    function: &Function,
    arguments: &[Slot],
    stage: Stage,
) -> Result<Slot, Failure> {
    machine.call(function, arguments).map_err(|refusal| Failure::refused(machine, stage, name, &refusal))
}

/// The slots of what follows a codec's first parameter.
fn constants(machine: &mut impl Machine, function: &Function, then: &[Argument]) -> Vec<Slot> {
    let kinds = function.signature.parameters.iter().skip(1);
    then.iter()
        .zip(kinds)
        .map(|(argument, kind)| match argument {
            Argument::Fixed(value) => constant(machine, value, kind),
            _ => u64::from(machine.allocate(IGNORED)),
        })
        .collect()
}

/// A constant as the parameter's type wants it.
pub(crate) fn constant(machine: &mut impl Machine, value: &Constant, kind: &Kind) -> Slot {
    let is_double = kind.stars == 0 && kind.base == Base::Double;
    match value {
        Constant::Null => 0,
        Constant::Bool(truth) => u64::from(*truth),
        #[expect(clippy::cast_precision_loss, reason = "a mapper's constant for a double is a small number")]
        Constant::Integer(number) if is_double => (*number as f64).to_bits(),
        Constant::Integer(number) => number.cast_unsigned(),
        Constant::Number(number) => number.to_bits(),
        Constant::Text(text) => u64::from(place_text(machine, text)),
    }
}

/// Room for what is written and not read.
pub(crate) fn ignored(machine: &mut impl Machine) -> Slot {
    u64::from(machine.allocate(IGNORED))
}
