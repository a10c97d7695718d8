//! Whole numbers that were written as fractions.
//!
//! To JSON Schema `7.0` is the integer 7, so an integer parameter takes it, and clients whose numbers are all floats
//! send it. The typed readers of applications do not. Arguments that fit their schema come in; the same go out, with
//! `7.0` as `7` wherever the schema has an integer and no other number. The value is the same in every case: where the
//! schema leaves open what is meant, or the number is no integer of 64 bits, it stays as it came.

use crate::model::JsonObject;
use serde_json::{Map, Number, Value};

/// Arguments with every integer written as one.
pub(super) fn integers(schema: &Value, arguments: Value) -> Value {
    if has_fraction(&arguments) { rewritten(schema, arguments) } else { arguments }
}

fn has_fraction(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(items) => items.iter().any(has_fraction),
        Value::Object(members) => members.values().any(has_fraction),
        _ => false,
    }
}

fn rewritten(schema: &Value, value: Value) -> Value {
    let mut forms = Vec::new();
    collect_forms(schema, &mut forms);
    match value {
        Value::Number(number) => Value::Number(if is_integer_only(&forms) { whole(number) } else { number }),
        Value::Array(items) => {
            let mut arrays = forms.into_iter().filter(|form| kind(form) == "array");
            match (arrays.next(), arrays.next()) {
                (Some(form), None) => Value::Array(rewritten_items(form, items)),
                _ => Value::Array(items),
            }
        }
        Value::Object(members) => match forms.into_iter().find(|form| is_meant(form, &members)) {
            Some(form) => Value::Object(rewritten_members(form, members)),
            None => Value::Object(members),
        },
        other => other,
    }
}

/// The schema itself, or all that its union offers.
fn collect_forms<'a>(schema: &'a Value, into: &mut Vec<&'a JsonObject>) {
    match schema.get("anyOf").and_then(Value::as_array) {
        Some(branches) => branches.iter().for_each(|branch| collect_forms(branch, into)),
        None => into.extend(schema.as_object()),
    }
}

fn kind(form: &JsonObject) -> &str {
    form.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn is_integer_only(forms: &[&JsonObject]) -> bool {
    forms.iter().any(|form| kind(form) == "integer") && !forms.iter().any(|form| kind(form) == "number")
}

/// Whether an object is of this form: it has a place for each member, and its tags are these.
fn is_meant(form: &JsonObject, members: &Map<String, Value>) -> bool {
    let fits = |(name, value): (&String, &Value)| match member(form, name) {
        Some(schema) => schema.get("enum").and_then(Value::as_array).is_none_or(|tags| tags.contains(value)),
        None => form.get("additionalProperties") != Some(&Value::Bool(false)),
    };
    kind(form) == "object" && members.iter().all(fits)
}

/// The schema of a member: its own, or that of all members without one.
fn member<'a>(form: &'a JsonObject, name: &str) -> Option<&'a Value> {
    let own = form.get("properties").and_then(Value::as_object).and_then(|properties| properties.get(name));
    // Of several key patterns a key may match any; with one there is no question.
    let patterns = form.get("patternProperties").and_then(Value::as_object).filter(|patterns| patterns.len() == 1);
    own.or_else(|| patterns?.values().next())
        .or_else(|| form.get("additionalProperties").filter(|rest| rest.is_object()))
}

fn rewritten_members(form: &JsonObject, members: Map<String, Value>) -> Map<String, Value> {
    let rewrite = |(name, value): (String, Value)| {
        let value = match member(form, &name) {
            Some(schema) => rewritten(schema, value),
            None => value,
        };
        (name, value)
    };
    members.into_iter().map(rewrite).collect()
}

fn rewritten_items(form: &JsonObject, items: Vec<Value>) -> Vec<Value> {
    let places = form.get("prefixItems").and_then(Value::as_array);
    let place = |index: usize| places.and_then(|places| places.get(index)).or_else(|| form.get("items"));
    let rewrite = |(index, item)| match place(index) {
        Some(schema) => rewritten(schema, item),
        None => item,
    };
    items.into_iter().enumerate().map(rewrite).collect()
}

/// The same number as an integer, if it is one of 64 bits.
fn whole(number: Number) -> Number {
    // A float without a fraction prints all its digits and nothing else, so no cast can change it.
    let digits = number.as_f64().filter(|float| float.fract() == 0.0).map(|float| format!("{float:.0}"));
    let Some(digits) = digits.filter(|_| number.is_f64()) else { return number };
    match (digits.parse::<u64>(), digits.parse::<i64>()) {
        (Ok(whole), _) => whole.into(),
        (_, Ok(whole)) => whole.into(),
        _ => number,
    }
}
