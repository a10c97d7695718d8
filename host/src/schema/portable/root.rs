//! The parameters of an input schema, however its root spells them.
//!
//! A mapper writes `type: object` with `properties`. Others write a `$ref`, or a union of objects, which model APIs
//! refuse at the root: then the members of all branches are offered side by side, required only where every
//! value must have them.

use super::convert::resolve;
use super::{JsonObject, Note, REF_DEPTH};
use serde_json::{Value, json};

/// What the root declares.
#[derive(Debug, Default)]
pub(super) struct Root {
    /// Parameter to schema, in declaration order.
    pub(super) properties: JsonObject,
    /// In declaration order, each once.
    pub(super) required: Vec<String>,
    /// What was lost.
    pub(super) notes: Vec<Note>,
}

/// Reads the root of `document`.
pub(super) fn flatten(document: &Value) -> Root {
    let mut root = Root::default();
    collect(document, document, true, 0, &mut root);
    root
}

/// Adds the members of one schema; `always` when every value must fit it.
fn collect(document: &Value, schema: &Value, always: bool, depth: usize, root: &mut Root) {
    let Some(map) = schema.as_object().filter(|_| depth <= REF_DEPTH) else { return };
    if let Some(target) = map.get("$ref").and_then(Value::as_str).and_then(|target| resolve(document, target)) {
        collect(document, target, always, depth + 1, root);
    }
    for (name, member) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
        add(&mut root.properties, name, member);
    }
    for name in map.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if always && !root.required.iter().any(|known| known == name) {
            root.required.push(name.to_owned());
        }
    }
    for (keyword, always_here) in [("allOf", always), ("anyOf", false), ("oneOf", false)] {
        let Some(branches) = map.get(keyword).and_then(Value::as_array) else { continue };
        if keyword != "allOf" {
            let text = format!("`{keyword}` at the root is not checked: its members are offered side by side");
            root.notes.push(Note { method: None, path: String::new(), text });
        }
        for branch in branches.iter().take(MOST_BRANCHES) {
            collect(document, branch, always_here, depth + 1, root);
        }
    }
}

/// The most branches of one root union that are read.
const MOST_BRANCHES: usize = 64;

/// The most forms of one member that are kept apart.
const MOST_FORMS: usize = 16;

/// Adds a member; one that several branches describe is any of them.
fn add(properties: &mut JsonObject, name: &str, member: &Value) {
    let Some(known) = properties.get_mut(name) else {
        properties.insert(name.to_owned(), member.clone());
        return;
    };
    let forms =
        known.get("anyOf").and_then(Value::as_array).filter(|_| known.as_object().is_some_and(|map| map.len() == 1));
    let mut forms = forms.cloned().unwrap_or_else(|| vec![known.clone()]);
    if forms.contains(member) {
        return;
    }
    if forms.len() >= MOST_FORMS {
        forms = vec![json!(true)];
    } else {
        forms.push(member.clone());
    }
    *known = json!({"anyOf": forms});
}
