//! The shapes in which the node answers.
//!
//! Most answers are `{"data": …}`, some are bare JSON; a failure is `{"error": "…"}`, plain text or nothing at all
//! (`spec/calimero-node-api.md` §1.2). A route says which one it means; this file knows nothing of routes.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// What a route gives back.
pub(crate) type Answer = Result<Response, Failure>;

/// A refusal and the shape it is sent in.
#[derive(Debug)]
pub(crate) enum Failure {
    /// `{"error": text}`.
    Envelope(StatusCode, String),
    /// The text alone, as `text/plain`.
    Text(StatusCode, String),
}

impl Failure {
    /// The mask the real node puts before everything it did not foresee.
    pub(crate) fn masked() -> Self {
        Self::Envelope(StatusCode::INTERNAL_SERVER_ERROR, "Internal server error".into())
    }

    /// 400 in the envelope.
    pub(crate) fn bad(text: impl Into<String>) -> Self {
        Self::Envelope(StatusCode::BAD_REQUEST, text.into())
    }

    /// 404 in the envelope.
    pub(crate) fn missing(text: &str) -> Self {
        Self::Envelope(StatusCode::NOT_FOUND, text.into())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self {
            Self::Envelope(status, text) => (status, Json(json!({ "error": text }))).into_response(),
            Self::Text(status, text) => (status, text).into_response(),
        }
    }
}

/// 200 with `{"data": value}`.
pub(crate) fn data(value: Value) -> Answer {
    bare(json!({ "data": value }))
}

/// 200 with `value` as it is.
pub(crate) fn bare(value: Value) -> Answer {
    Ok(Json(value).into_response())
}
