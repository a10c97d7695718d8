//! `cargo xtask demo`: everything built, then the host's own demo on this terminal.

use crate::host;
use crate::process;
use crate::tree::Tree;
use anyhow::Result;
use std::process::{Command, ExitCode};

/// Builds, then hands the terminal and all arguments to `abi-mcp demo`; its exit code becomes ours.
pub(crate) fn run(tree: &Tree, arguments: &[String]) -> Result<ExitCode> {
    let binary = host::build(tree)?;
    let status = process::loudly(Command::new(binary).arg("demo").args(arguments))?;
    // No code: a signal ended it.
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(ExitCode::from(code))
}
