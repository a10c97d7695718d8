//! The model's types in the protocol's shape, and the only place that knows how answers differ between the eras.
//!
//! In: tool definitions, replies and resources from the [`Service`](super::Service). Out: the SDK's result types.
//! Lists are the same in both eras and byte for byte the same each time: order and schemas are taken as they come.

use super::era::Era;
use super::service::Identity;
use crate::model::{
    Annotations, Content, JsonObject, Resource, ResourceContents, ResourceTemplate, ToolDefinition, ToolReply,
};
use rmcp::model as wire;
use rmcp::model::{CacheScope, MetaObject, ServerResult};

/// How long a list may be taken as fresh: it can change any time, and a change notification ends it earlier.
const LIST_TTL_MS: u64 = 30_000;

/// How long a resource may be taken as fresh: one day, since its address changes when its text does.
const READ_TTL_MS: u64 = 86_400_000;

/// The key under which a modern result says who made it.
const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// The program as the protocol introduces it.
pub(super) fn implementation(identity: &Identity) -> wire::Implementation {
    wire::Implementation::new(&identity.name, &identity.version).with_title(&identity.title)
}

/// What is promised to clients; nothing that is not served.
pub(super) fn capabilities() -> wire::ServerCapabilities {
    wire::ServerCapabilities::builder()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_completions()
        .build()
}

/// Gives a result the shape of its era: a modern one says how long it stays fresh and who made it. (`resultType` is
/// the SDK's: it is set by every constructor and taken away from legacy answers.)
pub(super) fn finish(era: Era, result: &mut ServerResult, identity: &Identity) {
    if era == Era::Legacy {
        return;
    }
    let lasts = |ttl_ms: &mut Option<u64>, scope: &mut Option<CacheScope>, ttl: u64| {
        *ttl_ms = Some(ttl);
        *scope = Some(CacheScope::Private);
    };
    match result {
        ServerResult::ListToolsResult(list) => lasts(&mut list.ttl_ms, &mut list.cache_scope, LIST_TTL_MS),
        ServerResult::ListResourcesResult(list) => lasts(&mut list.ttl_ms, &mut list.cache_scope, LIST_TTL_MS),
        ServerResult::ListResourceTemplatesResult(list) => {
            lasts(&mut list.ttl_ms, &mut list.cache_scope, LIST_TTL_MS);
        }
        ServerResult::ReadResourceResult(read) => lasts(&mut read.ttl_ms, &mut read.cache_scope, READ_TTL_MS),
        _ => {}
    }
    if let Some(meta) = meta_of(result) {
        let info = serde_json::to_value(implementation(identity)).unwrap_or_default();
        meta.get_or_insert_default().insert(SERVER_INFO_KEY.to_owned(), info);
    }
}

fn meta_of(result: &mut ServerResult) -> Option<&mut Option<MetaObject>> {
    match result {
        ServerResult::ListToolsResult(result) => Some(&mut result.meta),
        ServerResult::ListResourcesResult(result) => Some(&mut result.meta),
        ServerResult::ListResourceTemplatesResult(result) => Some(&mut result.meta),
        ServerResult::ReadResourceResult(result) => Some(&mut result.meta),
        ServerResult::CallToolResult(result) => Some(&mut result.meta),
        ServerResult::CompleteResult(result) => Some(&mut result.meta),
        // `server/discover` and `subscriptions/listen` get theirs from the SDK; the rest is legacy only.
        _ => None,
    }
}

/// One entry of the tool list.
pub(super) fn tool(definition: &ToolDefinition) -> wire::Tool {
    let mut tool = wire::Tool::new(
        definition.name.clone(),
        definition.description.clone(),
        std::sync::Arc::clone(&definition.input_schema),
    );
    tool.title.clone_from(&definition.title);
    tool.output_schema.clone_from(&definition.output_schema);
    tool.annotations = annotations(definition.annotations);
    tool.meta = meta(definition.meta.as_ref());
    tool
}

fn annotations(hints: Annotations) -> Option<wire::ToolAnnotations> {
    let Annotations { read_only, destructive, idempotent, open_world } = hints;
    (hints != Annotations::default())
        .then(|| wire::ToolAnnotations::from_raw(None, read_only, destructive, idempotent, open_world))
}

/// The outcome of a call.
pub(super) fn call(reply: ToolReply) -> wire::CallToolResult {
    let content = reply.content.into_iter().map(block).collect();
    let mut result =
        if reply.is_error { wire::CallToolResult::error(content) } else { wire::CallToolResult::success(content) };
    result.structured_content = reply.structured;
    result
}

fn block(content: Content) -> wire::ContentBlock {
    match content {
        Content::Text(text) => wire::ContentBlock::text(text),
        Content::Resource(resource) => wire::ContentBlock::resource(contents(resource)),
    }
}

/// The text of a resource.
pub(super) fn contents(resource: ResourceContents) -> wire::ResourceContents {
    let text = wire::ResourceContents::text(resource.text, resource.uri).with_mime_type(resource.mime_type);
    match meta(resource.meta.as_ref()) {
        Some(meta) => text.with_meta(meta),
        None => text,
    }
}

/// One entry of the resource list.
pub(super) fn resource(resource: Resource) -> wire::Resource {
    wire::Resource::new(resource.uri, resource.name).with_mime_type(resource.mime_type)
}

/// One entry of the template list.
pub(super) fn template(template: ResourceTemplate) -> wire::ResourceTemplate {
    wire::ResourceTemplate::new(template.uri_template, template.name)
        .with_description(template.description)
        .with_mime_type(template.mime_type)
}

/// As many values as the protocol allows, with the number there are.
pub(super) fn completion(mut values: Vec<String>) -> wire::CompletionInfo {
    let total = values.len();
    values.truncate(wire::CompletionInfo::MAX_VALUES);
    let mut info = wire::CompletionInfo::default();
    info.has_more = Some(total > values.len());
    info.total = u32::try_from(total).ok();
    info.values = values;
    info
}

fn meta(object: Option<&JsonObject>) -> Option<MetaObject> {
    object.map(|object| MetaObject(object.clone()))
}
