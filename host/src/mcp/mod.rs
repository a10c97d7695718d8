//! The protocol edge: lines on stdin to calls of a [`Service`], and its answers back to lines on stdout.
//!
//! The only user of the MCP SDK. Serves both protocol eras at once (2025-11-25 and older with `initialize`;
//! 2026-07-28 with per-request metadata). Knows nothing of apps, nodes or components.

mod service;

pub use service::{Identity, Service, UnknownTool};
