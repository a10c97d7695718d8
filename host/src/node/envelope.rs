//! Reads the JSON of a success.
//!
//! Most routes wrap their answer in `{"data": …}`, some do not, and some answer nothing at all. "Nothing" has one
//! meaning here, JSON `null`, whichever way the node says it. A shape that a route does not have is an error that
//! names the route; it is never read as an empty list.

use super::error::Error;
use super::http::Answer;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// Whether a route wraps its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// `{"data": …}`.
    Data,
    /// The answer is the body.
    Flat,
}

#[derive(Deserialize)]
struct DataEnvelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    data: Option<&'a RawValue>,
}

/// Tells a member that is `null` from one that is missing.
pub(super) fn present<'de: 'a, 'a, D: serde::Deserializer<'de>>(from: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

/// The answer's JSON text, unwrapped and otherwise byte for byte as it came; `null` when there is none.
///
/// # Errors
///
/// [`Error::NotJson`] and, when `data` is missing, [`Error::UnexpectedShape`].
pub(crate) fn payload(answer: &Answer, wrap: Wrap) -> Result<&str, Error> {
    let text = text(answer)?;
    if text.is_empty() {
        return Ok("null");
    }
    let whole: &RawValue = serde_json::from_str(text).map_err(|error| not_json(answer, &error))?;
    if wrap == Wrap::Flat || whole.get() == "null" {
        return Ok(whole.get());
    }
    let envelope: Result<DataEnvelope<'_>, _> = serde_json::from_str(text);
    match envelope.map(|envelope| envelope.data) {
        Ok(Some(data)) => Ok(data.get()),
        _ => Err(Error::UnexpectedShape {
            route: answer.route.clone(),
            expected: "an object with `data`",
            detail: format!("it is {}", kind_of(text)),
        }),
    }
}

/// Reads a payload as `T`.
///
/// # Errors
///
/// [`Error::UnexpectedShape`] with `expected` and the place where reading stopped.
pub(crate) fn read<T: DeserializeOwned>(answer: &Answer, wrap: Wrap, expected: &'static str) -> Result<T, Error> {
    let payload = payload(answer, wrap)?;
    serde_json::from_str(payload).map_err(|error| Error::UnexpectedShape {
        route: answer.route.clone(),
        expected,
        detail: if payload == "null" { "it is empty".to_owned() } else { error.to_string() },
    })
}

fn text(answer: &Answer) -> Result<&str, Error> {
    let text = std::str::from_utf8(&answer.body).map_err(|error| Error::NotJson {
        route: answer.route.clone(),
        content_type: answer.content_type.clone(),
        detail: format!("not UTF-8 at byte {}", error.valid_up_to()),
    })?;
    // A byte order mark is no JSON, but some proxies add one.
    Ok(text.trim_start_matches('\u{feff}').trim())
}

fn not_json(answer: &Answer, error: &serde_json::Error) -> Error {
    Error::NotJson {
        route: answer.route.clone(),
        content_type: answer.content_type.clone(),
        detail: format!("reading stopped at line {}, column {}", error.line(), error.column()),
    }
}

/// What a JSON text is, with an object's keys, for a message.
fn kind_of(text: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(serde_json::Value::Object(object)) => {
            let keys: Vec<_> = object.keys().take(5).map(|key| format!("`{key}`")).collect();
            if keys.is_empty() { "an empty object".to_owned() } else { format!("an object with {}", keys.join(", ")) }
        }
        Ok(serde_json::Value::Array(_)) => "an array".to_owned(),
        Ok(serde_json::Value::String(_)) => "a string".to_owned(),
        _ => "a scalar".to_owned(),
    }
}
