//! Plugin files and what becomes of them: read, identified, inspected, compiled when first needed, chosen among.
//!
//! In comes a path or an embedded component, out comes a [`Plugin`] that answers in `model` types, and a [`Registry`]
//! that says which of them serves a manifest. Reads in the order a file travels: [`locate`], [`digest`], [`inspect`],
//! [`lock`] and [`admit`] (is it what the operator accepted?), `cache` (compiled code), [`plugin`], [`select`]. [`Plugins`] is
//! the way in: its `shelf` has what runs now, a [`Renewal`] says what changes, `recall` and [`mapping_cache`] keep what
//! was found out. It knows no ecosystem and no MCP.

mod accepted;
pub mod admit;
mod answer_cache;
pub mod asks;
mod bundled;
mod cache;
mod cache_folder;
mod compiling;
pub mod definition;
pub mod digest;
pub mod folder;
pub mod inspect;
mod keeper;
mod loader;
pub mod locate;
pub mod lock;
pub mod mapping_cache;
pub mod plain;
pub mod plugin;
mod plugins;
mod recall;
mod recogniser;
mod renewal;
mod seen;
pub mod select;
mod shelf;
#[cfg(test)]
pub(crate) mod specimen;
pub mod supply;
mod usage;
mod wanted;

pub use admit::{Refusal, Why, grant_lines};
pub use asks::{Asks, AsksError, Ungranted, asks};
pub use bundled::bundled;
pub use digest::Digest;
pub use inspect::InspectError;
pub use loader::ExtensionSetting;
pub use locate::LocateError;
pub use lock::{Lock, LockError, Locked};
pub use mapping_cache::MappingCache;
pub use plugin::{Allowed, Cause, Extended, Origin, Plugin, PluginError};
pub use plugins::{EngineChoice, Plugins};
pub use recogniser::Recogniser;
pub use renewal::{Proposal, Renewal};
pub use select::{Pin, Registry, SelectError, Selected, SubjectRange, Trust};
pub use supply::{Supplied, Supply};
pub use usage::{Usage, Used};
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
    /// It was added for its tools and has none.
    #[error(
        "plugin `{plugin}` {release}: it exports no tools; expected the contract `abi-mcp:tool`\n\
         hint: name a mapper or an engine as what it is"
    )]
    NoTools {
        /// The name it was configured under.
        plugin: String,
        /// Its release.
        release: crate::model::PluginRelease,
    },
    /// What it asks for cannot be read.
    #[error("plugin `{plugin}` {release}: {cause}")]
    Asks {
        /// The name it was configured under.
        plugin: String,
        /// Its release.
        release: crate::model::PluginRelease,
        /// What is wrong with it.
        cause: AsksError,
    },
    /// It needs what it was not granted.
    #[error("plugin `{}` {release}: {cause}", .cause.plugin)]
    Ungranted {
        /// Its release.
        release: crate::model::PluginRelease,
        /// What is missing.
        cause: Ungranted,
    },
    /// Another extension has its name.
    #[error("plugin `{plugin}`: another extension has this name\nhint: give each its own")]
    Twice {
        /// The name.
        plugin: String,
    },
}

impl Error {
    /// A stable name for this kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Locate(error) => error.code(),
            Self::Inspect { cause, .. } => cause.code(),
            Self::NoTools { .. } => "artifact::no_tools",
            Self::Asks { cause, .. } => cause.code(),
            Self::Ungranted { .. } => "artifact::ungranted",
            Self::Twice { .. } => "artifact::twice",
        }
    }
}
