//! The tool manifest as the original generator writes it, byte for byte: for whoever compares or already depends on it.
//!
//! An enriched catalog in, JSON text out. The rules are those of MEOS-API at `82d89a3`, its limits included (no
//! integer widths, no output schema for lists): what it does not say about a call is not added here.
//! [`crate::manifest`] writes the better form.

use crate::catalog::Catalog;
use crate::text::CNames;
use abi_mcp_sdk::json::Object;
use abi_mcp_sdk::serde_json::{Value, json};
use std::collections::BTreeMap;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

const DESCRIPTION: &str = "MEOS spatiotemporal value algebra exposed as MCP tools, generated from the MEOS-API \
    catalog. One tool per stateless-exposable function; spatiotemporal values are passed as serialized strings. \
    Generated, do not edit.";

const SERIALIZED_HINT: &str =
    "Spatiotemporal arguments are passed as serialized strings (text/WKT, MF-JSON, or HexWKB).";

/// Member names by enumeration.
type Enums = BTreeMap<String, Vec<Value>>;

/// The whole manifest.
pub(crate) fn manifest(catalog: &Catalog, server: &str) -> Value {
    let enums = member_names(&catalog.enums);
    let mut functions: Vec<&Value> = catalog.functions.iter().filter(|function| exposable(function)).collect();
    functions.sort_by_key(|function| text(function, "name"));
    let tools: Vec<Value> = functions.iter().map(|function| tool(function, &enums)).collect();
    json!({
        "x-meos": {
            "server": server,
            "description": DESCRIPTION,
            "coverage": { "functions": catalog.functions.len(), "exposed": tools.len() },
        },
        "tools": tools,
    })
}

/// Whether the catalog says so, with Python's idea of truth.
fn exposable(function: &Value) -> bool {
    match function.get("network").and_then(|network| network.get("exposable")) {
        None | Some(Value::Null) => false,
        Some(Value::Bool(flag)) => *flag,
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(list)) => !list.is_empty(),
        Some(Value::Object(object)) => !object.is_empty(),
    }
}

fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn member_names(enums: &[Value]) -> Enums {
    let names = |it: &Value| list(it, "values").iter().filter_map(|member| member.get("name").cloned()).collect();
    enums.iter().map(|it| (text(it, "name").to_owned(), names(it))).collect()
}

fn tool(function: &Value, enums: &Enums) -> Value {
    let nothing = Value::Null;
    let wire = function.get("wire").unwrap_or(&nothing);
    let parameters = list(wire, "params");
    let result = wire.get("result").unwrap_or(&nothing);
    let name = text(function, "name");

    let properties: Object =
        parameters.iter().map(|it| (text(it, "name").to_owned(), parameter_schema(it, enums))).collect();
    let required: Vec<&str> = parameters.iter().map(|it| text(it, "name")).collect();
    let mut tool = Object::new();
    tool.insert("name".to_owned(), Value::from(name));
    tool.insert("description".to_owned(), Value::from(description(function, name, parameters)));
    tool.insert(
        "inputSchema".to_owned(),
        json!({
            "$schema": DIALECT, "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        }),
    );
    tool.insert(
        "annotations".to_owned(),
        json!({
            "title": name, "readOnlyHint": true, "idempotentHint": true, "destructiveHint": false,
            "openWorldHint": false,
        }),
    );
    tool.insert("x-meos".to_owned(), dispatch(function, parameters, result));
    if let Some(schema) = result_schema(result, enums) {
        let schema = json!({ "type": "object", "properties": { "result": schema }, "required": ["result"] });
        tool.insert("outputSchema".to_owned(), schema);
    }
    Value::Object(tool)
}

fn is_serialized(it: &Value) -> bool {
    text(it, "kind") == "serialized"
}

fn description(function: &Value, name: &str, parameters: &[Value]) -> String {
    let doc = text(function, "doc").trim();
    let mut description = if doc.is_empty() {
        format!("MEOS {} operation `{name}`.", text(function, "category"))
    } else {
        doc.to_owned()
    };
    if parameters.iter().any(is_serialized) {
        description.push(' ');
        description.push_str(SERIALIZED_HINT);
    }
    description
}

fn parameter_schema(it: &Value, enums: &Enums) -> Value {
    match text(it, "kind") {
        "array" => {
            let element = it.get("element").unwrap_or(&Value::Null);
            json!({ "type": "array", "items": parameter_schema(element, enums) })
        }
        "json" if it.get("enum").is_some() => {
            let of = text(it, "enum");
            match enums.get(of).filter(|names| !names.is_empty()) {
                Some(names) => json!({ "type": "string", "title": of, "enum": names }),
                None => json!({ "type": "string", "title": of }),
            }
        }
        "json" => json!({ "type": scalar_type(it) }),
        _ => serialized_schema(it),
    }
}

fn scalar_type(it: &Value) -> &str {
    match text(it, "json") {
        known @ ("integer" | "number" | "boolean") => known,
        _ => "string",
    }
}

fn serialized_schema(it: &Value) -> Value {
    let title = CNames::of(text(it, "cType")).joined();
    let encodings: Vec<&str> = list(it, "encodings").iter().filter_map(Value::as_str).collect();
    let encodings = if encodings.is_empty() { "text".to_owned() } else { encodings.join(", ") };
    let description = format!("A MEOS {title} value, serialized as {encodings} (e.g. WKT / MF-JSON / HexWKB).");
    json!({ "type": "string", "title": title, "description": description })
}

fn dispatch(function: &Value, parameters: &[Value], result: &Value) -> Value {
    let mut dispatch = Object::new();
    dispatch.insert("category".to_owned(), function.get("category").cloned().unwrap_or_default());
    if is_serialized(result) {
        dispatch.insert("encode".to_owned(), result.get("encode").cloned().unwrap_or_default());
    }
    let decoder = |it: &Value| (text(it, "name").to_owned(), it.get("decode").cloned().unwrap_or_default());
    let decoders: Object = parameters.iter().filter(|it| is_serialized(it)).map(decoder).collect();
    if !decoders.is_empty() {
        dispatch.insert("decode".to_owned(), Value::Object(decoders));
    }
    Value::Object(dispatch)
}

fn result_schema(result: &Value, enums: &Enums) -> Option<Value> {
    match text(result, "kind") {
        "json" => Some(match result.get("enum") {
            Some(_) => match enums.get(text(result, "enum")).filter(|names| !names.is_empty()) {
                Some(names) => json!({ "type": "string", "enum": names }),
                None => json!({ "type": "string" }),
            },
            None => json!({ "type": scalar_type(result) }),
        }),
        "serialized" => Some(json!({ "type": "string", "title": CNames::of(text(result, "cType")).joined() })),
        _ => None,
    }
}
