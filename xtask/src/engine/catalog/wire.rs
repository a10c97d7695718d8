//! How a function's arguments and result travel as JSON, or why they cannot.
//!
//! Comes in: a prototype, its documentation, the codecs. Goes out: one description for each argument a caller gives, one
//! for the result, and the reasons against offering the function. The form is that of MobilityDB's own catalogs; it
//! says more than they do where they lose a function: moments and dates are text with a codec, 64-bit integers are
//! integers, arrays of values and of structures are arrays.

use super::codecs;
use super::comment::Comment;
use super::ctype::CType;
use super::declarator::Declared;
use super::forms::{Types, set_layout};
use super::header::Prototype;
use super::kinds::Kinds;
use super::roles::{self, Roles};
use serde_json::{Map, Value, json};

/// One function's way over the wire.
#[derive(Debug, Default)]
pub(super) struct Wire {
    pub(super) params: Vec<Value>,
    /// Positions in the C parameter list of `params`.
    pub(super) given: Vec<usize>,
    pub(super) result: Value,
    /// Against offering it, in the order found.
    pub(super) reasons: Vec<String>,
    /// Names of the parameters the function writes to.
    pub(super) written: Vec<String>,
    /// How many elements an array result has, and of what it is.
    pub(super) array: Option<Value>,
}

/// Where the number of elements of an array result is found: the key of the catalog, and the name under it.
type Length = (&'static str, Value);

/// Describes a function.
pub(super) fn of(prototype: &Prototype, comment: &Comment, accepts: &[Kinds], types: &Types<'_>) -> Wire {
    let roles = roles::of(prototype, types);
    let mut wire = Wire::default();
    for (at, parameter) in prototype.parameters.list.iter().enumerate() {
        let is_ours = Some(at) == roles.result || Some(at) == roles.count || roles::is_ignored(prototype, parameter);
        if is_ours || comment.of(&parameter.name).is_some_and(|it| it.written) {
            wire.written.push(parameter.name.clone());
        }
        let counts_an_argument = roles.array.is_some_and(|array| array + 1 == at);
        if !is_ours && !counts_an_argument {
            let kinds = accepts.get(at).map(Vec::as_slice).unwrap_or_default();
            let count = prototype.parameters.list.get(at + 1).filter(|_| roles.array == Some(at));
            let described = match count {
                Some(count) => array(parameter, &count.name, kinds, types),
                None => argument(parameter, kinds, types),
            };
            wire.params.push(with_name(&parameter.name, wire_or_reason(described, &mut wire.reasons)));
            wire.given.push(at);
        }
    }
    wire.result = result(prototype, roles, types, &mut wire);
    if prototype.parameters.variadic {
        wire.reasons.push("variadic".to_owned());
    }
    wire
}

/// Keeps a reason and leaves a mark in its place.
fn wire_or_reason(described: Result<Value, String>, reasons: &mut Vec<String>) -> Value {
    described.unwrap_or_else(|reason| {
        reasons.push(reason);
        json!({"kind": "unsupported"})
    })
}

fn with_name(name: &str, value: Value) -> Value {
    let mut named = Map::new();
    named.insert("name".to_owned(), json!(name));
    if let Value::Object(fields) = value {
        named.extend(fields);
    }
    Value::Object(named)
}

/// A single value; the error is the reason why it cannot travel.
fn argument(parameter: &Declared, kinds: &[&str], types: &Types<'_>) -> Result<Value, String> {
    let written = &parameter.ctype;
    if let Some(value) = types.json_scalar(written).or_else(|| types.serialized(written, kinds)) {
        return Ok(value);
    }
    let pointee_is_scalar = written.stars == 1 && types.json_scalar(&written.pointee()).is_some();
    if pointee_is_scalar || written.stars >= 2 {
        return Err(format!("array-or-out-param:{}", parameter.name));
    }
    Err(format!("no-decoder:{}", written.name()))
}

/// A list of values, whose count follows by itself.
fn array(parameter: &Declared, count: &str, kinds: &[&str], types: &Types<'_>) -> Result<Value, String> {
    let element = element(&parameter.ctype, types);
    let described = types.json_scalar(&element).or_else(|| types.serialized(&element, kinds));
    let described = described.ok_or_else(|| format!("no-decoder:{}", element.name()))?;
    let mut value = json!({"kind": "array", "count_param": count, "element": described});
    set_layout(&mut value, &parameter.ctype);
    Ok(value)
}

/// What an array is of. Structures in a row are spoken of by their address, as single ones are.
fn element(array: &CType, types: &Types<'_>) -> CType {
    let by_value = array.stars == 1 && types.is_value(&array.pointee());
    if array.stars == 2 || by_value { array.pointee() } else { array.clone() }
}

fn result(prototype: &Prototype, roles: Roles, types: &Types<'_>, wire: &mut Wire) -> Value {
    let returns = &prototype.returns;
    if let Some(parameter) = roles.result.and_then(|at| prototype.parameters.list.get(at)) {
        return written_result(parameter, !returns.is_void(), types);
    }
    if returns.is_void() {
        // Nothing comes back, and what is changed in place is freed after the call.
        wire.reasons.extend((!prototype.parameters.list.is_empty()).then(|| "no-result".to_owned()));
        return json!({"kind": "void"});
    }
    let form = match array_length(prototype, roles, types) {
        Some(length) => {
            wire.array = Some(array_shape(returns, &length, types));
            array_result(returns, length, types)
        }
        None => types.result_form(returns),
    };
    let opaque = returns.stars == 1 && !codecs::is_scalar(&types.canonical(returns).pointee());
    let form = form.ok_or_else(|| match opaque {
        true => format!("no-encoder:{}", returns.name()),
        false => format!("unsupported-return:{}", returns.spelled()),
    });
    wire_or_reason(form, &mut wire.reasons)
}

/// A result the function writes to an address; `presence` says that what it returns tells whether it did.
fn written_result(parameter: &Declared, presence: bool, types: &Types<'_>) -> Value {
    let form = types.result_form(&parameter.ctype.pointee()).unwrap_or_default();
    let Value::Object(mut fields) = form else { return json!({"kind": "unsupported"}) };
    fields.insert("from_outparam".to_owned(), json!(parameter.name));
    fields.insert("out_ctype".to_owned(), json!(parameter.ctype.spelled()));
    if presence {
        fields.insert("presence_return".to_owned(), json!(true));
    }
    Value::Object(fields)
}

/// `None` when the result is no array.
fn array_length(prototype: &Prototype, roles: Roles, types: &Types<'_>) -> Option<Length> {
    let returns = &prototype.returns;
    let list = &prototype.parameters.list;
    let name = |at: usize| list.get(at).map(|parameter| json!(parameter.name));
    if let Some(at) = roles.count {
        return Some(("count_outparam", name(at)?));
    }
    let many = returns.stars == 2 || returns.stars == 1 && types.is_value(&returns.pointee());
    match (roles.array, list.as_slice()) {
        // As many as went in: `posearr_round`.
        (Some(array), _) if returns.stars == 2 => Some(("count_param", name(array + 1)?)),
        (_, [only]) if many && only.ctype.name() == "Set" => Some(("count_function", json!("set_num_values"))),
        (_, [only]) if many && only.ctype.name() == "SpanSet" => Some(("count_function", json!("spanset_num_spans"))),
        _ => None,
    }
}

fn array_result(returns: &CType, (key, from): Length, types: &Types<'_>) -> Option<Value> {
    let described = types.result_form(&element(returns, types))?;
    let mut value = json!({"kind": "array", "element": described, key: from});
    set_layout(&mut value, returns);
    Some(value)
}

/// The same for whoever calls C: what the pointer points to, and how many there are.
fn array_shape(returns: &CType, (key, from): &Length, types: &Types<'_>) -> Value {
    let kind = if *key == "count_function" { "function" } else { "param" };
    let of = returns.pointee();
    json!({
        "lengthFrom": {"kind": kind, "name": from},
        "element": {"c": of.spelled(), "canonical": types.canonical(&of).spelled()},
    })
}
