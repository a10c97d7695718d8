//! `demo`: the development node, a real server process, a whole session, printed step by step.

mod client;
mod script;
mod steps;

use crate::cli::serve::runtime;
use abi_mcp_devnode::{DevNode, Setup};
use anyhow::Context;
use client::Client;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;
use steps::Steps;

/// Plays the session and ends with what to put into a client.
///
/// # Errors
/// A step did not go as it must; its answer was printed.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let runtime = runtime()?;
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    let node = runtime
        .block_on(DevNode::start(Setup::demo()))
        .context("cannot start the development node on a loopback port")?;
    println!("development node at {}", node.url());

    let state = tempfile::tempdir().context("cannot make a folder for the demo's state")?;
    let mut command = Command::new(&program);
    command.arg("serve").env("CALIMERO_NODE_URL", node.url()).env("CALIMERO_MCP_STATE_DIR", state.path());
    // What the server says to operators would stand in the middle of the story.
    command.env("RUST_LOG", "error").env_remove("CALIMERO_AUTH_TOKEN");
    // Nor does the operator's own configuration belong into it.
    command.env("XDG_CONFIG_HOME", state.path()).env_remove("ABI_MCP_CONFIG");
    for name in ["CALIMERO_USERNAME", "CALIMERO_PASSWORD", "CALIMERO_PASSWORD_FILE", "CALIMERO_REFRESH_TOKEN"] {
        command.env_remove(name);
    }
    let mut steps = Steps::new(Client::start(command)?);
    script::play(&mut steps)?;
    steps.close()?;

    println!(
        "\nEverything above went through a real server process and real components in {:.1} s.",
        started.elapsed().as_secs_f32()
    );
    print_configuration(&program);
    Ok(ExitCode::SUCCESS)
}

/// The exact lines for a client, with the program's absolute path.
fn print_configuration(program: &Path) {
    let configuration =
        |args: &[&str]| serde_json::json!({"mcpServers": {"abi-mcp": {"command": program, "args": args}}});
    println!("\nUse it with your node (found by itself, or named by CALIMERO_NODE_URL):\n");
    println!("  claude mcp add abi-mcp -- \"{}\" serve\n", program.display());
    println!("or in any client's JSON:\n");
    let pretty = serde_json::to_string_pretty(&configuration(&["serve"])).unwrap_or_default();
    println!("{pretty}\n");
    println!("Without a node, `serve --embedded` in place of `serve` gives your agent this development node.");
}
