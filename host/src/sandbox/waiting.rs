//! The thread that waits for the outside world on behalf of guests, apart from the threads that speak the protocol.
//!
//! Guests run on the pool's workers; what one of them waits for (a connection, a clock, a directory) is driven here.
//! Made with the first extension that runs, and kept: a process without extensions has no such thread.

use super::Error;
use std::sync::OnceLock;
use tokio::runtime::{Builder, Runtime};

/// Threads for what blocks: reading files, looking up names. Bounds what a guest that opens a thousand files at once
/// can take.
const BLOCKING: usize = 8;

/// The process's one runtime for guests.
///
/// # Errors
/// [`Error::Host`] when there is no thread to spare.
pub(super) fn runtime() -> Result<&'static Runtime, Error> {
    static RUNTIME: OnceLock<Result<Runtime, Error>> = OnceLock::new();
    RUNTIME.get_or_init(make).as_ref().map_err(Clone::clone)
}

fn make() -> Result<Runtime, Error> {
    Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(BLOCKING)
        .thread_name("guest-io")
        .enable_all()
        .build()
        .map_err(|error| Error::Host { text: format!("no thread to wait on: {error}") })
}
