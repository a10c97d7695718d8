//! Checks a call's arguments against the schema its tool advertises.
//!
//! Arguments as a client sent them come in; arguments under the application's own names go out, or one finding per
//! thing wrong, worded so that a model can repair the call. The schema decides; this module only softens it where a
//! refusal would be of no use to anyone, and only for a value the schema refuses as it came:
//!
//! - a JSON text where an object or array is declared is read, once ([`repair`]; clients send such texts);
//! - a text of digits where an integer is declared is the integer, exactly (JavaScript cannot send 2^53 and more);
//! - null for an optional argument that does not take null is as if it were left out.
//!
//! An integer written as `7.0`, which every schema takes for one, goes out as `7` ([`whole`]). Does not know what the
//! arguments mean; values meant for the application are not changed in any other way.

mod explain;
mod render;
mod repair;
mod whole;

#[cfg(test)]
mod tests;

pub(crate) use render::render;

use crate::model::JsonObject;
use crate::schema::portable::{Renamed, Uncompilable, compile};
use jsonschema::Validator;
use repair::Repair;
use serde_json::Value;
use std::collections::HashMap;

/// One thing wrong with the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArgumentProblem {
    /// The top-level argument, under the name the tool lists; empty for the arguments as a whole.
    pub(crate) name: String,
    /// Where, from the arguments object: `p.inner[3]`.
    pub(crate) at: String,
    /// What would be right, for example `an integer, 0 or more`.
    pub(crate) expected: String,
    /// What was sent, shortened; `nothing` for a missing argument.
    pub(crate) found: String,
}

/// How many JSON values a value holds, itself included; counting stops at `most`.
pub(crate) fn values(value: &Value, most: usize) -> usize {
    let mut open = vec![value];
    let mut count = 0;
    while let Some(value) = open.pop() {
        count += 1;
        if count >= most {
            return most;
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    count
}

/// What is found where a required argument was not given.
const NOTHING: &str = "nothing";

impl ArgumentProblem {
    /// Whether the argument was not given at all.
    pub(crate) fn is_missing(&self) -> bool {
        self.found == NOTHING
    }
}

/// The check of one tool, compiled once.
#[derive(Debug)]
pub(crate) struct ArgumentChecker {
    schema: Value,
    validator: Validator,
    originals: HashMap<String, String>,
}

impl ArgumentChecker {
    /// Compiles a portable input schema; `names` are the properties the application calls otherwise.
    ///
    /// # Errors
    ///
    /// For a schema that is not one of [`crate::schema::portable`].
    pub(crate) fn new(schema: &JsonObject, names: &[Renamed]) -> Result<Self, Uncompilable> {
        let schema = Value::Object(schema.clone());
        let validator = compile(&schema)?;
        let originals = names.iter().map(|name| (name.wire.clone(), name.original.clone())).collect();
        Ok(Self { schema, validator, originals })
    }

    /// The arguments under the application's names, softened as the module says; in the order they came.
    ///
    /// Arguments of the host's own that the schema lists are among them.
    ///
    /// # Errors
    ///
    /// What is wrong, in the order the tool lists its arguments; never empty, at most [`explain::MOST_PROBLEMS`].
    pub(crate) fn check(&self, arguments: JsonObject) -> Result<JsonObject, Vec<ArgumentProblem>> {
        let arguments = Value::Object(arguments);
        let arguments = if self.validator.is_valid(&arguments) { arguments } else { self.repaired(arguments)? };
        let Value::Object(arguments) = whole::integers(&self.schema, arguments) else { return Ok(JsonObject::new()) };
        Ok(arguments.into_iter().map(|(wire, value)| (self.original(wire), value)).collect())
    }

    fn repaired(&self, arguments: Value) -> Result<Value, Vec<ArgumentProblem>> {
        let arguments = Repair::default().arguments(&self.schema, arguments);
        if self.validator.is_valid(&arguments) {
            return Ok(arguments);
        }
        Err(explain::problems(&self.schema, &self.validator, &arguments))
    }

    fn original(&self, wire: String) -> String {
        self.originals.get(&wire).cloned().unwrap_or(wire)
    }
}
