//! The address of one request, relative to the node.
//!
//! Path segments and query values are percent-encoded here and nowhere else, so that an id, a service name or an
//! alias is always data: none of them can change which route is asked.

use super::error::Error;
use crate::redact::percent_encode;
use reqwest::Method;
use std::fmt;

/// A method, a path and a query.
///
/// `Display` gives what messages show: the method and the path, never the query.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub(crate) method: Method,
    segments: Vec<String>,
    query: Vec<(&'static str, String)>,
}

impl Route {
    pub(crate) fn new(method: Method, segments: &[&str]) -> Self {
        Self { method, segments: segments.iter().map(|&segment| segment.to_owned()).collect(), query: Vec::new() }
    }

    pub(crate) fn get(segments: &[&str]) -> Self {
        Self::new(Method::GET, segments)
    }

    pub(crate) fn post(segments: &[&str]) -> Self {
        Self::new(Method::POST, segments)
    }

    pub(crate) fn put(segments: &[&str]) -> Self {
        Self::new(Method::PUT, segments)
    }

    pub(crate) fn delete(segments: &[&str]) -> Self {
        Self::new(Method::DELETE, segments)
    }

    /// Adds a query value, if there is one.
    pub(crate) fn query(mut self, name: &'static str, value: Option<&str>) -> Self {
        self.query.extend(value.map(|value| (name, value.to_owned())));
        self
    }

    /// The encoded path with its leading slash.
    ///
    /// An empty segment, `.` and `..` are refused: a URL cannot carry them as data, however they are encoded
    /// (WHATWG URL, "double-dot URL path segment").
    pub(crate) fn path(&self) -> Result<String, Error> {
        let mut path = String::new();
        for segment in &self.segments {
            if matches!(segment.as_str(), "" | "." | "..") {
                return Err(Error::BadSegment { route: self.to_string(), value: segment.clone() });
            }
            path.push('/');
            path.push_str(&percent_encode(segment));
        }
        Ok(path)
    }

    /// The encoded query with its question mark, or nothing.
    pub(crate) fn query_string(&self) -> String {
        let pairs: Vec<_> =
            self.query.iter().map(|(name, value)| format!("{name}={}", percent_encode(value))).collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.method)?;
        self.segments.iter().try_for_each(|segment| write!(f, "/{}", percent_encode(segment)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a14_an_id_cannot_leave_its_place_in_the_path() {
        for (id, encoded) in [
            ("../../admin-api/keys", "..%2F..%2Fadmin-api%2Fkeys"),
            ("a/b?c=d#e", "a%2Fb%3Fc%3Dd%23e"),
            (" lobby ", "%20lobby%20"),
            ("%2e%2e", "%252e%252e"),
            ("a\\b\tc\nd", "a%5Cb%09c%0Ad"),
            ("ä", "%C3%A4"),
        ] {
            let route = Route::get(&["applications", id, "abi"]);
            let path = format!("/applications/{encoded}/abi");
            assert_eq!(route.path().unwrap(), path);
            let url = super::super::NodeUrl::parse("x", "http://h").unwrap().join(&route).unwrap();
            assert_eq!(url.path(), path);
        }
        for id in ["", ".", ".."] {
            let message = Route::get(&["applications", id, "abi"]).path().unwrap_err().to_string();
            assert!(message.contains("/applications/") && message.contains(&format!("`{id}`")), "{message}");
        }
    }

    #[test]
    fn a14_query_values_are_encoded_and_never_shown() {
        let route = Route::get(&["abi"]).query("service_name", Some("../../admin-api/keys")).query("x", None);
        assert_eq!(route.query_string(), "?service_name=..%2F..%2Fadmin-api%2Fkeys");
        assert_eq!(route.to_string(), "GET /abi");
        assert_eq!(Route::get(&["abi"]).query_string(), "");
    }
}
