//! One operand: how the caller's value is read, what the schema asks for, what the signature calls it.
//!
//! A parameter of a [`Shape`](crate::shape) and the types chosen for it in; an [`Input`] and words out.

use crate::choose::{Row, coded};
use crate::codecs::Codecs;
use crate::ctype::{Enums, Value};
use crate::hints::example;
use crate::shape::{Given, What};
use crate::types::{Base, Kind, Type};
use abi_mcp_meos_call::{Codec, Decoder, Input, Scalar};
use abi_mcp_sdk::json;
use abi_mcp_sdk::serde_json::{Value as Json, json};

/// Every operand whose types vary together is in this group.
const GROUP: u8 = 1;

/// An operand and everything it can be.
pub(crate) struct Operand<'a> {
    /// The function's name.
    function: &'a str,
    pub(crate) given: &'a Given,
    /// Its types, likeliest first; empty for what JSON carries as it is.
    pub(crate) types: Vec<&'static Type>,
    pub(crate) input: Input,
}

/// Makes the operands of a call of `function`. `rows` are the rows of types it may have.
pub(crate) fn operands<'a>(
    function: &'a str,
    given: &[&'a Given],
    rows: &[Row],
    codecs: &Codecs,
    enums: &Enums,
) -> Result<Vec<Operand<'a>>, String> {
    let columns = columns(rows);
    let varying = columns.iter().filter(|column| distinct(column).len() > 1).count();
    let mut columns = columns.into_iter();
    let mut operands = Vec::new();
    for &given in given {
        let column = coded(given).and_then(|_| columns.next()).unwrap_or_default();
        let types = distinct(&column);
        let grouped = types.len() > 1 && (varying > 1 || !matches!(given.what, What::One(_)));
        let reader = |kind: Kind| decoder(given, kind, if grouped { &column } else { &types }, grouped, codecs);
        let input = match &given.what {
            What::One(value) => input(value, enums, reader)?,
            What::List(value) => Input::Array(Box::new(input(value, enums, reader)?)),
            What::Structs(kind) => Input::Structs { of: struct_name(*kind).to_owned(), element: reader(*kind)? },
        };
        operands.push(Operand { function, given, types, input });
    }
    Ok(operands)
}

/// The C struct that lies in arrays by value.
pub(crate) fn struct_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Span => "Span",
        Kind::TBox => "TBox",
        Kind::STBox => "STBox",
        other => other.name(),
    }
}

fn columns(rows: &[Row]) -> Vec<Vec<&'static Type>> {
    let width = rows.first().map_or(0, Vec::len);
    (0..width).map(|at| rows.iter().filter_map(|row| row.get(at).copied()).collect()).collect()
}

fn distinct(column: &[&'static Type]) -> Vec<&'static Type> {
    let mut seen: Vec<&'static Type> = Vec::new();
    for it in column {
        if !seen.iter().any(|known| known.label() == it.label()) {
            seen.push(it);
        }
    }
    seen
}

fn input(value: &Value, enums: &Enums, reader: impl Fn(Kind) -> Result<Decoder, String>) -> Result<Input, String> {
    Ok(match value {
        Value::Scalar(scalar) => Input::Scalar(*scalar),
        Value::Enum(name) => Input::Enum(enums.get(name).cloned().unwrap_or_default()),
        Value::Coded(kind) => Input::Decoded(reader(*kind)?),
    })
}

/// The readers of one operand, one a type; in a group one a row, so that positions mean the same everywhere.
fn decoder(
    given: &Given,
    kind: Kind,
    types: &[&'static Type],
    grouped: bool,
    codecs: &Codecs,
) -> Result<Decoder, String> {
    let text: Vec<Codec> = types.iter().filter_map(|it| codecs.text(it)).collect();
    let hexwkb = codecs.hexwkb(kind);
    if text.len() < types.len() && (grouped || hexwkb.is_none()) {
        return Err(format!("{}: the catalog has no function that reads a {}", given.name, label(types, kind)));
    }
    let found: Vec<Option<Codec>> = types.iter().map(|it| codecs.mfjson(it)).collect();
    let mfjson = match (grouped, found.iter().any(Option::is_some)) {
        (_, false) => Vec::new(),
        (false, true) => found.into_iter().flatten().collect(),
        // A type without a JSON form is refused at its own position by the reader of its text.
        (true, true) => found.into_iter().zip(&text).map(|(json, text)| json.unwrap_or_else(|| text.clone())).collect(),
    };
    let times = if grouped { types.len() } else { 1 };
    Ok(Decoder {
        type_name: label(types, kind),
        group: grouped.then_some(GROUP),
        hexwkb: hexwkb.map(|codec| vec![codec; times]).unwrap_or_default(),
        text,
        mfjson,
    })
}

/// What to call a value of one of these types.
pub(crate) fn label(types: &[&'static Type], kind: Kind) -> String {
    let names: Vec<&str> = distinct(types).iter().map(|it| it.label()).collect();
    match names.len() {
        1..=4 => names.join(" | "),
        0 => kind.name().to_owned(),
        _ => family(kind, types.iter().all(|it| it.is_spatial())).to_owned(),
    }
}

/// What MEOS calls many types at once.
fn family(kind: Kind, spatial: bool) -> &'static str {
    match (kind, spatial) {
        (Kind::Temporal, true) => "tspatial",
        (Kind::Set, true) => "spatialset",
        _ => kind.name(),
    }
}

/// The name of a scalar where people read it.
pub(crate) fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::Int8 => "int8",
        Scalar::Int16 => "int16",
        Scalar::Int32 => "int",
        Scalar::Int64 => "bigint",
        Scalar::Uint8 => "uint8",
        Scalar::Uint16 => "uint16",
        Scalar::Uint32 => "uint32",
        Scalar::Uint64 => "uint64",
        Scalar::Double => "float",
        Scalar::Cstring => "string",
    }
}

/// The JSON Schema of a scalar, with the bounds of its C type.
pub(crate) fn scalar_schema(scalar: Scalar) -> Json {
    let integer = |minimum: i64, maximum: u64| json!({ "type": "integer", "minimum": minimum, "maximum": maximum });
    match scalar {
        Scalar::Bool => json!({ "type": "boolean" }),
        Scalar::Int8 => integer(i8::MIN.into(), i8::MAX as u64),
        Scalar::Int16 => integer(i16::MIN.into(), i16::MAX as u64),
        Scalar::Int32 => integer(i32::MIN.into(), i32::MAX as u64),
        Scalar::Int64 => integer(i64::MIN, i64::MAX as u64),
        Scalar::Uint8 => integer(0, u8::MAX.into()),
        Scalar::Uint16 => integer(0, u16::MAX.into()),
        Scalar::Uint32 => integer(0, u32::MAX.into()),
        Scalar::Uint64 => integer(0, u64::MAX),
        Scalar::Double => json!({ "type": "number" }),
        Scalar::Cstring => json!({ "type": "string" }),
    }
}

impl Operand<'_> {
    /// What the signature calls it.
    pub(crate) fn label(&self) -> String {
        match &self.given.what {
            What::One(value) => self.value_label(value),
            What::List(value) => listed(self.value_label(value)),
            What::Structs(kind) => listed(label(&self.types, *kind)),
        }
    }

    fn value_label(&self, value: &Value) -> String {
        match value {
            Value::Scalar(scalar) => scalar_name(*scalar).to_owned(),
            Value::Enum(name) => name.clone(),
            Value::Coded(kind) => label(&self.types, *kind),
        }
    }

    /// Its property of the input schema. `earlier` are the operands before it.
    pub(crate) fn schema(&self, earlier: &[Operand], enums: &Enums) -> Json {
        let schema = match &self.given.what {
            What::One(value) => self.value_schema(value, earlier, enums),
            What::List(value) => json!({ "type": "array", "items": self.value_schema(value, earlier, enums) }),
            What::Structs(kind) => json!({ "type": "array", "items": self.coded_schema(*kind, earlier) }),
        };
        if self.given.optional { json::or_null(schema) } else { schema }
    }

    fn value_schema(&self, value: &Value, earlier: &[Operand], enums: &Enums) -> Json {
        let schema = match value {
            Value::Scalar(scalar) => scalar_schema(*scalar),
            Value::Enum(name) => {
                let members = enums.get(name).map(Vec::as_slice).unwrap_or_default();
                let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
                json!({ "type": "string", "title": name, "enum": names })
            }
            Value::Coded(kind) => return self.coded_schema(*kind, earlier),
        };
        let hint = self.given.hint.as_deref();
        let said: Vec<&str> = self.given.doc.as_deref().into_iter().chain(hint).collect();
        if said.is_empty() { schema } else { json::described(schema, &said.join("; ")) }
    }

    fn coded_schema(&self, kind: Kind, earlier: &[Operand]) -> Json {
        let schema = json!({ "type": "string", "title": label(&self.types, kind) });
        let forms = self.forms(kind);
        let same = earlier.iter().find(|operand| coded(operand.given) == Some(kind) && operand.forms(kind) == forms);
        let forms = same.map_or(forms, |operand| format!("as `{}`", operand.given.name));
        // `Temporal value` says nothing beside the type.
        let telling = self.given.doc.as_ref().filter(|doc| doc.split_whitespace().count() > 3);
        let description = match telling {
            Some(doc) => format!("{}: {forms}", doc.trim_end_matches('.')),
            None => forms,
        };
        json::described(schema, &description)
    }

    /// The accepted forms with a short example.
    fn forms(&self, kind: Kind) -> String {
        forms(&self.types, kind, self.reads_text(), |it| example(self.function, &self.given.name, it))
    }

    fn reads_text(&self) -> bool {
        match &self.input {
            Input::Decoded(decoder) | Input::Structs { element: decoder, .. } => !decoder.text.is_empty(),
            Input::Array(element) => !matches!(&**element, Input::Decoded(decoder) if decoder.text.is_empty()),
            Input::Scalar(_) | Input::Enum(_) => true,
        }
    }
}

/// The forms in which types are accepted, with an example of the first, and of the next that is made of something
/// else.
pub(crate) fn forms(
    types: &[&'static Type],
    kind: Kind,
    text: bool,
    example: impl Fn(&'static Type) -> String,
) -> String {
    let json = match kind {
        Kind::Temporal if types.iter().any(|it| !it.mfjson.is_empty()) => Some("MF-JSON"),
        Kind::Geo => Some("GeoJSON"),
        _ => None,
    };
    let others: Vec<&str> = json.into_iter().chain(kind.hexwkb().map(|_| "HexWKB")).collect();
    if !text {
        return format!("{} only", others.join(" or "));
    }
    let mut said = match types {
        [] => kind.name().to_owned(),
        [only] => format!("`{}`", example(only)),
        [first, rest @ ..] => {
            let second = rest.iter().find(|it| it.is_spatial() && !first.is_spatial());
            let second = second.or_else(|| rest.iter().find(|it| !looks_alike(it.base, first.base)));
            let second = second.map(|it| format!(" or {} `{}`", it.label(), example(it))).unwrap_or_default();
            format!("{} `{}`{second}", first.label(), example(first))
        }
    };
    if !others.is_empty() {
        said = format!("{said}; {} too", others.join(", "));
    }
    match hidden(types) {
        Some(it) => format!("{said}. To name the type: `{} '…'`", it.label()),
        None => said,
    }
}

/// A type whose text an earlier one of the list reads too, so that only its name leads to it.
fn hidden(types: &[&'static Type]) -> Option<&'static Type> {
    let behind = |(at, it): (usize, &&'static Type)| {
        let before = types.get(..at)?;
        before.iter().any(|other| it.base != other.base && looks_alike(it.base, other.base)).then_some(*it)
    };
    let number = || types.iter().copied().find(|it| it.base == Base::Float);
    let integer = types.first().is_some_and(|it| it.base == Base::Int);
    types.iter().enumerate().find_map(behind).or_else(|| integer.then(number).flatten())
}

/// Whether the texts of two bases are the same.
fn looks_alike(a: Base, b: Base) -> bool {
    let family = |base| match base {
        Base::Geography => Base::Geometry,
        Base::BigInt => Base::Int,
        Base::Date => Base::TimestampTz,
        other => other,
    };
    family(a) == family(b)
}

pub(crate) fn listed(label: String) -> String {
    if label.contains(' ') { format!("({label})[]") } else { format!("{label}[]") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{all, named};

    fn said(names: &[&str], kind: Kind) -> String {
        let types: Vec<&'static Type> = names.iter().filter_map(|name| named(name)).collect();
        forms(&types, kind, true, |it| it.name.to_uppercase())
    }

    #[test]
    fn one_type_shows_one_example_and_the_other_forms() {
        assert_eq!(said(&["tfloat"], Kind::Temporal), "`TFLOAT`; MF-JSON, HexWKB too");
        assert_eq!(said(&["interval"], Kind::Interval), "`INTERVAL`");
    }

    #[test]
    fn a_type_hidden_behind_another_is_reached_by_its_name() {
        let points = said(&["tgeompoint", "tgeogpoint"], Kind::Temporal);
        assert_eq!(points, "tgeompoint `TGEOMPOINT`; MF-JSON, HexWKB too. To name the type: `tgeogpoint '…'`");
        let numbers = said(&["intset", "floatset"], Kind::Set);
        assert_eq!(numbers, "intset `INTSET` or floatset `FLOATSET`; HexWKB too. To name the type: `floatset '…'`");
        assert!(!said(&["tfloat", "ttext"], Kind::Temporal).contains("name the type"));
    }

    #[test]
    fn what_has_no_text_says_so() {
        let types = [named("trgeometry").expect("a type")];
        assert_eq!(forms(&types, Kind::Temporal, false, |it| it.name.to_owned()), "HexWKB only");
    }

    #[test]
    fn many_types_are_called_by_their_family() {
        assert_eq!(label(&all(Kind::Temporal), Kind::Temporal), "temporal");
        let places: Vec<_> = all(Kind::Temporal).into_iter().filter(|it| it.is_spatial()).collect();
        assert_eq!(label(&places, Kind::Temporal), "tspatial");
        assert_eq!(label(&[], Kind::Span), "span");
        assert_eq!(listed("tint | tfloat".to_owned()), "(tint | tfloat)[]");
    }

    #[test]
    fn integers_have_the_bounds_of_their_c_type() {
        assert_eq!(scalar_schema(Scalar::Int64)["minimum"], i64::MIN);
        assert_eq!(scalar_schema(Scalar::Uint64)["maximum"], u64::MAX);
        assert_eq!(scalar_schema(Scalar::Uint8), json!({ "type": "integer", "minimum": 0, "maximum": 255 }));
    }
}
