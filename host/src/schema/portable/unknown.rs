//! The shape of a value nobody can describe.
//!
//! *Unknown* has to accept every JSON value and still look like a schema to strict readers. What was weighed, each
//! against a client that is there (Inspector 2.x `--strict`, TypeScript SDK 1.32, Python SDKs, VS Code, Gemini):
//!
//! - `true`: the TypeScript SDK 1.x refuses the whole tool list, the Inspector calls it an error.
//! - `{}` or a description alone: the Inspector warns ("no validation keyword at all").
//! - a `type` list: the Inspector warns, single-type dialects drop it.
//! - `anyOf` over the six types: typed everywhere, but its array branch needs concrete `items` (VS Code, Gemini)
//!   that again accept everything, without end.
//!
//! So the last one, with the regress ended once: the items of the array branch are the five other types or
//! `{"minItems": 0}`, an assertion that speaks of arrays only and is true of every one. No `not`, which subset
//! dialects lack; no `$ref`, which would be shorter and which clients lose.

use crate::model::JsonObject;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Says at the place itself that nothing is checked there.
const WORDS: &str = "Any JSON value.";

/// A schema that accepts every JSON value.
pub(crate) fn unknown() -> JsonObject {
    described(WORDS)
}

/// [`unknown`] with words of its own.
pub(super) fn described(words: &str) -> JsonObject {
    JsonObject::from_iter([("anyOf".to_owned(), BRANCHES.clone()), ("description".to_owned(), json!(words))])
}

/// Whether a schema is [`unknown`], whatever its description says.
pub(crate) fn is_unknown(schema: &JsonObject) -> bool {
    let described = schema.keys().all(|key| matches!(key.as_str(), "anyOf" | "description" | "title" | "default"));
    described && schema.get("anyOf").is_some_and(|any_of| *any_of == *BRANCHES)
}

static BRANCHES: LazyLock<Value> = LazyLock::new(|| {
    json!([
        {"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"}, {"type": "object"},
        {"type": "array", "items": {"anyOf": [
            {"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"}, {"type": "object"},
            {"minItems": 0},
        ]}},
    ])
});
