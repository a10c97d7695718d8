//! What travels with every call besides its arguments.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tokio::sync::{Notify, watch};

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

/// How far a call is, in the words of what runs it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProgressReport {
    /// In a unit of its own; only grows.
    pub done: f64,
    /// In the same unit, where it is known.
    pub total: Option<f64>,
    /// One line, not yet cleaned.
    pub message: Option<String>,
}

/// Where progress goes: to whoever waits for the call and asked for it. Only the latest report is kept.
#[derive(Debug, Clone, Default)]
pub struct ProgressSink(Option<watch::Sender<Option<ProgressReport>>>);

impl ProgressSink {
    /// A sink, and where its reports come out.
    #[must_use]
    pub fn watched() -> (Self, watch::Receiver<Option<ProgressReport>>) {
        let (sender, receiver) = watch::channel(None);
        (Self(Some(sender)), receiver)
    }

    /// Tells how far the call is; cheap where nobody listens.
    pub fn report(&self, report: ProgressReport) {
        if let Some(sender) = &self.0 {
            sender.send_replace(Some(report));
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
    /// Where what runs the call says how far it is.
    pub progress: ProgressSink,
}
