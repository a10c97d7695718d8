//! Names and free data of groups, members and contexts.

use std::collections::BTreeMap;

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::get;
use serde::Deserialize;
use serde_json::json;

use crate::body::{Checked, path_account, path_group};
use crate::node::Node;
use crate::reply::{Answer, Failure, bare, data};
use crate::state::Metadata;

pub(super) fn routes() -> Router<Node> {
    Router::new()
        .route("/groups/{id}/metadata", get(of_group).put(set_group))
        .route("/groups/{id}/members/{account}/metadata", get(of_member).put(set_member))
        .route("/groups/{id}/contexts/{context}/metadata", get(of_context).put(set_context))
}

/// An absent name keeps the old one; data replaces all.
#[derive(Deserialize)]
struct Put {
    name: Option<String>,
    #[serde(default)]
    data: BTreeMap<String, String>,
}

impl Put {
    /// Limits in bytes: name 64, 64 entries, key 64, value 4096 (`calimero-node-api.md` §5).
    fn check(&self) -> Result<(), Failure> {
        let refuse = |text: String| Err(Failure::bad(format!("Field 'metadata' has invalid format: {text}")));
        if let Some(name) = &self.name {
            if name.is_empty() {
                return refuse("metadata name must not be empty".into());
            }
            if name.len() > 64 {
                return refuse(format!("metadata name too long: {} bytes (max 64)", name.len()));
            }
        }
        if self.data.len() > 64 {
            return refuse(format!("too many metadata entries: {} (max 64)", self.data.len()));
        }
        for (key, value) in &self.data {
            if key.len() > 64 {
                return refuse(format!("metadata key too long: {} bytes (max 64)", key.len()));
            }
            if value.len() > 4096 {
                return refuse(format!("metadata value too long: {} bytes (max 4096)", value.len()));
            }
        }
        Ok(())
    }

    fn over(self, old: Option<&Metadata>) -> Metadata {
        let name = self.name.or_else(|| old.and_then(|metadata| metadata.name.clone()));
        Metadata::new(name, self.data)
    }
}

async fn of_group(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_group(&id)?;
    data(json!(node.world().groups.get(&id).ok_or_else(Failure::masked)?.metadata))
}

async fn set_group(State(node): State<Node>, Path(id): Path<String>, Checked(put): Checked<Put>) -> Answer {
    let id = path_group(&id)?;
    put.check()?;
    let mut world = node.world();
    let group = world.groups.get_mut(&id).ok_or_else(Failure::masked)?;
    group.metadata = Some(put.over(group.metadata.as_ref()));
    bare(json!({}))
}

async fn of_member(State(node): State<Node>, Path((id, account)): Path<(String, String)>) -> Answer {
    let (id, account) = (path_group(&id)?, path_account(&account)?);
    let world = node.world();
    let group = world.groups.get(&id).ok_or_else(Failure::masked)?;
    data(json!(group.members.get(&account).and_then(|member| member.metadata.clone())))
}

async fn set_member(
    State(node): State<Node>,
    Path((id, account)): Path<(String, String)>,
    Checked(put): Checked<Put>,
) -> Answer {
    let (id, account) = (path_group(&id)?, path_account(&account)?);
    put.check()?;
    let mut world = node.world();
    let group = world.groups.get_mut(&id).ok_or_else(Failure::masked)?;
    let member = group.members.get_mut(&account).ok_or_else(Failure::masked)?;
    member.metadata = Some(put.over(member.metadata.as_ref()));
    bare(json!({}))
}

async fn of_context(State(node): State<Node>, Path((id, context)): Path<(String, String)>) -> Answer {
    let id = path_group(&id)?;
    let context = node.read_context(&context).map_err(Failure::bad)?;
    let world = node.world();
    let group = world.groups.get(&id).ok_or_else(Failure::masked)?;
    data(json!(group.context_metadata.get(&context)))
}

async fn set_context(
    State(node): State<Node>,
    Path((id, context)): Path<(String, String)>,
    Checked(put): Checked<Put>,
) -> Answer {
    let id = path_group(&id)?;
    let context = node.read_context(&context).map_err(Failure::bad)?;
    put.check()?;
    let mut world = node.world();
    let group = world.groups.get_mut(&id).ok_or_else(Failure::masked)?;
    let metadata = put.over(group.context_metadata.get(&context));
    group.context_metadata.insert(context, metadata);
    bare(json!({}))
}
