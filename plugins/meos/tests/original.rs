//! The acceptance facts of the original generator's manifest (M1 to M13), on a catalog of five functions.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests and their helpers speak by panicking"
)]

use abi_mcp_sdk::Projection;
use abi_mcp_sdk::serde_json::{Value, from_slice, json};
use meos::Meos;

fn temporal(name: &str) -> Value {
    json!({ "name": name, "kind": "serialized", "cType": "const struct Temporal *", "decode": "temporal_in",
            "decode_aux": [], "encodings": ["mfjson", "text", "wkb"] })
}

fn function(name: &str, category: &str, exposable: bool, params: &[Value], result: Value) -> Value {
    json!({ "name": name, "category": category, "network": { "exposable": exposable, "method": null, "reason": null },
            "wire": { "params": params, "result": result } })
}

/// An unsorted catalog: a predicate, a transformation with an enumeration and words, nothing at all, an array, and
/// one that is not exposed.
fn catalog() -> Value {
    let written = json!({ "kind": "serialized", "cType": "struct Temporal *", "encode": "temporal_out",
                          "encode_aux": [{ "name": "maxdd", "kind": "integer", "default": 15 }], "encodings": ["text"] });
    let interp = json!({ "name": "interp", "kind": "json", "json": "string", "enum": "interpType" });
    let mut set_interp =
        function("temporal_set_interp", "transformation", true, &[temporal("temp"), interp], written.clone());
    set_interp["doc"] = Value::from(" Sets how values lie between instants – \u{1f600}. ");
    let mut array = temporal("");
    array.as_object_mut().unwrap().shift_remove("name");
    let array = json!({ "name": "temparr", "kind": "array", "count_param": "count", "element": array });
    json!({
        "functions": [
            function("tempting_eq", "predicate", true, &[temporal("a"), temporal("b")], json!({ "kind": "json", "json": "integer" })),
            set_interp,
            function("do_nothing", "other", true, &[], json!({ "kind": "void" })),
            function("tsequence_make", "constructor", false, &[], written.clone()),
            function("merge_array", "aggregate", true, &[array], written),
        ],
        "enums": [{ "name": "interpType", "values": [{ "name": "STEP", "value": 2 }, { "name": "LINEAR", "value": 3 }] }],
    })
}

fn bytes() -> Vec<u8> {
    let settings = json!({ "compat": true });
    Meos::project(catalog().to_string().as_bytes(), "mcp-tools", settings.as_object().unwrap()).unwrap()
}

fn manifest() -> Value {
    from_slice(&bytes()).unwrap()
}

fn tool(name: &str) -> Value {
    manifest()["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap().clone()
}

#[test]
fn m01_coverage_counts_all_functions_and_the_exposed_ones() {
    assert_eq!(manifest()["x-meos"]["coverage"], json!({ "functions": 5, "exposed": 4 }));
    assert_eq!(manifest()["x-meos"]["server"], "meos");
}

#[test]
fn m02_what_is_not_exposed_is_absent() {
    assert!(manifest()["tools"].as_array().unwrap().iter().all(|tool| tool["name"] != "tsequence_make"));
}

#[test]
fn m03_every_exposed_function_is_a_tool() {
    assert_eq!(manifest()["tools"].as_array().unwrap().len(), 4);
}

#[test]
fn m04_an_array_has_items_that_say_what_they_are() {
    let parameter = &tool("merge_array")["inputSchema"]["properties"]["temparr"];
    assert_eq!((&parameter["type"], &parameter["items"]["type"]), (&json!("array"), &json!("string")));
    assert!(parameter["items"]["description"].as_str().unwrap().contains("MEOS"));
}

#[test]
fn m05_tools_are_in_order_of_their_names() {
    let manifest = manifest();
    let names: Vec<&str> =
        manifest["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["do_nothing", "merge_array", "temporal_set_interp", "tempting_eq"]);
}

#[test]
fn m06_schemas_name_their_dialect_and_are_objects() {
    let schema = &tool("do_nothing")["inputSchema"];
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["type"], "object");
}

#[test]
fn m07_required_is_in_the_order_of_the_parameters() {
    assert_eq!(tool("temporal_set_interp")["inputSchema"]["required"], json!(["temp", "interp"]));
}

#[test]
fn m08_no_other_arguments_are_allowed() {
    assert_eq!(tool("tempting_eq")["inputSchema"]["additionalProperties"], false);
}

#[test]
fn m09_serialized_parameters_are_strings_with_a_decoder_and_scalars_have_their_type() {
    let tool = tool("tempting_eq");
    let parameter = &tool["inputSchema"]["properties"]["a"];
    assert_eq!(parameter["type"], "string");
    assert!(parameter["description"].as_str().unwrap().contains("MEOS Temporal"));
    assert_eq!(
        tool["x-meos"],
        json!({ "category": "predicate", "decode": { "a": "temporal_in", "b": "temporal_in" } })
    );
    assert_eq!(tool["outputSchema"]["properties"]["result"], json!({ "type": "integer" }));
}

#[test]
fn m10_enumerations_list_their_names_and_words_are_followed_by_the_hint() {
    let tool = tool("temporal_set_interp");
    let parameter = &tool["inputSchema"]["properties"]["interp"];
    assert_eq!(parameter, &json!({ "type": "string", "title": "interpType", "enum": ["STEP", "LINEAR"] }));
    let hint = "Spatiotemporal arguments are passed as serialized strings (text/WKT, MF-JSON, or HexWKB).";
    assert_eq!(tool["description"], format!("Sets how values lie between instants – \u{1f600}. {hint}"));
    assert_eq!(tool["x-meos"]["encode"], "temporal_out");
    assert_eq!(tool["outputSchema"]["properties"]["result"]["type"], "string");
}

#[test]
fn m11_nothing_in_and_nothing_out_is_empty_and_absent() {
    let tool = tool("do_nothing");
    assert_eq!(tool.get("outputSchema"), None);
    assert_eq!(tool["inputSchema"]["properties"], json!({}));
    assert_eq!(tool["inputSchema"]["required"], json!([]));
}

#[test]
fn m12_annotations_say_that_nothing_is_changed() {
    let expected = json!({ "title": "do_nothing", "readOnlyHint": true, "idempotentHint": true,
                           "destructiveHint": false, "openWorldHint": false });
    assert_eq!(tool("do_nothing")["annotations"], expected);
}

#[test]
fn m13_every_tool_has_a_name_a_description_and_parameters_for_what_it_requires() {
    for tool in manifest()["tools"].as_array().unwrap() {
        assert!(!tool["name"].as_str().unwrap().is_empty() && !tool["description"].as_str().unwrap().is_empty());
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        let required = tool["inputSchema"]["required"].as_array().unwrap();
        assert!(required.iter().all(|name| properties.contains_key(name.as_str().unwrap())));
    }
}

#[test]
fn the_text_is_ascii_without_a_line_end_and_the_same_every_time() {
    let text = String::from_utf8(bytes()).unwrap();
    assert!(text.is_ascii() && text.contains("\\u2013 \\ud83d\\ude00") && text.ends_with('}'));
    assert_eq!(bytes(), text.into_bytes());
}

#[test]
fn a_setting_or_a_format_nobody_knows_is_refused() {
    let refused = |format: &str, settings: Value| {
        format!(
            "{:?}",
            Meos::project(catalog().to_string().as_bytes(), format, settings.as_object().unwrap()).unwrap_err()
        )
    };
    assert!(refused("openapi", json!({})).contains("`mcp-tools`"));
    assert!(refused("mcp-tools", json!({ "compat": "yes" })).contains("`compat`"));
    assert!(refused("mcp-tools", json!({ "fast": true })).contains("`fast`"));
}
