//! Field cases of Calimero apps and of schema generators (kinds A and C), against the real binary.
//!
//! A test is named by its case. One module a part of the server; what several of them need is here.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod app_tools;
mod arguments;
mod contexts;
mod corpus;
mod doctor;
mod errors;
mod guides;
mod hostile;
mod manifests;
mod modes;
mod names;
mod node_tools;
mod requests;
mod results;
mod schemas;

use abi_mcp_tests::{Answer, App, Asked, Client, FakeNode, LiveNode, Spawn, manifest};
use serde_json::{Value, json};

/// The package of an app that stands alone; its tools are called `app_<method>`.
const APP: &str = "com.example.app";

/// Its application id.
const ID: &str = "appAAA";

fn serve(node: &FakeNode) -> Spawn {
    Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp")).node(node.url())
}

fn serve_live(node: &LiveNode) -> Spawn {
    Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp")).node(&node.url())
}

/// A node with one app of these types and methods, and a client of the server before it.
fn one_app(types: Value, methods: Value) -> (FakeNode, Client) {
    scripted(types, methods, |_| None)
}

/// As [`one_app`], with a script for the node.
fn scripted(
    types: Value,
    methods: Value,
    script: impl FnMut(&Asked) -> Option<Answer> + Send + 'static,
) -> (FakeNode, Client) {
    let node = FakeNode::scripted(vec![App::new(ID, APP, manifest(types, methods))], script);
    let client = serve(&node).connect();
    (node, client)
}

/// Whether a request runs a method.
fn executes(asked: &Asked) -> bool {
    asked.target.ends_with("/jsonrpc")
}

/// Calls a tool of [`APP`] and expects the node to get exactly this JSON text as the arguments.
fn passes(node: &FakeNode, client: &mut Client, tool: &str, arguments: Value, sent: &str) {
    let before = node.executed().len();
    let reply = client.call_app(APP, tool, arguments.clone());
    assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text);
    let executed = node.executed();
    assert_eq!(executed.len(), before + 1, "{tool} {arguments}");
    assert_eq!(executed.last().unwrap().1, sent, "{tool} {arguments}");
}

/// Calls a tool of [`APP`] and expects a refusal that says each of `words`, and no request to run anything.
fn refuses(node: &FakeNode, client: &mut Client, tool: &str, arguments: Value, words: &[&str]) {
    let before = node.executed().len();
    let reply = client.call_app(APP, tool, arguments.clone());
    assert!(reply.is_error && reply.code().is_none(), "{tool} {arguments}: {}", reply.raw);
    for word in words {
        assert!(reply.text.contains(word), "{tool} {arguments}: no `{word}` in: {}", reply.text);
    }
    assert_eq!(node.executed().len(), before, "{tool} {arguments} reached the node");
}

/// The names of all tools of the list that begin so.
fn tools_of(client: &mut Client, prefix: &str) -> Vec<String> {
    let names = client.tools().into_iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.filter(|name| name.starts_with(prefix)).collect()
}

/// A parameter of a manifest.
fn param(name: &str, kind: Value) -> Value {
    json!({"name": name, "type": kind})
}

/// A type of a manifest that is one word.
fn kind(name: &str) -> Value {
    json!({"kind": name})
}
