//! The tool manifest in its better form: what the original one says, and everything a call needs.
//!
//! A mapped catalog in, the manifest as JSON out. Each tool carries its call-spec, so that a runtime needs nothing but
//! the manifest; the head says what was left out and why.

use crate::catalog::Catalog;
use crate::map;
use abi_mcp_sdk::json::Object;
use abi_mcp_sdk::serde_json::{self, Value, json};
use abi_mcp_sdk::{Mapping, Method};
use std::collections::BTreeMap;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

const DESCRIPTION: &str = "The MEOS algebra of values in space and time as MCP tools, one a function that can be \
    called without state. Values travel as text, MF-JSON or HexWKB. Generated, do not edit.";

/// The whole manifest: tools by name.
pub(crate) fn manifest(catalog: &Catalog, server: &str) -> Value {
    let mut mapping = map::map(catalog);
    mapping.methods.sort_by(|a, b| a.name.cmp(&b.name));
    let mut head = Object::new();
    head.insert("server".to_owned(), Value::from(server));
    head.insert("description".to_owned(), Value::from(DESCRIPTION));
    if let Some(release) = &catalog.release {
        head.insert("release".to_owned(), Value::from(release.as_str()));
    }
    head.insert("coverage".to_owned(), coverage(catalog, &mapping));
    let excluded = mapping.skipped.iter().map(|it| (it.method.as_str(), it.reason.as_str()));
    let excluded: Object =
        excluded.collect::<BTreeMap<_, _>>().into_iter().map(|(name, it)| (name.to_owned(), it.into())).collect();
    head.insert("excluded".to_owned(), Value::Object(excluded));
    json!({ "x-meos": head, "tools": mapping.methods.iter().map(tool).collect::<Vec<_>>() })
}

/// How many functions of each category are tools.
fn coverage(catalog: &Catalog, mapping: &Mapping) -> Value {
    let mut categories: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let category = |text: Option<&str>| text.unwrap_or("other").to_owned();
    let all: Vec<String> =
        catalog.functions.iter().map(|function| category(function.get("category").and_then(Value::as_str))).collect();
    let exposed: Vec<String> = mapping.methods.iter().map(|method| category(method.category.as_deref())).collect();
    all.iter().for_each(|it| categories.entry(it).or_default().0 += 1);
    exposed.iter().for_each(|it| categories.entry(it).or_default().1 += 1);
    let by_category: Object = categories
        .into_iter()
        .map(|(name, (functions, exposed))| (name.to_owned(), json!({ "functions": functions, "exposed": exposed })))
        .collect();
    json!({ "functions": all.len(), "exposed": exposed.len(), "byCategory": by_category })
}

fn tool(method: &Method) -> Value {
    let mut tool = Object::new();
    let description = format!("{}\n{}", method.doc.as_deref().unwrap_or_default(), method.signature);
    let mut schema = Object::new();
    schema.insert("$schema".to_owned(), Value::from(DIALECT));
    schema.extend(method.input_schema.as_object().cloned().unwrap_or_default());
    tool.insert("name".to_owned(), Value::from(method.name.as_str()));
    tool.insert("description".to_owned(), Value::from(description));
    tool.insert("inputSchema".to_owned(), Value::Object(schema));
    tool.insert(
        "annotations".to_owned(),
        json!({
            "title": method.name, "readOnlyHint": true, "idempotentHint": true, "destructiveHint": false,
            "openWorldHint": false,
        }),
    );
    tool.insert("x-meos".to_owned(), Value::Object(facts(method)));
    if let Some(result) = &method.output_schema {
        let schema = json!({ "type": "object", "properties": { "result": result }, "required": ["result"] });
        tool.insert("outputSchema".to_owned(), schema);
    }
    Value::Object(tool)
}

/// What the mapper says of a method, and its call.
fn facts(method: &Method) -> Object {
    let own = method.meta.as_ref().and_then(|meta| meta.get("x-meos")).and_then(Value::as_object);
    let mut facts = own.cloned().unwrap_or_default();
    if let Some(spec) = &method.call_spec {
        let call: Value = serde_json::from_slice(&spec.bytes).unwrap_or_default();
        facts.insert("format".to_owned(), Value::from(spec.format.as_str()));
        facts.insert("call".to_owned(), call);
    }
    facts
}
