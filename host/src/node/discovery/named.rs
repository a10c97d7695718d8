//! Rung 3: the operator named one of the configured nodes. A miss is an error, never a fall-through: another node
//! than the one asked for would be the wrong one.

use crate::node::{Error, KnownNode, NodeUrl};

pub(super) fn node(name: &str, configured: &[KnownNode], home: &str) -> Result<NodeUrl, Error> {
    match configured.iter().find(|node| node.name.as_deref() == Some(name)) {
        Some(node) => Ok(node.url.clone()),
        None => Err(Error::NoSuchNode {
            name: name.to_owned(),
            home: home.to_owned(),
            available: configured.iter().filter_map(|node| node.name.clone()).collect(),
        }),
    }
}
