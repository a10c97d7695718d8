//! The types of an ABI, read leniently from JSON.
//!
//! In: a type reference or an entry of `types`. Out: [`Type`] and [`Definition`], in which emitter quirks are gone:
//! replicated collections are their inner type, records the emitter named by position are positional. A construct
//! that is not understood is a [`Type::Unknown`], one of the wrong shape a [`Flaw`].

use abi_mcp_sdk::json::{element, kind_of, member};
use abi_mcp_sdk::serde_json::Value;

/// A type at the place where it is used.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Type {
    Bool,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
    Text,
    Unit,
    /// With a size: exactly that many bytes.
    Bytes(Option<u64>),
    List(Box<Type>),
    Map {
        key: Box<Type>,
        value: Box<Type>,
    },
    Tuple(Vec<Type>),
    Record(Fields),
    Reference(String),
    /// Accepted as it comes.
    Unknown {
        /// What the manifest says, for notes.
        why: String,
        /// How a signature shows it.
        shown: String,
    },
}

/// The fields of a record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fields {
    pub(crate) list: Vec<Field>,
    /// On the wire an array in this order, not an object.
    pub(crate) positional: bool,
}

/// A field, or a parameter: both have the same shape.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) of: Type,
    pub(crate) nullable: bool,
    pub(crate) doc: Option<String>,
}

/// An entry of `types`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Definition {
    pub(crate) shape: Shape,
    pub(crate) doc: Option<String>,
}

/// What an entry of `types` is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Record(Fields),
    Variant {
        variants: Vec<Variant>,
        tagging: Tagging,
    },
    Alias {
        target: Type,
        pattern: Option<String>,
    },
    /// Not usable, and why: what refers to it is accepted as it comes.
    Broken(String),
}

/// A member of an enum.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) payload: Option<Type>,
    pub(crate) doc: Option<String>,
}

/// How serde represents an enum. Before toolchain 1.0 the manifest never said; it was external.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tagging {
    /// `"Unit"`, `{"Name": payload}`.
    External,
    /// `{tag: "Name", …payload's own keys}`.
    Internal(String),
    /// `{tag: "Name", content: payload}`.
    Adjacent { tag: String, content: String },
    /// The payload alone; null for a unit.
    Untagged,
}

/// Something in a manifest that has the wrong shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flaw {
    /// Where, from the thing being read.
    pub(crate) at: String,
    /// What was found and expected.
    pub(crate) problem: String,
}

impl Flaw {
    pub(crate) fn new(at: &str, problem: impl Into<String>) -> Self {
        Self { at: at.to_owned(), problem: problem.into() }
    }

    fn expected(at: &str, expected: &str, found: Option<&Value>) -> Self {
        Self::new(at, format!("expected {expected}, found {}", found.map_or("nothing", kind_of)))
    }
}

impl Type {
    /// Reads a type reference. `at` is its path, for messages.
    pub(crate) fn read(value: Option<&Value>, at: &str) -> Result<Self, Flaw> {
        let object = match value {
            Some(Value::Object(object)) => object,
            other => return Err(Flaw::expected(at, "a type", other)),
        };
        if let Some(name) = object.get("$ref") {
            let name = name.as_str().ok_or_else(|| Flaw::expected(at, "a type name in `$ref`", Some(name)))?;
            return Ok(Self::Reference(name.to_owned()));
        }
        let kind = object.get("kind").and_then(Value::as_str);
        let kind = kind.ok_or_else(|| Flaw::expected(at, "`$ref` or a `kind`", object.get("kind")))?;
        Ok(match kind {
            "bool" => Self::Bool,
            "i32" => Self::I32,
            "u32" => Self::U32,
            "i64" => Self::I64,
            "u64" => Self::U64,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "string" => Self::Text,
            "unit" => Self::Unit,
            "bytes" => Self::Bytes(read_size(object.get("size"), at)?),
            "list" => Self::List(Box::new(Self::read(object.get("items"), &member(at, "items"))?)),
            "map" => Self::Map {
                key: Box::new(Self::read_key(object.get("key"), &member(at, "key"))?),
                value: Box::new(Self::read(object.get("value"), &member(at, "value"))?),
            },
            "tuple" => Self::read_tuple(object.get("elements"), &member(at, "elements"))?,
            "record" => Self::read_inline_record(object, at)?,
            other => Self::Unknown { why: format!("unknown kind `{other}`"), shown: other.to_owned() },
        })
    }

    /// The name signatures use for a built-in type.
    pub(crate) fn scalar_name(&self) -> Option<&'static str> {
        Some(match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Text => "string",
            Self::Unit => "unit",
            Self::Bytes(_) => "bytes",
            _ => return None,
        })
    }

    /// A map's key: readers also accept the bare string `"string"`.
    fn read_key(value: Option<&Value>, at: &str) -> Result<Self, Flaw> {
        match value {
            Some(Value::String(kind)) if kind == "string" => Ok(Self::Text),
            other => Self::read(other, at),
        }
    }

    fn read_tuple(elements: Option<&Value>, at: &str) -> Result<Self, Flaw> {
        let elements = array(elements, at)?;
        let read = |(index, value)| Self::read(Some(value), &element(at, index));
        let elements = elements.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
        // `()` is null in serde's JSON, not an empty array.
        Ok(if elements.is_empty() { Self::Unit } else { Self::Tuple(elements) })
    }

    /// An inline record is, in practice, a placeholder for a replicated collection.
    fn read_inline_record(object: &abi_mcp_sdk::json::Object, at: &str) -> Result<Self, Flaw> {
        if let Some(crdt) = object.get("crdt_type") {
            if let Some(inner) = object.get("inner_type") {
                return Self::read(Some(inner), &member(at, "inner_type"));
            }
            if object.get("fields").and_then(Value::as_array).is_none_or(Vec::is_empty) {
                let crdt = crdt.as_str().map_or_else(|| crdt.to_string(), str::to_owned);
                let why = format!("replicated type `{crdt}` without an inner type");
                return Ok(Self::Unknown { why, shown: "record".to_owned() });
            }
        }
        Fields::read(object.get("fields"), &member(at, "fields")).map(Self::Record)
    }
}

impl Fields {
    fn read(value: Option<&Value>, at: &str) -> Result<Self, Flaw> {
        let read = |(index, value)| Field::read(value, &element(at, index));
        let list = array(value, at)?.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
        // A tuple struct, before toolchain 1.0.
        let positional = !list.is_empty() && list.iter().all(|field| field.name == "unnamed");
        if !positional && let Some(name) = repeated_name(&list) {
            return Err(Flaw::new(at, format!("two fields are named `{name}`")));
        }
        Ok(Self { list, positional })
    }

    /// Whether the names are `field_0`, `field_1`, …: what emitters of 2025-11 to 1.0 wrote for a tuple variant.
    pub(crate) fn are_numbered(&self) -> bool {
        let numbered = |(index, field): (usize, &Field)| field.name == format!("field_{index}");
        self.list.len() > 1 && self.list.iter().enumerate().all(numbered)
    }
}

impl Field {
    /// Reads a field or a parameter.
    pub(crate) fn read(value: &Value, at: &str) -> Result<Self, Flaw> {
        let Some(name) = value.get("name").and_then(Value::as_str) else {
            return Err(Flaw::expected(&member(at, "name"), "a string", value.get("name")));
        };
        Ok(Self {
            name: name.to_owned(),
            of: Type::read(value.get("type"), &member(at, "type"))?,
            nullable: is_true(value.get("nullable")),
            doc: text(value.get("doc")),
        })
    }
}

impl Definition {
    /// Reads an entry of `types`; one that cannot be read is [`Shape::Broken`].
    pub(crate) fn read(value: &Value) -> Self {
        let shape = match Shape::read(value) {
            Ok(shape) => shape,
            Err(Flaw { at, problem }) if at.is_empty() => Shape::Broken(problem),
            Err(Flaw { at, problem }) => Shape::Broken(format!("{problem} at `{at}`")),
        };
        Self { shape, doc: text(value.get("doc")) }
    }
}

impl Shape {
    fn read(value: &Value) -> Result<Self, Flaw> {
        let Some(kind) = value.get("kind").and_then(Value::as_str) else {
            return Err(Flaw::expected("kind", "a string", value.get("kind")));
        };
        Ok(match kind {
            "record" => Self::record(Fields::read(value.get("fields"), "fields")?),
            "variant" => Self::Variant { variants: read_variants(value)?, tagging: read_tagging(value)? },
            "alias" => {
                Self::Alias { target: Type::read(value.get("target"), "target")?, pattern: text(value.get("pattern")) }
            }
            // A type reference in place of a definition: `{"kind": "bytes", "size": 32}` and the like.
            _ => match Type::read(Some(value), "")? {
                Type::Unknown { why, .. } => Self::Broken(why),
                target => Self::Alias { target, pattern: None },
            },
        })
    }

    fn record(mut fields: Fields) -> Self {
        // `struct N(String)`: serde writes a struct of one unnamed field as that field alone.
        if fields.positional && fields.list.len() == 1 {
            return match fields.list.pop() {
                Some(Field { of, nullable: false, .. }) => Self::Alias { target: of, pattern: None },
                _ => Self::Broken("a nullable field without a name".to_owned()),
            };
        }
        Self::Record(fields)
    }
}

fn read_variants(value: &Value) -> Result<Vec<Variant>, Flaw> {
    let list = array(value.get("variants"), "variants")?;
    if list.is_empty() {
        return Err(Flaw::new("variants", "an enum without members"));
    }
    let read = |(index, value): (usize, &Value)| {
        let at = element("variants", index);
        let name = value.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| Flaw::expected(&member(&at, "name"), "a string", value.get("name")))?;
        let payload = value.get("payload").filter(|payload| !payload.is_null());
        let payload = payload.map(|payload| Type::read(Some(payload), &member(&at, "payload"))).transpose()?;
        Ok(Variant { name: name.to_owned(), payload, doc: text(value.get("doc")) })
    };
    list.iter().enumerate().map(read).collect()
}

fn read_tagging(value: &Value) -> Result<Tagging, Flaw> {
    let (tag, content) = (text(value.get("tag")), text(value.get("content")));
    match (tag, content, is_true(value.get("untagged"))) {
        (None, None, false) => Ok(Tagging::External),
        (Some(tag), None, false) => Ok(Tagging::Internal(tag)),
        (Some(tag), Some(content), false) => Ok(Tagging::Adjacent { tag, content }),
        (None, None, true) => Ok(Tagging::Untagged),
        (None, Some(_), false) => Err(Flaw::new("content", "`content` without `tag`")),
        (_, _, true) => Err(Flaw::new("untagged", "`untagged` beside `tag` or `content`")),
    }
}

fn read_size(size: Option<&Value>, at: &str) -> Result<Option<u64>, Flaw> {
    match size {
        None | Some(Value::Null) => Ok(None),
        Some(size) => match size.as_u64() {
            Some(size) if size > 0 => Ok(Some(size)),
            _ => Err(Flaw::new(&member(at, "size"), format!("expected a whole number above 0, found {size}"))),
        },
    }
}

fn array<'a>(value: Option<&'a Value>, at: &str) -> Result<&'a [Value], Flaw> {
    value.and_then(Value::as_array).map(Vec::as_slice).ok_or_else(|| Flaw::expected(at, "an array", value))
}

/// The first name that occurs twice.
pub(crate) fn repeated_name(fields: &[Field]) -> Option<&str> {
    let mut seen = std::collections::BTreeSet::new();
    fields.iter().map(|field| field.name.as_str()).find(|name| !seen.insert(*name))
}

/// A text that says something.
pub(crate) fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

pub(crate) fn is_true(value: Option<&Value>) -> bool {
    value.and_then(Value::as_bool).unwrap_or(false)
}
