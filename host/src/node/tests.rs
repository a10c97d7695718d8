//! The client against a scripted server, by what a field case or a rule is about.

mod answers;
mod corpus;
mod exchange;
mod secrets;
mod sessions;

use super::testing::{Reply, Scripted, short};
use super::*;
use crate::model::{CallScope, Failure};

fn scope() -> CallScope {
    CallScope::default()
}

fn status(status: u16, body: &str) -> Reply {
    Reply::Json(status, body.to_owned())
}

fn empty(status: u16, headers: &[(&'static str, &str)]) -> Reply {
    Reply::Full(status, headers.iter().map(|&(name, value)| (name, value.to_owned())).collect(), vec![])
}
