//! The node does what a node does: what is set is there to be got, and failures look as they do on the real one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests; the lint's own exception covers only the test functions"
)]

mod support;

use abi_mcp_devnode::{
    Access, AliasKind, App, ContextRequest, ControlError, DevNode, Generation, GuestErrorText, IdText, Seed, Setup,
    apps,
};
use serde_json::{Value, json};
use support::{call_error, execute, get, output, send, with_json};

async fn demo() -> (DevNode, String, String) {
    let node = DevNode::start(Setup::demo()).await.unwrap();
    let (kv, lab) = (node.context("kv").unwrap(), node.context("lab").unwrap());
    (node, kv, lab)
}

#[tokio::test]
async fn set_then_get_returns_what_was_set() {
    let (node, kv, _) = demo().await;
    assert_eq!(output(&node, &kv, "get", json!({ "key": "a" })).await, Value::Null);
    assert_eq!(output(&node, &kv, "set", json!({ "key": "a", "value": "1" })).await, Value::Null);
    assert_eq!(output(&node, &kv, "get", json!({ "key": "a" })).await, "1");
    assert_eq!(output(&node, &kv, "set_if_absent", json!({ "key": "a", "value": "2" })).await, false);
    assert_eq!(output(&node, &kv, "entries", json!({})).await, json!({ "a": "1" }));
    assert_eq!(output(&node, &kv, "len", Value::Null).await, 1);
    assert_eq!(output(&node, &kv, "remove", json!({ "key": "a" })).await, "1");
    assert_eq!(output(&node, &kv, "clear", json!({})).await, Value::Null);
    assert_eq!(node.state(&kv), Some(json!({ "items": {} })));
}

#[tokio::test]
async fn two_contexts_of_an_application_do_not_see_each_other() {
    let (node, kv, _) = demo().await;
    let app = node.application("com.calimero.kv-store").unwrap();
    let made = with_json(&node, "POST", "/admin-api/namespaces", &json!({ "applicationId": app, "name": "b" })).await;
    let group = made.json()["data"]["namespaceId"].clone();
    let body = json!({ "applicationId": app, "groupId": group, "initializationParams": [], "name": "second" });
    let second = with_json(&node, "POST", "/admin-api/contexts", &body).await.json()["data"]["contextId"].clone();
    let second = second.as_str().unwrap();
    output(&node, second, "set", json!({ "key": "k", "value": "v" })).await;
    assert_eq!(output(&node, &kv, "len", json!({})).await, 0);

    let listed = get(&node, &format!("/admin-api/contexts/for-application/{app}")).await.json();
    assert_eq!(listed["data"]["contexts"].as_array().unwrap().len(), 2);
    let deleted = send(&node, "DELETE", &format!("/admin-api/contexts/{second}"), &[], b"").await;
    assert_eq!(deleted.json(), json!({ "data": { "isDeleted": true } }));
    assert_eq!(get(&node, &format!("/admin-api/contexts/{second}")).await.status, 404);
    let gone = call_error(&node, second, "len", json!({})).await;
    assert_eq!(gone, "No owned identity found for this context");
}

#[tokio::test]
async fn the_state_hash_follows_the_state() {
    let (node, kv, _) = demo().await;
    let hash =
        async || get(&node, &format!("/admin-api/contexts/{kv}")).await.json()["data"]["contextStateHash"].clone();
    let before = hash().await;
    output(&node, &kv, "get", json!({ "key": "a" })).await;
    assert_eq!(hash().await, before, "a read changes nothing");
    output(&node, &kv, "set", json!({ "key": "a", "value": "1" })).await;
    assert_ne!(hash().await, before);
}

#[tokio::test]
async fn a01_a_guest_error_is_the_debug_text_of_its_bytes() {
    let (node, kv, lab) = demo().await;
    let text = call_error(&node, &kv, "get_result", json!({ "key": "k" })).await;
    let expected = format!("the method call returned an error: {:?}", br#"{"kind":"NotFound","data":"k"}"#);
    assert_eq!(text, expected);
    let text = call_error(&node, &lab, "fail_with_text", json!({ "message": "no" })).await;
    assert_eq!(text, "the method call returned an error: [34, 110, 111, 34]");
}

#[tokio::test]
async fn a_newer_runtime_puts_the_error_text_itself() {
    let setup = Setup { guest_errors: GuestErrorText::Text, ..Setup::demo() };
    let node = DevNode::start(setup).await.unwrap();
    let text = call_error(&node, &node.context("kv").unwrap(), "get_result", json!({ "key": "k" })).await;
    assert_eq!(text, r#"the method call returned an error: {"kind":"NotFound","data":"k"}"#);
}

#[tokio::test]
async fn panics_and_traps_are_told_apart() {
    let (node, kv, lab) = demo().await;
    let text = call_error(&node, &kv, "get_unchecked", json!({ "key": "k" })).await;
    assert!(text.starts_with("guest panicked: key not found at apps/kv-store/src/lib.rs:"), "{text}");
    assert_eq!(call_error(&node, &lab, "traps", json!({})).await, "unreachable code reached");
    assert_eq!(call_error(&node, &kv, "nope", json!({})).await, "method \"nope\" not found");
    let text = call_error(&node, &kv, "init", json!({})).await;
    assert!(text.starts_with("guest panicked: Cannot initialize over already existing state. at "), "{text}");
}

#[tokio::test]
async fn bad_arguments_panic_with_the_words_of_serde() {
    let (node, kv, lab) = demo().await;
    let cases = [
        (
            &kv,
            "set",
            json!({ "value": "v" }),
            "set: failed to deserialize arguments (expected { key: String, value: String }): Error(\"missing field `key`\", line: 1, column: 13)",
        ),
        (
            &kv,
            "get",
            json!({ "key": "k", "extra": 1 }),
            "get: failed to deserialize arguments (expected { key: String }): Error(\"unknown field `extra`, expected `key`\", line: 1, column: 18)",
        ),
        (
            &kv,
            "set",
            json!({ "key": "k", "val": 1 }),
            "set: failed to deserialize arguments (expected { key: String, value: String }): Error(\"unknown field `val`, expected `key` or `value`\", line: 1, column: 16)",
        ),
        (&kv, "len", json!({ "x": 1 }), "len: takes no arguments, but the call sent unknown field(s): [\"x\"]"),
        (
            &lab,
            "echo_level",
            json!({ "level": 300 }),
            "echo_level: failed to deserialize arguments (expected { level: u8 }): Error(\"invalid value: integer `300`, expected u8\", line: 1, column: 12)",
        ),
        (
            &lab,
            "echo_bytes4",
            json!({ "x": [1, 2, 3] }),
            "echo_bytes4: failed to deserialize arguments (expected { x: [u8 ; 4] }): Error(\"invalid length 3, expected an array of length 4\", line: 1, column: 12)",
        ),
        (
            &lab,
            "echo_color",
            json!({ "color": "Pink" }),
            "echo_color: failed to deserialize arguments (expected { color: Color }): Error(\"unknown variant `Pink`, expected one of `Red`, `Green`, `Blue`\", line: 1, column: 15)",
        ),
        (
            &lab,
            "echo_i32",
            json!({ "x": 1.0 }),
            "echo_i32: failed to deserialize arguments (expected { x: i32 }): Error(\"invalid type: floating point `1.0`, expected i32\", line: 1, column: 8)",
        ),
    ];
    for (context, method, args, expected) in cases {
        let text = call_error(&node, context, method, args).await;
        let (message, place) = text.rsplit_once(" at ").unwrap();
        assert_eq!(message, format!("guest panicked: {expected}"));
        assert!(place.starts_with("apps/"), "{place}");
    }
}

#[tokio::test]
async fn one_and_the_same_abi_type_has_two_wire_forms() {
    let (node, _, lab) = demo().await;
    let (text, array) = ("11111111111111111111111111111112", json!(vec![7; 32]));
    assert_eq!(output(&node, &lab, "fetch", json!({ "blob_id": text })).await, format!("blob {text}"));
    assert_eq!(output(&node, &lab, "echo_blob_id", json!({ "blob_id": text })).await, text);
    assert_eq!(output(&node, &lab, "echo_key", json!({ "key": array })).await, array);
    assert_eq!(output(&node, &lab, "echo_digest", json!({ "digest": array })).await, array);
    let refused = call_error(&node, &lab, "fetch", json!({ "blob_id": array })).await;
    assert!(refused.contains("invalid type: sequence, expected a base58 encoded hash"), "{refused}");
    let refused = call_error(&node, &lab, "echo_key", json!({ "key": text })).await;
    assert!(refused.contains("expected an array of length 32"), "{refused}");
}

#[tokio::test]
async fn every_type_comes_back_as_it_went() {
    let (node, _, lab) = demo().await;
    let point = json!({ "x": 1, "y": -2 });
    let cases = [
        ("echo_u64", "x", json!(u64::MAX)),
        ("echo_i64", "x", json!(i64::MIN)),
        ("echo_f32", "x", json!(0.1)),
        ("echo_f64", "x", json!(1e308)),
        ("echo_string", "x", json!("zażółć \u{0} \"q\"")),
        ("echo_unit", "x", Value::Null),
        ("echo_bytes", "x", json!([0, 1, 255])),
        ("echo_tuple", "pair", json!(["a", 1])),
        ("echo_pair", "pair", json!(["a", 1])),
        ("echo_tuples", "pairs", json!([["a", 1], ["b", 2]])),
        ("echo_map_of_lists", "map", json!({ "k": [point] })),
        ("echo_line", "line", json!({ "from": point, "to": point, "label": null })),
        ("echo_tree", "tree", json!({ "value": 1, "children": [{ "value": 2, "children": [] }] })),
        ("echo_action", "action", json!("Ping")),
        ("echo_action", "action", json!({ "SetName": "bob" })),
        ("echo_action", "action", json!({ "Move": point })),
        ("echo_action", "action", json!({ "Pair": [4, "z"] })),
        ("echo_shape", "shape", json!({ "kind": "Circle", "radius": 1.5 })),
        ("echo_shape", "shape", json!({ "kind": "Nothing" })),
        ("echo_outcome", "outcome", json!({ "status": "Failed", "detail": "why" })),
        ("echo_outcome", "outcome", json!({ "status": "Done" })),
        ("echo_scalar", "scalar", json!(5)),
        ("echo_scalar", "scalar", json!("five")),
        ("maybe_u32", "x", json!(7)),
        ("with_underscore", "_x", json!(9)),
        ("with_handle", "app_handle", json!("h")),
        ("with_context", "context", json!("c")),
    ];
    for (method, name, value) in cases {
        assert_eq!(output(&node, &lab, method, json!({ name: value })).await, value, "{method}");
    }
    assert_eq!(output(&node, &lab, "maybe_u32", json!({})).await, Value::Null);
    assert_eq!(output(&node, &lab, "max_u64", json!({})).await, u64::MAX);
    assert_eq!(output(&node, &lab, "echo_f64", json!({ "x": 3 })).await.to_string(), "3.0");
    assert_eq!(output(&node, &lab, "large", json!({ "kib": 3 })).await.as_str().unwrap().len(), 3072);
    let line = json!({ "from": point, "to": point, "stranger": true });
    let known = json!({ "from": point, "to": point, "label": null });
    assert_eq!(output(&node, &lab, "echo_line", json!({ "line": line })).await, known, "nested strangers are ignored");
}

#[tokio::test]
async fn digits_beyond_a_double_travel_as_written() {
    let (node, _, lab) = demo().await;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":18446744073709551615,"method":"execute","params":{{"contextId":"{lab}","method":"echo_u64","argsJson":{{"x":9007199254740993}}}}}}"#
    );
    let reply = send(&node, "POST", "/jsonrpc", &[("content-type", "application/json")], body.as_bytes()).await;
    assert_eq!(reply.text(), r#"{"jsonrpc":"2.0","id":18446744073709551615,"result":{"output":9007199254740993}}"#);
}

#[tokio::test]
async fn older_positional_records_are_arrays_on_the_wire() {
    let node = DevNode::start(Setup::empty().with(Seed::new(apps::notes(), "notes"))).await.unwrap();
    let notes = node.context("notes").unwrap();
    let id = output(&node, &notes, "add", json!({ "title": "t", "body": "held", "tags": ["a"] })).await;
    output(&node, &notes, "edit", json!({ "id": id, "edit": { "Splice": [2, "llo wor"] } })).await;
    assert_eq!(output(&node, &notes, "excerpt", json!({ "id": id, "span": [0, 7] })).await, "hello w");
    let as_described = json!({ "id": id, "edit": { "Splice": { "field_0": 2, "field_1": "x" } } });
    let refused = call_error(&node, &notes, "edit", as_described).await;
    assert!(refused.contains("invalid type: map, expected tuple variant Edit::Splice"), "{refused}");
    assert_eq!(output(&node, &notes, "list", json!({ "tag": "b" })).await, json!([]));
}

#[tokio::test]
async fn a18_a_refused_initialiser_answers_400_with_the_guest_s_words() {
    let (node, _, _) = demo().await;
    let app = node.application("com.abi-mcp.types-lab").unwrap();
    let group = node.create_namespace(&app, None).unwrap();
    let create = async |init: &str| {
        let body = json!({ "applicationId": app, "groupId": group, "initializationParams": init.as_bytes() });
        with_json(&node, "POST", "/admin-api/contexts", &body).await
    };
    let refused = create(r#"{"title":""}"#).await;
    assert_eq!(refused.status, 400);
    let text = refused.json()["error"].as_str().unwrap().to_owned();
    assert!(
        text.starts_with("application initialization failed: the method call returned an error: [123, 34,"),
        "{text}"
    );
    let missing = create("{}").await.json()["error"].as_str().unwrap().to_owned();
    assert!(missing.contains("init: failed to deserialize arguments (expected { title: String, limit: Option < u32 > }): Error(\"missing field `title`\""), "{missing}");
    let nothing = create("").await.json()["error"].as_str().unwrap().to_owned();
    assert!(nothing.contains("EOF while parsing a value"), "{nothing}");
    let good = create(r#"{"title":"x","limit":1}"#).await.json()["data"]["contextId"].clone();
    let context = good.as_str().unwrap();
    assert_eq!(output(&node, context, "log_run", json!({})).await, 1);
    call_error(&node, context, "log_run", json!({})).await;
    assert_eq!(output(&node, context, "status", json!({})).await, json!(["x", 1, 1]), "a failed call changes nothing");

    let wanted = ContextRequest { group, init: json!({ "title": "" }), ..ContextRequest::default() };
    assert!(matches!(node.create_context(wanted), Err(ControlError::Refused(_))));
}

#[tokio::test]
async fn a13_services_are_chosen_by_name() {
    let node =
        DevNode::start(Setup::empty().with(Seed::new(apps::two_services(), "two").service("notes"))).await.unwrap();
    let app = node.application("com.abi-mcp.two-services").unwrap();
    let abi = async |query: &str| get(&node, &format!("/admin-api/applications/{app}/abi{query}")).await;
    let without = abi("").await;
    let message = "application has multiple services; pass service_name (available: notes, store)";
    assert_eq!((without.status, without.json()), (400, json!({ "error": message })));
    assert_eq!(abi("?service_name=web").await.json()["error"], "service \"web\" not found (available: notes, store)");
    assert_eq!(abi("?service_name=store").await.json()["data"]["state_root"], "KvStore");
    assert_eq!(output(&node, &node.context("two").unwrap(), "count", json!({})).await, 0);
}

#[tokio::test]
async fn the_august_node_drops_what_it_does_not_know() {
    for (generation, has) in [(Generation::August2026, false), (Generation::Newer, true)] {
        let node = DevNode::start(Setup { generation, ..Setup::demo() }).await.unwrap();
        let app = node.application("com.calimero.kv-store").unwrap();
        let abi = get(&node, &format!("/admin-api/applications/{app}/abi")).await.json();
        assert_eq!(abi["data"]["methods"][0].get("doc").is_some(), has);
        let row = get(&node, &format!("/admin-api/applications/{app}")).await.json();
        let metadata = row["data"]["application"]["metadata"].as_array().unwrap().iter();
        let bytes: Vec<u8> = metadata.map(|byte| u8::try_from(byte.as_u64().unwrap()).unwrap()).collect();
        let metadata: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(metadata["name"], "KV Store");
        assert_eq!(metadata.get("guide").is_some_and(|guide| guide.as_str().unwrap().contains("## Procedures")), has);
        let params = json!({
            "contextId": node.context("kv").unwrap(), "method": "len", "argsJson": {}, "executorPublicKey": "x",
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "execute", "params": params });
        let answer = with_json(&node, "POST", "/jsonrpc", &body).await.json();
        assert_eq!(answer["error"]["type"] == "ParseError", has, "{answer}");
    }
}

#[tokio::test]
async fn context_ids_can_be_hex() {
    let node = DevNode::start(Setup { context_ids: IdText::Hex, ..Setup::demo() }).await.unwrap();
    let kv = node.context("kv").unwrap();
    assert_eq!(kv.len(), 64);
    assert_eq!(get(&node, &format!("/admin-api/contexts/{kv}")).await.json()["data"]["id"], kv.as_str());
    assert_eq!(output(&node, &kv, "len", json!({})).await, 0);
    let found = with_json(&node, "POST", "/admin-api/alias/lookup/context/kv", &Value::Null).await;
    assert_eq!(found.json(), json!({ "data": { "value": kv } }));
}

#[tokio::test]
async fn a26_with_a_base_path_everything_else_is_an_empty_404() {
    let node = DevNode::start(Setup { base_path: "/calimero/node1/".into(), ..Setup::demo() }).await.unwrap();
    assert!(node.url().ends_with("/calimero/node1"));
    assert_eq!(get(&node, "/calimero/node1/admin-api/health").await.status, 200);
    for path in
        ["/admin-api/health", "/", "/calimero/node1", "/calimero/node1/nope", "/calimero/node2/admin-api/health"]
    {
        let reply = get(&node, path).await;
        assert_eq!((reply.status, reply.text().as_str()), (404, ""), "{path}");
    }
    assert_eq!(node.count("GET", "/admin-api/health"), 1);
}

#[tokio::test]
async fn installing_by_url_by_coordinates_and_again() {
    let node = DevNode::start(Setup::demo()).await.unwrap();
    let install = async |body: Value| with_json(&node, "POST", "/admin-api/install-application", &body).await;
    let notes = install(json!({ "package": "com.abi-mcp.notes", "version": "0.2.0" })).await.json();
    assert_eq!(notes["data"]["applicationId"], node.application("com.abi-mcp.notes").unwrap().as_str());
    let url = "https://apps.example.com/com.calimero.kv-store-1.1.0.mpk";
    let before = node.application("com.calimero.kv-store").unwrap();
    let next = install(json!({ "url": url, "metadata": [] })).await.json();
    assert_eq!(next["data"]["applicationId"], before.as_str(), "same package and signer, same id");
    let versions = get(&node, &format!("/admin-api/applications/{before}/versions")).await.json();
    assert_eq!(versions["data"].as_array().unwrap().len(), 2);

    let kv = node.context("kv").unwrap();
    assert_eq!(
        call_error(&node, &kv, "rename", json!({ "from": "a", "to": "b" })).await,
        "method \"rename\" not found"
    );
    let group = get(&node, &format!("/admin-api/contexts/{kv}/group")).await.json()["data"].clone();
    let path = format!("/admin-api/groups/{}/upgrade", group.as_str().unwrap());
    let upgraded = with_json(&node, "POST", &path, &json!({ "targetApplicationId": before })).await;
    assert_eq!(upgraded.json()["data"]["status"], "completed");
    assert_eq!(output(&node, &kv, "rename", json!({ "from": "a", "to": "b" })).await, false);

    for url in ["http://localhost/x", "http://10.0.0.1/x", "http://[::1]/x", "http://a.localhost:80/", "ftp://a/x"] {
        let refused = install(json!({ "url": url, "metadata": [] })).await;
        assert_eq!(refused.status, 400, "{url}");
        assert!(refused.json()["error"].as_str().unwrap().starts_with("Field 'url' has invalid format: "));
    }
    let unknown = install(json!({ "url": "https://apps.example.com/no.mpk", "metadata": [] })).await;
    assert_eq!((unknown.status, unknown.header("content-type")), (500, "text/plain; charset=utf-8"));
}

#[tokio::test]
async fn an_upgrade_from_inside_reaches_the_contexts() {
    let (node, kv, _) = demo().await;
    output(&node, &kv, "set", json!({ "key": "a", "value": "1" })).await;
    node.upgrade(apps::kv_store_next());
    assert_eq!(output(&node, &kv, "rename", json!({ "from": "a", "to": "b" })).await, true);
    assert_eq!(output(&node, &kv, "get", json!({ "key": "b" })).await, "1", "the state stays");
    let app = node.application("com.calimero.kv-store").unwrap();
    assert!(node.uninstall(&app));
    assert_eq!(get(&node, &format!("/admin-api/applications/{app}")).await.status, 404);
    assert_eq!(output(&node, &kv, "len", json!({})).await, 1, "contexts of an uninstalled application go on");
}

#[tokio::test]
async fn an_own_invitation_can_be_taken_back_in() {
    let (node, kv, _) = demo().await;
    let group = get(&node, &format!("/admin-api/contexts/{kv}/group")).await.json()["data"].clone();
    let group = group.as_str().unwrap();
    let invited = with_json(&node, "POST", &format!("/admin-api/namespaces/{group}/invite"), &json!({})).await.json();
    let body = json!({ "invitation": invited["data"]["invitation"] });
    let joined = with_json(&node, "POST", &format!("/admin-api/namespaces/{group}/join"), &body).await.json();
    assert_eq!(joined["data"]["namespaceId"], group);
    let mut foreign = body.clone();
    foreign["invitation"]["invitation"]["group_id"] = json!(vec![1; 32]);
    let foreign = with_json(&node, "POST", &format!("/admin-api/namespaces/{group}/join"), &foreign).await;
    assert_eq!(foreign.status, 504);
}

#[tokio::test]
async fn an_open_subgroup_is_joined_by_inheritance() {
    let (node, kv, _) = demo().await;
    let parent = get(&node, &format!("/admin-api/contexts/{kv}/group")).await.json()["data"].clone();
    let path = format!("/admin-api/namespaces/{}/groups", parent.as_str().unwrap());
    let made = with_json(&node, "POST", &path, &json!({ "groupName": "t", "visibility": "open" })).await.json();
    let group = made["data"]["groupId"].as_str().unwrap().to_owned();
    let other = "e".repeat(64);
    let add = json!({ "members": [{ "identity": other, "role": "Admin" }] });
    with_json(&node, "POST", &format!("/admin-api/groups/{group}/members"), &add).await;
    let left = with_json(&node, "POST", &format!("/admin-api/groups/{group}/leave"), &Value::Null).await;
    assert_eq!(left.status, 200);
    let joined =
        with_json(&node, "POST", &format!("/admin-api/groups/{group}/join-via-inheritance"), &Value::Null).await;
    assert_eq!(joined.json()["data"]["wasInherited"], true);
    let members = get(&node, &format!("/admin-api/groups/{group}/members")).await.json();
    assert_eq!(members["members"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_closed_node_answers_401_without_a_word_but_its_health() {
    let setup = Setup { access: Access::Closed, ..Setup::demo() };
    let node = DevNode::start(setup).await.unwrap();
    for path in ["/admin-api/contexts", "/admin-api/applications", "/admin-api/nope"] {
        let reply = get(&node, path).await;
        assert_eq!((reply.status, reply.text().as_str(), reply.header("x-auth-error")), (401, "", ""), "{path}");
    }
    let call = with_json(&node, "POST", "/jsonrpc", &json!({})).await;
    assert_eq!((call.status, call.text().as_str()), (401, ""));
    for path in ["/admin-api/health", "/admin-api/ready", "/admin-api/is-authed"] {
        assert_eq!(get(&node, path).await.status, 200, "{path}");
    }
    node.set_access(Access::Bearer("t0".into()));
    assert_eq!(get(&node, "/admin-api/contexts").await.status, 401);
    let with = send(&node, "GET", "/admin-api/contexts", &[("authorization", "Bearer t0")], b"").await;
    assert_eq!(with.status, 200);
}

#[tokio::test]
async fn a_node_that_is_not_ready_says_so() {
    let (node, _, _) = demo().await;
    node.set_unready(Some("starting"));
    let reply = get(&node, "/admin-api/ready").await;
    assert_eq!((reply.status, reply.json()), (503, json!({ "data": { "status": "starting" } })));
    node.set_unready(None);
    assert_eq!(get(&node, "/admin-api/ready").await.status, 200);
}

#[tokio::test]
async fn a_bad_manifest_is_served_unless_the_node_looks() {
    let manifest = json!({ "schema_version": "wasm-abi/1", "types": {}, "events": [], "methods": [
        { "name": "a", "params": [], "returns": { "$ref": "Gone" } },
    ] });
    let app: App = apps::from_manifest("org.x.y", "1.0.0", manifest);
    for (verify_manifests, status) in [(false, 200), (true, 400)] {
        let setup = Setup { verify_manifests, ..Setup::empty() }.with(Seed::bare(app.clone()));
        let node = DevNode::start(setup).await.unwrap();
        let id = node.application("org.x.y").unwrap();
        assert_eq!(get(&node, &format!("/admin-api/applications/{id}/abi")).await.status, status);
    }
}

#[tokio::test]
async fn a_slow_method_holds_nobody_else_up() {
    let (node, kv, lab) = demo().await;
    let slow = execute(&node, &lab, "slow", json!({ "ms": 300 }));
    let quick = async {
        let begin = std::time::Instant::now();
        output(&node, &kv, "len", json!({})).await;
        begin.elapsed()
    };
    let (answer, quick) = tokio::join!(slow, quick);
    assert_eq!(answer["result"]["output"], 300);
    assert!(quick.as_millis() < 250, "{quick:?}");
}

#[tokio::test]
async fn aliases_are_set_looked_up_and_removed() {
    let (node, kv, _) = demo().await;
    let create = json!({ "alias": "mine", "contextId": kv });
    assert_eq!(
        with_json(&node, "POST", "/admin-api/alias/create/context", &create).await.json(),
        json!({ "data": null })
    );
    assert_eq!(with_json(&node, "POST", "/admin-api/alias/create/context", &create).await.status, 409);
    assert_eq!(node.alias(AliasKind::Context, "mine"), Some(kv.clone()));
    let listed = get(&node, "/admin-api/alias/list/context").await.json();
    assert_eq!(listed["data"]["mine"], kv.as_str());
    with_json(&node, "POST", "/admin-api/alias/delete/context/mine", &Value::Null).await;
    let lookup = with_json(&node, "POST", "/admin-api/alias/lookup/context/mine", &Value::Null).await;
    assert_eq!(lookup.json(), json!({ "data": { "value": null } }));
}

#[tokio::test]
async fn ids_are_the_same_in_every_run() {
    let (one, two) = (demo().await, demo().await);
    assert_eq!((one.1, one.2), (two.1, two.2));
}

#[tokio::test]
async fn a_stopped_node_frees_its_port() {
    let (node, _, _) = demo().await;
    let address = node.address();
    node.shutdown().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    let again = DevNode::start(Setup { port: address.port(), ..Setup::demo() }).await.unwrap();
    assert_eq!(again.address(), address);
}

#[tokio::test]
async fn a_node_without_embedded_auth_has_no_auth_service() {
    let (node, _, _) = demo().await;
    for path in ["/auth/health", "/auth/providers", "/auth/nothing"] {
        let reply = get(&node, path).await;
        assert_eq!((reply.status, reply.text().as_str()), (404, ""), "{path}");
    }
}

#[tokio::test]
async fn a_login_opens_the_node_until_its_token_expires_and_a_refresh_opens_it_again() {
    let access = Access::Embedded { user: "admin".into(), password: "development".into() };
    let node = DevNode::start(Setup { access, ..Setup::demo() }).await.unwrap();
    let login = json!({
        "auth_method": "user_password", "public_key": "admin", "client_name": "test", "timestamp": 1,
        "provider_data": { "username": "admin", "password": "development" },
    });
    let pair = with_json(&node, "POST", "/auth/token", &login).await.json()["data"].clone();
    let listed = async |pair: &Value| {
        let header = format!("Bearer {}", pair["access_token"].as_str().unwrap());
        let reply = send(&node, "GET", "/admin-api/contexts", &[("authorization", &header)], b"").await;
        (reply.status, reply.header("x-auth-error").to_owned())
    };
    assert_eq!(listed(&pair).await, (200, String::new()));
    node.expire_access_tokens();
    assert_eq!(listed(&pair).await, (401, "token_expired".to_owned()));
    let fresh = with_json(&node, "POST", "/auth/refresh", &pair).await.json()["data"].clone();
    assert_ne!(fresh, pair);
    assert_eq!(listed(&fresh).await.0, 200);
    assert_eq!(node.token_reuses(), 0);
    let again = with_json(&node, "POST", "/auth/refresh", &pair).await;
    assert_eq!((again.status, again.header("x-auth-error"), node.token_reuses()), (401, "token_reuse", 1));
    node.revoke_tokens();
    assert_eq!(listed(&fresh).await, (403, "token_revoked".to_owned()));
}
