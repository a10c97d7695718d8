//! Against a real node, where `ABI_MCP_REAL_NODE` holds the address of one that has an application with `set(key, value)`
//! and `get(key)` and a context of it; says that it skipped where the variable is unset.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use abi_mcp_tests::Spawn;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;

/// `get` straight from the node, past everything that is tested.
fn read_directly(address: &str, context: &str, key: &str) -> Value {
    let host = address.trim_start_matches("http://").trim_end_matches('/');
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "execute",
        "params": {"contextId": context, "method": "get", "argsJson": {"key": key}},
    })
    .to_string();
    let mut stream = TcpStream::connect(host).expect("the node answers");
    write!(
        stream,
        "POST /jsonrpc HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let json = answer.split("\r\n\r\n").nth(1).unwrap_or_default();
    let (start, end) = (json.find('{').expect("an object"), json.rfind('}').expect("an object"));
    serde_json::from_str(&json[start..=end]).expect("JSON")
}

#[test]
fn a_write_through_a_generated_tool_is_seen_by_a_direct_read() {
    let Ok(node) = std::env::var("ABI_MCP_REAL_NODE") else {
        println!("skipped: ABI_MCP_REAL_NODE names no node");
        return;
    };
    let mut client = Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp")).node(&node).connect();
    let app = std::env::var("ABI_MCP_REAL_APP").unwrap_or_else(|_| "kv-store".to_owned());
    let selected = client.call("select_app", json!({"app": app}));
    assert!(!selected.is_error, "{}", selected.text);
    let card = selected.first();
    let context = card["context"].as_str().expect("one context").to_owned();
    let tool = |method: &str| {
        let names = card["tools"].as_array().unwrap().iter().filter_map(Value::as_str);
        names.map(str::to_owned).find(|name| name.ends_with(method)).expect("the tool")
    };
    let (set, get) = (tool("_set"), tool("_get"));
    let value = format!("written by process {}", std::process::id());
    let mut arguments = json!({"app_handle": card["app_handle"], "key": "abi-mcp", "value": value});
    let written = client.call(&set, arguments.clone());
    assert!(!written.is_error, "{}", written.text);
    assert_eq!(read_directly(&node, &context, "abi-mcp")["result"]["output"], json!(value));

    // The id in its other text form means the same context.
    let bytes = bs58_bytes(&context);
    arguments = json!({"app_handle": card["app_handle"], "key": "abi-mcp", "_context": bytes});
    let read = client.call(&get, arguments);
    assert_eq!(read.raw["structuredContent"]["result"], json!(value), "{}", read.text);
}

/// A base58 id as hex; a hex id as it is.
fn bs58_bytes(id: &str) -> String {
    const ALPHABET: &str = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    if id.len() == 64 {
        return id.to_owned();
    }
    let mut bytes = [0_u8; 32];
    for digit in id.chars().map(|c| ALPHABET.find(c).expect("base58")) {
        let mut carry = digit;
        for byte in bytes.iter_mut().rev() {
            carry += usize::from(*byte) * 58;
            *byte = u8::try_from(carry & 255).unwrap();
            carry >>= 8;
        }
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
