//! What comes out of a call: where it is, how it is written, what the schema and the signature say of it.

use crate::codecs::Codecs;
use crate::ctype::{Enums, Value};
use crate::function::Function;
use crate::names::{Words, types};
use crate::operand::{Operand, label, listed, scalar_name, scalar_schema, struct_name};
use crate::shape::{Returned, Shape};
use crate::types::{Base, Kind, Type, all, named};
use abi_mcp_meos_call::{Codec, Outcome, Output};
use abi_mcp_sdk::json;
use abi_mcp_sdk::serde_json::{Value as Json, json};

/// A result, from three sides.
pub(crate) struct Outgoing {
    pub(crate) outcome: Outcome,
    pub(crate) schema: Json,
    pub(crate) label: String,
}

/// Works out the result of a call. `sql` are the types SQL gives its results, as far as they are its own.
pub(crate) fn outgoing(
    function: &Function,
    shape: &Shape,
    sql: &[&str],
    operands: &[Operand],
    codecs: &Codecs,
    enums: &Enums,
) -> Result<Outgoing, String> {
    let kind = match &shape.result {
        Returned::One(Value::Coded(kind)) | Returned::List(Value::Coded(kind), _) | Returned::Structs(kind, _) => {
            Some(*kind)
        }
        Returned::One(_) | Returned::List(..) => None,
    };
    let types = kind.map(|kind| result_types(function, kind, sql, operands)).unwrap_or_default();
    let written = |value: &Value| written(value, &types, codecs, enums);
    let (value, schema, label) = match &shape.result {
        Returned::One(value) => {
            let (output, schema) = written(value)?;
            // MEOS answers with a null pointer where nothing is left, and by its return value where nothing is there.
            let pointer = matches!(value, Value::Coded(kind) if !is_scalar(*kind));
            let schema = if pointer || shape.presence { json::or_null(schema) } else { schema };
            (output, schema, value_label(value, &types))
        }
        Returned::List(value, count) => {
            let (element, schema) = written(value)?;
            let output = Output::Array { element: Box::new(element), count: count.clone() };
            (output, json!({ "type": "array", "items": schema }), listed(value_label(value, &types)))
        }
        Returned::Structs(kind, count) => {
            let codec = codecs.writer(*kind).ok_or_else(|| no_writer(*kind))?;
            let label = label(&types, *kind);
            let schema = json!({ "type": "array", "items": { "type": "string", "title": label } });
            (Output::Structs { of: struct_name(*kind).to_owned(), codec, count: count.clone() }, schema, listed(label))
        }
    };
    let label = if shape.presence { format!("{label} | null") } else { label };
    Ok(Outgoing { outcome: Outcome { from: shape.from, value, presence: shape.presence }, schema, label })
}

fn is_scalar(kind: Kind) -> bool {
    matches!(kind, Kind::TimestampTz | Kind::Timestamp | Kind::Date | Kind::Time)
}

fn no_writer(kind: Kind) -> String {
    format!("the catalog has no function that writes a {}", kind.name())
}

fn value_label(value: &Value, types: &[&'static Type]) -> String {
    match value {
        Value::Scalar(scalar) => scalar_name(*scalar).to_owned(),
        Value::Enum(name) => name.clone(),
        Value::Coded(kind) => label(types, *kind),
    }
}

fn written(value: &Value, types: &[&'static Type], codecs: &Codecs, enums: &Enums) -> Result<(Output, Json), String> {
    Ok(match value {
        Value::Scalar(scalar) => (Output::Scalar(*scalar), scalar_schema(*scalar)),
        Value::Enum(name) => {
            let members = enums.get(name).cloned().unwrap_or_default();
            let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
            let schema = json!({ "type": "string", "title": name, "enum": names });
            (Output::Enum(members), schema)
        }
        Value::Coded(kind) => {
            let schema = json!({ "type": "string", "title": label(types, *kind) });
            (encoded(*kind, types, codecs).ok_or_else(|| no_writer(*kind))?, schema)
        }
    })
}

/// The writers for values of these types.
fn encoded(kind: Kind, types: &[&'static Type], codecs: &Codecs) -> Option<Output> {
    let general = codecs.writer(kind);
    if !types.is_empty() && types.iter().all(|it| it.base == Base::Rigid) {
        return codecs.rigid_writer().or(general).map(Output::Encoded);
    }
    let placeless = !types.is_empty() && types.iter().all(|it| !it.is_spatial());
    let spatial = if placeless { None } else { codecs.spatial_writer(kind) };
    // The general writers show places as hexadecimal; the spatial ones refuse what has no place.
    match (spatial, general) {
        (Some(spatial), Some(general)) => Some(Output::FirstEncoded(vec![spatial, general])),
        (one, other) => one.or(other).map(|codec: Codec| Output::Encoded(codec)),
    }
}

/// The types a result may have; empty when only its kind is known.
fn result_types(function: &Function, kind: Kind, sql: &[&str], operands: &[Operand]) -> Vec<&'static Type> {
    let words = Words::of(&function.name);
    let beside: Vec<&'static Type> = operands.iter().flat_map(|operand| operand.types.iter().copied()).collect();
    let stated: Vec<&'static Type> =
        words.result.map(types).unwrap_or_default().into_iter().filter(|it| it.kind == kind).collect();
    if !stated.is_empty() {
        return of_the_same_base(stated, &beside, &words);
    }
    let told = sql.iter().filter_map(|name| named(name.trim_end_matches("[]"))).filter(|it| it.kind == kind);
    let mut told: Vec<&'static Type> = told.collect();
    if !told.is_empty() {
        told.sort_by_key(|it| it.rank());
        return told;
    }
    let known = by_operation(&function.name, kind, &beside);
    if !known.is_empty() {
        return known;
    }
    let alike: Vec<&'static Type> = beside.iter().copied().filter(|it| it.kind == kind).collect();
    match kind {
        Kind::Geo => geo(&beside),
        // SQL knows the function and says that its result is something else than its operand.
        Kind::Temporal if !sql.is_empty() => Vec::new(),
        _ if !alike.is_empty() => alike,
        Kind::Set | Kind::Span | Kind::SpanSet => {
            let found = of_the_same_base(all(kind), &beside, &words);
            if found.len() == all(kind).len() { Vec::new() } else { found }
        }
        _ => Some(all(kind)).filter(|types| types.len() == 1).unwrap_or_default(),
    }
}

/// Operations whose result follows from what they are, whatever it is that they are applied to.
fn by_operation(name: &str, kind: Kind, beside: &[&'static Type]) -> Vec<&'static Type> {
    let list = |names: &[&str]| names.iter().filter_map(|name| named(name)).collect::<Vec<_>>();
    let first = name.split('_').next().unwrap_or_default();
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    let numbers = beside.iter().any(|it| it.kind == Kind::Temporal && matches!(it.base, Base::Int | Base::Float));
    match kind {
        Kind::Temporal if TRUTH.contains(&first) => list(&["tbool"]),
        Kind::Temporal if first == "tdistance" && numbers => Vec::new(),
        Kind::Temporal if ["tdistance", "bearing"].contains(&first) || ends(NUMBER) => list(&["tfloat"]),
        Kind::Temporal if ends(&["tgeo_centroid"]) => list(&["tgeompoint", "tgeogpoint"]),
        Kind::Set if ends(&["_points"]) => list(&["geomset"]),
        Kind::Set if ends(&["_routes"]) => list(&["bigintset"]),
        Kind::Set if ends(&["_radius"]) => list(&["floatset"]),
        Kind::Set if ends(&["_dates"]) => list(&["dateset"]),
        Kind::Set if ends(&["_timestamps"]) => list(&["tstzset"]),
        Kind::Span if name.starts_with("temporal_") => list(&["tstzspan"]),
        Kind::SpanSet if ends(&["_time", "_when_true"]) => list(&["tstzspanset"]),
        Kind::Span | Kind::SpanSet if numbers => {
            all(kind).into_iter().filter(|it| beside.iter().any(|other| other.base == it.base)).collect()
        }
        _ => Vec::new(),
    }
}

/// First words of functions that say at each moment whether something holds.
const TRUTH: &[&str] = &[
    "teq",
    "tne",
    "tlt",
    "tle",
    "tgt",
    "tge",
    "tand",
    "tor",
    "tnot",
    "tcontains",
    "tcovers",
    "tdisjoint",
    "tintersects",
    "ttouches",
    "tdwithin",
];

/// Last words of functions that measure.
const NUMBER: &[&str] = &[
    "_speed",
    "_azimuth",
    "_rotation",
    "_angular_difference",
    "_cumulative_length",
    "_derivative",
    "_get_x",
    "_get_y",
    "_get_z",
];

/// Leaves the types made of what the operands are made of. What a temporal value is made of says less: its spans may
/// be spans of time.
fn of_the_same_base(found: Vec<&'static Type>, beside: &[&'static Type], words: &Words) -> Vec<&'static Type> {
    let mut bases = words.bases();
    bases.extend(beside.iter().filter(|it| it.kind != Kind::Temporal).map(|it| it.base));
    let fitting: Vec<_> = found.iter().copied().filter(|it| bases.contains(&it.base)).collect();
    if found.len() == 1 || fitting.is_empty() { found } else { fitting }
}

fn geo(beside: &[&'static Type]) -> Vec<&'static Type> {
    let round = beside.iter().any(|it| it.base == Base::Geography);
    let flat = !round || beside.iter().any(|it| it.is_spatial() && it.base != Base::Geography);
    let names = [flat.then_some("geometry"), round.then_some("geography")];
    names.into_iter().flatten().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(types: &[&'static Type]) -> Vec<&'static str> {
        types.iter().map(|it| it.name).collect()
    }

    fn types_of(list: &[&str]) -> Vec<&'static Type> {
        list.iter().filter_map(|name| named(name)).collect()
    }

    #[test]
    fn what_an_operation_is_says_what_comes_out() {
        let of = |name: &str, kind: Kind, beside: &[&str]| names(&by_operation(name, kind, &types_of(beside)));
        assert_eq!(of("tdwithin_tgeo_tgeo", Kind::Temporal, &["tgeompoint"]), ["tbool"]);
        assert_eq!(of("tpoint_speed", Kind::Temporal, &["tgeompoint"]), ["tfloat"]);
        assert_eq!(of("tdistance_tgeo_geo", Kind::Temporal, &["tgeompoint"]), ["tfloat"]);
        // The distance of whole numbers is one.
        assert!(of("tdistance_tint_int", Kind::Temporal, &["tint"]).is_empty());
        assert_eq!(of("temporal_time", Kind::SpanSet, &["tint", "tfloat"]), ["tstzspanset"]);
        assert_eq!(of("tnumber_valuespans", Kind::SpanSet, &["tint", "tfloat"]), ["intspanset", "floatspanset"]);
        assert!(of("temporal_at_tstzspan", Kind::Temporal, &["tint"]).is_empty());
    }

    #[test]
    fn geometries_of_the_round_earth_are_geographies() {
        assert_eq!(names(&geo(&types_of(&["tgeompoint", "geometry"]))), ["geometry"]);
        assert_eq!(names(&geo(&types_of(&["tgeogpoint"]))), ["geography"]);
        assert_eq!(names(&geo(&types_of(&["tgeompoint", "tgeogpoint"]))), ["geometry", "geography"]);
        assert_eq!(names(&geo(&[])), ["geometry"]);
    }

    #[test]
    fn sets_and_spans_are_made_of_what_the_operands_are_made_of() {
        let found = |name: &str, beside: &[&str]| {
            names(&of_the_same_base(all(Kind::SpanSet), &types_of(beside), &Words::of(name)))
        };
        assert_eq!(found("minus_int_span", &["intspan"]), ["intspanset"]);
        assert_eq!(found("union_timestamptz_spanset", &[]), ["tstzspanset"]);
        assert_eq!(found("something", &["tint"]).len(), 5);
    }
}
