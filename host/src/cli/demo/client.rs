//! A small MCP client over a child process's pipes, enough to show a session.
//!
//! Speaks the 2026-07-28 revision, as current clients do. It proves nothing about the server's conformance; the
//! independent clients do that.

use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long one answer may take before the demo gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// After this long a line says that something is still under way, and again each time it has passed.
const QUIET: Duration = Duration::from_secs(1);

/// A running server.
#[derive(Debug)]
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    answers: mpsc::Receiver<Value>,
    next_id: u64,
}

impl Client {
    /// Starts `command` and reads its answers in the background.
    pub(crate) fn start(mut command: Command) -> anyhow::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let stdout = child.stdout.take().context("the server has no stdout")?;
        let stdin = child.stdin.take();
        let (send, answers) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if let Ok(answer) = serde_json::from_str(&line)
                    && send.send(answer).is_err()
                {
                    return;
                }
            }
        });
        Ok(Self { child, stdin, answers, next_id: 1 })
    }

    /// Sends one request and waits for its answer: the result, or the error as the server worded it.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> anyhow::Result<Value> {
        if let Some(params) = params.as_object_mut() {
            params.insert(
                "_meta".to_owned(),
                json!({
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": {"name": "abi-mcp-demo", "version": env!("CARGO_PKG_VERSION")},
                    "io.modelcontextprotocol/clientCapabilities": {},
                }),
            );
        }
        let id = self.next_id;
        self.next_id += 1;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let stdin = self.stdin.as_mut().context("the server's stdin is closed")?;
        writeln!(stdin, "{request}").and_then(|()| stdin.flush()).context("the server stopped reading")?;
        let answer = self.answer_to(id, method)?;
        match answer.get("result") {
            Some(result) => Ok(result.clone()),
            None => bail!("{method} failed: {}", answer.get("error").unwrap_or(&Value::Null)),
        }
    }

    fn answer_to(&mut self, id: u64, method: &str) -> anyhow::Result<Value> {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            match self.answers.recv_timeout(QUIET) {
                Ok(answer) if answer.get("id") == Some(&json!(id)) => return Ok(answer),
                Ok(_) => {}
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    eprintln!("  ... {method}: {} s", started.elapsed().as_secs());
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                    bail!("the server ended while {method} was under way ({status})");
                }
            }
        }
        bail!("no answer to {method} within {} s", PATIENCE.as_secs())
    }

    /// Closes stdin, which is how a client ends a server, and waits for it.
    pub(crate) fn close(mut self) -> anyhow::Result<()> {
        drop(self.stdin.take());
        let status = self.child.wait().context("cannot wait for the server")?;
        anyhow::ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Only reached with the child alive when a step failed; `close` has waited for it otherwise.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
