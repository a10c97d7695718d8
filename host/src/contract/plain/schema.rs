//! The JSON form of each type, as a schema.
//!
//! | WIT | JSON |
//! | --- | --- |
//! | integers | an integer within the type's bounds, with every digit |
//! | `f32`, `f64` | a number; in answers also `"NaN"`, `"Infinity"`, `"-Infinity"`, which JSON has no numbers for |
//! | `char` | a string of one character |
//! | `list`, `tuple` | an array |
//! | `record` | an object; a field of an `option` type may be left out |
//! | `variant`, `result` | `{"tag": CASE, "val": VALUE}`, without `val` where the case has none |
//! | `enum` | its name; `flags`: an array of names |
//! | `option` | the value or `null`; an option of an option is `{"some": VALUE}` or `null` |

use super::shape::Shape;
use serde_json::{Map, Value, json};

/// Which way a value goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Into the component.
    In,
    /// Out of it.
    Out,
}

/// The numbers that JSON does not have.
pub(super) const NO_NUMBERS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// A type's schema.
pub(super) fn schema(shape: &Shape, way: Way) -> Value {
    match shape {
        Shape::Bool => json!({"type": "boolean"}),
        Shape::Whole(kind) => {
            let (minimum, maximum) = kind.bounds();
            json!({"type": "integer", "minimum": minimum, "maximum": maximum})
        }
        Shape::Single | Shape::Double => number(way),
        Shape::Char => json!({"type": "string", "minLength": 1, "maxLength": 1}),
        Shape::Text => json!({"type": "string"}),
        Shape::List(item) => json!({"type": "array", "items": schema(item, way)}),
        Shape::Fixed(item, length) => {
            json!({"type": "array", "items": schema(item, way), "minItems": length, "maxItems": length})
        }
        Shape::Tuple(items) => {
            let places: Vec<Value> = items.iter().map(|item| schema(item, way)).collect();
            let length = places.len();
            json!({"type": "array", "prefixItems": places, "items": false, "minItems": length, "maxItems": length})
        }
        Shape::Record(fields) => object(fields, way),
        Shape::Variant(cases) => tagged(cases.iter().map(|(name, payload)| (name.as_str(), payload.as_ref())), way),
        Shape::Enum(names) => json!({"type": "string", "enum": names}),
        Shape::Option(inner) => json!({"anyOf": [some(inner, way), {"type": "null"}]}),
        Shape::Result(ok, err) => tagged([("ok", ok.as_deref()), ("err", err.as_deref())].into_iter(), way),
        Shape::Flags(names) => {
            json!({"type": "array", "items": {"type": "string", "enum": names}, "uniqueItems": true})
        }
    }
}

/// An object with these members and no others; those of an option type may be left out.
pub(super) fn object(members: &[(String, Shape)], way: Way) -> Value {
    let properties: Map<String, Value> =
        members.iter().map(|(name, shape)| (name.clone(), schema(shape, way))).collect();
    // An answer always has them all.
    let needed = |shape: &Shape| way == Way::Out || !matches!(shape, Shape::Option(_));
    let required: Vec<&String> = members.iter().filter(|(_, shape)| needed(shape)).map(|(name, _)| name).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn number(way: Way) -> Value {
    match way {
        Way::In => json!({"type": "number"}),
        Way::Out => json!({"anyOf": [{"type": "number"}, {"type": "string", "enum": NO_NUMBERS}]}),
    }
}

/// A value that is there. One that can itself be `null` is wrapped, or the two nulls were one.
fn some(inner: &Shape, way: Way) -> Value {
    let value = schema(inner, way);
    if !matches!(inner, Shape::Option(_)) {
        return value;
    }
    json!({"type": "object", "properties": {"some": value}, "required": ["some"], "additionalProperties": false})
}

fn tagged<'a>(cases: impl Iterator<Item = (&'a str, Option<&'a Shape>)>, way: Way) -> Value {
    let case = |(name, payload): (&str, Option<&Shape>)| {
        let tag = json!({"type": "string", "const": name});
        let (properties, required) = match payload {
            Some(shape) => (json!({"tag": tag, "val": schema(shape, way)}), json!(["tag", "val"])),
            None => (json!({"tag": tag}), json!(["tag"])),
        };
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    };
    json!({"anyOf": cases.map(case).collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::super::shape::Whole;
    use super::*;

    #[test]
    fn integers_have_their_types_bounds_with_every_digit() {
        let bounds = |kind| {
            let schema = schema(&Shape::Whole(kind), Way::In);
            (schema["minimum"].to_string(), schema["maximum"].to_string())
        };
        let text = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(bounds(Whole::S8), text("-128", "127"));
        assert_eq!(bounds(Whole::U8), text("0", "255"));
        assert_eq!(bounds(Whole::S16), text("-32768", "32767"));
        assert_eq!(bounds(Whole::U16), text("0", "65535"));
        assert_eq!(bounds(Whole::S32), text("-2147483648", "2147483647"));
        assert_eq!(bounds(Whole::U32), text("0", "4294967295"));
        assert_eq!(bounds(Whole::S64), text("-9223372036854775808", "9223372036854775807"));
        assert_eq!(bounds(Whole::U64), text("0", "18446744073709551615"));
    }

    #[test]
    fn an_option_may_be_left_out_of_arguments_and_is_null_in_answers() {
        let record =
            Shape::Record(vec![("a".to_owned(), Shape::Bool), ("b".to_owned(), Shape::Option(Box::new(Shape::Text)))]);
        let nullable = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
        let properties = json!({"a": {"type": "boolean"}, "b": nullable});
        let object = |required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
        assert_eq!(schema(&record, Way::In), object(json!(["a"])));
        assert_eq!(schema(&record, Way::Out), object(json!(["a", "b"])));
    }

    #[test]
    fn each_other_type_has_one_form() {
        let names = vec!["x".to_owned(), "y-z".to_owned()];
        let array = json!({"type": "array", "items": {"type": "boolean"}});
        for (shape, expected) in [
            (Shape::Char, json!({"type": "string", "minLength": 1, "maxLength": 1})),
            (Shape::Double, json!({"type": "number"})),
            (Shape::List(Box::new(Shape::Bool)), array),
            (
                Shape::Fixed(Box::new(Shape::Bool), 2),
                json!({"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 2}),
            ),
            (
                Shape::Tuple(vec![Shape::Bool, Shape::Text]),
                json!({"type": "array", "prefixItems": [{"type": "boolean"}, {"type": "string"}], "items": false,
                    "minItems": 2, "maxItems": 2}),
            ),
            (Shape::Enum(names.clone()), json!({"type": "string", "enum": ["x", "y-z"]})),
            (
                Shape::Flags(names),
                json!({"type": "array", "items": {"type": "string", "enum": ["x", "y-z"]}, "uniqueItems": true}),
            ),
        ] {
            assert_eq!(schema(&shape, Way::In), expected);
        }
        let numbers = schema(&Shape::Single, Way::Out);
        assert_eq!(numbers["anyOf"][1]["enum"], json!(["NaN", "Infinity", "-Infinity"]));
    }

    #[test]
    fn a_variant_and_a_result_are_tagged_and_only_a_case_with_a_value_has_one() {
        let variant = Shape::Variant(vec![("none".to_owned(), None), ("some-one".to_owned(), Some(Shape::Text))]);
        let case = |tag: &str, value: Option<Value>| match value {
            Some(value) => {
                json!({"type": "object", "properties": {"tag": {"type": "string", "const": tag}, "val": value},
                "required": ["tag", "val"], "additionalProperties": false})
            }
            None => json!({"type": "object", "properties": {"tag": {"type": "string", "const": tag}},
                "required": ["tag"], "additionalProperties": false}),
        };
        let text = json!({"type": "string"});
        let expected = json!({"anyOf": [case("none", None), case("some-one", Some(text.clone()))]});
        assert_eq!(schema(&variant, Way::In), expected);
        let result = Shape::Result(None, Some(Box::new(Shape::Text)));
        assert_eq!(schema(&result, Way::Out), json!({"anyOf": [case("ok", None), case("err", Some(text))]}));
    }

    #[test]
    fn an_option_of_an_option_tells_its_two_nothings_apart() {
        let deep = Shape::Option(Box::new(Shape::Option(Box::new(Shape::Bool))));
        let inner = json!({"anyOf": [{"type": "boolean"}, {"type": "null"}]});
        let some = json!({"type": "object", "properties": {"some": inner}, "required": ["some"],
            "additionalProperties": false});
        assert_eq!(schema(&deep, Way::In), json!({"anyOf": [some, {"type": "null"}]}));
    }
}
