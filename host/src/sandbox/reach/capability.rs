//! The capabilities an extension can be granted, and which of them an import needs.

use crate::model::Grants;
use std::fmt;

/// Something an extension can do only by grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capability {
    /// Requests to listed hosts.
    Http,
    /// Files below listed directories.
    Directories,
    /// Reading clocks and sleeping.
    Clocks,
    /// Random numbers.
    Random,
    /// Values kept from one call to the next.
    State,
}

/// Interfaces by the capability their functions need. What is not here and is offered needs none: streams, standard
/// output (captured), environment (listed variables only), exit.
const NEEDED: [(&str, Capability); 5] = [
    ("wasi:http/", Capability::Http),
    ("wasi:filesystem/", Capability::Directories),
    ("wasi:clocks/", Capability::Clocks),
    ("wasi:random/", Capability::Random),
    ("abi-mcp:tool/state", Capability::State),
];

impl Capability {
    /// The capability that importing functions of this interface needs, if any.
    #[must_use]
    pub fn needed_by(import: &str) -> Option<Self> {
        NEEDED.iter().find(|(prefix, _)| import.starts_with(prefix)).map(|(_, capability)| *capability)
    }

    /// Whether these grants have it.
    #[must_use]
    pub fn is_in(self, grants: &Grants) -> bool {
        match self {
            Self::Http => !grants.http.is_empty(),
            Self::Directories => grants.directories.iter().any(|directory| directory.host.is_some()),
            Self::Clocks => grants.clocks,
            Self::Random => grants.random,
            Self::State => grants.state,
        }
    }

    /// The line that grants it, as the operator would write it.
    #[must_use]
    pub fn example(self) -> &'static str {
        match self {
            Self::Http => "http = [\"example.org\"]",
            Self::Directories => "directories = [{ guest = \"/data\", host = \"/path/on/this/machine\" }]",
            Self::Clocks => "clocks = true",
            Self::Random => "random = true",
            Self::State => "state = true",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "http",
            Self::Directories => "directories",
            Self::Clocks => "clocks",
            Self::Random => "random",
            Self::State => "state",
        })
    }
}
