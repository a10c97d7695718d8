//! Failures in words: decoder components first, the host's own fallback last.

use crate::artifact::{Plugin, PluginError};
use crate::catalog::{clean_line, clean_text};
use crate::model::{CallScope, Class, Explanation, Failure, GuestFailure, HttpFailure, Retry, ToolReply};
use crate::source;
use crate::tools::Server;

/// Longest piece of an undecoded body that is quoted, in characters.
const QUOTED: usize = 300;

/// Asks the app's own plugin, then the others of its ecosystem, and takes the first explanation.
pub(crate) async fn explain(
    server: &Server,
    failure: &Failure,
    own: Option<&Plugin>,
    scope: &CallScope,
) -> Explanation {
    let own = own.map(Plugin::digest);
    for decoder in server.plugins.registry().decoders(own, source::ECOSYSTEM) {
        match decoder.explain(failure, &scope.cancel).await {
            Ok(Some(explanation)) => return explanation,
            Ok(None) => {}
            Err(error) => tracing::warn!("{error}"),
        }
    }
    fallback(failure)
}

/// An explanation as a reply: one text block, the hint on a line of its own.
pub(crate) fn explanation_reply(explanation: &Explanation) -> ToolReply {
    let mut text = format!("Error: {}", clean_text(&explanation.message));
    if let Some(hint) = &explanation.hint {
        text.push_str("\nhint: ");
        text.push_str(&clean_line(hint));
    }
    ToolReply::error(text)
}

/// A source's failure as a reply.
pub(crate) async fn source_reply(server: &Server, error: &source::Error, scope: &CallScope) -> ToolReply {
    // Where this side knows the next step, its own words are better than any decoder's.
    match (error.hint(), error.failure()) {
        (Some(hint), _) => ToolReply::error(format!("Error: {error}\nhint: {hint}")),
        (None, Some(failure)) => explanation_reply(&explain(server, &failure, None, scope).await),
        (None, None) => ToolReply::error(format!("Error: {error}")),
    }
}

/// A plugin's failure as a reply; says whose fault it is.
pub(crate) fn plugin_reply(error: &PluginError) -> ToolReply {
    ToolReply::error(clean_text(&format!("Error: {error}")))
}

/// What is said when no decoder has words for a failure.
fn fallback(failure: &Failure) -> Explanation {
    let (message, class, retry) = match failure {
        Failure::Guest(guest) => (guest_text(guest), Class::Application, Retry::No),
        Failure::Http(http) => (http_text(http), http_class(http.status), Retry::No),
        Failure::Transport(text) => (text.clone(), Class::Backend, Retry::Later),
    };
    Explanation { message, class, retry, hint: None }
}

fn guest_text(guest: &GuestFailure) -> String {
    let kind = if guest.kind.is_empty() { "unknown error" } else { &guest.kind };
    match (&guest.message, &guest.data) {
        (Some(message), _) => message.clone(),
        (None, Some(data)) => format!("{kind}: {data}"),
        (None, None) => kind.to_owned(),
    }
}

fn http_text(http: &HttpFailure) -> String {
    let body: String = http.body.trim().chars().take(QUOTED).collect();
    let said = if body.is_empty() { "returned no message".to_owned() } else { format!("said: {body}") };
    format!("HTTP {} {} from {} - the node {said}", http.status, http.reason, http.path)
}

fn http_class(status: u16) -> Class {
    match status {
        401 | 403 => Class::NotAllowed,
        404 => Class::ContextNotFound,
        503 => Class::Temporary,
        400..=499 => Class::BadRequest,
        _ => Class::Backend,
    }
}
