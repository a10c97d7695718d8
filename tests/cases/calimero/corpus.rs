//! Every real manifest at once: all of them are served, and none puts anything in the list that a client refuses.
//! The manifests are not part of this repository; without them the test says so.

use crate::schemas::breaches;
use crate::serve;
use abi_mcp_tests::{App, FakeNode};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let root = std::env::var_os("ABI_MCP_CORPUS").map_or(beside, PathBuf::from).join("calimero");
    root.is_dir().then_some(root)
}

/// Name and content of every manifest that has methods.
fn manifests(root: &Path) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for folder in ["abi", "abi-history"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().replace('.', "-");
            let Ok(content) = serde_json::from_slice::<Value>(&std::fs::read(&path).unwrap()) else { continue };
            if content["methods"].as_array().is_some_and(|methods| !methods.is_empty()) {
                found.push((format!("{folder}-{name}"), content));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
#[allow(clippy::print_stdout, reason = "says when it skips")]
fn every_real_manifest_is_served_within_the_profile() {
    let Some(root) = corpus() else {
        println!("skipped: there is no corpus; set ABI_MCP_CORPUS");
        return;
    };
    let manifests = manifests(&root);
    assert!(manifests.len() > 70, "{}", manifests.len());
    let app = |(at, (name, content)): (usize, &(String, Value))| {
        App::new(&format!("app{at:03}"), &format!("com.corpus.{name}"), content.clone())
    };
    let node = FakeNode::with(manifests.iter().enumerate().map(app).collect());
    let mut client = serve(&node).variable("ABI_MCP_TOOLS", "100000").variable("ABI_MCP_LIST_INTERNAL", "1").connect();
    let tools = client.tools();
    assert_eq!(breaches(&tools), Vec::<String>::new());
    assert!(!client.stderr().contains("skipping"), "{}", client.stderr());
    for (at, (name, content)) in manifests.iter().enumerate() {
        let package = format!("com.corpus.{name}");
        let listed = tools.iter().filter(|tool| tool["_meta"]["package"] == package.as_str()).count();
        let methods = content["methods"].as_array().unwrap();
        let initialisers = methods.iter().filter(|method| method["name"] == "init").count();
        let described = client.call("describe_app", json!({"app": format!("app{at:03}")})).first();
        assert_eq!(described["mapper"]["skipped"], json!([]), "{name}");
        assert_eq!(listed, methods.len() - initialisers, "{name}");
    }
}
