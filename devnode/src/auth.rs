//! The tokens of a node with embedded auth: who holds which, until when, and which refresh token was used.
//!
//! Tokens look like JSON web tokens and carry the real claims, but nothing is signed: a token is good because it is
//! written down here. Refresh tokens are used once; a second use revokes the family, as on the real node
//! (`spec/calimero-node-api.md` §8). Routes and their shapes are elsewhere.

use std::collections::BTreeMap;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::ids::Id;

/// Lives of the tokens, in seconds.
const ACCESS_LIFE: u64 = 3600;
const REFRESH_LIFE: u64 = 30 * 24 * 3600;

/// How many wrong passwords for one name close the door to it.
const LOGIN_TRIES: u32 = 5;

/// The permission that includes all others.
pub(crate) const ADMIN: &str = "admin";

/// A pair of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedTokens {
    /// Sent with every request.
    pub access_token: String,
    /// Renews it, once.
    pub refresh_token: String,
}

/// Why a token does not open a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// None was sent.
    Missing,
    /// Not one of ours, or a refresh token.
    Garbage,
    /// Bound to another host.
    OtherHost,
    /// Past its time.
    Expired,
    /// Withdrawn.
    Revoked,
    /// Good, but not for this.
    NotPermitted,
}

/// Why a refresh gave nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefreshDenied {
    /// The access token is not one of ours.
    BadAccess,
    /// It has not expired.
    TooEarly,
    /// The refresh token is not one of ours, or past its time.
    BadRefresh,
    /// It was used before.
    Reuse,
}

/// Who sent a token.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) subject: String,
    pub(crate) permissions: Vec<String>,
}

/// What one token is.
#[derive(Clone, Debug)]
struct Token {
    access: bool,
    family: usize,
    expires: u64,
    used: bool,
}

/// Tokens that renew one another.
#[derive(Clone, Debug)]
struct Family {
    caller: Caller,
    /// The root key keeps its access tokens when its refresh tokens are revoked (recorded: `auth-after-reuse`).
    root: bool,
    client: String,
    refresh_revoked: bool,
    revoked: bool,
}

/// The state of the auth service.
#[derive(Debug)]
pub(crate) struct AuthService {
    started: Instant,
    tokens: BTreeMap<String, Token>,
    families: Vec<Family>,
    failures: BTreeMap<String, u32>,
    reuses: usize,
}

impl Default for AuthService {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            tokens: BTreeMap::new(),
            families: Vec::new(),
            failures: BTreeMap::new(),
            reuses: 0,
        }
    }
}

impl Denied {
    /// The answer of a route of the node: an empty body, and at most one word in a header.
    pub(crate) fn of_node_route(self, newer: bool) -> Response {
        let (status, word) = match self {
            Self::Missing | Self::Garbage | Self::OtherHost => (StatusCode::UNAUTHORIZED, None),
            Self::Expired => (StatusCode::UNAUTHORIZED, Some("token_expired")),
            // Field case A19: the recorded node has no word for it.
            Self::Revoked if newer => (StatusCode::FORBIDDEN, Some("token_revoked")),
            Self::Revoked => (StatusCode::UNAUTHORIZED, None),
            Self::NotPermitted => (StatusCode::FORBIDDEN, Some("permission_denied")),
        };
        match word {
            Some(word) => (status, [("x-auth-error", word)]).into_response(),
            None => status.into_response(),
        }
    }
}

impl Caller {
    /// Whether one of the permissions is this one or includes it.
    pub(crate) fn may(&self, permission: &str) -> bool {
        let includes = |own: &str| {
            own == ADMIN || own == permission || permission.strip_prefix(own).is_some_and(|rest| rest.starts_with(':'))
        };
        self.permissions.iter().any(|own| includes(own))
    }
}

/// What a route asks for, as far as it is told apart here; all else asks for everything.
pub(crate) fn needed_permission(method: &str, path: &str) -> &'static str {
    match (method, path) {
        (_, "/jsonrpc") => "context:execute",
        ("GET", "/admin-api/applications") => "application:list",
        ("GET", "/admin-api/namespaces") => "namespace:list",
        ("GET", path) if path.starts_with("/admin-api/contexts") => "context:list",
        _ => ADMIN,
    }
}

impl AuthService {
    /// Seconds since the service began.
    pub(crate) fn uptime(&self) -> u64 {
        self.started.elapsed().as_secs()
    }

    /// Whether this name may try a password; counts a wrong one.
    pub(crate) fn is_locked(&self, user: &str) -> bool {
        self.failures.get(user).is_some_and(|count| *count >= LOGIN_TRIES)
    }

    /// Writes a try down.
    pub(crate) fn tried(&mut self, user: &str, good: bool) {
        if good {
            self.failures.remove(user);
        } else {
            *self.failures.entry(user.to_owned()).or_default() += 1;
        }
    }

    /// A pair for the root key.
    pub(crate) fn issue_root(&mut self, client: &str) -> IssuedTokens {
        let subject = Id::digest(b"abi-mcp development root key").hex();
        let caller = Caller { subject, permissions: vec![ADMIN.into()] };
        self.issue(caller, true, client)
    }

    /// A pair for a client of the root key.
    pub(crate) fn issue_client(&mut self, permissions: Vec<String>) -> IssuedTokens {
        let subject = uuid(&format!("client {}", self.families.len()));
        self.issue(Caller { subject, permissions }, false, "")
    }

    fn issue(&mut self, caller: Caller, root: bool, client: &str) -> IssuedTokens {
        let family = self.families.len();
        let client = client.to_owned();
        self.families.push(Family { caller, root, client, refresh_revoked: false, revoked: false });
        self.pair(family)
    }

    fn pair(&mut self, family: usize) -> IssuedTokens {
        IssuedTokens {
            access_token: self.token(family, true, ACCESS_LIFE),
            refresh_token: self.token(family, false, REFRESH_LIFE),
        }
    }

    fn token(&mut self, family: usize, access: bool, life: u64) -> String {
        let iat = now();
        let Some(Family { caller, client, .. }) = self.families.get(family) else { return String::new() };
        let claims = json!({
            "sub": caller.subject, "iss": "calimero-auth", "aud": "calimero-auth", "exp": iat + life, "iat": iat,
            "jti": uuid(&format!("token {}", self.tokens.len())), "token_type": if access { "access" } else { "refresh" },
            "permissions": caller.permissions,
        });
        let mut claims = claims.as_object().cloned().unwrap_or_default();
        if !client.is_empty() {
            claims.insert("node_url".to_owned(), client.as_str().into());
        }
        let head = json!({ "typ": "JWT", "alg": "HS256" });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&head), part(&claims.into()));
        let text = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(Id::digest(signed.as_bytes()).bytes()));
        self.tokens.insert(text.clone(), Token { access, family, expires: iat + life, used: false });
        text
    }

    /// Who holds an access token.
    pub(crate) fn check(&self, text: &str, host: &str) -> Result<Caller, Denied> {
        let token = self.tokens.get(text).filter(|token| token.access).ok_or(Denied::Garbage)?;
        let family = self.families.get(token.family).ok_or(Denied::Garbage)?;
        if bound_host(&family.client).is_some_and(|bound| bound != host) {
            return Err(Denied::OtherHost);
        }
        if token.expires <= now() {
            return Err(Denied::Expired);
        }
        if family.revoked {
            return Err(Denied::Revoked);
        }
        Ok(family.caller.clone())
    }

    /// Trades a refresh token for a new pair.
    pub(crate) fn refresh(&mut self, access: &str, refresh: &str) -> Result<IssuedTokens, RefreshDenied> {
        let old = self.tokens.get(access).filter(|token| token.access).ok_or(RefreshDenied::BadAccess)?;
        if old.expires > now() {
            return Err(RefreshDenied::TooEarly);
        }
        let token = self.tokens.get_mut(refresh).filter(|token| !token.access).ok_or(RefreshDenied::BadRefresh)?;
        let family = self.families.get_mut(token.family).ok_or(RefreshDenied::BadRefresh)?;
        if token.used || family.refresh_revoked {
            self.reuses += usize::from(token.used);
            family.refresh_revoked = true;
            family.revoked |= !family.root;
            return Err(RefreshDenied::Reuse);
        }
        if token.expires <= now() {
            return Err(RefreshDenied::BadRefresh);
        }
        token.used = true;
        let family = token.family;
        Ok(self.pair(family))
    }

    pub(crate) fn expire_all(&mut self) {
        self.tokens.values_mut().filter(|token| token.access).for_each(|token| token.expires = 0);
    }

    pub(crate) fn revoke_all(&mut self) {
        for family in &mut self.families {
            family.revoked = true;
            family.refresh_revoked = true;
        }
    }

    pub(crate) fn reuses(&self) -> usize {
        self.reuses
    }
}

/// The host a client name binds its tokens to, if it is a URL.
fn bound_host(client: &str) -> Option<String> {
    let uri: Uri = client.parse().ok()?;
    uri.scheme()?;
    uri.host().map(str::to_owned)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// The text form of a UUID, made of a name.
fn uuid(name: &str) -> String {
    let hex = Id::of(&[b"uuid", name.as_bytes()]).hex();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}
