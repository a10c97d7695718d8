//! A node's base URL, checked once.
//!
//! In: what an operator wrote. Out: scheme, host, port and path prefix, to which request paths are appended. It knows
//! no route.

use super::error::Error;
use super::route::Route;
use std::fmt;
use url::{Host, Url};

/// An `http` or `https` URL without user name, query and fragment; a path prefix is kept, a trailing slash is not.
///
/// `Display` gives the form that messages and `node_status` show, for example `http://localhost:2528`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeUrl(Url);

impl NodeUrl {
    /// Checks a URL that came from `setting` (a variable or a file, for the message).
    ///
    /// # Errors
    ///
    /// [`Error::BadUrl`] when it is no URL, has another scheme, no host, or carries a user name, password, query or
    /// fragment, any of which may be a credential. The error shows the URL without them.
    pub fn parse(setting: &str, text: &str) -> Result<Self, Error> {
        let mut url = Url::parse(text.trim()).map_err(|_| refused(setting, "an unparseable url", "is not a URL"))?;
        if let Some(problem) = problem_of(&url) {
            return Err(refused(setting, &shown(&url), problem));
        }
        let prefix = url.path().trim_end_matches('/').to_owned();
        url.set_path(&prefix);
        Ok(Self(url))
    }

    /// The cleartext URL of a port on this machine.
    pub(crate) fn of_local_port(port: u16) -> Result<Self, Error> {
        Self::parse("a probed port", &format!("http://localhost:{port}"))
    }

    /// Whether requests are encrypted.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether the host is this machine by its name or address: `localhost`, 127.0.0.0/8, `::1`.
    ///
    /// A name that merely contains one of these is a stranger's.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => {
                address.is_loopback() || address.to_ipv4_mapped().is_some_and(|mapped| mapped.is_loopback())
            }
            Some(Host::Domain(name)) => name.trim_end_matches('.').eq_ignore_ascii_case("localhost"),
            None => false,
        }
    }

    /// Whether sending a credential there needs the operator's explicit consent: cleartext to another machine.
    #[must_use]
    pub fn requires_opt_in(&self) -> bool {
        !self.is_https() && !self.is_loopback()
    }

    /// Whether both name the same node: equal, or two spellings of this machine with one port and prefix.
    #[must_use]
    pub fn is_same_node(&self, other: &Self) -> bool {
        let rest = |url: &Self| (url.0.port_or_known_default(), url.0.path().to_owned(), url.is_https());
        self == other || (self.is_loopback() && other.is_loopback() && rest(self) == rest(other))
    }

    /// The URL of a route, below the path prefix.
    pub(crate) fn join(&self, route: &Route) -> Result<Url, Error> {
        let text = format!("{self}{}{}", route.path()?, route.query_string());
        Url::parse(&text).map_err(|_| Error::BadSegment { route: route.to_string(), value: text })
    }
}

impl fmt::Display for NodeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

fn problem_of(url: &Url) -> Option<&'static str> {
    if !matches!(url.scheme(), "http" | "https") {
        Some("must start with `http://` or `https://`")
    } else if url.host_str().is_none_or(str::is_empty) {
        Some("names no host")
    } else if !url.username().is_empty() || url.password().is_some() {
        Some("carries a user name or password; set CALIMERO_AUTH_TOKEN instead")
    } else if url.query().is_some() || url.fragment().is_some() {
        Some("carries a query or fragment; give scheme, host, port and path only")
    } else {
        None
    }
}

/// The URL without anything that may be a credential.
fn shown(url: &Url) -> String {
    if url.cannot_be_a_base() {
        return format!("{}:…", url.scheme());
    }
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Both fail only where there is no host, and then there is nothing to remove.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.as_str().trim_end_matches('/').to_owned()
}

fn refused(setting: &str, shown: &str, problem: &'static str) -> Error {
    Error::BadUrl { setting: setting.to_owned(), shown: shown.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> NodeUrl {
        NodeUrl::parse("CALIMERO_NODE_URL", text).unwrap()
    }

    fn joined(base: &str, route: &Route) -> String {
        url(base).join(route).unwrap().to_string()
    }

    #[test]
    fn a26_a_path_prefix_is_kept_with_and_without_its_slash() {
        let route = Route::get(&["jsonrpc"]);
        for base in ["http://127.0.0.1:1/calimero/node1/", "http://127.0.0.1:1/calimero/node1"] {
            assert_eq!(joined(base, &route), "http://127.0.0.1:1/calimero/node1/jsonrpc");
            assert_eq!(url(base).to_string(), "http://127.0.0.1:1/calimero/node1");
        }
        assert_eq!(joined("http://localhost:2528///", &route), "http://localhost:2528/jsonrpc");
        assert_eq!(url(" http://localhost:2528/ ").to_string(), "http://localhost:2528");
    }

    #[test]
    fn a27_loopback_is_told_from_its_look_alikes() {
        for text in [
            "http://[::1]:2528",
            "http://127.0.0.1:2528",
            "http://localhost:2528",
            "http://LOCALHOST",
            "http://localhost.:2528",
            "http://127.8.8.8",
            "http://[::ffff:127.0.0.1]",
            "https://node.example",
        ] {
            assert!(!url(text).requires_opt_in(), "{text}");
        }
        for text in [
            "http://node.example:2528",
            "http://127.0.0.1.nip.example:2528",
            "http://localhost.example",
            "http://0.0.0.0:2528",
            "http://[::2]:2528",
            "http://10.0.0.1",
        ] {
            assert!(url(text).requires_opt_in(), "{text}");
        }
        assert!(!url("https://node.example").is_loopback());
    }

    #[test]
    fn g02_a_url_with_credentials_is_refused_and_shown_without_them() {
        for text in [
            "http://user:FIXTUREPASS@127.0.0.1:1/x?api_key=FIXTUREKEY#frag",
            "http://127.0.0.1:1/x?api_key=FIXTUREKEY",
            "http://FIXTURE@127.0.0.1:1/x",
            "http://127.0.0.1:1/x#FIXTURE",
        ] {
            let message = NodeUrl::parse("CALIMERO_NODE_URL", text).unwrap_err().to_string();
            assert!(message.contains("`http://127.0.0.1:1/x`") && message.contains("CALIMERO_NODE_URL"), "{message}");
            assert!(!message.contains("FIXTURE"), "{message}");
        }
        for text in ["", "FIXTURE", "http://", "ftp://h/FIXTUREx", "file:///FIXTURE", "data:FIXTURE"] {
            assert!(NodeUrl::parse("CALIMERO_NODE_URL", text).is_err(), "{text}");
        }
    }

    #[test]
    fn two_spellings_of_this_machine_are_one_node() {
        assert!(url("http://localhost:2528").is_same_node(&url("http://127.0.0.1:2528/")));
        assert!(!url("http://localhost:2528").is_same_node(&url("http://127.0.0.1:2529")));
        assert!(!url("http://localhost:2528").is_same_node(&url("http://node.example:2528")));
        assert!(!url("http://localhost:2528").is_same_node(&url("http://localhost:2528/other")));
    }
}
