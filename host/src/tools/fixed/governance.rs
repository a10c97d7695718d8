//! Namespaces, groups and their members: who shares what.

use super::core::{LIMIT, OFFSET};
use super::shape::{Kind, Member, optional, required};
use super::{Asked, Effect, FixedTool, Outcome, Toolset, reply};
use crate::model::{Content, JsonObject, ToolReply};
use crate::node::{Member as NodeMember, NewSubgroup, Visibility};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const NAMESPACE: super::Argument = required("namespace", Kind::Text, "The namespace's id.");
const GROUP: super::Argument = required("group", Kind::Text, "The group's id.");
const VISIBILITY: Kind = Kind::OneOf(&["open", "restricted"]);

const WRITER: FixedTool = FixedTool {
    name: "",
    title: "",
    description: "",
    set: Toolset::Governance,
    arguments: &[GROUP],
    answer: None,
    effect: Effect::Writes,
    for_folded: false,
    checks_itself: false,
    run: |asked| Box::pin(create_namespace(asked)),
};

pub(super) const TOOLS: &[FixedTool] = &[
    FixedTool {
        name: "create_namespace",
        title: "Create namespace",
        description: "Creates a namespace for an application; contexts are then created in it.",
        arguments: &[
            required("application", Kind::Text, "Package, short name or application id."),
            optional("name", Kind::Text, "A name for people."),
        ],
        answer: Some(&[("namespaceId", Member::Text)]),
        run: |asked| Box::pin(create_namespace(asked)),
        ..WRITER
    },
    FixedTool {
        name: "delete_namespace",
        title: "Delete namespace",
        description: "Deletes a namespace. Its contexts survive and cannot be called; delete_context clears them one \
                      by one.",
        arguments: &[NAMESPACE],
        answer: Some(&[]),
        effect: Effect::Destroys,
        run: |asked| Box::pin(delete_namespace(asked)),
        ..WRITER
    },
    FixedTool {
        name: "invite_to_namespace",
        title: "Invite to namespace",
        description: "Makes an invitation to a namespace. Another node passes the `invitation` of the answer, \
                      unchanged, to join_namespace.",
        arguments: &[NAMESPACE],
        answer: Some(&[]),
        run: |asked| Box::pin(invite_to_namespace(asked)),
        ..WRITER
    },
    FixedTool {
        name: "join_namespace",
        title: "Join namespace",
        description: "Joins a namespace by invitation. Pass the invitation object through unchanged: it is signed. \
                      Waits up to a minute for a member to be reached.",
        arguments: &[
            NAMESPACE,
            required("invitation", Kind::Object, "The `invitation` that invite_to_namespace answered, unchanged."),
            optional("groupName", Kind::Text, "The namespace's name on this node."),
        ],
        answer: Some(&[]),
        run: |asked| Box::pin(join_namespace(asked)),
        ..WRITER
    },
    FixedTool {
        name: "leave_namespace",
        title: "Leave namespace",
        description: "Leaves a namespace this node is a member of.",
        arguments: &[NAMESPACE],
        effect: Effect::Destroys,
        run: |asked| Box::pin(leave_namespace(asked)),
        ..WRITER
    },
    FixedTool {
        name: "list_group_members",
        title: "List group members",
        description: "Members of a group or namespace with their roles.",
        arguments: &[GROUP, OFFSET, LIMIT],
        answer: Some(&[("members", Member::Rows)]),
        effect: Effect::Reads,
        run: |asked| Box::pin(list_group_members(asked)),
        ..WRITER
    },
    FixedTool {
        name: "add_group_members",
        title: "Add group members",
        description: "Adds members to a group or namespace.",
        arguments: &[GROUP, required("members", Kind::Other("{identity, role}[]", member_list), "Who, and as what.")],
        run: |asked| Box::pin(add_group_members(asked)),
        ..WRITER
    },
    FixedTool {
        name: "remove_group_members",
        title: "Remove group members",
        description: "Removes members from a group or namespace by their identities; list_group_members shows them.",
        arguments: &[GROUP, required("members", Kind::TextList, "Their identities, as list_group_members shows them.")],
        effect: Effect::Destroys,
        run: |asked| Box::pin(remove_group_members(asked)),
        ..WRITER
    },
    FixedTool {
        name: "create_group",
        title: "Create group",
        description: "Creates a subgroup in a namespace, or nested in a group with `parent`. Answers its id.",
        arguments: &[
            NAMESPACE,
            optional("name", Kind::Text, "A name for people."),
            optional("visibility", VISIBILITY, "open: namespace members may join; restricted: must be added."),
            optional("parent", Kind::Text, "Id of the group to nest it in."),
        ],
        answer: Some(&[("groupId", Member::Text)]),
        run: |asked| Box::pin(create_group(asked)),
        ..WRITER
    },
    FixedTool {
        name: "set_group_visibility",
        title: "Set group visibility",
        description: "Who may join a group: open lets members of the namespace join by themselves, restricted means \
                      that members must be added.",
        arguments: &[GROUP, required("visibility", VISIBILITY, "open or restricted.")],
        run: |asked| Box::pin(set_group_visibility(asked)),
        ..WRITER
    },
    FixedTool {
        name: "get_group_metadata",
        title: "Get group metadata",
        description: "Name and data of a group.",
        answer: Some(&[("name", Member::TextOrNull), ("data", Member::Object)]),
        effect: Effect::Reads,
        run: |asked| Box::pin(get_group_metadata(asked)),
        ..WRITER
    },
    FixedTool {
        name: "set_group_metadata",
        title: "Set group metadata",
        description: "Replaces a group's metadata: `data` replaces everything that was there, an omitted `name` keeps \
                      the old one.",
        arguments: &[
            GROUP,
            optional("name", Kind::Text, "A name for people."),
            optional("data", Kind::Texts, "Free-form entries, each a text; none unless given."),
        ],
        run: |asked| Box::pin(set_group_metadata(asked)),
        ..WRITER
    },
    FixedTool {
        name: "join_open_group",
        title: "Join open group",
        description: "Joins an open group through membership of its parent; join_context then joins its contexts.",
        answer: Some(&[]),
        run: |asked| Box::pin(join_open_group(asked)),
        ..WRITER
    },
];

fn member_list() -> Value {
    json!({
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "properties": {
                "identity": {"type": "string", "description": "Account (64 hex digits) or key (base58)."},
                "role": {"type": "string", "description": "Admin, Member, ReadOnly or ReadOnlyTee."},
            },
            "required": ["identity", "role"],
            "additionalProperties": false,
        },
    })
}

async fn create_namespace(asked: Asked<'_>) -> Outcome {
    let app = asked.app("application").await?;
    let created = asked.node().create_namespace(&app.id, asked.text("name"), asked.scope).await;
    Ok(reply::literal(json!({"namespaceId": asked.or_reply(created).await?})))
}

async fn delete_namespace(asked: Asked<'_>) -> Outcome {
    let deleted = asked.node().delete_namespace(asked.required("namespace"), asked.scope).await;
    Ok(reply::as_said(&asked.or_reply(deleted).await?))
}

async fn invite_to_namespace(asked: Asked<'_>) -> Outcome {
    let invitation = asked.node().invite_to_namespace(asked.required("namespace"), asked.scope).await;
    let invitation = asked.or_reply(invitation).await?;
    let value: Value = serde_json::from_str(invitation.get()).unwrap_or_default();
    let mut reply = reply::as_said(&value);
    // It is signed: the text keeps every digit as the node wrote it.
    if let Ok(text) = crate::schema::result::readable(Some(invitation.get())) {
        reply.content = vec![Content::Text(text)];
    }
    Ok(reply)
}

async fn join_namespace(asked: Asked<'_>) -> Outcome {
    let invitation = to_raw_value(asked.arguments.get("invitation").unwrap_or(&Value::Null))
        .map_err(|error| ToolReply::error(format!("Error: `invitation` cannot be sent: {error}")))?;
    let namespace = asked.required("namespace");
    let joined = asked.node().join_namespace(namespace, &invitation, asked.text("groupName"), asked.scope).await;
    Ok(reply::as_said(&asked.or_reply(joined).await?))
}

async fn leave_namespace(asked: Asked<'_>) -> Outcome {
    let namespace = asked.required("namespace");
    asked.or_reply(asked.node().leave_namespace(namespace, asked.scope).await).await?;
    Ok(reply::words(format!("Left namespace {namespace}.")))
}

/// The members, paged, and what else the node says of the group.
async fn list_group_members(asked: Asked<'_>) -> Outcome {
    let mut answer = asked.or_reply(asked.node().group_members(asked.required("group"), asked.scope).await).await?;
    let members = answer.get_mut("members").map(Value::take);
    let members = members.and_then(|members| members.as_array().cloned()).unwrap_or_default();
    let (members, rest) = reply::Page::of(asked.arguments).cut(members);
    answer.insert("members".to_owned(), Value::Array(members));
    answer.extend(rest);
    Ok(reply::object(answer))
}

async fn add_group_members(asked: Asked<'_>) -> Outcome {
    let group = asked.required("group");
    let rows: Vec<&JsonObject> = asked
        .arguments
        .get("members")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect();
    let word = |row: &'_ JsonObject, key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let members: Vec<(String, String)> = rows.iter().map(|row| (word(row, "identity"), word(row, "role"))).collect();
    let sent: Vec<NodeMember<'_>> = members.iter().map(|(identity, role)| NodeMember { identity, role }).collect();
    asked.or_reply(asked.node().add_group_members(group, &sent, asked.scope).await).await?;
    let added: Vec<String> = members.iter().map(|(identity, role)| format!("{identity} ({role})")).collect();
    Ok(reply::words(format!("Added {} to group {group}.", added.join(", "))))
}

async fn remove_group_members(asked: Asked<'_>) -> Outcome {
    let group = asked.required("group");
    let members: Vec<&str> = asked
        .arguments
        .get("members")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    asked.or_reply(asked.node().remove_group_members(group, &members, asked.scope).await).await?;
    Ok(reply::words(format!("Removed {} from group {group}.", members.join(", "))))
}

async fn create_group(asked: Asked<'_>) -> Outcome {
    let id = match asked.text("parent") {
        None => {
            let new = NewSubgroup { name: asked.text("name"), visibility: visibility(asked) };
            let created = asked.node().create_group(asked.required("namespace"), &new, asked.scope).await;
            asked.or_reply(created).await?
        }
        Some(parent) => create_nested_group(asked, parent).await?,
    };
    Ok(reply::literal(json!({"groupId": id})))
}

/// A nested group takes its application from its parent and its visibility in a request of its own.
async fn create_nested_group(asked: Asked<'_>, parent: &str) -> Result<String, ToolReply> {
    let (node, scope) = (asked.node(), asked.scope);
    let application = asked.or_reply(node.group_application(parent, scope).await).await?;
    let created = node.create_nested_group(&application, parent, asked.text("name"), scope).await;
    let id = asked.or_reply(created).await?;
    let Some(visibility) = visibility(asked) else { return Ok(id) };
    let set = node.set_group_visibility(&id, visibility, scope).await;
    asked.or_reply(set).await.map_err(|reply| {
        let reason = reply.content.iter().find_map(|block| match block {
            Content::Text(text) => Some(text.strip_prefix("Error: ").unwrap_or(text).to_owned()),
            Content::Resource(_) => None,
        });
        ToolReply::error(format!(
            "Error: Group {id} was created under {parent} but its visibility was not set; retry set_group_visibility. \
             {}",
            reason.unwrap_or_default()
        ))
    })?;
    Ok(id)
}

fn visibility(asked: Asked<'_>) -> Option<Visibility> {
    match asked.text("visibility")? {
        "open" => Some(Visibility::Open),
        _ => Some(Visibility::Restricted),
    }
}

async fn set_group_visibility(asked: Asked<'_>) -> Outcome {
    let group = asked.required("group");
    if let Some(visibility) = visibility(asked) {
        asked.or_reply(asked.node().set_group_visibility(group, visibility, asked.scope).await).await?;
    }
    Ok(reply::words(format!("Group {group} is now {}.", asked.required("visibility"))))
}

async fn get_group_metadata(asked: Asked<'_>) -> Outcome {
    let found = asked.node().group_metadata(asked.required("group"), asked.scope).await;
    let metadata = asked.or_reply(found).await?.unwrap_or_default();
    Ok(reply::literal(json!({"name": metadata.name, "data": metadata.data})))
}

async fn set_group_metadata(asked: Asked<'_>) -> Outcome {
    let group = asked.required("group");
    let entries = asked.arguments.get("data").and_then(Value::as_object).into_iter().flatten();
    let data: BTreeMap<String, String> =
        entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
    let set = asked.node().set_group_metadata(group, asked.text("name"), &data, asked.scope).await;
    asked.or_reply(set).await?;
    Ok(reply::words(format!("Metadata of group {group} replaced.")))
}

async fn join_open_group(asked: Asked<'_>) -> Outcome {
    let joined = asked.node().join_open_group(asked.required("group"), asked.scope).await;
    Ok(reply::as_said(&asked.or_reply(joined).await?))
}
