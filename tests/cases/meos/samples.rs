//! A valid argument for each parameter of a tool, chosen by what its schema says of it.
//!
//! `samples.json` has one value for each type and for each parameter name that means the same everywhere, and, for the
//! functions where those cannot be valid, the arguments that are. Knows nothing of how a call is made.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Values to call functions with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Samples {
    /// By the type a schema's title names.
    types: BTreeMap<String, Value>,
    /// By parameter, for plain numbers and strings.
    parameters: BTreeMap<String, Value>,
    /// By function, the arguments that need to be these.
    functions: BTreeMap<String, Map<String, Value>>,
}

impl Samples {
    pub(crate) fn read() -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/meos/samples.json");
        serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
    }

    /// Arguments for everything a tool must be given, and for what may be left out where an exception names it.
    pub(crate) fn arguments(&self, tool: &Value) -> Map<String, Value> {
        let name = tool["name"].as_str().unwrap();
        let exceptions = self.functions.get(name);
        let schema = &tool["inputSchema"];
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut arguments = Map::new();
        for (parameter, about) in schema["properties"].as_object().into_iter().flatten() {
            let value = match exceptions.and_then(|exceptions| exceptions.get(parameter)) {
                Some(value) => value.clone(),
                None if required.contains(&parameter.as_str()) => self.value(parameter, about),
                None => continue,
            };
            arguments.insert(parameter.clone(), value);
        }
        arguments
    }

    fn value(&self, parameter: &str, about: &Value) -> Value {
        if let Some(first) = about["anyOf"].get(0) {
            return self.value(parameter, first);
        }
        match about["type"].as_str() {
            Some("array") => json!([self.value(parameter, &about["items"])]),
            Some("boolean") => json!(true),
            Some(number @ ("integer" | "number")) => {
                let usual = if number == "integer" { json!(1) } else { json!(1.5) };
                self.parameters.get(parameter).cloned().unwrap_or(usual)
            }
            _ => self.text(parameter, about),
        }
    }

    /// Of several types the sample of just these, else of the first that has one.
    fn text(&self, parameter: &str, about: &Value) -> Value {
        let title = about["title"].as_str().unwrap_or_default();
        let named = [title].into_iter().chain(title.split(" | ")).find_map(|name| self.types.get(name));
        named.or_else(|| self.parameters.get(parameter)).cloned().unwrap_or_else(|| "abc".into())
    }
}
