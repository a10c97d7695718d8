//! A whole catalog becomes a mapping: which functions are offered, and one line for each that is not.

use crate::catalog::Catalog;
use crate::codecs::Codecs;
use crate::ctype::Enums;
use crate::function::{Function, Network};
use crate::method;
use crate::words::Sql;
use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{Mapping, Note, Skipped};
use std::collections::BTreeSet;

/// Maps every function that can be called without state.
pub(crate) fn map(catalog: &Catalog) -> Mapping {
    let enums = enums(&catalog.enums);
    let read: Vec<Result<Function, Skipped>> =
        catalog.functions.iter().enumerate().map(|(index, entry)| read(index, entry)).collect();
    let functions = || read.iter().filter_map(|it| it.as_ref().ok());
    let codecs = Codecs::new(functions(), &enums);
    let sql = Sql::new(functions(), catalog.release.is_none());

    let mut mapping = Mapping::default();
    let mut names = BTreeSet::new();
    for it in &read {
        let function = match it {
            Ok(function) => function,
            Err(skipped) => {
                mapping.skipped.push(skipped.clone());
                continue;
            }
        };
        let mapped = match names.insert(&function.name) {
            true => offered(function).and_then(|()| method::map(function, &sql, &codecs, &enums)),
            false => Err("the catalog lists this name twice; the first one is taken".to_owned()),
        };
        match mapped {
            Ok(method) => mapping.methods.push(method),
            Err(reason) => mapping.skipped.push(Skipped { method: function.name.clone(), reason }),
        }
    }
    let note = |name: &String| Note {
        method: None,
        path: format!("overrides.functions.{name}"),
        text: "the catalog has no function of this name; the override does nothing".to_owned(),
    };
    mapping.notes.extend(catalog.unknown_overrides.iter().map(note));
    mapping
}

fn read(index: usize, entry: &Value) -> Result<Function, Skipped> {
    Function::read(entry).map_err(|reason| {
        let name = entry.get("name").and_then(Value::as_str);
        Skipped { method: name.map_or_else(|| format!("#{index}"), str::to_owned), reason }
    })
}

/// The members of each enumeration, in order.
fn enums(entries: &[Value]) -> Enums {
    let text = |of: &Value| of.get("name").and_then(Value::as_str).map(str::to_owned);
    let member = |of: &Value| Some((text(of)?, of.get("value")?.as_i64()?));
    let members =
        |of: &Value| of.get("values").and_then(Value::as_array).map(|all| all.iter().filter_map(member).collect());
    entries.iter().filter_map(|entry| Some((text(entry)?, members(entry)?))).collect()
}

/// Whether the catalog offers a function, or only failed to find a way to call it. The ways it failed are its own:
/// here C types it does not know may be known.
fn offered(function: &Function) -> Result<(), String> {
    if function.defined == Some(false) {
        return Err("announced by the library's headers and defined nowhere".to_owned());
    }
    let Some(network) = &function.network else {
        return Err("the catalog says nothing of whether it may be offered (`network`)".to_owned());
    };
    if network.is_exposable() {
        return Ok(());
    }
    match causes(network).find(|cause| !is_failure(cause)) {
        Some("internal") => Err("internal to the library".to_owned()),
        Some("lifecycle") => Err("starts, stops or sets up the library".to_owned()),
        Some("not-implemented") => Err("not implemented in this release".to_owned()),
        Some("index") => Err("builds or searches an index that lives in memory".to_owned()),
        Some(cause) => Err(format!("hidden: {cause}")),
        None if causes(network).next().is_none() => Err("hidden: `network.exposable` is not true".to_owned()),
        None => Ok(()),
    }
}

fn causes(network: &Network) -> impl Iterator<Item = &str> {
    let reason = network.reason.as_deref().unwrap_or_default();
    reason.split("; ").map(str::trim).filter(|cause| !cause.is_empty())
}

/// Whether the catalog's generator met a C type it could not handle.
fn is_failure(cause: &str) -> bool {
    ["no-decoder:", "no-encoder:", "no-result", "unsupported-return:", "array-or-out-param:"]
        .iter()
        .any(|it| cause.starts_with(it))
}
