//! Values between JSON and the engine's own form, by the rules of [`super::schema`].
//!
//! In comes JSON with the shape it must have, out comes a value of exactly that type or what is wrong and where; and back.
//! The schema was checked before; it is not trusted here, since the engine would trap on a value of another type.

use super::schema::NO_NUMBERS;
use super::shape::{Shape, Whole};
use serde_json::{Map, Value, json};
use std::fmt;
use wasmtime::component::Val;

/// The largest integer up to which each one has a floating-point number of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Why a JSON value is none of the type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    /// Where, as a JSON Pointer.
    at: String,
    expected: String,
}

impl Wrong {
    pub(super) fn here(expected: impl Into<String>) -> Self {
        Self { at: String::new(), expected: expected.into() }
    }

    pub(super) fn within(self, step: impl fmt::Display) -> Self {
        Self { at: format!("/{step}{}", self.at), ..self }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: expected {}", self.at, self.expected)
    }
}

/// A JSON value as one of this shape.
pub(super) fn from_json(shape: &Shape, given: &Value) -> Result<Val, Wrong> {
    match shape {
        Shape::Bool => given.as_bool().map(Val::Bool).ok_or_else(|| Wrong::here("true or false")),
        Shape::Whole(kind) => whole(*kind, given),
        Shape::Single => single(given),
        Shape::Double => given.as_f64().map(Val::Float64).ok_or_else(|| Wrong::here("a number")),
        Shape::Char => character(given),
        Shape::Text => text(given, "a text").map(|text| Val::String(text.to_owned())),
        Shape::List(item) => items(given, "an array", |_| Some(item)).map(Val::List),
        Shape::Fixed(item, length) => {
            let length = usize::try_from(*length).unwrap_or(usize::MAX);
            of_length(given, length)?;
            items(given, "an array", |_| Some(item)).map(Val::FixedLengthList)
        }
        Shape::Tuple(places) => {
            of_length(given, places.len())?;
            items(given, "an array", |at| places.get(at)).map(Val::Tuple)
        }
        Shape::Record(fields) => record(fields, given).map(Val::Record),
        Shape::Variant(cases) => {
            let find = |tag: &str| cases.iter().find(|(name, _)| name == tag).map(|(_, payload)| payload.as_ref());
            let (tag, payload) = tagged(given, find)?;
            Ok(Val::Variant(tag, payload))
        }
        Shape::Enum(names) => name_of(names, given).map(Val::Enum),
        Shape::Option(inner) => option(inner, given).map(Val::Option),
        Shape::Result(ok, err) => {
            let find = |tag: &str| match tag {
                "ok" => Some(ok.as_deref()),
                "err" => Some(err.as_deref()),
                _ => None,
            };
            let (tag, payload) = tagged(given, find)?;
            Ok(Val::Result(if tag == "ok" { Ok(payload) } else { Err(payload) }))
        }
        Shape::Flags(names) => flags(names, given),
    }
}

/// The members of an object, in the order of the fields.
pub(super) fn record(fields: &[(String, Shape)], given: &Value) -> Result<Vec<(String, Val)>, Wrong> {
    let members = given.as_object().ok_or_else(|| Wrong::here("an object"))?;
    only(members, |name| fields.iter().any(|(field, _)| field == name))?;
    let field = |(name, shape): &(String, Shape)| {
        let value = match (members.get(name), shape) {
            (Some(member), _) => from_json(shape, member),
            (None, Shape::Option(_)) => Ok(Val::Option(None)),
            (None, _) => Err(Wrong::here("a value")),
        };
        Ok((name.clone(), value.map_err(|wrong| wrong.within(name))?))
    };
    fields.iter().map(field).collect()
}

fn only(members: &Map<String, Value>, known: impl Fn(&str) -> bool) -> Result<(), Wrong> {
    match members.keys().find(|name| !known(name)) {
        Some(name) => Err(Wrong::here("no such member").within(name)),
        None => Ok(()),
    }
}

fn whole(kind: Whole, given: &Value) -> Result<Val, Wrong> {
    let (low, high) = kind.bounds();
    let wrong = || Wrong::here(format!("an integer from {low} to {high}"));
    let number = integer(given).ok_or_else(wrong)?;
    let value = match kind {
        Whole::S8 => i8::try_from(number).ok().map(Val::S8),
        Whole::U8 => u8::try_from(number).ok().map(Val::U8),
        Whole::S16 => i16::try_from(number).ok().map(Val::S16),
        Whole::U16 => u16::try_from(number).ok().map(Val::U16),
        Whole::S32 => i32::try_from(number).ok().map(Val::S32),
        Whole::U32 => u32::try_from(number).ok().map(Val::U32),
        Whole::S64 => i64::try_from(number).ok().map(Val::S64),
        Whole::U64 => u64::try_from(number).ok().map(Val::U64),
    };
    value.ok_or_else(wrong)
}

/// An integer with every digit; `1.0` is one, as JSON Schema has it.
fn integer(given: &Value) -> Option<i128> {
    let digits = given.as_i64().map(i128::from).or_else(|| given.as_u64().map(i128::from));
    let round = || given.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= EXACT);
    #[expect(clippy::cast_possible_truncation, reason = "whole, and far smaller than the type's bounds")]
    digits.or_else(|| round().map(|number| number as i128))
}

fn single(given: &Value) -> Result<Val, Wrong> {
    let number = given.as_f64().ok_or_else(|| Wrong::here("a number"))?;
    #[expect(clippy::cast_possible_truncation, reason = "the nearest `f32` is what is wanted")]
    let nearest = number as f32;
    if nearest.is_finite() { Ok(Val::Float32(nearest)) } else { Err(Wrong::here("a number that fits 32 bits")) }
}

fn character(given: &Value) -> Result<Val, Wrong> {
    let mut characters = given.as_str().unwrap_or_default().chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) => Ok(Val::Char(one)),
        _ => Err(Wrong::here("a text of one character")),
    }
}

fn text<'a>(given: &'a Value, expected: &str) -> Result<&'a str, Wrong> {
    given.as_str().ok_or_else(|| Wrong::here(expected))
}

fn array<'a>(given: &'a Value, expected: &str) -> Result<&'a Vec<Value>, Wrong> {
    given.as_array().ok_or_else(|| Wrong::here(expected))
}

fn of_length(given: &Value, length: usize) -> Result<(), Wrong> {
    let expected = format!("an array of {length}");
    if array(given, &expected)?.len() == length { Ok(()) } else { Err(Wrong::here(expected)) }
}

fn items<'a>(given: &Value, expected: &str, shape: impl Fn(usize) -> Option<&'a Shape>) -> Result<Vec<Val>, Wrong> {
    let item = |(at, item): (usize, &Value)| {
        let shape = shape(at).ok_or_else(|| Wrong::here("no more values"));
        shape.and_then(|shape| from_json(shape, item)).map_err(|wrong| wrong.within(at))
    };
    array(given, expected)?.iter().enumerate().map(item).collect()
}

fn name_of(names: &[String], given: &Value) -> Result<String, Wrong> {
    let found = given.as_str().filter(|given| names.iter().any(|name| name == given));
    found.map(str::to_owned).ok_or_else(|| Wrong::here(format!("one of {}", names.join(", "))))
}

fn flags(names: &[String], given: &Value) -> Result<Val, Wrong> {
    let mut raised: Vec<String> = Vec::new();
    for (at, flag) in array(given, "an array of names")?.iter().enumerate() {
        let name = name_of(names, flag).map_err(|wrong| wrong.within(at))?;
        if !raised.contains(&name) {
            raised.push(name);
        }
    }
    Ok(Val::Flags(raised))
}

fn option(inner: &Shape, given: &Value) -> Result<Option<Box<Val>>, Wrong> {
    if given.is_null() {
        return Ok(None);
    }
    if !matches!(inner, Shape::Option(_)) {
        return from_json(inner, given).map(|value| Some(Box::new(value)));
    }
    let wrapped = || Wrong::here("null or an object with the one member `some`");
    let members = given.as_object().filter(|members| members.len() == 1).ok_or_else(wrapped)?;
    let value = members.get("some").ok_or_else(wrapped)?;
    from_json(inner, value).map(|value| Some(Box::new(value))).map_err(|wrong| wrong.within("some"))
}

/// A case's name and its value. `find` answers what the case of a name carries.
fn tagged<'a>(
    given: &Value,
    find: impl Fn(&str) -> Option<Option<&'a Shape>>,
) -> Result<(String, Option<Box<Val>>), Wrong> {
    let members = given.as_object().ok_or_else(|| Wrong::here("an object with a `tag`"))?;
    only(members, |name| matches!(name, "tag" | "val"))?;
    let tag = members.get("tag").and_then(Value::as_str).unwrap_or_default();
    let payload = find(tag).ok_or_else(|| Wrong::here("the name of a case").within("tag"))?;
    let value = match (payload, members.get("val")) {
        (Some(shape), Some(value)) => Some(from_json(shape, value).map_err(|wrong| wrong.within("val"))?),
        (Some(Shape::Option(_)), None) => Some(Val::Option(None)),
        (Some(_), None) => return Err(Wrong::here("a value").within("val")),
        (None, None | Some(Value::Null)) => None,
        (None, Some(_)) => return Err(Wrong::here(format!("nothing beside the tag `{tag}`")).within("val")),
    };
    Ok((tag.to_owned(), value.map(Box::new)))
}

/// A value in its JSON form; `None` where it has none, which no value of a [`Shape`] is without.
pub(super) fn to_json(value: Val) -> Option<Value> {
    Some(match value {
        Val::Bool(value) => Value::Bool(value),
        Val::S8(value) => value.into(),
        Val::U8(value) => value.into(),
        Val::S16(value) => value.into(),
        Val::U16(value) => value.into(),
        Val::S32(value) => value.into(),
        Val::U32(value) => value.into(),
        Val::S64(value) => value.into(),
        Val::U64(value) => value.into(),
        // By its shortest digits: 0.1 is 0.1, not the 0.10000000149 that is nearest to it.
        Val::Float32(value) => number(value.to_string().parse().unwrap_or(f64::from(value))),
        Val::Float64(value) => number(value),
        Val::Char(value) => Value::String(value.into()),
        Val::String(value) | Val::Enum(value) => Value::String(value),
        Val::List(items) | Val::FixedLengthList(items) | Val::Tuple(items) => {
            Value::Array(items.into_iter().map(to_json).collect::<Option<_>>()?)
        }
        Val::Record(fields) => {
            let members = fields.into_iter().map(|(name, value)| Some((name, to_json(value)?)));
            Value::Object(members.collect::<Option<_>>()?)
        }
        Val::Variant(tag, value) => case(&tag, value)?,
        Val::Option(None) => Value::Null,
        Val::Option(Some(value)) if matches!(*value, Val::Option(_)) => json!({"some": to_json(*value)?}),
        Val::Option(Some(value)) => to_json(*value)?,
        Val::Result(Ok(value)) => case("ok", value)?,
        Val::Result(Err(value)) => case("err", value)?,
        Val::Flags(names) => names.into(),
        Val::Map(_) | Val::Resource(_) | Val::Future(_) | Val::Stream(_) | Val::ErrorContext(_) => return None,
    })
}

fn case(tag: &str, value: Option<Box<Val>>) -> Option<Value> {
    Some(match value {
        Some(value) => json!({"tag": tag, "val": to_json(*value)?}),
        None => json!({"tag": tag}),
    })
}

fn number(value: f64) -> Value {
    let [nan, infinity, minus] = NO_NUMBERS;
    let none = if value.is_nan() {
        nan
    } else if value > 0.0 {
        infinity
    } else {
        minus
    };
    serde_json::Number::from_f64(value).map_or_else(|| none.into(), Value::Number)
}

#[cfg(test)]
mod tests;
