//! A component that was made for no host in particular, as an extension: each function with plain types is a tool.
//!
//! The guest `plain` states none of our contracts; `tests/guests/plain/wit` has its functions.

use crate::configured::Folder;
use crate::hosted::{self, Extension, Hosted};
use abi_mcp::artifact::Allowed;
use abi_mcp::sandbox::{Bounds, Limits};
use abi_mcp::tools::Setup;
use abi_mcp_tests::Reply;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn plain_within(limits: Limits) -> Hosted {
    let extension = Extension { name: "p", guest: "plain", allowed: Allowed::default() };
    // Large enough that every tool is listed by its own name.
    let setup = Setup { budget: 1 << 20, ..Setup::default() };
    Hosted::extending(hosted::nothing(), &[extension], limits, setup)
}

fn plain() -> Hosted {
    plain_within(Limits::default())
}

fn call(hosted: &mut Hosted, tool: &str, arguments: Value) -> Reply {
    hosted.client.call(tool, arguments)
}

/// The structured answer, whether or not it had to be wrapped to be an object.
fn value(hosted: &mut Hosted, tool: &str, arguments: Value) -> Value {
    let reply = call(hosted, tool, arguments);
    assert!(!reply.is_error, "{tool}: {}", reply.text);
    let structured = &reply.raw["structuredContent"];
    structured.get("result").unwrap_or(structured).clone()
}

#[test]
fn each_function_with_plain_types_is_a_tool_and_its_types_are_its_schema() {
    let mut hosted = plain();
    let mut names: Vec<String> =
        hosted.client.tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "p_check",
            "p_count",
            "p_divide",
            "p_echo_char",
            "p_echo_colour",
            "p_echo_maybe",
            "p_echo_nested",
            "p_echo_rights",
            "p_echo_shape",
            "p_echo_wide",
            "p_exists",
            "p_greet",
            "p_move_by",
            "p_parse",
            "p_spin",
            "p_trap",
            "p_trouble_echo",
            "p_types_echo"
        ],
        "what has a handle is no tool"
    );
    let tool = hosted.client.tool("p_move_by");
    let schema = &tool["inputSchema"];
    assert_eq!(schema["required"], json!(["point", "by"]));
    assert_eq!(schema["properties"]["point"]["required"], json!(["x", "y"]), "the label is an option");
    assert_eq!(schema["properties"]["point"]["properties"]["x"]["minimum"], json!(i32::MIN));
    assert_eq!(schema["properties"]["by"]["prefixItems"].as_array().unwrap().len(), 2);
    assert_eq!(tool["annotations"]["readOnlyHint"], true, "it can reach nothing, so it changes nothing");
    assert!(tool["description"].as_str().unwrap().contains("test:plain/types@1.2.0"), "{tool}");
}

#[test]
fn values_of_every_type_go_there_and_back() {
    let mut hosted = plain();
    let moved = value(&mut hosted, "p_move_by", json!({"point": {"x": 1, "y": -2, "label": "a"}, "by": [10, 20]}));
    assert_eq!(moved, json!({"x": 11, "y": 18, "label": "a"}));
    let moved = value(&mut hosted, "p_move_by", json!({"point": {"x": 1, "y": 2}, "by": [0, 0]}));
    assert_eq!(moved, json!({"x": 1, "y": 2, "label": null}));
    for shape in [
        json!({"tag": "nothing"}),
        json!({"tag": "circle", "val": 0.1}),
        json!({"tag": "polygon", "val": [{"x": 0, "y": 1, "label": null}]}),
    ] {
        assert_eq!(value(&mut hosted, "p_echo_shape", json!({"shape": shape})), shape);
    }
    assert_eq!(value(&mut hosted, "p_echo_colour", json!({"colour": "dark-blue"})), "dark-blue");
    assert_eq!(value(&mut hosted, "p_echo_rights", json!({"rights": ["run-it", "read"]})), json!(["read", "run-it"]));
    assert_eq!(value(&mut hosted, "p_echo_char", json!({"letter": "🦀"})), "🦀");
    assert_eq!(value(&mut hosted, "p_echo_maybe", json!({"maybe": 255})), 255);
    assert_eq!(value(&mut hosted, "p_echo_maybe", json!({})), Value::Null);
    for outcome in [json!({"tag": "ok", "val": 7}), json!({"tag": "err", "val": "no"})] {
        // At the top, a `result` is the tool's own success or error; as a parameter it is a value.
        let reply = call(&mut hosted, "p_echo_nested", json!({"outcome": outcome}));
        assert_eq!(reply.is_error, outcome["tag"] == "err", "{}", reply.text);
    }
    assert_eq!(value(&mut hosted, "p_divide", json!({"a": 1, "b": 4})), json!(0.25));
    assert_eq!(value(&mut hosted, "p_divide", json!({"a": 0, "b": 0})), "NaN");
    assert_eq!(value(&mut hosted, "p_divide", json!({"a": -1, "b": 0})), "-Infinity");
    assert_eq!(call(&mut hosted, "p_greet", json!({"name": "Ada", "times": 2})).text, "Hello, Ada. Hello, Ada.");
    assert_eq!(value(&mut hosted, "p_types_echo", json!({"text": "x"})), "x");
    assert_eq!(value(&mut hosted, "p_trouble_echo", json!({"text": "x"})), "trouble: x");
}

#[test]
fn integers_of_64_bits_keep_every_digit() {
    let mut hosted = plain();
    let wide = json!({"signed": i64::MIN, "unsigned": u64::MAX});
    let reply = call(&mut hosted, "p_echo_wide", json!({"wide": wide}));
    assert!(!reply.is_error, "{}", reply.text);
    assert!(
        reply.text.contains("-9223372036854775808") && reply.text.contains("18446744073709551615"),
        "{}",
        reply.text
    );
    let text = json!({"signed": "-9007199254740993", "unsigned": "9007199254740993"});
    let reply = call(&mut hosted, "p_echo_wide", json!({"wide": text}));
    assert!(reply.text.contains("-9007199254740993"), "as text from a client that has no such numbers: {}", reply.text);
}

#[test]
fn what_is_not_of_the_type_never_reaches_the_function() {
    let mut hosted = plain();
    for (tool, arguments) in [
        ("p_echo_maybe", json!({"maybe": 256})),
        ("p_echo_colour", json!({"colour": "pink"})),
        ("p_echo_char", json!({"letter": "ab"})),
        ("p_echo_shape", json!({"shape": {"tag": "circle"}})),
        ("p_echo_rights", json!({"rights": ["fly"]})),
        ("p_move_by", json!({"point": {"x": 1, "y": 2}, "by": [1]})),
        ("p_greet", json!({})),
    ] {
        let reply = call(&mut hosted, tool, arguments);
        assert!(reply.is_error, "{tool}: {}", reply.text);
    }
}

#[test]
fn an_error_of_the_function_is_an_error_of_the_tool_in_its_own_words() {
    let mut hosted = plain();
    assert_eq!(value(&mut hosted, "p_parse", json!({"text": "-7"})), -7);
    let reply = call(&mut hosted, "p_parse", json!({"text": "seven"}));
    assert!(reply.is_error && reply.text.contains("p: \"seven\" is no number"), "{}", reply.text);
    assert_eq!(call(&mut hosted, "p_check", json!({"size": 1})).text, "done");
    let reply = call(&mut hosted, "p_check", json!({"size": 11}));
    assert!(reply.is_error && reply.text.contains(r#"{"tag":"too-large","val":11}"#), "{}", reply.text);
}

#[test]
fn d01_a_trap_or_an_endless_loop_ends_the_call_only_and_every_call_starts_anew() {
    let usual = Limits::default();
    let extension = Bounds { time: Duration::from_millis(500), ..usual.extension };
    let mut hosted = plain_within(Limits { extension, ..usual });
    let reply = call(&mut hosted, "p_trap", json!({}));
    assert!(reply.is_error && reply.text.contains("stopped with a fault"), "{}", reply.text);
    let started = Instant::now();
    let reply = call(&mut hosted, "p_spin", json!({}));
    assert!(reply.is_error && reply.text.contains("500 ms limit"), "{}", reply.text);
    assert!(started.elapsed() < crate::SOON);
    for _ in 0..2 {
        assert_eq!(value(&mut hosted, "p_count", json!({})), 1);
    }
}

#[test]
fn it_is_added_accepted_and_served_from_the_configuration_like_any_other() {
    let folder = Folder::new();
    folder.replace(&hosted::component("plain"));
    let file = folder.path("guest.wasm");
    let refused = folder.run(&["plugin", "add", "p", file.to_str().unwrap(), "--ecosystem", "arithmetic"]);
    assert!(!refused.good && refused.stderr.contains("no contract of `abi-mcp:*`"), "no mapper: {}", refused.stderr);
    let added = folder.run(&["plugin", "add", "p", file.to_str().unwrap()]);
    assert!(added.good && added.stdout.contains("plain:tool@0.1.0"), "{}{}", added.stdout, added.stderr);
    assert!(added.stdout.contains("tool: move_by"), "{}", added.stdout);
    let lock = std::fs::read_to_string(folder.path("abi-mcp.lock")).unwrap();
    assert!(lock.contains("plain:tool@0.1.0") && lock.contains("trouble_echo"), "{lock}");
    let mut client = folder.serve().connect();
    let answer = client.call("call", json!({"method": "p_greet", "args": {"name": "Ada"}}));
    assert!(answer.text.contains("Hello, Ada."), "{}", answer.text);
}

#[test]
fn inspecting_it_says_that_it_states_no_contract_and_runs_nothing() {
    let folder = Folder::new();
    let file = hosted::component_file("plain");
    let inspected = folder.run(&["plugin", "inspect", file.to_str().unwrap()]);
    assert!(inspected.good && inspected.stdout.contains("states no contract"), "{}", inspected.stdout);
}
