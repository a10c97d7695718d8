//! The node, what is installed on it, and names for contexts.

use super::shape::{Kind, Member, optional, required};
use super::{Asked, Effect, FixedTool, Outcome, Toolset, reply};
use crate::model::JsonObject;
use crate::node::AliasKind;
use crate::source::procedures;
use serde_json::{Value, json};

/// Paging, for lists that can be long.
pub(super) const OFFSET: super::Argument = optional("offset", Kind::Integer, "How many rows to skip.");
pub(super) const LIMIT: super::Argument = optional("limit", Kind::Integer, "How many rows at most; all unless told.");

/// What most core tools are.
const READER: FixedTool = FixedTool {
    name: "",
    title: "",
    description: "",
    set: Toolset::Core,
    arguments: &[],
    answer: None,
    effect: Effect::Reads,
    for_folded: false,
    checks_itself: false,
    run: |asked| Box::pin(status(asked)),
};

pub(super) const TOOLS: &[FixedTool] = &[
    FixedTool {
        name: "node_status",
        title: "Node status",
        description: "Health and identity of the connected Calimero node: address, how it was found, how this server \
                      authenticates. A good first call.",
        answer: Some(&[
            ("health", Member::Object),
            ("url", Member::Text),
            ("nodeName", Member::TextOrNull),
            ("discoverySource", Member::Text),
            ("authMode", Member::Text),
        ]),
        run: |asked| Box::pin(status(asked)),
        ..READER
    },
    FixedTool {
        name: "list_nodes",
        title: "List nodes",
        description: "Nodes known on this machine, from their folders and from a live probe, and which one is in use.",
        answer: Some(&[("nodes", Member::Rows)]),
        run: |asked| Box::pin(nodes(asked)),
        ..READER
    },
    FixedTool {
        name: "list_applications",
        title: "List applications",
        description: "Applications installed on the node, with version, metadata and the procedures their guides name.",
        answer: Some(&[("apps", Member::Rows)]),
        run: |asked| Box::pin(applications(asked)),
        ..READER
    },
    FixedTool {
        name: "list_namespaces",
        title: "List namespaces",
        description: "Namespaces on the node. A context is created in a namespace or in a group of one.",
        arguments: &[OFFSET, LIMIT],
        answer: Some(&[("namespaces", Member::Rows)]),
        run: |asked| Box::pin(namespaces(asked)),
        ..READER
    },
];

pub(super) const ALIASES: &[FixedTool] = &[
    FixedTool {
        name: "create_alias",
        title: "Create alias",
        description: "Gives a context a name on this node; every `context` argument takes it in place of the id.",
        arguments: &[
            required("alias", Kind::Text, "1 to 50 of letters, digits, `.`, `_`, `-`."),
            required("contextId", Kind::Text, "The context's id."),
        ],
        effect: Effect::Writes,
        run: |asked| Box::pin(create_alias(asked)),
        ..READER
    },
    FixedTool {
        name: "lookup_alias",
        title: "Look up alias",
        description: "The context an alias stands for on this node.",
        arguments: &[required("name", Kind::Text, "The alias.")],
        answer: Some(&[("alias", Member::Text), ("contextId", Member::TextOrNull)]),
        run: |asked| Box::pin(lookup_alias(asked)),
        ..READER
    },
];

/// Health and identity of the node in use.
async fn status(asked: Asked<'_>) -> Outcome {
    let (session, scope) = (asked.node(), asked.scope);
    let connection = asked.or_reply(session.connect(scope).await).await?;
    let (health, found) = tokio::join!(session.health(scope), session.discover(scope));
    let health = asked.or_reply(health).await?;
    Ok(reply::literal(json!({
        "health": {"status": health.status},
        "url": connection.url().to_string(),
        "nodeName": connection.name(),
        "discoverySource": found.unwrap_or(connection.source()).to_string(),
        "authMode": connection.auth_mode().to_string(),
    })))
}

/// The nodes of this machine, and the one in use wherever it is.
async fn nodes(asked: Asked<'_>) -> Outcome {
    let session = asked.node();
    let (known, connection) = tokio::join!(session.known_nodes(asked.scope), session.connect(asked.scope));
    let connection = connection.ok();
    let active = connection.as_ref().map(|connection| connection.url());
    let is_active = |url| active.is_some_and(|active| active.is_same_node(url));
    let mut rows: Vec<Value> = known
        .iter()
        .map(|node| json!({"url": node.url.to_string(), "name": node.name, "active": is_active(&node.url)}))
        .collect();
    if let Some(connection) = &connection
        && !known.iter().any(|node| is_active(&node.url))
    {
        rows.push(json!({"url": connection.url().to_string(), "name": connection.name(), "active": true}));
    }
    Ok(reply::bare_rows("nodes", rows, &reply::Page::of(asked.arguments)))
}

/// What is installed: each row as the node gives it, its metadata decoded, the guide replaced by its procedures.
async fn applications(asked: Asked<'_>) -> Outcome {
    let apps = asked.or_reply(asked.server.node().apps(asked.scope).await).await?;
    let rows: Vec<Value> = apps
        .iter()
        .map(|app| {
            let mut row: JsonObject = app.record.clone();
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
    Ok(reply::rows("apps", rows, &reply::Page::of(asked.arguments)))
}

/// Every namespace of the node.
async fn namespaces(asked: Asked<'_>) -> Outcome {
    let rows = asked.or_reply(asked.node().namespaces(None, asked.scope).await).await?;
    let rows = rows.into_iter().map(Value::Object).collect();
    Ok(reply::bare_rows("namespaces", rows, &reply::Page::of(asked.arguments)))
}

async fn create_alias(asked: Asked<'_>) -> Outcome {
    let (alias, context) = (asked.required("alias"), asked.required("contextId"));
    let node = asked.node();
    let send = |id: String| -> super::contexts::Sent<'_, ()> {
        Box::pin(async move { node.create_alias(AliasKind::Context, alias, &id, asked.scope).await })
    };
    super::contexts::by_id(asked, context, send).await?;
    Ok(reply::words(format!("Alias \"{alias}\" now resolves to context {context}.")))
}

async fn lookup_alias(asked: Asked<'_>) -> Outcome {
    let name = asked.required("name");
    let found = asked.node().lookup_alias(AliasKind::Context, name, asked.scope).await;
    let id = asked.or_reply(found).await?;
    let mut reply = reply::literal(json!({"alias": name, "contextId": id}));
    if id.is_none() {
        reply.content = reply::words(format!("No alias named \"{name}\" on this node.")).content;
    }
    Ok(reply)
}
