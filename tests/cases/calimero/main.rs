//! Field cases of Calimero apps and of schema generators (kinds A and C), against the real binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use abi_mcp_tests::{App, FakeNode, Spawn, manifest};
use serde_json::json;

fn serve(node: &FakeNode) -> Spawn {
    Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp")).node(node.url())
}

#[test]
fn a03_methods_in_any_order_are_listed_in_one() {
    let methods =
        json!([{"name": "set", "params": []}, {"name": "get", "params": []}, {"name": "clear", "params": []}]);
    let node = FakeNode::with(vec![App::new("appAAA", "com.example.kv", manifest(json!({}), methods))]);
    let mut client = serve(&node).connect();
    let names: Vec<String> = client
        .tools()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .filter(|name| name.starts_with("kv_"))
        .collect();
    assert_eq!(names, ["kv_clear", "kv_get", "kv_set"]);
}
