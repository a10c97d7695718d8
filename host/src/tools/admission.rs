//! The way to the gate: the app as installed now, with its contexts, and what the caller presented.

use crate::gate::{self, Aliases, Handle, Refusal};
use crate::model::{CallScope, Content, ToolReply};
use crate::source::{App, Context, NodeSource, Unit, units_of};
use crate::tools::explain::or_reply;
use crate::tools::{Server, guide};
use serde_json::Value;
use std::sync::Arc;

/// A unit as its source has it at this moment.
#[derive(Debug)]
pub(crate) struct Installed {
    /// The app and service.
    pub(crate) unit: Unit,
    /// The app's contexts, of all its services.
    pub(crate) contexts: Vec<Context>,
    /// Everything that is installed.
    pub(crate) apps: Vec<Arc<App>>,
}

/// Reads the app and its contexts now; an upgrade or a removal counts from the moment it happened. Both reads run side
/// by side. `None`: no such app or service.
pub(crate) async fn installed(
    server: &Server,
    app_id: &str,
    service: Option<&str>,
    scope: &CallScope,
) -> Result<Option<Installed>, ToolReply> {
    let (apps, contexts) = tokio::join!(server.node().apps(scope), server.node().contexts(app_id, scope));
    let apps = or_reply(server, apps, scope).await?;
    let app = apps.iter().find(|app| app.id == app_id);
    let unit = app.and_then(|app| units_of(app).into_iter().find(|unit| unit.service.as_deref() == service));
    let Some(unit) = unit else { return Ok(None) };
    let contexts = or_reply(server, contexts, scope).await?;
    Ok(Some(Installed { unit, contexts, apps }))
}

/// Checks handle and context, in this order; answers the id of the context to run in.
pub(crate) async fn pass(
    server: &Server,
    installed: &Installed,
    presented: Option<&Value>,
    named: Option<&Value>,
    scope: &CallScope,
) -> Result<String, ToolReply> {
    let Installed { unit, contexts, .. } = installed;
    let presented = presented.and_then(Value::as_str);
    let handle: Handle = gate::check_handle(unit, server.handle_key().as_ref(), presented).map_err(refused)?;
    let named = match named {
        None | Some(Value::Null) => None,
        Some(Value::String(named)) => Some(named.as_str()),
        Some(_) => return Err(ToolReply::error("Error: the context must be a string: a context id or an alias.")),
    };
    let aliases = NodeAliases { source: server.node(), scope };
    gate::choose(unit, &handle, named, contexts, &aliases).await.map_err(refused)
}

/// A refusal as a reply: the guide first, where one helps.
pub(crate) fn refused(refusal: Refusal) -> ToolReply {
    let mut content = refusal.guide_of.as_deref().map(guide::blocks).unwrap_or_default();
    content.push(Content::Text(refusal.text));
    ToolReply { content, structured: None, is_error: true }
}

/// Aliases as the node knows them now.
pub(crate) struct NodeAliases<'a> {
    pub(crate) source: &'a NodeSource,
    pub(crate) scope: &'a CallScope,
}

impl Aliases for NodeAliases<'_> {
    async fn lookup(&self, alias: &str) -> Option<String> {
        match self.source.alias(alias, self.scope).await {
            Ok(id) => id,
            Err(error) => {
                tracing::debug!("looking up an alias failed: {error}");
                None
            }
        }
    }
}
