//! The two requests of the node's auth service that this client sends: login and refresh.
//!
//! Shapes as recorded with `calimero-network/core` 051f0848e (`POST /auth/token`, `POST /auth/refresh`). Neither is
//! sent with a credential in its headers, and neither is ever repeated here.

use super::tokens::{Tokens, WireTokens, now};
use crate::model::{CallScope, Failure, HttpFailure};
use crate::node::envelope::{Wrap, read};
use crate::node::error::{Error, node_message};
use crate::node::http::{Http, Request};
use crate::node::route::Route;
use crate::node::session::json_body;
use crate::node::{Limits, NodeUrl};
use crate::redact::Secret;
use serde::Serialize;

/// Names this client to the node. Must not be a URL: the node would bind the token to that URL's host.
const CLIENT_NAME: &str = "abi-mcp";

/// What the node puts before its reason, once or twice.
const FAILED: &str = "Authentication failed: ";

/// A user name and its password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Login {
    pub(crate) username: String,
    pub(crate) password: Secret,
}

/// Why a refresh gave no tokens.
#[derive(Debug)]
pub(crate) enum RefreshFault {
    /// The refresh token was used before or withdrawn; it will never work again.
    Terminal,
    /// Anything else. The tokens are as good as they were.
    Other(Error),
}

#[derive(Serialize)]
struct TokenRequest<'a> {
    auth_method: &'static str,
    public_key: &'a str,
    client_name: &'static str,
    permissions: [&'static str; 1],
    timestamp: u64,
    provider_data: ProviderData<'a>,
}

#[derive(Serialize)]
struct ProviderData<'a> {
    username: &'a str,
    password: &'a str,
}

#[derive(Serialize)]
struct RefreshRequest<'a> {
    access_token: &'a str,
    refresh_token: &'a str,
}

/// The auth service of one node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AuthService<'a> {
    pub(crate) http: &'a Http,
    pub(crate) url: &'a NodeUrl,
    pub(crate) limits: &'a Limits,
}

impl AuthService<'_> {
    /// Logs in.
    ///
    /// # Errors
    ///
    /// [`Error::LoginFailed`] when the node refuses; otherwise those of an exchange.
    pub(crate) async fn login(&self, login: &Login) -> Result<Tokens, Error> {
        let Login { username, password } = login;
        let body = TokenRequest {
            auth_method: "user_password",
            public_key: username,
            client_name: CLIENT_NAME,
            // Reading ABIs needs it: the node maps that route to no narrower permission.
            permissions: ["admin"],
            timestamp: now().as_secs(),
            provider_data: ProviderData { username, password: password.expose() },
        };
        let answer = self.post("token", json_body(&body), None).await;
        answer.map_err(|error| match refusal(&error) {
            Some(http) => {
                Error::LoginFailed { url: self.url.to_string(), reason: reason(http), failure: Box::new(http.clone()) }
            }
            None => error,
        })
    }

    /// Trades a refresh token for a new pair.
    ///
    /// # Errors
    ///
    /// [`RefreshFault`].
    pub(crate) async fn refresh(&self, tokens: &Tokens) -> Result<Tokens, RefreshFault> {
        let (access_token, refresh_token) = (tokens.access.expose(), tokens.refresh.expose());
        let body = json_body(&RefreshRequest { access_token, refresh_token });
        self.post("refresh", body, Some(tokens)).await.map_err(|error| {
            let told = refusal(&error).and_then(|http| header(http, "x-auth-error"));
            match told {
                Some("token_reuse" | "token_revoked") => RefreshFault::Terminal,
                _ => RefreshFault::Other(error),
            }
        })
    }

    async fn post(&self, what: &str, body: Vec<u8>, earlier: Option<&Tokens>) -> Result<Tokens, Error> {
        const EXPECTED: &str = "an object with `access_token`";
        let request = Request::new(Route::post(&["auth", what])).json(body);
        let answer = self.http.send(self.url, None, self.limits, &request, &CallScope::default()).await?;
        // A parser's own words may quote what it read, which here are tokens.
        let unexpected = || Error::UnexpectedShape {
            route: answer.route.clone(),
            expected: EXPECTED,
            detail: "it is something else".to_owned(),
        };
        let wire: WireTokens = read(&answer, Wrap::Data, EXPECTED).map_err(|_| unexpected())?;
        Tokens::from_wire(wire, earlier).ok_or_else(unexpected)
    }
}

/// The node's refusal, whatever its status was taken for.
fn refusal(error: &Error) -> Option<&HttpFailure> {
    match error {
        Error::LoginNeeded { failure, .. } => Some(failure),
        Error::Failure(failure) => match &**failure {
            Failure::Http(http) => Some(http),
            Failure::Guest(_) | Failure::Transport(_) => None,
        },
        _ => None,
    }
}

fn reason(http: &HttpFailure) -> String {
    let mut text = node_message(&http.body).unwrap_or_else(|| format!("HTTP {} {}", http.status, http.reason));
    while let Some(rest) = text.strip_prefix(FAILED) {
        text = rest.to_owned();
    }
    text.trim().to_owned()
}

fn header<'a>(http: &'a HttpFailure, name: &str) -> Option<&'a str> {
    http.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}
