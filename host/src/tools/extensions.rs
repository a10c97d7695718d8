//! Calls of an extension's tools: the plugin itself runs them, and its words are a stranger's.
//!
//! In come checked arguments, out comes the reply: its text cleaned, its value held to the output schema it announced. A
//! failure says what the call was refused, with the line that would allow it, because nobody else can say it.

use crate::artifact::Extended;
use crate::audit::{self, Outcome};
use crate::catalog::CatalogUnit;
use crate::catalog::mapped::MappedMethod;
use crate::model::{
    CallScope, Explanation, ExtensionClass, ExtensionFailure, ExtensionReply, Extent, JsonObject, Retry, ToolReply,
};
use crate::model::{Class, Content};
use crate::schema::result;
use crate::text::{clean_line, clean_text};
use crate::tools::explain::{explanation_reply, plugin_reply};
use crate::tools::invoke::Face;
use crate::tools::{Server, invoke};
use serde_json::Value;
use std::sync::Arc;

/// One call of a listed or folded tool by its own name.
pub(crate) async fn tool(
    server: &Server,
    unit: &CatalogUnit,
    method: &Arc<MappedMethod>,
    arguments: JsonObject,
    scope: &CallScope,
) -> ToolReply {
    let outcome = async {
        let arguments = invoke::check(method, Face::Listed, arguments).await?;
        invoke::permitted(server, method)?;
        let reply = run(server, unit, method, &arguments, scope).await?;
        let method = Arc::clone(method);
        invoke::offload(move || presented(&reply, &method)).await
    };
    outcome.await.unwrap_or_else(|reply: ToolReply| reply)
}

/// Runs a tool with checked arguments.
///
/// # Errors
/// A reply: the extension's own failure, or what stopped it.
pub(crate) async fn run(
    server: &Server,
    unit: &CatalogUnit,
    method: &Arc<MappedMethod>,
    arguments: &JsonObject,
    scope: &CallScope,
) -> Result<ExtensionReply, ToolReply> {
    let plugin = &unit.mapped.plugin;
    let name = &method.method.name;
    let recording = server.audit.as_ref().map(|audit| audit.begin(plugin.name(), name, plugin, arguments));
    let arguments = Value::Object(arguments.clone()).to_string();
    // Its own hint let it be listed; what it can do does not rest on that.
    let extent = if server.modes.read_only { Extent::Reading } else { Extent::Granted };
    let ended = audit::during(recording.as_ref(), plugin.call_tool(name, &arguments, extent, scope)).await;
    if let Some(recording) = recording {
        let (outcome, refused) = match &ended {
            Ok(Extended { answer: Ok(_), refused }) => (Outcome::Ok, refused.clone()),
            Ok(Extended { answer: Err(_), refused }) => (Outcome::Error, refused.clone()),
            Err(error) => (Outcome::of(error, plugin), Vec::new()),
        };
        recording.ended(outcome, refused);
    }
    match ended {
        Ok(Extended { answer: Ok(reply), .. }) => Ok(reply),
        Ok(Extended { answer: Err(failure), refused }) => Err(failed(plugin.name(), &failure, &refused)),
        Err(error) => Err(plugin_reply(&error)),
    }
}

/// An answer as `call` gives it on: the value, or the text as a JSON string.
pub(crate) fn as_json(reply: ExtensionReply) -> Option<String> {
    let text = |text: String| Value::String(clean_text(&text)).to_string();
    reply.structured.or_else(|| reply.text.map(text))
}

/// An answer as a reply. Where an output schema is announced, a value that does not fit it (or none at all) is an error,
/// because strict clients would show nothing.
fn presented(reply: &ExtensionReply, method: &MappedMethod) -> ToolReply {
    let text = reply.text.as_deref().map(clean_text);
    let Some(value) = &reply.structured else {
        return match (text, method.result_checker()) {
            (Some(text), None) => ToolReply::text(text),
            (text, _) => ToolReply::error(format!(
                "Error: the call ran, but the plugin answered without the value its output schema announces; do not \
                 repeat it for that reason. What it said:\n{}",
                text.unwrap_or_default()
            )),
        };
    };
    let mut folded = result::reply(Some(value), method.result_checker());
    if let (Some(text), false) = (text, folded.is_error) {
        folded.content = vec![Content::Text(text)];
    }
    folded
}

/// The extension's own failure, labelled with its name: its words are not this program's.
fn failed(plugin: &str, failure: &ExtensionFailure, refused: &[String]) -> ToolReply {
    let (class, retry) = match failure.class {
        ExtensionClass::Arguments => (Class::BadRequest, Retry::AfterChange),
        ExtensionClass::NotAllowed => (Class::NotAllowed, Retry::No),
        ExtensionClass::Temporary => (Class::Temporary, Retry::Later),
        ExtensionClass::Failed => (Class::Application, Retry::No),
    };
    let message = format!("{plugin}: {}", failure.message);
    let mut reply = explanation_reply(&Explanation { message, class, retry, hint: failure.hint.clone() });
    if let Some(Content::Text(text)) = reply.content.first_mut() {
        for line in refused {
            text.push_str(&format!("\nnote: {}", clean_line(line)));
        }
    }
    reply
}
