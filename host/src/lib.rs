//! Serves any application with a published ABI as MCP tools over stdio.
//!
//! The host knows MCP, nodes, handles and sandboxes; it knows no ABI. Everything about an ecosystem's ABI lives in
//! WebAssembly components behind the contracts in `wit/`. The folders read in the order data travels:
//!
//! ```text
//! stdin -> mcp -> tools -> gate -> schema -> artifact, contract (encode) -> backend -> (decode) -> mcp -> stdout
//!                   ^                                                          |
//!                catalog <---------------- source <-------------------- node | engine
//! ```
//!
//! `model` lies beneath all of them. `wasmtime` is known to `sandbox` and `contract` only, the MCP SDK to `mcp` only.

pub mod artifact;
pub mod audit;
mod backend;
pub mod catalog;
pub mod cli;
pub mod config;
pub mod contract;
pub mod gate;
pub mod mcp;
pub mod model;
pub mod node;
pub mod redact;
pub mod report;
pub mod sandbox;
mod schema;
pub mod source;
mod text;
pub mod tools;
pub mod trace;
