//! Tells clients that the lists may have changed.
//!
//! In: the service's change counter. Out: `list_changed` notifications, unsolicited to a legacy client once it is
//! initialized, and on each `subscriptions/listen` stream that asked for them. Bursts become one notification.

use super::shutdown::Shutdown;
use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};
use std::time::Duration;
use tokio::sync::watch;

/// How long changes are gathered before they are told: an app that is installed touches several lists at once, and a
/// client re-reads everything each time.
const GATHER: Duration = Duration::from_millis(50);

/// Changes since a stream was asked for; travels with the request, so that none is missed while it is acknowledged.
#[derive(Clone)]
pub(super) struct Changes(pub(super) watch::Receiver<u64>);

/// Waits for the next change and the burst after it. `false` when there will be none.
async fn changed(changes: &mut watch::Receiver<u64>) -> bool {
    if changes.changed().await.is_err() {
        return false;
    }
    tokio::time::sleep(GATHER).await;
    changes.mark_unchanged();
    true
}

/// Tells a legacy client, until the connection closes.
pub(super) async fn broadcast(peer: Peer<RoleServer>, mut changes: watch::Receiver<u64>, shutdown: Shutdown) {
    loop {
        tokio::select! {
            more = changed(&mut changes) => if !more { return },
            () = shutdown.closing.cancelled() => return,
        }
        if peer.notify_tool_list_changed().await.is_err() || peer.notify_resource_list_changed().await.is_err() {
            return;
        }
    }
}

/// Serves one stream, until the client cancels it (then nothing more is sent) or the connection closes (then the
/// request is answered).
pub(super) async fn stream(stream: SubscriptionContext, shutdown: &Shutdown) {
    let mut changes = stream.request_context().extensions.get::<Changes>().cloned();
    while let Some(Changes(changes)) = &mut changes {
        tokio::select! {
            more = changed(changes) => if !more { break },
            () = stream.cancelled() => return,
            () = shutdown.closing.cancelled() => return,
        }
        // The sink sends what the accepted filter has and refuses the rest.
        let _ = stream.sink().notify_tool_list_changed().await;
        let _ = stream.sink().notify_resource_list_changed().await;
    }
    tokio::select! {
        () = stream.cancelled() => {}
        () = shutdown.closing.cancelled() => {}
    }
}
