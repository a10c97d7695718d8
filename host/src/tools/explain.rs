//! Failures in words: decoder components first, the failure's own text last.

use crate::artifact::{Origin, Plugin, PluginError};
use crate::backend;
use crate::model::{CallScope, Explanation, Failure, Retry, ToolReply};
use crate::source;
use crate::text::clean_text;
use crate::tools::Server;

/// Whose words are asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asked<'a> {
    /// Of a node's failure: every decoder may know it, because a node does not say which release it is of. The plugin
    /// that mapped the app goes first.
    OfANode(Option<&'a Plugin>),
    /// Of an engine's failure: the plugin that mapped the function, and those assigned to its ecosystem.
    OfAnEngine(&'a Plugin, &'a str),
}

/// A failure in words: a decoder's where one has them, asked in the registry's order; `None` where none has.
pub(crate) async fn decoded(
    server: &Server,
    failure: &Failure,
    asked: Asked<'_>,
    scope: &CallScope,
) -> Option<Explanation> {
    let registry = server.plugins.registry();
    let decoders = match asked {
        Asked::OfANode(own) => registry.decoders(own.map(Plugin::digest), source::ECOSYSTEM),
        Asked::OfAnEngine(own, ecosystem) => {
            let mut decoders = registry.decoders(Some(own.digest()), ecosystem);
            decoders.retain(|decoder| decoder.digest() == own.digest() || *decoder.origin() != Origin::Bundled);
            decoders
        }
    };
    for decoder in decoders {
        match decoder.explain(failure, &scope.cancel).await {
            Ok(Some(explanation)) => return Some(explanation),
            Ok(None) => {}
            Err(error) if error.is_cancelled() => return None,
            Err(error) => tracing::warn!("{error}"),
        }
    }
    None
}

/// An explanation as a reply: one text block, the hint on a line of its own.
pub(crate) fn explanation_reply(explanation: &Explanation) -> ToolReply {
    let mut text = format!("Error: {}", clean_text(&explanation.message));
    let later = (explanation.retry == Retry::Later).then(|| "this may pass; try again shortly".to_owned());
    if let Some(hint) = explanation.hint.clone().or(later) {
        text.push_str("\nhint: ");
        text.push_str(&clean_text(&hint));
    }
    ToolReply::error(text)
}

/// A source's failure as a reply.
pub(crate) async fn source_reply(server: &Server, error: &source::Error, scope: &CallScope) -> ToolReply {
    // Where this side knows the next step, its own words are better than any decoder's.
    if let Some(hint) = error.hint() {
        return ToolReply::error(format!("Error: {error}\nhint: {hint}"));
    }
    let Some(failure) = error.failure() else { return ToolReply::error(format!("Error: {error}")) };
    let explanation = match decoded(server, &failure, Asked::OfANode(None), scope).await {
        Some(explanation) => explanation,
        None => backend::Error::Node(error.clone()).plainly(&failure),
    };
    explanation_reply(&explanation)
}

/// A source's answer, or its failure as a reply.
pub(crate) async fn or_reply<T>(
    server: &Server,
    answer: Result<T, source::Error>,
    scope: &CallScope,
) -> Result<T, ToolReply> {
    match answer {
        Ok(answer) => Ok(answer),
        Err(error) => Err(source_reply(server, &error, scope).await),
    }
}

/// A plugin's failure as a reply; says whose fault it is.
pub(crate) fn plugin_reply(error: &PluginError) -> ToolReply {
    ToolReply::error(format!("Error: {}", clean_text(&error.to_string())))
}
