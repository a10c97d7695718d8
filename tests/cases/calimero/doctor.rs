//! `doctor`: what was found, what is wrong, what to do.

use abi_mcp_devnode::{Setup, apps};
use abi_mcp_tests::LiveNode;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// The exit code and what was printed, for a node and one more variable.
fn doctor(node: &LiveNode, variable: (&str, &str)) -> (Option<i32>, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_abi-mcp"));
    let state = tempfile::tempdir().unwrap();
    let output = Command::new(program)
        .arg("doctor")
        .env_clear()
        .env("HOME", state.path())
        .env("ABI_MCP_CACHE_DIR", program.with_file_name("test-cache"))
        .env("CALIMERO_NODE_URL", node.url())
        .env(variable.0, variable.1)
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_working_node_is_told_with_mapper_methods_and_contexts() {
    let node = LiveNode::start(Setup::demo());
    let (code, text) = doctor(&node, ("CALIMERO_MCP_READ_ONLY", "1"));
    assert_eq!(code, Some(0), "{text}");
    let line = text.lines().find(|line| line.contains("com.calimero.kv-store 1.0.0")).unwrap();
    assert!(line.starts_with("ok ") && line.contains(" 1 contexts; mapped by calimero-"), "{line}");
    assert!(text.contains("read-only mode"), "{text}");
    assert!(!text.contains("next:") && !text.contains("BAD"), "{text}");
}

#[test]
fn an_app_without_context_and_one_without_abi_are_told_with_the_next_step() {
    let node = LiveNode::start(Setup::empty());
    let (code, text) = doctor(&node, ("CALIMERO_MCP_APPS", "kv-store"));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("no application is installed") && text.contains("next: install one"), "{text}");
    assert!(
        text.contains("(CALIMERO_MCP_APPS or tools.apps) names `kv-store`, which is no installed application"),
        "{text}"
    );

    node.install(apps::from_manifest("com.x.broken", "2.0.0", json!({"schema_version": "wasm-abi/9"})));
    let (code, text) = doctor(&node, ("CALIMERO_MCP_TOOLSETS", "core"));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("BAD  com.x.broken 2.0.0: no tools: "), "{text}");
    assert!(text.contains("next: no application can be used; rebuild com.x.broken"), "{text}");

    node.install(apps::kv_store());
    let (code, text) = doctor(&node, ("CALIMERO_MCP_TOOLSETS", "spam"));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("installed, but no context to call it in"), "{text}");
    assert!(text.contains("next: create a context for com.calimero.kv-store: call select_app"), "{text}");
    assert!(text.contains("CALIMERO_MCP_TOOLSETS names `spam`"), "{text}");
}

#[test]
fn what_a_mapper_left_out_or_did_not_understand_is_counted() {
    let node = LiveNode::start(Setup::empty());
    let unknown = json!({"name": "odd", "params": [{"name": "p", "type": {"$ref": "Missing"}}]});
    let manifest = json!({"schema_version": "wasm-abi/1", "types": {}, "methods": [unknown], "events": []});
    node.install(apps::from_manifest("com.x.odd", "1.0.0", manifest));
    let (_, text) = doctor(&node, ("CALIMERO_MCP_TOOLSETS", "all"));
    assert!(text.contains("constructs accepted unchecked; first "), "{text}");
}
