//! Tools and resources as the model sees them, before the protocol gives them its shape.

use crate::model::JsonObject;
use serde_json::Value;
use std::sync::Arc;

/// Hints for the client's confirmation prompts. `None` leaves the protocol's default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Annotations {
    /// Reads only.
    pub read_only: Option<bool>,
    /// May remove data.
    pub destructive: Option<bool>,
    /// Twice is once.
    pub idempotent: Option<bool>,
    /// Reaches the outside world.
    pub open_world: Option<bool>,
}

/// One entry of the tool list.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Unique, `^[a-z][a-z0-9_]*$`, at most 49 characters.
    pub name: String,
    /// A human name.
    pub title: Option<String>,
    /// Under 1,024 characters.
    pub description: String,
    /// Portable JSON Schema, root `type: object`.
    pub input_schema: Arc<JsonObject>,
    /// Portable JSON Schema, root `type: object`; results then carry structured content.
    pub output_schema: Option<Arc<JsonObject>>,
    /// Hints.
    pub annotations: Annotations,
    /// Goes out under `_meta`.
    pub meta: Option<JsonObject>,
}

/// One block of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// An embedded text resource.
    Resource(ResourceContents),
}

/// A resource's text.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceContents {
    /// Its address.
    pub uri: String,
    /// For example `text/markdown`.
    pub mime_type: String,
    /// The text itself.
    pub text: String,
    /// Goes out under `_meta`.
    pub meta: Option<JsonObject>,
}

/// One entry of the resource list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its address.
    pub uri: String,
    /// A human name.
    pub name: String,
    /// For example `text/markdown`.
    pub mime_type: String,
}

/// One entry of the resource template list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceTemplate {
    /// RFC 6570.
    pub uri_template: String,
    /// A short identifier.
    pub name: String,
    /// One sentence.
    pub description: String,
    /// For example `text/markdown`.
    pub mime_type: String,
}

/// The outcome of a tool call: an answer, or a failure the model can read and repair.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolReply {
    /// At least one block.
    pub content: Vec<Content>,
    /// Conforms to the tool's output schema, where it has one and the call succeeded.
    pub structured: Option<Value>,
    /// Whether this is a failure.
    pub is_error: bool,
}

impl ToolReply {
    /// A success of one text block.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::Text(text.into())], ..Self::default() }
    }

    /// A failure of one text block.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }
}
