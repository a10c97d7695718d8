//! Namespaces: the groups without a parent, their subgroups and invitations.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::body::{Checked, Parameters, Plain, page, path_group, path_id};
use crate::ids::Id;
use crate::node::Node;
use crate::reply::{Answer, Failure, data};
use crate::state::{Group, Identity, Role, World, now_ms};

pub(super) fn routes() -> Router<Node> {
    Router::new()
        .route("/namespaces", get(list).post(create))
        .route("/namespaces/for-application/{app}", get(for_application))
        .route("/namespaces/{id}", get(show).delete(remove))
        .route("/namespaces/{id}/invite", post(invite))
        .route("/namespaces/{id}/join", post(join))
        .route("/namespaces/{id}/leave", post(leave))
        .route("/namespaces/{id}/groups", get(subgroups).post(create_subgroup))
        .route("/groups/{id}/invite", post(invite))
        .route("/groups/join", post(join_group))
}

/// How long an invitation holds when nothing is said, in seconds: a year.
const INVITATION_SECONDS: u64 = 31_536_000;

async fn list(State(node): State<Node>, Query(query): Query<Parameters>) -> Answer {
    let (offset, limit) = page(&query)?;
    let world = node.world();
    let all: Vec<Value> =
        namespaces(&world).skip(offset).take(limit).map(|(id, group)| view(&world, id, group)).collect();
    data(Value::Array(all))
}

async fn for_application(State(node): State<Node>, Path(app): Path<String>, Query(query): Query<Parameters>) -> Answer {
    let app = path_id(&app)?;
    let (offset, limit) = page(&query)?;
    let world = node.world();
    let fitting = namespaces(&world).filter(|(_, group)| group.application == app);
    let all: Vec<Value> = fitting.skip(offset).take(limit).map(|(id, group)| view(&world, id, group)).collect();
    data(Value::Array(all))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    application_id: String,
    name: Option<String>,
}

async fn create(State(node): State<Node>, Checked(new): Checked<Create>) -> Answer {
    let application = Id::from_base58(&new.application_id).map_err(|error| {
        let what = "Invalid JSON data: Failed to deserialize the JSON body into the target type";
        Failure::bad(format!("{what}: applicationId: {error}"))
    })?;
    let id = node.world().create_group(application, None, new.name).ok_or_else(Failure::masked)?;
    data(json!({ "namespaceId": id.hex() }))
}

async fn show(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_group(&id)?;
    let world = node.world();
    let group = world.groups.get(&id).filter(|group| group.parent.is_none());
    let group = group.ok_or_else(|| Failure::missing("No namespace identity found"))?;
    data(view(&world, &id, group))
}

async fn remove(State(node): State<Node>, Path(id): Path<String>, Checked(_): Checked<Map<String, Value>>) -> Answer {
    let id = path_group(&id)?;
    data(json!({ "isDeleted": node.world().delete_group(&id) }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Invite {
    expiration_timestamp: Option<u64>,
    recursive: Option<bool>,
}

async fn invite(State(node): State<Node>, Path(id): Path<String>, Checked(wanted): Checked<Invite>) -> Answer {
    let id = path_group(&id)?;
    let world = node.world();
    let group = world.groups.get(&id).ok_or_else(Failure::masked)?;
    let valid = wanted.expiration_timestamp.unwrap_or(INVITATION_SECONDS);
    if wanted.recursive == Some(true) {
        let mut all = vec![(&id, group)];
        all.extend(world.subgroups(&id));
        let invitations: Vec<Value> = all
            .into_iter()
            .map(|(id, group)| {
                let mut entry = Map::from_iter([("groupId".to_owned(), json!(id.hex()))]);
                entry.extend(invitation(id, group, valid));
                Value::Object(entry)
            })
            .collect();
        return data(json!({ "invitations": invitations }));
    }
    data(Value::Object(invitation(&id, group, valid)))
}

/// `{invitation, groupName?}`; the inner object is opaque to clients.
fn invitation(id: &Id, group: &Group, valid_seconds: u64) -> Map<String, Value> {
    let expiration = (now_ms() / 1000).saturating_add(valid_seconds);
    let salt = Id::of(&[b"salt", id.bytes(), &expiration.to_be_bytes()]);
    let signature = |half: &str| Id::of(&[half.as_bytes(), id.bytes(), salt.bytes()]).hex();
    let body = json!({
        "invitation": {
            "inviter_identity": Identity::key().bytes(),
            "group_id": id.bytes(),
            "expiration_timestamp": expiration,
            "secret_salt": salt.bytes(),
            "invited_role": 1,
        },
        "inviter_signature": format!("{}{}", signature("r"), signature("s")),
        "inviter_account": Identity::account().hex(),
        "application_id": group.application.bytes(),
        "app_key": group.app_key.bytes(),
    });
    let mut entry = Map::from_iter([("invitation".to_owned(), body)]);
    if let Some(name) = group.name() {
        entry.insert("groupName".into(), name.into());
    }
    entry
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Join {
    invitation: SignedInvitation,
}

#[derive(Deserialize)]
struct SignedInvitation {
    invitation: Invitation,
    #[serde(rename = "inviter_signature")]
    _signature: String,
}

#[derive(Deserialize)]
struct Invitation {
    group_id: [u8; 32],
    expiration_timestamp: u64,
}

async fn join(State(node): State<Node>, Path(id): Path<String>, Checked(wanted): Checked<Join>) -> Answer {
    path_group(&id)?;
    let joined = accept(&node, &wanted)?;
    data(json!({
        "namespaceId": joined.hex(),
        "memberIdentity": Identity::key().base58(),
        "memberAccount": Identity::account().hex(),
    }))
}

async fn join_group(State(node): State<Node>, Checked(wanted): Checked<Join>) -> Answer {
    let joined = accept(&node, &wanted)?;
    data(json!({
        "groupId": joined.hex(),
        "memberIdentity": Identity::key().base58(),
        "memberAccount": Identity::account().hex(),
    }))
}

/// The node is alone: it can only join what it has.
fn accept(node: &Node, wanted: &Join) -> Result<Id, Failure> {
    let inner = &wanted.invitation.invitation;
    if inner.expiration_timestamp < now_ms() / 1000 {
        return Err(Failure::bad("Invitation has expired"));
    }
    let id = Id::from_hex(&inner.group_id.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let mut world = node.world();
    let known = id.and_then(|id| world.groups.get_mut(&id).map(|group| (id, group)));
    let unreachable = "no namespace member could be reached";
    let (id, group) = known.ok_or_else(|| Failure::Envelope(StatusCode::GATEWAY_TIMEOUT, unreachable.into()))?;
    group.members.entry(Identity::account()).or_insert_with(|| super::members::plain(Role::Member));
    Ok(id)
}

async fn leave(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_group(&id)?;
    super::members::leave(&node, &id)?;
    data(json!({ "namespaceId": id.hex(), "memberPublicKey": Identity::key().base58() }))
}

async fn subgroups(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_group(&id)?;
    data(Value::Array(super::groups::named(&node.world(), &id)))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreateSubgroup {
    group_name: Option<String>,
    visibility: Option<String>,
}

async fn create_subgroup(
    State(node): State<Node>,
    Path(id): Path<String>,
    Plain(new): Plain<CreateSubgroup>,
) -> Answer {
    let id = path_group(&id)?;
    let visibility = new.visibility.unwrap_or_else(|| "restricted".into());
    if !super::groups::is_visibility(&visibility) {
        return Err(Failure::masked());
    }
    let mut world = node.world();
    let application = world.groups.get(&id).ok_or_else(Failure::masked)?.application;
    let made = world.create_group(application, Some(id), new.group_name).ok_or_else(Failure::masked)?;
    if let Some(group) = world.groups.get_mut(&made) {
        group.visibility = visibility;
    }
    data(json!({ "groupId": made.hex() }))
}

fn namespaces(world: &World) -> impl Iterator<Item = (&Id, &Group)> {
    world.groups.iter().filter(|(_, group)| group.parent.is_none())
}

fn view(world: &World, id: &Id, group: &Group) -> Value {
    let mut view = Map::new();
    view.insert("namespaceId".into(), id.hex().into());
    view.insert("appKey".into(), group.app_key.hex().into());
    view.insert("targetApplicationId".into(), group.application.base58().into());
    view.insert("createdAt".into(), group.created_at.into());
    if let Some(name) = group.name() {
        view.insert("name".into(), name.into());
    }
    view.insert("memberCount".into(), group.members.len().into());
    view.insert("contextCount".into(), world.contexts_of(id).count().into());
    view.insert("subgroupCount".into(), world.subgroups(id).count().into());
    if let Some(version) = &group.app_version {
        view.insert("appVersion".into(), version.clone().into());
    }
    Value::Object(view)
}
