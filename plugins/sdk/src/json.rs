//! Small helpers for reading ABI documents and writing JSON Schema.

use serde_json::{Map, Value};

/// A JSON object; members keep the order they were written in.
pub type Object = Map<String, Value>;

/// Reads JSON text.
///
/// # Errors
///
/// What is wrong and where, in one line. Text nested deeper than 127 levels is refused.
pub fn parse(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|error| format!("not valid JSON: {error}"))
}

/// Names the JSON type of a value with its article, for messages: `a string`, `null`.
#[must_use]
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Appends a member to a path: `p` and `inner` give `p.inner`; names that would not read well are quoted.
#[must_use]
pub fn member(path: &str, name: &str) -> String {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    match (path.is_empty(), plain) {
        (true, true) => name.to_owned(),
        (false, true) => format!("{path}.{name}"),
        (_, false) => format!("{path}[{}]", Value::from(name)),
    }
}

/// Appends a position to a path: `p` and 3 give `p[3]`.
#[must_use]
pub fn element(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

/// Builds a local reference to an entry of `$defs`; the name must need no escaping (see [`definition_name`]).
#[must_use]
pub fn reference(definition: &str) -> Value {
    serde_json::json!({ "$ref": format!("#/$defs/{definition}") })
}

/// Turns any name into one that needs no escaping in a JSON pointer or a URI fragment.
///
/// Characters outside `[A-Za-z0-9_.-]` become `_`, so two names may meet: the caller keeps them apart.
#[must_use]
pub fn definition_name(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '_' };
    let cleaned: String = name.chars().map(safe).collect();
    if cleaned.is_empty() { "_".to_owned() } else { cleaned }
}

/// Widens a schema to allow null too. What already allows anything, or null, stays as it is.
#[must_use]
pub fn or_null(schema: Value) -> Value {
    let open = schema.as_object().is_some_and(|object| object.keys().all(|key| key == "description"));
    if open || allows_null(&schema) {
        return schema;
    }
    // A description describes the whole, so it moves to where the whole is.
    let (description, schema) = take_description(schema);
    let mut object = Object::new();
    if let Some(description) = description {
        object.insert("description".to_owned(), description);
    }
    let null = serde_json::json!({ "type": "null" });
    let members = match plain_union(&schema) {
        Some(members) => members.iter().cloned().chain([null]).collect(),
        None => vec![schema, null],
    };
    object.insert("anyOf".to_owned(), Value::Array(members));
    Value::Object(object)
}

/// Sets a schema's description.
#[must_use]
pub fn described(mut schema: Value, description: &str) -> Value {
    if let Some(object) = schema.as_object_mut() {
        object.insert("description".to_owned(), Value::from(description));
    }
    schema
}

/// The members of a schema that is a union and nothing else.
fn plain_union(schema: &Value) -> Option<&Vec<Value>> {
    let object = schema.as_object().filter(|object| object.len() == 1)?;
    object.get("anyOf").and_then(Value::as_array)
}

fn allows_null(schema: &Value) -> bool {
    let is_null = |schema: &Value| schema.get("type").and_then(Value::as_str) == Some("null");
    is_null(schema) || schema.get("anyOf").and_then(Value::as_array).is_some_and(|members| members.iter().any(is_null))
}

fn take_description(mut schema: Value) -> (Option<Value>, Value) {
    let description = schema.as_object_mut().and_then(|object| object.shift_remove("description"));
    (description, schema)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_read_like_code_and_quote_what_would_not() {
        assert_eq!(member("", "p"), "p");
        assert_eq!(member("p", "inner"), "p.inner");
        assert_eq!(member("p", "a b\""), r#"p["a b\""]"#);
        assert_eq!(element("p.inner", 3), "p.inner[3]");
    }

    #[test]
    fn null_is_added_once_and_never_to_what_allows_anything() {
        let text = json!({ "type": "string", "description": "d" });
        let widened = json!({ "description": "d", "anyOf": [{ "type": "string" }, { "type": "null" }] });
        assert_eq!(or_null(text), widened);
        assert_eq!(or_null(widened.clone()), widened);
        assert_eq!(or_null(json!({})), json!({}));
        let union = json!({ "anyOf": [{ "type": "string" }, { "type": "array" }] });
        assert_eq!(or_null(union)["anyOf"].as_array().unwrap().len(), 3);
        assert_eq!(or_null(json!({ "type": "null" })), json!({ "type": "null" }));
    }

    #[test]
    fn every_digit_of_a_number_survives() {
        let text = "[18446744073709551615,1.0,3.141592653589793238462643]";
        assert_eq!(parse(text.as_bytes()).unwrap().to_string(), text);
    }

    #[test]
    fn a_definition_name_needs_no_escaping() {
        assert_eq!(definition_name("Event_Ok"), "Event_Ok");
        assert_eq!(definition_name("a/b~c%<é>"), "a_b_c____");
        assert_eq!(definition_name(""), "_");
    }
}
