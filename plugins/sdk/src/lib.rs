//! Writes plugins for abi-mcp: a mapper turns an ecosystem's ABI documents into methods a model can call, an error
//! decoder turns its raw failures into words, an engine runs its functions.
//!
//! Implement [`Mapper`], [`ErrorDecoder`] or [`Engine`] (or several; [`Projection`] where an ecosystem has a tool format
//! of its own) for a unit struct, name it in [`export_mapper!`], [`export_errors!`] or [`export_engine!`], and build for
//! `wasm32-unknown-unknown`. The resulting component imports nothing: it can only
//! compute. On the author's own machine the same crate is plain Rust; [`golden`] holds its answers to files.
//!
//! Not here: anything of one ecosystem, and the bindings themselves, which an author never sees.

#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod bindings;
mod engine;
mod errors;
mod export;
#[cfg(all(feature = "golden", not(target_arch = "wasm32")))]
pub mod golden;
pub mod json;
mod mapper;
mod projection;

pub use engine::{About, CallFailure, Engine, Stage};
pub use errors::{Class, ErrorDecoder, Explanation, Failure, GuestFailure, HttpFailure, Retry};
pub use mapper::{
    Access, CallSpec, Encoded, Fault, Fit, Mapper, Mapping, Method, Note, Options, Parameter, Problem, Recognition,
    Role, Skipped,
};
pub use projection::Projection;
pub use serde_json;

/// The guide for authors; its code is compiled and run as part of this crate's tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/writing-a-mapper.md")]
struct Guide;
