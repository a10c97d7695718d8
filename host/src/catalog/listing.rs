//! Tool definitions of generated tools: names, titles, descriptions, schemas, hints.

use crate::catalog::describe::{describe, title};
use crate::catalog::mapped::{MappedMethod, MappedUnit};
use crate::catalog::naming::{self, AppPart, NamedMethod, NamedUnit};
use crate::catalog::snapshot::{CatalogUnit, is_tool};
use crate::model::{Access, Annotations, JsonObject, Method, ToolDefinition};
use crate::source::{Origin, Unit};
use serde_json::json;
use std::sync::Arc;

/// The tool name of each method of each unit; `None` for methods without a tool.
///
/// A method that collides gets none; it stays reachable through `call`, which keeps the two in different places.
pub(crate) fn tool_names(
    units: &[(Unit, Arc<MappedUnit>)],
    reserved: &[&str],
    list_internal: bool,
) -> Vec<Vec<Option<String>>> {
    let wants_tool = |method: &MappedMethod| is_tool(method.method.role, list_internal) && !method.collides();
    let named: Vec<NamedUnit<'_>> = units
        .iter()
        .map(|(unit, mapped)| NamedUnit {
            package: unit.app.package.as_deref(),
            id: &unit.app.id,
            service: unit.service.as_deref(),
            app_part: if unit.app.origin == Origin::File { AppPart::Empty } else { AppPart::Derived },
            yields: unit.app.origin == Origin::Extension,
            methods: mapped.methods.iter().filter(|method| wants_tool(method)).map(|method| named(method)).collect(),
        })
        .collect();
    let names = naming::tool_names(&named, reserved.iter().copied());
    units
        .iter()
        .zip(names)
        .map(|((_, mapped), names)| {
            let mut names = names.into_iter();
            mapped.methods.iter().map(|method| if wants_tool(method) { names.next() } else { None }).collect()
        })
        .collect()
}

fn named(method: &MappedMethod) -> NamedMethod<'_> {
    let parameters = method.method.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    NamedMethod { name: &method.method.name, parameters }
}

/// The definitions of a unit's tools, sorted by name.
pub(crate) fn definitions(unit: &CatalogUnit) -> Vec<ToolDefinition> {
    unit.tools().into_iter().map(|(name, method)| definition(unit, name, method)).collect()
}

/// One tool's definition.
pub(crate) fn definition(unit: &CatalogUnit, name: &str, method: &MappedMethod) -> ToolDefinition {
    let about = &method.method;
    ToolDefinition {
        name: name.to_owned(),
        title: Some(title(about.title.as_deref(), &about.name, unit.unit.app.display_name())),
        description: describe(about.doc.as_deref(), &about.signature),
        input_schema: Arc::clone(&method.listed().schema),
        output_schema: method.output().cloned(),
        annotations: annotations(about),
        meta: Some(meta(unit, about)),
    }
}

/// All four hints, always: a client that finds none assumes the worst.
fn annotations(method: &Method) -> Annotations {
    let read_only = method.access == Access::View;
    Annotations {
        read_only: Some(read_only),
        destructive: Some(!read_only && method.destructive.unwrap_or(false)),
        idempotent: Some(read_only || method.idempotent.unwrap_or(false)),
        open_world: Some(method.open_world.unwrap_or(false)),
    }
}

/// The app's identity first: a mapper's own keys stand beside it and never replace it.
fn meta(unit: &CatalogUnit, method: &Method) -> JsonObject {
    let app = &unit.unit.app;
    let mut meta = JsonObject::new();
    meta.insert("package".to_owned(), json!(app.label()));
    if app.has_contexts() {
        meta.insert("appVersion".to_owned(), json!(app.version));
        meta.insert("signerId".to_owned(), json!(app.signer));
    }
    for (key, value) in method.meta.iter().flatten() {
        if !meta.contains_key(key) && !is_reserved(key) {
            meta.insert(key.clone(), value.clone());
        }
    }
    meta
}

/// Whether a `_meta` key is the protocol's own: a prefix whose second label is `mcp` or `modelcontextprotocol` (MCP,
/// `_meta`), or one of the tracing keys.
fn is_reserved(key: &str) -> bool {
    if let Some((prefix, _)) = key.rsplit_once('/') {
        return matches!(prefix.split('.').nth(1), Some("mcp" | "modelcontextprotocol"));
    }
    matches!(key, "traceparent" | "tracestate" | "baggage" | "progressToken")
}
