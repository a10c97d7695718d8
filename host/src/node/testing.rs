//! A scripted HTTP server for this client's tests.
//!
//! It gives exactly the replies it was told to, one per request to a target in order (the last one again and again),
//! 404 with an empty body elsewhere, and remembers what it was asked. It knows nothing of a node.

use super::{Limits, NodeSettings, Session};
use crate::redact::Secret;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What to answer.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// A whole response with a JSON content type.
    Json(u16, String),
    /// A whole response with its own headers.
    Full(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// These bytes, then the connection ends.
    Raw(Vec<u8>),
    /// Nothing, for ever.
    Hang,
    /// The inner reply after a while.
    Late(Duration, Box<Reply>),
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// Method and target, for example `GET /admin-api/health`.
    pub(super) line: String,
    /// Lower-case names.
    pub(super) headers: HashMap<String, String>,
    pub(super) body: String,
}

#[derive(Debug, Default)]
struct Script {
    replies: HashMap<String, Vec<Reply>>,
    seen: Vec<Seen>,
}

/// The server; its replies can be set while it runs.
#[derive(Debug, Clone)]
pub(super) struct Scripted {
    pub(super) port: u16,
    script: Arc<Mutex<Script>>,
}

impl Scripted {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self { port: listener.local_addr().unwrap().port(), script: Arc::default() };
        let script = Arc::clone(&server.script);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&script)));
            }
        });
        server
    }

    /// Scripts the replies to one `METHOD /target`.
    pub(super) fn on(&self, line: &str, replies: impl IntoIterator<Item = Reply>) -> &Self {
        self.script.lock().unwrap().replies.insert(line.to_owned(), replies.into_iter().collect());
        self
    }

    /// Scripts one JSON success.
    pub(super) fn json(&self, line: &str, body: &str) -> &Self {
        self.on(line, [Reply::Json(200, body.to_owned())])
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(super) fn session(&self) -> Session {
        Session::new(self.settings())
    }

    pub(super) fn session_with_token(&self, token: &str) -> Session {
        Session::new(NodeSettings { auth_token: Some(Secret::new(token)), ..self.settings() })
    }

    pub(super) fn settings(&self) -> NodeSettings {
        NodeSettings { node_url: Some(self.url()), limits: short(), ..NodeSettings::default() }
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.script.lock().unwrap().seen.clone()
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.line).collect()
    }
}

/// Limits that a test can wait for.
pub(super) fn short() -> Limits {
    Limits {
        request: Duration::from_millis(400),
        long: Duration::from_millis(1_500),
        probe: Duration::from_millis(300),
        ..Limits::default()
    }
}

async fn serve(mut stream: TcpStream, script: Arc<Mutex<Script>>) {
    while let Some(seen) = read_request(&mut stream).await {
        let reply = {
            let mut script = script.lock().unwrap();
            let line = seen.line.clone();
            script.seen.push(seen);
            match script.replies.get_mut(&line) {
                Some(replies) if replies.len() > 1 => replies.remove(0),
                Some(replies) => replies[0].clone(),
                None => Reply::Full(404, vec![], vec![]),
            }
        };
        if !answer(&mut stream, reply).await {
            return;
        }
    }
}

/// Writes the reply; whether the connection stays open.
async fn answer(stream: &mut TcpStream, reply: Reply) -> bool {
    let (status, headers, body) = match reply {
        Reply::Hang => std::future::pending().await,
        Reply::Late(after, reply) => {
            tokio::time::sleep(after).await;
            return Box::pin(answer(stream, *reply)).await;
        }
        Reply::Raw(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
            return false;
        }
        Reply::Json(status, body) => (status, vec![("content-type", "application/json".to_owned())], body.into_bytes()),
        Reply::Full(status, headers, body) => (status, headers, body),
    };
    let mut head = format!("HTTP/1.1 {status} Scripted\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let whole = [head.into_bytes(), body].concat();
    stream.write_all(&whole).await.is_ok()
}

async fn read_request(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        read_more(stream, &mut bytes).await?;
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let mut lines = head.lines();
    let line = lines.next()?.trim_end_matches(" HTTP/1.1").to_owned();
    let headers: HashMap<_, _> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    while bytes.len() < head_end + 4 + length {
        read_more(stream, &mut bytes).await?;
    }
    let body = String::from_utf8_lossy(&bytes[head_end + 4..]).into_owned();
    Some(Seen { line, headers, body })
}

async fn read_more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    let mut chunk = [0; 4096];
    match stream.read(&mut chunk).await {
        Ok(length) if length > 0 => bytes.extend_from_slice(&chunk[..length]),
        _ => return None,
    }
    Some(())
}
