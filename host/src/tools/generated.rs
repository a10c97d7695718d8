//! One call of a generated tool.

use crate::backend::Backend;
use crate::catalog::{CONTEXT_ARGUMENT, CatalogUnit, HANDLE_ARGUMENT};
use crate::gate::Refusal;
use crate::model::{CallScope, JsonObject, ToolReply};
use crate::schema::result;
use crate::tools::admission::{self, Installed};
use crate::tools::invoke::Face;
use crate::tools::{Server, invoke};
use std::sync::Arc;

/// Calls the method behind the tool `name` of `listed`, which may be older than what is installed now.
///
/// Order of checks: the app as installed now, the handle, the context, the arguments, execution.
pub(crate) async fn call(
    server: &Server,
    name: &str,
    listed: &Arc<CatalogUnit>,
    mut arguments: JsonObject,
    scope: &CallScope,
) -> ToolReply {
    let outcome = async {
        let (installed, served) = as_installed(server, name, listed, scope).await?;
        let method = served.method_of(name).ok_or_else(|| gone(&installed))?;
        invoke::permitted(server, method)?;
        // Taken out before anything else is done with the arguments: neither ever reaches the application.
        let presented = arguments.shift_remove(HANDLE_ARGUMENT);
        let targets = !method.declares(CONTEXT_ARGUMENT);
        let named = if targets { arguments.shift_remove(CONTEXT_ARGUMENT) } else { None };
        let context = admission::pass(server, &installed, presented.as_ref(), named.as_ref(), scope).await?;
        let arguments = invoke::check(method, Face::Listed, arguments).await?;
        let backend = Backend::Context { node: server.node(), id: &context };
        let raw = invoke::run(server, &served.mapped, method, backend, &arguments, scope).await?;
        let method = Arc::clone(method);
        invoke::offload(move || result::reply(raw.as_deref(), method.result_checker())).await
    };
    outcome.await.unwrap_or_else(|reply: ToolReply| reply)
}

/// The unit as installed now and the methods that belong to it. After an upgrade the call goes on as the new version
/// if that still has the tool: the old version's schema never judges a call to the new one.
async fn as_installed(
    server: &Server,
    name: &str,
    listed: &Arc<CatalogUnit>,
    scope: &CallScope,
) -> Result<(Installed, Arc<CatalogUnit>), ToolReply> {
    let (app_id, service) = (&listed.unit.app.id, listed.unit.service.as_deref());
    let Some(installed) = admission::installed(server, app_id, service, scope).await? else {
        server.resync(scope).await;
        return Err(admission::refused(Refusal::select_first(&listed.unit)));
    };
    if same_release(&installed, listed) {
        return Ok((installed, Arc::clone(listed)));
    }
    server.resync(scope).await;
    let renewed = server.catalog.snapshot().unit(app_id, service).cloned();
    match renewed.filter(|unit| same_release(&installed, unit) && unit.method_of(name).is_some()) {
        Some(unit) => Ok((installed, unit)),
        None => Err(gone(&installed)),
    }
}

fn same_release(installed: &Installed, listed: &CatalogUnit) -> bool {
    let (now, then) = (&installed.unit.app, &listed.unit.app);
    now.content == then.content && now.version == then.version
}

fn gone(installed: &Installed) -> ToolReply {
    admission::refused(Refusal::select_first(&installed.unit))
}
