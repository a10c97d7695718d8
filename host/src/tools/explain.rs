//! Failures in words: decoder components first, the failure's own text last.

use crate::artifact::{Plugin, PluginError};
use crate::backend;
use crate::model::{CallScope, Explanation, Failure, Retry, ToolReply};
use crate::source;
use crate::text::clean_text;
use crate::tools::Server;

/// A failure in words: a decoder's where one has them, asked in the registry's order; `None` where none has.
pub(crate) async fn decoded(
    server: &Server,
    failure: &Failure,
    own: Option<&Plugin>,
    ecosystem: &str,
    scope: &CallScope,
) -> Option<Explanation> {
    for decoder in server.plugins.registry().decoders(own.map(Plugin::digest), ecosystem) {
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
    let explanation = match decoded(server, &failure, None, source::ECOSYSTEM, scope).await {
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
