//! One server over pipes, spoken to as a client does: a JSON-RPC message a line.
//!
//! It waits for answers on a thread of its own, so that a reply's time is when it arrived and not when it was asked for.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything measured; a server that needs more hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// The revision both the older and the newer clients know.
const PROTOCOL_REVISION: &str = "2025-11-25";

/// A line from the server and when it was complete.
pub(super) struct Line {
    pub(super) at: Instant,
    pub(super) text: String,
}

/// A running server.
pub(super) struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Line>,
    next_id: u64,
    early: HashMap<u64, (Instant, Value)>,
}

impl Session {
    /// Starts the server; what it says on stderr is dropped.
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start `{name}`"))?;
        let lines = reader(child.stdout.take().context("stdout was piped")?);
        let stdin = child.stdin.take();
        Ok(Self { child, stdin, lines, next_id: 1, early: HashMap::new() })
    }

    /// The process's identifier.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The handshake; ends with the notification that opens the session.
    pub(super) fn initialize(&mut self) -> Result<Value> {
        let id = self.send("initialize", initialize_parameters())?;
        let (_, reply) = self.reply(id)?;
        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(reply)
    }

    /// Sends a request and waits for its result.
    pub(super) fn request(&mut self, method: &str, parameters: Value) -> Result<Value> {
        let id = self.send(method, parameters)?;
        self.reply(id).map(|(_, result)| result)
    }

    /// Sends a request; its identifier is what [`Session::reply`] takes.
    pub(super) fn send(&mut self, method: &str, parameters: Value) -> Result<u64> {
        let id = self.next_id;
        self.next_id += 1;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))?;
        Ok(id)
    }

    /// The result of a request and when it arrived. Replies to other requests are kept for later.
    pub(super) fn reply(&mut self, id: u64) -> Result<(Instant, Value)> {
        loop {
            if let Some((at, reply)) = self.early.remove(&id) {
                if let Some(error) = reply.get("error") {
                    bail!("the server answered with an error: {error}");
                }
                return Ok((at, reply.get("result").cloned().context("a reply without a result")?));
            }
            let line = self.line()?;
            let message: Value = serde_json::from_str(&line.text)
                .with_context(|| format!("the server wrote a line that is no JSON: `{}`", line.text))?;
            if let Some(answered) =
                message.get("id").and_then(Value::as_u64).filter(|_| message.get("method").is_none())
            {
                self.early.insert(answered, (line.at, message));
            }
        }
    }

    /// The next line, whatever it is.
    pub(super) fn line(&self) -> Result<Line> {
        self.lines.recv_timeout(PATIENCE).context("the server ended or gave no answer for 30 s")
    }

    /// Writes one message.
    pub(super) fn write(&mut self, message: &Value) -> Result<()> {
        let stdin = self.stdin.as_mut().context("the session has ended")?;
        // One write a line: two would be two system calls and two wake-ups of the server.
        let line = format!("{message}\n");
        stdin.write_all(line.as_bytes()).context("the server closed its input")
    }

    /// Closes the server's input and waits for it to end by itself.
    pub(super) fn end(mut self) -> Result<()> {
        drop(self.stdin.take());
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                ensure!(status.success(), "the server ended with {status}");
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        bail!("the server did not end when its input did")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // After `end` both fail, which is what one wants; after an error no server is left running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a client says of itself.
pub(super) fn initialize_parameters() -> Value {
    json!({
        "protocolVersion": PROTOCOL_REVISION,
        "capabilities": {},
        "clientInfo": {"name": "xtask-bench", "version": "0.1.0"},
    })
}

fn reader(stdout: ChildStdout) -> Receiver<Line> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for text in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(Line { at: Instant::now(), text }).is_err() {
                return;
            }
        }
    });
    lines
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A server in a shell: answers the second request before the first, with a notification between.
    const SWAPPING: &str = r#"read a; read b
echo '{"jsonrpc":"2.0","id":2,"result":{"n":2}}'
echo '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
echo '{"jsonrpc":"2.0","id":1,"result":{"n":1}}'
read c; exit 0"#;

    fn shell(script: &str) -> Result<Session> {
        Session::start(Command::new("sh").args(["-c", script]))
    }

    #[test]
    fn replies_find_their_requests_whatever_their_order() -> Result<()> {
        let mut session = shell(SWAPPING)?;
        let (one, two) = (session.send("ping", json!({}))?, session.send("ping", json!({}))?);
        let (first, value) = session.reply(one)?;
        assert_eq!(value, json!({"n": 1}));
        let (second, value) = session.reply(two)?;
        assert_eq!(value, json!({"n": 2}));
        assert!(second <= first, "the second reply arrived first");
        session.write(&json!({}))?;
        session.end()
    }

    #[test]
    fn a_server_that_dies_or_talks_nonsense_is_an_error() -> Result<()> {
        let mut dead = shell("read a")?;
        assert!(dead.request("ping", json!({})).is_err());
        let mut nonsense = shell("read a; echo hello; read b")?;
        assert!(nonsense.request("ping", json!({})).is_err_and(|error| error.to_string().contains("hello")));
        Ok(())
    }
}
