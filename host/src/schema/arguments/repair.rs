//! The few forms that are accepted beside the advertised one.
//!
//! Walks a refused value beside its schema and rewrites only what the schema refuses there. A result that still does
//! not fit is thrown away by the caller's second check, so a repair can never let anything through that the schema
//! does not accept.

use super::values;
use crate::schema::portable::compile;
use jsonschema::Validator;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The work of one call, in JSON values looked at, each as often as it is looked at; beyond it values stay as they came.
/// A union of unions could otherwise make one large argument cost minutes.
const MOST_WORK: usize = 2_000_000;

/// One call's repairs. Compiled parts of the schema are kept for its length: a list checks one schema many times.
#[derive(Default)]
pub(super) struct Repair {
    compiled: HashMap<usize, Option<Validator>>,
    work: usize,
}

impl Repair {
    /// The arguments with every accepted form brought to the advertised one.
    pub(super) fn arguments(&mut self, schema: &Value, arguments: Value) -> Value {
        let Value::Object(arguments) = arguments else { return arguments };
        let properties = schema.get("properties").and_then(Value::as_object);
        let required: Vec<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut repaired = Map::new();
        for (name, value) in arguments {
            let Some(member) = properties.and_then(|properties| properties.get(&name)) else {
                repaired.insert(name, value);
                continue;
            };
            let dispensable = value.is_null() && !required.contains(&name.as_str());
            if dispensable && !self.fits(member, &value) {
                continue;
            }
            let value = self.value(member, value, true);
            repaired.insert(name, value);
        }
        Value::Object(repaired)
    }

    /// One value; `texts` while it was not itself read from a text.
    fn value(&mut self, schema: &Value, value: Value, texts: bool) -> Value {
        if self.work > MOST_WORK || self.fits(schema, &value) {
            return value;
        }
        if let Some(branches) = schema.get("anyOf").and_then(Value::as_array) {
            for branch in branches {
                let candidate = self.value(branch, value.clone(), texts);
                if self.fits(schema, &candidate) {
                    return candidate;
                }
            }
            return value;
        }
        let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
        match (kind, value) {
            ("integer", Value::String(text)) => exact_integer(&text).unwrap_or(Value::String(text)),
            ("object" | "array", Value::String(text)) if texts => match read_as(kind, &text) {
                Some(read) => self.value(schema, read, false),
                None => Value::String(text),
            },
            ("object", Value::Object(members)) => Value::Object(self.members(schema, members, texts)),
            ("array", Value::Array(items)) => Value::Array(self.items(schema, items, texts)),
            (_, other) => other,
        }
    }

    fn members(&mut self, schema: &Value, members: Map<String, Value>, texts: bool) -> Map<String, Value> {
        let properties = schema.get("properties").and_then(Value::as_object);
        // Of several key patterns a key may match any; with one there is no question.
        let pattern = schema.get("patternProperties").and_then(Value::as_object).filter(|patterns| patterns.len() == 1);
        let others = pattern
            .and_then(|patterns| patterns.values().next())
            .or_else(|| schema.get("additionalProperties").filter(|additional| additional.is_object()));
        let mut repaired = Map::new();
        for (name, value) in members {
            let member = properties.and_then(|properties| properties.get(&name)).or(others);
            let value = match member {
                Some(member) => self.value(member, value, texts),
                None => value,
            };
            repaired.insert(name, value);
        }
        repaired
    }

    fn items(&mut self, schema: &Value, items: Vec<Value>, texts: bool) -> Vec<Value> {
        let places = schema.get("prefixItems").and_then(Value::as_array);
        let mut repaired = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let place = places.and_then(|places| places.get(index)).or_else(|| schema.get("items"));
            let item = match place {
                Some(place) => self.value(place, item, texts),
                None => item,
            };
            repaired.push(item);
        }
        repaired
    }

    /// Whether a part of the schema takes a value.
    fn fits(&mut self, schema: &Value, value: &Value) -> bool {
        self.work += values(value, MOST_WORK);
        if self.work > MOST_WORK {
            return true;
        }
        // The schema outlives the call, so an address names a part for that long.
        let address = std::ptr::from_ref(schema).addr();
        let validator = self.compiled.entry(address).or_insert_with(|| compile(schema).ok());
        validator.as_ref().is_none_or(|validator| validator.is_valid(value))
    }
}

/// The integer a text spells exactly as JSON would: no sign but `-`, no leading zero, no space, no fraction.
fn exact_integer(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = digits == "0" && text == digits || !digits.starts_with('0');
    if !(plain && canonical) {
        return None;
    }
    text.parse::<u64>().map(Value::from).or_else(|_| text.parse::<i64>().map(Value::from)).ok()
}

/// The object or array a text holds; nothing else is read from a text.
fn read_as(kind: &str, text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    let fits = if kind == "object" { value.is_object() } else { value.is_array() };
    fits.then_some(value)
}
