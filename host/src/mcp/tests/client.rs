//! A client on a pair of sockets that checks every line it gets.

use super::fake::Fake;
use crate::mcp::{Io, Limits, Outcome, Stop, serve};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longer than any answer takes, so that a missing one fails the test.
const PATIENCE: Duration = Duration::from_secs(10);

/// Long enough for a wrong answer to arrive.
pub(super) const SILENCE: Duration = Duration::from_millis(250);

pub(super) struct Client {
    pub(super) service: Arc<Fake>,
    to: UnixStream,
    lines: Receiver<Value>,
    outcome: Receiver<Outcome>,
    stop: Option<tokio::sync::oneshot::Sender<Stop>>,
}

impl Client {
    pub(super) fn start() -> Self {
        Self::with(Limits::default())
    }

    pub(super) fn with(limits: Limits) -> Self {
        let (from, theirs) = UnixStream::pair().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
                let value: Value = serde_json::from_slice(&line).expect("every line is JSON");
                assert_eq!(value["jsonrpc"], "2.0");
                assert_ne!(line.last(), Some(&b'\r'));
                let _ = sender.send(value);
            }
        });
        let (mut client, _) = Self::on(limits, Box::new(theirs));
        client.lines = lines;
        client
    }

    /// A client that leaves the reading to the test.
    pub(super) fn unread(limits: Limits) -> (Self, UnixStream) {
        let (from, theirs) = UnixStream::pair().unwrap();
        (Self::on(limits, Box::new(theirs)).0, from)
    }

    fn on(limits: Limits, output: Box<dyn Write + Send>) -> (Self, ()) {
        let service = Arc::new(Fake::default());
        let (to, input) = UnixStream::pair().unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let (sender, outcome) = channel();
        let served = Arc::clone(&service);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            let stop = async {
                match stopped.await {
                    Ok(stop) => stop,
                    Err(_) => std::future::pending().await,
                }
            };
            let outcome =
                runtime.block_on(serve(served, Io { input: Box::new(input), output, watched: None }, limits, stop));
            let _ = sender.send(outcome);
            runtime.shutdown_background();
        });
        let (_, lines) = channel();
        (Self { service, to, lines, outcome, stop: Some(stop) }, ())
    }

    /// A client that has opened with `initialize`.
    pub(super) fn legacy() -> Self {
        let mut client = Self::start();
        client.initialize();
        client
    }

    pub(super) fn initialize(&mut self) -> Value {
        let answer = self.ask(initialize("2025-11-25"));
        self.say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    pub(super) fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        self.to.write_all(bytes.as_ref()).unwrap();
    }

    pub(super) fn say(&mut self, message: Value) {
        self.raw(format!("{message}\n"));
    }

    /// The next message, whatever it is.
    pub(super) fn next(&mut self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("a message in time")
    }

    /// Sends one message and takes the next as its answer.
    pub(super) fn ask(&mut self, message: Value) -> Value {
        let id = message["id"].clone();
        self.say(message);
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub(super) fn silent_for(&mut self, time: Duration) {
        match self.lines.recv_timeout(time) {
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            Ok(message) => panic!("unexpected {message}"),
        }
    }

    /// A request is answered, so the server lives.
    pub(super) fn lives(&mut self) {
        let answer = self.ask(modern("alive", "server/discover", json!({})));
        assert!(answer["result"].is_object(), "{answer}");
    }

    pub(super) fn close_input(&mut self) {
        self.to.shutdown(Shutdown::Write).unwrap();
    }

    pub(super) fn stop(&mut self) {
        self.stop.take().unwrap().send(Stop::Terminate).unwrap();
    }

    /// How it ended, and after how long.
    pub(super) fn end(&mut self) -> (Outcome, Duration) {
        let start = Instant::now();
        (self.outcome.recv_timeout(PATIENCE).expect("an end in time"), start.elapsed())
    }
}

pub(super) fn initialize(version: impl Into<Value>) -> Value {
    let params = json!({ "protocolVersion": version.into(), "capabilities": {},
        "clientInfo": { "name": "c", "version": "1" }, "unknown": { "member": 1 } });
    json!({ "jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params })
}

pub(super) fn legacy(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

pub(super) fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "c", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    legacy(id, method, params)
}

pub(super) fn call(name: &str, arguments: Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

pub(super) fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}
