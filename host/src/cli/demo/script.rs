//! What the demo shows, in order.

use crate::cli::demo::steps::Steps;
use serde_json::{Value, json};

/// Plays the session.
///
/// # Errors
/// The first step that did not go as it must.
pub(crate) fn play(steps: &mut Steps) -> anyhow::Result<()> {
    steps.request("The client asks who this is", "server/discover", json!({}), |result| {
        let name = result.pointer("/_meta/io.modelcontextprotocol~1serverInfo/name");
        format!("{} speaks {}", text(name), result.get("supportedVersions").unwrap_or(&Value::Null))
    })?;
    steps.request(
        "The tools: a few fixed ones, and one for each method of each app",
        "tools/list",
        json!({}),
        |result| {
            let names: Vec<&str> = list(result, "tools").filter_map(|tool| tool.get("name")?.as_str()).collect();
            format!("{} tools: {}", names.len(), names.join(", "))
        },
    )?;
    key_value_store(steps)?;
    types_lab(steps)?;
    guide(steps)
}

fn key_value_store(steps: &mut Steps) -> anyhow::Result<()> {
    steps.call("What can the key-value store do?", "describe_app", json!({"app": "kv-store"}))?;
    let selected =
        steps.call("Select it; the handle binds app, version and context", "select_app", json!({"app": "kv-store"}))?;
    let handle = handle(&selected.text);
    steps.call("Write a value", "kv_store_set", json!({"app_handle": handle, "key": "greeting", "value": "hello"}))?;
    steps.call("Read it back", "kv_store_get", json!({"app_handle": handle, "key": "greeting"}))?;
    steps.refused("Without a handle nothing runs", "kv_store_get", json!({"key": "greeting"}), "Call select_app")?;
    steps.refused(
        "A wrong argument never leaves this process",
        "kv_store_set",
        json!({"app_handle": handle, "key": "greeting", "valu": "x"}),
        "value",
    )?;
    steps.refused(
        "The application's own error, decoded",
        "kv_store_get_result",
        json!({"app_handle": handle, "key": "absent"}),
        "absent",
    )?;
    steps.refused(
        "A panic inside the application, in its own words",
        "kv_store_get_unchecked",
        json!({"app_handle": handle, "key": "absent"}),
        "key not found",
    )
}

fn types_lab(steps: &mut Steps) -> anyhow::Result<()> {
    let selected = steps.call("An app with every ABI type", "select_app", json!({"app": "types-lab"}))?;
    let handle = handle(&selected.text);
    steps.call(
        "64-bit integers keep every digit",
        "types_lab_echo_u64",
        json!({"app_handle": handle, "x": "18446744073709551615"}),
    )?;
    steps.call(
        "Bytes as hex; the node gets a byte array",
        "types_lab_echo_bytes",
        json!({"app_handle": handle, "x": "deadbeef"}),
    )?;
    Ok(())
}

fn guide(steps: &mut Steps) -> anyhow::Result<()> {
    let listed = steps.request("Guides are resources", "resources/list", json!({}), |result| {
        list(result, "resources").map(|resource| text(resource.get("uri"))).collect::<Vec<_>>().join("\n")
    })?;
    let uri = listed.pointer("/resources/0/uri").cloned().unwrap_or_default();
    steps.request("The author's own words about the app", "resources/read", json!({"uri": uri}), |result| {
        text(result.pointer("/contents/0/text"))
    })?;
    Ok(())
}

fn handle(card: &str) -> Value {
    let card: Value = serde_json::from_str(card).unwrap_or_default();
    card.get("app_handle").cloned().unwrap_or_default()
}

fn list<'a>(result: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    result.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}
