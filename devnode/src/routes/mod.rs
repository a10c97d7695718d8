//! The routes of the node, one file a kind of thing.
//!
//! Each file has `routes()` and the handlers; handlers turn a request into a change or a view of the state and choose
//! the shape of the answer (`spec/calimero-node-api.md` §§2-6).

mod aliases;
mod applications;
mod auth;
mod blobs;
mod contexts;
mod groups;
mod health;
mod install;
mod members;
mod metadata;
mod namespaces;
mod network;
mod rpc;

use axum::Router;

use crate::node::Node;

/// All routes below the base path.
pub(crate) fn all() -> Router<Node> {
    let admin = Router::new()
        .merge(health::routes())
        .merge(applications::routes())
        .merge(install::routes())
        .merge(blobs::routes())
        .merge(contexts::routes())
        .merge(namespaces::routes())
        .merge(groups::routes())
        .merge(members::routes())
        .merge(metadata::routes())
        .merge(aliases::routes())
        .merge(network::routes());
    Router::new().nest("/admin-api", admin).merge(rpc::routes()).merge(auth::routes())
}
