//! What an engine's author implements, and the plain types it answers with.
//!
//! They mirror `wit/engine/0.1.0/engine.wit`, which documents each item in full; [`crate::export_engine!`] translates,
//! and refuses call-specs of formats the engine does not accept, so that an author never sees one.

use crate::mapper::CallSpec;
use serde_json::Value;

/// Runs an ecosystem's functions itself, with no node behind it.
///
/// Its mapper gives each method a [`CallSpec`]; the two agree on its format between themselves. Every call runs in a
/// fresh instance with a deadline and a memory cap. A call-spec comes back from the host as it was given out, but a
/// careful engine trusts nothing in it: a mapper of somebody else's may write the same format.
pub trait Engine {
    /// Says what this engine is.
    fn describe() -> About;

    /// The call-spec formats this engine runs. At least one.
    fn accepts() -> &'static [&'static str];

    /// Says in one line why a call-spec of an accepted format cannot be run; `None` when it can. The host lists only
    /// methods that can be run. By default all can.
    fn unsupported(spec: &CallSpec) -> Option<String> {
        let _ = spec;
        None
    }

    /// Runs one call. `arguments` is the object the method's mapper encoded, the result what its mapper decodes; `None`
    /// where the function returned nothing.
    ///
    /// # Errors
    ///
    /// A [`CallFailure`] that says which part of the call failed and, where one is to blame, which argument.
    fn execute(spec: &CallSpec, arguments: Value) -> Result<Option<Value>, CallFailure>;
}

/// What an engine is, for `plugin list` and error messages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    /// What it runs.
    pub name: String,
    /// The release of what it runs; not the release of the plugin.
    pub release: String,
    /// The licence the component is distributed under, as an SPDX expression.
    pub licence: String,
    /// What this build lacks, one line each.
    pub limits: Vec<String>,
}

/// Which part of a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// An argument could not be read; the function was not run.
    Arguments,
    /// The function itself refused or failed.
    Execution,
    /// The function ran, and its result could not be written down.
    Outcome,
}

/// Why a call failed. The ecosystem's error decoder gets it as a [`GuestFailure`](crate::GuestFailure): the code as its
/// kind, stage and argument in its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailure {
    /// Which part failed.
    pub stage: Stage,
    /// The argument, where one is to blame.
    pub argument: Option<String>,
    /// The ecosystem's own error code.
    pub code: Option<String>,
    /// The ecosystem's own words, one line.
    pub message: String,
}

impl CallFailure {
    /// An argument that cannot be read; the function was not run.
    #[must_use]
    pub fn argument(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self { argument: Some(name.into()), ..Self::at(Stage::Arguments, message) }
    }

    /// A failure no argument is to blame for.
    #[must_use]
    pub fn at(stage: Stage, message: impl Into<String>) -> Self {
        Self { stage, argument: None, code: None, message: message.into() }
    }

    /// The same with an error code.
    #[must_use]
    pub fn code(self, code: impl Into<String>) -> Self {
        Self { code: Some(code.into()), ..self }
    }
}

/// Why a call-spec cannot be run: first its format, which the engine's author never has to look at.
#[cfg_attr(not(any(test, target_arch = "wasm32")), expect(dead_code, reason = "only components are handed call-specs"))]
pub(crate) fn unsupported<T: Engine>(spec: &CallSpec) -> Option<String> {
    stranger::<T>(spec).or_else(|| T::unsupported(spec))
}

/// Runs a call from JSON text to JSON text.
#[cfg_attr(not(any(test, target_arch = "wasm32")), expect(dead_code, reason = "only components are handed text"))]
pub(crate) fn execute<T: Engine>(spec: &CallSpec, arguments: &str) -> Result<Option<String>, CallFailure> {
    if let Some(reason) = stranger::<T>(spec) {
        return Err(CallFailure::at(Stage::Execution, reason));
    }
    let arguments = crate::json::parse(arguments.as_bytes())
        .map_err(|problem| CallFailure::at(Stage::Arguments, format!("the arguments are {problem}")))?;
    Ok(T::execute(spec, arguments)?.map(|value| value.to_string()))
}

fn stranger<T: Engine>(spec: &CallSpec) -> Option<String> {
    let known = T::accepts();
    let listed = || known.iter().map(|format| format!("`{format}`")).collect::<Vec<_>>().join(", ");
    (!known.contains(&spec.format.as_str()))
        .then(|| format!("call-specs of format `{}` are unknown, known: {}", spec.format, listed()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct Doubler;

    impl Engine for Doubler {
        fn describe() -> About {
            About { name: "Doubler".to_owned(), ..About::default() }
        }

        fn accepts() -> &'static [&'static str] {
            &["double/1"]
        }

        fn execute(_: &CallSpec, arguments: Value) -> Result<Option<Value>, CallFailure> {
            let number =
                arguments["n"].as_i64().ok_or_else(|| CallFailure::argument("n", "not a number").code("NAN"))?;
            Ok((number != 0).then(|| json!(number * 2)))
        }
    }

    fn spec(format: &str) -> CallSpec {
        CallSpec { format: format.to_owned(), bytes: Vec::new() }
    }

    #[test]
    fn a_call_goes_from_text_to_text_and_nothing_stays_nothing() {
        assert_eq!(execute::<Doubler>(&spec("double/1"), r#"{"n":21}"#).unwrap().as_deref(), Some("42"));
        assert_eq!(execute::<Doubler>(&spec("double/1"), r#"{"n":0}"#).unwrap(), None);
        let refused = execute::<Doubler>(&spec("double/1"), "{}").unwrap_err();
        assert_eq!((refused.stage, refused.argument.as_deref()), (Stage::Arguments, Some("n")));
        assert_eq!(execute::<Doubler>(&spec("double/1"), "{").unwrap_err().stage, Stage::Arguments);
    }

    #[test]
    fn a_call_spec_of_another_format_never_reaches_the_engine() {
        assert_eq!(unsupported::<Doubler>(&spec("double/1")), None);
        let reason = "call-specs of format `double/2` are unknown, known: `double/1`";
        assert_eq!(unsupported::<Doubler>(&spec("double/2")).as_deref(), Some(reason));
        assert_eq!(execute::<Doubler>(&spec("double/2"), r#"{"n":1}"#).unwrap_err().message, reason);
    }
}
