//! What a node's refusals read like.

use crate::{APP, executes, one_app, param, scripted, serve_live};
use abi_mcp_devnode::{Fault, Generation, GuestErrorText, IdText, Setup};
use abi_mcp_tests::{App, FakeNode, LiveNode};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What calling `app_m` says when the node answers the call so.
fn said_for(error: Value) -> String {
    let (_node, mut client) = scripted(json!({}), json!([{"name": "m", "params": []}]), move |asked| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "error": error});
        executes(asked).then(|| FakeNode::json(200, &body))
    });
    let reply = client.call_app(APP, "app_m", json!({}));
    assert!(reply.is_error && reply.code().is_none(), "{}", reply.raw);
    assert!(reply.raw.get("structuredContent").is_none(), "{}", reply.raw);
    reply.text
}

#[test]
fn a01_an_apps_own_error_is_its_text_and_not_a_list_of_bytes() {
    let data = "the method call returned an error: [34, 98, 111, 111, 109, 34]";
    let text = said_for(json!({"type": "FunctionCallError", "data": data}));
    assert_eq!(text, "Error: boom");
}

#[test]
fn a18_a_failed_initialiser_gives_its_reason_or_says_there_is_none() {
    let answer = |status: u16, error: &'static str| {
        let (_node, mut client) = scripted(json!({}), json!([{"name": "m", "params": []}]), move |asked| {
            let creates = asked.method == "POST" && asked.target == "/admin-api/contexts";
            creates.then(|| FakeNode::json(status, &json!({"error": error})))
        });
        let reply = client.call("create_context", json!({"application": APP, "group": "ab".repeat(32)}));
        assert!(reply.is_error, "{}", reply.text);
        reply.text
    };
    let reason = "application initialization failed: guest panicked: init: missing field `name`";
    let text = answer(400, reason);
    assert!(text.contains(reason), "{text}");
    let text = answer(500, "Internal server error");
    assert!(text.contains("gave no reason") && text.contains("node's log"), "{text}");
}

#[test]
fn a21_no_record_is_none_in_all_its_shapes() {
    let mut texts = Vec::new();
    for body in [r#"{"data":{"value":null}}"#, r#"{"data":{"data":null}}"#, r#"{"data":null}"#, "null"] {
        let (_node, mut client) = scripted(json!({}), json!([{"name": "m", "params": []}]), move |asked| {
            asked.target.contains("/alias/lookup/").then(|| (200, vec![], body.to_owned()))
        });
        let reply = client.call("select_app", json!({"app": APP, "context": "home"}));
        assert!(reply.is_error && reply.text.contains("neither a context id nor an alias"), "{}", reply.text);
        texts.push(reply.text);
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
}

#[test]
fn a23_a_reply_of_another_shape_is_an_error_that_names_the_route() {
    for body in [r#"{"subgroups":[{"id":"s1"}]}"#, r#"{"data":{"subgroups":[]}}"#, ""] {
        let (_node, mut client) = scripted(json!({}), json!([{"name": "m", "params": []}]), move |asked| {
            let lists = asked.target == "/admin-api/contexts" || asked.target.starts_with("/admin-api/contexts?");
            lists.then(|| (200, vec![], body.to_owned()))
        });
        let reply = client.call("list_contexts", json!({}));
        assert!(reply.is_error, "{body}: {}", reply.text);
        assert!(
            reply.text.contains("unexpected reply shape") && reply.text.contains("/admin-api/contexts"),
            "{}",
            reply.text
        );
    }
}

#[test]
fn a24_a_read_is_sent_again_when_the_node_is_not_ready_and_a_write_is_not() {
    for (intent, sent) in [("read_only", 2), ("mutating", 1)] {
        let calls = AtomicUsize::new(0);
        let method = json!([{"name": "m", "params": [], "intent": intent}]);
        let (node, mut client) = scripted(json!({}), method, move |asked| {
            if !executes(asked) {
                return None;
            }
            let first = calls.fetch_add(1, Ordering::Relaxed) == 0;
            Some(if first { (503, vec![], String::new()) } else { FakeNode::output(r#""ok""#) })
        });
        let reply = client.call_app(APP, "app_m", json!({}));
        assert_eq!(node.executed().len(), sent, "{intent}: {}", reply.text);
        if intent == "read_only" {
            assert_eq!(reply.text, r#""ok""#);
        } else {
            assert!(reply.is_error && reply.text.contains("try again shortly"), "{}", reply.text);
        }
    }
}

#[test]
fn a24_a_node_that_stays_unready_is_asked_a_bounded_number_of_times() {
    let method = json!([{"name": "m", "params": [], "intent": "read_only"}]);
    let (node, mut client) = scripted(json!({}), method, |asked| executes(asked).then(|| (503, vec![], String::new())));
    let reply = client.call_app(APP, "app_m", json!({}));
    assert!(reply.is_error && reply.text.contains("try again shortly"), "{}", reply.text);
    assert_eq!(node.executed().len(), 3);
}

#[test]
fn a25_errors_of_every_type_say_what_they_mean() {
    for temporary in [
        json!({"type": "Uninitialized"}),
        json!({"type": "GroupKeyPending", "data": {"context_id": "11111111111111111111111111111111"}}),
    ] {
        let text = said_for(temporary);
        assert!(text.contains("try again shortly"), "{text}");
    }
    let context = App::context_of(crate::ID);
    let text = said_for(json!({"type": "ContextNotFound"}));
    assert!(text.contains(&context), "the context {context} is not named: {text}");
    let text = said_for(json!({"type": "InternalError"}));
    assert!(text.contains("gave no reason"), "{text}");
    let text = said_for(json!({"type": "SomethingNew", "data": {"a": [1, 2]}}));
    assert!(text.contains("SomethingNew") && text.contains(r#"{"a":[1,2]}"#), "{text}");
}

#[test]
fn every_way_a_guest_can_fail_reads_well() {
    let node = LiveNode::start(Setup::demo());
    let mut client = serve_live(&node).connect();
    let mut said = |tool: &str, arguments: Value| {
        let reply = client.call_app("types-lab", tool, arguments);
        assert!(reply.is_error, "{tool}: {}", reply.text);
        reply.text
    };
    assert_eq!(said("types_lab_fail_with_text", json!({"message": "no room"})), "Error: no room");
    let record = said("types_lab_fail_with_record", json!({"code": 7}));
    assert!(record.contains(r#""reason":"as asked""#) && record.contains("Rejected"), "{record}");
    assert!(said("types_lab_fail_with_variant", json!({})).contains("BadInput"));
    assert!(said("types_lab_panics", json!({"message": "over here"})).contains("over here"));
    assert!(said("types_lab_traps", json!({})).contains("unreachable"));
}

#[test]
fn a_node_that_breaks_off_or_talks_nonsense_is_an_error_and_no_end() {
    let node = LiveNode::start(Setup::demo());
    let mut client = serve_live(&node).connect();
    let handle = client.handle("kv-store", None);
    let on = || Fault::on("POST", "/jsonrpc");
    for fault in [on().close(), on().half_body(), on().garbage(), on().html(), on().redirect("http://127.0.0.1:1/")] {
        node.clear_faults();
        node.inject(fault);
        let reply = client.call("kv_store_len", json!({"app_handle": handle}));
        assert!(reply.is_error && reply.text.starts_with("Error: "), "{}", reply.text);
    }
    node.clear_faults();
    assert_eq!(client.call("kv_store_len", json!({"app_handle": handle})).text, "0");
}

#[test]
fn a_refusal_of_the_node_is_no_refusal_of_the_next_call() {
    let (node, mut client) = one_app(json!({}), json!([{"name": "m", "params": [param("x", crate::kind("u32"))]}]));
    crate::refuses(&node, &mut client, "app_m", json!({"x": -1}), &["`x`", "0 to 4294967295"]);
    crate::passes(&node, &mut client, "app_m", json!({"x": 1}), r#"{"x":1}"#);
}

#[test]
fn a_failure_without_words_names_the_route_and_never_a_query() {
    for (status, body, said) in [
        (500, "", "HTTP 500 Internal Server Error from"),
        (502, "<html>upstream died</html>", "the node said: <html>upstream died</html>"),
        (418, r#"{"error":"context not found"}"#, "Error: context not found"),
    ] {
        let (_node, mut client) = scripted(json!({}), json!([{"name": "m", "params": []}]), move |asked| {
            asked.target.starts_with("/admin-api/namespaces").then(|| (status, vec![], body.to_owned()))
        });
        let reply = client.call("list_namespaces", json!({}));
        assert!(reply.is_error && reply.text.contains(said) && !reply.text.contains('?'), "{}", reply.text);
        assert!(reply.text.contains("/admin-api/namespaces") || status == 418, "{}", reply.text);
    }
}

#[test]
fn odd_envelopes_of_the_node_are_read_or_refused_but_never_guessed() {
    let said = |body: &'static str| {
        let method = json!([{"name": "m", "params": [], "returns": {"kind": "u32"}}]);
        let (_node, mut client) =
            scripted(json!({}), method, move |asked| executes(asked).then(|| (200, vec![], body.to_owned())));
        client.call_app(APP, "app_m", json!({}))
    };
    for (body, text) in [
        (r#"{"jsonrpc":"2.0","id":1,"result":{"output":7}}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":"other","result":{"output":7,"more":1}}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"output":null}}"#, "null"),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "null"),
    ] {
        let reply = said(body);
        assert!(!reply.is_error && reply.text == text, "{body}: {}", reply.text);
    }
    for (body, text) in [
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such thing"}}"#, "no such thing"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"message":"only words"}}"#, "only words"),
        (r#"{"jsonrpc":"2.0","id":1,"error":"a text"}"#, "a text"),
        (r#"{"jsonrpc":"2.0","id":1}"#, "unexpected reply shape"),
        (r#"{"jsonrpc":"2.0","id":1,"result":7}"#, "unexpected reply shape"),
        ("[]", "unexpected reply shape"),
        ("", "/jsonrpc"),
    ] {
        let reply = said(body);
        assert!(reply.is_error && reply.text.contains(text), "{body}: {}", reply.text);
    }
}

#[test]
fn an_app_whose_manifest_cannot_be_read_says_why_when_it_is_selected() {
    for (manifest, said) in [
        (json!({"schema_version": "wasm-abi/9", "types": {}, "methods": [], "events": []}), "no plugin understands"),
        (json!({"schema_version": "wasm-abi/1"}), "methods"),
        (json!("text"), "manifest"),
    ] {
        let node = FakeNode::with(vec![App::new(crate::ID, APP, manifest)]);
        let mut client = crate::serve(&node).connect();
        let described = client.call("describe_app", json!({"app": APP}));
        assert!(
            described.is_error && described.text.contains(said) && described.text.contains(APP),
            "{}",
            described.text
        );
        // Selecting needs no ABI: the app and its contexts are there, and the card says what is missing.
        let selected = client.call("select_app", json!({"app": APP}));
        let problem = selected.first()["problem"].as_str().unwrap_or_default().to_owned();
        assert!(!selected.is_error && problem.contains(said), "{}", selected.text);
    }
}

#[test]
fn nodes_of_every_generation_are_served_alike() {
    for generation in [Generation::August2026, Generation::Newer] {
        for (context_ids, guest_errors) in
            [(IdText::Base58, GuestErrorText::ByteList), (IdText::Hex, GuestErrorText::Text)]
        {
            let node = LiveNode::start(Setup { generation, context_ids, guest_errors, ..Setup::demo() });
            let mut client = serve_live(&node).connect();
            let handle = client.handle("kv-store", None);
            let mut call = |method: &str, mut arguments: Value| {
                arguments["app_handle"] = json!(handle);
                client.call(&format!("kv_store_{method}"), arguments)
            };
            assert!(!call("set", json!({"key": "a", "value": "b"})).is_error);
            assert_eq!(call("get", json!({"key": "a"})).text, r#""b""#);
            let missing = call("get_result", json!({"key": "none"}));
            assert!(missing.is_error && missing.text.contains("NotFound"), "{}", missing.text);
            let panicked = call("get_unchecked", json!({"key": "none"}));
            assert!(panicked.is_error && panicked.text.contains("key not found"), "{}", panicked.text);
        }
    }
}
