//! An extension's tools as plain JSON, one value a tool: what a lock file holds and a person compares.
//!
//! In come tools as they were accepted, out come their definitions, and back. Reading them back holds them to the
//! contract again, since a person may have written them. Whose tools they are and what is done with a difference is not known
//! here.

use crate::contract::{DraftMethod, DraftTools, accept_tools};
use crate::model::{Access, JsonObject, Mapping, Method, Role};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// One tool without its name. Members that say nothing are left out, so that a definition reads well.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default)]
    description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keywords: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    read_only: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    destructive: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    idempotent: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open_world: Option<bool>,
    input_schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
}

/// Each tool's own name and definition, in the extension's order. What was skipped is no tool.
#[must_use]
pub fn definitions(tools: &Mapping) -> Vec<(String, Value)> {
    let definition = |method: &Method| {
        let definition = Definition {
            title: method.title.clone(),
            description: method.doc.clone().unwrap_or_default(),
            category: method.category.clone(),
            keywords: method.keywords.clone(),
            read_only: match method.access {
                Access::View => Some(true),
                Access::Mutate => Some(false),
                Access::Unspecified => None,
            },
            destructive: method.destructive,
            idempotent: method.idempotent,
            open_world: method.open_world,
            input_schema: Value::Object(method.input_schema.clone()),
            output_schema: method.output_schema.clone(),
        };
        // Plain values under text keys always serialise.
        (method.name.clone(), serde_json::to_value(definition).unwrap_or_default())
    };
    tools.methods.iter().map(definition).collect()
}

/// The tools of these definitions, held to the contract like an extension's own answer: one that breaks a rule is skipped.
///
/// # Errors
/// A definition that is none, by its tool's name.
pub fn tools(definitions: &[(String, Value)]) -> Result<Mapping, String> {
    let drafts = definitions.iter().map(|(name, definition)| draft(name, definition));
    let tools = drafts.collect::<Result<_, _>>()?;
    Ok(accept_tools(DraftTools { tools, skipped: Vec::new() }))
}

fn draft(name: &str, definition: &Value) -> Result<DraftMethod, String> {
    let definition = Definition::deserialize(definition).map_err(|error| format!("the tool {name:?}: {error}"))?;
    let method = Method {
        name: name.to_owned(),
        title: definition.title,
        doc: Some(definition.description),
        signature: String::new(),
        role: Role::Ordinary,
        access: match definition.read_only {
            Some(true) => Access::View,
            Some(false) => Access::Mutate,
            None => Access::Unspecified,
        },
        destructive: definition.destructive,
        idempotent: definition.idempotent,
        open_world: definition.open_world,
        category: definition.category,
        keywords: definition.keywords,
        parameters: Vec::new(),
        input_schema: JsonObject::new(),
        output_schema: None,
        plan: Arc::default(),
        call_spec: None,
        needs_encode: false,
        needs_decode: false,
        meta: None,
    };
    let output_schema = definition.output_schema.map(|schema| schema.to_string());
    Ok(DraftMethod { method, input_schema: definition.input_schema.to_string(), output_schema, meta: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tools_read_back_from_their_definitions_as_they_were() {
        let written = json!({
            "title": "Add",
            "description": "Adds.",
            "keywords": ["plus"],
            "read_only": true,
            "destructive": false,
            "open_world": false,
            "input_schema": {"type": "object", "properties": {"b": {"type": "integer"}, "a": {}}, "required": ["b"]},
            "output_schema": {"type": "integer"},
        });
        let first = tools(&[("add".to_owned(), written.clone())]).unwrap();
        assert_eq!(first.methods[0].signature, "add(b: integer, a?: any) -> integer");
        assert_eq!(definitions(&first), [("add".to_owned(), written)]);
        assert_eq!(tools(&definitions(&first)), Ok(first));
    }

    #[test]
    fn a_definition_that_breaks_a_rule_is_skipped_and_one_that_is_none_is_named() {
        let list = json!({"description": "", "input_schema": []});
        let found = tools(&[("list".to_owned(), list)]).unwrap();
        assert!(found.methods.is_empty() && found.skipped[0].reason.contains("not a JSON object"), "{found:?}");
        for bad in [json!(1), json!({}), json!({"input_schema": {}, "grants": {"http": ["*"]}})] {
            assert!(tools(&[("x".to_owned(), bad)]).unwrap_err().contains("\"x\""));
        }
    }
}
