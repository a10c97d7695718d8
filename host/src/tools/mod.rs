//! What a tool call does, from its name to its reply.
//!
//! [`Server`] routes a name to a fixed tool ([`fixed`]), an app's method ([`generated`]) or an engine's function
//! ([`functions`]) or an extension's tool ([`extensions`]); what runs an app's method passes the gate, and all share [`invoke`]: check, encode, execute, decode. Knows no protocol (the
//! edge turns replies into frames) and no ABI (components do).

mod admission;
mod app;
mod call;
mod call_many;
mod explain;
mod extensions;
mod find;
mod fixed;
mod functions;
mod generated;
mod guide;
mod invoke;
mod next_step;
mod server;

pub use fixed::{Modes, Toolsets};
pub use server::{Parts, Server, Setup};
