//! Contexts: listing, making, joining, leaving, removing.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::body::{Checked, Parameters, page, path_id};
use crate::ids::Id;
use crate::node::{Inner, Node};
use crate::reply::{Answer, Failure, bare, data};
use crate::state::{Context, CreateFault, Identity, NewContext};

pub(super) fn routes() -> Router<Node> {
    Router::new()
        .route("/contexts", get(list).post(create))
        .route("/contexts/{id}", get(show).delete(remove))
        .route("/contexts/{id}/join", post(join))
        .route("/contexts/{id}/leave", post(leave))
        .route("/contexts/{id}/identities", get(identities))
        .route("/contexts/{id}/identities-owned", get(identities))
        .route("/contexts/{id}/group", get(group))
        .route("/contexts/{id}/storage", get(storage))
        .route("/contexts/{id}/application", post(set_application))
        .route("/contexts/for-application/{app}", get(for_application))
        .route("/contexts/with-executors/for-application/{app}", get(with_executors))
        .route("/contexts/sync", post(sync_all))
        .route("/contexts/sync/{id}", post(sync))
}

async fn list(State(node): State<Node>, Query(query): Query<Parameters>) -> Answer {
    let (offset, limit) = page(&query)?;
    let world = node.world();
    let contexts: Vec<Value> =
        world.contexts.iter().skip(offset).take(limit).map(|(id, context)| listed(&node, id, context)).collect();
    data(json!({ "contexts": contexts }))
}

async fn for_application(State(node): State<Node>, Path(app): Path<String>) -> Answer {
    let app = path_id(&app)?;
    let world = node.world();
    let fitting = world.contexts.iter().filter(|(_, context)| context.application == app);
    let contexts: Vec<Value> = fitting.map(|(id, context)| listed(&node, id, context)).collect();
    data(json!({ "contexts": contexts }))
}

async fn with_executors(State(node): State<Node>, Path(app): Path<String>) -> Answer {
    let app = path_id(&app)?;
    let world = node.world();
    let fitting = world.contexts.iter().filter(|(_, context)| context.application == app);
    let contexts: Vec<Value> = fitting
        .map(|(id, context)| {
            json!({
                "id": node.context_text(id),
                "application_id": context.application.base58(),
                "contextStateHash": context.state_hash().base58(),
                "executors": keys(context),
            })
        })
        .collect();
    bare(json!({ "contexts": contexts }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    application_id: String,
    group_id: String,
    initialization_params: Vec<u8>,
    service_name: Option<String>,
    context_seed: Option<String>,
    name: Option<String>,
}

async fn create(State(node): State<Node>, Checked(wanted): Checked<Create>) -> Answer {
    let field = |name: &str, error: String| {
        let what = "Invalid JSON data: Failed to deserialize the JSON body into the target type";
        Failure::bad(format!("{what}: {name}: {error}"))
    };
    let application = Id::from_base58(&wanted.application_id).map_err(|error| field("applicationId", error))?;
    let group = Id::from_hex(&wanted.group_id)
        .ok_or_else(|| Failure::bad("Invalid group_id: expected hex-encoded 32 bytes"))?;
    let seed = wanted.context_seed.as_deref().map(Id::from_base58).transpose();
    let new = NewContext {
        application,
        group,
        service: wanted.service_name,
        init: wanted.initialization_params,
        name: wanted.name,
        seed: seed.map_err(|error| field("contextSeed", error))?,
    };
    let made = node.world().create_context(new, node.guest_errors);
    let id = made.map_err(|fault| match fault {
        CreateFault::Masked => Failure::masked(),
        CreateFault::Refused(text) => Failure::bad(format!("application initialization failed: {text}")),
    })?;
    data(json!({
        "contextId": node.context_text(&id),
        "memberPublicKey": Identity::key().base58(),
        "groupId": group.hex(),
        "groupCreated": false,
    }))
}

async fn show(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = read(&node, &id)?;
    let world = node.world();
    let context = world.contexts.get(&id).ok_or_else(unknown)?;
    data(Value::Object(view(&node, &id, context)))
}

async fn remove(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = read(&node, &id)?;
    data(json!({ "isDeleted": node.world().delete_context(&id) }))
}

async fn join(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = read_either(&id)?;
    let mut world = node.world();
    // Unknown here is masked, unlike GET.
    let context = world.contexts.get_mut(&id).ok_or_else(Failure::masked)?;
    if !context.members.contains(&Identity::key()) {
        context.members.push(Identity::key());
    }
    membership(&node, &id)
}

async fn leave(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = read_either(&id)?;
    let mut world = node.world();
    let context = world.contexts.get_mut(&id).ok_or_else(Failure::masked)?;
    context.members.retain(|member| *member != Identity::key());
    membership(&node, &id)
}

async fn identities(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = read(&node, &id)?;
    let world = node.world();
    let context = world.contexts.get(&id).ok_or_else(unknown)?;
    data(json!({ "identities": keys(context) }))
}

async fn group(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = read(&node, &id)?;
    let group = node.world().contexts.get(&id).map(|context| context.group.hex());
    data(json!(group))
}

async fn storage(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = read(&node, &id)?;
    let world = node.world();
    let context = world.contexts.get(&id).ok_or_else(unknown)?;
    let size = if context.state.is_empty() { 0 } else { Value::Object(context.state.clone()).to_string().len() };
    data(json!({ "sizeInBytes": size }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetApplication {
    application_id: String,
}

async fn set_application(
    State(node): State<Node>,
    Path(id): Path<String>,
    Checked(wanted): Checked<SetApplication>,
) -> Answer {
    let id = read(&node, &id)?;
    let application = Id::from_base58(&wanted.application_id).map_err(Failure::bad)?;
    let mut world = node.world();
    let app = world.applications.get(&application).map(|installed| std::sync::Arc::clone(&installed.current));
    let context = world.contexts.get_mut(&id).ok_or_else(Failure::masked)?;
    context.app = app.ok_or_else(Failure::masked)?;
    context.application = application;
    data(Value::Null)
}

async fn sync_all() -> Answer {
    data(Value::Null)
}

async fn sync(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    read(&node, &id)?;
    data(Value::Null)
}

fn membership(node: &Inner, id: &Id) -> Answer {
    data(json!({ "contextId": node.context_text(id), "memberPublicKey": Identity::key().base58() }))
}

fn keys(context: &Context) -> Vec<String> {
    context.members.iter().map(Id::base58).collect()
}

fn view(node: &Inner, id: &Id, context: &Context) -> Map<String, Value> {
    let mut view = Map::new();
    view.insert("id".into(), node.context_text(id).into());
    view.insert("applicationId".into(), context.application.base58().into());
    let optional = |view: &mut Map<String, Value>, key: &str, value: &Option<String>| {
        if let Some(value) = value {
            view.insert(key.into(), value.clone().into());
        }
    };
    optional(&mut view, "serviceName", &context.service);
    view.insert("contextStateHash".into(), context.state_hash().base58().into());
    view.insert("dagHeads".into(), json!([context.head().bytes()]));
    optional(&mut view, "applicationVersion", &context.app.version);
    optional(&mut view, "name", &context.name);
    view
}

fn listed(node: &Inner, id: &Id, context: &Context) -> Value {
    let mut view = view(node, id, context);
    view.insert("groupId".into(), context.group.hex().into());
    Value::Object(view)
}

fn read(node: &Inner, text: &str) -> Result<Id, Failure> {
    node.read_context(text).map_err(|error| Failure::Text(StatusCode::BAD_REQUEST, format!("Invalid URL: {error}")))
}

/// Join and leave take hex whatever the node writes.
fn read_either(text: &str) -> Result<Id, Failure> {
    Id::from_hex(text).map_or_else(|| path_id(text), Ok)
}

fn unknown() -> Failure {
    Failure::missing("Context not found")
}
