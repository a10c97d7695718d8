//! Reaching tools that are not listed: ranked search, and one tool's full definition.

use crate::catalog::{CatalogUnit, Snapshot, definition};
use crate::model::{CallScope, JsonObject, Method, Parameter, ToolReply};
use crate::source::Origin;
use crate::text::{clean_line, cut};
use crate::tools::Server;
use crate::tools::app::text;
use crate::tools::functions;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// Answers when nothing is said, and at most: a page of these stays well under 1,000 tokens.
const DEFAULT_LIMIT: usize = 8;
const MOST: usize = 50;

/// Of how many tools the arguments are explained: the best ones are those that are called.
const EXPLAINED: usize = 3;

/// Longest doc in an answer, in UTF-16 units; `describe_tool` has all of it.
const SHORT: usize = 160;

/// Searches all tools by words. Answers text alone: it is read by a model, and once.
pub(crate) async fn find_tools(
    server: &Server,
    arguments: &JsonObject,
    scope: &CallScope,
) -> Result<ToolReply, ToolReply> {
    let query = text(arguments, "query").unwrap_or_default();
    let limit = arguments
        .get("limit")
        .and_then(Value::as_u64)
        .map_or(DEFAULT_LIMIT, |limit| usize::try_from(limit).unwrap_or(MOST).clamp(1, MOST));
    let snapshot = searched(server, scope).await;
    let hits = snapshot.search(query);
    if hits.is_empty() {
        let why = server.catalog.unavailable().map(|why| format!("\n{}", clean_line(&why))).unwrap_or_default();
        let why = why + &functions::not_served(server);
        return Err(ToolReply::error(format!(
            "Error: no tool fits these words.{why}\nhint: say in a few plain words what it does, and on what"
        )));
    }
    let mut lines = vec![format!("{} of {} tools that fit, best first:", hits.len().min(limit), hits.len())];
    let mut explained = HashSet::new();
    let mut kinds = (false, false);
    for (place, hit) in hits.iter().take(limit).enumerate() {
        let Some((unit, method)) = snapshot.tool(hit.name) else { continue };
        match unit.unit.app.has_contexts() {
            true => kinds.0 = true,
            false => kinds.1 = true,
        }
        lines.push(format!("{}. {}", place + 1, heading(unit, hit.name, &method.method)));
        if let Some(doc) = method.method.doc.as_deref().map(clean_line).filter(|doc| !doc.is_empty()) {
            lines.push(format!("   {}", cut(&doc, SHORT)));
        }
        if place < EXPLAINED {
            lines.extend(arguments_of(&method.method, &mut explained));
        }
    }
    lines.extend(how_to_call(kinds, &snapshot, hits.first().map(|hit| hit.name)));
    Ok(ToolReply::text(lines.join("\n")))
}

/// What there is to search. Apps that are slow hold no search back; manifest files are what it is for.
async fn searched(server: &Server, scope: &CallScope) -> Arc<Snapshot> {
    if server.sources.has_files() { server.complete(scope).await } else { server.current().await }
}

/// The signature; before it the tool's name and app, where it does not begin with the name.
fn heading(unit: &CatalogUnit, name: &str, method: &Method) -> String {
    let signature = clean_line(&method.signature);
    match signature.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')) {
        true => signature,
        false => format!("{name} ({}): {signature}", clean_line(&unit.unit.label())),
    }
}

/// What each argument takes, unless it was said before.
fn arguments_of(method: &Method, said: &mut HashSet<String>) -> Vec<String> {
    let described = |name: &str| {
        let property = method.input_schema.get("properties")?.get(name)?;
        property.get("description")?.as_str().map(str::to_owned)
    };
    let mut lines = Vec::new();
    for parameter in &method.parameters {
        let Some(about) = described(&parameter.name).or_else(|| parameter.doc.clone()) else { continue };
        let about = clean_line(&about);
        if said.insert(about.clone()) {
            lines.push(format!("   {}: {}", parameter.name, cut(&about, SHORT)));
        }
    }
    lines
}

/// One line for each kind of tool among the answers.
fn how_to_call((of_apps, functions): (bool, bool), snapshot: &Snapshot, first: Option<&str>) -> Vec<String> {
    let mut lines = Vec::new();
    if functions {
        let example = first.and_then(|name| snapshot.tool(name)).filter(|(unit, _)| !unit.unit.app.has_contexts());
        let example = example.map_or_else(String::new, |(unit, method)| {
            // An extension's own name for a tool may be another's too.
            let named = first.filter(|_| unit.unit.app.origin == Origin::Extension).unwrap_or(&method.method.name);
            let value = |given: &Parameter| (given.name.clone(), example_of(&method.method.input_schema, &given.name));
            let args: JsonObject = method.method.parameters.iter().map(value).collect();
            format!(", for example {}", json!({"method": named, "args": args}))
        });
        lines.push(format!("Run a function with the tool `call`{example}."));
    }
    if of_apps {
        lines.push(
            "An application's tool is called by its name, listed or not, with select_app's app_handle.".to_owned(),
        );
    }
    lines
}

/// An argument with a value of its kind, for a model to put its own in the place of.
fn example_of(input_schema: &JsonObject, name: &str) -> Value {
    let property = input_schema.get("properties").and_then(|all| all.get(name));
    let said = |key: &str| property.and_then(|property| property.get(key)).cloned();
    let first = |key: &str| said(key).and_then(|values| values.get(0).cloned());
    let of_its_kind = || match said("type").as_ref().and_then(Value::as_str) {
        Some("integer" | "number") => {
            said("minimum").filter(|least| least.as_f64().is_some_and(|least| least > 1.0)).unwrap_or_else(|| json!(1))
        }
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!(".."),
    };
    said("default").or_else(|| first("examples")).or_else(|| first("enum")).unwrap_or_else(of_its_kind)
}

/// One tool in full.
pub(crate) async fn describe_tool(
    server: &Server,
    arguments: &JsonObject,
    scope: &CallScope,
) -> Result<ToolReply, ToolReply> {
    let name = text(arguments, "tool").unwrap_or_default();
    let snapshot = searched(server, scope).await;
    let found = snapshot.tool(name).filter(|(unit, _)| unit.tools().iter().any(|(shown, _)| *shown == name));
    let Some((unit, method)) = found else {
        let shown = clean_line(name);
        return Err(ToolReply::error(format!("Error: there is no tool `{shown}`; find_tools searches for one")));
    };
    let tool = definition(unit, name, method);
    let answer = json!({
        "tool": tool.name,
        "app": unit.unit.app.label(),
        "service": unit.unit.service,
        "method": clean_line(&method.method.name),
        "title": tool.title,
        "description": tool.description,
        "inputSchema": *tool.input_schema,
        "outputSchema": tool.output_schema.as_deref(),
    });
    let text = serde_json::to_string_pretty(&answer).unwrap_or_default();
    Ok(ToolReply { structured: Some(answer), ..ToolReply::text(text) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_has_values_the_schema_takes() {
        let schema = json!({"type": "object", "properties": {
            "mass": {"type": "number", "minimum": 2.5}, "count": {"type": "integer", "minimum": -5},
            "unit": {"type": "string", "enum": ["kg", "lb"]}, "exact": {"type": "boolean", "default": false},
            "names": {"type": "array"}, "text": {"type": "string"},
        }});
        let schema = schema.as_object().unwrap();
        let names = ["mass", "count", "unit", "exact", "names", "text", "unknown"];
        let example = names.map(|name| example_of(schema, name));
        assert_eq!(json!(example), json!([2.5, 1, "kg", false, [], "..", ".."]));
    }
}
