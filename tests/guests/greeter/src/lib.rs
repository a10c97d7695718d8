//! A tool extension that asks for nothing: it greets in words, adds in numbers, and counts its own calls, of which every
//! instance has seen one.

use abi_mcp_sdk_tool::serde_json::{Value, json};
use abi_mcp_sdk_tool::{Class, Extension, Failure, Hints, Reply, Tool, export_extension, host};
use std::sync::atomic::{AtomicU64, Ordering};

struct Greeter;

export_extension!(Greeter, r#"{"name": "greeter", "release": "0.3.0"}"#);

static CALLS: AtomicU64 = AtomicU64::new(0);

impl Extension for Greeter {
    fn tools() -> Vec<Tool> {
        let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
        let reads = |tool: Tool| Tool { hints: Hints::READS, ..tool };
        let number = json!({"type": "integer"});
        vec![
            reads(Tool::new("greet", "Greets someone.", object(json!({"name": {"type": "string"}}), json!(["name"])))),
            Tool {
                output_schema: Some(object(json!({"sum": number}), json!(["sum"]))),
                keywords: vec!["plus".to_owned()],
                ..reads(Tool::new(
                    "add",
                    "Adds two numbers.",
                    object(json!({"a": number, "b": number}), json!(["a", "b"])),
                ))
            },
            reads(Tool::new("count", "Counts calls.", object(json!({}), json!([])))),
            Tool::new("save", "Pretends to write.", object(json!({}), json!([]))),
        ]
    }

    fn call(tool: &str, arguments: &Value) -> Result<Reply, Failure> {
        let calls = CALLS.fetch_add(1, Ordering::Relaxed) + 1;
        let number = |name: &str| arguments.get(name).and_then(Value::as_i64).unwrap_or_default();
        match tool {
            "greet" => match arguments.get("name").and_then(Value::as_str) {
                Some("nobody") => Err(Failure::new(Class::Arguments, "nobody is not somebody").hint("name a person")),
                name => {
                    let greeting = host::config("greeting").and_then(|value| value.as_str().map(str::to_owned));
                    let greeting = greeting.unwrap_or_else(|| "Hello".to_owned());
                    Ok(Reply::text(format!("{greeting}, {}.", name.unwrap_or("you"))))
                }
            },
            "add" => {
                let sum = number("a") + number("b");
                Ok(Reply { text: Some(format!("The sum is {sum}.")), structured: Some(json!({"sum": sum})) })
            }
            "count" => Ok(Reply::text(calls.to_string())),
            _ => Ok(Reply::text("saved")),
        }
    }
}
