//! The real catalog, where the corpus is at hand: `<repository>/../shared/corpus`, or where `ABI_MCP_CORPUS` says.
use abi_mcp_sdk::Projection;
use abi_mcp_sdk::serde_json::json;
use meos::Meos;
use std::path::PathBuf;

fn corpus(file: &str) -> Option<Vec<u8>> {
    let folder = std::env::var_os("ABI_MCP_CORPUS").map(PathBuf::from).unwrap_or_else(|| PathBuf::from("../../../shared/corpus"));
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
