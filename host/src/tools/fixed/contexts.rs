//! Contexts: listed, made with checked arguments, joined, synchronised, deleted.

use super::core::{LIMIT, OFFSET};
use super::shape::{Kind, Member, optional, required};
use super::{Asked, Effect, FixedTool, Outcome, Toolset, reply};
use crate::model::{CallScope, JsonObject, ToolReply};
use crate::node::{AliasKind, NewContext};
use crate::schema::arguments::ArgumentProblem;
use crate::source::{self, base58_of, is_id};
use crate::tools::app::{load, method_text, text, unit_for};
use crate::tools::invoke::Face;
use crate::tools::{Server, invoke};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

const CONTEXT: super::Argument = required("context", Kind::Text, "Context id or alias.");

const WRITER: FixedTool = FixedTool {
    name: "",
    title: "",
    description: "",
    set: Toolset::Core,
    arguments: &[CONTEXT],
    answer: Some(&[("contextId", Member::Text), ("memberPublicKey", Member::TextOrNull)]),
    effect: Effect::Writes,
    for_folded: false,
    checks_itself: false,
    run: |asked| Box::pin(join(asked)),
};

pub(super) const TOOLS: &[FixedTool] = &[
    FixedTool {
        name: "list_contexts",
        title: "List contexts",
        description: "Contexts on the node, of one application or of all. A context is one running instance of an \
                      application's state.",
        arguments: &[
            optional("application", Kind::Text, "Only this application's: package, short name or id."),
            OFFSET,
            LIMIT,
        ],
        answer: Some(&[("contexts", Member::Rows)]),
        effect: Effect::Reads,
        run: |asked| Box::pin(list(asked)),
        ..WRITER
    },
    FixedTool {
        name: "create_context",
        title: "Create context",
        description: "Creates a context of an application. `args` are for the application's `init`; describe_app \
                      shows `init` with its parameters.",
        arguments: &[
            required("application", Kind::Text, "Package, short name or application id."),
            optional("group", Kind::Text, "Namespace or group id to create it in; see list_namespaces."),
            optional("namespace", Kind::Text, "Older name of `group`."),
            optional("name", Kind::Text, "A name for people."),
            optional("service", Kind::Text, "Which service it runs, for an application with several."),
            optional("args", Kind::Object, "Arguments of `init`, keyed by parameter name."),
        ],
        run: |asked| Box::pin(create(asked)),
        ..WRITER
    },
    FixedTool {
        name: "join_context",
        title: "Join context",
        description: "Joins a context of a namespace or group this node has just joined. Answers this node's member \
                      key in it.",
        run: |asked| Box::pin(join(asked)),
        ..WRITER
    },
    FixedTool {
        name: "delete_context",
        title: "Delete context",
        description: "Deletes a context from this node, its data too. Also clears contexts left stranded by a deleted \
                      namespace.",
        answer: Some(&[("isDeleted", Member::Flag)]),
        effect: Effect::Destroys,
        run: |asked| Box::pin(delete(asked)),
        ..WRITER
    },
    FixedTool {
        name: "sync_context",
        title: "Sync context",
        description: "Asks the node to synchronise a context with its peers now, for example before a read that must \
                      see what another node just wrote.",
        answer: None,
        run: |asked| Box::pin(sync(asked)),
        ..WRITER
    },
];

/// A request that was sent for one form of an id.
pub(super) type Sent<'a, T> = BoxFuture<'a, Result<T, source::Error>>;

/// Contexts of one application or of all.
async fn list(asked: Asked<'_>) -> Outcome {
    let application = match asked.text("application") {
        Some(_) => Some(asked.app("application").await?.id.clone()),
        None => None,
    };
    let contexts = asked.node().contexts(application.as_deref(), asked.scope).await;
    let contexts = asked.or_reply(contexts).await?;
    let rows = contexts
        .into_iter()
        .map(|context| {
            let heads = context.dag_heads();
            let mut row = context.row;
            row.insert("dagHeads".to_owned(), json!(heads));
            Value::Object(row)
        })
        .collect();
    Ok(reply::rows("contexts", rows, &reply::Page::of(asked.arguments)))
}

async fn join(asked: Asked<'_>) -> Outcome {
    let node = asked.node();
    let send = |id: String| -> Sent<'_, _> { Box::pin(async move { node.join_context(&id, asked.scope).await }) };
    let joined = named(asked, send).await?;
    Ok(reply::literal(json!({"contextId": joined.context_id, "memberPublicKey": joined.member_public_key})))
}

async fn delete(asked: Asked<'_>) -> Outcome {
    let node = asked.node();
    let send = |id: String| -> Sent<'_, _> { Box::pin(async move { node.delete_context(&id, asked.scope).await }) };
    let deleted = named(asked, send).await?;
    Ok(reply::literal(json!({"isDeleted": deleted})))
}

async fn sync(asked: Asked<'_>) -> Outcome {
    let node = asked.node();
    let send = |id: String| -> Sent<'_, _> { Box::pin(async move { node.sync_context(&id, asked.scope).await }) };
    named(asked, send).await?;
    Ok(reply::words(format!("The node was asked to synchronise context {}.", asked.required("context"))))
}

/// Sends a request for the context that the argument `context` names, by id or alias.
async fn named<'a, T>(asked: Asked<'a>, send: impl Fn(String) -> Sent<'a, T> + Send) -> Result<T, ToolReply> {
    let named = asked.required("context");
    if is_id(named) {
        return by_id(asked, named, send).await;
    }
    let found = asked.node().lookup_alias(AliasKind::Context, named, asked.scope).await;
    let Some(id) = asked.or_reply(found).await? else {
        return Err(ToolReply::error(format!(
            "Error: \"{named}\" is neither a context id nor an alias on this node; list_contexts shows the contexts."
        )));
    };
    by_id(asked, &id, send).await
}

/// Sends a request for a context's id as it was given; where the node refuses a hex id as malformed, which those
/// before autumn 2026 do, in the form they know.
pub(super) async fn by_id<'a, T>(
    asked: Asked<'a>,
    id: &str,
    send: impl Fn(String) -> Sent<'a, T> + Send,
) -> Result<T, ToolReply> {
    let mut answer = send(id.to_owned()).await;
    if let Err(error) = &answer
        && error.is_bad_request()
        && let Some(older) = base58_of(id)
    {
        answer = send(older).await;
    }
    asked.or_reply(answer).await
}

/// A context of an application, with its initialiser's arguments checked and encoded like a method's.
async fn create(asked: Asked<'_>) -> Outcome {
    let Asked { server, arguments, scope } = asked;
    let group = group(arguments)?;
    let app = asked.app("application").await?;
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
    let (context, member) = asked.or_reply(server.node().create_context(&new, scope).await).await?;
    Ok(reply::literal(json!({"contextId": context, "memberPublicKey": member})))
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
