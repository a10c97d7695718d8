//! A Calimero development node: a real HTTP server on loopback with the wire shapes of the real node and real state.
//!
//! What is set is there to be got; contexts are made, listed and removed; aliases, installations, groups and blobs
//! likewise. Applications are Rust values in place of WebAssembly, and their arguments are read as strictly as a real
//! guest reads them. It serves `abi-mcp demo`, `serve --embedded` and the tests.
//!
//! * [`Setup`] says what to start with, [`DevNode`] is the running node with its in-process controls.
//! * [`App`] is one version of an application, [`Behaviour`] what it does; [`apps`] has those we bring.
//! * [`Fault`] puts trouble on a route; [`RecordedRequest`] is what a test can look back at.
//!
//! Absent on purpose: user management of the auth service (one account, [`Access::Embedded`], is there), events, peers, real bundles, the network.
//! Nothing here depends on the server that is tested with it, and it shares no code with the mappers.

pub mod apps;

mod app;
mod auth;
mod body;
mod connection;
mod control;
mod faults;
mod guest;
mod ids;
mod manifest;
mod node;
mod reply;
mod routes;
mod server;
mod setup;
mod state;

pub use app::{App, Behaviour, GuestError, GuestState, Hints, Metadata, Service, Wire};
pub use auth::IssuedTokens;
pub use control::{ContextRequest, ControlError, DevNode};
pub use faults::{Fault, FaultRoute};
pub use ids::Id;
pub use node::RecordedRequest;
pub use setup::{Access, Generation, GuestErrorText, IdText, Seed, SeedContext, Setup};
pub use state::AliasKind;
