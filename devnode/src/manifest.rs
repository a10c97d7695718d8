//! The manifest as the abi route serves it.
//!
//! The node of August 2026 knows fewer keys than the newest applications write and drops the others; it also refuses
//! a manifest that breaks its rules (`calimero-abi.md` §4, §6.4). Pure functions over JSON.

use serde_json::Value;

/// The keys that only the 1.0 generation knows.
const NEWER_KEYS: [&str; 9] =
    ["doc", "returns_doc", "destructive", "idempotent", "handler", "tee_every_secs", "tag", "content", "untagged"];

/// Drops what the August node does not know. The tables keyed by the application's own names keep all their entries.
pub(crate) fn as_seen_in_august(manifest: &Value) -> Value {
    let Value::Object(top) = manifest else { return manifest.clone() };
    let strip_entries = |types: &Value| match types {
        Value::Object(types) => Value::Object(types.iter().map(|(name, def)| (name.clone(), strip(def))).collect()),
        other => other.clone(),
    };
    let cleaned = top.iter().map(|(key, value)| {
        let value = if key == "types" { strip_entries(value) } else { strip(value) };
        (key.clone(), value)
    });
    Value::Object(cleaned.collect())
}

fn strip(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(strip).collect()),
        Value::Object(object) => {
            let known = object.iter().filter(|(key, _)| !NEWER_KEYS.contains(&key.as_str()) && *key != "pattern");
            Value::Object(known.map(|(key, value)| (key.clone(), strip(value))).collect())
        }
        other => other.clone(),
    }
}

/// Whether a node of 2026-07 or later takes the manifest: methods and events sorted, references that lead somewhere,
/// string keys, no empty byte arrays.
pub(crate) fn is_usable(manifest: &Value) -> bool {
    sorted(manifest.get("methods")) && sorted(manifest.get("events")) && sound(manifest, manifest.get("types"))
}

fn sorted(list: Option<&Value>) -> bool {
    let Some(Value::Array(items)) = list else { return true };
    items.iter().map(|item| item.get("name").and_then(Value::as_str)).is_sorted()
}

fn sound(value: &Value, types: Option<&Value>) -> bool {
    match value {
        Value::Array(items) => items.iter().all(|item| sound(item, types)),
        Value::Object(object) => {
            let reference = object.get("$ref").and_then(Value::as_str);
            let leads = reference.is_none_or(|name| types.is_some_and(|types| types.get(name).is_some()));
            let kind = object.get("kind").and_then(Value::as_str);
            let keyed = kind != Some("map") || object.get("key").is_none_or(is_string_key);
            let filled = kind != Some("bytes") || object.get("size") != Some(&Value::from(0));
            leads && keyed && filled && object.values().all(|value| sound(value, types))
        }
        _ => true,
    }
}

fn is_string_key(key: &Value) -> bool {
    key.as_str() == Some("string") || key.get("kind").and_then(Value::as_str) == Some("string")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_august_node_drops_newer_keys_but_no_type_named_like_one() {
        let manifest = json!({
            "types": { "doc": { "kind": "alias", "target": { "kind": "string" }, "doc": "text", "pattern": "a" } },
            "methods": [{ "name": "a", "doc": "text", "destructive": true, "intent": "mutating" }],
        });
        let expected = json!({
            "types": { "doc": { "kind": "alias", "target": { "kind": "string" } } },
            "methods": [{ "name": "a", "intent": "mutating" }],
        });
        assert_eq!(as_seen_in_august(&manifest), expected);
    }

    #[test]
    fn a03_unsorted_methods_and_dangling_references_are_unusable() {
        assert!(is_usable(&json!({ "methods": [{ "name": "a" }, { "name": "b" }] })));
        assert!(!is_usable(&json!({ "methods": [{ "name": "b" }, { "name": "a" }] })));
        assert!(!is_usable(&json!({ "types": {}, "methods": [{ "name": "a", "returns": { "$ref": "Gone" } }] })));
        assert!(!is_usable(&json!({ "methods": [{ "name": "a", "returns": { "kind": "bytes", "size": 0 } }] })));
    }
}
