//! Where the project's own rules win over a client's.
//!
//! Seeds 000 asks for schemas that really stop an agent guessing, and a few clients read less than that. Each such
//! place is listed here, so that a test can show there are no others and a reader can see what is traded.

use super::JsonObject;
use super::convert::is_wide;
use serde_json::Value;

/// A place where a schema says more than every client reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exception {
    /// JSON pointer within the schema.
    pub(crate) at: String,
    /// What is there.
    pub(crate) kind: ExceptionKind,
}

/// The rules that win, with the client rule of `mcp-protocol` §13 they meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ExceptionKind {
    /// A `pattern`: bytes carry their length in it ("avoid `pattern`").
    Pattern,
    /// `prefixItems`: tuples are positional ("tuple-style items are poorly supported"); `items` stands beside it.
    PrefixItems,
    /// `patternProperties`: keys of a map are checked; subset dialects drop it.
    PatternProperties,
    /// `additionalProperties` with a schema: a map's values are checked; subset dialects have failed on it.
    TypedMap,
    /// An `integer` beyond 2^53 ("declare `string`"); digit strings are accepted for it.
    WideInteger,
    /// An `enum` of something else than strings (Gemini takes strings only).
    OtherEnum,
}

/// Every exception in a portable schema, in document order.
pub(crate) fn exceptions(schema: &JsonObject) -> Vec<Exception> {
    let mut found = Vec::new();
    walk(schema, "", &mut found);
    found
}

fn walk(schema: &JsonObject, at: &str, found: &mut Vec<Exception>) {
    let mut add = |keyword: &str, kind| {
        let at = if keyword.is_empty() { at.to_owned() } else { format!("{at}/{keyword}") };
        found.push(Exception { at, kind });
    };
    if schema.contains_key("pattern") {
        add("pattern", ExceptionKind::Pattern);
    }
    if schema.contains_key("prefixItems") {
        add("prefixItems", ExceptionKind::PrefixItems);
    }
    if schema.contains_key("patternProperties") {
        add("patternProperties", ExceptionKind::PatternProperties);
    }
    if schema.get("additionalProperties").is_some_and(Value::is_object) {
        add("additionalProperties", ExceptionKind::TypedMap);
    }
    if schema.get("type").and_then(Value::as_str) == Some("integer") && is_wide(schema) {
        add("", ExceptionKind::WideInteger);
    }
    let values = schema.get("enum").and_then(Value::as_array);
    if values.is_some_and(|values| values.iter().any(|value| !value.is_string())) {
        add("enum", ExceptionKind::OtherEnum);
    }
    for (pointer, child) in children(schema) {
        walk(child, &format!("{at}/{pointer}"), found);
    }
}

/// The schemas directly below one, each with its pointer from there.
pub(super) fn children(schema: &JsonObject) -> Vec<(String, &JsonObject)> {
    let mut children = Vec::new();
    for keyword in ["properties", "patternProperties"] {
        for (name, child) in schema.get(keyword).and_then(Value::as_object).into_iter().flatten() {
            let name = name.replace('~', "~0").replace('/', "~1");
            children.extend(child.as_object().map(|child| (format!("{keyword}/{name}"), child)));
        }
    }
    for keyword in ["anyOf", "allOf", "prefixItems"] {
        for (index, child) in schema.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate() {
            children.extend(child.as_object().map(|child| (format!("{keyword}/{index}"), child)));
        }
    }
    for keyword in ["items", "additionalProperties"] {
        children.extend(schema.get(keyword).and_then(Value::as_object).map(|child| (keyword.to_owned(), child)));
    }
    children
}
