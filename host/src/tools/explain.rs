//! Failures in words: decoder components first, the failure's own text last.

use crate::artifact::{Plugin, PluginError};
use crate::model::{CallScope, Class, Explanation, Failure, HttpFailure, Retry, ToolReply};
use crate::source;
use crate::text::clean_text;
use crate::tools::Server;

/// A source's failure explained: by a decoder where one has words for it, else in its own. `None` where only the error
/// itself can say it (settings, shapes, time-outs, cancellation).
pub(crate) async fn explain(
    server: &Server,
    error: &source::Error,
    refine: impl FnOnce(&mut Failure),
    own: Option<&Plugin>,
    scope: &CallScope,
) -> Option<Explanation> {
    let mut failure = error.failure()?;
    refine(&mut failure);
    for decoder in server.plugins.registry().decoders(own.map(Plugin::digest), source::ECOSYSTEM) {
        match decoder.explain(&failure, &scope.cancel).await {
            Ok(Some(explanation)) => return Some(explanation),
            Ok(None) => {}
            Err(error) if error.is_cancelled() => break,
            Err(error) => tracing::warn!("{error}"),
        }
    }
    let (class, retry) = match failure {
        Failure::Guest(_) => (Class::Application, Retry::No),
        Failure::Http(HttpFailure { status: 503, .. }) => (Class::Temporary, Retry::Later),
        Failure::Http(_) => (Class::Backend, Retry::No),
        Failure::Transport(_) => (Class::Backend, Retry::Later),
    };
    Some(Explanation { message: error.to_string(), class, retry, hint: None })
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
    match explain(server, error, |_| {}, None, scope).await {
        Some(explanation) => explanation_reply(&explanation),
        None => ToolReply::error(format!("Error: {error}")),
    }
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
