//! Faults others had in the field, each with its input, as tests named by their id.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test speaks by panicking, and says when it skips"
)]

use abi_mcp_calimero::{Toolchain, encode};
use abi_mcp_sdk::serde_json::{Value, from_str, json};
use abi_mcp_sdk::{Encoded, Fault, Mapping, Method, Problem};

fn manifest(types: Value, methods: Value) -> Value {
    json!({ "schema_version": "wasm-abi/1", "types": types, "methods": methods, "events": [] })
}

fn map(types: Value, methods: Value) -> Mapping {
    Toolchain::V0.map(manifest(types, methods).to_string().as_bytes()).unwrap()
}

/// Maps one method `m` with these parameters.
fn method(types: Value, params: Value) -> Method {
    let mut mapping = map(types, json!([{ "name": "m", "params": params }]));
    assert_eq!(mapping.skipped, []);
    mapping.methods.remove(0)
}

fn property<'a>(method: &'a Method, name: &str) -> &'a Value {
    &method.input_schema["properties"][name]
}

fn call(method: &Method, arguments: Value) -> Result<Encoded, Vec<Problem>> {
    encode(&method.plan, &arguments)
}

fn sent(method: &Method, arguments: Value) -> Value {
    from_str(&call(method, arguments).unwrap().json).unwrap()
}

#[test]
fn a02_a_tuple_is_a_fixed_positional_array() {
    let pair = json!({ "kind": "tuple", "elements": [{ "kind": "string" }, { "kind": "u64" }] });
    let mapping = map(
        json!({}),
        json!([{ "name": "range", "params": [{ "name": "p", "type": pair }],
        "returns": { "kind": "list", "items": pair } }]),
    );
    let range = &mapping.methods[0];
    let schema = property(range, "p");
    assert_eq!(schema["prefixItems"].as_array().unwrap().len(), 2);
    assert_eq!((&schema["items"], &schema["minItems"], &schema["maxItems"]), (&json!(false), &json!(2), &json!(2)));
    assert_eq!(range.signature, "[mut] range(p: (string, u64)) -> (string, u64)[]");
    assert_eq!(sent(range, json!({ "p": ["a", 7] })), json!({ "p": ["a", 7] }));
}

#[test]
fn a03_methods_come_in_the_manifests_order_sorted_or_not() {
    let mapping =
        map(json!({}), json!([{ "name": "set", "params": [] }, { "name": "get", "params": [] }, { "name": "clear" }]));
    let names: Vec<_> = mapping.methods.iter().map(|method| method.name.as_str()).collect();
    assert_eq!(names, ["set", "get", "clear"]);
}

#[test]
fn a04_a_map_with_number_keys_takes_only_digits_as_keys() {
    let types = json!({ "Id": { "kind": "alias", "target": { "kind": "u64" } } });
    for key in [json!({ "kind": "u64" }), json!({ "$ref": "Id" })] {
        let method = method(
            types.clone(),
            json!([{ "name": "m", "type": { "kind": "map", "key": key, "value": { "kind": "string" } } }]),
        );
        assert_eq!(property(&method, "m")["propertyNames"], json!({ "pattern": "^[0-9]{1,20}$" }));
        let arguments = json!({ "m": { "18446744073709551615": "x" } });
        assert_eq!(sent(&method, arguments.clone()), arguments);
    }
}

#[test]
fn a05_plain_bytes_behind_an_alias_need_no_definition_of_their_own() {
    let types = json!({ "Hash64": { "kind": "alias", "target": { "kind": "bytes" } }, "Raw": { "kind": "bytes" } });
    let method = method(types, json!([{ "name": "x", "type": { "$ref": "Hash64" } }]));
    assert_eq!(sent(&method, json!({ "x": "0aFF" })), json!({ "x": [10, 255] }));
    assert_eq!(method.input_schema["$defs"]["Hash64"]["anyOf"][0]["pattern"], "^(?:[0-9a-fA-F]{2})*$");
}

#[test]
fn a06_a_missing_ref_does_not_lose_the_app() {
    let mapping = map(
        json!({}),
        json!([
        { "name": "bad", "params": [{ "name": "p", "type": { "$ref": "NotDefined" } }] }, { "name": "good", "params": [] }]),
    );
    assert_eq!(mapping.methods.len(), 2);
    assert_eq!(property(&mapping.methods[0], "p"), &json!({}));
    assert!(!mapping.methods[0].input_schema.to_string().contains("$ref"));
    let note = &mapping.notes[0];
    assert_eq!((note.method.as_deref(), note.path.as_str()), (Some("bad"), "p"));
    assert!(note.text.contains("NotDefined"));
}

#[test]
fn a07_a_record_of_unnamed_fields_is_an_array() {
    let types = json!({ "Pair": { "kind": "record", "fields": [
        { "name": "unnamed", "type": { "kind": "string" }, "nullable": true }, { "name": "unnamed", "type": { "kind": "u32" } }] } });
    let method = method(types, json!([{ "name": "p", "type": { "$ref": "Pair" } }]));
    let pair = &method.input_schema["$defs"]["Pair"];
    assert_eq!(pair["prefixItems"][0], json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }));
    assert_eq!((&pair["type"], &pair["maxItems"]), (&json!("array"), &json!(2)));
    assert_eq!(sent(&method, json!({ "p": [null, 7] })), json!({ "p": [null, 7] }));
}

#[test]
fn a08_newer_keys_are_used_or_ignored_but_never_refused() {
    let mapping = map(
        json!({}),
        json!([{ "name": "set", "doc": "Store one value.", "future_flag": { "x": 1 },
        "params": [{ "name": "key", "doc": "Which entry.", "type": { "kind": "string" } }] }]),
    );
    let set = &mapping.methods[0];
    assert_eq!(set.doc.as_deref(), Some("Store one value."));
    assert_eq!(property(set, "key")["description"], "Which entry.");
}

#[test]
fn a09_a_construct_nobody_knows_is_named_with_its_path() {
    let types =
        json!({ "Holder": { "kind": "record", "fields": [{ "name": "inner", "type": { "kind": "future_kind" } }] } });
    let mapping = map(
        types,
        json!([
        { "name": "takes", "params": [{ "name": "p", "type": { "$ref": "Holder" } }] }, { "name": "ok", "params": [] }]),
    );
    assert_eq!(mapping.methods.len(), 2);
    let note = &mapping.notes[0];
    assert_eq!((note.method.as_deref(), note.path.as_str()), (Some("takes"), "p.inner"));
    assert!(note.text.contains("future_kind"));
}

#[test]
fn a10_a_replicated_collection_is_its_inner_type() {
    let method = method(
        json!({}),
        json!([{ "name": "e", "type": { "kind": "record", "fields": [], "crdt_type": "unordered_map",
        "inner_type": { "kind": "map", "key": { "kind": "string" }, "value": { "kind": "u32" } } } }]),
    );
    assert_eq!(property(&method, "e")["additionalProperties"]["maximum"], 4_294_967_295_u32);
    assert_eq!(method.signature, "[mut] m(e: map<string, u32>) -> unit");
}

#[test]
fn a11_a_manifest_without_methods_says_what_is_missing() {
    let fault = Toolchain::V0.map(br#"{"schema_version":"wasm-abi/1"}"#).unwrap_err();
    assert_eq!(
        fault,
        Fault::Malformed { at: "methods".to_owned(), problem: "expected an array, found nothing".to_owned() }
    );
}

#[test]
fn a16_a_parameter_may_have_any_name_a_host_might_use() {
    for name in ["context", "_context", "app_handle", "app", "method", "args"] {
        let method = method(
            json!({}),
            json!([{ "name": name, "type": { "kind": "u32" } }, { "name": "b", "type": { "kind": "bytes" } }]),
        );
        assert_eq!(sent(&method, json!({ name: 5, "b": "" })), json!({ name: 5, "b": [] }));
    }
}

#[test]
fn a28_unit_members_are_bare_names_and_others_one_key_objects() {
    let types = json!({ "Action": { "kind": "variant", "variants": [{ "name": "Ping" }, { "name": "SetName", "payload": { "kind": "string" } }] } });
    // A second parameter with bytes, so that the encoder has a plan to check with.
    let method = method(
        types,
        json!([{ "name": "a", "type": { "$ref": "Action" } }, { "name": "b", "type": { "kind": "bytes" } }]),
    );
    assert_eq!(
        method.input_schema["$defs"]["Action"],
        json!({ "oneOf": [
        { "type": "string", "enum": ["Ping"] },
        { "type": "object", "properties": { "SetName": { "type": "string" } }, "required": ["SetName"], "additionalProperties": false }] })
    );
    for good in [json!("Ping"), json!({ "SetName": "n" }), json!({ "Ping": null })] {
        assert_eq!(sent(&method, json!({ "a": good, "b": "" }))["a"], good);
    }
    for bad in [json!("SetName"), json!({ "SetName": "n", "Ping": null }), json!({ "Other": 1 }), json!({ "Ping": 1 })]
    {
        let problems = call(&method, json!({ "a": bad, "b": "" })).unwrap_err();
        assert!(problems[0].message.contains("SetName") || problems[0].message.contains("Ping"), "{problems:?}");
    }
}

#[test]
fn c09_recursion_ends_at_once_and_stays_exact() {
    let types = json!({ "Node": { "kind": "record", "fields": [{ "name": "label", "type": { "kind": "bytes" } },
        { "name": "kids", "type": { "kind": "list", "items": { "$ref": "Node" } } }] } });
    let method = method(types, json!([{ "name": "n", "type": { "$ref": "Node" } }]));
    assert_eq!(method.input_schema["$defs"]["Node"]["properties"]["kids"]["items"], json!({ "$ref": "#/$defs/Node" }));
    let bad = json!({ "n": { "label": "0a", "kids": [{ "label": 7, "kids": [] }] } });
    assert_eq!(call(&method, bad).unwrap_err()[0].at, "n.kids[0].label");
}

#[test]
fn c09_types_made_to_never_end_do() {
    let long: abi_mcp_sdk::json::Object = (0..5_000)
        .map(|index| {
            (format!("T{index}"), json!({ "kind": "alias", "target": { "$ref": format!("T{}", (index + 1) % 5_000) } }))
        })
        .collect();
    let mapping = map(
        Value::Object(long),
        json!([{ "name": "m", "params": [{ "name": "p", "type": { "$ref": "T0" } },
        { "name": "b", "type": { "kind": "bytes" } }] }]),
    );
    assert_eq!(sent(&mapping.methods[0], json!({ "p": [1, {}], "b": "01" })), json!({ "p": [1, {}], "b": [1] }));
    assert!(mapping.notes[0].text.contains("nothing but itself"));
}

#[test]
fn c12_a_nullable_enum_allows_null_itself() {
    let types = json!({ "Status": { "kind": "variant", "variants": [{ "name": "Open" }, { "name": "Done" }] } });
    let method = method(types, json!([{ "name": "s", "type": { "$ref": "Status" }, "nullable": true }]));
    assert_eq!(property(&method, "s"), &json!({ "anyOf": [{ "$ref": "#/$defs/Status" }, { "type": "null" }] }));
    assert!(!method.parameters[0].required && method.input_schema.get("required").is_none());
}

#[test]
fn c15_every_digit_survives_beside_bytes_that_are_turned() {
    let method = method(
        json!({}),
        json!([{ "name": "x", "type": { "kind": "u64" } }, { "name": "b", "type": { "kind": "bytes" } },
        { "name": "f", "type": { "kind": "f64" } }]),
    );
    let arguments = from_str::<Value>(r#"{"x":18446744073709551615,"b":"ff","f":3.0}"#).unwrap();
    assert_eq!(call(&method, arguments).unwrap().json, r#"{"x":18446744073709551615,"b":[255],"f":3.0}"#);
    assert_eq!(property(&method, "x").to_string(), r#"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#);
}

#[test]
fn c22_names_that_mean_something_elsewhere_are_names() {
    let names = ["__proto__", "constructor", "prototype", "hasOwnProperty"];
    let params: Vec<_> = names.iter().map(|name| json!({ "name": name, "type": { "kind": "bytes" } })).collect();
    let method = method(json!({}), Value::Array(params));
    let arguments =
        from_str::<Value>(r#"{"__proto__":"01","constructor":"02","prototype":"03","hasOwnProperty":"04"}"#).unwrap();
    assert_eq!(
        call(&method, arguments).unwrap().json,
        r#"{"__proto__":[1],"constructor":[2],"prototype":[3],"hasOwnProperty":[4]}"#
    );
}

#[test]
fn c23_overloads_stay_apart() {
    let param = |name: &str| json!({ "name": name, "type": { "kind": "string" } });
    let mapping = map(
        json!({}),
        json!([{ "name": "transfer", "params": [param("to")] },
        { "name": "transfer", "params": [param("to"), param("amount")] }, { "name": "transfer", "params": [param("to"), param("amount"), param("memo")] }]),
    );
    let counts: Vec<_> = mapping.methods.iter().map(|method| method.parameters.len()).collect();
    assert_eq!(counts, [1, 2, 3]);
}

#[test]
fn c27_bytes_in_every_form_come_out_even() {
    let method = method(
        json!({}),
        json!([{ "name": "b", "type": { "kind": "bytes" }, "nullable": true },
        { "name": "h", "type": { "kind": "bytes", "size": 2 }, "nullable": true }]),
    );
    for (given, expected) in [
        (json!("dead"), json!([222, 173])),
        (json!("DEAD"), json!([222, 173])),
        (json!(""), json!([])),
        (json!([222, 173]), json!([222, 173])),
    ] {
        assert_eq!(sent(&method, json!({ "b": given }))["b"], expected);
    }
    for given in [json!("dea"), json!("zz"), json!([256]), json!([-1]), json!([1.5])] {
        assert!(call(&method, json!({ "b": given })).unwrap_err()[0].at.starts_with('b'));
    }
    assert_eq!(sent(&method, json!({ "h": "dead" }))["h"], json!([222, 173]));
    for given in [json!("de"), json!(""), json!([1, 2, 3])] {
        assert_eq!(call(&method, json!({ "h": given })).unwrap_err()[0].at, "h");
    }
    assert_eq!(property(&method, "h")["description"], "bytes: a hex string or a 2-byte array");
}

#[test]
fn thirty_two_bytes_come_in_every_form_likeliest_first() {
    let types = json!({ "Id": { "kind": "bytes", "size": 32 } });
    let id = json!({ "kind": "bytes", "size": 32 });
    let method = method(types, json!([{ "name": "one", "type": { "$ref": "Id" } }, { "name": "two", "type": id }]));
    let hex = "ab".repeat(32);
    let base58 = "CZ8YUVdk7znjrUmnb5n7kgySk9yRAsQDYmyCxzfSky9t";
    let array = Value::from(vec![171; 32]);
    let encoded = call(&method, json!({ "one": hex, "two": base58 })).unwrap();
    assert_eq!(from_str::<Value>(&encoded.json).unwrap(), json!({ "one": array, "two": base58 }));
    let forms: Vec<Value> = encoded.alternatives.iter().map(|form| from_str(form).unwrap()).collect();
    assert_eq!(forms[0], json!({ "one": hex, "two": array }));
    assert_eq!(forms[1], json!({ "one": base58, "two": array }));
    // The right one of every pair is among them: three forms of one, two of the other, less the first.
    assert_eq!(forms.len(), 5);
    assert!(forms.contains(&json!({ "one": base58, "two": base58 })));
}

#[test]
fn what_a_plan_must_not_be_is_a_problem_and_no_panic() {
    for plan in [
        "[",
        "{}",
        r#"{"params":7}"#,
        r#"{"params":[{"name":"x"}]}"#,
        r#"{"params":[],"types":{"A":7},"arrays":["A",1]}"#,
    ] {
        let _ = encode(plan.as_bytes(), &json!({ "x": [[[]]] }));
    }
    assert!(encode(b"[", &json!({})).unwrap_err()[0].message.contains("plan"));
    assert!(encode(br#"{"params":[]}"#, &json!(7)).unwrap_err()[0].message.contains("expected an object"));
}

#[test]
fn signatures_read_as_the_ecosystem_writes_them() {
    let types = json!({ "Point": { "kind": "record", "fields": [] } });
    let point = json!({ "$ref": "Point" });
    let map_of = |kind: &str| json!({ "kind": "map", "key": { "kind": "string" }, "value": { "kind": kind } });
    let mapping = map(
        types,
        json!([
        { "name": "find", "params": [], "returns": point, "returns_nullable": true, "intent": "read_only" },
        { "name": "bulk", "params": [{ "name": "xs", "type": { "kind": "list", "items": point } }, { "name": "m", "type": map_of("u64") }],
            "returns": { "kind": "bytes", "size": 4 } },
        { "name": "put", "params": [{ "name": "entries", "type": { "kind": "record", "fields": [], "crdt_type": "unordered_map",
            "inner_type": map_of("u32") } }], "returns": { "kind": "record", "fields": [] } },
        { "name": "set", "params": [{ "name": "key", "type": { "kind": "string" }, "nullable": true }] }]),
    );
    let signatures: Vec<_> = mapping.methods.iter().map(|method| method.signature.as_str()).collect();
    assert_eq!(
        signatures,
        [
            "[view] find() -> Point | null",
            "[mut] bulk(xs: Point[], m: map<string, u64>) -> bytes",
            "[mut] put(entries: map<string, u32>) -> record",
            "[mut] set(key?: string) -> unit",
        ]
    );
}

#[test]
fn a_result_always_allows_null_and_nothing_returned_has_no_schema() {
    let types = json!({ "Nothing": { "kind": "alias", "target": { "kind": "unit" } } });
    let mapping = map(
        types,
        json!([
        { "name": "get", "returns": { "kind": "string" }, "returns_doc": "The value." },
        { "name": "set", "returns": { "$ref": "Nothing" } }, { "name": "old" }]),
    );
    let schemas: Vec<_> = mapping.methods.into_iter().map(|method| method.output_schema).collect();
    assert_eq!(
        schemas[0],
        Some(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "description": "The value." }))
    );
    assert_eq!((&schemas[1], &schemas[2]), (&None, &None));
}

#[test]
fn what_a_toolchain_cannot_say_is_not_said_for_it() {
    let written = manifest(json!({}), json!([{ "name": "clear", "intent": "mutating" }, { "name": "init" }]));
    let destructive =
        |toolchain: Toolchain| toolchain.map(written.to_string().as_bytes()).unwrap().methods[0].destructive;
    assert_eq!(destructive(Toolchain::V1), Some(false));
    assert_eq!(destructive(Toolchain::V0), None);
}
