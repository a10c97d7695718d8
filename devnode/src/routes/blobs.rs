//! Blobs: those that clients put, and the bundles of installed applications.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::response::IntoResponse as _;
use axum::routing::get;
use serde_json::{Value, json};

use crate::body::{Parameters, Raw};
use crate::ids::Id;
use crate::node::Node;
use crate::reply::{Answer, Failure, bare, data};

pub(super) fn routes() -> Router<Node> {
    Router::new().route("/blobs", get(list).put(put)).route("/blobs/{id}", get(show).delete(remove))
}

async fn list(State(node): State<Node>) -> Answer {
    let world = node.world();
    let stored = world.blobs.iter().map(|(id, bytes)| (*id, bytes.len()));
    let bundles = world.bundles().map(|(id, bytes)| (id, bytes.len()));
    let blobs: Vec<Value> =
        stored.chain(bundles).map(|(id, size)| json!({ "blob_id": id.base58(), "size": size })).collect();
    data(json!({ "blobs": blobs }))
}

async fn put(State(node): State<Node>, Query(query): Query<Parameters>, body: Raw) -> Answer {
    let id = Id::digest(&body);
    if query.get("hash").is_some_and(|hash| *hash != id.base58()) {
        return Err(internal("Failed to store blob: fatal: blob hash mismatch"));
    }
    let size = body.len();
    node.world().blobs.insert(id, body.to_vec());
    data(json!({ "blob_id": id.base58(), "size": size }))
}

async fn show(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = blob_id(&id)?;
    let world = node.world();
    let bytes = world.blobs.get(&id).cloned().or_else(|| world.bytecode(&id));
    let bytes = bytes.ok_or_else(|| Failure::missing("Blob not found locally or in network"))?;
    let hash = Id::digest(&bytes).hex();
    let kind = "application/octet-stream";
    let headers = [
        (CONTENT_TYPE.as_str(), kind.to_owned()),
        (ETAG.as_str(), format!("\"{hash}\"")),
        ("x-blob-id", id.base58()),
        ("x-blob-hash", hash),
        ("x-blob-mime-type", kind.to_owned()),
    ];
    Ok((headers, bytes).into_response())
}

async fn remove(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = blob_id(&id)?;
    let mut world = node.world();
    if world.bytecode(&id).is_some() {
        let text = "Blob is referenced by an installed application and cannot be deleted";
        return Err(Failure::Envelope(StatusCode::FORBIDDEN, text.into()));
    }
    if world.blobs.remove(&id).is_none() {
        return Err(internal("Failed to delete blob: Blob not found"));
    }
    bare(json!({ "blob_id": id.base58(), "deleted": true }))
}

fn blob_id(text: &str) -> Result<Id, Failure> {
    Id::from_base58(text).map_err(|_| Failure::bad("Invalid blob ID format"))
}

fn internal(text: &str) -> Failure {
    Failure::Envelope(StatusCode::INTERNAL_SERVER_ERROR, text.into())
}
