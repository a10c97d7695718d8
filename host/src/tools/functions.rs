//! Calls of functions, an engine's or an extension's: nothing to select, no handle, no context.
//!
//! Reached by a tool's own name, or through `call`, which also takes the function's own name where the tool's differs.

use crate::backend::Backend;
use crate::catalog::mapped::MappedMethod;
use crate::catalog::{CatalogUnit, Snapshot};
use crate::model::{CallScope, JsonObject, ToolReply};
use crate::schema::result;
use crate::source::{App, Origin};
use crate::text::{clean_line, nearest};
use crate::tools::invoke::Face;
use crate::tools::{Server, app, extensions, fixed, invoke};
use serde_json::Value;
use std::sync::Arc;

/// One call of a listed or folded function's own tool.
pub(crate) async fn tool(
    server: &Server,
    unit: &CatalogUnit,
    method: &Arc<MappedMethod>,
    arguments: JsonObject,
    scope: &CallScope,
) -> ToolReply {
    if unit.unit.app.origin == Origin::Extension {
        return extensions::tool(server, unit, method, arguments, scope).await;
    }
    let outcome = async {
        let arguments = invoke::check(method, Face::Listed, arguments).await?;
        let raw = run(server, unit, method, &arguments, scope).await?;
        let method = Arc::clone(method);
        invoke::offload(move || result::reply(raw.as_deref(), method.result_checker())).await
    };
    outcome.await.unwrap_or_else(|reply: ToolReply| reply)
}

/// `call` on a server without a node: every method is a function.
pub(crate) async fn call(server: &Server, arguments: &JsonObject, scope: &CallScope) -> Result<ToolReply, ToolReply> {
    let mut snapshot = server.complete(scope).await;
    if named(&snapshot, arguments, None).is_none() {
        // The manifest may have changed since the last look at it.
        server.resync(scope).await;
        snapshot = server.catalog.snapshot();
    }
    let Some(candidates) = named(&snapshot, arguments, None) else {
        let name = app::text(arguments, "method").unwrap_or_default();
        return Err(ToolReply::error(unknown(server, &snapshot, name)));
    };
    let raw = first_that_fits(server, &candidates, arguments, scope).await?;
    result::readable(raw.as_deref()).map(ToolReply::text).map_err(|error| ToolReply::error(format!("Error: {error}")))
}

/// `call` beside a node: runs what is a function and was not meant for an app; `None` for everything else.
pub(crate) async fn beside_a_node(
    server: &Server,
    arguments: &JsonObject,
    scope: &CallScope,
) -> Option<Result<Option<String>, ToolReply>> {
    if arguments.contains_key("app_handle") {
        return None;
    }
    let wanted = app::text(arguments, "app");
    let snapshot = server.catalog.snapshot();
    if !snapshot.units.iter().any(|unit| is_meant(&unit.unit.app, wanted)) {
        return None;
    }
    let candidates = match named(&snapshot, arguments, wanted) {
        Some(candidates) => candidates,
        // Named an app of functions: nothing else can have been meant.
        None if wanted.is_some() => {
            let name = app::text(arguments, "method").unwrap_or_default();
            return Some(Err(ToolReply::error(unknown(server, &snapshot, name))));
        }
        None => return None,
    };
    let arguments = match fixed::check("call", server.modes, arguments) {
        Ok(arguments) => arguments,
        Err(reply) => return Some(Err(reply)),
    };
    Some(first_that_fits(server, &candidates, &arguments, scope).await)
}

type Candidate<'a> = (&'a Arc<CatalogUnit>, &'a Arc<MappedMethod>);

fn is_meant(app: &App, wanted: Option<&str>) -> bool {
    !app.has_contexts() && wanted.is_none_or(|wanted| wanted == app.id || wanted == app.label())
}

/// The functions a name may mean: the one behind the tool of that name, else those that call themselves so. What an
/// extension calls its tools counts only where it is named with `app`: it must not answer for another's function.
fn named<'a>(snapshot: &'a Snapshot, arguments: &JsonObject, wanted: Option<&str>) -> Option<Vec<Candidate<'a>>> {
    let name = app::text(arguments, "method")?;
    let functions = |unit: &&Arc<CatalogUnit>| is_meant(&unit.unit.app, wanted);
    if let Some((unit, method)) = snapshot.tool(name).filter(|(unit, _)| functions(unit)) {
        return Some(vec![(unit, method)]);
    }
    let by_own_name = |unit: &&Arc<CatalogUnit>| wanted.is_some() || unit.unit.app.origin != Origin::Extension;
    let units = snapshot.units.iter().filter(functions).filter(by_own_name);
    let found: Vec<Candidate<'a>> = units
        .flat_map(|unit| {
            let own = unit.mapped.methods.iter().filter(|method| method.method.name == name);
            own.map(move |method| (unit, method))
        })
        .collect();
    (!found.is_empty()).then_some(found)
}

/// Runs the first of several that takes the arguments; where none does, the first says what is wrong.
async fn first_that_fits(
    server: &Server,
    candidates: &[Candidate<'_>],
    arguments: &JsonObject,
    scope: &CallScope,
) -> Result<Option<String>, ToolReply> {
    let args = match arguments.get("args") {
        Some(Value::Object(args)) => args.clone(),
        _ => JsonObject::new(),
    };
    let mut refusal = None;
    for (unit, method) in candidates {
        match invoke::check(method, Face::Declared, args.clone()).await {
            Ok(args) => return run(server, unit, method, &args, scope).await,
            Err(reply) => drop(refusal.get_or_insert(reply)),
        }
    }
    Err(refusal.unwrap_or_else(|| ToolReply::error("Error: there is no such function; find_tools searches for one")))
}

async fn run(
    server: &Server,
    unit: &CatalogUnit,
    method: &Arc<MappedMethod>,
    arguments: &JsonObject,
    scope: &CallScope,
) -> Result<Option<String>, ToolReply> {
    invoke::permitted(server, method)?;
    if unit.unit.app.origin == Origin::Extension {
        return extensions::run(server, unit, method, arguments, scope).await.map(extensions::as_json);
    }
    let Some(engine) = &unit.mapped.engine else {
        return Err(ToolReply::error(format!("Error: {} has no engine to run it", unit.unit.label())));
    };
    invoke::run(server, &unit.mapped, method, Backend::Engine(engine), arguments, scope).await
}

/// Says whether the catalog has it at all: what is not listed has a reason.
fn unknown(server: &Server, snapshot: &Snapshot, name: &str) -> String {
    let shown = clean_line(name);
    let skipped = snapshot
        .units
        .iter()
        .filter(|unit| is_meant(&unit.unit.app, None))
        .find_map(|unit| unit.mapped.skipped.iter().find(|skipped| skipped.method == name));
    if let Some(skipped) = skipped {
        return format!("Error: `{shown}` cannot be called here: {}", clean_line(&skipped.reason));
    }
    if let Some(error) = server.catalog.unavailable() {
        return format!("Error: no function can be called: {}", clean_line(&error));
    }
    let names = snapshot.units.iter().flat_map(|unit| unit.tool_names.iter().flatten().map(String::as_str));
    let close = nearest(name, names).map(|close| format!(" Did you mean `{close}`?")).unwrap_or_default();
    let refused = not_served(server);
    format!("Error: there is no function `{shown}`.{close}{refused}\nhint: find_tools searches by a few plain words")
}

/// A line for each extension that is not served: what is looked for may be one of its tools.
pub(crate) fn not_served(server: &Server) -> String {
    let refused = server.catalog.refused_extensions();
    let line = |(name, why): (String, String)| format!("\nnot served: {}: {}", clean_line(&name), clean_line(&why));
    refused.into_iter().map(line).collect()
}
