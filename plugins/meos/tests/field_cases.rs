//! Faults met in the field, as far as the mapper is what goes wrong or right. The catalog is the golden one.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests and their helpers speak by panicking"
)]

use abi_mcp_meos_call::{Argument, Call, Constant, Input, Output, Place, Scalar};
use abi_mcp_sdk::serde_json::{Map, Value, from_slice, json};
use abi_mcp_sdk::{Mapper, Mapping, Method, Options, Projection};
use meos::Meos;

const CATALOG: &str = include_str!("golden/algebra/manifest.json");

fn map(catalog: &str) -> Mapping {
    Meos::map(catalog.as_bytes(), &Options::default()).unwrap()
}

fn method(name: &str) -> Method {
    map(CATALOG).methods.into_iter().find(|method| method.name == name).unwrap_or_else(|| panic!("no {name}"))
}

fn call(method: &Method) -> Call {
    from_slice(&method.call_spec.as_ref().unwrap().bytes).unwrap()
}

/// How the argument of that name is read.
fn input(call: &Call, of: &str) -> Input {
    let found = call.arguments.iter().find_map(|argument| match argument {
        Argument::Given { name, value, .. } if name == of => Some(value.clone()),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no argument {of}"))
}

/// The functions that read an argument's text, in the order of trying.
fn readers(call: &Call, of: &str) -> Vec<String> {
    let decoder = match input(call, of) {
        Input::Decoded(decoder) | Input::Structs { element: decoder, .. } => decoder,
        Input::Array(element) => match *element {
            Input::Decoded(decoder) => decoder,
            other => panic!("not decoded: {other:?}"),
        },
        other => panic!("not decoded: {other:?}"),
    };
    decoder.text.into_iter().map(|codec| codec.function).collect()
}

#[test]
fn b03_a_hash_is_listed_with_its_width_and_every_function_is_listed_or_has_a_reason() {
    let hash = method("temporal_hash");
    assert_eq!(hash.output_schema, Some(json!({ "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 })));
    assert_eq!(call(&hash).result.value, Output::Scalar(Scalar::Uint32));
    let catalog: Value = CATALOG.parse().unwrap();
    let mapping = map(CATALOG);
    assert_eq!(mapping.methods.len() + mapping.skipped.len(), catalog["functions"].as_array().unwrap().len());
    assert!(mapping.skipped.iter().all(|skipped| !skipped.reason.is_empty() && !skipped.reason.contains('\n')));
}

#[test]
fn b04_a_seed_has_all_its_64_bits() {
    let hash = method("set_hash_extended");
    let bounds = json!({ "type": "integer", "minimum": 0, "maximum": 18_446_744_073_709_551_615_u64 });
    assert_eq!(hash.input_schema["properties"]["seed"], bounds);
    assert_eq!(hash.output_schema, Some(bounds));
    assert_eq!(input(&call(&hash), "seed"), Input::Scalar(Scalar::Uint64));
}

#[test]
fn b05_a_value_behind_a_parameter_is_the_result_and_may_be_absent() {
    let value = method("floatset_value_n");
    assert_eq!(value.input_schema["required"], json!(["s", "n"]));
    assert_eq!(value.output_schema, Some(json!({ "anyOf": [{ "type": "number" }, { "type": "null" }] })));
    let call = call(&value);
    assert_eq!((call.result.from, call.result.presence), (Place::Output, true));
    assert_eq!(call.arguments.last(), Some(&Argument::Output));
    // The bigint reader, which ends the process on `{1.0, 2.5}`, is never asked.
    assert_eq!(readers(&call, "s"), ["floatset_in"]);
}

#[test]
fn b06_an_enumeration_lists_its_names_and_knows_their_numbers() {
    let set = method("temporal_set_interp");
    let names = json!(["INTERP_NONE", "DISCRETE", "STEP", "LINEAR"]);
    assert_eq!(set.input_schema["properties"]["interp"]["enum"], names);
    let Input::Enum(members) = input(&call(&set), "interp") else { panic!("not an enumeration") };
    assert!(members.contains(&("LINEAR".to_owned(), 3)));
}

#[test]
fn b08_only_what_may_be_null_may_be_left_out() {
    let shift = method("temporal_shift_scale_time");
    assert_eq!(shift.input_schema["required"], json!(["temp"]));
    let null = json!({ "type": "null" });
    assert!(shift.input_schema["properties"]["shift"]["anyOf"].as_array().unwrap().contains(&null));
    let optional = |name: &str| {
        call(&shift)
            .arguments
            .iter()
            .any(|it| matches!(it, Argument::Given { name: of, optional: true, .. } if of == name))
    };
    assert!(optional("shift") && optional("duration") && !optional("temp"));
    assert_eq!(method("floatset_value_n").input_schema["properties"]["n"]["type"], "integer");
}

#[test]
fn b10_an_int_is_an_integer_of_32_bits() {
    let bounds = json!({ "type": "integer", "minimum": -2_147_483_648_i64, "maximum": 2_147_483_647 });
    assert_eq!(method("temporal_round").input_schema["properties"]["maxdd"], bounds);
}

#[test]
fn b11_names_that_differ_in_case_are_two_methods() {
    let (upper, lower) = (method("tDistance"), method("tdistance"));
    assert_eq!((call(&upper).function.as_str(), call(&lower).function.as_str()), ("tDistance", "tdistance"));
    assert_ne!(upper.input_schema, lower.input_schema);
}

/// The same document with the keys of every object the other way round.
fn turned(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            Value::Object(object.iter().rev().map(|(key, value)| (key.clone(), turned(value))).collect())
        }
        Value::Array(list) => list.iter().map(turned).collect(),
        other => other.clone(),
    }
}

#[test]
fn b12_the_order_of_keys_changes_nothing() {
    let catalog: Value = CATALOG.parse().unwrap();
    let other = turned(&catalog).to_string();
    assert_ne!(other, catalog.to_string());
    assert_eq!(map(CATALOG), map(&other));
    for compat in [true, false] {
        let settings = Map::from_iter([("compat".to_owned(), Value::Bool(compat))]);
        let write = |catalog: &str| Meos::project(catalog.as_bytes(), "mcp-tools", &settings).unwrap();
        assert_eq!(write(CATALOG), write(&other));
    }
}

#[test]
fn b13_a_value_is_read_by_a_reader_of_its_own_type_and_the_forms_are_said() {
    let at = method("temporal_at_timestamptz");
    assert_eq!(readers(&call(&at), "temp"), ["tint_in", "tfloat_in"]);
    let said = at.input_schema["properties"]["temp"]["description"].as_str().unwrap();
    assert!(said.contains("[1@2000-01-01, 2@2000-01-02]") && said.contains("MF-JSON") && said.contains("HexWKB"));
}

#[test]
fn b14_what_cannot_be_bound_has_a_reason_and_the_rest_loads() {
    let mapping = map(CATALOG);
    let reason = |name: &str| {
        let skipped = mapping.skipped.iter().find(|skipped| skipped.method == name);
        skipped.map(|skipped| skipped.reason.clone()).unwrap_or_else(|| panic!("{name} is not skipped"))
    };
    assert!(reason("value_set").contains("Datum"));
    assert!(reason("temporal_type").contains("meosType"));
    assert!(reason("temporal_apply").contains("Datum (*)(Datum)"));
    assert!(reason("cbuffer_set_srid").contains("in place"));
    assert!(reason("broken_entry").contains("returnType"));
    assert!(mapping.methods.len() > 20);
}

#[test]
fn operands_that_must_agree_are_read_at_one_position() {
    let call = call(&method("nad_tgeo_geo"));
    assert_eq!(readers(&call, "temp"), ["tgeompoint_in", "tgeometry_in", "tgeogpoint_in"]);
    assert_eq!(readers(&call, "gs"), ["geom_in", "geom_in", "geog_in"]);
    for of in ["temp", "gs"] {
        let Input::Decoded(decoder) = input(&call, of) else { panic!("not decoded") };
        assert_eq!(decoder.group, Some(1));
    }
}

#[test]
fn a_codec_gets_the_constants_it_needs() {
    let call = call(&method("nad_tgeo_geo"));
    let Input::Decoded(decoder) = input(&call, "gs") else { panic!("not decoded") };
    assert_eq!(decoder.text[0].then, [Argument::Fixed(Constant::Integer(-1))]);
    assert_eq!(decoder.text[2].literal.as_deref(), Some("geography"));
}

#[test]
fn a_result_of_which_only_the_struct_is_known_is_written_by_whatever_writes_it() {
    let Output::FirstEncoded(writers) = call(&method("temporal_merge")).result.value else { panic!("one writer") };
    let writers: Vec<&str> = writers.iter().map(|codec| codec.function.as_str()).collect();
    assert_eq!(writers, ["tspatial_as_ewkt", "temporal_out"]);
    let Output::Encoded(writer) = call(&method("temporal_at_timestamptz")).result.value else { panic!("many writers") };
    assert_eq!(
        (writer.function.as_str(), &writer.then[..]),
        ("temporal_out", &[Argument::Fixed(Constant::Integer(15))][..])
    );
}

#[test]
fn a_size_nobody_needs_and_a_count_are_no_arguments() {
    let hex = method("temporal_as_hexwkb");
    assert_eq!(hex.input_schema["required"], json!(["temp", "variant"]));
    assert_eq!(call(&hex).arguments.last(), Some(&Argument::Ignored));
    let merge = call(&method("temporal_merge_array"));
    assert_eq!(merge.arguments.last(), Some(&Argument::Count("temparr".to_owned())));
    assert_eq!(readers(&merge, "temparr"), ["tint_in", "tfloat_in"]);
}

#[test]
fn the_better_manifest_carries_calls_schemas_of_lists_and_reasons() {
    let written = Meos::project(CATALOG.as_bytes(), "mcp-tools", &Map::new()).unwrap();
    let manifest: Value = from_slice(&written).unwrap();
    let tool = |name: &str| manifest["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
    let sequences = &tool("temporal_sequences")["outputSchema"]["properties"]["result"];
    assert_eq!((&sequences["type"], &sequences["items"]["type"]), (&json!("array"), &json!("string")));
    assert_eq!(tool("tpoint_length")["x-meos"]["call"]["function"], "tpoint_length");
    let head = &manifest["x-meos"];
    assert!(head["excluded"]["cbuffer_set_srid"].as_str().unwrap().contains("in place"));
    let of_category = head["coverage"]["byCategory"].as_object().unwrap();
    let sum = |key: &str| of_category.values().map(|it| it[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(head["coverage"]["functions"].as_u64(), Some(sum("functions")));
    assert_eq!(head["coverage"]["exposed"].as_u64(), Some(sum("exposed")));
    assert_eq!(manifest["tools"].as_array().unwrap().len() as u64, sum("exposed"));
}
