//! Tools of the node itself: its status, what is installed, namespaces, contexts.

use crate::model::{CallScope, JsonObject, ToolReply};
use crate::node::NewContext;
use crate::schema::arguments::ArgumentProblem;
use crate::source::{self, procedures};
use crate::tools::app::{identify, load, method_text, pretty, text, unit_for};
use crate::tools::explain::source_reply;
use crate::tools::invoke::Face;
use crate::tools::{Server, invoke};
use serde_json::{Value, json};

type Outcome = Result<ToolReply, ToolReply>;

/// A node's answer, or its failure as a reply.
async fn or_reply<T>(server: &Server, scope: &CallScope, answer: Result<T, source::Error>) -> Result<T, ToolReply> {
    match answer {
        Ok(answer) => Ok(answer),
        Err(error) => Err(source_reply(server, &error, scope).await),
    }
}

/// Health and identity of the node in use.
pub(crate) async fn status(server: &Server, scope: &CallScope) -> Outcome {
    let session = server.source.session();
    let connection = or_reply(server, scope, session.connect(scope).await).await?;
    let (health, found) = tokio::join!(session.health(scope), session.discover(scope));
    let health = or_reply(server, scope, health).await?;
    let mut status = JsonObject::new();
    status.insert("health".to_owned(), json!({"status": health.status}));
    status.insert("url".to_owned(), json!(connection.url().to_string()));
    status.insert("nodeName".to_owned(), json!(connection.name()));
    status.insert("discoverySource".to_owned(), json!(found.unwrap_or(connection.source()).to_string()));
    status.insert("authMode".to_owned(), json!(connection.auth_mode().to_string()));
    Ok(ToolReply::text(pretty(&status)))
}

/// What is installed: each row as the node gives it, its metadata decoded, the guide replaced by its procedures.
pub(crate) async fn applications(server: &Server, scope: &CallScope) -> Outcome {
    let apps = or_reply(server, scope, server.source.apps(scope).await).await?;
    let rows: Vec<Value> = apps
        .iter()
        .map(|app| {
            let mut row = app.record.clone();
            row.shift_remove("metadata");
            if let Some(mut metadata) = app.metadata.clone() {
                if let Some(members) = metadata.as_object_mut() {
                    members.shift_remove("guide");
                }
                row.insert("metadata".to_owned(), metadata);
            }
            row.insert("appVersion".to_owned(), json!(app.version));
            row.insert("procedures".to_owned(), json!(app.guide.as_deref().map(procedures).unwrap_or_default()));
            Value::Object(row)
        })
        .collect();
    Ok(listing("apps", rows))
}

/// Contexts of one application or of all.
pub(crate) async fn contexts(server: &Server, arguments: &JsonObject, scope: &CallScope) -> Outcome {
    let application = match text(arguments, "application") {
        Some(query) => Some(identify(server, query, scope).await?.id.clone()),
        None => None,
    };
    let contexts = server.source.session().contexts(application.as_deref(), scope).await;
    let contexts = or_reply(server, scope, contexts).await?;
    let rows = contexts
        .into_iter()
        .map(|context| {
            let heads = context.dag_heads();
            let mut row = context.row;
            row.insert("dagHeads".to_owned(), json!(heads));
            Value::Object(row)
        })
        .collect();
    Ok(listing("contexts", rows))
}

/// Every namespace of the node.
pub(crate) async fn namespaces(server: &Server, scope: &CallScope) -> Outcome {
    let rows = or_reply(server, scope, server.source.session().namespaces(None, scope).await).await?;
    Ok(ToolReply::text(serde_json::to_string_pretty(&rows).unwrap_or_default()))
}

/// A namespace for an application.
pub(crate) async fn create_namespace(server: &Server, arguments: &JsonObject, scope: &CallScope) -> Outcome {
    let app = identify(server, text(arguments, "application").unwrap_or_default(), scope).await?;
    let created = server.source.session().create_namespace(&app.id, text(arguments, "name"), scope).await;
    let id = or_reply(server, scope, created).await?;
    let mut answer = JsonObject::new();
    answer.insert("namespaceId".to_owned(), json!(id));
    Ok(ToolReply::text(pretty(&answer)))
}

/// A context of an application, with its initialiser's arguments checked and encoded like a method's.
pub(crate) async fn create_context(server: &Server, arguments: &JsonObject, scope: &CallScope) -> Outcome {
    let group = group(arguments)?;
    let app = identify(server, text(arguments, "application").unwrap_or_default(), scope).await?;
    let service = text(arguments, "service");
    let unit = unit_for(&app, service)?;
    let args = match arguments.get("args") {
        Some(Value::Object(args)) => Some(args.clone()),
        _ => None,
    };
    let init = init_bytes(server, &unit, args, scope).await?;
    let new = NewContext {
        application_id: &app.id,
        group_id: group,
        name: text(arguments, "name"),
        service: unit.manifest_service(),
        init: &init,
    };
    let (context, member) = or_reply(server, scope, server.source.create_context(&new, scope).await).await?;
    let mut answer = JsonObject::new();
    answer.insert("contextId".to_owned(), json!(context));
    answer.insert("memberPublicKey".to_owned(), json!(member));
    Ok(ToolReply::text(pretty(&answer)))
}

/// `group`, or its older name.
fn group(arguments: &JsonObject) -> Result<&str, ToolReply> {
    match (text(arguments, "group"), text(arguments, "namespace")) {
        (Some(group), Some(namespace)) if group != namespace => Err(ToolReply::error(format!(
            "Error: `group` is \"{group}\" and `namespace`, its older name, is \"{namespace}\"; pass one of them"
        ))),
        (Some(id), _) | (None, Some(id)) => Ok(id),
        (None, None) => Err(ToolReply::error(
            "Error: pass `group`: the id of a namespace (list_namespaces, create_namespace) or of a group in one",
        )),
    }
}

/// The bytes the node hands to the initialiser: its arguments as JSON, or none where it takes none.
async fn init_bytes(
    server: &Server,
    unit: &source::Unit,
    args: Option<JsonObject>,
    scope: &CallScope,
) -> Result<Vec<u8>, ToolReply> {
    let label = unit.app.display_name();
    let mapped = match load(server, unit, scope).await {
        Ok(mapped) => mapped,
        // Nothing to check and nothing to send: the node decides.
        Err(_) if args.is_none() => return Ok(Vec::new()),
        Err(reply) => return Err(reply),
    };
    let Some(init) = mapped.initialiser() else {
        return match args {
            Some(_) => Err(ToolReply::error(format!(
                "Error: Application \"{label}\" declares no init method, so it takes no init args."
            ))),
            None => Ok(Vec::new()),
        };
    };
    let checked = invoke::problems(init, Face::Declared, args.unwrap_or_default()).await?;
    let checked = checked.map_err(|problems| {
        ToolReply::error(format!(
            "Error: Application \"{label}\" cannot be initialized with these args: {}\nIts init: {}\nPass these as \
             create_context's args, keyed by parameter name.",
            in_short(&problems),
            method_text(&init.method)
        ))
    })?;
    let encoded = invoke::encode(&mapped, init, &checked, scope).await?;
    Ok(encoded.json.into_bytes())
}

/// `missing a, b; invalid c (expected …; found …)`.
fn in_short(problems: &[ArgumentProblem]) -> String {
    let (missing, invalid): (Vec<_>, Vec<_>) = problems.iter().partition(|problem| problem.is_missing());
    let mut parts = Vec::new();
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|problem| problem.name.as_str()).collect();
        parts.push(format!("missing {}", names.join(", ")));
    }
    for problem in invalid {
        parts.push(format!("invalid {} (expected {}; found {})", problem.at, problem.expected, problem.found));
    }
    parts.join("; ")
}

fn listing(key: &str, rows: Vec<Value>) -> ToolReply {
    let mut answer = JsonObject::new();
    answer.insert(key.to_owned(), Value::Array(rows));
    ToolReply::text(pretty(&answer))
}
