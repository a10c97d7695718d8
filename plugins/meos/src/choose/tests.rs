//! One test a rule, on functions written down here.

use super::*;
use crate::ctype::Enums;
use abi_mcp_sdk::serde_json::{Value as Json, json};

/// A function from its C parameters, `type name`.
fn entry(name: &str, params: &[&str]) -> Json {
    let param = |text: &&str| {
        let (c, name) = text.rsplit_once(' ').expect("a type and a name");
        json!({ "name": name, "cType": c })
    };
    let params: Vec<Json> = params.iter().map(param).collect();
    json!({ "name": name, "returnType": { "c": "bool" }, "params": params })
}

/// The rows as text: `tint intset`.
fn rows(entry: &Json) -> Vec<String> {
    let function = Function::read(entry).expect("a function");
    let shape = Shape::of(&function, &Enums::new()).expect("a shape");
    let text = |row: &Row| row.iter().map(|it| it.name).collect::<Vec<_>>().join(" ");
    choose(&function, &shape).rows.iter().map(text).collect()
}

fn with_sql(mut entry: Json, overloads: &[&[&str]]) -> Json {
    let overloads: Vec<Json> = overloads.iter().map(|args| json!({ "args": args, "ret": "boolean" })).collect();
    entry["sqlSignatures"] = Json::from(overloads);
    entry
}

const TEMP: &str = "const Temporal * temp";

#[test]
fn a_word_of_the_name_is_the_type_of_the_operand_of_its_c_struct() {
    assert_eq!(rows(&entry("floatset_value_n", &["const Set * s", "int n"])), ["floatset"]);
    assert_eq!(rows(&entry("tpoint_length", &[TEMP])), ["tgeompoint", "tgeogpoint"]);
    assert_eq!(rows(&entry("temporal_delete_tstzspan", &["const Span * s", "bool connect"])), ["tstzspan"]);
}

#[test]
fn words_and_operands_need_not_come_in_the_same_order() {
    let swapped = entry("union_bigint_span", &["const Span * s", "int64_t i"]);
    assert_eq!(rows(&swapped), ["bigintspan"]);
}

#[test]
fn the_number_beside_a_span_says_what_span_it_is() {
    assert_eq!(rows(&entry("adjacent_span_int", &["const Span * s", "int i"])), ["intspan"]);
    assert_eq!(rows(&entry("contains_set_text", &["const Set * s", "const text * t"])), ["textset text"]);
    assert_eq!(rows(&entry("bigint_extent_transfn", &["Span * state", "int64_t i"])), ["bigintspan"]);
    // Where nothing is left, the word for the family stands.
    let box_of = entry("numspan_timestamptz_to_tbox", &["const Span * span", "TimestampTz t"]);
    assert_eq!(rows(&box_of), ["intspan timestamptz", "floatspan timestamptz"]);
}

#[test]
fn operands_of_one_struct_are_of_one_type() {
    let pairs = rows(&entry("add_tnumber_tnumber", &["const Temporal * a", "const Temporal * b"]));
    assert_eq!(pairs, ["tint tint", "tfloat tfloat"]);
    let second = rows(&entry("tnumber_merge", &["const Temporal * temp1", "const Temporal * temp2"]));
    assert_eq!(second, ["tint tint", "tfloat tfloat"]);
}

#[test]
fn spans_and_sets_beside_each_other_are_made_of_the_same() {
    let rows = rows(&entry("adjacent_span_spanset", &["const Span * s", "const SpanSet * ss"]));
    assert_eq!(rows.len(), 5);
    assert!(rows.contains(&"intspan intspanset".to_owned()) && !rows.contains(&"intspan floatspanset".to_owned()));
}

#[test]
fn round_and_flat_earth_do_not_mix() {
    let rows = rows(&entry("nad_tgeo_geo", &[TEMP, "const GSERIALIZED * gs"]));
    assert_eq!(rows, ["tgeompoint geometry", "tgeometry geometry", "tgeogpoint geography", "tgeography geography"]);
}

#[test]
fn sql_overloads_narrow_what_the_name_leaves_open() {
    let plain = entry("temporal_derivative_of", &[TEMP]);
    let narrowed = with_sql(plain, &[&["tgeompoint"], &["tfloat"]]);
    assert_eq!(rows(&narrowed), ["tfloat", "tgeompoint"]);
}

#[test]
fn sql_arguments_may_come_in_another_order_and_with_others_between() {
    let plain = entry("temporal_at_values", &[TEMP, "const Set * set"]);
    let narrowed = with_sql(plain, &[&["intset", "boolean", "tint"], &["geomset", "tgeompoint"]]);
    assert_eq!(rows(&narrowed), ["tint intset", "tgeompoint geomset"]);
}

#[test]
fn sql_overloads_that_contradict_the_name_are_somebody_elses() {
    let plain = entry("tnumber_angular_difference", &[TEMP]);
    assert_eq!(rows(&with_sql(plain, &[&["tgeompoint"], &["tgeogpoint"]])), ["tint", "tfloat"]);
}

#[test]
fn the_library_s_own_checks_beat_what_is_guessed() {
    let mut checked = entry("temporal_number_thing", &[TEMP]);
    checked["wire"] = json!({ "params": [{ "name": "temp", "kinds": ["tfloat", "tint"] }] });
    assert_eq!(rows(&checked), ["tint", "tfloat"]);
    let mut contradicted = entry("tpoint_thing", &[TEMP]);
    contradicted["wire"] = json!({ "params": [{ "name": "temp", "kinds": ["tfloat"] }] });
    assert_eq!(rows(&contradicted), ["tfloat"]);
    let mut array = entry("things_merge_array", &["Temporal ** temparr", "int count"]);
    array["wire"] = json!({ "params": [{ "name": "temparr", "element": { "kinds": ["ttext"] } }] });
    assert_eq!(rows(&array), ["ttext"]);
}

#[test]
fn the_name_of_a_parameter_counts_where_the_function_s_says_nothing() {
    let heights = entry("tpoint_at_geom", &[TEMP, "const GSERIALIZED * gs", "const Span * zspan"]);
    assert_eq!(rows(&heights), ["tgeompoint geometry floatspan"]);
}

#[test]
fn a_box_beside_numbers_shows_such_numbers_and_is_a_box_all_the_same() {
    assert_eq!(rows(&entry("nad_tint_tbox", &[TEMP, "const TBox * box"])), ["tint tboxint"]);
    assert_eq!(rows(&entry("tboxfloat_xmax", &["const TBox * box"])), ["tboxfloat"]);
    assert_eq!(named("tboxint").map(Type::label), Some("tbox"));
}

#[test]
fn what_nothing_narrows_may_be_any_type_of_its_struct() {
    let rows = rows(&entry("temporal_copy", &[TEMP]));
    assert_eq!(rows.len(), all(Kind::Temporal).len());
    assert_eq!(rows.first().map(String::as_str), Some("tint"));
}
