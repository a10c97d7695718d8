//! One attempt for all who want it at the same time.
//!
//! The attempt runs in a task of its own: no caller that gives up ends it for the others, and a refresh that was sent
//! is never left half done, its single-use token spent and the answer thrown away.

use crate::model::CallScope;
use crate::node::Error;
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::watch;

/// Joins callers to the attempt under way.
#[derive(Debug)]
pub(crate) struct Flight<T>(Mutex<Option<watch::Receiver<Option<T>>>>);

impl<T> Default for Flight<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone + Send + Sync + 'static> Flight<T> {
    /// Waits for the attempt under way, which `start` begins if there is none. A result is not kept for later callers.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] and [`Error::DeadlinePassed`] of this caller; [`Error::Abandoned`] when the attempt died
    /// with its runtime.
    pub(crate) async fn join<F>(&self, what: &str, scope: &CallScope, start: impl FnOnce() -> F) -> Result<T, Error>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut attempt = self.attempt(start);
        tokio::select! {
            biased;
            () = scope.cancel.cancelled() => Err(Error::Cancelled { route: what.to_owned() }),
            () = passed(scope.deadline) => Err(Error::DeadlinePassed { route: what.to_owned() }),
            done = attempt.wait_for(Option::is_some) => match done {
                Ok(result) => result.clone().ok_or(Error::Abandoned),
                Err(_) => Err(Error::Abandoned),
            },
        }
    }

    fn attempt<F>(&self, start: impl FnOnce() -> F) -> watch::Receiver<Option<T>>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A sender that is gone has either finished or died with its runtime.
        if let Some(attempt) = slot.as_ref().filter(|attempt| attempt.has_changed().is_ok()) {
            return attempt.clone();
        }
        let (done, attempt) = watch::channel(None);
        *slot = Some(attempt.clone());
        drop(slot);
        let work = start();
        tokio::spawn(async move {
            // The last waiter may be gone; what the work did counts all the same.
            let _ = done.send(Some(work.await));
        });
        attempt
    }
}

/// Waits for a deadline; for ever when there is none.
pub(crate) async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}
