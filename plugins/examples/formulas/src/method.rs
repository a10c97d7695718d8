//! Describes one function of a sheet as a method: schemas, signature, words, and the call-spec that runs it.

use crate::FORMAT;
use crate::link::Linked;
use crate::parameter::{Parameter, number, plain};
use crate::sheet::{Function, RELEASE, Sheet};
use abi_mcp_sdk::json::Object;
use abi_mcp_sdk::serde_json::{Value, json};
use abi_mcp_sdk::{Access, CallSpec, Method};
use std::collections::BTreeSet;

/// The method of a function. Arguments and results are JSON as the schemas say, so there is nothing to encode and no
/// plan.
pub(crate) fn method(sheet: &Sheet, linked: &Linked<'_>) -> Method {
    let function = linked.function;
    let parameter = |it: &Parameter| abi_mcp_sdk::Parameter {
        name: it.name.clone(),
        required: it.default.is_none(),
        doc: it.doc.clone(),
    };
    Method {
        doc: Some(doc(function)),
        access: Access::View,
        destructive: Some(false),
        idempotent: Some(true),
        open_world: Some(false),
        category: function.topic.clone(),
        keywords: function.words.clone(),
        parameters: function.takes.iter().map(parameter).collect(),
        output_schema: Some(number(function.unit.as_deref(), function.result.as_deref())),
        call_spec: Some(CallSpec { format: FORMAT.to_owned(), bytes: call_spec(sheet, linked) }),
        ..Method::new(&function.name, signature(function), input_schema(function))
    }
}

/// `body_mass_index(mass: kg, height: m) -> kg/m2`; units say more than `number`.
fn signature(function: &Function) -> String {
    let of = |unit: &Option<String>| unit.as_deref().unwrap_or("number").to_owned();
    let takes = function.takes.iter().map(|parameter| {
        let default = parameter.default.map(|default| format!(" = {}", plain(default))).unwrap_or_default();
        format!("{}: {}{default}", parameter.name, of(&parameter.unit))
    });
    format!("{}({}) -> {}", function.name, takes.collect::<Vec<_>>().join(", "), of(&function.unit))
}

/// The author's words and the formula, which says the rest.
fn doc(function: &Function) -> String {
    let words = function.doc.as_ref().map(|doc| format!("{doc}\n\n")).unwrap_or_default();
    format!("{words}Formula: `{}`", function.formula)
}

fn input_schema(function: &Function) -> Value {
    let required = function.takes.iter().filter(|parameter| parameter.default.is_none());
    json!({
        "type": "object",
        "properties": function.takes.iter().map(|it| (it.name.clone(), it.schema())).collect::<Object>(),
        "required": required.map(|parameter| parameter.name.as_str()).collect::<Vec<_>>(),
        "additionalProperties": false,
    })
}

/// A sheet of the function and all it reaches, itself last; no words, which nobody needs in order to compute.
fn call_spec(sheet: &Sheet, linked: &Linked<'_>) -> Vec<u8> {
    let reached = linked.reaches.iter().filter_map(|position| sheet.entries.get(*position)?.function.as_ref().ok());
    let functions: Vec<&Function> = reached.chain([linked.function]).collect();
    let is_no_letter = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
    let words = functions.iter().copied().flat_map(|function| function.formula.split(is_no_letter));
    let used: BTreeSet<&str> = words.collect();
    let constants = sheet.constants.iter().filter(|constant| used.contains(constant.name.as_str()));
    json!({
        "formulas": RELEASE,
        "constants": constants.map(|it| json!({ "name": it.name, "value": it.value })).collect::<Vec<_>>(),
        "functions": functions.iter().map(|function| record(function)).collect::<Vec<_>>(),
    })
    .to_string()
    .into_bytes()
}

fn record(function: &Function) -> Value {
    let takes = function.takes.iter().map(|parameter| {
        let mut written = Object::new();
        written.insert("name".to_owned(), json!(parameter.name));
        written.extend(parameter.bounds.iter().map(|(bound, limit)| (bound.word.to_owned(), plain(*limit))));
        written.extend(parameter.default.map(|default| ("default".to_owned(), plain(default))));
        Value::Object(written)
    });
    json!({ "name": function.name, "takes": takes.collect::<Vec<_>>(), "formula": function.formula })
}
