//! When the catalog is read: with the client's first frame, until the source has answered once, and from then on; and
//! whenever a file of the operator's plugins changes.

use crate::catalog::Catalog;
use crate::model::Cancel;
use std::sync::Arc;
use std::time::Duration;

/// First pause after a failed read; doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// Longest pause between reads while the source has not answered yet, and the pause between reads once it has.
/// An install shows up within this time even where nothing asks for it.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The pause after a login that was refused: the same credentials stay wrong, and sources lock out who insists.
const REFUSED_PAUSE: Duration = Duration::from_secs(300);

/// Reads the catalog until `cancel` fires: at once, then with back-off until the first success, then every 30 s;
/// far apart while the login is refused.
pub async fn poll(catalog: Arc<Catalog>, cancel: Cancel) {
    let mut pause = FIRST_PAUSE;
    let mut answered = false;
    loop {
        // A failure is told by the catalog itself, once.
        let outcome = catalog.refresh().await;
        answered |= outcome.is_ok();
        if answered {
            pause = LONGEST_PAUSE;
        }
        let refused = outcome.is_err_and(|error| error.is_refused_login());
        tokio::select! {
            () = tokio::time::sleep(if refused { REFUSED_PAUSE } else { pause }) => {}
            () = catalog.plugins_changed() => continue,
            () = cancel.cancelled() => return,
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
