//! A pair of tokens and what can be read off them.
//!
//! Knows the JSON in which the pair is stored and sent, and the two claims of a JSON web token that decide which of
//! two pairs is newer and how long one lives. Signatures are the node's business.

use crate::redact::Secret;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long an access token is taken to live when it does not say so.
const USUAL_LIFE: Duration = Duration::from_secs(3600);

/// An access token and the single-use token that renews it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tokens {
    /// Sent with every request.
    pub(crate) access: Secret,
    /// Empty when there is none.
    pub(crate) refresh: Secret,
}

/// The pair as the node sends it.
#[derive(Deserialize)]
pub(crate) struct WireTokens {
    access_token: String,
    #[serde(default)]
    refresh_token: Option<String>,
}

/// The pair as it is stored. The same file serves other programs (§4.2 of the peer's description), so its members are
/// fixed; `expires_at` is for people.
#[derive(Serialize, Deserialize)]
struct StoredTokens {
    access_token: String,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    expires_at: Value,
}

impl Tokens {
    /// A pair; without a refresh token the access token is used until it expires.
    pub(crate) fn new(access: Secret, refresh: Option<Secret>) -> Self {
        Self { access, refresh: refresh.unwrap_or_else(|| Secret::new("")) }
    }

    /// The pair after a login or a refresh. An answer without a refresh token keeps `earlier`'s: the node did not say
    /// that it is used up. `None` for an empty access token.
    pub(crate) fn from_wire(wire: WireTokens, earlier: Option<&Self>) -> Option<Self> {
        let filled = |text: String| (!text.trim().is_empty()).then(|| Secret::new(text.trim()));
        let refresh = wire.refresh_token.and_then(filled).or_else(|| earlier.map(|tokens| tokens.refresh.clone()));
        Some(Self::new(filled(wire.access_token)?, refresh))
    }

    /// Reads a stored pair; `None` when it is damaged.
    pub(crate) fn from_stored(text: &str) -> Option<Self> {
        // By way of a map: a list of the right length would pass for the members in their order.
        let stored: Map<String, Value> = serde_json::from_str(text).ok()?;
        let stored: StoredTokens = serde_json::from_value(stored.into()).ok()?;
        Self::from_wire(WireTokens { access_token: stored.access_token, refresh_token: stored.refresh_token }, None)
    }

    /// The pair as it is stored.
    pub(crate) fn to_stored(&self) -> String {
        let expiry = claim(&self.access, "exp").unwrap_or_else(|| (now() + USUAL_LIFE).as_secs_f64());
        let stored = StoredTokens {
            access_token: self.access.expose().to_owned(),
            refresh_token: Some(self.refresh.expose().to_owned()),
            expires_at: serde_json::json!((expiry * 1000.0) as u64),
        };
        // Strings and a number: this cannot fail.
        serde_json::to_string(&stored).unwrap_or_default()
    }

    /// Whether there is a refresh token.
    pub(crate) fn can_refresh(&self) -> bool {
        !self.refresh.expose().is_empty()
    }

    /// Whether this pair was issued strictly later than `other`. What does not say when it was issued is not newer:
    /// the other side may have been refreshed since, and replaying a used refresh token makes the node revoke all.
    pub(crate) fn is_newer_than(&self, other: &Self) -> bool {
        match (claim(&self.access, "iat"), claim(&other.access, "iat")) {
            (Some(own), Some(other)) => own > other,
            _ => false,
        }
    }
}

/// The time since 1970; a clock before that counts as then.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// A numeric claim of a JSON web token (RFC 7519), in seconds.
fn claim(token: &Secret, name: &str) -> Option<f64> {
    let mut parts = token.expose().split('.');
    let (_, payload, _, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next()) else { return None };
    let payload = URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
    let claims: Map<String, Value> = serde_json::from_slice(&payload).ok()?;
    claims.get(name)?.as_f64()
}

/// A token with these claims, for tests.
#[cfg(test)]
pub(crate) fn token_with(claims: &Value) -> String {
    format!("eyJhbGciOiJIUzI1NiJ9.{}.c2lnbmF0dXJl", URL_SAFE_NO_PAD.encode(claims.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn issued(iat: &Value) -> Tokens {
        Tokens::new(Secret::new(token_with(&json!({ "iat": iat }))), None)
    }

    #[test]
    fn only_a_pair_that_says_it_was_issued_later_is_newer() {
        let (old, new, opaque) = (issued(&json!(2000)), issued(&json!(3000)), Tokens::new(Secret::new("opaque"), None));
        assert!(new.is_newer_than(&old));
        for (one, other) in [(&old, &new), (&new, &new), (&opaque, &old), (&new, &opaque), (&opaque, &opaque)] {
            assert!(!one.is_newer_than(other));
        }
        assert!(!issued(&json!("3000")).is_newer_than(&old), "a claim that is no number");
        assert!(issued(&json!(2000.5)).is_newer_than(&old));
    }

    #[test]
    fn a_pair_is_stored_in_the_shared_form_with_its_expiry_in_milliseconds() {
        let access = token_with(&json!({ "exp": 1_893_456_000 }));
        let tokens = Tokens::new(Secret::new(access.clone()), Some(Secret::new("r")));
        let stored: Value = serde_json::from_str(&tokens.to_stored()).unwrap();
        let expected = json!({ "access_token": access, "refresh_token": "r", "expires_at": 1_893_456_000_000_u64 });
        assert_eq!(stored, expected);
        assert_eq!(Tokens::from_stored(&tokens.to_stored()), Some(tokens));
        let opaque: Value = serde_json::from_str(&Tokens::new(Secret::new("o"), None).to_stored()).unwrap();
        assert_eq!(opaque["refresh_token"], "");
        let hour = opaque["expires_at"].as_u64().unwrap() / 1000 - now().as_secs();
        assert!((3590..=3601).contains(&hour), "{hour}");
    }

    #[test]
    fn f09_an_answer_without_a_refresh_token_keeps_the_old_one() {
        let earlier = Tokens::new(Secret::new("a"), Some(Secret::new("r")));
        for refresh_token in [None, Some(String::new())] {
            let wire = WireTokens { access_token: "aaa.bbb.ccc".to_owned(), refresh_token };
            let tokens = Tokens::from_wire(wire, Some(&earlier)).unwrap();
            assert_eq!((tokens.access.expose(), tokens.refresh.expose()), ("aaa.bbb.ccc", "r"));
        }
        let wire = WireTokens { access_token: " ".to_owned(), refresh_token: None };
        assert_eq!(Tokens::from_wire(wire, None), None);
    }
}
