//! The four things that everyday talk calls "version", as four types.

use std::fmt;

/// Makes a newtype over text that displays as its text.
macro_rules! text_version {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub String);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_version!(
    /// A revision of MCP, for example `2026-07-28`.
    ProtocolRevision
);
text_version!(
    /// The toolchain or app release a mapper understands or a manifest shows, for example `G4`.
    SubjectVersion
);
text_version!(
    /// The release of a plugin itself, as its author numbers it.
    PluginRelease
);

/// The version of one of our WIT contracts, `major.minor.patch`.
///
/// Two versions are on the same track, and so compatible, when their majors agree, or for `0.x` their minors
/// (the component model's rule for interface names).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContractVersion {
    /// First number.
    pub major: u64,
    /// Second number; the track while `major` is 0.
    pub minor: u64,
    /// Third number; never changes what links.
    pub patch: u64,
}

impl ContractVersion {
    /// Reads `1.2.3`; anything else, pre-releases included, is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| part.parse::<u64>().ok());
        let version = Self { major: parts.next()??, minor: parts.next()??, patch: parts.next()?? };
        parts.next().is_none().then_some(version)
    }

    /// The track two compatible versions share: `(major, minor)` below 1.0, `(major, 0)` from there on.
    #[must_use]
    pub fn track(self) -> (u64, u64) {
        if self.major == 0 { (0, self.minor) } else { (self.major, 0) }
    }
}

impl fmt::Display for ContractVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_one_the_minor_number_is_the_track() {
        let parse = |text| ContractVersion::parse(text).unwrap();
        assert_eq!(parse("0.1.0").track(), parse("0.1.7").track());
        assert_ne!(parse("0.1.0").track(), parse("0.2.0").track());
        assert_eq!(parse("1.0.0").track(), parse("1.9.0").track());
        assert!(parse("0.10.0") > parse("0.9.0"));
    }

    #[test]
    fn only_three_plain_numbers_are_a_contract_version() {
        for text in ["", "1", "1.2", "1.2.3.4", "1.2.x", "1.2.3-rc.1", "v1.2.3"] {
            assert_eq!(ContractVersion::parse(text), None, "{text}");
        }
    }
}
