//! Addresses: just enough of RFC 3986 to ask a host for a path and to follow a redirect.

use abi_mcp_sdk_tool::{Class, Failure};
use std::fmt;

/// An `http` or `https` address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// Whether TLS is spoken.
    pub(crate) secure: bool,
    /// Host and port.
    pub(crate) authority: String,
    /// Path and query; begins with `/`.
    pub(crate) path: String,
}

impl Address {
    /// Reads an absolute address.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let refused = || {
            Failure::new(Class::Arguments, "the address is not an absolute http or https one")
                .hint("for example https://example.org/data.json")
        };
        let (scheme, rest) = text.split_once("://").ok_or_else(refused)?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return Err(refused()),
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let at = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(at);
        // Whoever puts credentials into an address shows them to everyone who sees it.
        if authority.is_empty() || authority.contains('@') {
            return Err(refused());
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Self { secure, authority: authority.to_owned(), path })
    }

    /// Where a redirect from here leads.
    pub(crate) fn follow(&self, location: &str) -> Result<Self, Failure> {
        if location.contains("://") {
            return Self::parse(location);
        }
        if let Some(rest) = location.strip_prefix("//") {
            return Self::parse(&format!("{}://{rest}", if self.secure { "https" } else { "http" }));
        }
        let path = match location.strip_prefix('/') {
            Some(_) => location.to_owned(),
            None => {
                let folder =
                    self.path.split('?').next().unwrap_or("/").rsplit_once('/').map_or("", |(folder, _)| folder);
                format!("{folder}/{location}")
            }
        };
        Ok(Self { path, ..self.clone() })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", if self.secure { "https" } else { "http" }, self.authority, self.path)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_and_followed() {
        let address = Address::parse("http://127.0.0.1:9000/a/b?c=d#e").unwrap();
        assert_eq!(address.to_string(), "http://127.0.0.1:9000/a/b?c=d");
        assert_eq!(address.follow("/x").unwrap().to_string(), "http://127.0.0.1:9000/x");
        assert_eq!(address.follow("x").unwrap().to_string(), "http://127.0.0.1:9000/a/x");
        assert_eq!(address.follow("//other/x").unwrap().to_string(), "http://other/x");
        assert_eq!(address.follow("https://other").unwrap().to_string(), "https://other/");
        for bad in ["", "example.org", "file:///etc/passwd", "http://", "https://me:secret@example.org/"] {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
    }
}
