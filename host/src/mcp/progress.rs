//! Tells a client that asked for it how far a long call is, or at least that it still runs.
//!
//! In: a call under way, what its runner reports, and where and how often to tell. Out: the call's own outcome. Where
//! nothing is reported (a node says nothing of how far it is) progress is the seconds that went by, without a total.
//! Either way it strictly increases, as the protocol asks, and reports that come faster than [`LEAST`] are folded.

use crate::model::ProgressReport;
use crate::text::{clean_line, cut};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// The least time between two notifications of one call: a runner that reports in a loop must not fill the pipe.
const LEAST: Duration = Duration::from_millis(100);

/// The longest message passed on, in UTF-16 units.
const MESSAGE: usize = 200;

/// Whom to tell, and how often.
pub(super) struct Progress {
    pub(super) peer: Peer<RoleServer>,
    /// The client's own word for the call; absent when it did not ask.
    pub(super) token: Option<ProgressToken>,
    pub(super) every: Duration,
    /// What the call's runner reports.
    pub(super) reports: watch::Receiver<Option<ProgressReport>>,
}

impl Progress {
    /// Waits for the call and tells of it meanwhile. Nothing is told after the call ended: a notification on its way is
    /// waited for before the outcome is given back.
    pub(super) async fn of<T>(mut self, call: impl Future<Output = T>) -> T {
        let Some(token) = self.token.take() else { return call.await };
        let mut call = pin!(call);
        let started = Instant::now();
        let mut last = f64::NEG_INFINITY;
        loop {
            let reported = tokio::select! {
                biased;
                outcome = &mut call => return outcome,
                report = next(&mut self.reports) => Some(report),
                () = tokio::time::sleep(self.every) => None,
            };
            let report = reported.unwrap_or_else(|| ProgressReport {
                done: started.elapsed().as_secs_f64(),
                ..ProgressReport::default()
            });
            if !(report.done.is_finite() && report.done > last) {
                continue;
            }
            last = report.done;
            let mut told = pin!(self.peer.notify_progress(notification(&token, report)));
            tokio::select! {
                biased;
                sent = &mut told => if sent.is_err() { return call.await },
                outcome = &mut call => {
                    // Whether it arrived matters to nobody any more.
                    let _ = told.await;
                    return outcome;
                }
            }
            tokio::select! {
                biased;
                outcome = &mut call => return outcome,
                () = tokio::time::sleep(LEAST) => {}
            }
        }
    }
}

/// The next report; never, once nobody can report any more.
async fn next(reports: &mut watch::Receiver<Option<ProgressReport>>) -> ProgressReport {
    while reports.changed().await.is_ok() {
        let report = reports.borrow_and_update().clone();
        if let Some(report) = report {
            return report;
        }
    }
    std::future::pending().await
}

fn notification(token: &ProgressToken, report: ProgressReport) -> ProgressNotificationParam {
    let mut notification = ProgressNotificationParam::new(token.clone(), report.done);
    notification.total = report.total.filter(|total| total.is_finite() && *total >= report.done);
    let message = report.message.map(|message| cut(&clean_line(&message), MESSAGE));
    notification.message = message.filter(|message| !message.is_empty());
    notification
}
