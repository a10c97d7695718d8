//! The one table of contracts this host speaks.
//!
//! `artifact::inspect` compares a component's own interface names with it, and every message about a contract that is
//! too new or too old takes its range from here. It knows no file and no plugin.

use super::{Decoder, Engine, Extension, Mapper, engine_0_1, errors_0_1, mapper_0_1, plain, tool_0_1};
use crate::model::{ContractVersion, Grants};
use crate::sandbox::{Compiled, Error};
use std::fmt;
use std::sync::Arc;

/// What a component is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Turns manifests into methods.
    Mapper,
    /// Turns failures into words.
    Decoder,
    /// Executes functions.
    Engine,
    /// Brings tools of its own.
    Extension,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mapper => "mapper",
            Self::Decoder => "error decoder",
            Self::Engine => "engine",
            Self::Extension => "tool extension",
        })
    }
}

/// One contract version and how a component of it is linked. Compared by package and version.
pub struct Contract {
    /// What such a component is for.
    pub role: Role,
    /// The WIT package, without version.
    pub package: &'static str,
    /// The newest version of its track the adapter was written for.
    pub version: ContractVersion,
    /// The interfaces a component must export.
    pub exports: &'static [&'static str],
    /// What the host offers to its imports, each with a version of its track. Empty: a component of this contract can only
    /// compute. Some of it is linked only by grant ([`crate::sandbox::Capability`]).
    pub offers: &'static [&'static str],
    link: Link,
}

/// What an extension may import, some of it only by grant. No sockets: a request goes through `wasi:http`, where each
/// host is checked.
const TOOL_OFFERS: &[&str] = &[
    "abi-mcp:tool/log@0.1.0",
    "abi-mcp:tool/config@0.1.0",
    "abi-mcp:tool/progress@0.1.0",
    "abi-mcp:tool/cancellation@0.1.0",
    "abi-mcp:tool/state@0.1.0",
    "wasi:http/outgoing-handler@0.2.12",
    "wasi:http/types@0.2.12",
    "wasi:filesystem/types@0.2.12",
    "wasi:filesystem/preopens@0.2.12",
    "wasi:clocks/wall-clock@0.2.12",
    "wasi:clocks/monotonic-clock@0.2.12",
    "wasi:random/random@0.2.12",
    "wasi:random/insecure@0.2.12",
    "wasi:random/insecure-seed@0.2.12",
    "wasi:io/error@0.2.12",
    "wasi:io/poll@0.2.12",
    "wasi:io/streams@0.2.12",
    "wasi:cli/environment@0.2.12",
    "wasi:cli/exit@0.2.12",
    "wasi:cli/stdin@0.2.12",
    "wasi:cli/stdout@0.2.12",
    "wasi:cli/stderr@0.2.12",
    "wasi:cli/terminal-input@0.2.12",
    "wasi:cli/terminal-output@0.2.12",
    "wasi:cli/terminal-stdin@0.2.12",
    "wasi:cli/terminal-stdout@0.2.12",
    "wasi:cli/terminal-stderr@0.2.12",
];

/// How a component is linked, by role.
enum Link {
    Mapper(fn(&Compiled) -> Linked<dyn Mapper>),
    Decoder(fn(&Compiled) -> Linked<dyn Decoder>),
    Engine(fn(&Compiled) -> Linked<dyn Engine>),
    Extension(fn(&Compiled, &Grants) -> Linked<dyn Extension>),
}

type Linked<T> = Result<Arc<T>, Error>;

/// Every contract version this host speaks, oldest first within a package.
pub static CONTRACTS: &[Contract] = &[
    Contract {
        role: Role::Mapper,
        package: "abi-mcp:mapper",
        version: ContractVersion { major: 0, minor: 1, patch: 0 },
        exports: &["schema", "signature", "codec"],
        offers: &[],
        link: Link::Mapper(mapper_0_1::link),
    },
    Contract {
        role: Role::Decoder,
        package: "abi-mcp:errors",
        version: ContractVersion { major: 0, minor: 1, patch: 0 },
        exports: &["decoder"],
        offers: &[],
        link: Link::Decoder(errors_0_1::link),
    },
    Contract {
        role: Role::Engine,
        package: "abi-mcp:engine",
        version: ContractVersion { major: 0, minor: 1, patch: 0 },
        exports: &["engine"],
        offers: &[],
        link: Link::Engine(engine_0_1::link),
    },
    Contract {
        role: Role::Extension,
        package: "abi-mcp:tool",
        version: ContractVersion { major: 0, minor: 1, patch: 0 },
        exports: &["tools"],
        offers: TOOL_OFFERS,
        link: Link::Extension(tool_0_1::link),
    },
];

/// What serves a component that states no contract: not among [`CONTRACTS`], because nothing in a file asks for it, only an
/// operator who wants its functions as tools. The version is that of the rules by which types become schemas, so that a
/// lock tells when they change.
pub static PLAIN: Contract = Contract {
    role: Role::Extension,
    package: "plain:tool",
    version: ContractVersion { major: 0, minor: 1, patch: 0 },
    exports: &[],
    offers: TOOL_OFFERS,
    link: Link::Extension(plain::link),
};

impl Contract {
    /// Whether it is [`PLAIN`].
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == PLAIN
    }

    /// Links a component as a mapper; `None` when this is no mapper contract.
    pub(crate) fn link_mapper(&self, component: &Compiled) -> Option<Result<Arc<dyn Mapper>, Error>> {
        let Link::Mapper(link) = self.link else { return None };
        Some(link(component))
    }

    /// Links a component as an error decoder; `None` when this is no decoder contract.
    pub(crate) fn link_decoder(&self, component: &Compiled) -> Option<Result<Arc<dyn Decoder>, Error>> {
        let Link::Decoder(link) = self.link else { return None };
        Some(link(component))
    }

    /// Links a component as an engine; `None` when this is no engine contract.
    pub(crate) fn link_engine(&self, component: &Compiled) -> Option<Result<Arc<dyn Engine>, Error>> {
        let Link::Engine(link) = self.link else { return None };
        Some(link(component))
    }

    /// Links a component as a tool extension with what it was granted; `None` when this is no tool contract.
    pub(crate) fn link_extension(
        &self,
        component: &Compiled,
        grants: &Grants,
    ) -> Option<Result<Arc<dyn Extension>, Error>> {
        let Link::Extension(link) = self.link else { return None };
        Some(link(component, grants))
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.package, self.version)
    }
}

impl fmt::Debug for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Contract({self})")
    }
}

impl PartialEq for Contract {
    fn eq(&self, other: &Self) -> bool {
        (self.package, self.version) == (other.package, other.version)
    }
}

impl Eq for Contract {}

/// The contract versions of one package that this host speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The oldest.
    pub oldest: ContractVersion,
    /// The newest.
    pub newest: ContractVersion,
}

impl Range {
    /// The range of a package; `None` when the host speaks no version of it.
    #[must_use]
    pub fn of(package: &str) -> Option<Self> {
        let versions = || CONTRACTS.iter().filter(|row| row.package == package).map(|row| row.version);
        Some(Self { oldest: versions().min()?, newest: versions().max()? })
    }
}

impl fmt::Display for Range {
    /// As tracks, since that is what is compared: `0.1`, or `0.1 to 0.3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let track = |version: ContractVersion| {
            let (major, minor) = version.track();
            if major == 0 { format!("0.{minor}") } else { major.to_string() }
        };
        if self.oldest.track() == self.newest.track() {
            f.write_str(&track(self.newest))
        } else {
            write!(f, "{} to {}", track(self.oldest), track(self.newest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_has_a_range_and_no_track_twice() {
        for row in CONTRACTS {
            assert!(Range::of(row.package).is_some(), "{row}");
            let twins = CONTRACTS
                .iter()
                .filter(|other| other.package == row.package && other.version.track() == row.version.track());
            assert_eq!(twins.count(), 1, "{row}");
        }
    }

    #[test]
    fn a_range_reads_as_tracks() {
        let version = |minor| ContractVersion { major: 0, minor, patch: 4 };
        assert_eq!(Range { oldest: version(1), newest: version(1) }.to_string(), "0.1");
        assert_eq!(Range { oldest: version(1), newest: version(3) }.to_string(), "0.1 to 0.3");
    }
}
