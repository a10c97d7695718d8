//! Functions of a manifest file, run by an engine: found, called, and whatever an engine does stays that call's affair.
//!
//! The engine is the guest `arithmetic`, whose functions do what their names say.

use crate::hosted::{self, Hosted};
use abi_mcp::catalog::Chosen;
use abi_mcp::sandbox::{Bounds, Limits};
use abi_mcp::tools::Setup;
use abi_mcp_tests::{App, FakeNode, Reply, manifest};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

struct Served {
    hosted: Hosted,
    file: PathBuf,
    _folder: TempDir,
}

impl Served {
    fn run(&mut self, method: &str) -> Reply {
        self.hosted.client.call("call", json!({"method": method, "args": {"a": 2, "b": 40}}))
    }
}

fn serve(functions: &[&str], node: Option<&FakeNode>, limits: Limits, setup: Setup) -> Served {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("functions.txt");
    std::fs::write(&file, format!("arithmetic\n{}\n", functions.join("\n"))).unwrap();
    let sources = hosted::file("arithmetic", &file, node);
    let hosted = Hosted::start_with(sources, "arithmetic", "arithmetic", limits, setup);
    Served { hosted, file, _folder: folder }
}

fn alone(functions: &[&str]) -> Served {
    serve(functions, None, Limits::default(), Setup::default())
}

/// A budget nothing but the fixed tools fits.
fn folded() -> Setup {
    Setup { budget: 1, ..Setup::default() }
}

fn names(served: &mut Served) -> Vec<String> {
    served.hosted.client.tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn functions_that_fit_are_listed_under_their_own_names_and_run_without_a_handle() {
    let mut served = alone(&["add", "calls"]);
    assert_eq!(names(&mut served), ["add", "calls"]);
    let tool = served.hosted.client.tool("add");
    assert_eq!(tool["inputSchema"]["required"], json!(["a", "b"]));
    assert!(tool["inputSchema"]["properties"].get("app_handle").is_none(), "{tool}");
    let reply = served.hosted.client.call("add", json!({"a": 2, "b": 40}));
    assert_eq!(reply.text, "42");
    assert_eq!(reply.raw["structuredContent"]["result"], 42, "{}", reply.raw);
    let refused = served.hosted.client.call("add", json!({"a": "two", "b": 40}));
    assert!(refused.is_error && refused.text.contains("add(a: int, b: int)"), "{}", refused.text);
}

#[test]
fn a_server_of_functions_alone_lists_three_tools_and_finds_the_rest() {
    let mut served = serve(&["add", "calls", "refuse"], None, Limits::default(), folded());
    assert_eq!(names(&mut served), ["find_tools", "describe_tool", "call"]);
    let found = served.hosted.client.call("find_tools", json!({"query": "plus"})).text;
    assert!(found.contains("1. add(a: int, b: int) -> int") && found.contains(r#""method":"add""#), "{found}");
    let described = served.hosted.client.call("describe_tool", json!({"tool": "add"})).first();
    assert_eq!(described["inputSchema"]["required"], json!(["a", "b"]));
    assert_eq!(served.run("add").text, "42");
    let missing = served.run("ad").text;
    assert!(missing.contains("no function `ad`") && missing.contains("Did you mean `add`?"), "{missing}");
    let wrong = served.hosted.client.call("call", json!({"method": "add", "args": {"a": 1}})).text;
    assert!(wrong.contains('b') && wrong.contains("add(a: int, b: int)"), "{wrong}");
}

#[test]
fn every_call_has_an_instance_of_its_own() {
    let mut served = alone(&["calls"]);
    for _ in 0..3 {
        assert_eq!(served.run("calls").text, "1");
    }
}

#[test]
fn what_the_engine_lacks_is_not_listed_and_says_why() {
    let mut served = alone(&["add", "divide", "raw"]);
    assert_eq!(names(&mut served), ["add"]);
    let text = served.run("divide").text;
    assert!(text.contains("`divide` is not in Arithmetic 1"), "{text}");
    assert!(served.run("raw").text.contains("no way to call it"));
}

#[test]
fn an_engines_own_error_is_an_error_result_with_argument_code_and_clean_words() {
    let mut served = alone(&["refuse", "fail", "nothing"]);
    let refused = served.run("refuse");
    assert!(refused.is_error && refused.text.contains("`a`: not a number it likes (E_REFUSED)"), "{}", refused.text);
    let failed = served.run("fail").text;
    assert!(failed.contains("the sum is not defined") && !failed.contains('\u{1b}') && !failed.contains('\u{202e}'));
    assert!(!served.run("nothing").is_error);
}

#[test]
fn b02_whatever_an_engine_does_costs_its_own_call_only() {
    let usual = Limits::default();
    // Long enough for the bomb to reach the memory limit on a busy machine.
    let limits = Limits { engine: Bounds { time: Duration::from_secs(3), ..usual.engine }, ..usual };
    let mut served = serve(&["add", "trap", "spin", "bomb", "garbage", "flood"], None, limits, Setup::default());
    for (method, says) in
        [("trap", "unreachable"), ("spin", "3 s limit"), ("bomb", "memory"), ("garbage", "not JSON"), ("flood", "hand")]
    {
        let reply = served.run(method);
        assert!(reply.is_error && reply.text.contains("arithmetic"), "{method}: {}", reply.text);
        let text = reply.text.to_lowercase();
        assert!(text.contains(&says.to_lowercase()), "{method}: {}", reply.text);
        assert_eq!(served.run("add").text, "42", "after {method}");
    }
}

#[test]
fn while_functions_spin_everything_else_answers_and_a_cancelled_one_stops() {
    let mut served = alone(&["add", "spin"]);
    served.hosted.client.tool("spin");
    let call = json!({"name": "spin", "arguments": {"a": 1, "b": 2}});
    let spinning: Vec<Value> = (0..4).map(|_| served.hosted.client.send("tools/call", call.clone())).collect();
    served.hosted.client.only_a_ping_is_answered();
    for id in spinning {
        served.hosted.client.notify("notifications/cancelled", json!({"requestId": id}));
    }
    assert_eq!(served.run("add").text, "42");
}

#[test]
fn beside_a_node_functions_need_no_handle_and_apps_still_do() {
    let text = json!([{"name": "text", "type": {"kind": "string"}}]);
    let app = App::new("appKV", "com.example.kv", manifest(json!({}), json!([{"name": "say", "params": text}])));
    let node = FakeNode::with(vec![app]);
    let mut served = serve(&["add", "calls"], Some(&node), Limits::default(), Setup::default());
    let listed = names(&mut served);
    assert!(
        ["add", "kv_say", "select_app", "call"].iter().all(|name| listed.contains(&(*name).to_owned())),
        "{listed:?}"
    );
    assert_eq!(served.run("add").text, "42");
    let answer = served.hosted.client.call_app("com.example.kv", "kv_say", json!({"text": "hello"}));
    assert!(answer.text.contains("hello"), "{}", answer.text);
    let refused = served.hosted.client.call("call", json!({"method": "say", "args": {"text": "x"}}));
    assert!(refused.is_error && refused.text.contains("select_app"), "{}", refused.text);
    let selected = served.hosted.client.call("select_app", json!({"app": "arithmetic"}));
    assert!(selected.is_error && selected.text.contains("nothing to select"), "{}", selected.text);
    let described = served.hosted.client.call("describe_app", json!({"app": "arithmetic"}));
    assert!(described.text.contains("add(a: int, b: int) -> int"), "{}", described.text);
}

#[test]
fn a_node_that_does_not_answer_takes_no_function_away() {
    let node = FakeNode::with(Vec::new());
    let gone = node.url().to_owned();
    drop(node);
    let dead = FakeNode::with(Vec::new());
    let mut served = serve(&["add"], Some(&dead), Limits::default(), Setup::default());
    drop(dead);
    assert!(names(&mut served).contains(&"add".to_owned()), "{gone}");
    assert_eq!(served.run("add").text, "42");
}

#[test]
fn a_file_that_is_missing_or_of_another_ecosystem_is_said_where_it_is_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let missing = hosted::file("arithmetic", &folder.path().join("nowhere.txt"), None);
    let mut hosted = Hosted::start(missing, "arithmetic", "arithmetic", Limits::default());
    assert!(hosted.client.tools().is_empty());
    let text = hosted.client.call("call", json!({"method": "add"})).text;
    assert!(text.contains("nowhere.txt") && text.contains("--manifest"), "{text}");

    let file = folder.path().join("functions.txt");
    std::fs::write(&file, "arithmetic\nadd\n").unwrap();
    let mut hosted =
        Hosted::start(hosted::file("geometry", &file, None), "arithmetic", "arithmetic", Limits::default());
    let text = hosted.client.call("call", json!({"method": "add"})).text;
    // The plugin that would know it is a stranger to `geometry`, and not asked.
    assert!(text.contains("no plugin understands the manifest as one of `geometry` (asked: `calimero-0`"), "{text}");
    assert!(!text.contains("arithmetic"), "{text}");
}

#[test]
fn a_changed_file_changes_the_list() {
    let mut served = alone(&["add"]);
    assert_eq!(names(&mut served), ["add"]);
    std::fs::write(&served.file, "arithmetic\nadd\ncalls\n").unwrap();
    // A call that names what is not there yet has the files looked at again.
    let found = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        !served.run("calls").is_error
    });
    assert!(found, "the new function is never found");
}

#[test]
fn categories_choose_which_functions_become_tools() {
    let chosen = Chosen { categories: Some(vec!["Sum".to_owned()]), ..Chosen::default() };
    let mut served = serve(&["add", "calls"], None, Limits::default(), Setup { chosen, ..Setup::default() });
    assert_eq!(names(&mut served), ["add"]);
    assert_eq!(served.run("calls").text, "1", "the others are left to `call`");
}
