//! One schema node to its portable form.
//!
//! Goes down a full schema, writing references out, and gives every node one `type` or an `anyOf` of such nodes.
//! Bounded in depth, in references on one path and in the amount it may write; what lies beyond a bound is *unknown*.
//! Objects and arrays are in [`super::objects`], keys of maps in [`super::keys`].

use super::unknown::{described, is_unknown, unknown};
use super::validator::is_portable_pattern;
use super::{JsonObject, Note};
use crate::schema::SAFE_INTEGER;
use crate::text::{clean_line, clean_text, cut};
use serde_json::{Value, json};

/// The deepest nesting of the JSON that is written, in levels, without what *unknown* adds (5). Readers built on
/// serde_json stop at 128, and the frames around a schema in a tool list need their share.
const JSON_DEPTH: usize = 96;

/// The longest description within a schema, in UTF-16 units.
const DESCRIPTION_UNITS: usize = 1023;

/// What a node costs beside its texts, in bytes: braces, `type` and a name's quotes.
const NODE: usize = 16;

/// Whether a schema says what may be sent, or what comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// What may be sent: closed objects stay closed, keys stay restricted.
    Input,
    /// What comes back: objects are open and wide integers may be decimal strings.
    Output,
}

/// How far down a node is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Depth {
    json: usize,
    references: usize,
}

impl Depth {
    /// A node `levels` of JSON further down.
    pub(super) fn down(self, levels: usize) -> Self {
        Self { json: self.json + levels, ..self }
    }

    fn through_reference(self) -> Self {
        Self { references: self.references + 1, ..self }
    }
}

/// The seven types, `integer` being one of its own.
const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "object", "array", "null"];

/// One conversion of one top-level property.
pub(super) struct Converter<'a> {
    document: &'a Value,
    pub(super) direction: Direction,
    references: usize,
    room: usize,
    spent: usize,
    path: Vec<String>,
    notes: Vec<Note>,
}

impl<'a> Converter<'a> {
    /// A conversion that expands `references` on one path and writes at most about `room` bytes.
    pub(super) fn new(document: &'a Value, direction: Direction, references: usize, room: usize, name: &str) -> Self {
        Self { document, direction, references, room, spent: 0, path: vec![name.to_owned()], notes: Vec::new() }
    }

    /// The portable form; `None` where no value at all is accepted.
    pub(super) fn convert_root(&mut self, node: &Value) -> Option<JsonObject> {
        self.convert(node, Depth { json: 0, references: 0 })
    }

    /// Where references point into.
    pub(super) fn document(&self) -> &'a Value {
        self.document
    }

    /// Whether the room was too small; the result is then of no use.
    pub(super) fn is_exhausted(&self) -> bool {
        self.spent > self.room
    }

    /// What was written and looked at, in bytes or so.
    pub(super) fn spent(&self) -> usize {
        self.spent
    }

    pub(super) fn into_notes(self) -> Vec<Note> {
        self.notes
    }

    /// Counts work.
    pub(super) fn spend(&mut self, bytes: usize) {
        self.spent = self.spent.saturating_add(bytes);
    }

    /// Remembers that something was widened here.
    pub(super) fn note(&mut self, text: impl Into<String>) {
        let note = Note { method: None, path: self.path.concat(), text: text.into() };
        if self.notes.len() < 8 && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Converts a child under a path segment such as `.name` or `[]`.
    pub(super) fn child(&mut self, segment: String, node: &Value, depth: Depth) -> Option<JsonObject> {
        self.path.push(segment);
        let converted = self.convert(node, depth);
        self.path.pop();
        converted
    }

    /// The portable form of one node; `None` where no value is accepted.
    pub(super) fn convert(&mut self, node: &Value, depth: Depth) -> Option<JsonObject> {
        self.spend(NODE);
        let map = match node {
            Value::Bool(false) => return None,
            Value::Object(map) => map,
            Value::Bool(true) => return Some(unknown()),
            _ => {
                self.note("not a schema: accepted unchecked");
                return Some(unknown());
            }
        };
        if is_unknown(map) {
            return Some(self.annotate(unknown(), map));
        }
        if self.is_exhausted() || depth.json > JSON_DEPTH {
            return Some(self.annotate(too_deep(), map));
        }
        let converted = match map.get("$ref").and_then(Value::as_str) {
            Some(target) => self.reference(map, target, depth)?,
            None => self.constraints(map, depth)?,
        };
        Some(self.annotate(converted, map))
    }

    /// A reference written out, together with what stands beside it.
    fn reference(&mut self, map: &JsonObject, target: &str, depth: Depth) -> Option<JsonObject> {
        let Some(definition) = resolve(self.document, target) else {
            self.note(format!("`$ref` to `{}`, which is not there: accepted unchecked", cut(&clean_line(target), 80)));
            return Some(unknown());
        };
        if depth.references >= self.references {
            return Some(described("Recursion goes deeper than this schema shows; accepted unchecked."));
        }
        let definition = self.convert(definition, depth.through_reference())?;
        let is_beside = |key: &String| {
            !matches!(key.as_str(), "$ref" | "$defs" | "definitions" | "description" | "title" | "default")
        };
        let beside: JsonObject =
            map.iter().filter(|(key, _)| is_beside(key)).map(|(key, value)| (key.clone(), value.clone())).collect();
        let same_type = beside.len() == 1 && beside.get("type") == definition.get("type");
        if beside.is_empty() || same_type {
            return Some(definition);
        }
        let beside = self.constraints(&beside, depth)?;
        Some(all_of(vec![definition, beside]))
    }

    /// Everything a node asserts itself.
    fn constraints(&mut self, map: &JsonObject, depth: Depth) -> Option<JsonObject> {
        let mut parts = Vec::new();
        if let Some(values) = allowed_values(map) {
            parts.push(self.values(&values, &kinds(map))?);
        } else {
            let kinds = kinds(map);
            let deeper = if kinds.len() > 1 { depth.down(2) } else { depth };
            if deeper.json > JSON_DEPTH {
                return Some(too_deep());
            }
            let alternatives = kinds.iter().map(|kind| self.typed(kind, map, deeper)).collect::<Vec<_>>();
            if !alternatives.is_empty() {
                parts.push(any_of(alternatives)?);
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(branches) = map.get(keyword).and_then(Value::as_array).filter(|branches| !branches.is_empty()) {
                let branches = self.branches(branches, depth);
                parts.push(any_of(branches)?);
            }
        }
        if let Some(branches) = map.get("allOf").and_then(Value::as_array) {
            for branch in self.branches(branches, depth) {
                parts.push(branch?);
            }
        }
        for keyword in UNREAD.iter().filter(|keyword| map.contains_key(**keyword)) {
            self.note(format!("`{keyword}` is left out: clients do not read it"));
        }
        Some(all_of(parts))
    }

    fn branches(&mut self, branches: &[Value], depth: Depth) -> Vec<Option<JsonObject>> {
        let mut converted = Vec::new();
        for branch in branches {
            // Nothing after the room is spent can matter.
            if self.is_exhausted() {
                break;
            }
            converted.push(self.convert(branch, depth.down(2)));
        }
        converted
    }

    /// A node of one type with the keywords that speak of it.
    fn typed(&mut self, kind: &str, map: &JsonObject, depth: Depth) -> Option<JsonObject> {
        match kind {
            "object" => Some(self.object(map, depth)),
            "array" => Some(self.array(map, depth)),
            "string" => Some(self.string(map)),
            "integer" => Some(self.integer(map)),
            "number" => Some(numeric("number", map)),
            other => Some(bare(other)),
        }
    }

    fn string(&mut self, map: &JsonObject) -> JsonObject {
        let mut schema = bare("string");
        copy_counts(map, &mut schema, &["minLength", "maxLength"]);
        if let Some(pattern) = map.get("pattern").and_then(Value::as_str) {
            self.spend(pattern.len());
            if is_portable_pattern(pattern) {
                schema.insert("pattern".to_owned(), json!(pattern));
            } else {
                self.note("the `pattern` is left out: clients refuse look-around and back-references");
            }
        }
        if map.get("format").and_then(Value::as_str) == Some("date-time") {
            schema.insert("format".to_owned(), json!("date-time"));
        }
        schema
    }

    /// Of an output an integer that may pass what JavaScript holds is also a decimal string.
    fn integer(&mut self, map: &JsonObject) -> JsonObject {
        let schema = numeric("integer", map);
        if self.direction == Direction::Input || !is_wide(&schema) {
            return schema;
        }
        let digits = json!({"type": "string", "pattern": "^-?[0-9]+$"});
        JsonObject::from_iter([("anyOf".to_owned(), json!([schema, digits]))])
    }

    /// A list of allowed values, by type; strings stay one `enum`.
    fn values(&mut self, values: &[&Value], kinds: &[&str]) -> Option<JsonObject> {
        for value in values {
            self.spend(value.as_str().map_or(NODE, str::len) + 3);
        }
        // Comparing them with one another is only affordable within the room.
        if self.is_exhausted() {
            return Some(unknown());
        }
        let declared = |value: &Value| kinds.is_empty() || kinds.iter().any(|kind| is_of(value, kind));
        let mut alternatives = Vec::new();
        for kind in TYPES {
            // A whole number is of two types; it is an integer here.
            let of_kind = |value: &Value| is_of(value, kind) && !(kind == "number" && is_of(value, "integer"));
            let chosen: Vec<&Value> =
                values.iter().copied().filter(|value| declared(value) && of_kind(value)).collect();
            if !chosen.is_empty() {
                alternatives.push(Some(enumeration(kind, &chosen)));
            }
        }
        // A nullable enumeration means null, whether its values say so or not.
        if kinds.contains(&"null") && kinds.len() > 1 {
            alternatives.push(Some(bare("null")));
        }
        any_of(alternatives)
    }

    /// Adds the words of `map`, cleaned; the outer ones win.
    fn annotate(&mut self, mut schema: JsonObject, map: &JsonObject) -> JsonObject {
        let words = map.get("description").and_then(Value::as_str).map(clean_text).unwrap_or_default();
        let mut words = words.trim().to_owned();
        let format = map.get("format").and_then(Value::as_str).filter(|format| SAID_FORMATS.contains(format));
        if let Some(format) = format.filter(|format| !words.contains(*format)) {
            words = if words.is_empty() { format!("Format: {format}.") } else { format!("{words} (format: {format})") };
        }
        if !words.is_empty() {
            let words = cut(&words, DESCRIPTION_UNITS);
            self.spend(words.len());
            schema.insert("description".to_owned(), json!(words));
        }
        let title = map.get("title").and_then(Value::as_str).map(clean_line).filter(|title| !title.is_empty());
        if let Some(title) = title {
            self.spend(title.len());
            schema.insert("title".to_owned(), json!(cut(&title, DESCRIPTION_UNITS)));
        }
        if let Some(default) = map.get("default").filter(|default| !default.is_object() && !default.is_array()) {
            self.spend(default.as_str().map_or(NODE, str::len));
            schema.insert("default".to_owned(), default.clone());
        }
        schema
    }
}

/// What stands beyond the last level.
fn too_deep() -> JsonObject {
    described("Nested deeper than this schema shows; accepted unchecked.")
}

/// Assertions that clients do not read; what they restrict is left to the application.
const UNREAD: [&str; 11] = [
    "not",
    "if",
    "contains",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
    "contentSchema",
];

/// Standard formats that are said in words; `date-time` is the one clients take as a keyword (`mcp-protocol` §13).
const SAID_FORMATS: [&str; 17] = [
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "regex",
];

/// The node a local reference means, or nothing: other documents are never fetched.
pub(super) fn resolve<'a>(document: &'a Value, target: &str) -> Option<&'a Value> {
    let pointer = percent_decoded(target.strip_prefix('#')?)?;
    document.pointer(&pointer)
}

/// A URI fragment's text.
fn percent_decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.extend(hex::decode(digits).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The values a node allows, if it lists them.
fn allowed_values(map: &JsonObject) -> Option<Vec<&Value>> {
    match (map.get("const"), map.get("enum").and_then(Value::as_array)) {
        (Some(value), Some(values)) => Some(values.iter().filter(|other| *other == value).collect()),
        (Some(value), None) => Some(vec![value]),
        (None, values) => values.map(|values| values.iter().collect()),
    }
}

/// The types a node declares, or those its keywords speak of; empty where it restricts nothing by itself.
///
/// Strictly, `{"properties": …}` accepts a number too. Nobody means that, and a node without a type is what clients
/// stumble over.
fn kinds(map: &JsonObject) -> Vec<&'static str> {
    let named = |name: &Value| TYPES.iter().find(|known| name.as_str() == Some(**known)).copied();
    let mut kinds: Vec<&'static str> = match map.get("type") {
        Some(Value::Array(names)) => names.iter().filter_map(named).collect(),
        Some(name) => named(name).into_iter().collect(),
        None if map.contains_key("const") || map.contains_key("enum") => Vec::new(),
        None => {
            IMPLYING.iter().find(|(keyword, _)| map.contains_key(*keyword)).map(|(_, kind)| *kind).into_iter().collect()
        }
    };
    kinds.sort_by_key(|kind| *kind == "null");
    if kinds.contains(&"number") {
        kinds.retain(|kind| *kind != "integer");
    }
    kinds.dedup();
    kinds
}

/// Keywords that speak of one type only.
const IMPLYING: [(&str, &str); 19] = [
    ("properties", "object"),
    ("required", "object"),
    ("additionalProperties", "object"),
    ("patternProperties", "object"),
    ("propertyNames", "object"),
    ("minProperties", "object"),
    ("maxProperties", "object"),
    ("items", "array"),
    ("prefixItems", "array"),
    ("minItems", "array"),
    ("maxItems", "array"),
    ("uniqueItems", "array"),
    ("pattern", "string"),
    ("minLength", "string"),
    ("maxLength", "string"),
    ("minimum", "number"),
    ("maximum", "number"),
    ("exclusiveMinimum", "number"),
    ("exclusiveMaximum", "number"),
];

/// A node that says its type only.
pub(super) fn bare(kind: &str) -> JsonObject {
    JsonObject::from_iter([("type".to_owned(), json!(kind))])
}

/// Any of the alternatives: `None` without one, the only one as it is, *unknown* where one of them is.
pub(super) fn any_of(alternatives: Vec<Option<JsonObject>>) -> Option<JsonObject> {
    let mut distinct: Vec<Value> = Vec::new();
    for mut alternative in alternatives.into_iter().flatten() {
        if is_unknown(&alternative) {
            return Some(alternative);
        }
        let nested = alternative.len() == 1 && alternative.contains_key("anyOf");
        let branches = match alternative.remove("anyOf") {
            Some(Value::Array(branches)) if nested => branches,
            Some(other) => {
                alternative.insert("anyOf".to_owned(), other);
                vec![Value::Object(alternative)]
            }
            None => vec![Value::Object(alternative)],
        };
        for branch in branches {
            if !distinct.contains(&branch) {
                distinct.push(branch);
            }
        }
    }
    match distinct.pop() {
        None => None,
        Some(Value::Object(only)) if distinct.is_empty() => Some(only),
        Some(last) => {
            distinct.push(last);
            Some(JsonObject::from_iter([("anyOf".to_owned(), Value::Array(distinct))]))
        }
    }
}

/// The value or null, in the one form used everywhere: no `type` list, and null once.
pub(super) fn or_null(schema: Value) -> Value {
    let Value::Object(mut schema) = schema else { return schema };
    let words = schema.remove("description");
    let null_too = any_of(vec![Some(schema), Some(bare("null"))]).unwrap_or_else(unknown);
    let mut null_too = null_too;
    if let Some(words) = words {
        null_too.insert("description".to_owned(), words);
    }
    Value::Object(null_too)
}

/// All of the parts: *unknown* without one; a type with one union is one node, more stay side by side.
fn all_of(parts: Vec<JsonObject>) -> JsonObject {
    let mut parts: Vec<JsonObject> = parts.into_iter().filter(|part| !is_unknown(part)).collect();
    parts.dedup();
    match parts.len() {
        0 => unknown(),
        1 => parts.pop().unwrap_or_else(unknown),
        _ => {
            let union = parts.iter().skip(1).all(|part| part.len() == 1 && part.contains_key("anyOf"));
            let simple =
                parts.first().is_some_and(|first| !first.contains_key("anyOf") && !first.contains_key("allOf"));
            if parts.len() == 2 && union && simple {
                return parts.into_iter().flatten().collect();
            }
            let parts = parts.into_iter().map(Value::Object).collect();
            JsonObject::from_iter([("allOf".to_owned(), Value::Array(parts))])
        }
    }
}

/// An `enum` of one type; both truth values and null need none.
fn enumeration(kind: &str, values: &[&Value]) -> JsonObject {
    let mut schema = bare(kind);
    let all = match kind {
        "null" => true,
        "boolean" => values.contains(&&Value::Bool(true)) && values.contains(&&Value::Bool(false)),
        _ => false,
    };
    if kind == "array" {
        schema.insert("items".to_owned(), Value::Object(unknown()));
    }
    if !all {
        let mut distinct: Vec<&Value> = Vec::new();
        for value in values {
            if !distinct.contains(value) {
                distinct.push(value);
            }
        }
        schema.insert("enum".to_owned(), json!(distinct));
    }
    schema
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        _ => value.is_null(),
    }
}

/// A number with its bounds, those that are numbers.
fn numeric(kind: &str, map: &JsonObject) -> JsonObject {
    let mut schema = bare(kind);
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        if let Some(bound) = map.get(keyword).filter(|bound| bound.is_number()) {
            schema.insert(keyword.to_owned(), bound.clone());
        }
    }
    if let Some(step) = map.get("multipleOf").filter(|step| step.as_f64().is_some_and(|step| step > 0.0)) {
        schema.insert("multipleOf".to_owned(), step.clone());
    }
    schema
}

/// Whether an integer may be one that JavaScript rounds.
pub(super) fn is_wide(schema: &JsonObject) -> bool {
    let within = |keyword: &str| {
        let bound = schema.get(keyword);
        bound.is_some_and(|bound| {
            let magnitude = bound.as_i64().map(i64::unsigned_abs).or_else(|| bound.as_u64());
            magnitude.is_some_and(|magnitude| magnitude <= SAFE_INTEGER)
        })
    };
    let low = within("minimum") || within("exclusiveMinimum");
    let high = within("maximum") || within("exclusiveMaximum");
    !(low && high)
}

/// Copies keywords that count something.
pub(super) fn copy_counts(from: &JsonObject, to: &mut JsonObject, keywords: &[&str]) {
    for keyword in keywords {
        if let Some(count) = from.get(*keyword).and_then(Value::as_u64) {
            to.insert((*keyword).to_owned(), json!(count));
        }
    }
}
