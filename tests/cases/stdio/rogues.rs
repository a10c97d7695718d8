//! Hostile tool extensions: whatever one lists or does stays its own affair.
//!
//! The guest `rogue` lists what its configuration says and does what its arguments say; `greeter` beside it must work on.

use crate::SOON;
use crate::assert_clean;
use crate::extensions::{everything, rogue};
use crate::hosted::{self, Extension, Hosted, WORKERS};
use abi_mcp::artifact::Allowed;
use abi_mcp::mcp::Outcome;
use abi_mcp::model::Grants;
use abi_mcp::sandbox::{Bounds, Limits};
use abi_mcp::tools::Setup;
use abi_mcp_tests::{App, FakeNode, Reply, WebServer, manifest};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn limits(time: Duration) -> Limits {
    let usual = Limits::default();
    Limits { extension: Bounds { time, ..usual.extension }, manifest: Bounds { time, ..usual.manifest }, ..usual }
}

fn listing(behave: &str) -> Extension<'static> {
    let mut extension = rogue(everything());
    extension.allowed.config = [("behave".to_owned(), json!(behave))].into();
    extension
}

fn beside_a_greeter(rogue: Extension<'static>, limits: Limits) -> Hosted {
    let greeter = Extension { name: "greeter", guest: "greeter", allowed: Allowed::default() };
    Hosted::extending(hosted::nothing(), &[rogue, greeter], limits, Setup::default())
}

fn act(hosted: &mut Hosted, behave: &str, at: &str) -> Reply {
    hosted.client.call("rogue_act", json!({"behave": behave, "at": at}))
}

fn start(hosted: &mut Hosted, behave: &str, at: &str) -> Value {
    hosted.client.send("tools/call", json!({"name": "rogue_act", "arguments": {"behave": behave, "at": at}}))
}

fn the_neighbour_works(hosted: &mut Hosted) {
    assert_eq!(hosted.client.call("greeter_greet", json!({"name": "Ada"})).text, "Hello, Ada.");
}

#[test]
fn d01_d02_whatever_a_tool_does_costs_its_own_call_only() {
    let mut hosted = beside_a_greeter(rogue(everything()), limits(Duration::from_secs(2)));
    for (behave, says) in [
        ("spin", "2 s limit"),
        ("bomb", "memory"),
        ("trap", "unreachable"),
        ("stack", "overflowed its stack"),
        ("flood", "handed over more"),
        ("garbage", "not JSON"),
        ("no-answer", "neither text nor a value"),
        ("sleep", "2 s limit"),
        ("handles", "stopped with a fault"),
    ] {
        let reply = act(&mut hosted, behave, "");
        assert!(reply.is_error && reply.text.contains("plugin `rogue` 0.1.0"), "{behave}: {}", reply.text);
        assert!(reply.text.contains(says), "{behave}: {}", reply.text);
        the_neighbour_works(&mut hosted);
    }
    assert_eq!(act(&mut hosted, "echo", "still here").text, "still here");
}

#[test]
fn a_thousand_handles_are_the_most_and_fewer_are_none_of_our_business() {
    let mut hosted = beside_a_greeter(rogue(everything()), Limits::default());
    // Each waits for a time: one handle for that, one for the waiting.
    assert_eq!(act(&mut hosted, "handles", "490").text, "490");
    let over = act(&mut hosted, "handles", "501");
    assert!(over.is_error && over.text.contains("stopped with a fault"), "{}", over.text);
    assert_eq!(act(&mut hosted, "handles", "490").text, "490", "the table was that call's own");
}

#[test]
fn d01_d02_whatever_an_extension_does_while_it_lists_costs_its_own_tools_only() {
    for (behave, says) in
        [("spin", "3 s limit"), ("bomb", "memory"), ("trap", "unreachable"), ("flood", "handed over more")]
    {
        let mut hosted = beside_a_greeter(listing(behave), limits(Duration::from_secs(3)));
        the_neighbour_works(&mut hosted);
        let text = hosted.client.call("call", json!({"method": "rogue_act", "args": {"behave": "echo"}})).text;
        assert!(text.contains("plugin `rogue` 0.1.0") && text.contains("listing its tools"), "{behave}: {text}");
        assert!(text.contains(says), "{behave}: {text}");
    }
}

#[test]
fn a_call_that_sleeps_in_the_host_ends_at_its_limit() {
    let web = WebServer::start();
    let grants = Grants { http: vec![web.address().to_owned()], ..everything() };
    let mut hosted = beside_a_greeter(rogue(grants), limits(Duration::from_secs(2)));
    hosted.client.tool("rogue_act");
    let started = Instant::now();
    let reply = act(&mut hosted, "fetch", &format!("{}/silent", web.address()));
    assert!(reply.is_error && reply.text.contains("2 s limit"), "{}", reply.text);
    assert!(!web.asked().is_empty(), "it waits for an answer");
    assert!((Duration::from_secs(2)..SOON).contains(&started.elapsed()), "{:?}", started.elapsed());
    the_neighbour_works(&mut hosted);
}

#[test]
fn d13_cancelled_calls_end_whether_they_spin_or_sleep_and_give_their_workers_back() {
    let mut hosted = beside_a_greeter(rogue(everything()), limits(Duration::from_secs(600)));
    hosted.client.tool("rogue_act");
    for behave in ["spin", "sleep", "after-cancel"] {
        // Each would keep a worker for ten minutes, and they are more than there may be at once.
        let ids: Vec<Value> = (0..2 * WORKERS).map(|_| start(&mut hosted, behave, "")).collect();
        std::thread::sleep(Duration::from_millis(200));
        hosted.client.only_a_ping_is_answered();
        for id in &ids {
            hosted.client.notify("notifications/cancelled", json!({"requestId": id}));
        }
        the_neighbour_works(&mut hosted);
        // All of its turns are free again; an answer after the cancellation would have come by now.
        assert_eq!(act(&mut hosted, "echo", "again").text, "again");
        hosted.client.only_a_ping_is_answered();
    }
}

#[test]
fn d13_the_end_of_the_input_ends_a_call_that_sleeps() {
    let mut hosted = beside_a_greeter(rogue(everything()), limits(Duration::from_secs(600)));
    hosted.client.tool("rogue_act");
    start(&mut hosted, "sleep", "");
    std::thread::sleep(Duration::from_millis(200));
    let (outcome, time) = hosted.end();
    assert!(matches!(outcome, Outcome::InputClosed), "{outcome:?}");
    assert!(time < Duration::from_secs(6), "{time:?}");
}

#[test]
fn while_tools_sleep_everything_else_answers() {
    let mut hosted = beside_a_greeter(rogue(everything()), limits(Duration::from_secs(600)));
    hosted.client.tool("rogue_act");
    // More than there are workers for anything else, and more than one plugin may run at once.
    let sleeping: Vec<Value> = (0..4 * WORKERS).map(|_| start(&mut hosted, "sleep", "")).collect();
    std::thread::sleep(Duration::from_millis(200));
    hosted.client.only_a_ping_is_answered();
    the_neighbour_works(&mut hosted);
    for id in sleeping {
        hosted.client.notify("notifications/cancelled", json!({"requestId": id}));
    }
}

#[test]
fn a_value_that_does_not_fit_its_schema_is_a_fault_of_the_plugin_and_said_so() {
    let mut hosted = beside_a_greeter(rogue(everything()), Limits::default());
    let call = |hosted: &mut Hosted, json: &str| hosted.client.call("rogue_typed", json!({"json": json}));
    let fits = call(&mut hosted, "{'n':1}");
    assert_eq!(fits.raw["structuredContent"]["result"]["n"], 1, "{}", fits.raw);
    for lie in ["{'n':'x'}", "{}", "[1]", "17"] {
        let reply = call(&mut hosted, lie);
        assert!(reply.is_error && reply.text.contains("does not fit"), "{lie}: {}", reply.text);
        assert!(reply.raw.get("structuredContent").is_none(), "{}", reply.raw);
    }
}

#[test]
fn d14_what_a_plugin_prints_never_reaches_the_protocol_and_stops_no_call() {
    let mut hosted = beside_a_greeter(rogue(everything()), Limits::default());
    assert_eq!(act(&mut hosted, "print", "{\"jsonrpc\":\"2.0\"}\nhello\n").text, "printed");
    assert_eq!(act(&mut hosted, "log", "a line\nanother").text, "logged");
    assert_eq!(act(&mut hosted, "log-flood", "").text, "logged");
    hosted.client.only_a_ping_is_answered();
}

#[test]
fn d08_hostile_text_of_an_extension_is_listed_found_and_answered_clean() {
    let mut hosted = beside_a_greeter(listing("evil-text"), Limits::default());
    the_neighbour_works(&mut hosted);
    let list = hosted.client.request("tools/list", json!({}));
    assert_clean(&list);
    let tools = list["result"]["tools"].as_array().unwrap().clone();
    let evil: Vec<&Value> = tools.iter().filter(|tool| tool["name"].as_str().unwrap().starts_with("rogue_")).collect();
    assert_eq!(evil.len(), 3, "the one whose argument nobody could see is left out: {evil:?}");
    for tool in &evil {
        assert_clean(
            &hosted.client.request("tools/call", json!({"name": "describe_tool", "arguments": {"tool": tool["name"]}})),
        );
    }
    let found = json!({"name": "find_tools", "arguments": {"query": "passwd"}});
    assert_clean(&hosted.client.request("tools/call", found));
    for behave in ["evil-text", "evil-failure"] {
        let arguments = json!({"name": "rogue_act", "arguments": {"behave": behave}});
        let answer = hosted.client.request("tools/call", arguments);
        assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("passwd"), "{answer}");
        assert_clean(&answer);
    }
}

#[test]
fn d10_an_extension_that_grabs_names_gets_none_but_its_own() {
    let text = json!([{"name": "text", "type": {"kind": "string"}}]);
    let methods = json!([{"name": "say", "params": text, "returns": {"kind": "string"}}]);
    let node = FakeNode::with(vec![App::new("appKV", "com.example.kv", manifest(json!({}), methods))]);
    let mut hosted = Hosted::extending(hosted::node(&node), &[listing("grab")], Limits::default(), Setup::default());
    hosted.client.tool("rogue_act");
    let tools = hosted.client.tools();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let distinct: std::collections::HashSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
    for name in &names {
        let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        assert!(name.len() <= 49 && name.chars().all(plain), "{name}");
    }
    for taken in ["select_app", "kv_say", "node_status"] {
        let tool = tools.iter().find(|tool| tool["name"] == taken).unwrap();
        assert!(!tool["description"].as_str().unwrap().contains("as it is told"), "{tool}");
    }
    assert!(names.contains(&"rogue_kv_say") && names.contains(&"rogue_select_app"), "{names:?}");
    let answer = hosted.client.call_app("com.example.kv", "kv_say", json!({"text": "hello"}));
    assert!(answer.text.contains("hello"), "{}", answer.text);
    let refused = hosted.client.call("call", json!({"method": "say", "args": {"text": "x"}}));
    assert!(refused.text.contains("select_app"), "it answers for nobody else: {}", refused.text);
}

#[test]
fn a_lying_schema_costs_that_tool_and_a_thousand_tools_are_too_many() {
    let mut hosted = beside_a_greeter(listing("lying"), Limits::default());
    let names = |hosted: &mut Hosted| -> Vec<String> {
        let tools = hosted.client.tools();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .filter(|name| name.starts_with("rogue"))
            .collect()
    };
    assert_eq!(names(&mut hosted), ["rogue_act", "rogue_endless", "rogue_missing", "rogue_typed"]);
    for tool in hosted.client.tools() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(!tool.to_string().contains("$ref"), "{tool}");
    }
    let why = hosted.client.call("call", json!({"method": "garbage", "args": {}})).text;
    assert!(why.contains("not JSON"), "{why}");

    let setup = Setup { budget: 10_000, ..Setup::default() };
    let mut hosted = Hosted::extending(hosted::nothing(), &[listing("many")], Limits::default(), setup);
    assert_eq!(names(&mut hosted).len(), 200);
}

#[test]
fn megabytes_of_words_are_cut_before_anyone_reads_them() {
    let mut hosted = beside_a_greeter(listing("wordy"), Limits::default());
    let tool = hosted.client.tool("rogue_wordy");
    assert!(tool.to_string().len() < 4_000, "{}", tool.to_string().len());
    assert!(!hosted.client.tools().iter().any(|tool| tool["name"] == "rogue_large"));
    let found = hosted.client.call("find_tools", json!({"query": "word"})).text;
    assert!(found.contains("rogue_wordy") && found.len() < 4_000, "{}", found.len());
}

#[test]
fn what_a_list_says_later_is_not_looked_at() {
    let mut hosted = beside_a_greeter(listing("changing"), Limits::default());
    the_neighbour_works(&mut hosted);
    let first = hosted.client.tools();
    assert_eq!(first, hosted.client.tools());
    let changing = first.iter().find(|tool| tool["name"].as_str().unwrap().starts_with("rogue_tool")).unwrap();
    let answer = hosted.client.call(changing["name"].as_str().unwrap(), json!({"behave": "echo", "at": "x"}));
    assert_eq!(answer.text, "x");
}

#[test]
fn d06_while_it_lists_an_extension_reaches_nothing_and_sees_nothing() {
    let mut extension = listing("reach");
    extension.allowed.variables = [("GRANTED".to_owned(), "FIXTURE".to_owned())].into();
    let mut hosted = beside_a_greeter(extension, Limits::default());
    let tool = hosted.client.tool("rogue_report");
    assert!(tool["description"].as_str().unwrap().starts_with("reached=false [] []"), "{tool}");
}
