//! Tells a client that asked for it that a long call still runs.
//!
//! In: a call under way, and where and how often to tell. Out: the call's own outcome. A node says nothing of how far
//! it is, so progress is the seconds that went by: strictly increasing, without a total.

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use std::pin::pin;
use std::time::Duration;
use tokio::time::Instant;

/// Whom to tell, and how often.
pub(super) struct Progress {
    pub(super) peer: Peer<RoleServer>,
    /// The client's own word for the call; absent when it did not ask.
    pub(super) token: Option<ProgressToken>,
    pub(super) every: Duration,
}

impl Progress {
    /// Waits for the call and tells of it meanwhile. Nothing is told after the call ended: a notification on its way is
    /// waited for before the outcome is given back.
    pub(super) async fn of<T>(self, call: impl Future<Output = T>) -> T {
        let Some(token) = self.token else { return call.await };
        let mut call = pin!(call);
        let started = Instant::now();
        loop {
            tokio::select! {
                biased;
                outcome = &mut call => return outcome,
                () = tokio::time::sleep(self.every) => {}
            }
            let seconds = started.elapsed().as_secs_f64();
            let mut told = pin!(self.peer.notify_progress(ProgressNotificationParam::new(token.clone(), seconds)));
            tokio::select! {
                biased;
                sent = &mut told => if sent.is_err() { return call.await },
                outcome = &mut call => {
                    // Whether it arrived matters to nobody any more.
                    let _ = told.await;
                    return outcome;
                }
            }
        }
    }
}
