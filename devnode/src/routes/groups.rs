//! Groups: making, showing, settings, upgrade, removal. An unknown group is the masked 500 everywhere.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::routing::{get, post, put};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::body::{Checked, Parameters, page, path_group};
use crate::ids::Id;
use crate::node::Node;
use crate::reply::{Answer, Failure, bare, data};
use crate::state::{Group, Identity, World, now_ms};

pub(super) fn routes() -> Router<Node> {
    Router::new()
        .route("/groups", post(create))
        .route("/groups/{id}", get(show).delete(remove))
        .route("/groups/{id}/contexts", get(contexts))
        .route("/groups/{id}/contexts/{context}/remove", post(remove_context))
        .route("/groups/{id}/subgroups", get(subgroups))
        .route("/groups/{id}/reparent", post(reparent))
        .route("/groups/{id}/sync", post(sync))
        .route("/groups/{id}/upgrade", post(upgrade))
        .route("/groups/{id}/upgrade/status", get(upgrade_status))
        .route("/groups/{id}/migration-status", get(migration_status))
        .route("/groups/{id}/settings/default-capabilities", put(set_capabilities))
        .route("/groups/{id}/settings/subgroup-visibility", put(set_visibility))
}

/// Whether the node knows this visibility.
pub(super) fn is_visibility(word: &str) -> bool {
    matches!(word, "open" | "restricted")
}

/// `[{groupId, name?}]` of the groups below `id`.
pub(super) fn named(world: &World, id: &Id) -> Vec<Value> {
    let entry = |(id, group): (&Id, &Group)| {
        let mut entry = Map::from_iter([("groupId".to_owned(), json!(id.hex()))]);
        if let Some(name) = group.name() {
            entry.insert("name".into(), name.into());
        }
        Value::Object(entry)
    };
    world.subgroups(id).map(entry).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    application_id: String,
    name: Option<String>,
    parent_group_id: Option<String>,
}

async fn create(State(node): State<Node>, Checked(new): Checked<Create>) -> Answer {
    let application = Id::from_base58(&new.application_id).map_err(Failure::bad)?;
    let parent = new.parent_group_id.as_deref().map(path_group).transpose()?;
    let id = node.world().create_group(application, parent, new.name).ok_or_else(Failure::masked)?;
    data(json!({ "groupId": id.hex() }))
}

async fn show(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_group(&id)?;
    let world = node.world();
    let group = world.groups.get(&id).ok_or_else(Failure::masked)?;
    let members: Vec<u8> = group.members.keys().flat_map(|account| *account.bytes()).collect();
    let mut view = summary(&world, &id, group);
    view.insert("defaultCapabilities".into(), group.default_capabilities.into());
    view.insert("subgroupVisibility".into(), group.visibility.clone().into());
    if let Some(metadata) = &group.metadata {
        view.insert("metadata".into(), json!(metadata));
    }
    view.insert("groupStateHash".into(), Id::of(&[b"group", id.bytes(), &members]).hex().into());
    data(Value::Object(view))
}

fn summary(world: &World, id: &Id, group: &Group) -> Map<String, Value> {
    let mut view = Map::new();
    view.insert("groupId".into(), id.hex().into());
    view.insert("appKey".into(), group.app_key.hex().into());
    view.insert("targetApplicationId".into(), group.application.base58().into());
    view.insert("memberCount".into(), group.members.len().into());
    view.insert("contextCount".into(), world.contexts_of(id).count().into());
    view
}

async fn remove(State(node): State<Node>, Path(id): Path<String>, Checked(_): Checked<Map<String, Value>>) -> Answer {
    let id = path_group(&id)?;
    data(json!({ "isDeleted": node.world().delete_group(&id) }))
}

async fn contexts(State(node): State<Node>, Path(id): Path<String>, Query(query): Query<Parameters>) -> Answer {
    let id = path_group(&id)?;
    let (offset, limit) = page(&query)?;
    let world = node.world();
    world.groups.get(&id).ok_or_else(Failure::masked)?;
    let all: Vec<Value> = world
        .contexts_of(&id)
        .skip(offset)
        .take(limit)
        .map(|(id, context)| {
            let mut entry = Map::from_iter([("contextId".to_owned(), json!(node.context_text(id)))]);
            if let Some(name) = &context.name {
                entry.insert("name".into(), name.clone().into());
            }
            Value::Object(entry)
        })
        .collect();
    data(Value::Array(all))
}

async fn remove_context(
    State(node): State<Node>,
    Path((id, context)): Path<(String, String)>,
    Checked(_): Checked<Map<String, Value>>,
) -> Answer {
    path_group(&id)?;
    let context = node.read_context(&context).map_err(Failure::bad)?;
    if !node.world().delete_context(&context) {
        return Err(Failure::masked());
    }
    bare(json!({}))
}

async fn subgroups(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_group(&id)?;
    let world = node.world();
    world.groups.get(&id).ok_or_else(Failure::masked)?;
    bare(json!({ "subgroups": named(&world, &id) }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reparent {
    new_parent_id: String,
}

async fn reparent(State(node): State<Node>, Path(id): Path<String>, Checked(wanted): Checked<Reparent>) -> Answer {
    let (id, parent) = (path_group(&id)?, path_group(&wanted.new_parent_id)?);
    let mut world = node.world();
    if !world.groups.contains_key(&parent) || id == parent {
        return Err(Failure::masked());
    }
    let group = world.groups.get_mut(&id).ok_or_else(Failure::masked)?;
    let moved = group.parent.is_some_and(|old| old != parent);
    if moved {
        group.parent = Some(parent);
    }
    bare(json!({ "reparented": moved }))
}

async fn sync(State(node): State<Node>, Path(id): Path<String>, Checked(_): Checked<Map<String, Value>>) -> Answer {
    let id = path_group(&id)?;
    let world = node.world();
    let group = world.groups.get(&id).ok_or_else(Failure::masked)?;
    data(Value::Object(summary(&world, &id, group)))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Upgrade {
    target_application_id: String,
}

async fn upgrade(State(node): State<Node>, Path(id): Path<String>, Checked(wanted): Checked<Upgrade>) -> Answer {
    let id = path_group(&id)?;
    let application = Id::from_base58(&wanted.target_application_id).map_err(Failure::bad)?;
    node.world().upgrade_group(&id, application).ok_or_else(Failure::masked)?;
    data(json!({
        "groupId": id.hex(), "status": "completed",
        "localContextsTotal": null, "localContextsSwapped": null, "localContextsFailed": null,
    }))
}

async fn upgrade_status(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_group(&id)?;
    node.world().groups.get(&id).ok_or_else(Failure::masked)?;
    // Upgrades end at once here, so there is never one to tell of.
    data(Value::Null)
}

async fn migration_status(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_group(&id)?;
    let world = node.world();
    let count = world.groups.get(&id).ok_or_else(Failure::masked)?.members.len();
    bare(json!({
        "targetVersion": 1,
        "expectedMembers": count,
        "rollup": {
            "migrated": count, "inProgress": 0, "unknown": 0, "failed": 0, "total": count, "allMigrated": true,
            "membersPendingSignature": 0,
        },
        "members": [{
            "peer": Identity::key().base58(),
            "account": Identity::account().hex(),
            "report": {
                "schemaVersion": 1, "residueAuto": 0, "residueIdentity": 0, "syncedUpToHlc": 0,
                "reportedAt": now_ms(), "authoredRemaining": 0,
            },
            "state": "migrated",
        }],
    }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DefaultCapabilities {
    default_capabilities: u32,
}

async fn set_capabilities(
    State(node): State<Node>,
    Path(id): Path<String>,
    Checked(wanted): Checked<DefaultCapabilities>,
) -> Answer {
    let id = path_group(&id)?;
    node.world().groups.get_mut(&id).ok_or_else(Failure::masked)?.default_capabilities = wanted.default_capabilities;
    bare(json!({}))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SubgroupVisibility {
    subgroup_visibility: String,
}

async fn set_visibility(
    State(node): State<Node>,
    Path(id): Path<String>,
    Checked(wanted): Checked<SubgroupVisibility>,
) -> Answer {
    let id = path_group(&id)?;
    if !is_visibility(&wanted.subgroup_visibility) {
        let text = "Field 'subgroup_visibility' has invalid format: must be 'open' or 'restricted'";
        return Err(Failure::bad(text));
    }
    node.world().groups.get_mut(&id).ok_or_else(Failure::masked)?.visibility = wanted.subgroup_visibility;
    bare(json!({}))
}
