//! Field cases of the transport (kind E) and of hostile plugins (kind D), against the real binary. Tests named `eNN_`
//! or `dNN_` are the field cases of that number.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod audit;
mod authors;
mod compiling;
mod configured;
mod confined;
mod dropped;
mod engines;
mod extensions;
mod formulas;
mod framing;
mod frozen;
mod granted;
mod hosted;
mod hostile;
mod inspect;
mod lifecycle;
mod load;
mod plain;
mod rogues;
mod swap;

use abi_mcp_tests::{App, Client, FakeNode, Reply, Spawn, manifest};
use serde_json::{Value, json};
use std::time::Duration;

/// The app with a method for every way in which a call can take its time, be large or fail.
const LAB: &str = "com.abi-mcp.types-lab";

/// What the cases call "within 2 s", with room for a busy machine.
const SOON: Duration = Duration::from_secs(10);

/// The real binary in front of a node.
fn serve(url: &str) -> Spawn {
    Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp")).node(url)
}

/// A node with one small app.
fn node() -> FakeNode {
    let text = json!([{"name": "text", "type": {"kind": "string"}}]);
    let methods = json!([{"name": "say", "params": text, "returns": {"kind": "string"}}]);
    FakeNode::with(vec![App::new("appAAA", "com.example.kv", manifest(json!({}), methods))])
}

/// Sends a call of the lab's app; answers its id.
fn send_call(client: &mut Client, handle: &str, method: &str, mut arguments: Value) -> Value {
    arguments["app_handle"] = handle.into();
    client.send("tools/call", json!({"name": format!("types_lab_{method}"), "arguments": arguments}))
}

fn handle(client: &mut Client) -> String {
    client.handle(LAB, None)
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

fn reply(answer: &Value) -> Reply {
    Reply::of(answer)
}

/// No character in any text that a person cannot see or a terminal obeys; JSON within JSON is looked into as well.
fn assert_clean(value: &Value) {
    match value {
        Value::String(text) => {
            let inner = serde_json::from_str::<Value>(text).ok().filter(|inner| inner.is_object() || inner.is_array());
            if let Some(inner) = inner {
                return assert_clean(&inner);
            }
            let dirty = |letter: char| {
                (letter.is_control() && letter != '\n' && letter != '\t')
                    || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
            };
            assert!(!text.contains(dirty), "{text:?}");
        }
        Value::Array(items) => items.iter().for_each(assert_clean),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            assert_clean(&Value::String(name.clone()));
            assert_clean(member);
        }),
        _ => {}
    }
}
