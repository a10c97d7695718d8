//! What `select_app` says when it picked no context: which there are, or how to get the first one.
//!
//! "Installed, but no context" is the commonest trouble of users (Calimero server page, §22), so the answer holds the
//! next call ready to be made. Nothing here is remembered: namespaces and contexts come and go.

use crate::model::{CallScope, JsonObject};
use crate::source::{Context, Unit};
use crate::text::clean_line;
use crate::tools::{Server, fixed};
use serde_json::{Value, json};

/// Ready calls shown, at most: one a namespace.
const MOST: usize = 5;

/// Adds `note`, and where there is no context `next` with the `nextCalls` this server can make.
pub(crate) async fn insert(
    server: &Server,
    unit: &Unit,
    contexts: &[Context],
    card: &mut JsonObject,
    scope: &CallScope,
) {
    let label = unit.app.label();
    let ids: Vec<&str> = contexts.iter().filter(|context| context.serves(unit)).map(|context| &*context.id).collect();
    if !ids.is_empty() {
        let note =
            format!("Application \"{label}\" has {} contexts; pass context with one of: {}", ids.len(), ids.join(", "));
        card.insert("note".to_owned(), json!(note));
        return;
    }
    let note = format!(
        "Application \"{label}\" has no contexts on this node. Create one in the Calimero desktop app, or use \
         create_context."
    );
    card.insert("note".to_owned(), json!(note));
    if server.modes.read_only {
        card.insert("next".to_owned(), json!("this server is in read-only mode and creates no context"));
        return;
    }
    // Without the list the note alone has to do: the app and its handle are there all the same.
    let Ok(namespaces) = server.node().session().namespaces(Some(&unit.app.id), scope).await else { return };
    let (mut next, calls) = calls(server, unit, &namespaces);
    if let Some(init) = initialiser(server, unit, scope).await {
        next.push_str(&format!(" create_context's `args` are those of {init}."));
    }
    card.insert("next".to_owned(), json!(next));
    if !calls.is_empty() {
        card.insert("nextCalls".to_owned(), Value::Array(calls));
    }
}

/// One call a namespace of the app; without any, the call that makes one and then the one that uses it.
fn calls(server: &Server, unit: &Unit, namespaces: &[JsonObject]) -> (String, Vec<Value>) {
    let create = |group: &str| {
        let mut arguments = JsonObject::new();
        arguments.insert("application".to_owned(), json!(unit.app.id));
        arguments.insert("group".to_owned(), json!(group));
        if let Some(service) = unit.manifest_service() {
            arguments.insert("service".to_owned(), json!(service));
        }
        json!({"tool": "create_context", "arguments": arguments})
    };
    let ids: Vec<&str> = namespaces.iter().filter_map(|row| row.get("namespaceId")?.as_str()).collect();
    if !ids.is_empty() {
        let step = match ids.len() {
            1 => "Make the create_context call in nextCalls, in the application's namespace; then select_app again."
                .to_owned(),
            several => format!(
                "Make one of the create_context calls in nextCalls, which differ in the namespace ({several} belong to \
                 the application); then select_app again."
            ),
        };
        return (step, ids.into_iter().take(MOST).map(create).collect());
    }
    if fixed::find("create_namespace", server.modes).is_none() {
        let step =
            "The application has no namespace either, and the tools that make one are off here (toolset governance).";
        return (step.to_owned(), Vec::new());
    }
    let first = json!({"tool": "create_namespace", "arguments": {"application": unit.app.id}});
    let step = "Make the calls in nextCalls in order: create_namespace, then create_context with the namespaceId it \
                answers as `group`; then select_app again.";
    (step.to_owned(), vec![first, create("<namespaceId>")])
}

/// The signature of the initialiser, if it takes anything.
async fn initialiser(server: &Server, unit: &Unit, scope: &CallScope) -> Option<String> {
    let mapped = server.catalog.load(unit, scope).await.ok()?;
    let init = &mapped.initialiser()?.method;
    (!init.parameters.is_empty()).then(|| clean_line(&init.signature))
}
