//! Tells a serialized value's form by looking at it.

use abi_mcp_meos_call::{Codec, Decoder};
use serde_json::Value;

/// The forms a serialized value comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
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
fn form(text: &str) -> Form {
    let trimmed = text.trim();
    let digits =
        trimmed.len() >= 10 && trimmed.len().is_multiple_of(2) && trimmed.bytes().all(|byte| byte.is_ascii_hexdigit());
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

/// What of a value is read, and by which codecs.
pub(crate) struct Reading<'a> {
    /// The text that codecs get.
    pub(crate) text: String,
    /// The form's codecs, of which a named type leaves one or none: positions stay those of the list.
    pub(crate) codecs: Vec<Option<&'a Codec>>,
}

/// Decides how a serialized value is read.
///
/// `tgeogpoint '[..]'`, a SQL literal, is read by the codecs of that name alone, where there are any.
pub(crate) fn reading<'a>(decoder: &'a Decoder, text: &str) -> Reading<'a> {
    if let Some((name, inner)) = literal(text) {
        let codecs = codecs(decoder, form(&inner));
        let named = |codec: &&Codec| codec.literal.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(name));
        if codecs.iter().any(|codec| named(&codec)) {
            return Reading { text: inner, codecs: codecs.iter().map(|codec| Some(codec).filter(named)).collect() };
        }
    }
    Reading { text: text.to_owned(), codecs: codecs(decoder, form(text)).iter().map(Some).collect() }
}

/// The forms a decoder has codecs for, for a message.
pub(crate) fn forms(decoder: &Decoder) -> String {
    let forms = [("text", &decoder.text), ("MF-JSON", &decoder.mfjson), ("HexWKB", &decoder.hexwkb)];
    let names: Vec<&str> = forms.iter().filter(|(_, codecs)| !codecs.is_empty()).map(|(name, _)| *name).collect();
    names.join(" or ")
}

/// `name 'text'` as the name and the text, in which `''` is one quote.
fn literal(text: &str) -> Option<(&str, String)> {
    let (name, quoted) = text.trim().split_once('\'')?;
    let (name, inner) = (name.trim_end(), quoted.strip_suffix('\'')?);
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let halved = inner.replace("''", "");
    (is_name && !halved.contains('\'')).then(|| (name, inner.replace("''", "'")))
}

/// The codecs for a form; a form without any is read as text.
fn codecs(decoder: &Decoder, form: Form) -> &[Codec] {
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
    fn a_sql_literal_is_a_name_and_a_quoted_text() {
        assert_eq!(literal("tint '1@2000-01-01'"), Some(("tint", "1@2000-01-01".to_owned())));
        assert_eq!(literal(" ttext'it''s' "), Some(("ttext", "it's".to_owned())));
        for text in ["'a'", "a b 'c'", "tint 'a' 'b'", "tint 'a", "1@2000-01-01"] {
            assert_eq!(literal(text), None, "{text}");
        }
    }

    #[test]
    fn a_named_type_leaves_its_own_codec_at_its_place() {
        let codec =
            |name: &str| Codec { function: format!("{name}_in"), literal: Some(name.to_owned()), then: Vec::new() };
        let decoder = Decoder { text: vec![codec("tint"), codec("tfloat")], ..Decoder::default() };
        let found = |text: &str| {
            let reading = reading(&decoder, text);
            let names: Vec<_> = reading.codecs.iter().map(|codec| codec.map(|codec| codec.function.clone())).collect();
            (reading.text, names)
        };
        assert_eq!(
            found("tfloat '1@2000-01-01'"),
            ("1@2000-01-01".to_owned(), vec![None, Some("tfloat_in".to_owned())])
        );
        let both = vec![Some("tint_in".to_owned()), Some("tfloat_in".to_owned())];
        assert_eq!(found("tbool 'true'"), ("tbool 'true'".to_owned(), both));
    }

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
