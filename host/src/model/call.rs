//! What travels with every call besides its arguments.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tokio::sync::Notify;

/// Says once, to everyone who holds a copy, that the work is no longer wanted.
///
/// Cheap to check from a guest's epoch callback ([`Cancel::is_cancelled`]) and to wait for from async code
/// ([`Cancel::cancelled`]).
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<CancelState>);

#[derive(Debug, Default)]
struct CancelState {
    cancelled: AtomicBool,
    notify: Notify,
}

/// The caller no longer wants the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl Cancel {
    /// A token nobody has cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels; later calls do nothing.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        self.0.notify.notify_waiters();
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Waits until it is cancelled.
    pub async fn cancelled(&self) {
        loop {
            let notified = self.0.notify.notified();
            tokio::pin!(notified);
            // Registered before the check, so that a `cancel` in between is not missed.
            notified.as_mut().enable();
            if self.is_cancelled() {
                return;
            }
            notified.await;
        }
    }
}

/// What travels with one call.
#[derive(Debug, Clone, Default)]
pub struct CallScope {
    /// Fires when the client cancels, the connection ends, or the host gives up.
    pub cancel: Cancel,
    /// When the caller stops waiting, if it said so.
    pub deadline: Option<Instant>,
    /// W3C trace context, already checked; forwarded to the backend.
    pub traceparent: Option<String>,
}
