//! A client over the pipes of a server: a process, or one that runs in the test.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long any one thing may take before a test gives up; generous, because CI machines are slow and a test asserts
/// order and outcome, never speed.
const PATIENCE: Duration = Duration::from_secs(90);

/// How to start a server.
#[derive(Debug, Clone)]
pub struct Spawn {
    program: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
}

/// A connection to a running server. Dropping it kills the process.
pub struct Client {
    child: Option<Child>,
    stdin: Option<Box<dyn Write + Send>>,
    lines: mpsc::Receiver<Vec<u8>>,
    stderr: Arc<Mutex<String>>,
    waiting: HashMap<String, Value>,
    /// Messages without an id, in order of arrival.
    pub notifications: Vec<Value>,
    /// Errors with the id null, in order of arrival: answers to what has no id of its own.
    pub refusals: Vec<Value>,
    next_id: u64,
    _state: Option<tempfile::TempDir>,
}

/// What a tool answered.
#[derive(Debug, Clone)]
pub struct Reply {
    /// All text blocks, joined by newlines.
    pub text: String,
    /// Whether the tool failed.
    pub is_error: bool,
    /// The whole result, or the whole JSON-RPC error.
    pub raw: Value,
}

impl Spawn {
    /// `program serve`, with nothing of this test's own `CALIMERO_*` and `ABI_MCP_*` settings.
    #[must_use]
    pub fn serve(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), arguments: vec!["serve".into()], variables: Vec::new() }
    }

    /// Serves the node at this address.
    #[must_use]
    pub fn node(self, url: &str) -> Self {
        self.variable("CALIMERO_NODE_URL", url)
    }

    /// Sets an environment variable of the server.
    #[must_use]
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Keeps handles good from one server of this to the next: they share the folder of the key.
    #[must_use]
    pub fn sharing(self, state: &Path) -> Self {
        self.variable("CALIMERO_MCP_STATE_DIR", state)
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Starts the server; says nothing to it.
    ///
    /// # Panics
    /// When the process cannot be started.
    #[must_use]
    pub fn start(&self) -> Client {
        let (mut client, stdout) = self.start_unread();
        client.lines = lines_of(stdout);
        client
    }

    /// As [`Spawn::start`], but leaves the reading of stdout to the test.
    ///
    /// # Panics
    /// When the process cannot be started.
    #[must_use]
    pub fn start_unread(&self) -> (Client, ChildStdout) {
        let state = tempfile::tempdir().expect("a folder for state");
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CALIMERO_") || text.starts_with("ABI_MCP_") || text == "RUST_LOG" {
                command.env_remove(&name);
            }
        }
        // Beside the binary, so that one test run compiles each component once and no home folder is touched.
        command.env("ABI_MCP_CACHE_DIR", Path::new(&self.program).with_file_name("test-cache"));
        command.env("CALIMERO_MCP_STATE_DIR", state.path()).env("CALIMERO_NODE_HOME", state.path().join("nodes"));
        command.env("XDG_CONFIG_HOME", state.path().join("config"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot start {:?}: {error}", self.program));
        let stdout = child.stdout.take().expect("stdout");
        let stderr_pipe = child.stderr.take().expect("stderr");
        let stdin = child.stdin.take().expect("stdin");
        let mut client = Client::new(Box::new(stdin), mpsc::channel().1);
        collect(stderr_pipe, Arc::clone(&client.stderr));
        client.child = Some(child);
        client._state = Some(state);
        (client, stdout)
    }

    /// Starts the server and opens a 2025-11-25 session.
    ///
    /// # Panics
    /// When the handshake fails.
    #[must_use]
    pub fn connect(&self) -> Client {
        let mut client = self.start();
        client.initialize("2025-11-25");
        client
    }
}

fn lines_of(stdout: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn collect(stderr: impl Read + Send + 'static, into: Arc<Mutex<String>>) {
    std::thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            let mut text = into.lock().unwrap();
            text.push_str(&line);
            text.push('\n');
        }
    });
}

impl Client {
    /// A client of a server without a process of its own.
    #[must_use]
    pub fn over(to: impl Write + Send + 'static, from: impl Read + Send + 'static) -> Self {
        Self::new(Box::new(to), lines_of(from))
    }

    fn new(stdin: Box<dyn Write + Send>, lines: mpsc::Receiver<Vec<u8>>) -> Self {
        Self {
            child: None,
            stdin: Some(stdin),
            lines,
            stderr: Arc::default(),
            waiting: HashMap::new(),
            notifications: Vec::new(),
            refusals: Vec::new(),
            next_id: 1,
            _state: None,
        }
    }

    /// The `initialize` handshake of a legacy session; answers its result.
    ///
    /// # Panics
    /// When it is refused.
    pub fn initialize(&mut self, revision: &str) -> Value {
        let params =
            json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let answer = self.request("initialize", params);
        self.notify("notifications/initialized", json!({}));
        answer.get("result").cloned().unwrap_or_else(|| panic!("initialize was refused: {answer}"))
    }

    /// Sends a request and waits for the whole answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(&id)
    }

    /// As [`Client::request`], in the 2026-07-28 style.
    pub fn modern(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        self.request(method, params)
    }

    /// Sends a request; answers its id.
    pub fn send(&mut self, method: &str, params: Value) -> Value {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.line(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends one line as it is.
    pub fn line(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes as they are.
    ///
    /// # Panics
    /// When stdin was closed before.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        // A server that has gone is noticed by what is missing, not here.
        let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
    }

    /// Waits for the answer to an id.
    ///
    /// # Panics
    /// When it does not come, or a line of stdout is not JSON-RPC.
    pub fn answer(&mut self, id: &Value) -> Value {
        let started = Instant::now();
        loop {
            if let Some(answer) = self.waiting.remove(&id.to_string()) {
                return answer;
            }
            let left = PATIENCE.saturating_sub(started.elapsed());
            assert!(self.read(left), "no answer to {id}; stderr:\n{}", self.stderr());
        }
    }

    /// Reads one line within `limit`; false when none came.
    ///
    /// # Panics
    /// When the line is not JSON-RPC, or answers an id twice.
    pub fn read(&mut self, limit: Duration) -> bool {
        let Ok(line) = self.lines.recv_timeout(limit) else { return false };
        let shown = || String::from_utf8_lossy(&line).into_owned();
        let message: Value =
            serde_json::from_slice(&line).unwrap_or_else(|_| panic!("stdout holds no JSON: {}", shown()));
        assert_eq!(message["jsonrpc"], "2.0", "stdout holds no JSON-RPC: {}", shown());
        assert_ne!(line.last(), Some(&b'\r'), "a line ends with CR LF: {}", shown());
        match message.get("id") {
            Some(Value::Null) => {
                assert!(message.get("error").is_some(), "the id null on something that is no error: {message}");
                self.refusals.push(message);
            }
            Some(id) => {
                let earlier = self.waiting.insert(id.to_string(), message.clone());
                assert!(earlier.is_none(), "two answers to {id}");
            }
            None => self.notifications.push(message),
        }
        true
    }

    /// Waits for the next error with the id null.
    ///
    /// # Panics
    /// When none comes.
    pub fn refusal(&mut self) -> Value {
        while self.refusals.is_empty() {
            assert!(self.read(PATIENCE), "no error with the id null; stderr:\n{}", self.stderr());
        }
        self.refusals.remove(0)
    }

    /// Asserts that the server lives and answers nothing else: a ping sent now is the next thing answered. That lists
    /// changed may be said at any time.
    ///
    /// # Panics
    /// When anything else was said.
    pub fn only_a_ping_is_answered(&mut self) {
        let before = (self.waiting.len(), self.refusals.len());
        let answer = self.request("ping", json!({}));
        assert_eq!(answer["result"], json!({}), "{answer}");
        let after = (self.waiting.len(), self.refusals.len());
        assert_eq!(before, after, "answers and refusals: {:?} {:?}", self.waiting, self.refusals);
    }

    /// The whole tool list.
    pub fn tools(&mut self) -> Vec<Value> {
        let answer = self.request("tools/list", json!({}));
        answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("no tool list: {answer}")).clone()
    }

    /// One tool of the list.
    ///
    /// # Panics
    /// When it is not listed.
    pub fn tool(&mut self, name: &str) -> Value {
        let tools = self.tools();
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        let found = tools.iter().find(|tool| tool["name"] == name).cloned();
        found.unwrap_or_else(|| panic!("no tool {name} among {names:?}; stderr:\n{}", self.stderr()))
    }

    /// Calls a tool as it is.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        Reply::of(&self.request("tools/call", json!({"name": tool, "arguments": arguments})))
    }

    /// Calls an app's tool with a handle for the app.
    ///
    /// # Panics
    /// When the app cannot be selected.
    pub fn call_app(&mut self, app: &str, tool: &str, mut arguments: Value) -> Reply {
        arguments["app_handle"] = self.handle(app, None).into();
        self.call(tool, arguments)
    }

    /// A handle for an app, with `context` or the only one.
    ///
    /// # Panics
    /// When the app cannot be selected.
    pub fn handle(&mut self, app: &str, context: Option<&str>) -> String {
        let mut arguments = json!({"app": app});
        if let Some(context) = context {
            arguments["context"] = context.into();
        }
        let reply = self.call("select_app", arguments);
        assert!(!reply.is_error, "select_app {app}: {}", reply.text);
        reply.first()["app_handle"].as_str().expect("an app_handle").to_owned()
    }

    /// What the server wrote to stderr so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// Waits until stderr holds `text`; answers the line it is in.
    ///
    /// # Panics
    /// When it does not come.
    pub fn stderr_line(&self, text: &str) -> String {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(line) = self.stderr().lines().find(|line| line.contains(text)) {
                return line.to_owned();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("no line with `{text}` on stderr:\n{}", self.stderr())
    }

    /// Reads until a notification of this method has come; takes it and all before it.
    ///
    /// # Panics
    /// When it does not come.
    pub fn notified(&mut self, method: &str) {
        let started = Instant::now();
        loop {
            if let Some(at) = self.notifications.iter().position(|message| message["method"] == method) {
                self.notifications.drain(..=at);
                return;
            }
            let left = PATIENCE.saturating_sub(started.elapsed());
            assert!(self.read(left), "no {method}; stderr:\n{}", self.stderr());
        }
    }

    /// The process, for signals and `/proc`.
    ///
    /// # Panics
    /// When the server has none.
    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("a process").id()
    }

    /// Closes stdin and leaves the server to end.
    pub fn close_stdin(&mut self) {
        drop(self.stdin.take());
    }

    /// Waits for the process to end; answers how, and how long it took.
    ///
    /// # Panics
    /// When it does not within `limit`.
    pub fn wait(&mut self, limit: Duration) -> (ExitStatus, Duration) {
        let started = Instant::now();
        while started.elapsed() < limit {
            let child = self.child.as_mut().expect("a process");
            if let Some(status) = child.try_wait().expect("the process can be waited for") {
                return (status, started.elapsed());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the server still runs after {limit:?}; stderr:\n{}", self.stderr())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Reply {
    /// Reads the answer to a `tools/call`.
    #[must_use]
    pub fn of(answer: &Value) -> Self {
        let Some(result) = answer.get("result") else {
            let error = answer.get("error").cloned().unwrap_or_default();
            let text = error["message"].as_str().unwrap_or_default().to_owned();
            return Self { text, is_error: true, raw: error };
        };
        let blocks = result["content"].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        Self { text: texts.join("\n"), is_error: result["isError"] == true, raw: result.clone() }
    }

    /// The first text block as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    pub fn first(&self) -> Value {
        let text = self.raw["content"][0]["text"].as_str().unwrap_or_default();
        serde_json::from_str(text).unwrap_or_else(|_| panic!("the first block is no JSON: {text}"))
    }

    /// The JSON-RPC error code, for an answer that was one.
    #[must_use]
    pub fn code(&self) -> Option<i64> {
        self.raw["code"].as_i64()
    }
}
