//! `call`: any method of an app by name, for clients that do not show the generated tools and for methods that have
//! none. The application's arguments are kept apart in `args`, so no name of theirs can collide with ours.

use crate::backend::Backend;
use crate::catalog::mapped::{MappedMethod, MappedUnit};
use crate::gate::{Handle, Refusal};
use crate::model::{CallScope, JsonObject, Role, ToolReply};
use crate::schema::result;
use crate::source::{Unit, resolve};
use crate::text::clean_line;
use crate::tools::admission::Installed;
use crate::tools::invoke::Face;
use crate::tools::{Server, admission, app, fixed, functions, invoke};
use serde_json::Value;
use std::sync::Arc;

/// Calls a method and answers its result to be read.
pub(crate) async fn call(server: &Server, arguments: &JsonObject, scope: &CallScope) -> Result<ToolReply, ToolReply> {
    let raw = raw(server, arguments, scope).await?;
    result::readable(raw.as_deref()).map(ToolReply::text).map_err(|error| ToolReply::error(format!("Error: {error}")))
}

/// Calls a method and answers its result as JSON text, `None` for nothing. The gate comes before anything is said of
/// the arguments.
pub(crate) async fn raw(
    server: &Server,
    arguments: &JsonObject,
    scope: &CallScope,
) -> Result<Option<String>, ToolReply> {
    if let Some(answer) = functions::beside_a_node(server, arguments, scope).await {
        return answer;
    }
    let presented = arguments.get("app_handle");
    let key = server.handle_key();
    let read = presented.and_then(Value::as_str).and_then(|text| Handle::read(text, key.as_ref()?));
    let Some(handle) = read else { return Err(without_handle(server, arguments, scope).await) };
    let installed = admission::installed(server, &handle.application, handle.service.as_deref(), scope).await?;
    let Some(installed) = installed else { return Err(admission::refused(Refusal::select_any())) };
    refuse_other_app(arguments, &installed)?;
    let context = admission::pass(server, &installed, presented, arguments.get("context"), scope).await?;

    let arguments = fixed::check("call", server.modes, arguments)?;
    let mapped = app::load(server, &installed.unit, scope).await?;
    let name = app::text(&arguments, "method").unwrap_or_default();
    let args = match arguments.get("args") {
        Some(Value::Object(args)) => args.clone(),
        _ => JsonObject::new(),
    };
    let (method, args) = find(server, &mapped, name, args, &installed.unit).await?;
    let backend = Backend::Context { node: server.node(), id: &context };
    invoke::run(server, &mapped, &method, backend, &args, scope).await
}

/// No handle, or not one of ours: with `app`, the refusal shows that app's guide.
async fn without_handle(server: &Server, arguments: &JsonObject, scope: &CallScope) -> ToolReply {
    let Some(query) = app::text(arguments, "app") else { return admission::refused(Refusal::select_any()) };
    match app::identify(server, query, scope).await {
        Ok(app) => admission::refused(Refusal::select_first(&Unit { app, service: None })),
        Err(reply) => reply,
    }
}

/// `app` beside a good handle matters only if it means another app.
fn refuse_other_app(arguments: &JsonObject, installed: &Installed) -> Result<(), ToolReply> {
    let Some(query) = app::text(arguments, "app") else { return Ok(()) };
    match resolve(&installed.apps, query) {
        Ok(other) if other.id != installed.unit.app.id => {
            let other = Unit { app: Arc::clone(other), service: None };
            Err(admission::refused(Refusal::select_first(&other)))
        }
        _ => Ok(()),
    }
}

/// The method of a name with its checked arguments. Of several with one name (overloads) it is the first whose schema
/// takes them; where none does, the first says what is wrong.
async fn find(
    server: &Server,
    mapped: &MappedUnit,
    name: &str,
    args: JsonObject,
    unit: &Unit,
) -> Result<(Arc<MappedMethod>, JsonObject), ToolReply> {
    let mut refusal = None;
    for method in mapped.named(name) {
        if method.method.role == Role::Initialiser {
            return Err(ToolReply::error(format!(
                "{name} runs once, when create_context creates the context; pass its arguments as create_context's \
                 args. It cannot be called on a context."
            )));
        }
        invoke::permitted(server, method)?;
        match invoke::check(method, Face::Declared, args.clone()).await {
            Ok(args) => return Ok((Arc::clone(method), args)),
            Err(reply) => drop(refusal.get_or_insert(reply)),
        }
    }
    Err(refusal.unwrap_or_else(|| ToolReply::error(unknown(mapped, name, unit))))
}

fn unknown(mapped: &MappedUnit, name: &str, unit: &Unit) -> String {
    let names: Vec<&str> = mapped.methods.iter().map(|method| &*method.method.name).collect();
    let available = if names.is_empty() { "(none)".to_owned() } else { names.join(", ") };
    let available = clean_line(&available);
    format!("Error: Method \"{name}\" not found on \"{}\". Available: {available}", unit.app.label())
}
