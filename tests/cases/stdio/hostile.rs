//! Hostile plugins behind the whole server: what one does stays its own affair.
//!
//! The released binary only has its bundled plugins, so these servers run in the test, made of the same parts; only
//! the registry has one plugin more. Each app of the node asks the hostile guest for one behaviour (`behave.rs` of
//! the guest); the app `com.example.kv` beside them is mapped by the bundled plugin.

use crate::SOON;
use crate::assert_clean;
use crate::hosted::{self, Hosted, WORKERS};
use abi_mcp::mcp::Outcome;
use abi_mcp::sandbox::{Bounds, Limits};
use abi_mcp_tests::{App, Client, FakeNode, manifest};
use serde_json::{Value, json};
use std::time::Duration;

/// The neighbour can be listed, described and called.
fn the_neighbour_works(hosted: &mut Hosted) {
    hosted.client.tool("kv_say");
    let answer = hosted.client.call_app("com.example.kv", "kv_say", json!({"text": "hello"}));
    assert!(answer.text.contains("hello"), "{}", answer.text);
}

fn start(node: &FakeNode, limits: Limits) -> Hosted {
    Hosted::start(hosted::node(node), "hostile", "calimero", limits)
}

/// The usual limits with another time for manifests.
fn manifests_in(time: Duration) -> Limits {
    let usual = Limits::default();
    Limits { manifest: Bounds { time, ..usual.manifest }, ..usual }
}

fn neighbour() -> App {
    let text = json!([{"name": "text", "type": {"kind": "string"}}]);
    let methods = json!([{"name": "say", "params": text}]);
    App::new("appKV", "com.example.kv", manifest(json!({}), methods))
}

/// An app for one behaviour, `com.example.<behaviour>`.
fn hostile(behaviour: &str) -> App {
    App::new(&format!("app-{behaviour}"), &format!("com.example.{behaviour}"), json!({"behave": behaviour}))
}

fn apps(behaviours: &[&str]) -> Vec<App> {
    std::iter::once(neighbour()).chain(behaviours.iter().map(|behaviour| hostile(behaviour))).collect()
}

fn describe(client: &mut Client, behaviour: &str) -> Value {
    client.send("tools/call", json!({"name": "describe_app", "arguments": {"app": format!("com.example.{behaviour}")}}))
}

#[test]
fn d01_while_a_mapper_loops_everything_else_answers() {
    let node = FakeNode::with(apps(&["loop"]));
    // Longer than anything waits: what is answered, is answered during the loop.
    let mut hosted = start(&node, manifests_in(Duration::from_secs(600)));
    hosted.client.only_a_ping_is_answered();
    the_neighbour_works(&mut hosted);
    let looping = describe(&mut hosted.client, "loop");
    hosted.client.only_a_ping_is_answered();
    the_neighbour_works(&mut hosted);
    hosted.client.notify("notifications/cancelled", json!({"requestId": looping}));
    let (outcome, time) = hosted.end();
    assert!(matches!(outcome, Outcome::InputClosed) && time < SOON, "{outcome:?} {time:?}");
}

#[test]
fn d01_a_loop_ends_at_its_limit_and_the_answer_names_the_plugin() {
    let node = FakeNode::with(apps(&["loop", "render-loop", "recognise-loop"]));
    let mut hosted = start(&node, manifests_in(Duration::from_millis(300)));
    for behaviour in ["loop", "render-loop", "recognise-loop"] {
        let id = describe(&mut hosted.client, behaviour);
        let answer = hosted.client.answer(&id);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(answer["result"]["isError"], true, "{text}");
        assert!(text.contains("plugin `hostile` 0.1.0 ran longer than its 300 ms limit"), "{text}");
    }
    the_neighbour_works(&mut hosted);
}

#[test]
fn d13_cancelling_a_spinning_call_stops_its_guest_and_frees_its_worker() {
    let node = FakeNode::with(apps(&["tidy"]));
    let mut hosted = start(&node, manifests_in(Duration::from_secs(600)));
    hosted.client.tool("tidy_get");
    node.set_apps(apps(&["tidy", "loop", "fresh"]));
    // Each would keep a worker for ten minutes.
    for _ in 0..2 * WORKERS {
        let id = describe(&mut hosted.client, "loop");
        std::thread::sleep(Duration::from_millis(150));
        hosted.client.only_a_ping_is_answered();
        hosted.client.notify("notifications/cancelled", json!({"requestId": id}));
    }
    // A new app is mapped only by a worker that is free.
    let id = describe(&mut hosted.client, "fresh");
    let answer = hosted.client.answer(&id);
    assert_ne!(answer["result"]["isError"], true, "{answer}");
    hosted.client.only_a_ping_is_answered();
    the_neighbour_works(&mut hosted);
}

#[test]
fn d13_the_end_of_the_input_ends_a_spinning_call() {
    let node = FakeNode::with(apps(&[]));
    let mut hosted = start(&node, manifests_in(Duration::from_secs(600)));
    the_neighbour_works(&mut hosted);
    node.set_apps(apps(&["loop"]));
    let id = describe(&mut hosted.client, "loop");
    std::thread::sleep(Duration::from_millis(150));
    hosted.client.only_a_ping_is_answered();
    let (outcome, time) = hosted.end();
    assert!(matches!(outcome, Outcome::InputClosed), "{outcome:?}");
    // The grace for answers, the grace for cancelled calls, and room for a busy machine.
    assert!(time < Duration::from_secs(6), "{time:?}");
    let answer = hosted.client.answer(&id);
    assert!(answer["result"]["isError"] == true || answer["error"].is_object(), "{answer}");
}

#[test]
fn d02_bombs_crashes_and_floods_leave_their_neighbours_working() {
    let behaviours = [
        ("memory", "512 MiB"),
        ("hand-over-two-gigabytes", "512 MiB"),
        ("two-gigabytes", "512 MiB"),
        ("flood", "64 MiB"),
        ("stack", "overflowed its stack"),
        ("frames", "stopped with a fault"),
        ("panic", "stopped with a fault"),
        ("wild-pointer", "stopped with a fault"),
        ("recognise-panic", "stopped with a fault"),
        ("recognise-stack", "overflowed its stack"),
        ("evil", "named an ecosystem"),
        ("malformed", "expected a list"),
    ];
    let names: Vec<&str> = behaviours.iter().map(|(name, _)| *name).collect();
    let node = FakeNode::with(apps(&names));
    let mut hosted = start(&node, Limits::default());
    the_neighbour_works(&mut hosted);
    for (behaviour, reason) in behaviours {
        let id = describe(&mut hosted.client, behaviour);
        let answer = hosted.client.answer(&id);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(answer["result"]["isError"], true, "{behaviour}: {text}");
        assert!(text.contains("plugin `hostile` 0.1.0") && text.contains(reason), "{behaviour}: {text}");
        assert_clean(&answer);
    }
    the_neighbour_works(&mut hosted);
    assert!(matches!(hosted.end().0, Outcome::InputClosed));
}

#[test]
fn d02_answers_that_break_the_contract_cost_one_method_at_most() {
    let behaviours = [
        "garbage-schema",
        "array-schema",
        "untyped-schema",
        "garbage-output-schema",
        "garbage-meta",
        "twin-parameters",
        "big-plan",
        "short-signatures",
        "render-fault",
    ];
    let node = FakeNode::with(apps(&behaviours));
    let mut hosted = start(&node, Limits::default());
    the_neighbour_works(&mut hosted);
    let tools = hosted.client.tools();
    for behaviour in behaviours {
        let app = behaviour.replace('-', "_");
        let has = |method: &str| tools.iter().any(|tool| tool["name"] == format!("{app}_{method}"));
        assert!(has("get") && has("put"), "{behaviour}");
        let whole = ["short-signatures", "render-fault"].contains(&behaviour);
        assert_eq!(has("odd"), whole, "{behaviour}");
    }
    for tool in &tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    }
    let answer =
        hosted.client.call_app("com.example.garbage-schema", "garbage_schema_put", json!({"key": "k", "value": "v"}));
    assert!(answer.text.contains("\"k\""), "{}", answer.text);
}

#[test]
fn d08_hostile_text_is_listed_and_described_clean() {
    let node = FakeNode::with(apps(&["evil-text"]));
    let mut hosted = start(&node, Limits::default());
    the_neighbour_works(&mut hosted);
    let list = hosted.client.request("tools/list", json!({}));
    assert_clean(&list);
    let names: Vec<&str> =
        list["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let evil: Vec<&&str> = names.iter().filter(|name| name.starts_with("evil_text_")).collect();
    assert_eq!(evil.len(), 3, "{evil:?}");
    for name in &names {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        assert!(name.len() <= 64 && name.chars().all(plain), "{name}");
    }
    for tool in ["describe_app", "select_app"] {
        let arguments = json!({"app": "com.example.evil-text", "verbose": tool == "select_app"});
        let arguments = if tool == "select_app" { arguments } else { json!({"app": "com.example.evil-text"}) };
        let answer = hosted.client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        assert_clean(&answer);
    }
    let found = hosted.client.request("tools/call", json!({"name": "find_tools", "arguments": {"query": "passwd"}}));
    assert_clean(&found);
}
