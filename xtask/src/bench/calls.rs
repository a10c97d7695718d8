//! Latency of calls and pings in one running session.

use super::session::Session;
use super::statistics::Samples;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The application every embedded node has.
const APP: &str = "kv-store";

/// Calls in flight while pings are measured: more than any pool has workers.
const IN_FLIGHT: usize = 16;

/// Selects the key-value application and stores the value that is read afterwards; returns the handle.
pub(super) fn prepare(session: &mut Session) -> Result<String> {
    let selected = call(session, "select_app", json!({"app": APP}))?;
    let text = selected.pointer("/content/0/text").and_then(Value::as_str).context("select_app answered no text")?;
    let selection: Value = serde_json::from_str(text).context("select_app's first text block is no JSON")?;
    let handle = selection.get("app_handle").and_then(Value::as_str).context("select_app gave no handle")?;
    call(session, "kv_store_set", json!({"app_handle": handle, "key": "bench", "value": "42"}))?;
    let read = call(session, "kv_store_get", get(handle))?;
    ensure!(read.to_string().contains("42"), "the value just set is not what is read: {read}");
    Ok(handle.to_owned())
}

/// Pings one after another.
pub(super) fn pings(session: &mut Session, times: usize) -> Result<Samples> {
    repeat(session, times, |session| session.send("ping", json!({})))
}

/// Reads one after another.
pub(super) fn gets(session: &mut Session, handle: &str, times: usize) -> Result<Samples> {
    repeat(session, times, |session| {
        session.send("tools/call", json!({"name": "kv_store_get", "arguments": get(handle)}))
    })
}

/// Pings, each sent right behind a batch of reads that keep every worker busy.
pub(super) fn pings_during_calls(session: &mut Session, handle: &str, times: usize) -> Result<Samples> {
    let mut measured = Vec::new();
    for _ in 0..times.div_ceil(IN_FLIGHT) {
        let read = json!({"name": "kv_store_get", "arguments": get(handle)});
        let reads: Vec<u64> =
            (0..IN_FLIGHT).map(|_| session.send("tools/call", read.clone())).collect::<Result<_>>()?;
        measured.push(timed(session, |session| session.send("ping", json!({})))?);
        for read in reads {
            session.reply(read)?;
        }
    }
    Samples::new(measured).context("nothing was measured")
}

fn get(handle: &str) -> Value {
    json!({"app_handle": handle, "key": "bench"})
}

/// One call of any tool that must succeed.
pub(super) fn timed_call(session: &mut Session, name: &str, arguments: &Value) -> Result<Duration> {
    timed(session, |session| session.send("tools/call", json!({"name": name, "arguments": arguments})))
}

/// Calls a tool; a result marked as an error is one here too.
fn call(session: &mut Session, name: &str, arguments: Value) -> Result<Value> {
    let result = session.request("tools/call", json!({"name": name, "arguments": arguments}))?;
    ensure!(result.get("isError") != Some(&json!(true)), "`{name}` failed: {result}");
    Ok(result)
}

fn repeat(session: &mut Session, times: usize, send: impl Fn(&mut Session) -> Result<u64>) -> Result<Samples> {
    // A tenth more to warm caches and branch predictors up; these are not counted.
    for _ in 0..times.div_ceil(10) {
        timed(session, &send)?;
    }
    let measured = (0..times).map(|_| timed(session, &send)).collect::<Result<Vec<_>>>()?;
    Samples::new(measured).context("nothing was measured")
}

fn timed(session: &mut Session, send: impl Fn(&mut Session) -> Result<u64>) -> Result<Duration> {
    let started = Instant::now();
    let id = send(session)?;
    let (at, result) = session.reply(id)?;
    ensure!(result.get("isError") != Some(&json!(true)), "a measured call failed: {result}");
    Ok(at.duration_since(started))
}
