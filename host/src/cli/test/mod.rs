//! `plugin test`: an author's golden cases, run against the component in the sandbox.
//!
//! In come a file and a folder of cases, out come what differs and an exit code, or with `--bless` the files as they are
//! now. The harness is `abi-mcp-golden`, which our own plugins' tests use; here its subject is a component. It reads no
//! configuration but the cache's folder and the limits; a case reaches no network, and only copies of its own folders.

mod component;
mod convert;
mod session;

use crate::artifact::locate;
use crate::cli::args::Test;
use crate::cli::environment;
use crate::cli::serve::runtime;
use crate::config::Settings;
use abi_mcp_golden as golden;
use anyhow::bail;
use component::Component;
use std::process::ExitCode;

/// Runs the cases; answers 1 when an answer differs.
///
/// # Errors
/// The file is no plugin this host can run.
pub(super) fn run(settings: &Settings, wanted: &Test) -> anyhow::Result<ExitCode> {
    environment::start_log(settings)?;
    let bytes = locate::read(&wanted.file)?;
    let runtime = runtime()?;
    let bless = wanted.bless || environment::blesses();
    let mut component = Component::load(settings, bytes, accept(wanted), runtime.handle().clone())?;
    let outcome = golden::run(&wanted.cases, &mut component, bless);
    for path in &outcome.written {
        println!("wrote {}", path.display());
    }
    if let Some(failure) = outcome.failure() {
        bail!("{failure}");
    }
    let (cases, files) = (outcome.cases, outcome.compared);
    let plural = if cases == 1 { "" } else { "s" };
    println!("{cases} case{plural} in {}: the component answers as all {files} files say", wanted.cases.display());
    Ok(ExitCode::SUCCESS)
}

/// The command that accepts new answers: this one, blessing.
fn accept(wanted: &Test) -> String {
    format!("abi-mcp plugin test {} --cases {} --bless", wanted.file.display(), wanted.cases.display())
}
