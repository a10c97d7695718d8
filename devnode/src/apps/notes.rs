//! A list of notes as an application of mid-2026 would be: no docs, positional records of the older emitters.
//!
//! `Span` and the payload of `Edit::Splice` are described as records (`unnamed`, `field_N`) but are arrays on the wire.

use std::sync::Arc;

use serde_json::{Value, json};

use super::manifest;
use crate::app::{App, Behaviour, GuestError, GuestState, Hints, Wire};
use crate::ids::Id;

pub(super) fn app() -> App {
    App::new("com.abi-mcp.notes", "0.2.0", manifest(include_str!("manifests/notes.json")), Arc::new(Notes))
        .titled("Notes", "A shared list of notes.")
        .hinted(Hints::from([("UserId", Wire::Base58("UserId"))]))
}

struct Notes;

impl Behaviour for Notes {
    fn call(&self, state: &mut GuestState, method: &str, args: &Value) -> Result<Value, GuestError> {
        let mut notes = take(state);
        let output = run(&mut notes, state, method, args);
        state.insert("notes".into(), Value::Array(notes));
        output
    }
}

fn run(notes: &mut Vec<Value>, state: &mut GuestState, method: &str, args: &Value) -> Result<Value, GuestError> {
    let arg = |name: &str| args.get(name).cloned().unwrap_or_default();
    match method {
        "add" => add(notes, state, &arg("title"), &arg("body"), &arg("tags")),
        "count" => Ok(json!(notes.len())),
        "edit" => edit(notes, &arg("id"), &arg("edit")),
        "excerpt" => excerpt(notes, &arg("id"), &arg("span")),
        "find" => Ok(notes.iter().find(|note| note.get("id") == args.get("id")).cloned().unwrap_or_default()),
        "list" => Ok(list(notes, arg("tag").as_str())),
        "ping" => Ok(Value::Null),
        _ => Err(GuestError::NotFound),
    }
}

fn add(
    notes: &mut Vec<Value>,
    state: &mut GuestState,
    title: &Value,
    body: &Value,
    tags: &Value,
) -> Result<Value, GuestError> {
    if title == "" {
        return Err(GuestError::Returned(json!("Empty")));
    }
    let id = state.get("next").and_then(Value::as_u64).unwrap_or(1);
    state.insert("next".into(), json!(id + 1));
    let author = Id::digest(b"development node signing key").base58();
    notes.push(json!({ "id": id, "title": title, "body": body, "tags": tags, "author": author }));
    Ok(json!(id))
}

fn edit(notes: &mut Vec<Value>, id: &Value, edit: &Value) -> Result<Value, GuestError> {
    let at = notes.iter().position(|note| note.get("id") == Some(id)).ok_or_else(|| missing(id))?;
    if edit == "Delete" {
        notes.remove(at);
        return Ok(Value::Null);
    }
    let Some(Value::Object(note)) = notes.get_mut(at) else { return Ok(Value::Null) };
    if let Some(title) = edit.get("Retitle") {
        note.insert("title".into(), title.clone());
    }
    if let Some([Value::Number(at), Value::String(text)]) =
        edit.get("Splice").and_then(Value::as_array).map(Vec::as_slice)
    {
        let body = note.get("body").and_then(Value::as_str).unwrap_or_default();
        let at = usize::try_from(at.as_u64().unwrap_or_default()).unwrap_or(usize::MAX);
        let (before, after): (String, String) = (body.chars().take(at).collect(), body.chars().skip(at).collect());
        note.insert("body".into(), json!(format!("{before}{text}{after}")));
    }
    Ok(Value::Null)
}

fn excerpt(notes: &[Value], id: &Value, span: &Value) -> Result<Value, GuestError> {
    let found = notes.iter().find(|note| note.get("id") == Some(id)).cloned().ok_or_else(|| missing(id))?;
    let bound = |index: usize| span.get(index).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let (from, to) = (bound(0).unwrap_or_default(), bound(1).unwrap_or_default());
    let body = found.get("body").and_then(Value::as_str).unwrap_or_default();
    Ok(json!(body.chars().skip(from).take(to.saturating_sub(from)).collect::<String>()))
}

fn list(notes: &[Value], tag: Option<&str>) -> Value {
    let fits = |note: &&Value| {
        let tags = note.get("tags").and_then(Value::as_array);
        tag.is_none_or(|tag| tags.is_some_and(|tags| tags.iter().any(|own| own == tag)))
    };
    notes.iter().filter(fits).cloned().collect()
}

fn missing(id: &Value) -> GuestError {
    GuestError::Returned(json!({ "Missing": id }))
}

/// The list, empty at first.
fn take(state: &mut GuestState) -> Vec<Value> {
    match state.remove("notes") {
        Some(Value::Array(notes)) => notes,
        _ => Vec::new(),
    }
}
