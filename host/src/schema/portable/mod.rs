//! The schema profile that real clients accept.
//!
//! A mapper's full JSON Schema (2020-12, local `$defs`, exact recursion) comes in; a schema that every client can
//! read goes out, together with the names it had to change and what it had to widen. One bad schema makes some
//! clients drop the whole list, so nothing leaves this module that breaks a rule of `mcp-protocol` §13:
//!
//! - the root is an object with `properties`, and of an input closed; no union, `$ref` or `$schema` at the root;
//! - no `$ref` and no `$defs` anywhere: types are written out, at most [`REF_DEPTH`] references deep on one path;
//! - no boolean and no empty schema where a schema is expected, no `type` list, `items` in every array;
//! - `const` is an `enum` of one, `oneOf` is `anyOf`, `format` is `date-time` or said in the description;
//! - keys of a map are restricted by `patternProperties`, never by `propertyNames`;
//! - top-level property names match `^[a-zA-Z0-9_.-]{1,64}$`;
//! - at most [`LIMIT`] bytes.
//!
//! What cannot be shown becomes *unknown* ([`unknown`]): accepted unvalidated and passed through. The advertised
//! schema is the validated one, so nothing here refuses a value that the full schema accepts, save members that an
//! input does not name. `exceptions` lists, for the tests, where the project's own rules win over a client's.
//!
//! Does not know apps, tools or whose manifest it was. Never fails: a hostile schema comes out bounded.

mod convert;
#[cfg(test)]
mod exceptions;
mod fit;
mod keys;
mod names;
mod objects;
mod root;
mod unknown;
mod validator;

#[cfg(test)]
mod tests;

pub(crate) use validator::{Uncompilable, compile};

use crate::model::{JsonObject, Note};
use convert::Direction;
use fit::Part;
use serde_json::{Value, json};
pub(crate) use unknown::unknown;

/// The largest schema, in bytes of compact JSON; above it the largest parameters become *unknown*.
///
/// A tool has two, of its arguments and of its result, and 32 KiB for both. A list of a hundred tools of this size is
/// already more than a context window; real ones have under 2 KiB.
pub(crate) const LIMIT: usize = 16 * 1024;

/// The most `$ref` expansions on one path; the next one is *unknown* (seeds/000, "recursion is capped at depth 8").
pub(crate) const REF_DEPTH: usize = 8;

/// A schema a client can read.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Portable {
    /// Root `type: object`.
    pub(crate) schema: JsonObject,
    /// The top-level properties that have another name than the application gave them.
    pub(crate) names: Vec<Renamed>,
    /// What was widened beyond the cap on recursion, which the schema itself says.
    pub(crate) notes: Vec<Note>,
}

/// A property whose own name clients refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Renamed {
    /// In the schema, and in what a client sends.
    pub(crate) wire: String,
    /// What the application calls it.
    pub(crate) original: String,
}

/// The portable form of a method's input schema.
///
/// `injected` are the host's own arguments, listed first under exactly these names; a declared parameter of the same
/// name wins and the injected one is left out. Injected ones are never required. The rest keeps its order.
pub(crate) fn input(full: &JsonObject, injected: &[(&str, Value)]) -> Portable {
    let document = Value::Object(full.clone());
    let root = root::flatten(&document);
    let injected: Vec<_> = injected.iter().filter(|(name, _)| !root.properties.contains_key(*name)).collect();
    let reserved: Vec<&str> = injected.iter().map(|(name, _)| *name).collect();
    let wires = names::assign(root.properties.keys().map(String::as_str), &reserved);

    let own = injected.iter().map(|(name, schema)| Part::new(name, schema));
    let declared = wires.iter().zip(root.properties.values()).map(|(wire, schema)| Part::new(wire, schema));
    let mut fitted = fit::fit(&document, Direction::Input, own.chain(declared).collect());
    fitted.notes.splice(0..0, root.notes);

    let names: Vec<Renamed> = wires
        .iter()
        .zip(root.properties.keys())
        .filter(|(wire, original)| wire != original)
        .map(|(wire, original)| Renamed { wire: wire.clone(), original: original.clone() })
        .collect();
    let wire_of = |original: &str| {
        names.iter().find(|name| name.original == original).map_or(original, |name| &name.wire).to_owned()
    };
    let required: Vec<String> = root.required.iter().map(|name| wire_of(name)).collect();
    let required: Vec<String> = required.into_iter().filter(|wire| fitted.properties.contains_key(wire)).collect();

    let mut schema = JsonObject::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), Value::Object(fitted.properties));
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("additionalProperties".into(), json!(false));
    Portable { schema, names, notes: fitted.notes }
}

/// The portable form of a result's schema: an object whose only member, `result`, is the value or null.
///
/// Older clients take objects only, so the wrapping is the same for every era. Null is always allowed because ABIs
/// often do not say when a result is optional. Objects are open, since a newer release of an app may add members
/// and a strict client would refuse the whole answer. An integer that may pass 2^53 is an integer or a decimal
/// string, which is how [`crate::schema::result`] writes those JavaScript cannot hold.
pub(crate) fn output(full: &Value) -> Portable {
    let mut fitted = fit::fit(full, Direction::Output, vec![Part::new("result", full)]);
    if let Some(result) = fitted.properties.get_mut("result") {
        let bare = std::mem::take(result);
        *result = convert::or_null(bare);
    }
    let schema = json!({"type": "object", "properties": fitted.properties, "required": ["result"]});
    let Value::Object(schema) = schema else { return Portable::default() };
    Portable { schema, names: Vec::new(), notes: fitted.notes }
}
