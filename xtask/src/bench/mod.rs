//! `cargo xtask bench`: what a user waits for and pays for, measured on the real release binary.
//!
//! Comes in: the tree (the release build is made here and nowhere else). Goes out: a Markdown table. Each figure stands
//! next to a baseline of the same run on the same machine (`cat` for starts, `ping` for calls), because milliseconds
//! alone say more about the machine than about the program. Nothing here knows the host's code: it talks JSON-RPC over
//! pipes, as a client does.

mod calls;
mod functions;
mod memory;
mod plugins;
mod session;
mod start;
mod statistics;
mod table;

use crate::tree::Tree;
use crate::{guests, host, process};
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use table::Table;

/// Starts per figure: enough for a steady median, over in seconds.
const STARTS: usize = 50;

/// Calls per figure.
const CALLS: usize = 500;

/// Measures everything and prints the table. `--binary FILE` measures another build, `--calls N` changes the number.
pub(crate) fn run(tree: &Tree, arguments: &[String]) -> Result<()> {
    let (mut binary, mut calls) = (None, CALLS);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("`{argument}` needs a value"));
        match argument.as_str() {
            "--binary" => binary = Some(PathBuf::from(value()?)),
            "--calls" => calls = value()?.parse().context("`--calls` wants a number")?,
            other => bail!("usage: cargo xtask bench [--binary FILE] [--calls N], found `{other}`"),
        }
    }
    ensure!(calls > 0, "`--calls` wants at least one");
    let binary = match binary {
        Some(binary) => binary,
        None => build(tree)?,
    };
    let own = binary.starts_with(tree.root());
    let mut table = measure(&binary, calls)?;
    plugins::measure(&binary, tree, STARTS, &mut table)?;
    functions::measure(&binary, &tree.components().join("engine"), STARTS, calls, &mut table)?;
    table.print();
    if own { costs(tree) } else { Ok(()) }
}

fn build(tree: &Tree) -> Result<PathBuf> {
    guests::build(tree)?;
    let mut command = host::cargo(tree);
    command.args(["build", "--release", "--package", "abi-mcp", "--locked"]);
    let done = process::quietly(&mut command, "compiling the host in release", None)?;
    ensure!(done.status.success(), "the host does not compile:\n{}", done.stderr);
    let binary = tree.host_binary("release");
    // A cold cache would be measured once and never again: fill it, as the build verb does for users.
    host::fill_cache(tree, &binary);
    Ok(binary)
}

/// What only the process itself can tell: compiling, mapping, a fresh instance, `ping` beside a spinning guest.
fn costs(tree: &Tree) -> Result<()> {
    let mut command = host::cargo(tree);
    command.args(["run", "--release", "--package", "abi-mcp", "--locked", "--example", "costs"]);
    let done = process::quietly(&mut command, "measuring the sandbox", None)?;
    ensure!(done.status.success(), "the measurement failed:\n{}", done.stderr);
    println!("\n| in process | median | p95 |\n|---|---|---|\n{}", done.stdout.trim_end());
    Ok(())
}

fn measure(binary: &Path, calls: usize) -> Result<Table> {
    let server = || {
        let mut command = Command::new(binary);
        command.args(["serve", "--embedded"]);
        command
    };
    let mut table = Table::new(["what", "median", "p95", "baseline", "ratio"]);

    let cat = start::to_first_line(|| Command::new("cat"), STARTS).context("the baseline `cat`")?;
    table.row("spawn to first line of `cat`", &cat, None);
    // The first reply waits for no node, so none is there: port 9 of this machine refuses.
    let alone = || {
        let mut command = Command::new(binary);
        command.arg("serve").env("CALIMERO_NODE_URL", "http://127.0.0.1:9").env("RUST_LOG", "off");
        command
    };
    let initialize = start::to_first_line(alone, STARTS).context("spawn to initialize reply")?;
    table.row("spawn to `initialize` reply", &initialize, Some(("cat", &cat)));
    let list = start::to_tool_list(server, "\"kv_store_get\"", STARTS).context("spawn to tools/list reply")?;
    table.row("spawn to `tools/list` reply, dev node included", &list, Some(("cat", &cat)));

    let mut session = session::Session::start(&mut server())?;
    session.initialize()?;
    session.request("tools/list", serde_json::json!({}))?;
    let memory = memory::resident(session.id())?;
    let handle = calls::prepare(&mut session)?;
    let ping = calls::pings(&mut session, calls)?;
    table.row("`ping`, idle", &ping, None);
    let call = calls::gets(&mut session, &handle, calls)?;
    table.row("`kv_store_get` through gate, components and node", &call, Some(("ping", &ping)));
    let busy = calls::pings_during_calls(&mut session, &handle, calls)?;
    table.row("`ping` while calls run", &busy, Some(("ping", &ping)));
    let after = memory::resident(session.id())?;
    session.end()?;

    table.note(format!("resident memory, idle after `tools/list`: {:.1} MB", memory.megabytes()));
    table.note(format!("resident memory after {} calls: {:.1} MB", 2 * calls, after.megabytes()));
    table.note(format!("worst `ping` while calls ran: {}", table::time(busy.worst())));
    Ok(table)
}
