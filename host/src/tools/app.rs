//! `describe_app` and `select_app`: what an app can do, and a handle to do it with.

use crate::catalog::mapped::MappedUnit;
use crate::catalog::{Snapshot, reasons};
use crate::gate;
use crate::model::{CallScope, Content, JsonObject, Method, Note, Skipped, ToolReply};
use crate::source::{App, Context, ContextMatch, Unit, resolve, units_of};
use crate::text::clean_line;
use crate::tools::admission::NodeAliases;
use crate::tools::explain::{or_reply, source_reply};
use crate::tools::{Server, guide, next_step};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const TOOLS_NOTE: &str = "Clients may show these names with a prefix, commonly mcp__<server>__<tool>.";

const LEFT_OUT_NOTE: &str = "This server is set to list no tools of this application (CALIMERO_MCP_APPS); `call` \
                             reaches every method by name, and describe_app lists them.";

const SERVICE_NOTE: &str = "Not discoverable: a node exposes no service list for an application whose services it \
                            has not recorded, and no context of it names one.";

/// How much text of methods one answer holds, in bytes, beside the last one: clients cut answers at 25,000 tokens, of
/// some three bytes each in signatures; the guide needs its share, and some clients count text and structure.
const METHODS_TEXT: usize = 32 * 1024;

/// Methods left out that are named one by one.
const MOST_SKIPPED: usize = 20;

/// Describes an app: its guide, every method, and a handle to plan with.
pub(crate) async fn describe(
    server: &Server,
    arguments: &JsonObject,
    scope: &CallScope,
) -> Result<ToolReply, ToolReply> {
    let app = identify(server, text(arguments, "app").unwrap_or_default(), scope).await?;
    let unit = unit_for(&app, text(arguments, "service"))?;
    let from = arguments.get("from").and_then(Value::as_u64).and_then(|from| usize::try_from(from).ok()).unwrap_or(0);
    if !app.has_contexts() {
        return describe_functions(server, &unit, from, scope).await;
    }
    let (mapped, contexts) = tokio::join!(load(server, &unit, scope), contexts_of(server, &app, scope));
    let (mapped, contexts) = (mapped?, contexts?);
    let mut card = card(server, &unit, &contexts, None).await?;
    card.insert("mapper".to_owned(), mapper(&mapped));
    insert_methods(&mut card, &mapped, from);
    Ok(answer(
        card,
        match app.guide {
            Some(_) => guide::blocks_noted(&app, &server.guides_shown),
            None => vec![Content::Text("This app ships no guide.".to_owned())],
        },
    ))
}

/// Functions have no context to choose and no handle to present.
async fn describe_functions(
    server: &Server,
    unit: &Unit,
    from: usize,
    scope: &CallScope,
) -> Result<ToolReply, ToolReply> {
    let mapped = load(server, unit, scope).await?;
    let mut card = JsonObject::new();
    card.insert("application".to_owned(), json!(unit.app.id));
    // Said as text because the answer's schema promises one.
    card.insert("app_handle".to_owned(), json!("none needed: `call` runs a function by its name"));
    card.insert("mapper".to_owned(), mapper(&mapped));
    insert_methods(&mut card, &mapped, from);
    Ok(answer(card, Vec::new()))
}

/// Selects an app and a context: the handle every later call presents. Needs no ABI unless it is to list the methods.
pub(crate) async fn select(server: &Server, arguments: &JsonObject, scope: &CallScope) -> Result<ToolReply, ToolReply> {
    let app = identify(server, text(arguments, "app").unwrap_or_default(), scope).await?;
    if !app.has_contexts() {
        return Err(ToolReply::error(format!(
            "Error: {} has nothing to select: its functions need no context and no handle.\n\
             hint: find_tools finds one, `call` runs it (method, args)",
            app.label()
        )));
    }
    let verbose = arguments.get("verbose") == Some(&Value::Bool(true));
    let contexts = contexts_of(server, &app, scope).await?;
    let service = text(arguments, "service");
    // Without `service` any context will do, and the chosen one tells which service is meant.
    let asked = match service {
        Some(_) => unit_for(&app, service)?,
        None => Unit { app: Arc::clone(&app), service: None },
    };
    let chosen = choose(server, &asked, text(arguments, "context"), &contexts, scope).await?;
    let service = chosen.and_then(|context| context.service.as_deref()).or(service);
    let unit = unit_for(&app, service.filter(|_| app.services.len() > 1))?;
    know(server, &unit, scope).await;
    let mut card = card(server, &unit, &contexts, chosen.map(|context| context.id.clone())).await?;
    if verbose {
        insert_methods(&mut card, &*load(server, &unit, scope).await?, 0);
    } else if let Err(error) = server.catalog.load(&unit, scope).await {
        // The app and its contexts are there all the same; what is missing is only what to call.
        card.insert("problem".to_owned(), json!(clean_line(&format!("no tools: {error}"))));
    }
    card.insert("tools".to_owned(), json!(tool_names(server, &unit)));
    card.insert("toolsNote".to_owned(), json!(tools_note(server, &unit)));
    card.insert("context".to_owned(), json!(chosen.map(|context| &context.id)));
    if chosen.is_none() {
        next_step::insert(server, &unit, &contexts, &mut card, scope).await;
    }
    let guide = match verbose {
        true => guide::blocks_noted(&app, &server.guides_shown),
        false => guide::blocks_once(&app, &server.guides_shown),
    };
    Ok(answer(card, guide))
}

/// The card as text and as structure, then the guide. Clients that show structure show nothing else, so what the
/// guide's blocks say is in it too.
fn answer(card: JsonObject, guide: Vec<Content>) -> ToolReply {
    let texts: Vec<&str> = guide
        .iter()
        .map(|block| match block {
            Content::Text(text) => text.as_str(),
            Content::Resource(resource) => resource.text.as_str(),
        })
        .collect();
    let mut structured = card.clone();
    if !texts.is_empty() {
        structured.insert("guideText".to_owned(), json!(texts.join("\n\n")));
    }
    let mut content = vec![Content::Text(pretty(&card))];
    content.extend(guide);
    ToolReply { content, structured: Some(Value::Object(structured)), is_error: false }
}

/// The one installed app a caller's word means.
pub(crate) async fn identify(server: &Server, query: &str, scope: &CallScope) -> Result<Arc<App>, ToolReply> {
    let apps = or_reply(server, server.sources.apps(scope).await, scope).await?;
    resolve(&apps, query).cloned().map_err(|error| ToolReply::error(format!("Error: {error}")))
}

/// The unit of an app that a service name means; the texts follow the node's own.
pub(crate) fn unit_for(app: &Arc<App>, service: Option<&str>) -> Result<Unit, ToolReply> {
    let available = app.services.join(", ");
    let refuse = |text: String| Err(ToolReply::error(format!("Error: {text}")));
    match (app.services.as_slice(), service) {
        ([], Some(_)) => refuse("application has no named services; omit service".to_owned()),
        ([only], Some(name)) if only != name => {
            refuse(format!("service \"{name}\" not found (available: {available})"))
        }
        ([] | [_], _) => Ok(Unit { app: Arc::clone(app), service: None }),
        (_, None) => refuse(format!("application has multiple services; pass service (available: {available})")),
        (_, Some(name)) => units_of(app)
            .into_iter()
            .find(|unit| unit.service.as_deref() == Some(name))
            .map_or_else(|| refuse(format!("service \"{name}\" not found (available: {available})")), Ok),
    }
}

/// A unit the catalog lacks is a reason to read the apps again, whose failure matters to nobody.
async fn know(server: &Server, unit: &Unit, scope: &CallScope) {
    let lacks = |snapshot: &Snapshot| snapshot.unit(&unit.app.id, unit.service.as_deref()).is_none();
    if lacks(&server.catalog.snapshot()) && lacks(&*server.current().await) {
        server.resync(scope).await;
    }
}

/// The unit's methods.
pub(crate) async fn load(server: &Server, unit: &Unit, scope: &CallScope) -> Result<Arc<MappedUnit>, ToolReply> {
    know(server, unit, scope).await;
    match server.catalog.load(unit, scope).await {
        Ok(mapped) => Ok(mapped),
        Err(error) => match error.source_error() {
            Some(error) => Err(source_reply(server, error, scope).await),
            None => Err(ToolReply::error(format!("Error: {}: {error}", unit.label()))),
        },
    }
}

async fn contexts_of(server: &Server, app: &App, scope: &CallScope) -> Result<Vec<Context>, ToolReply> {
    or_reply(server, server.node().contexts(&app.id, scope).await, scope).await
}

/// The context a caller names, or the only one there is.
async fn choose<'a>(
    server: &Server,
    asked: &Unit,
    named: Option<&str>,
    contexts: &'a [Context],
    scope: &CallScope,
) -> Result<Option<&'a Context>, ToolReply> {
    let mut candidates = contexts.iter().filter(|context| context.serves(asked));
    let Some(named) = named else {
        return Ok(candidates.next().filter(|_| candidates.next().is_none()));
    };
    let aliases = NodeAliases { source: server.node(), scope };
    let refusal = match gate::find(asked, named, contexts, &aliases).await {
        ContextMatch::Own(id) => return Ok(contexts.iter().find(|context| context.id == id)),
        ContextMatch::Foreign => gate::Refusal::foreign_context(asked, named, contexts),
        ContextMatch::Unknown => gate::Refusal::unknown_context(asked, named, contexts),
    };
    Err(ToolReply::error(refusal.text))
}

/// What both tools say of an app, with a handle bound to it as it is now.
async fn card(
    server: &Server,
    unit: &Unit,
    contexts: &[Context],
    context: Option<String>,
) -> Result<JsonObject, ToolReply> {
    let app = &unit.app;
    let services: BTreeSet<&str> = contexts.iter().filter_map(|context| context.service.as_deref()).collect();
    let service = unit.service.as_deref().or_else(|| services.first().copied().filter(|_| services.len() == 1));
    let mut card = JsonObject::new();
    card.insert("application".to_owned(), json!(app.id));
    card.insert("package".to_owned(), json!(app.label()));
    card.insert("appVersion".to_owned(), json!(app.version));
    card.insert("service".to_owned(), json!(service));
    card.insert("contextServices".to_owned(), json!(services));
    if service.is_none() && services.is_empty() && app.services.is_empty() {
        card.insert("serviceNote".to_owned(), json!(SERVICE_NOTE));
    }
    if let (Some(uri), true) = (guide::address(app), app.guide.is_some()) {
        card.insert("guide".to_owned(), json!(uri));
    }
    if server.modes.read_only {
        card.insert("mode".to_owned(), json!("read-only: only view methods can be called"));
    }
    let handle = server.mint(gate::bind(unit, context)).await?;
    card.insert("app_handle".to_owned(), json!(handle));
    Ok(card)
}

/// Which mapper served the app, and why that one.
fn mapper(mapped: &MappedUnit) -> Value {
    json!({
        "plugin": mapped.plugin.name(),
        "release": mapped.plugin.release().to_string(),
        "subjectVersion": mapped.recognition.subject_version.as_ref().map(ToString::to_string),
        "why": clean_line(&mapped.why),
        "notes": mapped.notes.iter().map(note).collect::<Vec<_>>(),
        "skipped": skipped_of(mapped),
    })
}

fn note(note: &Note) -> String {
    clean_line(&format!("{} {}: {}", note.method.as_deref().unwrap_or("*"), note.path, note.text))
}

/// One line each; of many, how often each reason holds.
fn skipped_of(mapped: &MappedUnit) -> Vec<String> {
    if mapped.skipped.len() <= MOST_SKIPPED {
        return mapped.skipped.iter().map(skipped).collect();
    }
    reasons(&mapped.skipped)
        .into_iter()
        .take(MOST_SKIPPED)
        .map(|(reason, count)| format!("{count} x {reason}"))
        .collect()
}

fn skipped(skipped: &Skipped) -> String {
    clean_line(&format!("{}: {}", skipped.method, skipped.reason))
}

/// The methods after the first `from`, as many as one answer holds, and how to see the rest.
fn insert_methods(card: &mut JsonObject, mapped: &MappedUnit, from: usize) {
    let mut room = METHODS_TEXT;
    let fits = |text: &String| {
        let fits = room > 0;
        room = room.saturating_sub(text.len());
        fits
    };
    let rest = mapped.methods.iter().skip(from);
    let shown: Vec<String> = rest.map(|method| method_text(&method.method)).take_while(fits).collect();
    let (end, all) = (from.saturating_add(shown.len()), mapped.methods.len());
    if from > 0 || end < all {
        let more = if end < all { format!("; describe_app with from = {end} shows more") } else { String::new() };
        card.insert(
            "methodsNote".to_owned(),
            json!(format!("{} methods of {all}, after the first {from}{more}", shown.len())),
        );
    }
    card.insert("methods".to_owned(), json!(shown));
}

/// Doc and signature, then a line for each documented parameter.
pub(crate) fn method_text(method: &Method) -> String {
    let mut text = crate::catalog::full_text(method.doc.as_deref(), &method.signature);
    for parameter in &method.parameters {
        if let Some(doc) = &parameter.doc {
            let doc = crate::text::clean_text(doc).replace('\n', "\n    ");
            text.push_str(&format!("\n  {}: {doc}", parameter.name));
        }
    }
    text
}

fn tools_note(server: &Server, unit: &Unit) -> &'static str {
    let snapshot = server.catalog.snapshot();
    match snapshot.unit(&unit.app.id, unit.service.as_deref()) {
        Some(served) if served.left_out => LEFT_OUT_NOTE,
        _ => TOOLS_NOTE,
    }
}

fn tool_names(server: &Server, unit: &Unit) -> Vec<String> {
    let snapshot = server.catalog.snapshot();
    let served = snapshot.unit(&unit.app.id, unit.service.as_deref());
    served.map(|unit| unit.tools().into_iter().map(|(name, _)| name.to_owned()).collect()).unwrap_or_default()
}

/// A string argument that was given and is not empty.
pub(crate) fn text<'a>(arguments: &'a JsonObject, name: &str) -> Option<&'a str> {
    arguments.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// JSON for people and models: two spaces an indent.
pub(crate) fn pretty(object: &JsonObject) -> String {
    // An object of strings and numbers always serialises.
    serde_json::to_string_pretty(object).unwrap_or_default()
}
