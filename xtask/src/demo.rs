//! `cargo xtask demo`: everything built, then the host's own demo on this terminal.

use crate::engine;
use crate::host;
use crate::process;
use crate::tree::Tree;
use anyhow::Result;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// Asks for the MEOS engine.
const MEOS: &str = "--meos";

/// Builds, then hands the terminal and all other arguments to `abi-mcp demo`; its exit code becomes ours. `--meos` builds
/// the MEOS engine where it is missing; one that is there is played without asking.
pub(crate) fn run(tree: &Tree, arguments: &[String]) -> Result<ExitCode> {
    if arguments.iter().any(|argument| argument == MEOS) {
        engine::run(tree, &[])?;
    }
    let binary = host::build(tree)?;
    let rest = arguments.iter().filter(|argument| *argument != MEOS);
    let status = process::loudly(Command::new(binary).arg("demo").args(engine_arguments(tree)).args(rest))?;
    // No code: a signal ended it.
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(ExitCode::from(code))
}

/// What `serve` and `demo` are told of a built engine; nothing where there is none.
fn engine_arguments(tree: &Tree) -> Vec<OsString> {
    let folder = tree.components().join("engine");
    let (catalog, component) = (folder.join("meos-catalog.json"), folder.join("meos-engine.wasm"));
    if !catalog.is_file() || !component.is_file() {
        return Vec::new();
    }
    let mut named = OsString::from("meos=");
    named.push(catalog);
    vec!["--manifest".into(), named, "--engine".into(), component.into_os_string()]
}
