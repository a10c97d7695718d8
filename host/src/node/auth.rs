//! Who this client is to the node.
//!
//! In: settings. Out: the mode, and the header value of a request. Today a configured token or nothing; the handoff
//! file, the login with credentials, the token store and the refresh come in behind the same [`Auth::header`].

use super::base_url::NodeUrl;
use super::error::{Error, Rejection};
use super::settings::{AUTH_TOKEN_VARIABLE, NodeSettings};
use crate::redact::Secret;
use reqwest::header::HeaderValue;
use std::fmt;

/// Where the credential comes from, as `node_status` reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthMode {
    /// `CALIMERO_AUTH_TOKEN`.
    Token,
    /// No credential; no header is sent.
    None,
}

impl fmt::Display for AuthMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Token => "token",
            Self::None => "none",
        })
    }
}

/// A credential that was checked against the node it is for.
#[derive(Debug, Clone)]
pub(crate) struct Auth {
    bearer: Option<HeaderValue>,
}

impl Auth {
    /// No credential.
    pub(crate) fn none() -> Self {
        Self { bearer: None }
    }

    /// Picks the credential for a node and registers it with the redactor.
    ///
    /// # Errors
    ///
    /// [`Error::BadToken`] for a token that no header can carry, [`Error::CleartextToken`] when it would travel
    /// unencrypted to another machine without the operator's consent.
    pub(crate) fn pick(settings: &NodeSettings, url: &NodeUrl) -> Result<Self, Error> {
        let Some(token) = &settings.auth_token else { return Ok(Self::none()) };
        settings.redactor.learn(token);
        let bearer = bearer(token)?;
        if url.requires_opt_in() && !settings.allow_cleartext {
            return Err(Error::CleartextToken { url: url.to_string() });
        }
        Ok(Self { bearer: Some(bearer) })
    }

    /// Which kind it is.
    pub(crate) fn mode(&self) -> AuthMode {
        if self.bearer.is_some() { AuthMode::Token } else { AuthMode::None }
    }

    /// The `Authorization` header of the next request.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        self.bearer.clone()
    }

    /// Reads a 401 or 403; `None` when it is not about the credential (a 403 with the node's own sentence is a rule of
    /// the application or the group).
    ///
    /// Header values: `calimero-network/core` 051f0848e, auth middleware.
    pub(crate) fn rejection(&self, status: u16, auth_error: Option<&str>, has_message: bool) -> Option<Rejection> {
        let sent = self.bearer.is_some();
        match (status, auth_error) {
            (401 | 403, Some("token_revoked" | "token_reuse")) => Some(Rejection::Revoked),
            (401 | 403, Some("permission_denied")) => Some(Rejection::NotPermitted),
            (401, Some("token_expired")) => Some(Rejection::Expired),
            (401, _) if sent => Some(Rejection::NotAccepted),
            (401, _) => Some(Rejection::NoCredential),
            (403, Some(_)) => Some(Rejection::NotAccepted),
            (403, None) if !has_message => Some(if sent { Rejection::NotPermitted } else { Rejection::NoCredential }),
            _ => None,
        }
    }
}

/// Makes the header value; a leading `Bearer ` is a common slip and is tolerated.
fn bearer(token: &Secret) -> Result<HeaderValue, Error> {
    let refused = |problem| Error::BadToken { setting: AUTH_TOKEN_VARIABLE, problem };
    let text = token.expose().trim();
    let bare = match text.split_once(' ') {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("bearer") => rest.trim(),
        _ => text,
    };
    if bare.is_empty() || bare.eq_ignore_ascii_case("bearer") {
        return Err(refused("is empty"));
    }
    if bare.contains(|c: char| c.is_whitespace()) {
        return Err(refused("contains white space; expected the access token alone"));
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {bare}"))
        .map_err(|_| refused("contains characters that no HTTP header can carry; expected the access token alone"))?;
    // Keeps the value out of the HTTP library's own debug output.
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pick(token: &str, url: &str, allow_cleartext: bool) -> Result<Auth, Error> {
        let settings =
            NodeSettings { auth_token: Some(Secret::new(token)), allow_cleartext, ..NodeSettings::default() };
        Auth::pick(&settings, &NodeUrl::parse("x", url).unwrap())
    }

    #[test]
    fn a27_a_token_goes_in_cleartext_to_this_machine_only_unless_the_operator_says_so() {
        for url in ["http://[::1]:2528", "http://127.0.0.1:2528", "http://localhost:2528", "https://node.example"] {
            assert_eq!(pick("t0ken", url, false).unwrap().mode(), AuthMode::Token, "{url}");
        }
        for url in ["http://node.example:2528", "http://127.0.0.1.nip.example:2528"] {
            let error = pick("t0ken", url, false).unwrap_err();
            assert!(
                error.to_string().contains("CALIMERO_ALLOW_CLEARTEXT") && error.to_string().contains(url),
                "{error}"
            );
            assert!(pick("t0ken", url, true).is_ok());
        }
    }

    #[test]
    fn g01_a_malformed_token_is_refused_by_the_name_of_its_setting_alone() {
        for token in ["FIXTURE TOKEN 123456", "FIXTURE\u{1}TOKEN", "Bearer FIXTURE TOKEN", "Bearer ", " "] {
            let error = pick(token, "http://localhost", false).unwrap_err();
            assert!(error.to_string().contains("CALIMERO_AUTH_TOKEN"), "{error}");
            assert!(!format!("{error} {error:?}").contains("FIXTURE"), "{error:?}");
        }
        for token in ["Bearer FIXTURE-TOKEN-123456", "FIXTURE-TOKEN-123456\n", "bearer  FIXTURE-TOKEN-123456"] {
            let auth = pick(token, "http://localhost", false).unwrap();
            assert_eq!(auth.header().unwrap(), "Bearer FIXTURE-TOKEN-123456");
            assert!(!format!("{auth:?}").contains("FIXTURE"), "{auth:?}");
        }
    }

    #[test]
    fn a_forbidden_with_the_nodes_own_sentence_is_not_about_the_credential() {
        let auth = Auth::none();
        assert_eq!(auth.rejection(403, None, true), None);
        assert_eq!(auth.rejection(403, None, false), Some(Rejection::NoCredential));
        assert_eq!(auth.rejection(403, Some("permission_denied"), false), Some(Rejection::NotPermitted));
        assert_eq!(auth.rejection(500, Some("token_revoked"), false), None);
    }
}
