//! A service with a handful of tools, for the tests of the protocol edge and for driving it with real clients.

use crate::mcp::{Identity, Service, UnknownTool};
use crate::model::{
    Annotations, CallScope, Content, JsonObject, Resource, ResourceContents, ResourceTemplate, ToolDefinition,
    ToolReply,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// Counts what was asked of it.
#[derive(Debug)]
pub(crate) struct Fake {
    changes: watch::Sender<u64>,
    pub(crate) opened: AtomicU64,
    pub(crate) cancelled: AtomicU64,
}

impl Default for Fake {
    fn default() -> Self {
        Self { changes: watch::Sender::new(0), opened: AtomicU64::new(0), cancelled: AtomicU64::new(0) }
    }
}

impl Fake {
    pub(crate) fn change(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    async fn slow(&self, milliseconds: u64, scope: &CallScope) -> ToolReply {
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(milliseconds)) => ToolReply::text("slept"),
            () = scope.cancel.cancelled() => {
                self.cancelled.fetch_add(1, Ordering::SeqCst);
                ToolReply::error("cancelled")
            }
        }
    }
}

impl Service for Fake {
    fn identity(&self) -> Identity {
        Identity { name: "fake".into(), title: "Fake".into(), version: "0.1.0".into() }
    }

    fn instructions(&self) -> String {
        "A service for tests.".into()
    }

    fn opened(&self) {
        self.opened.fetch_add(1, Ordering::SeqCst);
    }

    async fn tools(&self) -> Arc<[ToolDefinition]> {
        tools().into()
    }

    async fn call(&self, name: &str, arguments: JsonObject, scope: CallScope) -> Result<ToolReply, UnknownTool> {
        let number = |key: &str| arguments.get(key).and_then(Value::as_i64).unwrap_or_default();
        Ok(match name {
            "add" => {
                let value = json!({ "result": number("a") + number("b") });
                ToolReply { structured: Some(value.clone()), ..ToolReply::text(value.to_string()) }
            }
            "big" => ToolReply::text("b".repeat(number("bytes").unsigned_abs() as usize)),
            "boom" => panic!("boom"),
            "change" => {
                self.change();
                ToolReply::text("changed")
            }
            "deaf" => {
                tokio::time::sleep(Duration::from_millis(number("ms").unsigned_abs())).await;
                ToolReply::text("done")
            }
            "echo" => {
                let text = Value::Object(arguments).to_string();
                let trace = scope.traceparent.unwrap_or_default();
                ToolReply { content: vec![Content::Text(text), Content::Text(trace)], ..ToolReply::default() }
            }
            "guide" => ToolReply { content: vec![Content::Resource(guide())], is_error: true, ..ToolReply::default() },
            "list_value" => ToolReply { structured: Some(json!([1, 2])), ..ToolReply::text("[1,2]") },
            "slow" => self.slow(number("ms").unsigned_abs(), &scope).await,
            _ => return Err(UnknownTool(name.to_owned())),
        })
    }

    async fn resources(&self) -> Vec<Resource> {
        vec![Resource { uri: guide().uri, name: "kv".into(), mime_type: "text/markdown".into() }]
    }

    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate {
            uri_template: "guide://{app}".into(),
            name: "guide".into(),
            description: "An app's guide.".into(),
            mime_type: "text/markdown".into(),
        }]
    }

    async fn read(&self, uri: &str) -> Option<ResourceContents> {
        (uri == guide().uri).then(guide)
    }

    async fn complete(&self, _: &str, variable: &str, typed: &str) -> Vec<String> {
        if variable != "app" {
            return Vec::new();
        }
        (0..150).map(|index| format!("app{index:03}")).filter(|name| name.starts_with(typed)).collect()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

fn guide() -> ResourceContents {
    let Value::Object(meta) = json!({ "org.example/digest": "abc" }) else { unreachable!() };
    ResourceContents {
        uri: "guide://kv".into(),
        mime_type: "text/markdown".into(),
        text: "# kv".into(),
        meta: Some(meta),
    }
}

fn tools() -> Vec<ToolDefinition> {
    ["add", "big", "boom", "change", "deaf", "echo", "guide", "list_value", "slow"].map(tool).to_vec()
}

fn tool(name: &str) -> ToolDefinition {
    let object = |value: Value| match value {
        Value::Object(object) => Arc::new(object),
        _ => Arc::default(),
    };
    let integer = json!({ "type": "integer" });
    let properties = match name {
        "add" => json!({ "a": integer, "b": integer }),
        "big" => json!({ "bytes": integer }),
        "slow" | "deaf" => json!({ "ms": integer }),
        _ => json!({}),
    };
    let output = json!({ "type": "object", "properties": { "result": integer }, "required": ["result"] });
    ToolDefinition {
        name: name.to_owned(),
        title: (name == "add").then(|| "Add".to_owned()),
        description: format!("The tool {name}."),
        input_schema: object(json!({
            "type": "object", "properties": properties, "additionalProperties": name == "echo"
        })),
        output_schema: (name == "add").then(|| object(output)),
        annotations: Annotations { read_only: (name == "add").then_some(true), ..Annotations::default() },
        meta: None,
    }
}
