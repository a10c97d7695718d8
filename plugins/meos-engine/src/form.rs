//! Tells a serialized value's form by looking at it.

use abi_mcp_meos_call::{Codec, Decoder};
use serde_json::Value;

/// The forms a serialized value comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// WKT and everything that is nothing else.
    Text,
    /// MF-JSON or GeoJSON.
    Json,
    /// Hexadecimal well-known binary.
    HexWkb,
}

/// Looks at a value.
///
/// `{` is also how a set begins (`{1, 2}`), so JSON is only what parses as an object and has a member by which MF-JSON
/// and GeoJSON are known.
pub(crate) fn form(text: &str) -> Form {
    let trimmed = text.trim();
    let digits = trimmed.len() >= 10 && trimmed.len() % 2 == 0 && trimmed.bytes().all(|byte| byte.is_ascii_hexdigit());
    if digits && (trimmed.starts_with("00") || trimmed.starts_with("01")) {
        return Form::HexWkb;
    }
    if trimmed.starts_with('{') && trimmed.ends_with('}') {
        const MEMBERS: [&str; 4] = ["type", "period", "coordinates", "bbox"];
        if let Ok(Value::Object(object)) = serde_json::from_str::<Value>(trimmed)
            && MEMBERS.iter().any(|member| object.contains_key(*member))
        {
            return Form::Json;
        }
    }
    Form::Text
}

/// The codecs for a form; a form without any is read as text.
pub(crate) fn codecs(decoder: &Decoder, form: Form) -> &[Codec] {
    let list = match form {
        Form::Text => &decoder.text,
        Form::Json => &decoder.mfjson,
        Form::HexWkb => &decoder.hexwkb,
    };
    if list.is_empty() { &decoder.text } else { list }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_not_json_and_a_number_is_not_wkb() {
        for (text, expected) in [
            ("{1, 2}", Form::Text),
            ("{}", Form::Text),
            ("{\"a\": 1}", Form::Text),
            ("{\"type\":\"MovingPoint\"}", Form::Json),
            ("01000000AB", Form::HexWkb),
            ("0101", Form::Text),
            ("2001010101", Form::Text),
            ("0100000000000000F", Form::Text),
            ("1@2000-01-01", Form::Text),
        ] {
            assert_eq!(form(text), expected, "{text}");
        }
    }
}
