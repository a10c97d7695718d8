//! The protocol edge as a client meets it: a fake service behind real sockets.
//!
//! Tests named `eNN_` are the field cases of that number.

mod client;
mod fake;

mod eras;
mod framing;
mod lifetime;
mod notifications;
mod results;
