//! Rung 2: the node that the desktop app handed over; only ever one of this machine.

use crate::node::NodeUrl;
use crate::node::handoff::Handoff;

/// The file's node; `None` for a file with a token alone.
pub(super) fn node(handoff: Option<&Handoff>) -> Option<NodeUrl> {
    handoff.and_then(|handoff| handoff.url.clone())
}
