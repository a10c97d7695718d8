//! Manifests of every generation and with every flaw: what is listed of them.

use crate::{APP, ID, executes, kind, one_app, param, passes, refuses, serve, serve_live, tools_of};
use abi_mcp_devnode::Setup;
use abi_mcp_tests::{App, FakeNode, LiveNode, Spawn, manifest};
use serde_json::json;

fn string_and_u64() -> serde_json::Value {
    json!({"kind": "tuple", "elements": [{"kind": "string"}, {"kind": "u64"}]})
}

#[test]
fn a02_a_tuple_is_positional_and_of_fixed_length() {
    let returns = json!({"kind": "list", "items": string_and_u64()});
    let method = json!([{"name": "range", "params": [param("p", string_and_u64())], "returns": returns}]);
    let node = FakeNode::scripted(vec![App::new(ID, APP, manifest(json!({}), method))], |asked| {
        executes(asked).then(|| FakeNode::output(r#"[["a",7],["b",8]]"#))
    });
    let mut client = serve(&node).connect();
    let schema = client.tool("app_range")["inputSchema"]["properties"]["p"].clone();
    assert_eq!(schema["type"], "array");
    assert_eq!(schema["prefixItems"].as_array().unwrap().len(), 2);
    assert_eq!((&schema["minItems"], &schema["maxItems"]), (&json!(2), &json!(2)));
    passes(&node, &mut client, "app_range", json!({"p": ["a", 7]}), r#"{"p":["a",7]}"#);
    for bad in [json!(["a"]), json!(["a", 7, 1]), json!({"0": "a", "1": 7}), json!([7, "a"])] {
        refuses(&node, &mut client, "app_range", json!({"p": bad}), &["`p"]);
    }
}

#[test]
fn a03_methods_in_any_order_are_listed_in_one() {
    let methods =
        json!([{"name": "set", "params": []}, {"name": "get", "params": []}, {"name": "clear", "params": []}]);
    let node = FakeNode::with(vec![App::new("appAAA", "com.example.kv", manifest(json!({}), methods))]);
    let mut client = serve(&node).connect();
    assert_eq!(tools_of(&mut client, "kv_"), ["kv_clear", "kv_get", "kv_set"]);
}

#[test]
fn a05_plain_bytes_behind_an_alias_load_and_take_hex_and_arrays() {
    let types = json!({"Hash64": {"kind": "alias", "target": {"kind": "bytes"}}, "Raw": {"kind": "bytes"}});
    let (node, mut client) = one_app(types, json!([{"name": "h", "params": [param("x", json!({"$ref": "Hash64"}))]}]));
    passes(&node, &mut client, "app_h", json!({"x": "00fF"}), r#"{"x":[0,255]}"#);
    passes(&node, &mut client, "app_h", json!({"x": [0, 255]}), r#"{"x":[0,255]}"#);
    passes(&node, &mut client, "app_h", json!({"x": ""}), r#"{"x":[]}"#);
    refuses(&node, &mut client, "app_h", json!({"x": "abc"}), &["`x`"]);
}

#[test]
fn a06_a_missing_ref_does_not_lose_the_app() {
    let methods = json!([
        {"name": "bad", "params": [param("p", json!({"$ref": "NotDefined"}))]}, {"name": "good", "params": []},
    ]);
    let (node, mut client) = one_app(json!({}), methods);
    assert_eq!(tools_of(&mut client, "app_"), ["app_bad", "app_good"]);
    assert!(!client.tool("app_bad").to_string().contains("$ref"));
    passes(&node, &mut client, "app_good", json!({}), "{}");
    let anything = json!({"deep": [1, {"x": null}], "text": "t"});
    passes(&node, &mut client, "app_bad", json!({"p": anything}), &json!({"p": anything}).to_string());
    let line = client.stderr_line("NotDefined");
    assert!(line.contains("bad") && line.contains("`p`"), "{line}");
}

#[test]
fn a07_fields_that_are_all_called_unnamed_are_places_of_an_array() {
    let pair = json!({"kind": "record", "fields": [
        {"name": "unnamed", "type": {"kind": "string"}, "nullable": true}, {"name": "unnamed", "type": {"kind": "u32"}},
    ]});
    let (node, mut client) =
        one_app(json!({"Pair": pair}), json!([{"name": "put", "params": [param("p", json!({"$ref": "Pair"}))]}]));
    let tool = client.tool("app_put");
    assert!(!tool["inputSchema"].to_string().contains("unnamed"), "{tool}");
    passes(&node, &mut client, "app_put", json!({"p": [null, 7]}), r#"{"p":[null,7]}"#);
    passes(&node, &mut client, "app_put", json!({"p": ["a", 7]}), r#"{"p":["a",7]}"#);
    refuses(&node, &mut client, "app_put", json!({"p": [null]}), &["`p"]);
    refuses(&node, &mut client, "app_put", json!({"p": {"unnamed": 7}}), &["`p"]);
}

#[test]
fn a08_docs_are_shown_and_unknown_members_ignored() {
    let method = json!({
        "name": "set", "doc": "Store one value.", "future_flag": {"x": 1},
        "params": [{"name": "key", "doc": "Which entry.", "type": {"kind": "string"}}],
    });
    let (_node, mut client) = one_app(json!({}), json!([method]));
    let tool = client.tool("app_set");
    assert!(tool["description"].as_str().unwrap().starts_with("Store one value."), "{tool}");
    let key = tool["inputSchema"]["properties"]["key"]["description"].as_str().unwrap();
    assert!(key.starts_with("Which entry."), "{tool}");
}

#[test]
fn a09_a_construct_nobody_knows_is_named_once_and_costs_only_itself() {
    let holder = json!({"kind": "record", "fields": [{"name": "inner", "type": {"kind": "future_kind"}}]});
    let methods = json!([
        {"name": "takes", "params": [param("p", json!({"$ref": "Holder"}))]}, {"name": "ok", "params": []},
    ]);
    let (node, mut client) = one_app(json!({"Holder": holder}), methods);
    passes(&node, &mut client, "app_ok", json!({}), "{}");
    passes(&node, &mut client, "app_takes", json!({"p": {"inner": {"a": 1}}}), r#"{"p":{"inner":{"a":1}}}"#);
    let line = client.stderr_line("future_kind");
    assert!(line.contains("takes") && line.contains("p.inner"), "{line}");
    client.call("list_applications", json!({}));
    assert_eq!(client.stderr().matches("future_kind").count(), 1, "{}", client.stderr());
    // And it is not passed off as understood.
    let described = client.call("describe_app", json!({"app": APP})).first();
    assert!(described["mapper"]["notes"].to_string().contains("future_kind"), "{described}");
}

#[test]
fn a10_a_replicated_collection_is_its_inner_type() {
    let inner = json!({"kind": "map", "key": {"kind": "string"}, "value": {"kind": "u32"}});
    let crdt = json!({"kind": "record", "fields": [], "crdt_type": "unordered_map", "inner_type": inner});
    let (node, mut client) = one_app(json!({}), json!([{"name": "m", "params": [param("e", crdt)]}]));
    passes(&node, &mut client, "app_m", json!({"e": {"a": 1}}), r#"{"e":{"a":1}}"#);
    refuses(&node, &mut client, "app_m", json!({"e": {"a": "x"}}), &["`e.a`"]);
}

#[test]
fn a11_an_unreadable_manifest_costs_its_own_app_only() {
    let good = manifest(json!({}), json!([{"name": "ping", "params": []}]));
    let node = FakeNode::with(vec![
        App::new("badAAA", "org.bad", json!({"schema_version": "wasm-abi/1"})),
        App::new("goodAAA", "org.good", good),
    ]);
    let mut client = serve(&node).connect();
    assert_eq!(tools_of(&mut client, "good_"), ["good_ping"]);
    let line = client.stderr_line("org.bad");
    assert!(line.contains("skipping") && line.contains("methods"), "{line}");
    let reply = client.call_app("org.good", "good_ping", json!({}));
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!(client.stderr().matches("skipping org.bad").count(), 1, "{}", client.stderr());
}

#[test]
fn a12_a_node_too_old_and_a_node_that_refuses_are_told_apart() {
    let serve_abi = |status: u16, body: &'static str| {
        let apps = vec![App::new(ID, APP, json!({}))];
        FakeNode::scripted(apps, move |asked| asked.target.contains("/abi").then(|| (status, vec![], body.into())))
    };
    let said = "application has no usable embedded ABI (absent or malformed); rebuild it with `cargo mero build`";
    for (node, expected) in [
        (serve_abi(404, ""), "does not support the ABI endpoint"),
        (
            serve_abi(
                400,
                r#"{"error":"application has no usable embedded ABI (absent or malformed); rebuild it with `cargo mero build`"}"#,
            ),
            said,
        ),
    ] {
        let mut client = serve(&node).connect();
        let reply = client.call("describe_app", json!({"app": APP}));
        assert!(reply.is_error && reply.text.contains(expected), "{}", reply.text);
        for tool in ["node_status", "list_applications", "list_contexts"] {
            let arguments = if tool == "list_contexts" { json!({"application": APP}) } else { json!({}) };
            let reply = client.call(tool, arguments);
            assert!(!reply.is_error, "{tool}: {}", reply.text);
        }
        client.stderr_line(expected);
    }
}

#[test]
fn a22_rows_without_package_version_and_signer_load() {
    let method = || manifest(json!({}), json!([{"name": "ping", "params": []}]));
    let mut bare = App::new("Fq1", "x", method());
    bare.row = json!({"id": "Fq1", "blob": {"bytecode": "b1"}, "metadata": []});
    let mut partly = App::new("Gz2", "com.x.todo", method());
    partly.row =
        json!({"id": "Gz2", "package": "com.x.todo", "version": "1.0.0", "blob": {"bytecode": "b2"}, "metadata": []});
    let node = FakeNode::with(vec![bare, partly]);
    let mut client = serve(&node).connect();
    for (tool, app) in [("fq1_ping", "Fq1"), ("todo_ping", "com.x.todo")] {
        let listed = client.tool(tool);
        for text in [&listed["title"], &listed["description"]] {
            let text = text.as_str().unwrap();
            assert!(!text.contains("undefined") && !text.contains("null") && !text.contains(" ()"), "{text}");
        }
        let reply = client.call_app(app, tool, json!({}));
        assert!(!reply.is_error, "{}", reply.text);
    }
    assert_eq!(client.tool("fq1_ping")["title"], "Ping (Fq1)");
    let rows = client.call("list_applications", json!({})).first();
    assert_eq!(rows["apps"][0]["appVersion"], json!(null));
    assert!(!client.stderr().contains("undefined"), "{}", client.stderr());
}

#[test]
fn a26_every_request_stays_under_the_base_path() {
    let setup = Setup { base_path: "/calimero/node1".into(), ..Setup::demo() };
    let node = LiveNode::start(setup);
    for url in [node.url(), format!("{}/", node.url())] {
        node.clear_requests();
        let mut client = Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp")).node(&url).connect();
        let reply = client.call_app("kv-store", "kv_store_set", json!({"key": "a", "value": "b"}));
        assert!(!reply.is_error, "{}", reply.text);
        for tool in ["node_status", "list_contexts", "list_namespaces", "list_applications"] {
            assert!(!client.call(tool, json!({})).is_error, "{tool}");
        }
        let requests = node.requests();
        assert!(requests.len() > 5);
        for request in requests {
            assert!(request.path.starts_with("/calimero/node1/") && !request.path.contains("//"), "{}", request.path);
        }
    }
    let mut client = serve_live(&node).connect();
    let status = client.call("node_status", json!({})).first();
    assert!(status["url"].as_str().unwrap().contains("/calimero/node1"), "{status}");
}

#[test]
fn a28_unit_members_are_bare_and_others_one_key_objects() {
    let action =
        json!({"kind": "variant", "variants": [{"name": "Ping"}, {"name": "SetName", "payload": kind("string")}]});
    let (node, mut client) =
        one_app(json!({"Action": action}), json!([{"name": "m", "params": [param("a", json!({"$ref": "Action"}))]}]));
    passes(&node, &mut client, "app_m", json!({"a": "Ping"}), r#"{"a":"Ping"}"#);
    passes(&node, &mut client, "app_m", json!({"a": {"SetName": "n"}}), r#"{"a":{"SetName":"n"}}"#);
    for bad in [json!({"Ping": null}), json!("SetName"), json!({"SetName": "n", "Ping": null}), json!({"Other": 1})] {
        refuses(&node, &mut client, "app_m", json!({"a": bad}), &["`a`", "Ping", "SetName"]);
    }
}
