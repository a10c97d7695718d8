//! Running one method: check the arguments, encode them, execute, decode the result.

use crate::artifact::PluginError;
use crate::audit::{self, Outcome};
use crate::backend::{self, Backend};
use crate::catalog::mapped::{MappedMethod, MappedUnit};
use crate::model::{Access, CallScope, Class, Encoded, Explanation, JsonObject, Problem, ToolReply};
use crate::schema::arguments::{ArgumentProblem, render};
use crate::text::clean_line;
use crate::tools::Server;
use crate::tools::explain::{Asked, decoded, explanation_reply, plugin_reply, source_reply};
use std::sync::Arc;
use std::time::Duration;

/// Forms of ambiguous arguments tried at most, the likeliest included: each costs a request.
const FORMS: usize = 9;

/// How often a read that the node was not ready for is sent again, and how long after. A write is never sent twice.
const READ_RETRIES: usize = 2;
const READ_PAUSE: Duration = Duration::from_millis(300);

/// The longest pause a node may ask for and get; beyond it the caller is told to try again.
const READ_PAUSE_MOST: Duration = Duration::from_secs(2);

/// Runs a method with checked arguments where `backend` says; answers the result as JSON text, `None` for nothing.
///
/// # Errors
/// A reply the model can act on: the application's own error, a failing plugin or node.
pub(crate) async fn run(
    server: &Server,
    mapped: &MappedUnit,
    method: &Arc<MappedMethod>,
    backend: Backend<'_>,
    arguments: &JsonObject,
    scope: &CallScope,
) -> Result<Option<String>, ToolReply> {
    let plugin = mapped.engine.as_ref().unwrap_or(&mapped.plugin);
    let recording = server
        .audit
        .as_ref()
        .map(|audit| audit.begin(&mapped.recognition.ecosystem, &method.method.name, plugin, arguments));
    let call = run_unrecorded(server, mapped, method, backend, arguments, scope);
    let result = audit::during(recording.as_ref(), call).await;
    if let Some(recording) = recording {
        let outcome = match &result {
            Ok(_) => Outcome::Ok,
            Err(_) if scope.cancel.is_cancelled() => Outcome::Cancelled,
            Err(Ended { stopped: Some(error), .. }) => Outcome::of(error, plugin),
            Err(_) => Outcome::Error,
        };
        recording.ended(outcome, Vec::new());
    }
    result.map_err(|ended| ended.reply)
}

/// Why a method has no result: what to say, and what stopped a plugin if something did.
#[derive(Debug)]
pub(crate) struct Ended {
    reply: ToolReply,
    stopped: Option<PluginError>,
}

impl From<Ended> for ToolReply {
    fn from(ended: Ended) -> Self {
        ended.reply
    }
}

impl Ended {
    /// By a plugin that was stopped.
    fn stopped(error: &PluginError) -> Self {
        Self { reply: plugin_reply(error), stopped: Some(error.clone()) }
    }
}

impl From<ToolReply> for Ended {
    fn from(reply: ToolReply) -> Self {
        Self { reply, stopped: None }
    }
}

async fn run_unrecorded(
    server: &Server,
    mapped: &MappedUnit,
    method: &Arc<MappedMethod>,
    backend: Backend<'_>,
    arguments: &JsonObject,
    scope: &CallScope,
) -> Result<Option<String>, Ended> {
    let encoded = encode(mapped, method, arguments, scope).await?;
    let raw = execute(server, mapped, method, backend, &encoded, scope).await?;
    match raw {
        Some(raw) if method.method.needs_decode => decode(mapped, method, &raw, scope).await.map(Some),
        raw => Ok(raw),
    }
}

/// Holds a method to the mode of this process; a method whose ABI does not say what it does counts as one that writes.
///
/// # Errors
/// In read-only mode, a refusal that says so.
pub(crate) fn permitted(server: &Server, method: &MappedMethod) -> Result<(), ToolReply> {
    if !server.modes.read_only || method.method.access == Access::View {
        return Ok(());
    }
    Err(ToolReply::error(format!(
        "Error: `{}` is not a view method, and this server is in read-only mode (CALIMERO_MCP_READ_ONLY). Nothing was \
         run; only whoever starts the server can change its mode.\n{}",
        clean_line(&method.method.name),
        method.method.signature
    )))
}

/// Which of a method's two input schemas arguments are held to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Face {
    /// The generated tool's.
    Listed,
    /// The method's own, as `call` takes it.
    Declared,
}

/// Holds arguments to an advertised schema; answers them under the application's own names. Only declared parameters
/// pass: every other member is a problem.
pub(crate) async fn check(
    method: &Arc<MappedMethod>,
    face: Face,
    arguments: JsonObject,
) -> Result<JsonObject, ToolReply> {
    let signature = method.method.signature.clone();
    problems(method, face, arguments)
        .await?
        .map_err(|problems| ToolReply::error(format!("Error: {}", render(&problems, &signature))))
}

/// As [`check`], leaving the words to the caller.
pub(crate) async fn problems(
    method: &Arc<MappedMethod>,
    face: Face,
    arguments: JsonObject,
) -> Result<Result<JsonObject, Vec<ArgumentProblem>>, ToolReply> {
    let method = Arc::clone(method);
    offload(move || {
        let input = match face {
            Face::Listed => method.listed(),
            Face::Declared => method.declared(),
        };
        let checker = input.checker().map_err(|error| {
            let name = &method.method.name;
            ToolReply::error(format!("Error: the schema of `{name}` cannot be used to check arguments: {error}"))
        })?;
        Ok(checker.check(arguments))
    })
    .await?
}

/// Runs pure work whose cost others decide (a schema, a large value) away from the protocol loop.
pub(crate) async fn offload<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ToolReply> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| ToolReply::error(format!("Error: internal: the work for this call ended early ({error})")))
}

/// The arguments as the backend takes them; no instance is started where the mapper said none is needed.
pub(crate) async fn encode(
    mapped: &MappedUnit,
    method: &MappedMethod,
    arguments: &JsonObject,
    scope: &CallScope,
) -> Result<Encoded, Ended> {
    // An object of JSON values always serialises.
    let json = serde_json::to_string(arguments).unwrap_or_default();
    if !method.method.needs_encode {
        return Ok(Encoded { json, alternatives: Vec::new() });
    }
    match mapped.plugin.encode(Arc::clone(&method.method.plan), &json, &scope.cancel).await {
        Ok(Ok(encoded)) => Ok(encoded),
        Ok(Err(problems)) => Err(problems_reply("the arguments do not fit", &problems, method).into()),
        Err(error) => Err(Ended::stopped(&error)),
    }
}

async fn decode(mapped: &MappedUnit, method: &MappedMethod, raw: &str, scope: &CallScope) -> Result<String, Ended> {
    let decoded: Result<_, PluginError> =
        mapped.plugin.decode_result(Arc::clone(&method.method.plan), raw, &scope.cancel).await;
    match decoded {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(problems)) => Err(problems_reply("the result is not what the ABI promises", &problems, method).into()),
        Err(error) => Err(Ended::stopped(&error)),
    }
}

fn problems_reply(what: &str, problems: &[Problem], method: &MappedMethod) -> ToolReply {
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| format!("- {}: {}", clean_line(&problem.at), clean_line(&problem.message)))
        .collect();
    ToolReply::error(format!("Error: {what}\n{}\n{}", lines.join("\n"), method.method.signature))
}

/// Sends the form the backend took last time first. Another form is tried only where the arguments were refused
/// before the method's body ran, so nothing ever runs twice.
async fn execute(
    server: &Server,
    mapped: &MappedUnit,
    method: &MappedMethod,
    backend: Backend<'_>,
    encoded: &Encoded,
    scope: &CallScope,
) -> Result<Option<String>, Ended> {
    let forms: Vec<&str> =
        std::iter::once(&encoded.json).chain(&encoded.alternatives).take(FORMS).map(String::as_str).collect();
    let mut order: Vec<usize> = (0..forms.len()).collect();
    if let Some(at) = order.iter().position(|form| *form == method.winner()) {
        let winner = order.remove(at);
        order.insert(0, winner);
    }
    let mut first_refusal: Option<Explanation> = None;
    for form in order {
        let Some(json) = forms.get(form) else { continue };
        match execute_once(server, mapped, method, backend, json, scope).await? {
            Ok(raw) => {
                method.remember_winner(form);
                return Ok(raw);
            }
            Err(refusal) if refusal.class == Class::ArgumentsNotRead => {
                first_refusal.get_or_insert(refusal);
            }
            Err(explanation) => return Err(explanation_reply(&naming_context(explanation, backend.context())).into()),
        }
    }
    let reply =
        first_refusal.map_or_else(|| ToolReply::error("Error: nothing was sent"), |first| explanation_reply(&first));
    Err(reply.into())
}

/// A decoder is not told the context, and a caller who passed an alias or a handle never saw its id.
fn naming_context(explanation: Explanation, context: Option<&str>) -> Explanation {
    let Some(context) = context else { return explanation };
    if explanation.class != Class::ContextNotFound || explanation.message.contains(context) {
        return explanation;
    }
    Explanation { message: format!("{} (context {context})", explanation.message), ..explanation }
}

/// One request, or a few for a read that came too early. The outer error is a reply, the inner one an explanation.
async fn execute_once(
    server: &Server,
    mapped: &MappedUnit,
    method: &MappedMethod,
    backend: Backend<'_>,
    json: &str,
    scope: &CallScope,
) -> Result<Result<Option<String>, Explanation>, Ended> {
    let mut retries = if method.method.access == Access::View { READ_RETRIES } else { 0 };
    loop {
        let error = match backend.execute(&method.method, json, scope).await {
            Ok(raw) => return Ok(Ok(raw)),
            Err(error) => error,
        };
        let Some(failure) = error.failure(&method.method) else { return Err(undecodable(server, &error, scope).await) };
        let asked = match backend {
            Backend::Context { .. } => Asked::OfANode(Some(&mapped.plugin)),
            Backend::Engine(_) => Asked::OfAnEngine(&mapped.plugin, &mapped.recognition.ecosystem),
        };
        let explained = decoded(server, &failure, asked, scope).await;
        let explanation = explained.unwrap_or_else(|| error.plainly(&failure));
        if retries == 0 || explanation.class != Class::Temporary {
            return Ok(Err(explanation));
        }
        retries -= 1;
        tokio::select! {
            () = tokio::time::sleep(error.retry_after().unwrap_or(READ_PAUSE).min(READ_PAUSE_MOST)) => {}
            () = scope.cancel.cancelled() => return Ok(Err(explanation)),
        }
    }
}

/// What no decoder can have words for: settings, shapes, time-outs, cancellation, a stopped engine.
async fn undecodable(server: &Server, error: &backend::Error, scope: &CallScope) -> Ended {
    match error {
        backend::Error::Node(error) => source_reply(server, error, scope).await.into(),
        backend::Error::Stopped(error) => Ended::stopped(error),
        other => ToolReply::error(format!("Error: {other}")).into(),
    }
}
