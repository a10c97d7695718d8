//! Liveness and readiness. All public, whatever the access is.

use axum::Json;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use serde_json::json;

use crate::node::Node;
use crate::reply::{Answer, Failure, data};

pub(super) fn routes() -> Router<Node> {
    Router::new()
        .route("/health", get(alive))
        .route("/ready", get(ready))
        // Says the same to everybody: it does not look at a token.
        .route("/is-authed", get(alive))
        .route("/certificate", get(certificate))
}

async fn alive() -> Answer {
    data(json!({ "status": "alive" }))
}

async fn ready(State(node): State<Node>) -> Response {
    match node.unready() {
        None => Json(json!({ "data": { "status": "ready" } })).into_response(),
        Some(status) => {
            (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "data": { "status": status } }))).into_response()
        }
    }
}

async fn certificate() -> Answer {
    Err(Failure::Text(StatusCode::NOT_FOUND, "Certificate not found".into()))
}
