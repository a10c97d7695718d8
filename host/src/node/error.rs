//! Everything that can go wrong between this process and a node.
//!
//! Variants hold facts. What a node or its guest refused is kept undecoded as a [`Failure`], because reading an
//! ecosystem's errors is the job of a decoder component; `Display` is only what is said when no decoder knows better.

use super::settings::{
    ALLOW_CLEARTEXT_VARIABLE, AUTH_TOKEN_VARIABLE, NODE_NAME_VARIABLE, NODE_URL_VARIABLE, PASSWORD_FILE_VARIABLE,
    PASSWORD_VARIABLE, REFRESH_TOKEN_VARIABLE, USERNAME_VARIABLE,
};
use crate::model::{Failure, GuestFailure, HttpFailure};
use std::time::Duration;

/// What to do where no node answers.
const NO_NODE: &str = "start the node, or set CALIMERO_NODE_URL to another; `abi-mcp doctor` says what was looked at, \
                       `abi-mcp serve --embedded` serves a development node";

/// How much of an unexplained body a message quotes, in characters.
const QUOTED_BODY: usize = 300;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A configured URL cannot be a node's.
    #[error("the node URL `{shown}` from {setting} {problem}")]
    BadUrl {
        /// Where it came from.
        setting: String,
        /// The URL without credentials.
        shown: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A configured token cannot be one.
    #[error("the token in {setting} {problem}")]
    BadToken {
        /// Where it came from.
        setting: &'static str,
        /// What is wrong with it; never the token.
        problem: &'static str,
    },
    /// A credential would travel unencrypted to another machine.
    #[error(
        "refusing to send a credential to {url} over cleartext HTTP; use https, or set {ALLOW_CLEARTEXT_VARIABLE}=1 if that \
         network is trusted"
    )]
    CleartextToken {
        /// The node.
        url: String,
    },
    /// A value cannot stand in a path.
    #[error("`{value}` cannot be part of {route}; expected an id or a name")]
    BadSegment {
        /// The request, without query.
        route: String,
        /// The value.
        value: String,
    },
    /// Arguments that are not one JSON value; a fault of the caller.
    #[error("the arguments of `{method}` are not JSON")]
    BadArguments {
        /// The method.
        method: String,
    },
    /// No rung of the discovery matched.
    #[error(
        "No Calimero node found. Start one in the Calimero desktop app, or set {NODE_URL_VARIABLE}. (Looked in {home} \
         and probed local ports.)"
    )]
    NoNode {
        /// The folder looked in.
        home: String,
    },
    /// The node asked for by name is not there.
    #[error("Node \"{name}\" not found in {home}. Available: {}", listed(available))]
    NoSuchNode {
        /// The name asked for.
        name: String,
        /// The folder looked in.
        home: String,
        /// The names that are there.
        available: Vec<String>,
    },
    /// Several nodes and nothing to choose by.
    #[error("Several nodes found in {home}: {}. Set {NODE_NAME_VARIABLE} or {NODE_URL_VARIABLE}.", listed(nodes))]
    SeveralNodes {
        /// The folder looked in.
        home: String,
        /// Each as `name (url)`.
        nodes: Vec<String>,
    },
    /// The node, its guest or the network refused; see [`Failure`].
    #[error("{}", describe(.0))]
    Failure(Box<Failure>),
    /// The node wants a login, or another one.
    #[error("the node at {url} {rejection}: it answered {} to {route}", failure.status)]
    LoginNeeded {
        /// The node.
        url: String,
        /// The request, without query.
        route: String,
        /// What is wrong with the credential, as far as the node says.
        rejection: Rejection,
        /// The answer, for a decoder.
        failure: Box<HttpFailure>,
    },
    /// The node refused a login. The text is the one that clients of the peer know.
    #[error("Authentication failed: {reason}")]
    LoginFailed {
        /// The node.
        url: String,
        /// The node's own reason.
        reason: String,
        /// The answer, for a decoder.
        failure: Box<HttpFailure>,
    },
    /// The node is older than the route that serves ABIs. The text is the one that clients of such nodes know.
    #[error(
        "This node's merod does not support the ABI endpoint (GET /admin-api/applications/:id/abi). Upgrade merod to a \
         release that includes it."
    )]
    AbiRouteMissing,
    /// No whole answer in time.
    #[error("the node at {url} did not answer {route} within {} s; what was asked may have been done all the same", after.as_secs_f32())]
    TimedOut {
        /// The node.
        url: String,
        /// The request, without query.
        route: String,
        /// The time allowed.
        after: Duration,
    },
    /// The caller's own deadline passed first.
    #[error("the call's time was up before the node answered {route}")]
    DeadlinePassed {
        /// The request, without query.
        route: String,
    },
    /// The caller no longer wants the answer.
    #[error("cancelled while waiting for {route}")]
    Cancelled {
        /// The request, without query.
        route: String,
    },
    /// The node pointed elsewhere. Nothing was sent there: a redirect must not carry a credential away.
    #[error(
        "the node answered {route} with a redirect ({status}) to {target}, which is not followed; \
         set {NODE_URL_VARIABLE} to the node itself"
    )]
    Redirected {
        /// The request, without query.
        route: String,
        /// The status.
        status: u16,
        /// Scheme, host and port it pointed to.
        target: String,
    },
    /// The answer ended early.
    #[error("the node's answer to {route} broke off after {received} bytes: {detail}")]
    BodyCut {
        /// The request, without query.
        route: String,
        /// Bytes that did arrive.
        received: usize,
        /// The transport's words.
        detail: String,
    },
    /// The answer is longer than this process is willing to hold.
    #[error("the node's answer to {route} is longer than {limit} bytes")]
    BodyTooLarge {
        /// The request, without query.
        route: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// A success whose body is no JSON.
    #[error("the node's answer to {route} is not JSON ({detail}); its content type is `{content_type}`")]
    NotJson {
        /// The request, without query.
        route: String,
        /// The announced type, or `none`.
        content_type: String,
        /// Where reading stopped.
        detail: String,
    },
    /// JSON of another shape than this route gives.
    #[error("unexpected reply shape from {route}: expected {expected}; {detail}")]
    UnexpectedShape {
        /// The request, without query.
        route: String,
        /// What should have been there.
        expected: &'static str,
        /// What is there instead.
        detail: String,
    },
    /// The HTTP client could not be built.
    #[error("cannot set up the HTTP client: {detail}")]
    Client {
        /// The library's words.
        detail: String,
    },
    /// The attempt to connect ended without a result, because the process is shutting down.
    #[error("connecting to the node was abandoned")]
    Abandoned,
}

/// What a 401 or 403 says about the credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// None was sent.
    #[error("wants a login")]
    NoCredential,
    /// It was sent and not accepted, without a reason.
    #[error("does not accept the credential it was given")]
    NotAccepted,
    /// It is past its time.
    #[error("says that the access token has expired")]
    Expired,
    /// It is past its time, and an attempt to renew it failed for a reason that may pass.
    #[error("says that the access token has expired, and it could not be refreshed")]
    NotRefreshed,
    /// It was withdrawn; the same credential will never work again.
    #[error("says that the credential was revoked")]
    Revoked,
    /// It is valid but may not do this.
    #[error("says that the credential lacks the permission")]
    NotPermitted,
}

impl Error {
    /// A stable code for the kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadUrl { .. } => "node::bad_url",
            Self::BadToken { .. } => "node::bad_token",
            Self::CleartextToken { .. } => "node::cleartext_token",
            Self::BadSegment { .. } => "node::bad_segment",
            Self::BadArguments { .. } => "node::bad_arguments",
            Self::NoNode { .. } => "node::no_node",
            Self::NoSuchNode { .. } => "node::no_such_node",
            Self::SeveralNodes { .. } => "node::several_nodes",
            Self::Failure(failure) => match **failure {
                Failure::Guest(_) => "node::guest",
                Failure::Http(_) => "node::http",
                Failure::Transport(_) => "node::unreachable",
            },
            Self::LoginNeeded { .. } => "node::login_needed",
            Self::LoginFailed { .. } => "node::login_failed",
            Self::AbiRouteMissing => "node::abi_route_missing",
            Self::TimedOut { .. } => "node::timed_out",
            Self::DeadlinePassed { .. } => "node::deadline_passed",
            Self::Cancelled { .. } => "node::cancelled",
            Self::Redirected { .. } => "node::redirected",
            Self::BodyCut { .. } => "node::body_cut",
            Self::BodyTooLarge { .. } => "node::body_too_large",
            Self::NotJson { .. } => "node::not_json",
            Self::UnexpectedShape { .. } => "node::unexpected_shape",
            Self::Client { .. } => "node::client",
            Self::Abandoned => "node::abandoned",
        }
    }

    /// The next step, where there is a certain one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let rejection = match self {
            Self::NoNode { .. } => return Some(NO_NODE.to_owned()),
            Self::Failure(failure) if matches!(**failure, Failure::Transport(_)) => return Some(NO_NODE.to_owned()),
            Self::LoginFailed { .. } => {
                return Some(format!("check {USERNAME_VARIABLE} and {PASSWORD_VARIABLE} or {PASSWORD_FILE_VARIABLE}"));
            }
            Self::LoginNeeded { rejection, .. } => rejection,
            _ => return None,
        };
        Some(match rejection {
            Rejection::NoCredential => ways_to_log_in(),
            Rejection::NotAccepted | Rejection::Expired | Rejection::Revoked => {
                format!("a new credential is needed: {}", ways_to_log_in())
            }
            Rejection::NotRefreshed => {
                format!("try again; if that does not help, a new credential is needed: {}", ways_to_log_in())
            }
            Rejection::NotPermitted => {
                format!("reading ABIs needs the `admin` permission; use a credential that has it: {}", ways_to_log_in())
            }
        })
    }

    /// What an error decoder can read: the node's refusal, or the fact that there was no answer.
    ///
    /// `None` for faults of this side (settings, arguments, shapes, cancellation), whose own words are the best.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        match self {
            Self::Failure(failure) => Some((**failure).clone()),
            Self::LoginNeeded { failure, .. } | Self::LoginFailed { failure, .. } => {
                Some(Failure::Http((**failure).clone()))
            }
            _ => None,
        }
    }

    /// Whether the node answered at all; only then is it known to be there.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        match self {
            Self::Failure(failure) => !matches!(**failure, Failure::Transport(_)),
            Self::LoginNeeded { .. }
            | Self::LoginFailed { .. }
            | Self::AbiRouteMissing
            | Self::Redirected { .. }
            | Self::BodyCut { .. }
            | Self::BodyTooLarge { .. }
            | Self::NotJson { .. }
            | Self::UnexpectedShape { .. } => true,
            _ => false,
        }
    }

    /// Whether the node found the request malformed (400, 422), and so did nothing.
    #[must_use]
    pub fn is_bad_request(&self) -> bool {
        self.http_failure().is_some_and(|http| matches!(http.status, 400 | 422))
    }

    /// Whether the credentials as configured were refused; asking again with the same ones changes nothing.
    #[must_use]
    pub fn is_refused_login(&self) -> bool {
        matches!(self, Self::LoginFailed { .. })
    }

    /// Whether the node asked to be tried again shortly (503). A read-only call may be repeated; a mutating one may
    /// have run.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        self.http_failure().is_some_and(|http| http.status == 503)
    }

    /// How long the node asked to wait (`Retry-After` in seconds), if it did.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let http = self.http_failure()?;
        let (_, value) = http.headers.iter().find(|(name, _)| name == "retry-after")?;
        value.trim().parse().ok().map(Duration::from_secs)
    }

    /// The refusal of the node's HTTP side, unless it is about the credential.
    pub(super) fn http_failure(&self) -> Option<&HttpFailure> {
        match self {
            Self::Failure(failure) => match &**failure {
                Failure::Http(http) => Some(http),
                Failure::Guest(_) | Failure::Transport(_) => None,
            },
            _ => None,
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Failure(Box::new(failure))
    }
}

/// Every way to give this program a credential.
pub(crate) fn ways_to_log_in() -> String {
    format!(
        "use \"Connect AI agent\" in the Calimero desktop app, or set {AUTH_TOKEN_VARIABLE} to an access token of the \
         node (and {REFRESH_TOKEN_VARIABLE} to renew it), or set {USERNAME_VARIABLE} and {PASSWORD_VARIABLE} (or \
         {PASSWORD_FILE_VARIABLE})"
    )
}

/// The sentence for a node that gives no answer.
pub(super) fn unreachable(url: &str, detail: &str) -> String {
    let detail = if detail.is_empty() { "network error" } else { detail };
    format!("Cannot reach the node at {url}: {detail}")
}

/// The node's own sentence in an `{"error": "…"}` body.
pub(super) fn node_message(body: &str) -> Option<String> {
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    let message = body.get("error")?.as_str()?.trim();
    (!message.is_empty()).then(|| message.to_owned())
}

fn describe(failure: &Failure) -> String {
    match failure {
        Failure::Guest(guest) => describe_guest(guest),
        Failure::Http(http) => describe_http(http),
        Failure::Transport(text) => text.clone(),
    }
}

fn describe_guest(guest: &GuestFailure) -> String {
    let text = guest.data.as_deref().map(|data| serde_json::from_str(data).unwrap_or_else(|_| data.to_owned()));
    let parts: Vec<_> = [Some(guest.kind.clone()), guest.message.clone(), text].into_iter().flatten().collect();
    let said = parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(": ");
    if said.is_empty() { format!("`{}` failed and the node gave no reason", guest.method) } else { said }
}

fn describe_http(http: &HttpFailure) -> String {
    if let Some(message) = node_message(&http.body) {
        return message;
    }
    let head = format!("HTTP {} {} from {}", http.status, http.reason, http.path);
    match http.body.trim() {
        "" => format!("{head} - the node returned no message"),
        body => format!("{head} - the node said: {}", body.chars().take(QUOTED_BODY).collect::<String>()),
    }
}

fn listed(items: &[String]) -> String {
    if items.is_empty() { "(none)".to_owned() } else { items.join(", ") }
}
