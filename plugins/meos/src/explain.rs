//! MEOS' errors in words that help to try again.
//!
//! A failure of the engine in (its kind is MEOS' error code, its message MEOS' own words), an explanation out: what
//! class of failure it is, whether another try makes sense, and for values that could not be read the accepted forms
//! of the types the signature names.

use crate::hints::example;
use crate::names;
use crate::operand::forms;
use crate::types::{Type, named};
use abi_mcp_sdk::{Class, Explanation, Failure, GuestFailure, Retry};

/// Explains a failure; `None` when it is none of MEOS'.
pub(crate) fn explain(failure: &Failure) -> Option<Explanation> {
    let Failure::Guest(guest) = failure else { return None };
    let code = guest.kind.strip_prefix("MEOS_")?;
    // PostGIS' parsers report whatever went wrong as an internal error; the engine knows that it was reading.
    let (class, retry) = if was_reading(guest) { (Class::BadRequest, Retry::AfterChange) } else { classify(code) };
    let argument = argument(guest).map(|name| format!("`{name}`: ")).unwrap_or_default();
    let message = match guest.message.as_deref().map(str::trim).filter(|message| !message.is_empty()) {
        Some(message) => format!("{argument}{message} ({})", guest.kind),
        None => format!("MEOS refused with {} and no word more", guest.kind),
    };
    Some(Explanation { message, class, retry, hint: hint(code, guest) })
}

/// Whether the engine failed to read an argument, so that the function never ran.
fn was_reading(guest: &GuestFailure) -> bool {
    guest.data.as_ref().and_then(|data| data.get("stage")?.as_str()) == Some("arguments")
}

/// The argument to blame, where the engine names one.
fn argument(guest: &GuestFailure) -> Option<String> {
    guest.data.as_ref()?.get("argument")?.as_str().map(str::to_owned)
}

fn classify(code: &str) -> (Class, Retry) {
    match code {
        _ if is_input(code) => (Class::BadRequest, Retry::AfterChange),
        "ERR_INVALID_ARG"
        | "ERR_INVALID_ARG_TYPE"
        | "ERR_INVALID_ARG_VALUE"
        | "ERR_VALUE_OUT_OF_RANGE"
        | "ERR_DIVISION_BY_ZERO"
        | "ERR_AGGREGATION_ERROR" => (Class::Application, Retry::AfterChange),
        "ERR_FEATURE_NOT_SUPPORTED" => (Class::Application, Retry::No),
        _ => (Class::Backend, Retry::No),
    }
}

/// The codes of a value that could not be read: text, MF-JSON, WKB, GeoJSON.
fn is_input(code: &str) -> bool {
    code.starts_with("ERR_") && code.ends_with("_INPUT")
}

fn hint(code: &str, guest: &GuestFailure) -> Option<String> {
    match code {
        _ if is_input(code)
            || was_reading(guest)
            || matches!(code, "ERR_INVALID_ARG_TYPE" | "ERR_INVALID_ARG_VALUE") =>
        {
            accepted(&guest.method, guest.signature.as_deref()?)
        }
        "ERR_FEATURE_NOT_SUPPORTED" => Some("this build of MEOS cannot do that; another function may".to_owned()),
        _ => None,
    }
}

/// `temp: tfloat `[1.5@2000-01-01, ..]`` for each parameter of a signature whose types are known.
fn accepted(function: &str, signature: &str) -> Option<String> {
    let (_, rest) = signature.split_once('(')?;
    let (parameters, _) = rest.rsplit_once(") ->")?;
    let mut said: Vec<String> = Vec::new();
    for parameter in parameters.split(", ") {
        let Some((name, label)) = parameter.split_once(": ") else { continue };
        let name = name.trim_end_matches('?');
        let label = label.trim_matches(['(', ')', '[', ']']);
        let mut types: Vec<&'static Type> = label.split(" | ").filter_map(named).collect();
        if types.is_empty() {
            types = names::types(label);
        }
        if let Some(first) = types.first() {
            let forms = forms(&types, first.kind, true, |it| example(function, name, it));
            said.push(format!("{name}: {forms}"));
        }
    }
    (!said.is_empty()).then(|| format!("accepted forms: {}", said.join(" / ")))
}
