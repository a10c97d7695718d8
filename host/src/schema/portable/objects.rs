//! Objects, maps, lists and tuples in portable form.

use super::JsonObject;
use super::convert::{Converter, Depth, Direction, any_of, bare, copy_counts};
use super::keys::KeyRule;
use super::unknown::{is_unknown, unknown};
use super::validator::is_portable_pattern;
use serde_json::{Value, json};

impl Converter<'_> {
    /// A record or a map. Of an output always open.
    pub(super) fn object(&mut self, map: &JsonObject, depth: Depth) -> JsonObject {
        let mut schema = bare("object");
        let properties = self.properties(map, depth);
        if !properties.is_empty() || map.contains_key("properties") {
            schema.insert("properties".to_owned(), Value::Object(properties));
        }
        if let Some(required) = map.get("required").and_then(Value::as_array) {
            let mut names: Vec<&str> = required.iter().filter_map(Value::as_str).collect();
            names.dedup();
            if !names.is_empty() {
                schema.insert("required".to_owned(), json!(names));
            }
        }
        copy_counts(map, &mut schema, &["minProperties", "maxProperties"]);
        self.members(map, &mut schema, depth);
        schema
    }

    fn properties(&mut self, map: &JsonObject, depth: Depth) -> JsonObject {
        let mut properties = JsonObject::new();
        for (name, node) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if self.is_exhausted() {
                break;
            }
            self.spend(name.len());
            match self.child(format!(".{name}"), node, depth.down(2)) {
                Some(property) => {
                    properties.insert(name.clone(), Value::Object(property));
                }
                None if map.get("additionalProperties") == Some(&json!(false)) => {}
                None => self.note(format!("member `{name}` is not allowed, which clients cannot read")),
            }
        }
        properties
    }

    /// The members without a name of their own: `patternProperties` and `additionalProperties`.
    fn members(&mut self, map: &JsonObject, schema: &mut JsonObject, depth: Depth) {
        let mut additional = match map.get("additionalProperties") {
            None => None,
            Some(Value::Bool(open)) => Some(Value::Bool(*open)),
            Some(node) => Some(match self.child(".*".to_owned(), node, depth.down(1)) {
                None => Value::Bool(false),
                Some(any) if is_unknown(&any) => Value::Bool(true),
                Some(typed) => Value::Object(typed),
            }),
        };
        let mut patterns = JsonObject::new();
        for (pattern, node) in map.get("patternProperties").and_then(Value::as_object).into_iter().flatten() {
            self.spend(pattern.len());
            let member = self.child(".*".to_owned(), node, depth.down(2));
            match member {
                Some(member) if is_portable_pattern(pattern) => {
                    patterns.insert(pattern.clone(), Value::Object(member));
                }
                _ => {
                    self.note("a key pattern is left out: clients cannot read it");
                    additional = Some(Value::Bool(true));
                }
            }
        }
        if self.direction == Direction::Input {
            if let Some(names) = map.get("propertyNames") {
                self.restrict_keys(names, &mut patterns, &mut additional);
            }
        } else if additional == Some(Value::Bool(false)) {
            additional = None;
        }
        if !patterns.is_empty() {
            schema.insert("patternProperties".to_owned(), Value::Object(patterns));
        }
        if let Some(additional) = additional {
            schema.insert("additionalProperties".to_owned(), additional);
        }
    }

    /// Keys of a map: a pattern for the ones allowed, and no others.
    fn restrict_keys(&mut self, names: &Value, patterns: &mut JsonObject, additional: &mut Option<Value>) {
        match self.key_rule(names) {
            KeyRule::Any => {}
            KeyRule::Unread => self.note("the rule for keys is left out: it cannot be written as a pattern"),
            KeyRule::Matching(pattern) => {
                if *additional != Some(Value::Bool(false)) {
                    let member = match additional.take() {
                        Some(Value::Object(typed)) => typed,
                        _ => unknown(),
                    };
                    self.spend(pattern.len());
                    patterns.insert(pattern, Value::Object(member));
                    *additional = Some(Value::Bool(false));
                }
            }
        }
    }

    /// A list or a tuple; always with `items`.
    pub(super) fn array(&mut self, map: &JsonObject, depth: Depth) -> JsonObject {
        let mut schema = bare("array");
        copy_counts(map, &mut schema, &["minItems", "maxItems"]);
        // Up to draft 2019-09 a tuple was an `items` list, and `additionalItems` what came behind.
        let old_tuple = map.get("items").filter(|items| items.is_array());
        let places = map.get("prefixItems").or(old_tuple).and_then(Value::as_array);
        let behind = if old_tuple.is_some() { map.get("additionalItems") } else { map.get("items") };
        let places = self.places(places.map_or(&[], Vec::as_slice), depth);
        let length = places.len() as u64;
        let most = schema.get("maxItems").and_then(Value::as_u64);
        let behind = match behind {
            _ if length > 0 && most.is_some_and(|most| most <= length) => None,
            Some(node) => self.child("[]".to_owned(), node, depth.down(1)),
            None => Some(unknown()),
        };
        let items = match behind {
            Some(items) => items,
            None => {
                schema.insert("maxItems".to_owned(), json!(most.map_or(length, |most| most.min(length))));
                any_of(places.iter().map(|place| Some(outline(place))).collect()).unwrap_or_else(unknown)
            }
        };
        if !places.is_empty() {
            schema.insert("prefixItems".to_owned(), Value::Array(places.into_iter().map(Value::Object).collect()));
        }
        self.spend(serde_json::to_string(&items).map_or(0, |text| text.len()) / 2);
        schema.insert("items".to_owned(), Value::Object(items));
        if map.get("uniqueItems") == Some(&Value::Bool(true)) {
            schema.insert("uniqueItems".to_owned(), json!(true));
        }
        schema
    }

    fn places(&mut self, places: &[Value], depth: Depth) -> Vec<JsonObject> {
        let mut converted = Vec::new();
        for (index, place) in places.iter().enumerate() {
            if self.is_exhausted() {
                break;
            }
            converted.push(self.child(format!("[{index}]"), place, depth.down(2)).unwrap_or_else(unknown));
        }
        converted
    }
}

/// What a tuple's `items` says of one place: the whole schema of a scalar, only the type of anything larger.
///
/// No item is ever checked against it, since the places cover every one; it is there for clients that do not know
/// `prefixItems`. Whole schemas would double the size with every nesting.
fn outline(place: &JsonObject) -> JsonObject {
    if is_unknown(place) {
        return unknown();
    }
    if let Some(branches) = place.get("anyOf").and_then(Value::as_array) {
        let branches = branches.iter().filter_map(Value::as_object).map(|branch| Some(outline(branch))).collect();
        return any_of(branches).unwrap_or_else(unknown);
    }
    match place.get("type").and_then(Value::as_str) {
        Some("object") => bare("object"),
        Some("array") => {
            JsonObject::from_iter([("type".to_owned(), json!("array")), ("items".to_owned(), Value::Object(unknown()))])
        }
        Some(_) => {
            let is_rule = |key: &String| !matches!(key.as_str(), "description" | "title" | "default");
            place.iter().filter(|(key, _)| is_rule(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        None => unknown(),
    }
}
