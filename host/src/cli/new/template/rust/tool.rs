//! {{name}}: a tool extension.
//!
//! [`list`](Guest::list) says which tools there are, [`call`](Guest::call) runs one. Every call has a fresh instance:
//! nothing is kept between calls.

use exports::abi_mcp::tool::tools::{Class, Failure, Guest, Hints, Reply, ToolDefinition};
use serde_json::{Value, json};

wit_bindgen::generate!({ path: "wit", world: "tool" });

/// Who this is and what it asks for: the head of `wit/tool.wit` says what may stand here. It gets what the operator allows.
const MANIFEST: &str = r#"{"name": "{{name}}", "release": "0.1.0", "asks": {}}"#;

struct Plugin;

impl Guest for Plugin {
    fn list() -> Vec<ToolDefinition> {
        let input = json!({
            "type": "object",
            "properties": {"name": {"type": "string", "description": "whom to greet"}},
            "required": ["name"],
            "additionalProperties": false,
        });
        vec![ToolDefinition {
            name: "greet".to_owned(),
            title: None,
            description: "Greets someone by name.".to_owned(),
            input_schema: input.to_string(),
            output_schema: None,
            hints: Hints { read_only: Some(true), destructive: Some(false), idempotent: Some(true), open_world: Some(false) },
            category: None,
            keywords: Vec::new(),
        }]
    }

    // The host has held the arguments to the schema, but trust nothing: `plugin check` does not.
    fn call(name: String, arguments: String) -> Result<Reply, Failure> {
        let arguments: Value = serde_json::from_str(&arguments).map_err(|error| refused(&error.to_string()))?;
        match name.as_str() {
            "greet" => greet(&arguments),
            _ => Err(refused("there is no such tool")),
        }
    }
}

fn greet(arguments: &Value) -> Result<Reply, Failure> {
    match arguments.get("name").and_then(Value::as_str).map(str::trim) {
        Some(name) if !name.is_empty() => Ok(Reply { text: Some(format!("Hello, {name}.")), structured: None }),
        _ => Err(refused("`name` is missing or blank")),
    }
}

/// An error the caller can mend.
fn refused(message: &str) -> Failure {
    Failure { class: Class::Arguments, message: message.to_owned(), hint: None }
}

#[cfg(target_arch = "wasm32")]
export!(Plugin);

/// The manifest, where the host looks for it.
#[cfg(target_arch = "wasm32")]
#[used]
#[unsafe(link_section = "abi-mcp-manifest")]
static SECTION: [u8; MANIFEST.len()] = {
    let mut bytes = [0; MANIFEST.len()];
    bytes.copy_from_slice(MANIFEST.as_bytes());
    bytes
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_greets_by_name_and_refuses_a_blank_one() {
        let call = |arguments: &str| Plugin::call("greet".to_owned(), arguments.to_owned());
        assert_eq!(call(r#"{"name": "Ada"}"#).unwrap().text.unwrap(), "Hello, Ada.");
        assert!(call(r#"{"name": " "}"#).is_err());
    }

    #[test]
    fn the_manifest_is_json() {
        assert!(serde_json::from_str::<Value>(MANIFEST).unwrap()["asks"].is_object());
    }
}
