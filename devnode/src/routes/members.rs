//! Members of groups: adding, removing, roles, capabilities, joining and leaving.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post, put};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::body::{Checked, Parameters, page, path_account, path_group};
use crate::ids::Id;
use crate::node::{Inner, Node};
use crate::reply::{Answer, Failure, bare, data};
use crate::state::{Identity, Member, Role};

pub(super) fn routes() -> Router<Node> {
    Router::new()
        .route("/groups/{id}/members", get(list).post(add))
        .route("/groups/{id}/members/remove", post(remove))
        .route("/groups/{id}/member-devices", get(devices))
        .route("/groups/{id}/members/{account}/role", put(set_role))
        .route("/groups/{id}/members/{account}/capabilities", get(capabilities).put(set_capabilities))
        .route("/groups/{id}/members/{account}/auto-follow", put(set_auto_follow))
        .route("/groups/{id}/join-via-inheritance", post(join_via_inheritance))
        .route("/groups/{id}/leave", post(leave_group))
}

/// A member with nothing but a role.
pub(super) fn plain(role: Role) -> Member {
    Member { role, capabilities: 0, metadata: None }
}

/// Takes this node out of a group; the last admin cannot go.
pub(super) fn leave(node: &Inner, id: &Id) -> Result<(), Failure> {
    let mut world = node.world();
    let group = world.groups.get_mut(id).ok_or_else(Failure::masked)?;
    if group.is_last_admin(&Identity::account()) {
        return Err(Failure::masked());
    }
    group.members.remove(&Identity::account());
    Ok(())
}

async fn list(State(node): State<Node>, Path(id): Path<String>, Query(query): Query<Parameters>) -> Answer {
    let id = path_group(&id)?;
    let (offset, limit) = page(&query)?;
    let world = node.world();
    let group = world.groups.get(&id).ok_or_else(Failure::masked)?;
    let members: Vec<Value> = group
        .members
        .iter()
        .skip(offset)
        .take(limit)
        .map(|(account, member)| {
            let mut entry = Map::new();
            entry.insert("identity".into(), account.hex().into());
            entry.insert("role".into(), json!(member.role));
            if let Some(name) = member.metadata.as_ref().and_then(|metadata| metadata.name.clone()) {
                entry.insert("name".into(), name.into());
            }
            Value::Object(entry)
        })
        .collect();
    bare(json!({ "members": members }))
}

#[derive(Deserialize)]
struct Add {
    members: Vec<NewMember>,
}

#[derive(Deserialize)]
struct NewMember {
    identity: String,
    role: Role,
}

async fn add(State(node): State<Node>, Path(id): Path<String>, Checked(wanted): Checked<Add>) -> Answer {
    let id = path_group(&id)?;
    let mut accounts = Vec::new();
    for member in wanted.members {
        let account = Id::from_hex(&member.identity).or_else(|| Id::from_base58(&member.identity).ok());
        accounts.push((account.ok_or_else(bad_account)?, member.role));
    }
    let mut world = node.world();
    let group = world.groups.get_mut(&id).ok_or_else(Failure::masked)?;
    for (account, role) in accounts {
        group.members.entry(account).or_insert_with(|| plain(role)).role = role;
    }
    bare(json!({}))
}

#[derive(Deserialize)]
struct Remove {
    members: Vec<String>,
}

async fn remove(State(node): State<Node>, Path(id): Path<String>, Checked(wanted): Checked<Remove>) -> Answer {
    let id = path_group(&id)?;
    let accounts: Option<Vec<Id>> = wanted.members.iter().map(|text| Id::from_hex(text)).collect();
    let accounts = accounts.ok_or_else(bad_account)?;
    let mut world = node.world();
    let group = world.groups.get_mut(&id).ok_or_else(Failure::masked)?;
    if accounts.iter().any(|account| group.is_last_admin(account)) {
        return Err(Failure::masked());
    }
    group.members.retain(|account, _| !accounts.contains(account));
    bare(json!({}))
}

async fn devices(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_group(&id)?;
    let world = node.world();
    let group = world.groups.get(&id).ok_or_else(Failure::masked)?;
    let own = json!([{ "deviceId": Identity::device().hex(), "signingKey": Identity::key().base58() }]);
    let members: Vec<Value> = group
        .members
        .keys()
        .map(|account| {
            // Of others the node has never seen a device.
            let devices = if *account == Identity::account() { own.clone() } else { json!([]) };
            json!({ "account": account.hex(), "devices": devices })
        })
        .collect();
    bare(json!({ "members": members }))
}

#[derive(Deserialize)]
struct SetRole {
    role: Role,
}

async fn set_role(
    State(node): State<Node>,
    Path((id, account)): Path<(String, String)>,
    Checked(wanted): Checked<SetRole>,
) -> Answer {
    let (id, account) = (path_group(&id)?, path_account(&account)?);
    let mut world = node.world();
    let group = world.groups.get_mut(&id).ok_or_else(Failure::masked)?;
    if wanted.role != Role::Admin && group.is_last_admin(&account) {
        return Err(Failure::masked());
    }
    group.members.get_mut(&account).ok_or_else(Failure::masked)?.role = wanted.role;
    bare(json!({}))
}

async fn capabilities(State(node): State<Node>, Path((id, account)): Path<(String, String)>) -> Answer {
    let (id, account) = (path_group(&id)?, path_account(&account)?);
    let world = node.world();
    let group = world.groups.get(&id).ok_or_else(Failure::masked)?;
    let member = group.members.get(&account).ok_or_else(Failure::masked)?;
    data(json!({ "capabilities": member.capabilities }))
}

#[derive(Deserialize)]
struct SetCapabilities {
    capabilities: u32,
}

async fn set_capabilities(
    State(node): State<Node>,
    Path((id, account)): Path<(String, String)>,
    Checked(wanted): Checked<SetCapabilities>,
) -> Answer {
    let (id, account) = (path_group(&id)?, path_account(&account)?);
    let mut world = node.world();
    let group = world.groups.get_mut(&id).ok_or_else(Failure::masked)?;
    group.members.get_mut(&account).ok_or_else(Failure::masked)?.capabilities = wanted.capabilities;
    bare(json!({}))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AutoFollow {
    #[serde(rename = "autoFollowContexts")]
    _contexts: bool,
    #[serde(rename = "autoFollowSubgroups")]
    _subgroups: bool,
}

/// Nothing can be read back of it over HTTP, so only the shape is checked.
async fn set_auto_follow(
    State(node): State<Node>,
    Path((id, account)): Path<(String, String)>,
    Checked(_): Checked<AutoFollow>,
) -> Answer {
    let (id, account) = (path_group(&id)?, path_account(&account)?);
    let world = node.world();
    let group = world.groups.get(&id).ok_or_else(Failure::masked)?;
    group.members.get(&account).ok_or_else(Failure::masked)?;
    bare(json!({}))
}

async fn join_via_inheritance(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_group(&id)?;
    let mut world = node.world();
    let refuse = |status, text: &str| Failure::Envelope(status, text.into());
    let group = world.groups.get(&id).ok_or_else(|| refuse(StatusCode::NOT_FOUND, "Group not found"))?;
    let inherits = group.visibility == "open"
        && group
            .parent
            .and_then(|parent| world.groups.get(&parent))
            .is_some_and(|parent| parent.members.contains_key(&Identity::account()));
    let was_member = group.members.contains_key(&Identity::account());
    if !was_member && !inherits {
        return Err(refuse(StatusCode::FORBIDDEN, "not a member of group"));
    }
    if let Some(group) = world.groups.get_mut(&id) {
        group.members.entry(Identity::account()).or_insert_with(|| plain(Role::Member));
    }
    data(json!({
        "groupId": id.hex(), "memberPublicKey": Identity::key().base58(), "wasInherited": !was_member,
    }))
}

async fn leave_group(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_group(&id)?;
    leave(&node, &id)?;
    data(json!({ "groupId": id.hex(), "memberPublicKey": Identity::key().base58() }))
}

fn bad_account() -> Failure {
    Failure::bad("Invalid account format: expected 64 hex characters (32 bytes)")
}
