//! The gate: every row of the design's table of handles and contexts (§6.3), against a node with real state.

use crate::serve_live;
use abi_mcp_devnode::{AliasKind, IdText, Setup, apps};
use abi_mcp_tests::{Client, LiveNode, Reply};
use serde_json::{Value, json};

const KV: &str = "com.calimero.kv-store";
const RETRY: &str = "Call select_app for com.calimero.kv-store and retry with the returned app_handle.";

/// A node with two contexts of kv-store, their ids, and a client.
fn two_contexts(ids: IdText) -> (LiveNode, [String; 2], Client) {
    let node = LiveNode::start(Setup { context_ids: ids, ..Setup::demo() });
    let first = node.context("kv").unwrap();
    let second = node.another_context(KV, Value::Null);
    node.set_alias(AliasKind::Context, "second", &second).unwrap();
    let client = serve_live(&node).connect();
    (node, [first, second], client)
}

/// Writes through the tool and says where it landed.
fn set(client: &mut Client, node: &LiveNode, handle: Option<&str>, context: Option<&str>) -> Result<String, Reply> {
    let mark = format!("{:?}", std::time::Instant::now());
    let mut arguments = json!({"key": "mark", "value": mark});
    if let Some(handle) = handle {
        arguments["app_handle"] = handle.into();
    }
    if let Some(context) = context {
        arguments["_context"] = context.into();
    }
    let before = node.count("POST", "/jsonrpc");
    let reply = client.call("kv_store_set", arguments);
    if reply.is_error {
        assert_eq!(node.count("POST", "/jsonrpc"), before, "a refused call ran");
        return Err(reply);
    }
    let request = node.requests().into_iter().rfind(|request| request.path.ends_with("/jsonrpc")).unwrap();
    let context = request.json()["params"]["contextId"].as_str().unwrap().to_owned();
    assert_eq!(node.state(&context).unwrap()["items"]["mark"], mark.as_str());
    Ok(context)
}

#[test]
fn the_table_of_handles_and_contexts_holds_with_ids_of_both_forms() {
    for ids in [IdText::Base58, IdText::Hex] {
        let (node, [first, second], mut client) = two_contexts(ids);
        let held = client.handle(KV, Some(&first));
        let open = client.handle(KV, None);
        let mut run = |handle: Option<&str>, context: Option<&str>| set(&mut client, &node, handle, context);

        // No handle, or one this server did not make: the guide, whatever context is named.
        for handle in [None, Some("x.y"), Some(&held[1..]), Some(&*format!("{held}x"))] {
            for context in [None, Some(&*second)] {
                let reply = run(handle, context).unwrap_err();
                assert!(reply.text.ends_with(RETRY) && reply.raw["content"][1]["type"] == "resource", "{}", reply.raw);
            }
        }
        // A context in the handle.
        assert_eq!(run(Some(&held), None).unwrap(), first);
        assert_eq!(run(Some(&held), Some(&first)).unwrap(), first);
        assert_eq!(run(Some(&held), Some(&second)).unwrap(), second);
        assert_eq!(run(Some(&held), Some("second")).unwrap(), second);
        assert_eq!(run(Some(&held), Some("kv")).unwrap(), first);
        // None in the handle.
        let reply = run(Some(&open), None).unwrap_err();
        assert!(reply.text.starts_with("This app_handle names no context."), "{}", reply.text);
        assert_eq!(run(Some(&open), Some(&second)).unwrap(), second);
        // The other text form of the same id.
        assert_eq!(run(Some(&open), Some(&other_form(&second))).unwrap(), second);
        // Foreign and unknown.
        let foreign = node.context("lab").unwrap();
        for handle in [&held, &open] {
            for named in [&*foreign, &*other_form(&foreign), "lab"] {
                let reply = run(Some(handle), Some(named)).unwrap_err();
                assert!(reply.text.contains("does not belong to"), "{}", reply.text);
                assert!(reply.text.contains(&first) && reply.text.contains(&second), "{}", reply.text);
            }
            let reply = run(Some(handle), Some("nowhere")).unwrap_err();
            assert!(reply.text.contains("neither a context id nor an alias") && reply.text.contains(&first));
        }
        // The handle's context goes.
        assert!(node.delete_context(&first));
        assert!(run(Some(&held), None).unwrap_err().text.ends_with(RETRY));
        assert_eq!(run(Some(&held), Some(&second)).unwrap(), second);
    }
}

/// The id in the text form it does not have.
fn other_form(id: &str) -> String {
    match id.len() {
        64 => bs58::encode(hex::decode(id).unwrap()).into_string(),
        _ => hex::encode(bs58::decode(id).into_vec().unwrap()),
    }
}

#[test]
fn a_refusal_comes_before_any_word_on_the_arguments() {
    let (_node, _, mut client) = two_contexts(IdText::Base58);
    let reply = client.call("kv_store_set", json!({"bogus": 1, "app_handle": "no"}));
    assert!(reply.is_error && reply.text.ends_with(RETRY) && !reply.text.contains("bogus"), "{}", reply.text);
    let reply = client.call("kv_store_set", json!({"key": "a", "value": "b", "app_handle": 7}));
    assert!(reply.is_error && reply.text.ends_with(RETRY), "{}", reply.text);
}

#[test]
fn an_alias_is_looked_up_at_every_call() {
    let (node, [first, second], mut client) = two_contexts(IdText::Base58);
    let open = client.handle(KV, None);
    assert_eq!(set(&mut client, &node, Some(&open), Some("second")).unwrap(), second);
    node.set_alias(AliasKind::Context, "second", &first).unwrap();
    assert_eq!(set(&mut client, &node, Some(&open), Some("second")).unwrap(), first);
}

#[test]
fn another_apps_handle_is_refused_with_the_guide_of_the_tools_app() {
    let (_node, _, mut client) = two_contexts(IdText::Base58);
    let lab = client.handle("types-lab", None);
    let reply = client.call("kv_store_len", json!({"app_handle": lab}));
    assert!(reply.is_error && reply.text.ends_with(RETRY), "{}", reply.text);
}

#[test]
fn an_upgrade_ends_a_held_handle_and_the_next_one_reaches_the_new_version() {
    let (node, [first, _], mut client) = two_contexts(IdText::Base58);
    client.tools();
    let held = client.handle(KV, Some(&first));
    assert_eq!(set(&mut client, &node, Some(&held), None).unwrap(), first);
    node.upgrade(apps::kv_store_next());
    assert!(set(&mut client, &node, Some(&held), None).unwrap_err().text.ends_with(RETRY));
    client.notified("notifications/tools/list_changed");
    // A tool the new version has not any more.
    let reply = client.request("tools/call", json!({"name": "kv_store_get_unchecked", "arguments": {"key": "a"}}));
    assert!(reply["error"]["code"] == -32602 || reply["result"]["isError"] == true, "{reply}");
    let held = client.handle(KV, Some(&first));
    assert_eq!(set(&mut client, &node, Some(&held), None).unwrap(), first);
    let reply = client.call("kv_store_rename", json!({"app_handle": held, "from": "mark", "to": "moved"}));
    assert_eq!(reply.text, "true");
}

#[test]
fn an_upgrade_is_noticed_by_call_too() {
    let (node, [first, _], mut client) = two_contexts(IdText::Base58);
    let held = client.handle(KV, Some(&first));
    node.upgrade(apps::kv_store_next());
    let reply = client.call("call", json!({"method": "len", "app_handle": held}));
    assert!(reply.is_error && reply.text.ends_with(RETRY), "{}", reply.text);
    let held = client.handle(KV, Some(&first));
    let reply = client.call("call", json!({"method": "rename", "args": {"from": "a", "to": "b"}, "app_handle": held}));
    assert_eq!(reply.text, "false");
}

#[test]
fn an_uninstalled_app_refuses_with_the_guide_it_had_and_leaves_the_list() {
    let (node, [first, _], mut client) = two_contexts(IdText::Base58);
    client.tools();
    let held = client.handle(KV, Some(&first));
    assert!(node.uninstall(&node.application(KV).unwrap()));
    let reply = set(&mut client, &node, Some(&held), None).unwrap_err();
    assert!(reply.text.ends_with(RETRY) && reply.raw["content"][1]["type"] == "resource", "{}", reply.raw);
    client.notified("notifications/tools/list_changed");
    assert!(!client.tools().iter().any(|tool| tool["name"] == "kv_store_set"));
    let reply = client.call("call", json!({"method": "len", "app_handle": held}));
    assert_eq!(reply.text, "Call select_app for the application and retry with the returned app_handle.");
    assert!(reply.is_error);
}

#[test]
fn a_handle_outlives_the_server_that_made_it() {
    let node = LiveNode::start(Setup::demo());
    let state = tempfile::tempdir().unwrap();
    let spawn = serve_live(&node).variable("CALIMERO_MCP_STATE_DIR", state.path());
    let held = spawn.connect().handle(KV, None);
    let reply = spawn.connect().call("kv_store_len", json!({"app_handle": held}));
    assert_eq!(reply.text, "0");
}

#[test]
fn an_alias_of_any_spelling_is_data_and_no_path() {
    let (node, [_, second], mut client) = two_contexts(IdText::Base58);
    for alias in ["my home", "a/b?c#d", "häuschen", "..%2F"] {
        node.set_alias(AliasKind::Context, alias, &second).unwrap();
        let reply = client.call("select_app", json!({"app": KV, "context": alias}));
        assert_eq!(reply.first()["context"], second, "{alias}");
    }
    let reply = client.call("select_app", json!({"app": KV, "context": ".."}));
    assert!(reply.is_error, "{}", reply.text);
}

#[test]
fn two_handles_at_once_go_their_own_ways() {
    let (node, [first, second], mut client) = two_contexts(IdText::Base58);
    let (one, two) = (client.handle(KV, Some(&first)), client.handle(KV, Some(&second)));
    let ids: Vec<Value> = (0..10)
        .map(|at| {
            let (handle, value) = if at % 2 == 0 { (&one, "first") } else { (&two, "second") };
            let arguments = json!({"app_handle": handle, "key": format!("k{at}"), "value": value});
            client.send("tools/call", json!({"name": "kv_store_set", "arguments": arguments}))
        })
        .collect();
    for id in ids {
        assert_ne!(client.answer(&id)["result"]["isError"], json!(true));
    }
    for (context, value) in [(first, "first"), (second, "second")] {
        let state = node.state(&context).unwrap();
        let items = state["items"].as_object().unwrap();
        assert!(items.len() == 5 && items.values().all(|item| item == value), "{state}");
    }
}
