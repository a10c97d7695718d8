//! HTTP failures of a node, its auth service, or a proxy before them.

use super::{explanation, guest, hinted, text};
use abi_mcp_sdk::serde_json::{Value, from_str};
use abi_mcp_sdk::{Class, Explanation, GuestFailure, HttpFailure, Retry};

/// Most characters of a body that is not the node's own error are shown.
const LONGEST_BODY: usize = 300;

/// What the node answers for whatever it does not want to explain.
const MASKED: &str = "Internal server error";

/// What precedes the text of an initialiser that failed, when a context is created.
const INITIALISING: &str = "application initialization failed: ";

pub(super) fn explain(failure: &HttpFailure) -> Explanation {
    let body = from_str::<Value>(&failure.body).ok();
    let said = match body.as_ref().map(|body| body.get("error").unwrap_or(body)) {
        Some(Value::Object(error)) => {
            // A run that failed, answered outside the JSON-RPC envelope.
            if let Some(explained) = error.get("type").and_then(Value::as_str).and_then(|kind| run(kind, error)) {
                return explained;
            }
            error.get("message").and_then(Value::as_str)
        }
        Some(Value::String(said)) => Some(said.as_str()),
        _ => None,
    };
    let said = said.map(str::trim).filter(|said| !said.is_empty());
    if let Some(failed) = said.and_then(|said| said.strip_prefix(INITIALISING)) {
        return initialiser(failed);
    }
    let (class, retry) = match said {
        Some(said) if said.eq_ignore_ascii_case("context not found") => (Class::ContextNotFound, Retry::AfterChange),
        _ => classify(failure.status),
    };
    let message = match said {
        Some(MASKED) => format!("{}: the node gave no reason", at(failure)),
        Some(said) => said.to_owned(),
        None => unexplained(failure),
    };
    let masked = said == Some(MASKED) || (failure.status == 500 && failure.body.trim().is_empty());
    let explanation = explanation(class, retry, message);
    match hint(failure, masked) {
        Some(hint) => hinted(explanation, hint),
        None => explanation,
    }
}

fn run(kind: &str, error: &abi_mcp_sdk::json::Object) -> Option<Explanation> {
    guest::explain(&GuestFailure { kind: kind.to_owned(), data: error.get("data").cloned(), ..GuestFailure::default() })
}

/// Creating a context ran the application's `init`, which failed as any method may.
fn initialiser(failed: &str) -> Explanation {
    match text::explain(failed, None) {
        Some(explained) if explained.class == Class::ArgumentsNotRead => explained,
        Some(explained) => Explanation { message: format!("{INITIALISING}{}", explained.message), ..explained },
        None => explanation(Class::Application, Retry::AfterChange, format!("{INITIALISING}{failed}")),
    }
}

fn unexplained(failure: &HttpFailure) -> String {
    let body = failure.body.trim();
    // JSON without a word in it, such as `{"data": null}`, is no message.
    if body.is_empty() {
        return format!("{} - the node returned no message", at(failure));
    }
    let shown: String = body.chars().take(LONGEST_BODY).collect();
    format!("{} - the node said: {shown}", at(failure))
}

/// `HTTP 502 Bad Gateway from /path`; the query never shows, it may hold a secret.
fn at(failure: &HttpFailure) -> String {
    let reason = if failure.reason.trim().is_empty() { usual_reason(failure.status) } else { failure.reason.trim() };
    let path = failure.path.split('?').next().unwrap_or_default();
    let space = if reason.is_empty() { "" } else { " " };
    let from = if path.is_empty() { "" } else { " from " };
    format!("HTTP {}{space}{reason}{from}{path}", failure.status)
}

fn classify(status: u16) -> (Class, Retry) {
    match status {
        401 | 403 => (Class::NotAllowed, Retry::No),
        408 | 425 | 429 | 503 => (Class::Temporary, Retry::Later),
        502 | 504 => (Class::Backend, Retry::Later),
        400..=499 => (Class::BadRequest, Retry::AfterChange),
        _ => (Class::Backend, Retry::No),
    }
}

fn hint(failure: &HttpFailure, masked: bool) -> Option<String> {
    let header = |wanted: &str| failure.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.trim());
    let reason = header("x-auth-error");
    match (failure.status, reason) {
        (401, Some("token_expired")) => Some("the login has expired: log in to the node again".to_owned()),
        (401 | 403, Some(reason @ ("token_revoked" | "token_reuse"))) => {
            Some(format!("the node has withdrawn this login ({reason}): log in to the node again"))
        }
        (401, Some(reason)) => Some(format!("the node wants a login ({reason})")),
        (401, None) => Some("the node wants a login".to_owned()),
        (403, Some("permission_denied")) => {
            Some("this login may not do that: log in with one that has the permission".to_owned())
        }
        (403, Some(reason)) => Some(format!("the node refuses this login ({reason})")),
        (429 | 503, _) => Some(match header("retry-after") {
            Some(after) if after.bytes().all(|byte| byte.is_ascii_digit()) && !after.is_empty() => {
                format!("try again in {after} s")
            }
            _ => "try again shortly".to_owned(),
        }),
        _ if masked => Some("the reason is in the node's log".to_owned()),
        _ => None,
    }
}

/// The phrase of a status, for transports that carry none.
fn usual_reason(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "",
    }
}
