//! The credential of one request, and what an answer says about it.
//!
//! In: a token. Out: the header that carries it, and the reading of a 401 or 403. Where tokens come from, and what to
//! do about a refusal, is the business of `auth`.

use super::error::{Error, Rejection};
use crate::redact::Secret;
use reqwest::header::HeaderValue;

/// An access token that a header can carry. Two are equal when they carry the same token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bearer {
    token: Secret,
    header: HeaderValue,
}

impl Bearer {
    /// Checks a token that came from `setting` (a variable or a file, for the message). A leading `Bearer ` is a
    /// common slip and is tolerated.
    ///
    /// # Errors
    ///
    /// [`Error::BadToken`], which never shows the token.
    pub(crate) fn new(setting: &'static str, token: &Secret) -> Result<Self, Error> {
        let refused = |problem| Error::BadToken { setting, problem };
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
        let mut header = HeaderValue::from_str(&format!("Bearer {bare}")).map_err(|_| {
            refused("contains characters that no HTTP header can carry; expected the access token alone")
        })?;
        // Keeps the value out of the HTTP library's own debug output.
        header.set_sensitive(true);
        Ok(Self { token: Secret::new(bare), header })
    }

    /// The token without the scheme's name.
    pub(crate) fn token(&self) -> &Secret {
        &self.token
    }

    /// The value of the `Authorization` header.
    pub(crate) fn header(&self) -> HeaderValue {
        self.header.clone()
    }
}

/// Reads a 401 or 403; `None` when it is not about the credential (a 403 with the node's own sentence is a rule of the
/// application or the group).
///
/// Header values: `calimero-network/core` 051f0848e, auth middleware.
pub(crate) fn rejection(sent: bool, status: u16, auth_error: Option<&str>, has_message: bool) -> Option<Rejection> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g01_a_malformed_token_is_refused_by_the_name_of_its_setting_alone() {
        for token in ["FIXTURE TOKEN 123456", "FIXTURE\u{1}TOKEN", "Bearer FIXTURE TOKEN", "Bearer ", " "] {
            let error = Bearer::new("CALIMERO_AUTH_TOKEN", &Secret::new(token)).unwrap_err();
            assert!(error.to_string().contains("CALIMERO_AUTH_TOKEN"), "{error}");
            assert!(!format!("{error} {error:?}").contains("FIXTURE"), "{error:?}");
        }
        for token in ["Bearer FIXTURE-TOKEN-123456", "FIXTURE-TOKEN-123456\n", "bearer  FIXTURE-TOKEN-123456"] {
            let bearer = Bearer::new("CALIMERO_AUTH_TOKEN", &Secret::new(token)).unwrap();
            assert_eq!(bearer.header(), "Bearer FIXTURE-TOKEN-123456");
            assert!(!format!("{bearer:?}").contains("FIXTURE"), "{bearer:?}");
        }
    }

    #[test]
    fn a_forbidden_with_the_nodes_own_sentence_is_not_about_the_credential() {
        assert_eq!(rejection(false, 403, None, true), None);
        assert_eq!(rejection(false, 403, None, false), Some(Rejection::NoCredential));
        assert_eq!(rejection(false, 403, Some("permission_denied"), false), Some(Rejection::NotPermitted));
        assert_eq!(rejection(false, 500, Some("token_revoked"), false), None);
    }
}
