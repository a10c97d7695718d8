//! The harness of the tests that run the real binary: a client over pipes, and nodes to put behind it.
//!
//! [`Client`] reads *every* line of stdout and fails the test on one that is not JSON-RPC. [`FakeNode`] answers what a
//! field case says a node answered, and records what it was asked; [`LiveNode`] is the stateful development
//! node. Nothing here knows the host's insides: it only ever talks to the process.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test speaks by panicking"
)]

mod client;
mod fake_node;
mod live_node;
pub mod process;
mod web;

pub use client::{Client, Reply, Spawn};
pub use fake_node::{Answer, App, Asked, FakeNode};
pub use live_node::LiveNode;
pub use web::WebServer;

/// A manifest around methods and types, as field cases write them.
#[must_use]
pub fn manifest(types: serde_json::Value, methods: serde_json::Value) -> serde_json::Value {
    serde_json::json!({"schema_version": "wasm-abi/1", "types": types, "methods": methods, "events": []})
}
