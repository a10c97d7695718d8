//! What a tool call does, from its name to its reply.
//!
//! [`Server`] routes a name to a fixed tool ([`fixed`]) or a generated one ([`generated`]); both kinds that run an
//! app's method pass the gate and then share [`invoke`]: check, encode, execute, decode, fold. Knows no protocol (the
//! edge turns replies into frames) and no ABI (components do).

mod admission;
mod app;
mod call;
mod call_many;
mod explain;
mod find;
mod fixed;
mod generated;
mod guide;
mod invoke;
mod next_step;
mod server;

pub use fixed::{Modes, Toolsets};
pub use server::{Parts, Server};
