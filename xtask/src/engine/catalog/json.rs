//! Puts the catalog together.

use super::codecs;
use super::definition::Definition;
use super::forms::Types;
use super::library::{Declared, Library};
use super::manual::Manual;
use super::record;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What the catalog says of itself.
pub(super) struct Origin<'a> {
    /// MEOS' own release, as `1.3.0rc1`.
    pub(super) release: &'a str,
    /// The package the sources came from, as `meos-src 0.2.0`.
    pub(super) source: &'a str,
}

/// The licence of the sources, whose documentation the catalog repeats.
const LICENCE: &str = "PostgreSQL License, (c) Université libre de Bruxelles and MobilityDB contributors; \
    parts of the library derive from PostGIS (GPL-2.0-or-later)";

/// The whole document: functions in the order of the headers, everything else by name or in that order too.
pub(super) fn document(
    library: &Library,
    definitions: &BTreeMap<String, Definition>,
    manual: &Manual,
    origin: &Origin<'_>,
) -> Value {
    // A codec that the sources only announce would end every link.
    let defined = || library.functions.iter().map(|each| &each.item).filter(|it| definitions.contains_key(&it.name));
    let codecs = codecs::find(defined(), &library.typedefs);
    let types = Types {
        typedefs: &library.typedefs,
        enumerations: library.enumerations.iter().map(|each| each.item.name.as_str()).collect(),
        codecs: &codecs,
        readers: codecs::readers(defined(), &library.typedefs),
    };
    let functions: Vec<Value> = library
        .functions
        .iter()
        .map(|each| record::of(each, definitions.get(&each.item.name), &types, manual))
        .collect();
    let encodings: Map<String, Value> = codecs.iter().map(|(name, codecs)| (name.clone(), codecs.json())).collect();
    let typedefs: Map<String, Value> = library
        .typedefs
        .0
        .iter()
        .map(|(name, target)| {
            (name.clone(), json!({"c": target.spelled(), "canonical": library.typedefs.canonical(target).spelled()}))
        })
        .collect();
    json!({
        "meos": {"release": origin.release, "source": origin.source, "licence": LICENCE},
        "functions": functions,
        "structs": located(&library.structures, |name| json!({"name": name})),
        "enums": located(&library.enumerations, |it| {
            let values: Vec<Value> = it.members.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
            json!({"name": it.name, "values": values})
        }),
        "macros": located(&library.constants, |(name, value)| json!({"name": name, "value": value})),
        "typedefs": typedefs,
        "typeEncodings": encodings,
    })
}

/// Each item with the header it is from.
fn located<T>(items: &[Declared<T>], describe: impl Fn(&T) -> Value) -> Vec<Value> {
    let each = items.iter().map(|item| {
        let mut value = describe(&item.item);
        if let Value::Object(fields) = &mut value {
            fields.insert("file".to_owned(), json!(item.file));
            fields.insert("family".to_owned(), json!(item.family));
        }
        value
    });
    each.collect()
}
