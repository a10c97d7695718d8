//! Change notifications, cancellation, and calls that do not wait for each other.

use super::client::*;
use crate::mcp::Limits;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

fn cancelled(id: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "reason": "x" } })
}

fn listen(id: impl Into<Value>, filter: Value) -> Value {
    modern(id, "subscriptions/listen", json!({ "notifications": filter }))
}

#[test]
fn legacy_clients_hear_of_changes_once_a_burst() {
    let mut client = Client::legacy();
    client.ask(legacy(1, "ping", json!({})));
    for _ in 0..5 {
        client.service.change();
    }
    for list in ["tools", "resources"] {
        let method = format!("notifications/{list}/list_changed");
        assert_eq!(client.next(), json!({ "jsonrpc": "2.0", "method": method }));
    }
    client.silent_for(SILENCE);
    client.service.change();
    assert_eq!(client.next()["method"], "notifications/tools/list_changed");
}

#[test]
fn legacy_clients_hear_nothing_before_they_are_initialized() {
    let mut client = Client::start();
    client.ask(initialize("2025-11-25"));
    client.service.change();
    client.silent_for(SILENCE);
    client.say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    // What changed in between is told now.
    assert_eq!(client.next()["method"], "notifications/tools/list_changed");
}

#[test]
fn modern_clients_hear_nothing_without_a_stream() {
    let mut client = Client::start();
    client.lives();
    client.service.change();
    client.silent_for(SILENCE);
}

#[test]
fn streams_are_acknowledged_filtered_tagged_and_independent() {
    let mut client = Client::start();
    client.say(listen(
        9,
        json!({ "toolsListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["x://a"] }),
    ));
    assert_eq!(
        client.next(),
        json!({ "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
            "params": { "_meta": { SUBSCRIPTION: 9 }, "notifications": { "toolsListChanged": true } } })
    );
    client.say(listen("9", json!({ "resourcesListChanged": true })));
    assert_eq!(client.next()["params"]["notifications"], json!({ "resourcesListChanged": true }));
    client.say(listen("none", json!({})));
    assert_eq!(client.next()["params"]["notifications"], json!({}));
    client.service.change();
    let mut heard = [client.next(), client.next()].map(|message| {
        (message["method"].as_str().unwrap().to_owned(), message["params"]["_meta"][SUBSCRIPTION].clone())
    });
    heard.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(
        heard,
        [
            ("notifications/resources/list_changed".to_owned(), json!("9")),
            ("notifications/tools/list_changed".to_owned(), json!(9)),
        ]
    );
    client.say(cancelled(json!(9)));
    client.lives();
    client.service.change();
    assert_eq!(client.next()["params"]["_meta"][SUBSCRIPTION], "9");
    client.silent_for(SILENCE);
}

#[test]
fn e17_cancelling_stops_the_work_and_nothing_more_is_said_of_it() {
    let mut client = Client::legacy();
    client.say(cancelled(json!(999)));
    client.say(cancelled(json!(null)));
    client.say(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled" }));
    client.say(legacy(1, "tools/call", call("slow", json!({ "ms": 60_000 }))));
    client.ask(legacy(2, "ping", json!({})));
    // A call that was cancelled before it began has no work to stop.
    client.silent_for(SILENCE);
    client.say(cancelled(json!(1)));
    client.silent_for(SILENCE);
    assert_eq!(client.service.cancelled.load(Ordering::SeqCst), 1);
    client.lives();
}

#[test]
fn e13_a_number_and_its_digits_are_two_ids() {
    let mut client = Client::legacy();
    client.say(legacy(1, "tools/call", call("slow", json!({ "ms": 500 }))));
    assert!(client.ask(legacy("1", "tools/list", json!({})))["result"]["tools"].is_array());
    client.say(legacy("1", "tools/call", call("slow", json!({ "ms": 60_000 }))));
    client.say(cancelled(json!("1")));
    let answer = client.next();
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(1), &json!("slept")));
    client.silent_for(SILENCE);
}

#[test]
fn e18_a_slow_call_delays_nobody() {
    let mut client = Client::legacy();
    client.say(legacy(1, "tools/call", call("slow", json!({ "ms": 1000 }))));
    let start = Instant::now();
    client.ask(legacy(2, "ping", json!({})));
    client.ask(legacy(3, "tools/call", call("add", json!({}))));
    assert!(start.elapsed() < Duration::from_millis(500));
    assert_eq!(client.next()["id"], 1);
}

#[test]
fn calls_over_the_limit_wait_and_may_be_cancelled_while_they_do() {
    let mut client = Client::with(Limits { calls: 1, ..Limits::default() });
    client.initialize();
    for id in 1..=3 {
        client.say(legacy(id, "tools/call", call("slow", json!({ "ms": 300 }))));
        client.ask(legacy("p", "ping", json!({})));
    }
    client.say(cancelled(json!(2)));
    let answers = [client.next(), client.next()].map(|answer| answer["id"].clone());
    assert_eq!(answers, [json!(1), json!(3)]);
    assert_eq!(client.service.cancelled.load(Ordering::SeqCst), 0);
    client.silent_for(SILENCE);
}

#[test]
fn a_panic_is_an_answer_and_the_server_lives() {
    let mut client = Client::legacy();
    for id in 1..=3 {
        assert_eq!(code(&client.ask(legacy(id, "tools/call", call("boom", json!({}))))), -32603);
    }
    assert_eq!(code(&client.ask(modern(1, "tools/call", call("boom", json!({}))))), -32603);
    client.lives();
}

#[test]
fn a_long_call_tells_of_itself_when_asked_and_says_nothing_after_its_answer() {
    for is_legacy in [true, false] {
        let make = |id: i32, params| match is_legacy {
            true => legacy(id, "tools/call", params),
            false => modern(id, "tools/call", params),
        };
        let mut client = Client::with(Limits { progress: Duration::from_millis(40), ..Limits::default() });
        if is_legacy {
            client.initialize();
        }
        let mut ask = make(1, call("slow", json!({ "ms": 300 })));
        ask["params"]["_meta"]["progressToken"] = json!("mine");
        client.say(ask);
        let mut last = 0.0;
        let mut told = 0;
        let answer = loop {
            let message = client.next();
            if message["id"] == 1 {
                break message;
            }
            assert_eq!(message["method"], "notifications/progress", "{message}");
            assert_eq!(message["params"]["progressToken"], "mine");
            let progress = message["params"]["progress"].as_f64().unwrap();
            assert!(progress > last, "{progress} after {last}");
            last = progress;
            told += 1;
        };
        assert!(told >= 2 && answer["result"]["isError"] != true, "{told} times, {answer}");
        client.silent_for(SILENCE);
        // Nobody asked.
        let answer = client.ask(make(2, call("slow", json!({ "ms": 150 }))));
        assert!(answer["result"].is_object(), "{answer}");
    }
}
