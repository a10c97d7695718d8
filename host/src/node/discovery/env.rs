//! Rung 1: the operator named the node's URL.

use crate::node::settings::NODE_URL_VARIABLE;
use crate::node::{Error, NodeSettings, NodeUrl};

/// The configured URL; the only rung that may lead to another machine.
pub(super) fn node(settings: &NodeSettings) -> Result<Option<NodeUrl>, Error> {
    settings.node_url.as_deref().map(|text| NodeUrl::parse(NODE_URL_VARIABLE, text)).transpose()
}
