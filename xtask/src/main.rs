//! The project's own commands, run as `cargo xtask <verb>`.
//!
//! Comes in: a verb and its arguments. Goes out: built components, a built host, or an exit code that says whether the
//! tree keeps its rules. It knows the folders of this repository and nothing of the host's code: what it measures or
//! plays, it runs as the binary a user would run.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command's whole point is to tell")]

mod bench;
mod contracts;
mod demo;
mod engine;
mod golden;
mod guests;
mod host;
mod process;
mod progress;
mod suite;
mod templates;
mod tidy;
mod tree;

use anyhow::{Result, bail};
use std::process::ExitCode;
use tree::Tree;

const USAGE: &str = "\
usage: cargo xtask <verb>

  demo [ARGS..]        build everything, then play a whole MCP session against the embedded node
  test [STEP..]        the whole suite, or only the named steps
  engine [--check] [--without-geos]
                       build the component that runs MEOS (GPL: it is loaded, never embedded)
  guests [--check]     build the plugin components; with --check only say whether they are current
  build                components, the host (development profile) and its compiled-code cache
  tidy                 the rules of the tree: who may use what, file heads, file sizes, paths
  wit [--release C/V]  parse the contracts and compare the released ones with wit/FROZEN
  bench [--calls N]    start-up, memory and call latency of the release build, as a table";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    let Some((verb, rest)) = arguments.split_first() else {
        println!("{USAGE}");
        return Ok(ExitCode::from(2));
    };
    let tree = Tree::find()?;
    match verb.as_str() {
        "demo" => demo::run(&tree, rest),
        "test" => suite::run(&tree, rest),
        "engine" => engine::run(&tree, rest).map(|()| ExitCode::SUCCESS),
        "guests" => guests::run(&tree, rest).map(|()| ExitCode::SUCCESS),
        "build" => none(rest).and_then(|()| host::build(&tree)).map(|_| ExitCode::SUCCESS),
        "tidy" => none(rest).and_then(|()| tidy::run(&tree)).map(|()| ExitCode::SUCCESS),
        "wit" => contracts::run(&tree, rest).map(|()| ExitCode::SUCCESS),
        "bench" => bench::run(&tree, rest).map(|()| ExitCode::SUCCESS),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!("there is no verb `{verb}`\n{USAGE}"),
    }
}

/// Refuses arguments of a verb that takes none.
fn none(arguments: &[String]) -> Result<()> {
    match arguments.first() {
        Some(first) => bail!("this verb takes no arguments, found `{first}`"),
        None => Ok(()),
    }
}
