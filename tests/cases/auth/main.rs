//! Discovery and authentication, the real binary against a node with embedded auth. Tests named `fNN_`, `gNN_` or
//! `aNN_` are the field cases of that number.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod processes;
mod sources;

use abi_mcp_devnode::{Access, Setup};
use abi_mcp_tests::{Client, LiveNode, Spawn};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const USER: &str = "admin";
const PASSWORD: &str = "FIXTURE-PASSWORD";

fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_abi-mcp")
}

/// A node that wants a login.
fn node() -> LiveNode {
    let access = Access::Embedded { user: USER.into(), password: PASSWORD.into() };
    LiveNode::start(Setup { access, ..Setup::demo() })
}

/// The real binary with a state folder of the test's own.
fn serve(state: &Path) -> Spawn {
    Spawn::serve(binary()).sharing(state)
}

/// What `node_status` says.
fn status(client: &mut Client) -> Value {
    let reply = client.call("node_status", json!({}));
    assert!(!reply.is_error, "{}", reply.text);
    serde_json::from_str(&reply.text).unwrap()
}

/// Lists the contexts, which takes a credential; answers how many.
fn contexts(client: &mut Client) -> usize {
    let reply = client.call("list_contexts", json!({}));
    assert!(!reply.is_error, "{}\n{}", reply.text, client.stderr());
    let listed: Value = serde_json::from_str(&reply.text).unwrap();
    listed["contexts"].as_array().unwrap().len()
}

/// The token files of a state folder.
fn token_files(state: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(state).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("tokens-")).collect()
}

fn stored(file: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}
