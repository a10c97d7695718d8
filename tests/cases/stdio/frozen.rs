//! Components of every released contract, kept as text in `tests/frozen`, in the real binary: they answer as on the day
//! their contract was released. One of a contract to come is refused.

use crate::configured::Folder;
use crate::hosted::component_file;
use abi_mcp::artifact::{Origin, Plugin};
use abi_mcp::model::{Cancel, Class, Failure, GuestFailure, PluginRelease, Retry};
use abi_mcp::sandbox::{Limits, Sandbox};
use abi_mcp_tests::Client;
use serde_json::json;

/// A mapper and an engine of their own ecosystem, accepted, and a manifest that begins as the mapper wants it.
fn ecosystem(manifest: &str) -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.path("manifest.frozen"), manifest).unwrap();
    folder.configure("[[manifest]]\necosystem = \"frozen\"\nfile = \"manifest.frozen\"\n");
    for role in ["mapper", "engine"] {
        let file = component_file(&format!("frozen/{role}-0.1.0"));
        let added = folder.run(&["plugin", "add", role, file.to_str().unwrap(), "--ecosystem", "frozen"]);
        assert!(added.good, "{}", added.stderr);
    }
    folder
}

fn call(client: &mut Client, value: &str) -> abi_mcp_tests::Reply {
    client.call("echo", json!({ "value": value }))
}

#[test]
fn a_mapper_and_an_engine_of_0_1_say_everything_they_said() {
    let folder = ecosystem("F 1");
    let mut client = folder.serve().connect();
    let tool = client.tool("echo");
    assert_eq!(tool["title"], "Echo (frozen)");
    assert_eq!(tool["inputSchema"]["properties"]["value"]["type"], "string");
    assert_eq!(tool["inputSchema"]["required"], json!(["value"]));
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    assert_eq!(tool["_meta"]["frozen/kept"], true);
    assert!(tool["description"].as_str().unwrap().contains("Answers what it is given."), "{tool}");

    let echoed = call(&mut client, "a");
    assert!(!echoed.is_error, "{}", echoed.text);
    assert_eq!(echoed.raw["structuredContent"], json!({"result": {"value": "a"}}), "encoded, executed, decoded");
    let refused = call(&mut client, "");
    assert!(refused.is_error, "{}", refused.text);
    for word in ["value", "EMPTY", "there is nothing to echo"] {
        assert!(refused.text.contains(word), "{word} is lost: {}", refused.text);
    }

    let doctor = folder.run(&["doctor"]);
    assert!(doctor.stdout.contains("there is one method only"), "what it skipped: {}", doctor.stdout);
}

#[test]
fn an_engine_of_0_1_says_what_it_cannot_run() {
    let folder = ecosystem("F-");
    let mut client = folder.serve().connect();
    let refused = client.call("call", json!({"method": "echo", "args": {"value": "a"}}));
    assert!(refused.is_error && refused.text.contains("its call-spec is bare"), "{}", refused.text);
}

#[test]
fn a_tool_extension_of_0_1_lists_logs_reports_and_keeps() {
    let folder = Folder::new();
    std::fs::copy(component_file("frozen/tool-0.1.0"), folder.path("tool.wasm")).unwrap();
    folder.configure(
        "[[plugin]]\nname = \"old\"\nfile = \"tool.wasm\"\ngrants = { state = true }\nconfig = { first = { a = 1 } }\n",
    );
    let accepted = folder.run(&["plugin", "accept", "old"]);
    assert!(accepted.good, "{}", accepted.stderr);

    let state = folder.path("kept");
    let mut client = folder.serve().sharing(&state).connect();
    let tool = client.tool("old_again");
    assert_eq!(tool["title"], "Again (old)");
    assert_eq!(tool["annotations"]["readOnlyHint"], false);
    let params = json!({"name": "old_again", "arguments": {"value": "x"}, "_meta": {"progressToken": 7}});
    let first = client.request("tools/call", params);
    assert_eq!(first["result"]["structuredContent"]["result"], json!({"a": 1}), "the operator's value: {first}");
    client.notified("notifications/progress");
    client.stderr_line("again was called");

    // Another process: what was kept is still there.
    let mut client = folder.serve().sharing(&state).connect();
    let again = client.call("old_again", json!({"value": "y"}));
    assert_eq!(again.raw["structuredContent"]["result"], json!({"value": "x"}), "{}", again.text);
}

#[tokio::test]
async fn an_error_decoder_of_0_1_explains_what_it_explained() {
    let sandbox = Sandbox::new(Limits::default());
    let bytes = std::fs::read(component_file("frozen/errors-0.1.0")).unwrap();
    let release = PluginRelease("0.1.0".to_owned());
    let plugin = Plugin::load("errors", release, Origin::Named, bytes.into(), &sandbox, None).unwrap();
    let failure = |kind: &str| {
        Failure::Guest(GuestFailure {
            kind: kind.to_owned(),
            data: Some("1".to_owned()),
            message: Some("m".to_owned()),
            method: "echo".to_owned(),
            signature: Some("echo()".to_owned()),
        })
    };
    let explained = plugin.explain(&failure("tired"), &Cancel::new()).await.unwrap().expect("it explains");
    assert_eq!(explained.message, "tired");
    assert_eq!(explained.class, Class::Temporary);
    assert_eq!(explained.retry, Retry::Later);
    assert_eq!(explained.hint.as_deref(), Some("wait for it"));
    let other = plugin.explain(&Failure::Transport("cut".to_owned()), &Cancel::new()).await.unwrap();
    assert!(other.is_none());
}

#[test]
fn d05_a_plugin_of_a_contract_to_come_is_refused_with_both_versions_and_the_next_step() {
    let folder = ecosystem("F 1");
    let file = component_file("frozen/mapper-0.2.0");
    let refused = folder.run(&["plugin", "add", "newer", file.to_str().unwrap(), "--ecosystem", "frozen"]);
    assert!(!refused.good);
    for word in ["plugin `newer`", "abi-mcp:mapper@0.2.0", "this host speaks 0.1", "hint: update abi-mcp"] {
        assert!(refused.stderr.contains(word), "{word} is missing: {}", refused.stderr);
    }
    assert!(call(&mut folder.serve().connect(), "a").text.contains('a'), "the others serve");
}
