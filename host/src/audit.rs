//! One line for each call that a plugin had a part in, for the operator.
//!
//! In come facts of a call that has ended, out goes a line of JSON to the file the operator named: who ran, with which
//! digest, contract and grants, how long, how it ended, how much memory and how many bytes it took, and a digest of the
//! arguments. Never a payload: neither arguments nor results. At the end, one line a plugin with what it did in all
//! ([`totals`]). Lines are written by a thread of their own, so a slow disk holds no call up. [`statistics`] reads them
//! again.

pub mod statistics;
pub mod totals;

use crate::artifact::{Plugin, Usage, grant_lines};
use crate::model::JsonObject;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use totals::Totals;

pub use totals::Outcome;

/// How long the end of the process waits for the last lines.
const LAST_LINES: Duration = Duration::from_secs(1);

/// A call under way. Recorded when this is dropped: as cancelled, unless it was told how the call ended.
#[derive(Debug)]
pub struct Recording {
    audit: Arc<Audit>,
    ecosystem: String,
    method: String,
    plugin: Arc<Plugin>,
    arguments: String,
    started: Instant,
    outcome: Outcome,
    refused: Vec<String>,
    usage: Usage,
}

/// Runs a call, and counts what its plugin uses if it is recorded.
pub async fn during<T>(recording: Option<&Recording>, call: impl Future<Output = T>) -> T {
    // On the heap: a call's state is large, and a worker's stack is not, least of all in a debug build.
    let call = Box::pin(call);
    match recording {
        Some(recording) => recording.usage.measure(call).await,
        None => call.await,
    }
}

impl Recording {
    /// Says how the call ended, and what an extension was refused meanwhile.
    pub fn ended(mut self, outcome: Outcome, refused: Vec<String>) {
        self.outcome = outcome;
        self.refused = refused;
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.audit.record(self);
    }
}

/// The record of this process.
#[derive(Debug)]
pub struct Audit {
    lines: Sender<Message>,
    totals: Mutex<BTreeMap<String, Totals>>,
}

enum Message {
    Line(String),
    /// Answered once everything before it is written.
    Flush(Sender<()>),
}

impl Audit {
    /// Opens the file for appending, readable by its owner only where it is new.
    ///
    /// # Errors
    /// It cannot be opened, or no thread can be had: an operator who asked for a record must not be left without.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        let (lines, received): (_, Receiver<Message>) = channel();
        std::thread::Builder::new().name("audit".to_owned()).spawn(move || {
            for message in received {
                match message {
                    // One write a line: lines of several processes stay whole.
                    Message::Line(line) => {
                        if let Err(error) = file.write_all(line.as_bytes()) {
                            tracing::error!("a call is not recorded: {error}");
                        }
                    }
                    Message::Flush(done) => drop(done.send(())),
                }
            }
        })?;
        Ok(Self { lines, totals: Mutex::default() })
    }

    /// Begins to record a call of `plugin`: the engine or extension that runs it, or the mapper between it and a node. Of
    /// the arguments only a digest is kept.
    #[must_use]
    pub fn begin(
        self: &Arc<Self>,
        ecosystem: &str,
        method: &str,
        plugin: &Arc<Plugin>,
        arguments: &JsonObject,
    ) -> Recording {
        // An object of JSON values always serialises.
        let arguments = serde_json::to_vec(arguments).unwrap_or_default();
        Recording {
            audit: Arc::clone(self),
            ecosystem: ecosystem.to_owned(),
            method: method.to_owned(),
            plugin: Arc::clone(plugin),
            arguments: hex::encode(Sha256::digest(arguments)),
            started: Instant::now(),
            outcome: Outcome::Cancelled,
            refused: Vec::new(),
            usage: Usage::of(plugin.name()),
        }
    }

    fn record(&self, call: &Recording) {
        let Recording { ecosystem, method, plugin, arguments, started, outcome, refused, usage, .. } = call;
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let used = usage.used();
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.entry(plugin.name().to_owned()).or_default().add(*outcome, milliseconds, used);
        drop(totals);
        let contracts: Vec<String> = plugin.roles().map(|(role, version)| format!("{role} {version}")).collect();
        self.write(&json!({
            "time": milliseconds_since_1970(),
            "ecosystem": ecosystem,
            "method": method,
            "plugin": plugin.name(),
            "digest": format!("sha256:{}", plugin.digest()),
            "contracts": contracts,
            "grants": grant_lines(plugin.grants()),
            "milliseconds": milliseconds,
            "outcome": outcome.word(),
            "stopped_by": outcome.stopped_by(),
            "peak_memory": used.peak_memory,
            "handed_in": used.handed_in,
            "handed_out": used.handed_out,
            "arguments": format!("sha256:{arguments}"),
            "refused": refused,
        }));
    }

    /// Writes what each plugin did in all, and waits a moment for the disk.
    pub fn finish(&self) {
        let totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (plugin, total) in totals {
            self.write(&json!({"time": milliseconds_since_1970(), "plugin": plugin, "total": total.json()}));
        }
        let (done, written) = channel();
        if self.lines.send(Message::Flush(done)).is_ok() {
            // A disk that takes longer than that is not waited for.
            let _ = written.recv_timeout(LAST_LINES);
        }
    }

    fn write(&self, line: &Value) {
        // The thread ends only when this is dropped.
        let _ = self.lines.send(Message::Line(format!("{line}\n")));
    }
}

fn milliseconds_since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
