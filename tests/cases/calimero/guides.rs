//! Guides: shown once, pointed to, read as resources; and how lists change.

use crate::serve_live;
use abi_mcp_devnode::{Setup, apps};
use abi_mcp_tests::{App, Client, FakeNode, LiveNode, Reply, Spawn, manifest};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The resources embedded in a reply.
fn guides(reply: &Reply) -> Vec<Value> {
    let blocks = reply.raw["content"].as_array().unwrap();
    blocks.iter().filter(|block| block["type"] == "resource").map(|block| block["resource"].clone()).collect()
}

#[test]
fn a_guide_is_shown_once_then_pointed_to_and_again_when_asked() {
    let node = LiveNode::start(Setup::demo());
    let mut client = serve_live(&node).connect();
    let first = client.call("select_app", json!({"app": "kv-store"}));
    let shown = guides(&first);
    assert_eq!(shown.len(), 1, "{}", first.raw);
    assert_eq!(shown[0]["mimeType"], "text/markdown");
    assert_eq!(shown[0]["_meta"]["package"], "com.calimero.kv-store");
    assert!(first.text.contains("App guide, provided by the app's author (package com.calimero.kv-store, signer "));
    let uri = shown[0]["uri"].as_str().unwrap();
    assert_eq!(first.first()["guide"], uri);

    let second = client.call("select_app", json!({"app": "kv-store"}));
    assert!(guides(&second).is_empty());
    let pointer = format!("This app's guide was shown earlier this session; read {uri} if it is not in your context.");
    assert!(second.text.contains(&pointer), "{}", second.text);

    let verbose = client.call("select_app", json!({"app": "kv-store", "verbose": true}));
    assert_eq!(guides(&verbose), shown);
    assert!(verbose.first()["methods"].to_string().contains("set_if_absent"));
    assert_eq!(guides(&client.call("describe_app", json!({"app": "kv-store"}))), shown);
    let refusal = client.call("kv_store_len", json!({}));
    assert!(refusal.is_error && guides(&refusal) == shown);
    assert!(
        refusal.text.ends_with("Call select_app for com.calimero.kv-store and retry with the returned app_handle.")
    );

    node.upgrade(apps::kv_store_next());
    let next = client.call("select_app", json!({"app": "kv-store"}));
    assert_eq!(guides(&next).len(), 1, "a new version shows its guide again");
    assert_ne!(guides(&next)[0]["uri"], uri);
}

#[test]
fn an_app_without_a_guide_says_so() {
    let node = LiveNode::start(Setup::demo());
    let mut client = serve_live(&node).connect();
    let reply = client.call("describe_app", json!({"app": "types-lab"}));
    assert!(reply.text.contains("This app ships no guide."), "{}", reply.text);
    assert!(reply.first().get("guide").is_none());
}

#[test]
fn guides_are_resources_with_a_template_and_completion() {
    let node = LiveNode::start(Setup::demo());
    let id = node.application("com.calimero.kv-store").unwrap();
    let mut client = serve_live(&node).connect();
    client.tools();
    let uri = format!("calimero://apps/{id}/1.0.0/guide");
    let list = client.request("resources/list", json!({}));
    assert_eq!(list["result"]["resources"].as_array().unwrap().len(), 1, "{list}");
    assert_eq!(list["result"]["resources"][0]["uri"], uri.as_str());
    assert_eq!(list["result"]["resources"][0]["name"], "KV Store guide");
    let read = client.request("resources/read", json!({"uri": uri}));
    assert_eq!(read["result"]["contents"][0]["mimeType"], "text/markdown", "{read}");
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains('#'));

    let templates = client.request("resources/templates/list", json!({}));
    let template = "calimero://apps/{applicationId}/{version}/guide";
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], template);
    let mut complete = |name: &str, value: &str| {
        let params =
            json!({"ref": {"type": "ref/resource", "uri": template}, "argument": {"name": name, "value": value}});
        client.request("completion/complete", params)["result"]["completion"]["values"].clone()
    };
    assert_eq!(complete("applicationId", &id[..3]), json!([id]));
    assert_eq!(complete("version", ""), json!(["1.0.0"]));
    assert_eq!(complete("version", "9"), json!([]));

    let gone = client.request("resources/read", json!({"uri": "calimero://apps/none/1/guide"}));
    let code = gone["error"]["code"].as_i64().unwrap();
    assert_eq!(code, -32002, "{gone}");
    let gone = serve_live(&node).start().modern("resources/read", json!({"uri": "calimero://apps/none/1/guide"}));
    assert_eq!(gone["error"]["code"], -32602, "{gone}");
}

/// Waits for announcements until the tool is listed: the first read of the apps is announced as well.
fn announced(client: &mut Client, tool: &str) {
    loop {
        client.notified("notifications/tools/list_changed");
        if client.tools().iter().any(|listed| listed["name"] == tool) {
            return;
        }
    }
}

#[test]
fn an_install_that_a_call_notices_changes_the_lists_and_is_announced() {
    let node = LiveNode::start(Setup::demo());
    let mut client = serve_live(&node).connect();
    assert!(!client.tools().iter().any(|tool| tool["name"] == "notes_add"));
    node.install(apps::notes());
    let reply = client.call("describe_app", json!({"app": "notes"}));
    assert!(!reply.is_error, "{}", reply.text);
    announced(&mut client, "notes_add");
    client.notified("notifications/resources/list_changed");

    // Selecting what is known changes nothing.
    while client.read(Duration::from_millis(300)) {}
    client.notifications.clear();
    client.call("select_app", json!({"app": "kv-store"}));
    while client.read(Duration::from_millis(300)) {}
    assert_eq!(client.notifications, Vec::<Value>::new());
}

#[test]
fn an_install_nobody_asks_for_is_announced_by_the_poll() {
    let node = LiveNode::start(Setup::demo());
    let mut client = serve_live(&node).connect();
    client.tools();
    node.install(apps::notes());
    announced(&mut client, "notes_add");
}

#[test]
fn a_node_that_comes_up_later_brings_its_tools() {
    let asked = AtomicUsize::new(0);
    let app = App::new(crate::ID, crate::APP, manifest(json!({}), json!([{"name": "m", "params": []}])));
    let node = FakeNode::scripted(vec![app], move |request| {
        let lists = request.target.starts_with("/admin-api/applications") && request.method == "GET";
        (lists && asked.fetch_add(1, Ordering::Relaxed) < 2).then(|| (502, vec![], String::new()))
    });
    let mut client = crate::serve(&node).connect();
    let tools = client.tools();
    assert!(tools.iter().any(|tool| tool["name"] == "select_app"));
    assert!(!tools.iter().any(|tool| tool["name"] == "app_m"));
    assert!(client.stderr_line("app list unavailable").contains("502"));
    announced(&mut client, "app_m");
    assert!(!client.call_app(crate::APP, "app_m", json!({})).is_error);
    assert_eq!(client.stderr().matches("app list unavailable").count(), 1, "{}", client.stderr());
}

#[test]
fn without_a_node_the_fixed_tools_say_what_to_do() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    let mut client = Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp")).node(&url).connect();
    assert!(client.tools().iter().any(|tool| tool["name"] == "node_status"));
    for tool in ["node_status", "list_applications", "list_namespaces"] {
        let reply = client.call(tool, json!({}));
        assert!(reply.is_error && reply.text.contains(&format!("Cannot reach the node at {url}")), "{}", reply.text);
    }
    let status = client.call("node_status", json!({}));
    assert!(status.text.contains("serve --embedded") && status.text.contains("doctor"), "{}", status.text);
    let reply = client.call("select_app", json!({"app": "kv"}));
    assert!(reply.is_error && reply.text.contains("Cannot reach the node"), "{}", reply.text);
}
