//! An engine's functions: start with the engine configured, the price of one call, and of projecting the whole catalog.

use super::calls::timed_call;
use super::memory;
use super::session::Session;
use super::start;
use super::statistics::Samples;
use super::table::Table;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Projections per figure: each takes a good part of a second.
const PROJECTIONS: usize = 5;

/// A value of a thousand instants: real work for a parser.
const INSTANTS: usize = 1000;

/// Adds the rows of the functions in `folder`, where `cargo xtask engine` leaves catalog and engine.
pub(super) fn measure(binary: &Path, folder: &Path, starts: usize, calls: usize, table: &mut Table) -> Result<()> {
    let (catalog, engine) = (folder.join("meos-catalog.json"), folder.join("meos-engine.wasm"));
    if !catalog.is_file() || !engine.is_file() {
        table.note("no engine is built, so its functions are not measured: `cargo xtask engine`".to_owned());
        return Ok(());
    }
    let server = || {
        let mut command = Command::new(binary);
        command.arg("serve").arg("--manifest").arg(format!("meos={}", catalog.display())).arg("--engine").arg(&engine);
        command.env("RUST_LOG", "off");
        command
    };
    // Fills the caches, as a first start does.
    let mut session = Session::start(&mut server())?;
    session.initialize()?;
    session.request("tools/list", json!({}))?;
    call(&mut session, "temporal_num_instants", json!({"temp": "t@2000-01-01"}))?;
    session.end()?;

    let list = start::to_tool_list(server, "\"find_tools\"", starts)?;
    table.row("spawn to `tools/list` reply, functions of an engine", &list, None);

    let mut session = Session::start(&mut server())?;
    session.initialize()?;
    session.request("tools/list", json!({}))?;
    let before = memory::resident(session.id())?;
    let first = Samples::new(vec![timed_call(&mut session, "call", &small())?]).context("one sample")?;
    table.row("first call: the engine's compiled code is loaded", &first, None);
    let pings = super::calls::pings(&mut session, calls)?;
    let small = repeat(&mut session, &small(), calls)?;
    table.row("a call in a fresh instance, a value of one instant", &small, Some(("ping", &pings)));
    let large = repeat(&mut session, &large(), calls.div_ceil(10))?;
    table.row(&format!("the same, a value of {INSTANTS} instants"), &large, Some(("ping", &pings)));
    let search = json!({"query": "distance between two moving points"});
    let found =
        (0..calls.div_ceil(10)).map(|_| timed_call(&mut session, "find_tools", &search)).collect::<Result<_>>()?;
    table.row("`find_tools` over all functions", &Samples::new(found).context("samples")?, Some(("ping", &pings)));
    let after = memory::resident(session.id())?;
    session.end()?;
    table.note(format!(
        "functions: resident memory after `tools/list` {:.1} MB, after {calls} calls {:.1} MB",
        before.megabytes(),
        after.megabytes()
    ));
    project(binary, &catalog, table)
}

fn small() -> Value {
    json!({"method": "temporal_num_instants", "args": {"temp": "t@2000-01-01"}})
}

fn large() -> Value {
    let instants: Vec<String> = (0..INSTANTS)
        .map(|at| format!("{at}.5@2000-01-01 {:02}:{:02}:{:02}", at / 3600, at / 60 % 60, at % 60))
        .collect();
    json!({"method": "temporal_num_instants", "args": {"temp": format!("{{{}}}", instants.join(","))}})
}

fn call(session: &mut Session, method: &str, args: Value) -> Result<()> {
    timed_call(session, "call", &json!({"method": method, "args": args})).map(|_| ())
}

fn repeat(session: &mut Session, arguments: &Value, times: usize) -> Result<Samples> {
    let measured = (0..times).map(|_| timed_call(session, "call", arguments)).collect::<Result<_>>()?;
    Samples::new(measured).context("nothing was measured")
}

/// The original generator's own manifest, written by the mapper in its sandbox, process start included.
fn project(binary: &Path, catalog: &Path, table: &mut Table) -> Result<()> {
    let mut measured = Vec::new();
    for _ in 0..PROJECTIONS {
        let started = Instant::now();
        let done = Command::new(binary).args(["project", "meos"]).arg(catalog).arg("--compat").output()?;
        ensure!(done.status.success(), "projecting failed: {}", String::from_utf8_lossy(&done.stderr));
        measured.push(started.elapsed());
    }
    let size = std::fs::metadata(catalog)?.len() / 1024;
    let samples = Samples::new(measured).context("nothing was measured")?;
    table.row(&format!("`project --compat` of the catalog ({size} KB), whole process"), &samples, None);
    Ok(())
}
