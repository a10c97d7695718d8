//! What a start costs: the second one reads what the first one left, and loads no engine.

use crate::parts::{Parts, ready, run};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Compiled components, largest first.
fn compiled(cache: &Path) -> Vec<(u64, PathBuf)> {
    let entries = std::fs::read_dir(cache.join("compiled")).unwrap().map(|entry| entry.unwrap());
    let mut found: Vec<_> = entries.map(|entry| (entry.metadata().unwrap().len(), entry.path())).collect();
    found.sort_unstable();
    found.reverse();
    found
}

#[test]
fn a_second_start_lists_and_searches_without_the_compiled_engine_and_the_first_call_makes_it() {
    let Some(parts) = Parts::find() else { return };
    let cache = tempfile::tempdir().unwrap();
    let serve = parts.serve().variable("ABI_MCP_CACHE_DIR", cache.path());
    let call = json!({"s": "{1.0, 2.5}", "n": 1});
    let mut client = ready(&serve);
    assert_eq!(run(&mut client, "floatset_value_n", &call).text, "1.0");
    drop(client);

    // The engine is by far the largest component; nothing else is as slow to make again.
    let (_, engine) = compiled(cache.path()).into_iter().next().expect("something was compiled");
    std::fs::remove_file(&engine).unwrap();
    let mut client = ready(&serve);
    let found = client.call("find_tools", json!({"query": "length of a trajectory"}));
    assert!(found.text.contains("tpoint_length"), "{}", found.text);
    assert!(!engine.exists(), "the start compiled the engine");
    assert_eq!(run(&mut client, "floatset_value_n", &call).text, "1.0");
    assert!(engine.exists(), "the first call needs it");
}
