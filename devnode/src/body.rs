//! Reading what came with a request: JSON bodies, ids in the path, paging.
//!
//! The node reads bodies in two ways and a client sees the difference: most routes validate and answer every fault
//! with 400 and an envelope ([`Checked`]), a few leave it to the framework, which answers 400, 415 or 422 in plain
//! text ([`Plain`]). The words are the framework's own in both cases. Routes decide; this file only reads.

use std::collections::HashMap;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use serde::de::DeserializeOwned;

use crate::ids::Id;
use crate::reply::Failure;

/// A body whose every fault is 400 with an envelope.
pub(crate) struct Checked<T>(pub(crate) T);

/// A body whose faults are plain text with the framework's status.
pub(crate) struct Plain<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Checked<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let rejection = match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => return Ok(Self(value)),
            Err(rejection) => rejection,
        };
        let text = rejection.body_text();
        Err(Failure::bad(match rejection {
            JsonRejection::JsonSyntaxError(_) => format!("JSON syntax error: {text}"),
            JsonRejection::JsonDataError(_) => format!("Invalid JSON data: {text}"),
            _ => text,
        }))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Plain<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(rejection) => Err(Failure::Text(rejection.status(), rejection.body_text())),
        }
    }
}

/// Whatever bytes came.
pub(crate) type Raw = Bytes;

/// The parameters of the query string.
pub(crate) type Parameters = HashMap<String, String>;

/// A base58 id in a typed path segment; a bad one is the framework's plain 400.
pub(crate) fn path_id(text: &str) -> Result<Id, Failure> {
    Id::from_base58(text).map_err(|error| Failure::Text(StatusCode::BAD_REQUEST, format!("Invalid URL: {error}")))
}

/// A group or namespace id in the path.
pub(crate) fn path_group(text: &str) -> Result<Id, Failure> {
    Id::from_hex(text).ok_or_else(|| Failure::bad("Invalid group id format: expected hex-encoded 32 bytes"))
}

/// An account id in the path.
pub(crate) fn path_account(text: &str) -> Result<Id, Failure> {
    Id::from_hex(text).ok_or_else(|| Failure::bad("Invalid account format: expected 64 hex characters (32 bytes)"))
}

/// `offset` and `limit` of a listing. The node clamps silently: an offset to 100000, a limit to 1000 (default 100).
pub(crate) fn page(query: &Parameters) -> Result<(usize, usize), Failure> {
    let number = |name: &str, default: usize| match query.get(name) {
        None => Ok(default),
        Some(text) => text.parse::<usize>().map_err(|error| {
            Failure::Text(StatusCode::BAD_REQUEST, format!("Failed to deserialize query string: {error}"))
        }),
    };
    Ok((number("offset", 0)?.min(100_000), number("limit", 100)?.min(1000)))
}
