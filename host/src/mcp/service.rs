//! What the protocol layer serves.

use crate::model::{CallScope, JsonObject, Resource, ResourceContents, ResourceTemplate, ToolDefinition, ToolReply};
use std::future::Future;
use std::sync::Arc;
use tokio::sync::watch;

/// Who the server says it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Machine name.
    pub name: String,
    /// Human name.
    pub title: String,
    /// Release of this program.
    pub version: String,
}

/// No tool has this name; the protocol answers -32602.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Unknown tool: {0}")]
pub struct UnknownTool(pub String);

/// What the protocol layer serves. The same for every connection and both eras.
pub trait Service: Send + Sync + 'static {
    /// Who this is; must not wait for anything.
    fn identity(&self) -> Identity;

    /// One short paragraph for the model, in `initialize` and `server/discover`; must not wait for anything.
    fn instructions(&self) -> String;

    /// The client has said something: background reads may start. Called once, before anything else is asked.
    fn opened(&self);

    /// The whole tool list in its final order. May wait, a bounded time, for a first read under way.
    fn tools(&self) -> impl Future<Output = Arc<[ToolDefinition]>> + Send;

    /// Calls a tool. Failures the model can repair are replies with `is_error`.
    fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        scope: CallScope,
    ) -> impl Future<Output = Result<ToolReply, UnknownTool>> + Send;

    /// The whole resource list.
    fn resources(&self) -> impl Future<Output = Vec<Resource>> + Send;

    /// The resource templates; constant.
    fn resource_templates(&self) -> Vec<ResourceTemplate>;

    /// One resource; `None` when there is none at this address.
    fn read(&self, uri: &str) -> impl Future<Output = Option<ResourceContents>> + Send;

    /// Values for one variable of a resource template that start with what was typed, best first.
    fn complete(&self, uri_template: &str, variable: &str, typed: &str) -> impl Future<Output = Vec<String>> + Send;

    /// Counts changes of the tool and resource lists; each new value means both may have changed.
    fn changes(&self) -> watch::Receiver<u64>;
}
