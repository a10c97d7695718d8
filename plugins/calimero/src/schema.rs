//! Types to JSON Schema 2020-12, in full form: named types become `$defs`, so recursion is exact.
//!
//! In: types and their table. Out: schemas, and a note for each construct that was widened to *unknown*. How the
//! host narrows a schema for its clients is none of this module's business.

mod bytes;
mod pattern;
mod variant;

use crate::table::{Resolved, Table};
use crate::types::{Definition, Field, Fields, Shape, Type};
use abi_mcp_sdk::Note;
use abi_mcp_sdk::json::{Object, definition_name, described, element, member, or_null, reference};
use abi_mcp_sdk::serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Which way a value travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// From a caller: bytes may be text.
    In,
    /// From a caller, under an untagged enum: bytes may not be text, as another member may be a string.
    InUntagged,
    /// From the application.
    Out,
}

/// A schema and what was widened in it.
pub(crate) struct Written {
    pub(crate) schema: Value,
    pub(crate) notes: Vec<(String, String)>,
    /// How many types were written, those of definitions included: a measure of the memory it takes.
    pub(crate) size: usize,
}

/// The schema of a method's arguments object.
pub(crate) fn of_arguments(table: &Table, params: &[Field]) -> Written {
    let mut writer = Writer::new(table);
    let mut properties = Object::new();
    let mut required = Vec::new();
    for param in params {
        properties.insert(param.name.clone(), writer.field(param, Way::In, &member("", &param.name)));
        if !param.nullable {
            required.push(Value::from(param.name.as_str()));
        }
    }
    let mut schema = Object::new();
    schema.insert("type".to_owned(), Value::from("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    writer.finish(Value::Object(schema))
}

/// The schema of a result. Always allows null: the ABI does not see an `Option` inside a `Result`, which is what
/// nearly every real app returns. `None` when nothing is returned.
pub(crate) fn of_result(table: &Table, returns: Option<&Type>, doc: Option<&str>) -> Option<Written> {
    let returns = returns.filter(|returns| !table.is_unit(returns))?;
    let mut writer = Writer::new(table);
    let schema = or_null(writer.of(returns, Way::Out, "returns"));
    Some(writer.finish(documented(schema, doc)))
}

/// Turns notes on one method into the contract's.
pub(crate) fn notes(method: &str, notes: Vec<(String, String)>) -> impl Iterator<Item = Note> {
    notes.into_iter().map(move |(path, text)| Note { method: Some(method.to_owned()), path, text })
}

/// Writes one schema with the definitions it needs.
struct Writer<'a> {
    table: &'a Table,
    /// The key in `$defs` of each named type met, one for each way it is met in.
    keys: BTreeMap<(&'a str, Way), String>,
    taken: BTreeSet<String>,
    /// Named types met but not yet written, with the path they were first met at.
    waiting: VecDeque<Waiting<'a>>,
    notes: Vec<(String, String)>,
    size: usize,
}

/// A named type met but not yet written.
struct Waiting<'a> {
    name: &'a str,
    definition: &'a Definition,
    way: Way,
    key: String,
    path: String,
}

impl<'a> Writer<'a> {
    fn new(table: &'a Table) -> Self {
        let (keys, taken, waiting, notes, size) = Default::default();
        Self { table, keys, taken, waiting, notes, size }
    }

    /// Writes what is waiting, which may make more wait: a queue, so that no chain of names exhausts the stack.
    fn finish(mut self, schema: Value) -> Written {
        let mut definitions = Object::new();
        while let Some(waiting) = self.waiting.pop_front() {
            let schema = self.definition(&waiting);
            definitions.insert(waiting.key, schema);
        }
        let mut schema = schema;
        if !definitions.is_empty()
            && let Some(root) = schema.as_object_mut()
        {
            root.insert("$defs".to_owned(), Value::Object(definitions));
        }
        Written { schema, notes: self.notes, size: self.size }
    }

    fn of(&mut self, of: &'a Type, way: Way, path: &str) -> Value {
        self.size += 1;
        match of {
            Type::Bool => json!({ "type": "boolean" }),
            Type::I32 => json!({ "type": "integer", "minimum": i32::MIN, "maximum": i32::MAX }),
            Type::U32 => json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }),
            Type::I64 => json!({ "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX }),
            Type::U64 => json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX }),
            // serde writes NaN and the infinities as null.
            Type::F32 | Type::F64 if way == Way::Out => or_null(json!({ "type": "number" })),
            Type::F32 | Type::F64 => json!({ "type": "number" }),
            Type::Text => json!({ "type": "string" }),
            Type::Unit => json!({ "type": "null" }),
            Type::Bytes(size) => bytes::schema(*size, way),
            Type::List(items) => json!({ "type": "array", "items": self.of(items, way, &format!("{path}[]")) }),
            Type::Map { key, value } => self.map(key, value, way, path),
            Type::Tuple(elements) => {
                let of = |(index, of)| self.of(of, way, &element(path, index));
                array_of_exactly(elements.iter().enumerate().map(of).collect())
            }
            Type::Record(fields) => self.record(fields, way, path),
            Type::Reference(name) => self.reference(name, way, path),
            Type::Unknown { why, .. } => self.unknown(path, why),
        }
    }

    /// Anything at all, and a note that says why.
    fn unknown(&mut self, path: &str, why: &str) -> Value {
        self.notes.push((path.to_owned(), why.to_owned()));
        json!({})
    }

    fn reference(&mut self, name: &str, way: Way, path: &str) -> Value {
        let Some((name, definition)) = self.table.get(name) else {
            return self.unknown(path, &format!("no type is named `{name}`"));
        };
        if let Some(key) = self.keys.get(&(name, way)) {
            return reference(key);
        }
        let key = self.free_key(name);
        self.keys.insert((name, way), key.clone());
        let reference = reference(&key);
        self.waiting.push_back(Waiting { name, definition, way, key, path: path.to_owned() });
        reference
    }

    /// A key no other type has, close to the type's own name.
    fn free_key(&mut self, name: &str) -> String {
        let base = definition_name(name);
        let mut key = base.clone();
        let mut next = 2_u32;
        while !self.taken.insert(key.clone()) {
            key = format!("{base}.{next}");
            next += 1;
        }
        key
    }

    fn definition(&mut self, waiting: &Waiting<'a>) -> Value {
        let Waiting { name, definition, way, path, .. } = waiting;
        let way = *way;
        let schema = match &definition.shape {
            Shape::Record(fields) => self.record(fields, way, path),
            Shape::Variant { variants, tagging } => self.variant(variants, tagging, way, path),
            Shape::Alias { target, pattern } => {
                let schema = self.of(target, way, path);
                match pattern {
                    // Descriptive only, so what the application itself writes is not held to it.
                    Some(pattern) if way != Way::Out => with_pattern(schema, pattern),
                    _ => schema,
                }
            }
            Shape::Broken(why) => self.unknown(path, &format!("type `{name}`: {why}")),
        };
        documented(schema, definition.doc.as_deref())
    }

    fn field(&mut self, field: &'a Field, way: Way, path: &str) -> Value {
        let schema = documented(self.of(&field.of, way, path), field.doc.as_deref());
        if field.nullable { or_null(schema) } else { schema }
    }

    fn record(&mut self, fields: &'a Fields, way: Way, path: &str) -> Value {
        if fields.positional {
            let of = |(index, field)| self.field(field, way, &element(path, index));
            return array_of_exactly(fields.list.iter().enumerate().map(of).collect());
        }
        let (mut properties, mut required) = (Object::new(), Vec::new());
        self.properties(fields, way, path, &mut properties, &mut required);
        let mut schema = Object::new();
        schema.insert("type".to_owned(), Value::from("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
        // No word on other members: the application ignores them going in, and a newer one may add some coming out.
        Value::Object(schema)
    }

    /// Adds a record's fields. serde takes a missing `Option` for `None`, so only other fields are required.
    fn properties(
        &mut self,
        fields: &'a Fields,
        way: Way,
        path: &str,
        properties: &mut Object,
        required: &mut Vec<Value>,
    ) {
        for field in &fields.list {
            properties.insert(field.name.clone(), self.field(field, way, &member(path, &field.name)));
            if !field.nullable {
                required.push(Value::from(field.name.as_str()));
            }
        }
    }

    fn map(&mut self, key: &'a Type, value: &'a Type, way: Way, path: &str) -> Value {
        let mut schema = Object::new();
        schema.insert("type".to_owned(), Value::from("object"));
        if let Some(names) = self.key_names(key, path) {
            schema.insert("propertyNames".to_owned(), names);
        }
        schema.insert("additionalProperties".to_owned(), self.of(value, way, &format!("{path}.*")));
        Value::Object(schema)
    }

    /// What a map's keys look like as the text JSON makes of them; `None` for any text.
    fn key_names(&mut self, key: &'a Type, path: &str) -> Option<Value> {
        match self.table.resolve(key) {
            Some(Resolved::Inline(Type::Text)) => None,
            Some(Resolved::Inline(Type::U32 | Type::U64)) => Some(json!({ "pattern": "^[0-9]{1,20}$" })),
            Some(Resolved::Inline(Type::I32 | Type::I64)) => Some(json!({ "pattern": "^-?[0-9]{1,19}$" })),
            Some(Resolved::Inline(Type::F32 | Type::F64)) => {
                Some(json!({ "pattern": r"^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$" }))
            }
            Some(Resolved::Inline(Type::Bool)) => Some(json!({ "enum": ["true", "false"] })),
            Some(Resolved::Inline(Type::Bytes(Some(bytes::ID)))) => Some(bytes::id_text()),
            Some(Resolved::Named(Shape::Variant { variants, .. }))
                if variants.iter().all(|it| it.payload.is_none()) =>
            {
                Some(json!({ "enum": variants.iter().map(|variant| variant.name.as_str()).collect::<Vec<_>>() }))
            }
            _ => {
                self.notes.push((path.to_owned(), "map keys that are not text, numbers or names".to_owned()));
                None
            }
        }
    }
}

fn array_of_exactly(elements: Vec<Value>) -> Value {
    let count = elements.len();
    json!({ "type": "array", "prefixItems": elements, "items": false, "minItems": count, "maxItems": count })
}

/// Adds the author's words; a hint the schema already carries stays behind them in brackets.
fn documented(schema: Value, doc: Option<&str>) -> Value {
    let Some(doc) = doc else { return schema };
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(hint) => format!("{doc} ({hint})"),
        None => doc.to_owned(),
    };
    described(schema, &text)
}

/// Adds a pattern: to the schema where it is safe to run, else in words.
fn with_pattern(mut schema: Value, pattern: &str) -> Value {
    let is_text = schema.get("type").and_then(Value::as_str) == Some("string") && schema.get("pattern").is_none();
    match schema.as_object_mut() {
        Some(object) if is_text && pattern::is_safe(pattern) => {
            object.insert("pattern".to_owned(), Value::from(pattern));
            schema
        }
        _ => documented(schema, Some(&format!("matches {pattern}"))),
    }
}
