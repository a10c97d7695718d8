//! A small HTTP/1.1 client over one socket a request, so that the tests see exactly what the node sends.

#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;

use abi_mcp_devnode::DevNode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; a panic shows what it was instead.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {}", self.text()))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(String::as_str).unwrap_or_default()
    }
}

/// Sends one request and reads until the node closes; `None` when it closed without a head.
pub(crate) async fn try_send(
    node: &DevNode,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Option<Reply> {
    let mut socket = TcpStream::connect(node.address()).await.expect("the node listens");
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", node.address());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("content-length: {}\r\n\r\n", body.len());
    socket.write_all(head.as_bytes()).await.unwrap();
    socket.write_all(body).await.unwrap();
    let mut bytes = Vec::new();
    // A broken connection is an end like any other here.
    let _ = socket.read_to_end(&mut bytes).await;
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines.filter_map(|line| line.split_once(": ")).map(|(k, v)| (k.to_ascii_lowercase(), v.to_owned()));
    Some(Reply { status, headers: headers.collect(), body: bytes[end + 4..].to_vec() })
}

pub(crate) async fn send(node: &DevNode, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    try_send(node, method, path, headers, body).await.expect("an answer")
}

pub(crate) async fn get(node: &DevNode, path: &str) -> Reply {
    send(node, "GET", path, &[], b"").await
}

/// A request with a JSON body; `null` sends none.
pub(crate) async fn with_json(node: &DevNode, method: &str, path: &str, body: &Value) -> Reply {
    if body.is_null() {
        return send(node, method, path, &[], b"").await;
    }
    send(node, method, path, &[("content-type", "application/json")], body.to_string().as_bytes()).await
}

/// The whole `/jsonrpc` answer to one `execute`.
pub(crate) async fn execute(node: &DevNode, context: &str, method: &str, args: Value) -> Value {
    let params = json!({ "contextId": context, "method": method, "argsJson": args });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "execute", "params": params });
    let reply = with_json(node, "POST", "/jsonrpc", &body).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

/// The output of a call that must succeed.
pub(crate) async fn output(node: &DevNode, context: &str, method: &str, args: Value) -> Value {
    let answer = execute(node, context, method, args).await;
    answer["result"].get("output").unwrap_or_else(|| panic!("{method}: {answer}")).clone()
}

/// The text of a `FunctionCallError` that must come.
pub(crate) async fn call_error(node: &DevNode, context: &str, method: &str, args: Value) -> String {
    let answer = execute(node, context, method, args).await;
    assert_eq!(answer["error"]["type"], "FunctionCallError", "{answer}");
    answer["error"]["data"].as_str().expect("a text").to_owned()
}
