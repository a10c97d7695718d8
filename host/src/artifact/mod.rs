//! Plugin files and what becomes of them: read, identified, inspected, compiled when first needed, chosen among.
//!
//! In comes a path or an embedded component, out comes a [`Plugin`] that answers in `model` types, and a [`Registry`]
//! that says which of them serves a manifest. Reads in the order a file travels: [`locate`], [`digest`], [`inspect`],
//! [`lock`] and [`admit`] (is it what the operator accepted?), `cache` (compiled code), [`plugin`], [`select`];
//! [`mapping_cache`] keeps what mapping made. It knows no ecosystem
//! and no MCP.

pub mod admit;
mod bundled;
mod cache;
pub mod digest;
pub mod folder;
pub mod inspect;
pub mod locate;
pub mod lock;
pub mod mapping_cache;
pub mod plugin;
mod plugins;
pub mod select;
#[cfg(test)]
mod specimen;
pub mod supply;
mod support_cache;
mod wanted;

pub use admit::{Refusal, Why};
pub use bundled::bundled;
pub use digest::Digest;
pub use inspect::InspectError;
pub use locate::LocateError;
pub use lock::{Lock, LockError, Locked};
pub use mapping_cache::MappingCache;
pub use plugin::{Cause, Origin, Plugin, PluginError};
pub use plugins::{EngineChoice, Plugins, Proposal, Renewal};
pub use select::{Pin, Registry, SelectError, Selected, SubjectRange, Trust};
pub use supply::{Supplied, Supply};
pub use wanted::{Wanted, check_ecosystem, role_word};

/// Why a file did not become a plugin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It could not be read, or its name would not do.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// It is no plugin this host can run.
    #[error("plugin `{plugin}` {release}: {cause}")]
    Inspect {
        /// The name it was configured under.
        plugin: String,
        /// Its release.
        release: crate::model::PluginRelease,
        /// What it is instead.
        cause: InspectError,
    },
}

impl Error {
    /// A stable name for this kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Locate(error) => error.code(),
            Self::Inspect { cause, .. } => cause.code(),
        }
    }
}
