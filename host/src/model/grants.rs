//! What a tool extension may reach: asked for by its own manifest, allowed by the operator, effective where both agree.

use std::path::PathBuf;

/// Capabilities of one plugin. Nothing unless said; nothing a model can call changes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    /// Hosts it may make HTTP requests to: `example.org` (its usual ports), `example.org:8443`, `127.0.0.1:9000`. Exact
    /// names; an address that is loopback, private or link-local is reached only where it is itself listed.
    pub http: Vec<String>,
    /// Directories it may see.
    pub directories: Vec<DirectoryGrant>,
    /// Environment variables it may read, by name.
    pub environment: Vec<String>,
    /// Whether it may read clocks.
    pub clocks: bool,
    /// Whether it may draw random numbers.
    pub random: bool,
    /// Whether it keeps values from one call to the next, in a store of its own.
    pub state: bool,
}

/// How much of its grants a call has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Extent {
    /// All of them.
    #[default]
    Granted,
    /// What reads: the server is in read-only mode, and what an extension says of its tools is only its word.
    Reading,
}

/// One directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryGrant {
    /// Where the plugin finds it, for example `/notes`.
    pub guest: String,
    /// The directory on this machine; what a manifest asks for has none, the operator chooses it.
    pub host: Option<PathBuf>,
    /// Whether it may write there.
    pub writable: bool,
}

impl Grants {
    /// Whether it is nothing at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
