//! Runs MEOS functions from call-specs: the Rust half of the engine component.
//!
//! Comes in: a call-spec (`abi-mcp-meos-call`) and the caller's JSON arguments. Goes out: the function's result as JSON,
//! or which part failed and MEOS' own words. The way through: [`check`] (is every function there, does each C parameter
//! fit) → [`arguments`] (JSON to C, codecs chosen by the value's [`form`]) → the call → [`outcome`] (C to JSON).
//!
//! All of it works on a [`Machine`]: memory and functions behind one trait, MEOS itself in the component ([`border`]'s
//! C) and a fake in tests. It knows no MCP, no catalog and no MEOS type beyond what signatures say.

mod arguments;
#[cfg(target_arch = "wasm32")]
mod border;
mod check;
#[cfg(target_arch = "wasm32")]
mod component;
mod decode;
mod failure;
mod form;
mod machine;
mod numbers;
mod outcome;
mod run;
mod signature;

pub use check::unsupported;
pub use failure::{Failure, Stage};
pub use machine::{Address, Function, Machine, Refusal, Slot};
pub use run::run;
pub use signature::{Base, Kind, Signature};
