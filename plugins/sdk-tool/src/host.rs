//! What every extension may ask of the host without a grant, and its store with one. Off WebAssembly there is no host:
//! nothing is configured, nobody listens, and the store is empty and full.

use serde_json::Value;

/// How much a line of the log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// For whoever debugs what the extension does.
    Debug,
    /// What an operator may like to know.
    Info,
    /// Something is wrong, and the call goes on.
    Warn,
}

/// Why the store refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// A key must have 1 to 256 bytes.
    Key,
    /// It would hold more than this many bytes.
    Full(u64),
    /// It cannot be used now.
    Unavailable(String),
}

/// Writes a line to the operator's log.
pub fn log(level: Level, line: &str) {
    inner::log(level, line);
}

/// The value the operator set for a key; one that is no JSON counts as none.
#[must_use]
pub fn config(key: &str) -> Option<Value> {
    serde_json::from_str(&inner::config(key)?).ok()
}

/// Tells a client that asked how far the call is.
pub fn progress(done: f64, total: Option<f64>, message: Option<&str>) {
    inner::progress(done, total, message);
}

/// Whether nobody wants the answer any more.
#[must_use]
pub fn cancelled() -> bool {
    inner::cancelled()
}

/// The value kept under a key. Needs the grant `state`, as [`keep`] and [`forget`] do.
///
/// # Errors
/// The store refused.
pub fn kept(key: &str) -> Result<Option<Vec<u8>>, Refusal> {
    inner::kept(key)
}

/// Keeps a value for later calls.
///
/// # Errors
/// The store refused.
pub fn keep(key: &str, value: &[u8]) -> Result<(), Refusal> {
    inner::keep(key, value)
}

/// Forgets a key.
///
/// # Errors
/// The store refused.
pub fn forget(key: &str) -> Result<(), Refusal> {
    inner::forget(key)
}

#[cfg(target_arch = "wasm32")]
mod inner {
    use super::{Level, Refusal};
    use crate::bindings::world::abi_mcp::tool as host;

    pub(super) fn log(level: Level, line: &str) {
        let level = match level {
            Level::Debug => host::log::Level::Debug,
            Level::Info => host::log::Level::Info,
            Level::Warn => host::log::Level::Warn,
        };
        host::log::write(level, line);
    }

    pub(super) fn config(key: &str) -> Option<String> {
        host::config::get(key)
    }

    pub(super) fn progress(done: f64, total: Option<f64>, message: Option<&str>) {
        host::progress::report(done, total, message);
    }

    pub(super) fn cancelled() -> bool {
        host::cancellation::cancelled()
    }

    pub(super) fn kept(key: &str) -> Result<Option<Vec<u8>>, Refusal> {
        host::state::get(key).map_err(refusal)
    }

    pub(super) fn keep(key: &str, value: &[u8]) -> Result<(), Refusal> {
        host::state::set(key, value).map_err(refusal)
    }

    pub(super) fn forget(key: &str) -> Result<(), Refusal> {
        host::state::delete(key).map_err(refusal)
    }

    fn refusal(given: host::state::Refusal) -> Refusal {
        match given {
            host::state::Refusal::Key => Refusal::Key,
            host::state::Refusal::Full(limit) => Refusal::Full(limit),
            host::state::Refusal::Unavailable(text) => Refusal::Unavailable(text),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod inner {
    use super::{Level, Refusal};

    pub(super) fn log(_: Level, _: &str) {}

    pub(super) fn config(_: &str) -> Option<String> {
        None
    }

    pub(super) fn progress(_: f64, _: Option<f64>, _: Option<&str>) {}

    pub(super) fn cancelled() -> bool {
        false
    }

    pub(super) fn kept(_: &str) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(None)
    }

    pub(super) fn keep(_: &str, _: &[u8]) -> Result<(), Refusal> {
        Err(Refusal::Full(0))
    }

    pub(super) fn forget(_: &str) -> Result<(), Refusal> {
        Ok(())
    }
}
