//! The real catalog, where the corpus is at hand: `<repository>/../shared/corpus`, or where `ABI_MCP_CORPUS` says.
use abi_mcp_sdk::Projection;
use abi_mcp_sdk::serde_json::json;
use meos::Meos;
use std::path::PathBuf;

fn corpus(file: &str) -> Option<Vec<u8>> {
    let folder = std::env::var_os("ABI_MCP_CORPUS")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from("../../../shared/corpus"));
    let path = folder.join("meos").join(file);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(_) => {
            println!("skipped: no `{}`", path.display());
            None
        }
    }
}
#[test]
fn compat_bytes() {
    let Some(wanted) = corpus("meos-mcp.json") else { return };
    let catalog = std::fs::read("/tmp/meos/meos-idl.json").unwrap();
    let started = std::time::Instant::now();
    let settings = json!({ "compat": true }).as_object().unwrap().clone();
    let written = Meos::project(&catalog, "mcp-tools", &settings).unwrap();
    println!("{:?}", started.elapsed());
    assert!(wanted == written);
}
#[test]
fn dump() {
    use abi_mcp_sdk::{Mapper, Options};
    let catalog = std::fs::read("/tmp/meos/meos-idl.json").unwrap();
    let started = std::time::Instant::now();
    let mapping = Meos::map(&catalog, &Options::default()).unwrap();
    println!("{:?} {} methods {} skipped", started.elapsed(), mapping.methods.len(), mapping.skipped.len());
    let methods: Vec<_> = mapping.methods.iter().map(|m| json!({"name": m.name, "sig": m.signature, "doc": m.doc, "in": m.input_schema, "out": m.output_schema, "meta": m.meta,
        "call": abi_mcp_sdk::serde_json::from_slice::<abi_mcp_sdk::serde_json::Value>(&m.call_spec.as_ref().unwrap().bytes).unwrap()})).collect();
    for m in &mapping.methods {
        let call: abi_mcp_meos_call::Call = abi_mcp_sdk::serde_json::from_slice(&m.call_spec.as_ref().unwrap().bytes)
            .unwrap_or_else(|e| panic!("{} {e}", m.name));
        assert_eq!(call.function, m.name);
    }
    let skipped: Vec<_> = mapping.skipped.iter().map(|s| json!([s.method, s.reason])).collect();
    std::fs::write("/tmp/meos/dump.json", json!({"methods": methods, "skipped": skipped}).to_string()).unwrap();
}
