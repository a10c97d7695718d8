//! Writes the catalog's JSON.

use super::ctype::{CType, Typedefs};
use super::header::Prototype;
use super::library::{Declared, Library};
use serde_json::{Value, json};

/// The whole document.
pub(super) fn document(library: &Library) -> Value {
    let functions: Vec<Value> = library.functions.iter().map(|each| function(each, &library.typedefs)).collect();
    let enums: Vec<Value> = library
        .enumerations
        .iter()
        .map(|each| {
            let values: Vec<Value> =
                each.item.members.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
            json!({"name": each.item.name, "file": each.file, "family": each.family, "values": values})
        })
        .collect();
    json!({"functions": functions, "enums": enums})
}

fn function(declared: &Declared<Prototype>, typedefs: &Typedefs) -> Value {
    let prototype = &declared.item;
    let params: Vec<Value> = prototype.parameters.list.iter().map(|parameter| {
        json!({"name": parameter.name, "cType": parameter.ctype.spelled(), "canonical": typedefs.canonical(&parameter.ctype).spelled()})
    }).collect();
    json!({"name": prototype.name, "file": declared.file, "family": declared.family, "returnType": both(&prototype.returns, typedefs), "params": params})
}

fn both(ctype: &CType, typedefs: &Typedefs) -> Value {
    json!({"c": ctype.spelled(), "canonical": typedefs.canonical(ctype).spelled()})
}
