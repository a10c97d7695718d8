//! Which generation of toolchain wrote a manifest.
//!
//! `schema_version` has said `wasm-abi/1` since 2025, so it tells nothing; generations are told apart by what only
//! their emitters write. A tiny app may show no mark of its own generation; the older one it then seems to be
//! reads it the same way.

use abi_mcp_sdk::serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// A generation of the emitter, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// 2025-08, toolchain 0.2 to 0.8.
    G0,
    /// 2025-10, 0.9 and 0.10: `state_root`.
    G1,
    /// 2025-11, 0.10 to 0.11.0-rc.1: `crdt_type`.
    G2,
    /// 2026-06, 0.11.0-rc.3 to rc.17: `state_version`, `intent`, `xcall_callable`.
    G3,
    /// 2026-07, 0.11.0-rc.18 to rc.2x: `tuple`, sorted methods.
    G4,
    /// 2026-09, 1.0: `doc`, `destructive`, `tag`, `intent: mutating` and more.
    G5,
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// Keys only toolchain 1.0 writes on a method.
const METHOD_KEYS: [&str; 6] = ["doc", "returns_doc", "destructive", "idempotent", "handler", "tee_every_secs"];

/// Keys only toolchain 1.0 writes on an entry of `types`.
const TYPE_KEYS: [&str; 5] = ["doc", "tag", "content", "untagged", "pattern"];

/// Keys of toolchains from 0.11.0-rc.3 on.
const INTENT_KEYS: [&str; 3] = ["intent", "xcall_callable", "xcall_callers"];

/// The generation a manifest shows, and what showed it, as one line for the operator.
pub(crate) fn detect(manifest: &Value) -> (Generation, String) {
    if let Some(mark) = mark_of_g5(manifest) {
        return (Generation::G5, mark);
    }
    let methods = list(manifest, "methods");
    if mentions(manifest, &|key, value| key == "kind" && value == "tuple") {
        return (Generation::G4, "a `tuple`".to_owned());
    }
    if manifest.get("state_version").is_some() {
        return if is_sorted(methods) && is_sorted(list(manifest, "events")) && !lists_unused_types(manifest) {
            (Generation::G4, "`state_version`, sorted methods and no unused types".to_owned())
        } else {
            (Generation::G3, "`state_version`".to_owned())
        };
    }
    if let Some(key) = INTENT_KEYS.iter().find(|key| methods.iter().any(|method| method.get(**key).is_some())) {
        return (Generation::G3, format!("a method with `{key}`"));
    }
    if mentions(manifest, &|key, _| key == "crdt_type") {
        return (Generation::G2, "a `crdt_type`".to_owned());
    }
    if manifest.get("state_root").is_some() {
        return (Generation::G1, "`state_root`".to_owned());
    }
    (Generation::G0, "no mark of a later generation".to_owned())
}

fn mark_of_g5(manifest: &Value) -> Option<String> {
    for method in list(manifest, "methods") {
        let name = method.get("name").and_then(Value::as_str).unwrap_or_default();
        if let Some(key) = METHOD_KEYS.iter().find(|key| method.get(**key).is_some()) {
            return Some(format!("`{key}` on method `{name}`"));
        }
        if method.get("intent").and_then(Value::as_str) == Some("mutating") {
            return Some(format!("`intent: mutating` on method `{name}`"));
        }
        if list(method, "params").iter().any(|param| param.get("doc").is_some()) {
            return Some(format!("`doc` on a parameter of `{name}`"));
        }
    }
    for (name, definition) in manifest.get("types").and_then(Value::as_object).into_iter().flatten() {
        if let Some(key) = TYPE_KEYS.iter().find(|key| definition.get(**key).is_some()) {
            return Some(format!("`{key}` on type `{name}`"));
        }
        let mut parts = list(definition, "fields").iter().chain(list(definition, "variants"));
        if parts.any(|part| part.get("doc").is_some()) {
            return Some(format!("`doc` inside type `{name}`"));
        }
    }
    let documented = list(manifest, "events").iter().any(|event| event.get("doc").is_some());
    documented.then(|| "`doc` on an event".to_owned())
}

/// Whether a type is listed that nothing refers to: before 2026-08 a method's error enum was.
fn lists_unused_types(manifest: &Value) -> bool {
    let mut used = BTreeSet::new();
    collect_references(manifest, &mut used);
    if let Some(root) = manifest.get("state_root").and_then(Value::as_str) {
        used.insert(root);
    }
    let types = manifest.get("types").and_then(Value::as_object);
    types.into_iter().flatten().any(|(name, _)| !used.contains(name.as_str()))
}

fn collect_references<'a>(value: &'a Value, used: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(object) => {
            if let Some(name) = object.get("$ref").and_then(Value::as_str) {
                used.insert(name);
            }
            object.values().for_each(|value| collect_references(value, used));
        }
        Value::Array(values) => values.iter().for_each(|value| collect_references(value, used)),
        _ => {}
    }
}

fn mentions(value: &Value, wanted: &impl Fn(&str, &Value) -> bool) -> bool {
    match value {
        Value::Object(object) => object.iter().any(|(key, value)| wanted(key, value) || mentions(value, wanted)),
        Value::Array(values) => values.iter().any(|value| mentions(value, wanted)),
        _ => false,
    }
}

fn is_sorted(named: &[Value]) -> bool {
    named.is_sorted_by_key(|it| it.get("name").and_then(Value::as_str).unwrap_or_default())
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
