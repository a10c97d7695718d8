//! `cargo xtask build`: components, the host in the development profile, and its compiled-code cache.

use crate::guests;
use crate::process;
use crate::tree::Tree;
use anyhow::{Result, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds everything a start needs; returns the host's binary.
pub(crate) fn build(tree: &Tree) -> Result<PathBuf> {
    guests::build(tree)?;
    let binary = compile(tree)?;
    fill_cache(tree, &binary);
    Ok(binary)
}

/// Compiles the host.
///
/// `--workspace --bin` and not `--package`: the features of shared dependencies are then those of `cargo test
/// --workspace`, and wasmtime is compiled once and not twice.
fn compile(tree: &Tree) -> Result<PathBuf> {
    let mut command = cargo(tree);
    command.args(["build", "--workspace", "--bin", "abi-mcp"]);
    let done = process::quietly(&mut command, "compiling the host", None)?;
    ensure!(done.status.success(), "the host does not compile:\n{}", done.stderr);
    Ok(tree.host_binary("debug"))
}

/// Cargo, for the host's workspace.
pub(crate) fn cargo(tree: &Tree) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(tree.root());
    // What `cargo run` sets about this tool would make cargo rebuild whatever looks at it.
    for name in std::env::vars_os().map(|(name, _)| name) {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") || text == "CARGO_BIN_NAME" {
            command.env_remove(&name);
        }
    }
    command
}

/// Compiles the bundled components to machine code once, so that no later start has to.
pub(crate) fn fill_cache(tree: &Tree, binary: &Path) {
    let mut command = Command::new(binary);
    command.args(["plugin", "list"]).args(engine_arguments(tree)).current_dir(tree.root());
    let trouble = match process::quietly(&mut command, "filling the compiled-code cache", None) {
        Ok(done) if done.status.success() => return,
        Ok(done) => done.stderr.lines().next_back().unwrap_or("no word why").to_owned(),
        Err(error) => format!("{error:#}"),
    };
    eprintln!("warning: the compiled-code cache was not filled, the first start will be slower: {trouble}");
}

/// What `serve`, `demo` and `plugin list` are told of a built MEOS engine; nothing where there is none.
pub(crate) fn engine_arguments(tree: &Tree) -> Vec<OsString> {
    let folder = tree.components().join("engine");
    let (catalog, component) = (folder.join("meos-catalog.json"), folder.join("meos-engine.wasm"));
    if !catalog.is_file() || !component.is_file() {
        return Vec::new();
    }
    let mut named = OsString::from("meos=");
    named.push(catalog);
    vec!["--manifest".into(), named, "--engine".into(), component.into_os_string()]
}
