//! Writes tool extensions for abi-mcp: a component that brings tools of its own and reaches only what it is granted.
//!
//! Implement [`Extension`] for a unit struct and name it in [`export_extension!`] with the manifest that says what it
//! asks for, then build for `wasm32-unknown-unknown`. What it is granted it imports as WASI, with bindings of its own;
//! what needs no grant is in [`host`].
//!
//! ```
//! use abi_mcp_sdk_tool::{Extension, Failure, Hints, Reply, Tool, serde_json::{Value, json}};
//!
//! struct Greeter;
//!
//! impl Extension for Greeter {
//!     fn tools() -> Vec<Tool> {
//!         let name = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
//!         vec![Tool { hints: Hints::READS, ..Tool::new("greet", "Greets someone by name.", name) }]
//!     }
//!
//!     fn call(_: &str, arguments: &Value) -> Result<Reply, Failure> {
//!         Ok(Reply::text(format!("Hello, {}.", arguments["name"].as_str().unwrap_or("you"))))
//!     }
//! }
//!
//! abi_mcp_sdk_tool::export_extension!(Greeter, r#"{"name": "greeter", "release": "0.1.0"}"#);
//! ```
//!
//! Not here: WASI itself, and the bindings, which an author never sees.

#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod bindings;
mod export;
pub mod host;
mod tool;

pub use serde_json;
pub use tool::{Class, Extension, Failure, Hints, Reply, Tool};

/// The guide for authors; its code is compiled and run as part of this crate's tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/writing-a-tool.md")]
struct Guide;
