//! `cargo xtask test`: the whole suite, step by step, stopping at the first that fails.
//!
//! Comes in: nothing, or the names of steps to run alone. Goes out: each step with its time, the test runner's own
//! summary lines last, and an exit code. Cheap steps come first, so that a slip is told in seconds.

use crate::tree::Tree;
use crate::{contracts, engine, golden, guests, host, process, templates, tidy};
use anyhow::{Context, Result, bail, ensure};
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// A named part of the suite.
struct Step {
    name: &'static str,
    about: &'static str,
    run: fn(&Tree) -> Result<Outcome>,
}

/// How a step that did not fail ended.
enum Outcome {
    Done,
    /// The test runner's summary lines.
    Tested(Vec<String>),
    /// Left out, with what is missing.
    Skipped(String),
}

/// Fast before slow; what builds the host's inputs before what compiles the host.
const STEPS: [Step; 14] = [
    Step { name: "tidy", about: "the rules of the tree", run: |tree| tidy::run(tree).map(|()| Outcome::Done) },
    Step { name: "wit", about: "the contracts", run: |tree| contracts::run(tree, &[]).map(|()| Outcome::Done) },
    Step { name: "fmt", about: "formatting", run: format },
    Step { name: "xtask", about: "lints and tests of this tool", run: own },
    Step { name: "guests", about: "the components", run: |tree| guests::build(tree).map(|()| Outcome::Done) },
    Step { name: "plugins-clippy", about: "lints of the plugins", run: lint_plugins },
    Step { name: "plugins", about: "the plugins' own tests", run: test_plugins },
    Step { name: "clippy", about: "lints of the host's workspace", run: lint },
    Step { name: "build", about: "the host and its cache", run: |tree| host::build(tree).map(|_| Outcome::Done) },
    Step {
        name: "golden",
        about: "the components answer as their crates' golden cases say",
        run: |tree| golden::run(tree).map(|()| Outcome::Done),
    },
    Step {
        name: "templates",
        about: "what `plugin new` writes builds and passes `plugin check` and `plugin test`",
        run: |tree| templates::rust(tree).map(|()| Outcome::Done),
    },
    Step {
        name: "templates-js",
        about: "the same in JavaScript",
        run: |tree| templates::js(tree).map(|why| why.map_or(Outcome::Done, Outcome::Skipped)),
    },
    Step { name: "engine", about: "MEOS for the sandbox", run: meos_engine },
    Step { name: "tests", about: "all other tests", run: test },
];

/// Runs the steps named, or all.
pub(crate) fn run(tree: &Tree, names: &[String]) -> Result<ExitCode> {
    if let Some(unknown) = names.iter().find(|name| !STEPS.iter().any(|step| step.name == **name)) {
        let known = STEPS.iter().map(|step| format!("\n  {:<15} {}", step.name, step.about)).collect::<String>();
        bail!("there is no step `{unknown}`, only{known}");
    }
    let chosen = STEPS.iter().filter(|step| names.is_empty() || names.iter().any(|name| name == step.name));
    let started = Instant::now();
    let (mut summary, mut results) = (Vec::new(), Vec::new());
    for step in chosen {
        println!("== {}: {}", step.name, step.about);
        let begun = Instant::now();
        let outcome = (step.run)(tree);
        let took = begun.elapsed();
        match outcome {
            Ok(Outcome::Done) => summary.push(line(step, "ok", took)),
            Ok(Outcome::Tested(lines)) => {
                summary.push(line(step, "ok", took));
                results.extend(lines);
            }
            Ok(Outcome::Skipped(why)) => {
                println!("warning: {} is left out: {why}", step.name);
                summary.push(format!("{}: {why}", line(step, "SKIPPED", took)));
            }
            Err(error) => {
                summary.push(line(step, "FAILED", took));
                print_summary(&summary, started.elapsed());
                eprintln!("error: the step `{}` failed: {error:#}", step.name);
                eprintln!("hint: run it alone with `cargo xtask test {}`", step.name);
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    print_summary(&summary, started.elapsed());
    for result in results {
        println!("{result}");
    }
    Ok(ExitCode::SUCCESS)
}

fn line(step: &Step, state: &str, took: Duration) -> String {
    format!("  {:<15} {state:<7} {:>7.1} s", step.name, took.as_secs_f32())
}

fn print_summary(lines: &[String], took: Duration) {
    println!("== summary");
    for line in lines {
        println!("{line}");
    }
    println!("  {:<23} {:>7.1} s", "in all", took.as_secs_f32());
}

/// The manifests of the guests' workspaces that are there.
fn guest_workspaces(tree: &Tree) -> Vec<PathBuf> {
    let all = std::iter::once(tree.plugins_manifest()).chain(tree.test_guest_manifests());
    all.filter(|manifest| manifest.is_file()).collect()
}

fn format(tree: &Tree) -> Result<Outcome> {
    if let Some(why) = missing(tree, "fmt", "rustfmt") {
        return Ok(Outcome::Skipped(why));
    }
    let own = [tree.root().join("Cargo.toml"), tree.root().join("xtask/Cargo.toml")];
    let manifests = own.into_iter().chain(guest_workspaces(tree));
    for manifest in manifests {
        let mut command = host::cargo(tree);
        command.args(["fmt", "--all", "--check", "--manifest-path"]).arg(&manifest);
        succeed(&mut command, "cargo fmt --all")?;
    }
    Ok(Outcome::Done)
}

fn lint(tree: &Tree) -> Result<Outcome> {
    if let Some(why) = missing(tree, "clippy", "clippy") {
        return Ok(Outcome::Skipped(why));
    }
    let mut command = host::cargo(tree);
    command.args(["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]);
    succeed(&mut command, "cargo clippy --workspace --all-targets")?;
    Ok(Outcome::Done)
}

/// The engine's sources are the only thing here that comes from other registries than cargo's: where those are out of
/// reach its tests skip, visibly. What was fetched must build.
fn meos_engine(tree: &Tree) -> Result<Outcome> {
    if let Err(error) = engine::fetch(tree) {
        return Ok(Outcome::Skipped(format!("{error:#}")));
    }
    engine::run(tree, &[]).map(|()| Outcome::Done)
}

/// The plugins are linted for this machine, tests included; what only exists on the wasm target, the compiler of
/// `cargo xtask guests` has seen.
fn lint_plugins(tree: &Tree) -> Result<Outcome> {
    if let Some(why) = missing(tree, "clippy", "clippy") {
        return Ok(Outcome::Skipped(why));
    }
    let mut command = plugins(tree, "clippy");
    command.args(["--all-targets", "--", "-D", "warnings"]);
    succeed(&mut command, "cargo clippy in `plugins/`")?;
    Ok(Outcome::Done)
}

/// This tool is a workspace of its own and shares its target folder with the run that is under way.
fn own(tree: &Tree) -> Result<Outcome> {
    let command = |verb: &str| {
        let mut command = host::cargo(tree);
        command.args([verb, "--locked", "--manifest-path"]).arg(tree.root().join("xtask/Cargo.toml"));
        command.arg("--target-dir").arg(tree.root().join("target/xtask"));
        command
    };
    if missing(tree, "clippy", "clippy").is_none() {
        let mut lints = command("clippy");
        lints.args(["--all-targets", "--", "-D", "warnings"]);
        succeed(&mut lints, "cargo clippy in `xtask/`")?;
    }
    test_with(&mut command("test"), "cargo test in `xtask/`")
}

fn test_plugins(tree: &Tree) -> Result<Outcome> {
    test_with(&mut plugins(tree, "test"), "cargo test in `plugins/`")
}

fn test(tree: &Tree) -> Result<Outcome> {
    let mut command = host::cargo(tree);
    command.args(["test", "--workspace", "--locked"]);
    test_with(&mut command, "cargo test --workspace")
}

fn plugins(tree: &Tree, verb: &str) -> Command {
    let mut command = host::cargo(tree);
    command.args([verb, "--workspace", "--locked", "--manifest-path"]).arg(tree.plugins_manifest());
    command.arg("--target-dir").arg(tree.plugin_target());
    command
}

/// Says why a step has to be left out; `None` when its tool is there.
fn missing(tree: &Tree, verb: &str, component: &str) -> Option<String> {
    let found = process::answer(host::cargo(tree).args([verb, "--version"])).is_some();
    (!found).then(|| format!("`cargo {verb}` is not installed; `rustup component add {component}` brings it"))
}

fn succeed(command: &mut Command, what: &str) -> Result<()> {
    let status = process::loudly(command)?;
    ensure!(status.success(), "`{what}` ended with {status}");
    Ok(())
}

/// Runs a test command on our terminal and keeps its summary lines.
fn test_with(command: &mut Command, what: &str) -> Result<Outcome> {
    if std::io::stdout().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start `{what}`"))?;
    let mut summary = Vec::new();
    let stdout = child.stdout.take().context("the output was piped")?;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        println!("{line}");
        if line.starts_with("test result:") {
            summary.push(line);
        }
    }
    let status = child.wait()?;
    ensure!(status.success(), "`{what}` ended with {status}");
    ensure!(!summary.is_empty(), "`{what}` ran no test at all");
    Ok(Outcome::Tested(summary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_steps_are_unique() {
        let mut names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        assert!(names.array_windows().all(|[a, b]| a != b), "{names:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_test_run_keeps_its_summary_lines_and_its_failure() -> Result<()> {
        let shell = |script: &str| test_with(Command::new("sh").args(["-c", script]), "sh");
        let Outcome::Tested(lines) = shell("echo noise; echo 'test result: ok. 3 passed'")? else { bail!("tested") };
        assert_eq!(lines, ["test result: ok. 3 passed"]);
        assert!(shell("echo 'test result: FAILED'; exit 101").is_err());
        assert!(shell("true").is_err(), "a run without a single test is no success");
        Ok(())
    }
}
