//! Aliases of contexts and applications.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use crate::body::Plain;
use crate::ids::Id;
use crate::node::{Inner, Node};
use crate::reply::{Answer, Failure, data};
use crate::state::AliasKind;

pub(super) fn routes() -> Router<Node> {
    kind(AliasKind::Context, "context")
        .merge(kind(AliasKind::Application, "application"))
        .route("/alias/create/context", post(create_context))
        .route("/alias/create/application", post(create_application))
}

/// The routes that differ only in the kind.
fn kind(kind: AliasKind, word: &str) -> Router<Node> {
    Router::new()
        .route(
            &format!("/alias/lookup/{word}/{{name}}"),
            post(move |State(node): State<Node>, Path(name): Path<String>| async move { lookup(&node, kind, &name) }),
        )
        .route(
            &format!("/alias/delete/{word}/{{name}}"),
            post(move |State(node): State<Node>, Path(name): Path<String>| async move {
                // The same answer when there was none.
                node.world().aliases(kind).remove(&name);
                data(Value::Null)
            }),
        )
        .route(&format!("/alias/list/{word}"), get(move |State(node): State<Node>| async move { list(&node, kind) }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreateContext {
    alias: Alias,
    context_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreateApplication {
    alias: Alias,
    application_id: String,
}

/// 1 to 50 characters of `[A-Za-z0-9._-]`.
struct Alias(String);

impl<'de> Deserialize<'de> for Alias {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        let text = String::deserialize(json)?;
        if text.is_empty() {
            return Err(D::Error::custom("alias must not be empty"));
        }
        if text.len() > 50 {
            return Err(D::Error::custom(format_args!("exceeds the maximum length of 50 (got {})", text.len())));
        }
        if !text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')) {
            let rule = "contains an invalid character; allowed characters are [A-Za-z0-9._-]";
            return Err(D::Error::custom(rule));
        }
        Ok(Self(text))
    }
}

async fn create_context(State(node): State<Node>, Plain(new): Plain<CreateContext>) -> Answer {
    let target = node.read_context(&new.context_id).map_err(|error| unprocessable("contextId", &error))?;
    create(&node, AliasKind::Context, new.alias, target)
}

async fn create_application(State(node): State<Node>, Plain(new): Plain<CreateApplication>) -> Answer {
    let target = Id::from_base58(&new.application_id).map_err(|error| unprocessable("applicationId", &error))?;
    create(&node, AliasKind::Application, new.alias, target)
}

fn create(node: &Inner, kind: AliasKind, alias: Alias, target: Id) -> Answer {
    let mut world = node.world();
    let aliases = world.aliases(kind);
    if aliases.contains_key(&alias.0) {
        return Err(Failure::Envelope(StatusCode::CONFLICT, "alias already exists".into()));
    }
    // The real node does not ask whether the target exists.
    aliases.insert(alias.0, target);
    data(Value::Null)
}

fn lookup(node: &Inner, kind: AliasKind, name: &str) -> Answer {
    let found = node.world().aliases(kind).get(name).map(|id| text(node, kind, id));
    data(json!({ "value": found }))
}

fn list(node: &Inner, kind: AliasKind) -> Answer {
    let mut world = node.world();
    let all: Map<String, Value> =
        world.aliases(kind).iter().map(|(name, id)| (name.clone(), text(node, kind, id).into())).collect();
    data(Value::Object(all))
}

fn text(node: &Inner, kind: AliasKind, id: &Id) -> String {
    match kind {
        AliasKind::Context => node.context_text(id),
        AliasKind::Application => id.base58(),
    }
}

fn unprocessable(field: &str, error: &str) -> Failure {
    let text = format!("Failed to deserialize the JSON body into the target type: {field}: {error}");
    Failure::Text(StatusCode::UNPROCESSABLE_ENTITY, text)
}
