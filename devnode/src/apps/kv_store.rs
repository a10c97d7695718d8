//! The key-value store every newcomer meets first.
//!
//! State: one object, `items`, of text by key. `get_result` fails with a value, `get_unchecked` by a panic, so that
//! both ways can be seen.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::manifest;
use crate::app::{App, Behaviour, GuestError, GuestState};

const PACKAGE: &str = "com.calimero.kv-store";
const TEXT: &str = "Stores text under keys, shared by all members of a context.";

pub(super) fn app() -> App {
    let manifest = manifest(include_str!("manifests/kv_store.json"));
    App::new(PACKAGE, "1.0.0", manifest, Arc::new(KvStore))
        .titled("KV Store", TEXT)
        .guided(include_str!("manifests/kv_store.guide.md"))
}

pub(super) fn next() -> App {
    let mut manifest = manifest(include_str!("manifests/kv_store.json"));
    if let Some(Value::Array(methods)) = manifest.get_mut("methods") {
        methods.retain(|method| method.get("name") != Some(&json!("get_unchecked")));
        let rename = json!({
            "name": "rename",
            "doc": "Moves a value to another key. Returns false when the old key holds nothing.",
            "params": [
                { "name": "from", "type": { "kind": "string" }, "doc": "The key that holds the value now." },
                { "name": "to", "type": { "kind": "string" }, "doc": "The key that is to hold it." },
            ],
            "returns": { "kind": "bool" },
            "intent": "mutating",
            "destructive": true,
        });
        let name = |method: &Value| method.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let at = methods.partition_point(|method| name(method).as_str() < "rename");
        methods.insert(at, rename);
    }
    App::new(PACKAGE, "1.1.0", manifest, Arc::new(KvStore))
        .titled("KV Store", TEXT)
        .guided(include_str!("manifests/kv_store.guide.md"))
}

struct KvStore;

impl Behaviour for KvStore {
    fn call(&self, state: &mut GuestState, method: &str, args: &Value) -> Result<Value, GuestError> {
        let mut items = take(state);
        let output = run(&mut items, method, args);
        state.insert("items".into(), Value::Object(items));
        output
    }

    fn init(&self, state: &mut GuestState, _args: &Value) -> Result<(), GuestError> {
        state.insert("items".into(), json!({}));
        Ok(())
    }
}

/// The table, empty at first.
fn take(state: &mut GuestState) -> Map<String, Value> {
    match state.remove("items") {
        Some(Value::Object(items)) => items,
        _ => Map::new(),
    }
}

fn run(items: &mut Map<String, Value>, method: &str, args: &Value) -> Result<Value, GuestError> {
    let text = |name: &str| args.get(name).and_then(Value::as_str).unwrap_or_default();
    let (key, value) = (text("key"), json!(text("value")));
    Ok(match method {
        "set" => {
            items.insert(key.into(), value);
            Value::Null
        }
        "set_if_absent" => {
            let absent = !items.contains_key(key);
            if absent {
                items.insert(key.into(), value);
            }
            json!(absent)
        }
        "get" => items.get(key).cloned().unwrap_or_default(),
        "get_result" => {
            let missing = || GuestError::Returned(json!({ "kind": "NotFound", "data": key }));
            items.get(key).cloned().ok_or_else(missing)?
        }
        "get_unchecked" => items.get(key).cloned().ok_or_else(|| GuestError::Panicked("key not found".into()))?,
        "contains" => json!(items.contains_key(key)),
        "remove" => items.remove(key).unwrap_or_default(),
        "rename" => match items.remove(text("from")) {
            Some(value) => {
                items.insert(text("to").into(), value);
                json!(true)
            }
            None => json!(false),
        },
        "entries" => {
            // A guest's map comes ordered by key.
            let ordered: BTreeMap<&String, &Value> = items.iter().collect();
            json!(ordered)
        }
        "len" => json!(items.len()),
        "clear" => {
            items.clear();
            Value::Null
        }
        _ => return Err(GuestError::NotFound),
    })
}
