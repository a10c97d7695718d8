//! The three moments of the end, known to everyone who takes part in it.
//!
//! Knows no clock and no reason: `serve` and `transport` decide when a moment has come.

use crate::model::Cancel;

/// Shared by the loop, the calls and the change notifiers; clones are the same moments.
#[derive(Debug, Clone, Default)]
pub(super) struct Shutdown {
    /// No more input is read; streams end, calls go on.
    pub(super) closing: Cancel,
    /// Calls under way are cancelled.
    pub(super) hurry: Cancel,
    /// Nobody waits any longer for calls that ignored that.
    pub(super) abandoned: Cancel,
}

impl Shutdown {
    /// Ends everything at once: the client is gone or the operator said so.
    pub(super) fn now(&self) {
        self.hurry.cancel();
        self.closing.cancel();
    }
}
