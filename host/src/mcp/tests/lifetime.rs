//! The beginning and the end of a connection.

use super::client::*;
use crate::mcp::{Limits, Outcome, Stop};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Far below every grace period, with room for a busy machine. Measured alone: under 10 ms.
const AT_ONCE: Duration = Duration::from_millis(500);

#[test]
fn e22_nothing_is_said_or_started_before_the_first_request() {
    let mut client = Client::start();
    client.service.change();
    client.silent_for(Duration::from_secs(1));
    assert_eq!(client.service.opened.load(Ordering::SeqCst), 0);
    assert_eq!(client.initialize()["id"], "init");
    client.lives();
    assert_eq!(client.service.opened.load(Ordering::SeqCst), 1);
}

#[test]
fn e02_the_end_of_the_input_ends_an_idle_server_at_once() {
    let mut client = Client::start();
    client.close_input();
    let (outcome, time) = client.end();
    assert!(matches!(outcome, Outcome::InputClosed));
    assert!(time < AT_ONCE, "{time:?}");
    assert_eq!(client.service.opened.load(Ordering::SeqCst), 0);

    let mut client = Client::legacy();
    client.ask(legacy(1, "ping", json!({})));
    client.close_input();
    let (outcome, time) = client.end();
    assert!(matches!(outcome, Outcome::InputClosed));
    assert!(time < AT_ONCE, "{time:?}");
}

#[test]
fn an_open_stream_ends_with_its_answer_and_delays_nothing() {
    let mut client = Client::start();
    client.say(modern(9, "subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } })));
    client.next();
    client.close_input();
    let (outcome, time) = client.end();
    assert!(matches!(outcome, Outcome::InputClosed));
    assert!(time < AT_ONCE, "{time:?}");
    let answer = client.next();
    assert_eq!(answer["id"], 9);
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 9);
    assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "fake");
}

#[test]
fn a_stream_asked_for_with_the_last_breath_ends_too() {
    let mut client = Client::start();
    client.say(modern(9, "subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } })));
    client.close_input();
    let (_, time) = client.end();
    assert!(time < AT_ONCE, "{time:?}");
    assert_eq!(client.next()["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(client.next()["id"], 9);
}

#[test]
fn e03_requests_received_before_the_end_are_answered() {
    for _ in 0..5 {
        let mut client = Client::start();
        client.raw(format!(
            "{}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n{}\n{}",
            initialize("2025-11-25"),
            legacy(2, "tools/list", json!({})),
            // Without a line end: the end of the input ends the line.
            legacy(3, "tools/call", call("slow", json!({ "ms": 1000 }))),
        ));
        client.close_input();
        let ids: BTreeSet<String> = (0..3).map(|_| client.next()["id"].to_string()).collect();
        assert_eq!(ids, BTreeSet::from(["\"init\"".to_owned(), "2".to_owned(), "3".to_owned()]));
        assert!(matches!(client.end().0, Outcome::InputClosed));
    }
}

#[test]
fn a_call_that_outlasts_the_grace_is_cancelled_and_answered() {
    let mut client = Client::legacy();
    client.say(legacy(1, "tools/call", call("slow", json!({ "ms": 60_000 }))));
    client.close_input();
    let (outcome, time) = client.end();
    assert!(matches!(outcome, Outcome::InputClosed));
    assert!(time > Duration::from_millis(1400) && time < Duration::from_millis(2300), "{time:?}");
    assert_eq!(client.service.cancelled.load(Ordering::SeqCst), 1);
    assert_eq!(client.next()["result"]["isError"], true);
}

#[test]
fn a_call_that_ignores_cancellation_is_left_behind() {
    let mut client = Client::legacy();
    client.say(legacy(1, "tools/call", call("deaf", json!({ "ms": 60_000 }))));
    client.ask(legacy(2, "ping", json!({})));
    client.close_input();
    let (_, time) = client.end();
    assert!(time < Duration::from_millis(2400), "{time:?}");
}

#[test]
fn e04_a_stop_ends_it_although_the_input_stays_open() {
    for arguments in [None, Some("slow"), Some("deaf")] {
        let mut client = Client::legacy();
        if let Some(tool) = arguments {
            client.say(legacy(1, "tools/call", call(tool, json!({ "ms": 60_000 }))));
        }
        client.ask(legacy(2, "ping", json!({})));
        client.stop();
        let (outcome, time) = client.end();
        assert!(matches!(outcome, Outcome::Stopped(Stop::Terminate)), "{outcome:?}");
        assert!(time < Duration::from_secs(1), "{time:?}");
    }
    let mut silent = Client::start();
    silent.stop();
    assert!(matches!(silent.end().0, Outcome::Stopped(Stop::Terminate)));
}

#[test]
fn e04_a_stop_ends_it_although_nobody_reads() {
    let (mut client, _from) = Client::unread(Limits::default());
    client.say(modern(1, "tools/call", call("big", json!({ "bytes": 5_000_000 }))));
    std::thread::sleep(Duration::from_millis(300));
    client.stop();
    let (outcome, time) = client.end();
    assert!(matches!(outcome, Outcome::Stopped(_)), "{outcome:?}");
    assert!(time < Duration::from_secs(2), "{time:?}");
}

#[test]
fn e20_a_reader_that_leaves_ends_it_quietly() {
    let (mut client, from) = Client::unread(Limits::default());
    client.say(modern(1, "tools/call", call("slow", json!({ "ms": 60_000 }))));
    drop(from);
    client.say(modern(2, "tools/list", json!({})));
    let (outcome, time) = client.end();
    assert!(matches!(outcome, Outcome::OutputClosed), "{outcome:?}");
    assert!(time < Duration::from_secs(1), "{time:?}");
}

#[test]
fn answers_nobody_reads_do_not_keep_it_alive() {
    let (mut client, _from) = Client::unread(Limits::default());
    client.say(modern(1, "tools/call", call("big", json!({ "bytes": 5_000_000 }))));
    client.close_input();
    let (outcome, time) = client.end();
    assert!(matches!(outcome, Outcome::InputClosed), "{outcome:?}");
    assert!(time < Duration::from_millis(3000), "{time:?}");
}
