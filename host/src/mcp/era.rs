//! Which protocol revision a request speaks, read from the request alone.
//!
//! In: a request's `params`. Out: its [`Era`], or the error that says what its metadata lacks. Remembers nothing: a
//! request of the modern era carries its own version and capabilities (MCP 2026-07-28, "Versioning"), and one that
//! carries none is legacy. Whether a legacy request may come before `initialize` is for `admit` to say.

use crate::model::JsonObject;
use rmcp::ErrorData;
use rmcp::model::{ProtocolVersion, RequestMetaObject};
use serde_json::Value;

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO_KEY: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";

/// MCP 2026-07-28, "Logging". We send no log messages; a level that does not exist is refused all the same.
const LOG_LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// The protocol revisions served, newest first: the order in which `server/discover` and -32022 list them.
pub(super) static SUPPORTED: [ProtocolVersion; 5] = [
    ProtocolVersion::V_2026_07_28,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2024_11_05,
];

/// The two shapes of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// Up to 2025-11-25: one `initialize` for the connection.
    Legacy,
    /// 2026-07-28: every request for itself.
    Modern,
}

impl Era {
    /// The era of a request whose metadata [`claim`] has already accepted.
    pub(super) fn of(meta: &RequestMetaObject) -> Self {
        match meta.protocol_version() {
            Some(version) if !version.has_initialize() => Self::Modern,
            _ => Self::Legacy,
        }
    }
}

/// What a request says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// It names a revision in its metadata and can be served from that alone.
    Inline(Era),
    /// It names none: it belongs to a connection opened with `initialize`.
    Session,
}

/// Reads the era from a request's parameters.
///
/// # Errors
///
/// -32602 for metadata that lacks a required key or has a malformed one, -32022 for a revision that is not served.
pub(super) fn claim(params: &JsonObject) -> Result<Claim, ErrorData> {
    let Some(meta) = params.get("_meta").filter(|meta| !meta.is_null()) else { return Ok(Claim::Session) };
    let Some(meta) = meta.as_object() else {
        return Err(ErrorData::invalid_params("`_meta` must be an object", None));
    };
    let Some(version) = meta.get(VERSION_KEY) else {
        let modern = [CAPABILITIES_KEY, CLIENT_INFO_KEY].iter().any(|key| meta.contains_key(*key));
        return if modern { Err(lacks(VERSION_KEY, "a string")) } else { Ok(Claim::Session) };
    };
    let Some(version) = version.as_str().and_then(known_shape) else { return Err(lacks(VERSION_KEY, "a string")) };
    if !SUPPORTED.contains(&version) {
        return Err(ErrorData::unsupported_protocol_version(version, &SUPPORTED));
    }
    if version.has_initialize() {
        return Ok(Claim::Inline(Era::Legacy));
    }
    if !meta.get(CAPABILITIES_KEY).is_some_and(Value::is_object) {
        return Err(lacks(CAPABILITIES_KEY, "an object"));
    }
    check_log_level(meta)?;
    Ok(Claim::Inline(Era::Modern))
}

/// The error for a request that needs metadata and has none.
pub(super) fn needs_metadata(method: &str) -> ErrorData {
    ErrorData::invalid_params(
        format!("`{method}` needs `{VERSION_KEY}` and `{CAPABILITIES_KEY}` in `_meta`, or an `initialize` before it"),
        None,
    )
}

fn known_shape(version: &str) -> Option<ProtocolVersion> {
    serde_json::from_value(Value::String(version.to_owned())).ok()
}

fn lacks(key: &str, expected: &str) -> ErrorData {
    ErrorData::invalid_params(format!("request `_meta` lacks `{key}`, which must be {expected}"), None)
}

fn check_log_level(meta: &JsonObject) -> Result<(), ErrorData> {
    let Some(level) = meta.get(LOG_LEVEL_KEY) else { return Ok(()) };
    if level.as_str().is_some_and(|level| LOG_LEVELS.contains(&level)) {
        return Ok(());
    }
    Err(ErrorData::invalid_params(format!("`{LOG_LEVEL_KEY}` must be one of {}", LOG_LEVELS.join(", ")), None))
}
