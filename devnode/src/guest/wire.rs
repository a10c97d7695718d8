//! Reading arguments by the manifest, as the code an SDK generates for the guest would.
//!
//! The types of the manifest drive serde itself: each becomes the deserialiser that the guest's Rust type would have,
//! over the same JSON text. Messages, lines and columns are therefore serde_json's own. Top-level keys must be known,
//! nested records ignore strangers, integers are range-checked and keep every digit, `bytes` are arrays of numbers
//! unless a [`Wire`] hint says otherwise (`calimero-abi.md` §3.3). It shares no code with the mappers on purpose.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Unexpected, Visitor};
use serde_json::{Map, Value};

use super::variant::Enumeration;
use crate::app::{Hints, Service, Wire};
use crate::ids::Id;

/// Whether a method declares any parameter.
pub(crate) fn has_parameters(method: &Value) -> bool {
    !parameters(method).is_empty()
}

/// Reads the arguments of `method`.
///
/// # Errors
/// The message of the guest's panic.
pub(crate) fn read_arguments(service: &Service, method: &Value, args: &Value) -> Result<Value, String> {
    let name = text(method, "name");
    if !has_parameters(method) {
        return no_parameters(name, args);
    }
    let text = args.to_string();
    let mut json = serde_json::Deserializer::from_str(&text);
    arguments(service, method).deserialize(&mut json).map_err(|error| refusal(service, method, &error))
}

/// The message for a call without any argument document.
pub(crate) fn no_arguments(service: &Service, method: &Value) -> String {
    let mut nothing = serde_json::Deserializer::from_str("");
    match arguments(service, method).deserialize(&mut nothing) {
        Ok(_) => String::new(),
        Err(error) => refusal(service, method, &error),
    }
}

fn refusal(service: &Service, method: &Value, error: &serde_json::Error) -> String {
    let name = text(method, "name");
    let expected = expected(name, method, &service.hints);
    format!("{name}: failed to deserialize arguments (expected {expected}): {error:?}")
}

fn no_parameters(name: &str, args: &Value) -> Result<Value, String> {
    match args {
        Value::Object(object) if !object.is_empty() => {
            let keys: Vec<&String> = object.keys().collect();
            Err(format!("{name}: takes no arguments, but the call sent unknown field(s): {keys:?}"))
        }
        _ => Ok(Value::Object(Map::new())),
    }
}

fn arguments<'a>(service: &'a Service, method: &'a Value) -> Record<'a> {
    let types = service.manifest.as_ref().and_then(|manifest| manifest.get("types")).and_then(Value::as_object);
    Record {
        scope: Scope { types, hints: &service.hints },
        owner: text(method, "name"),
        title: "struct CalimeroInput".into(),
        fields: parameters(method),
        strict: true,
    }
}

fn parameters(method: &Value) -> &[Value] {
    list(method, "params")
}

pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// `{ key: String, value: String }`, as the SDK prints the argument struct.
fn expected(method: &str, declaration: &Value, hints: &Hints) -> String {
    let fields: Vec<String> = parameters(declaration)
        .iter()
        .map(|field| {
            let name = text(field, "name");
            let hint = hints.get(format!("{method}.{name}").as_str());
            format!("{name}: {}", rust_type(field, hint.copied()))
        })
        .collect();
    format!("{{ {} }}", fields.join(", "))
}

fn rust_type(field: &Value, hint: Option<Wire>) -> String {
    let plain = match hint {
        Some(Wire::Base58(name) | Wire::Hex(name)) => name.to_owned(),
        Some(Wire::U8) => "u8".to_owned(),
        None => field.get("type").map(type_text).unwrap_or_default(),
    };
    if nullable(field) { format!("Option < {plain} >") } else { plain }
}

fn type_text(ty: &Value) -> String {
    let inner = |key: &str| ty.get(key).map(type_text).unwrap_or_default();
    match text(ty, "kind") {
        "" => text(ty, "$ref").to_owned(),
        "string" => "String".to_owned(),
        "unit" => "()".to_owned(),
        "bytes" => match ty.get("size") {
            Some(size) => format!("[u8 ; {size}]"),
            None => "Vec < u8 >".to_owned(),
        },
        "list" => format!("Vec < {} >", inner("items")),
        "map" => format!("BTreeMap < String, {} >", inner("value")),
        "tuple" => format!("({})", list(ty, "elements").iter().map(type_text).collect::<Vec<_>>().join(", ")),
        "record" => inner("inner_type"),
        scalar => scalar.to_owned(),
    }
}

fn nullable(field: &Value) -> bool {
    field.get("nullable") == Some(&Value::Bool(true))
}

/// What every type can look up.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) types: Option<&'a Map<String, Value>>,
    hints: &'a Hints,
}

/// One place where a value stands.
#[derive(Clone, Copy)]
pub(super) struct Slot<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) ty: &'a Value,
    pub(super) wire: Option<Wire>,
}

impl<'a> Slot<'a> {
    /// A field or parameter of `owner`.
    pub(super) fn field(scope: Scope<'a>, owner: &str, field: &'a Value) -> Self {
        let wire = scope.hints.get(format!("{owner}.{}", text(field, "name")).as_str()).copied();
        Self { scope, ty: field.get("type").unwrap_or(&Value::Null), wire }
    }

    pub(super) fn inner(self, ty: Option<&'a Value>) -> Self {
        Self { ty: ty.unwrap_or(&Value::Null), wire: None, ..self }
    }
}

impl<'de> DeserializeSeed<'de> for Slot<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        if let Some(wire) = self.wire {
            return read_hinted(wire, json);
        }
        match text(self.ty, "kind") {
            "bool" => bool::deserialize(json).map(Value::from),
            "i32" => i32::deserialize(json).map(Value::from),
            "i64" => i64::deserialize(json).map(Value::from),
            "u32" => u32::deserialize(json).map(Value::from),
            "u64" => u64::deserialize(json).map(Value::from),
            "f32" => f32::deserialize(json).map(short_float),
            "f64" => f64::deserialize(json).map(Value::from),
            "string" => String::deserialize(json).map(Value::from),
            "unit" => <()>::deserialize(json).map(|()| Value::Null),
            "bytes" => read_bytes(self.ty, json),
            "list" => json.deserialize_seq(Sequence { item: self.inner(self.ty.get("items")) }),
            "map" => json.deserialize_map(StringMap { value: self.inner(self.ty.get("value")) }),
            "tuple" => {
                let elements: Vec<Slot> = list(self.ty, "elements").iter().map(|ty| self.inner(Some(ty))).collect();
                let title = format!("a tuple of size {}", elements.len());
                json.deserialize_tuple(elements.len(), Tuple { elements, title })
            }
            "record" if self.ty.get("inner_type").is_some() => self.inner(self.ty.get("inner_type")).deserialize(json),
            "record" => record(self.scope, "", self.ty, json),
            _ => self.named(json),
        }
    }
}

impl<'a> Slot<'a> {
    fn named<'de, D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        let name = text(self.ty, "$ref");
        let Some(def) = self.scope.types.and_then(|types| types.get(name)) else {
            // Neither a kind nor a name we know: the real guest knows more than the manifest says.
            return Value::deserialize(json);
        };
        if let Some(wire) = self.scope.hints.get(name) {
            return read_hinted(*wire, json);
        }
        match text(def, "kind") {
            "alias" => self.inner(def.get("target")).deserialize(json),
            "record" => record(self.scope, name, def, json),
            "variant" => Enumeration { scope: self.scope, name, def }.deserialize(json),
            _ => self.inner(Some(def)).deserialize(json),
        }
    }
}

/// A 32-bit float as the guest prints it: the shortest digits that give it back.
fn short_float(value: f32) -> Value {
    serde_json::to_string(&value).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null)
}

fn read_hinted<'de, D: Deserializer<'de>>(wire: Wire, json: D) -> Result<Value, D::Error> {
    match wire {
        Wire::U8 => u8::deserialize(json).map(Value::from),
        Wire::Base58(_) => json.deserialize_str(IdText { hex: false }),
        Wire::Hex(_) => json.deserialize_str(IdText { hex: true }),
    }
}

fn read_bytes<'de, D: Deserializer<'de>>(ty: &Value, json: D) -> Result<Value, D::Error> {
    match ty.get("size").and_then(Value::as_u64).and_then(|size| usize::try_from(size).ok()) {
        Some(size) => json.deserialize_tuple(size, ByteArray { size }),
        None => Vec::<u8>::deserialize(json).map(Value::from),
    }
}

struct IdText {
    hex: bool,
}

impl Visitor<'_> for IdText {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.hex { "64 hex characters" } else { "a base58 encoded hash" })
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        if self.hex {
            return match Id::from_hex(text) {
                Some(_) => Ok(text.into()),
                None => Err(E::invalid_value(Unexpected::Str(text), &self)),
            };
        }
        Id::from_base58(text).map(|_| text.into()).map_err(E::custom)
    }
}

struct ByteArray {
    size: usize,
}

impl<'de> Visitor<'de> for ByteArray {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of length {}", self.size)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut bytes = Vec::new();
        while bytes.len() < self.size {
            match seq.next_element::<u8>()? {
                Some(byte) => bytes.push(byte),
                None => return Err(A::Error::invalid_length(bytes.len(), &self)),
            }
        }
        Ok(Value::from(bytes))
    }
}

struct Sequence<'a> {
    item: Slot<'a>,
}

impl<'de> Visitor<'de> for Sequence<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(self.item)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }
}

struct StringMap<'a> {
    value: Slot<'a>,
}

impl<'de> Visitor<'de> for StringMap<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        // A guest's map is ordered by key, and so is what it sends back.
        let mut entries = std::collections::BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            entries.insert(key, map.next_value_seed(self.value)?);
        }
        Ok(Value::Object(entries.into_iter().collect()))
    }
}

pub(super) struct Tuple<'a> {
    pub(super) elements: Vec<Slot<'a>>,
    pub(super) title: String,
}

impl<'de> Visitor<'de> for Tuple<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::with_capacity(self.elements.len());
        for element in &self.elements {
            match seq.next_element_seed(*element)? {
                Some(item) => items.push(item),
                None => return Err(A::Error::invalid_length(items.len(), &self)),
            }
        }
        Ok(Value::Array(items))
    }
}

/// A record type, or the tuple that an older emitter described as one (`unnamed`, `field_N`; `calimero-abi.md` §3.3).
fn record<'de, D: Deserializer<'de>>(scope: Scope<'_>, name: &str, def: &Value, json: D) -> Result<Value, D::Error> {
    let fields = list(def, "fields");
    if is_positional(fields) {
        let elements: Vec<Slot> = fields.iter().map(|field| Slot::field(scope, name, field)).collect();
        let title = format!("tuple struct {name} with {} elements", elements.len());
        return json.deserialize_tuple(elements.len(), Tuple { elements, title });
    }
    Record { scope, owner: name, title: format!("struct {name}"), fields, strict: false }.deserialize(json)
}

pub(super) fn is_positional(fields: &[Value]) -> bool {
    let numbered = |(index, field): (usize, &Value)| text(field, "name") == format!("field_{index}");
    !fields.is_empty()
        && (fields.iter().all(|field| text(field, "name") == "unnamed") || fields.iter().enumerate().all(numbered))
}

/// The argument struct (strict) or a record type.
struct Record<'a> {
    scope: Scope<'a>,
    owner: &'a str,
    title: String,
    fields: &'a [Value],
    strict: bool,
}

impl<'de> DeserializeSeed<'de> for Record<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        // serde_json looks at neither name nor fields; both would have to be static.
        json.deserialize_struct("", &[], self)
    }
}

impl Record<'_> {
    /// Orders what was read as declared and puts `null` for a nullable field that was left out.
    fn complete<E: serde::de::Error>(&self, mut seen: Map<String, Value>) -> Result<Value, E> {
        let mut object = Map::new();
        for field in self.fields {
            let name = text(field, "name");
            let value = match seen.swap_remove(name) {
                Some(value) => value,
                None if nullable(field) => Value::Null,
                None => return Err(E::custom(format_args!("missing field `{name}`"))),
            };
            object.insert(name.into(), value);
        }
        Ok(Value::Object(object))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| text(field, "name"))
    }
}

impl<'de> Visitor<'de> for Record<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut seen = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let Some(field) = self.fields.iter().find(|field| text(field, "name") == key) else {
                if self.strict {
                    let known = one_of(self.names());
                    return Err(A::Error::custom(format_args!("unknown field `{key}`, expected {known}")));
                }
                map.next_value::<serde::de::IgnoredAny>()?;
                continue;
            };
            if seen.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate field `{key}`")));
            }
            let value = map.next_value_seed(Field { slot: Slot::field(self.scope, self.owner, field), field })?;
            seen.insert(key, value);
        }
        self.complete(seen)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        for field in self.fields {
            let slot = Slot::field(self.scope, self.owner, field);
            let Some(value) = seq.next_element_seed(Field { slot, field })? else {
                let title = format!("{} with {} elements", self.title, self.fields.len());
                return Err(A::Error::invalid_length(object.len(), &title.as_str()));
            };
            object.insert(text(field, "name").into(), value);
        }
        Ok(Value::Object(object))
    }
}

/// A field or parameter with its nullability.
struct Field<'a> {
    slot: Slot<'a>,
    field: &'a Value,
}

impl<'de> DeserializeSeed<'de> for Field<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        if nullable(self.field) { json.deserialize_option(Nullable(self.slot)) } else { self.slot.deserialize(json) }
    }
}

struct Nullable<'a>(Slot<'a>);

impl<'de> Visitor<'de> for Nullable<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("option")
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        self.0.deserialize(json)
    }
}

/// `` `a` ``, `` `a` or `b` ``, `` one of `a`, `b`, `c` ``: serde's way of listing names.
pub(super) fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [one] => one.clone(),
        [one, two] => format!("{one} or {two}"),
        many => format!("one of {}", many.join(", ")),
    }
}
