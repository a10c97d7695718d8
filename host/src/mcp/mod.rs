//! The protocol edge: lines on stdin to calls of a [`Service`], and its answers back to lines on stdout.
//!
//! The only user of the MCP SDK. Serves both protocol eras at once (2025-11-25 and older with `initialize`;
//! 2026-07-28 with per-request metadata). Knows nothing of apps, nodes or components.
//!
//! ```text
//! stdin -> lines -> (lenient) -> transport -> admit (era) -> SDK loop -> guarded -> server -> Service
//!                                    |                                                  |
//! stdout <- writer <-----------------+---------------------- reply, listen <------------+
//! ```
//!
//! The SDK keeps the typed messages, the task per request and the cancellation tokens. What it lacks for a server on
//! a pipe stands in front of it: nothing reaches the SDK's loop that it would answer wrongly or die of.

mod admit;
mod era;
mod guarded;
mod lenient;
mod lines;
mod listen;
mod progress;
mod reply;
mod serve;
mod server;
mod service;
mod shutdown;
mod traceparent;
mod transport;
mod writer;

#[cfg(test)]
mod tests;

pub use serve::{Io, Limits, Outcome, Stop, serve, signals};
pub use service::{Identity, Service, UnknownTool};
