//! The client of a Calimero node.
//!
//! In: [`NodeSettings`] (what the command line read from the environment) and, per call, a
//! [`CallScope`](crate::model::CallScope). Out: typed answers and an [`Error`] whose facts an error decoder can read.
//! It knows routes, envelopes and JSON-RPC; it knows no ABI, no MCP and no environment variable's value.
//!
//! ```text
//! Session ── first use ──► discovery (env, handoff, named, config scan, probe) ──► auth ──► Connection
//!    │                                                                                │
//!    └─ admin/* and rpc ──► Route ──► Connection ──► http (limits, cancel, deadline) ──► envelope ──► wire types
//! ```
//!
//! Facts about the node's HTTP API are those of a node built from `calimero-network/core` at `051f0848e` (August 2026),
//! checked against exchanges recorded with it; where newer and older nodes differ, both are accepted.

mod admin;
mod auth;
mod base_url;
mod bearer;
pub mod discovery;
mod envelope;
mod error;
mod handoff;
mod http;
mod route;
mod rpc;
mod session;
mod settings;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use admin::aliases::AliasKind;
pub use admin::applications::{Application, Metadata};
pub use admin::blobs::Blob;
pub use admin::contexts::{Context, ContextCreated, ContextJoined, NewContext};
pub use admin::groups::{GroupMetadata, Member, NewSubgroup, Visibility};
pub use admin::health::Health;
pub use auth::AuthMode;
pub use base_url::NodeUrl;
pub use discovery::{DiscoverySource, KnownNode};
pub use error::{Error, Rejection};
pub use session::{Connection, Session};
pub use settings::{Limits, NodeSettings};
