//! `cargo xtask demo`: everything built, then the host's own demo on this terminal.

use crate::engine;
use crate::host;
use crate::process;
use crate::tree::Tree;
use anyhow::Result;
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
    let status = process::loudly(Command::new(binary).arg("demo").args(host::engine_arguments(tree)).args(rest))?;
    // No code: a signal ended it.
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(ExitCode::from(code))
}
