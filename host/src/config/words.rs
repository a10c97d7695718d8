//! The words and numbers of the configuration that are checked as they are read.
//!
//! Each type is one rule about a text or a number; whoever holds one need not check again.

use super::reader::{Reader, Trouble, Value};
use crate::artifact::{SubjectRange, check_ecosystem, locate, role_word};
use crate::contract::supported::CONTRACTS;
use semver::VersionReq;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::DeValue;

/// Makes a type of texts that a rule holds for.
macro_rules! words {
    ($($(#[doc = $doc:literal])* $name:ident($inner:ty): $expected:literal, $parse:expr;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name(pub $inner);

        impl Value for $name {
            const EXPECTED: &'static str = $expected;

            fn read(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Result<Self, Trouble> {
                let DeValue::String(text) = value.get_ref() else {
                    return Err(reader.other_kind(value, Self::EXPECTED));
                };
                let parse: fn(&str) -> Option<$inner> = $parse;
                parse(text).map(Self).ok_or_else(|| reader.no_meaning(value, Self::EXPECTED))
            }
        }
    )*};
}

words! {
    /// A plugin's name.
    PluginName(String): "a name of the form `[a-z][a-z0-9-]*`, at most 64 characters",
        |text| locate::check_name(text).ok().map(|()| text.to_owned());
    /// An ecosystem's name.
    Ecosystem(String): "an ecosystem's name of the form `[a-z][a-z0-9-]*`, at most 32 characters",
        |text| check_ecosystem(text).then(|| text.to_owned());
    /// A role, by the name of its contract.
    RoleWord(String): "`mapper`, `errors`, `engine` or another role this release knows", role;
    /// Subject versions.
    Subjects(SubjectRange): "a range of versions such as `>=0.9, <1`, or names such as `G3, G4`", subjects;
    /// A path; relative ones start at the configuration's folder.
    FilePath(PathBuf): "a path",
        |text| (!text.trim().is_empty() && !text.contains('\0')).then(|| PathBuf::from(text));
    /// A directory as a plugin sees it.
    GuestPath(String): "an absolute path without `.` and `..`, such as `/notes`", guest_path;
    /// A host, with or without a port.
    Host(String): "a host such as `example.org`, `example.org:8443` or `127.0.0.1:9000`; no scheme, path or pattern", host;
    /// An environment variable's name.
    Variable(String): "the name of an environment variable", variable;
}

fn role(text: &str) -> Option<String> {
    CONTRACTS.iter().any(|contract| role_word(contract) == text).then(|| text.to_owned())
}

/// A text that looks like a range and is none is a slip; as names it would cover nothing, silently.
fn subjects(text: &str) -> Option<SubjectRange> {
    let like_a_range = text.contains(['<', '>', '=', '^', '~', '*']);
    let names = text.split(',').all(|name| !name.trim().is_empty());
    (VersionReq::parse(text).is_ok() || (!like_a_range && names)).then(|| SubjectRange::parse(text))
}

fn guest_path(text: &str) -> Option<String> {
    let rest = text.strip_prefix('/')?.trim_end_matches('/');
    let good = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\0', '\\']);
    rest.split('/').all(good).then(|| format!("/{rest}"))
}

fn host(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let (name, port) = match lower.rsplit_once(':') {
        // Colons inside brackets are an address's own.
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (lower.as_str(), None),
    };
    let port_is_good = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
    let name_is_good = match name.strip_prefix('[') {
        Some(address) => address.strip_suffix(']').is_some_and(|address| address.parse::<std::net::Ipv6Addr>().is_ok()),
        None => !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')),
    };
    (port_is_good && name_is_good).then_some(lower)
}

fn variable(text: &str) -> Option<String> {
    let good = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (good && !text.starts_with(|c: char| c.is_ascii_digit())).then(|| text.to_owned())
}

/// A whole number from 1 to `MOST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number<const MOST: u64>(pub u64);

impl<const MOST: u64> Value for Number<MOST> {
    const EXPECTED: &'static str = match MOST {
        // Those that occur; a message needs the number as text.
        10_000 => "a whole number from 1 to 10000",
        3_600_000 => "a whole number from 1 to 3600000",
        4_096 => "a whole number from 1 to 4096",
        65_536 => "a whole number from 1 to 65536",
        _ => "a whole number above 0",
    };

    fn read(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Result<Self, Trouble> {
        let DeValue::Integer(number) = value.get_ref() else {
            return Err(reader.other_kind(value, Self::EXPECTED));
        };
        let number = u64::from_str_radix(number.as_str(), number.radix()).ok();
        let fits = number.filter(|number| (1..=MOST).contains(number));
        fits.map(Self).ok_or_else(|| reader.no_meaning(value, Self::EXPECTED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_exact_names_with_or_without_a_port() {
        for good in ["example.org", "Example.org:8443", "127.0.0.1:9000", "[::1]", "[::1]:80", "localhost"] {
            assert!(host(good).is_some(), "{good}");
        }
        for bad in ["", "https://example.org", "example.org/x", "*.example.org", "a b", "x:0", "x:99999", "[::1", ":80"]
        {
            assert!(host(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_range_that_is_misspelt_is_not_taken_for_names() {
        assert!(subjects(">=0.9, <1").is_some() && subjects("G3, G4").is_some());
        assert!(subjects(">=0.9 <<1").is_none() && subjects("G3,,").is_none());
    }

    #[test]
    fn directories_of_plugins_cannot_climb() {
        assert_eq!(guest_path("/notes/").as_deref(), Some("/notes"));
        for bad in ["notes", "/", "/a/../b", "/./a", "//a", "/a\\b"] {
            assert!(guest_path(bad).is_none(), "{bad}");
        }
    }
}
