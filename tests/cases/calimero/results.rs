//! What a client gets back: text with every digit, structure that conforms.

use crate::{APP, ID, executes, kind, param, serve, serve_live};
use abi_mcp_devnode::Setup;
use abi_mcp_tests::{App, Client, FakeNode, LiveNode, Reply, manifest};
use serde_json::{Value, json};

/// A node whose one method returns this type, and answers this text.
fn answering(returns: Value, output: &'static str) -> FakeNode {
    let types = json!({
        "P": {"kind": "record", "fields": [param("x", kind("u32"))]},
        "Action": {"kind": "variant", "variants": [{"name": "Ping"}, {"name": "Set", "payload": kind("u32")}]},
    });
    let methods = json!([{"name": "m", "params": [], "returns": returns}]);
    FakeNode::scripted(vec![App::new(ID, APP, manifest(types, methods))], move |asked| {
        executes(asked).then(|| FakeNode::output(output))
    })
}

fn called(client: &mut Client) -> (Reply, Value) {
    let reply = client.call_app(APP, "app_m", json!({}));
    (reply, client.tool("app_m")["outputSchema"].clone())
}

/// The answer, after checking its structure with an independent validator.
fn conforming(returns: Value, output: &'static str) -> Reply {
    let node = answering(returns, output);
    let (reply, schema) = called(&mut serve(&node).connect());
    assert!(!reply.is_error, "{}", reply.text);
    let structured = &reply.raw["structuredContent"];
    assert!(structured.is_object(), "{}", reply.raw);
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(structured), "{structured} against {schema}");
    reply
}

#[test]
fn c15_a_wide_integer_keeps_its_digits_in_text_and_in_structure() {
    for output in ["18446744073709551615", "9007199254740993", "7"] {
        let reply = conforming(kind("u64"), output);
        assert_eq!(reply.text, output);
        let result = &reply.raw["structuredContent"]["result"];
        if output == "7" { assert_eq!(*result, 7) } else { assert_eq!(result, output) }
    }
}

#[test]
fn c24_structure_conforms_and_an_error_has_none() {
    for (returns, output) in [
        (kind("string"), r#""v""#),
        (kind("bool"), "true"),
        (json!({"kind": "list", "items": kind("u32")}), "[1,2]"),
        (json!({"$ref": "P"}), r#"{"x":1}"#),
        (json!({"$ref": "Action"}), r#""Ping""#),
        (json!({"$ref": "Action"}), r#"{"Set":3}"#),
        (json!({"kind": "map", "key": kind("string"), "value": kind("u64")}), r#"{"a":1}"#),
        (kind("bytes"), "[222,173]"),
        // ABIs often leave out that a result may be null.
        (json!({"$ref": "P"}), "null"),
        (kind("string"), "null"),
    ] {
        assert_eq!(conforming(returns, output).text, output);
    }
    let node = answering(kind("unit"), "null");
    let (reply, schema) = called(&mut serve(&node).connect());
    assert!(!reply.is_error && reply.text == "null", "{}", reply.text);
    assert!(schema.is_null() && reply.raw.get("structuredContent").is_none(), "{}", reply.raw);

    let node = answering(json!({"$ref": "P"}), r#"{"x":"seven"}"#);
    let (reply, _) = called(&mut serve(&node).connect());
    assert!(reply.is_error && reply.raw.get("structuredContent").is_none(), "{}", reply.raw);
    assert!(reply.text.contains(r#"{"x":"seven"}"#) && reply.text.contains("the call ran"), "{}", reply.text);
}

#[test]
fn c25_both_eras_get_the_same_text_and_an_object() {
    let node = answering(json!({"kind": "list", "items": kind("u32")}), "[1,2]");
    let mut legacy = serve(&node).connect();
    let (old, _) = called(&mut legacy);
    assert_eq!(old.raw["structuredContent"], json!({"result": [1, 2]}));

    let mut modern = serve(&node).start();
    let select = modern.modern("tools/call", json!({"name": "select_app", "arguments": {"app": APP}}));
    let card: Value = serde_json::from_str(select["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    let arguments = json!({"app_handle": card["app_handle"]});
    let new = modern.modern("tools/call", json!({"name": "app_m", "arguments": arguments}));
    assert_eq!(new["result"]["content"][0]["text"], old.text.as_str());
    // The newer revision allows the bare array; one form for every era is simpler and as right.
    assert_eq!(new["result"]["structuredContent"], json!({"result": [1, 2]}));
}

#[test]
fn every_type_of_the_lab_goes_round() {
    let node = LiveNode::start(Setup::demo());
    let mut client = serve_live(&node).connect();
    let handle = client.handle("types-lab", None);
    let hex = "ab".repeat(32);
    let array = Value::from(vec![0xab_u8; 32]);
    let base58 = "CSDUfpCoetxmTMJ6oFqPPxBqGDG1YgCWfkQeHBWdgfpp";
    let line = json!({"from": {"x": 1, "y": 2}, "to": {"x": 3, "y": 4}, "label": null});
    let tree = json!({"value": 1, "children": [{"value": 2, "children": []}]});
    for (method, name, given, returned) in [
        ("bool", "x", json!(true), json!(true)),
        ("bytes", "x", json!("00ff"), json!([0, 255])),
        ("bytes4", "x", json!("00ff00ff"), json!([0, 255, 0, 255])),
        ("color", "color", json!("Green"), json!("Green")),
        ("action", "action", json!("Ping"), json!("Ping")),
        ("action", "action", json!({"Move": {"x": 1, "y": -1}}), json!({"Move": {"x": 1, "y": -1}})),
        ("action", "action", json!({"Pair": [1, "a"]}), json!({"Pair": [1, "a"]})),
        ("digest", "digest", json!(hex), array.clone()),
        ("key", "key", json!(hex), array.clone()),
        ("blob_id", "blob_id", json!(base58), json!(base58)),
        ("email", "email", json!("a@b"), json!("a@b")),
        ("f64", "x", json!(0.5), json!(0.5)),
        ("i32", "x", json!(-2_147_483_648_i64), json!(-2_147_483_648_i64)),
        ("i64", "x", json!(-5), json!(-5)),
        ("line", "line", line.clone(), line),
        ("list", "xs", json!([1, 2]), json!([1, 2])),
        ("map", "map", json!({"a": 1}), json!({"a": 1})),
        ("map_of_lists", "map", json!({"a": [{"x": 1, "y": 2}]}), json!({"a": [{"x": 1, "y": 2}]})),
        ("outcome", "outcome", json!({"status": "Done"}), json!({"status": "Done"})),
        ("outcome", "outcome", json!({"status": "Failed", "detail": "d"}), json!({"status": "Failed", "detail": "d"})),
        ("pair", "pair", json!(["a", 1]), json!(["a", 1])),
        ("scalar", "scalar", json!(3), json!(3)),
        ("scalar", "scalar", json!("t"), json!("t")),
        ("shape", "shape", json!({"kind": "Circle", "radius": 1.5}), json!({"kind": "Circle", "radius": 1.5})),
        ("shape", "shape", json!({"kind": "Nothing"}), json!({"kind": "Nothing"})),
        ("string", "x", json!("\u{1f600} \" \\"), json!("\u{1f600} \" \\")),
        ("tree", "tree", tree.clone(), tree),
        ("tuple", "pair", json!(["a", 1]), json!(["a", 1])),
        ("tuples", "pairs", json!([["a", 1]]), json!([["a", 1]])),
        ("unit", "x", json!(null), json!(null)),
    ] {
        let reply = client.call(&format!("types_lab_echo_{method}"), json!({"app_handle": handle, name: given}));
        assert!(!reply.is_error, "{method} {given}: {}", reply.text);
        assert_eq!(reply.first(), returned, "{method}");
    }
    let reply = client.call("types_lab_max_u64", json!({"app_handle": handle}));
    assert_eq!(reply.text, u64::MAX.to_string());
    assert_eq!(reply.raw["structuredContent"]["result"], u64::MAX.to_string());
}

#[test]
fn thirty_two_bytes_in_any_form_find_the_form_the_application_reads() {
    let node = LiveNode::start(Setup::demo());
    let mut client = serve_live(&node).connect();
    let handle = client.handle("types-lab", None);
    let base58 = "CSDUfpCoetxmTMJ6oFqPPxBqGDG1YgCWfkQeHBWdgfpp";
    for given in [json!("ab".repeat(32)), json!(base58), Value::from(vec![0xab_u8; 32])] {
        for method in ["echo_blob_id", "echo_key"] {
            let name = if method == "echo_key" { "key" } else { "blob_id" };
            let reply = client.call(&format!("types_lab_{method}"), json!({"app_handle": handle, name: given}));
            assert!(!reply.is_error, "{method} {given}: {}", reply.text);
        }
    }
}

#[test]
fn the_form_an_application_took_is_sent_first_the_next_time() {
    let node = LiveNode::start(Setup::demo());
    let mut client = serve_live(&node).connect();
    let handle = client.handle("types-lab", None);
    let hex = "ab".repeat(32);
    let mut requests_of = |method: &str, name: &str| {
        let before = node.count("POST", "/jsonrpc");
        let reply = client.call(&format!("types_lab_{method}"), json!({"app_handle": handle, name: hex}));
        assert!(!reply.is_error, "{method}: {}", reply.text);
        node.count("POST", "/jsonrpc") - before
    };
    // The lab reads a blob id as base58 only; the manifest says 32 bytes of both.
    assert!(requests_of("fetch", "blob_id") > 1);
    assert_eq!(requests_of("fetch", "blob_id"), 1);
    assert_eq!(requests_of("echo_key", "key"), 1);
}
