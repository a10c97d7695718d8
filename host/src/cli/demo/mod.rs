//! `demo`: the development node, a real server process, a whole session, printed step by step; then the same with the
//! functions of a manifest file, where one is given.

mod client;
mod questions;
mod script;
mod steps;

use crate::cli::serve::runtime;
use abi_mcp_devnode::{DevNode, Setup};
use anyhow::Context;
use client::Client;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;
use steps::Steps;

/// Plays the sessions and ends with what to put into a client. `files` are the arguments of `serve` that name manifest
/// files and engines, and none without any.
///
/// # Errors
/// A step did not go as it must; its answer was printed.
pub(crate) fn run(files: &[OsString]) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    apps(&program)?;
    if !files.is_empty() {
        functions(&program, files)?;
    }
    println!(
        "\nEverything above went through a real server process and real components in {:.1} s.",
        started.elapsed().as_secs_f32()
    );
    print_configuration(&program, files);
    Ok(ExitCode::SUCCESS)
}

/// The apps of the development node.
fn apps(program: &Path) -> anyhow::Result<()> {
    let runtime = runtime()?;
    let node = runtime
        .block_on(DevNode::start(Setup::demo()))
        .context("cannot start the development node on a loopback port")?;
    println!("development node at {}", node.url());
    let state = tempfile::tempdir().context("cannot make a folder for the demo's state")?;
    let mut command = server(program, state.path());
    command.env("CALIMERO_NODE_URL", node.url()).env("CALIMERO_MCP_STATE_DIR", state.path());
    let mut steps = Steps::new(Client::start(command)?);
    script::play(&mut steps)?;
    steps.close()
}

/// The functions of the manifest files, without a node.
fn functions(program: &Path, files: &[OsString]) -> anyhow::Result<()> {
    println!(
        "\nAnd now functions, run by an engine in the sandbox. The first run ever compiles it, which takes a while."
    );
    let nothing = tempfile::tempdir().context("cannot make a folder for the demo's state")?;
    let mut command = server(program, nothing.path());
    command.args(files);
    let mut steps = Steps::new(Client::start(command)?);
    questions::play(&mut steps)?;
    steps.close()
}

/// A server with no configuration but what the demo gives it; `empty` is a folder without one.
fn server(program: &Path, empty: &Path) -> Command {
    let mut command = Command::new(program);
    // What the server says to operators would stand in the middle of the story.
    command.arg("serve").env("RUST_LOG", "error").env_remove("CALIMERO_AUTH_TOKEN");
    // Nor does the operator's own configuration belong into it.
    command.env("XDG_CONFIG_HOME", empty).env_remove("ABI_MCP_CONFIG");
    for name in ["CALIMERO_USERNAME", "CALIMERO_PASSWORD", "CALIMERO_PASSWORD_FILE", "CALIMERO_REFRESH_TOKEN"] {
        command.env_remove(name);
    }
    command
}

/// The exact lines for a client, with absolute paths.
fn print_configuration(program: &Path, files: &[OsString]) {
    let configuration = |args: &[&str]| {
        let servers = serde_json::json!({"mcpServers": {"abi-mcp": {"command": program, "args": args}}});
        serde_json::to_string_pretty(&servers).unwrap_or_default()
    };
    println!("\nUse it with your node (found by itself, or named by CALIMERO_NODE_URL):\n");
    println!("  claude mcp add abi-mcp -- \"{}\" serve\n", program.display());
    println!("or in any client's JSON:\n");
    println!("{}\n", configuration(&["serve"]));
    println!("Without a node, `serve --embedded` in place of `serve` gives your agent this development node.");
    if !files.is_empty() {
        let files: Vec<String> = files.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
        let args: Vec<&str> = std::iter::once("serve").chain(files.iter().map(String::as_str)).collect();
        println!("\nFor the functions (add --node to have your node beside them):\n\n{}", configuration(&args));
    }
}
