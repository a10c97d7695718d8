//! Tool extensions that keep to their contract: listed, found, called, and reaching exactly what they were granted.
//!
//! The guest `greeter` asks for nothing; `rogue` asks for everything and here does as it is told without malice. The two
//! examples of `plugins/examples` are used as their authors mean them.

use crate::hosted::{self, Extension, Hosted};
use crate::serve;
use abi_mcp::artifact::Allowed;
use abi_mcp::catalog::Chosen;
use abi_mcp::model::{DirectoryGrant, Grants};
use abi_mcp::sandbox::Limits;
use abi_mcp::tools::{Modes, Setup};
use abi_mcp_tests::{App, FakeNode, Reply, WebServer, manifest};
use serde_json::{Value, json};
use std::path::Path;

/// Everything a rogue asks for but hosts and directories.
pub(crate) fn everything() -> Grants {
    Grants {
        http: vec!["192.0.2.1:9".to_owned()],
        directories: vec![DirectoryGrant { guest: "/data".to_owned(), host: Some(".".into()), writable: false }],
        environment: vec!["GRANTED".to_owned()],
        clocks: true,
        random: true,
        state: true,
    }
}

pub(crate) fn rogue(grants: Grants) -> Extension<'static> {
    Extension { name: "rogue", guest: "rogue", allowed: Allowed { grants, ..Allowed::default() } }
}

fn greeter(name: &str) -> Extension<'_> {
    Extension { name, guest: "greeter", allowed: Allowed::default() }
}

fn greeting(name: &'static str, greeting: &str) -> Extension<'static> {
    let config = [("greeting".to_owned(), json!(greeting))].into();
    Extension { name, guest: "greeter", allowed: Allowed { config, ..Allowed::default() } }
}

fn extended(extensions: &[Extension<'_>]) -> Hosted {
    Hosted::extending(hosted::nothing(), extensions, Limits::default(), Setup::default())
}

fn act(hosted: &mut Hosted, behave: &str, at: &str) -> Reply {
    hosted.client.call("rogue_act", json!({"behave": behave, "at": at}))
}

fn names(hosted: &mut Hosted) -> Vec<String> {
    hosted.client.tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn directory(path: &Path, writable: bool) -> Grants {
    let granted = DirectoryGrant { guest: "/data".to_owned(), host: Some(path.to_owned()), writable };
    Grants { directories: vec![granted], ..everything() }
}

#[test]
fn an_extension_is_listed_under_its_name_and_its_answers_fit_their_schema() {
    let mut hosted = extended(&[greeter("greeter")]);
    assert_eq!(names(&mut hosted), ["greeter_add", "greeter_count", "greeter_greet", "greeter_save"]);
    let tool = hosted.client.tool("greeter_add");
    assert_eq!(tool["inputSchema"]["required"], json!(["a", "b"]));
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    assert!(tool["description"].as_str().unwrap().contains("add(a: integer, b: integer) -> object"), "{tool}");
    let reply = hosted.client.call("greeter_add", json!({"a": 2, "b": 40}));
    assert_eq!(reply.text, "The sum is 42.");
    assert_eq!(reply.raw["structuredContent"], json!({"result": {"sum": 42}}));
    let refused = hosted.client.call("greeter_add", json!({"a": "two", "b": 40}));
    assert!(refused.is_error && refused.text.contains("add(a: integer"), "{}", refused.text);
    assert_eq!(hosted.client.call("greeter_greet", json!({"name": "Ada"})).text, "Hello, Ada.");
}

#[test]
fn an_extensions_failure_is_an_error_with_its_name_and_next_step() {
    let mut hosted = extended(&[greeter("greeter")]);
    let reply = hosted.client.call("greeter_greet", json!({"name": "nobody"}));
    assert!(reply.is_error);
    assert_eq!(reply.text, "Error: greeter: nobody is not somebody\nhint: name a person");
}

#[test]
fn every_call_of_an_extension_has_an_instance_of_its_own() {
    let mut hosted = extended(&[greeter("greeter")]);
    for _ in 0..3 {
        assert_eq!(hosted.client.call("greeter_count", json!({})).text, "1");
    }
}

#[test]
fn in_read_only_mode_only_tools_that_read_are_listed_and_run() {
    let mut modes = Modes::default();
    modes.read_only = true;
    let chosen = Chosen { read_only: true, ..Chosen::default() };
    let setup = Setup { modes, chosen, ..Setup::default() };
    let mut hosted = Hosted::extending(hosted::nothing(), &[greeter("greeter")], Limits::default(), setup);
    assert!(!names(&mut hosted).contains(&"greeter_save".to_owned()));
    let refused = hosted.client.call("greeter_save", json!({}));
    assert!(refused.is_error && refused.text.contains("read-only mode"), "{}", refused.text);
}

#[test]
fn a_folded_extension_is_found_by_search_and_called_by_its_listed_name() {
    let setup = Setup { budget: 1, ..Setup::default() };
    let mut hosted = Hosted::extending(hosted::nothing(), &[greeter("greeter")], Limits::default(), setup);
    assert_eq!(names(&mut hosted), ["find_tools", "describe_tool", "call"]);
    let found = hosted.client.call("find_tools", json!({"query": "plus"})).text;
    assert!(found.contains("greeter_add") && found.contains(r#""method":"greeter_add""#), "{found}");
    let reply = hosted.client.call("call", json!({"method": "greeter_add", "args": {"a": 2, "b": 40}}));
    assert_eq!(serde_json::from_str::<Value>(&reply.text).unwrap(), json!({"sum": 42}));
    assert_eq!(hosted.client.call("call", json!({"method": "greeter_greet", "args": {"name": "x"}})).text, "Hello, x.");
    assert_eq!(hosted.client.call("greeter_greet", json!({"name": "x"})).text, "Hello, x.", "unlisted, not uncallable");
    let described = hosted.client.call("describe_tool", json!({"tool": "greeter_add"})).first();
    assert_eq!(described["inputSchema"]["required"], json!(["a", "b"]));
}

#[test]
fn d10_two_plugins_with_the_same_tools_keep_their_own_and_get_their_own_configuration() {
    let mut hosted = extended(&[greeting("one", "Hi"), greeting("two", "Ahoy"), greeting("one-greet", "Moin")]);
    for (tool, says) in [("one_greet", "Hi"), ("two_greet", "Ahoy"), ("one_greet_greet", "Moin")] {
        assert_eq!(hosted.client.call(tool, json!({"name": "Ada"})).text, format!("{says}, Ada."));
    }
    assert_eq!(names(&mut hosted).len(), 12);
    let unnamed = hosted.client.call("call", json!({"method": "greet", "args": {"name": "Ada"}}));
    assert!(unnamed.is_error, "whose `greet` is not said: {}", unnamed.text);
}

#[test]
fn beside_a_node_an_extension_takes_no_name_of_an_app_or_of_the_server() {
    let text = json!([{"name": "name", "type": {"kind": "string"}}]);
    let methods = json!([{"name": "greet", "params": text, "returns": {"kind": "string"}}]);
    let node = FakeNode::with(vec![App::new("appA", "com.example.greeter", manifest(json!({}), methods))]);
    let setup = Setup::default();
    let mut hosted = Hosted::extending(hosted::node(&node), &[greeter("greeter")], Limits::default(), setup);
    let tools = names(&mut hosted);
    assert!(tools.contains(&"greeter_greete_greet".to_owned()), "{tools:?}");
    let app = hosted.client.tool("greeter_greet");
    assert!(app["inputSchema"]["properties"].get("app_handle").is_some(), "the app's own: {app}");
    assert_eq!(hosted.client.call("greeter_greete_greet", json!({"name": "x"})).text, "Hello, x.");
    assert!(tools.contains(&"select_app".to_owned()));
}

#[test]
fn d07_what_is_not_granted_is_refused_at_load_with_the_lines_that_would_allow_it() {
    let mut hosted = Hosted::extending_from_files(&[rogue(Grants::default()), greeter("greeter")], None);
    assert_eq!(names(&mut hosted).len(), 4, "the neighbour is served");
    let text = hosted.client.call("call", json!({"method": "rogue_act", "args": {"behave": "echo"}})).text;
    for part in [
        "plugin `rogue` 6.6.6",
        "`http`, which is not granted",
        "wasi:http/outgoing-handler",
        "`directories`",
        "`clocks`",
        "`random`",
        "`state`",
        "plugin \"rogue\", [plugin.grants]",
        "http = [",
        "clocks = true",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let discovered = hosted.client.modern("server/discover", json!({}));
    let instructions = discovered["result"]["instructions"].as_str().unwrap();
    assert!(instructions.contains("not served now: rogue") && !instructions.contains("wasi:"), "{instructions}");
}

#[test]
fn d03_d09_a_name_or_a_file_that_will_not_do_is_told_and_the_others_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.wasm");
    std::fs::write(&text, "not wasm").unwrap();
    let fifo = folder.path().join("fifo.wasm");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let greeter = hosted::component_file("greeter");
    let mapper = hosted::component_file("hostile");
    for (name, path, says) in [
        ("../../../etc/x", &greeter, "cannot name a plugin"),
        ("a/b", &greeter, "cannot name a plugin"),
        (".", &greeter, "cannot name a plugin"),
        ("con", &greeter, "cannot name a plugin"),
        (&"n".repeat(300), &greeter, "cannot name a plugin"),
        ("text", &text, "not WebAssembly"),
        ("folder", &folder.path().to_owned(), "a directory"),
        ("fifo", &fifo, "a FIFO"),
        ("missing", &folder.path().join("missing.wasm"), "missing.wasm"),
        ("mapper", &mapper, "exports no tools"),
    ] {
        let mut client = abi_mcp_tests::Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp"))
            .argument("--extension")
            .argument(format!("{name}={}", path.display()))
            .argument("--extension")
            .argument(format!("greeter={}", greeter.display()))
            .connect();
        client.tool("greeter_greet");
        let line = client.stderr_line("skipping");
        assert!(line.contains(says), "{name}: {line}");
        assert!(!client.stderr().contains("panicked"), "{name}");
    }
}

#[test]
fn a_granted_directory_is_all_there_is_of_the_machines_files() {
    let parent = tempfile::tempdir().unwrap();
    let inside = parent.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(inside.join("note.txt"), "a note").unwrap();
    std::fs::write(parent.path().join("secret.txt"), "FIXTURE-SECRET").unwrap();
    std::os::unix::fs::symlink("../secret.txt", inside.join("link")).unwrap();
    std::os::unix::fs::symlink("/etc", inside.join("etc")).unwrap();
    std::os::unix::fs::symlink("note.txt", inside.join("fine")).unwrap();

    let mut hosted = extended(&[rogue(directory(&inside, false))]);
    assert_eq!(act(&mut hosted, "read", "note.txt").text, "a note");
    assert_eq!(act(&mut hosted, "read", "fine").text, "a note", "a link that stays inside");
    let secret = parent.path().join("secret.txt");
    for path in ["link", "etc/passwd", "../secret.txt", "x/../../secret.txt", secret.to_str().unwrap(), "/etc/passwd"] {
        let reply = act(&mut hosted, "read", path);
        assert!(reply.is_error && reply.text.contains("refused"), "{path}: {}", reply.text);
        assert!(!reply.text.contains("FIXTURE"), "{path}: {}", reply.text);
    }
    assert!(act(&mut hosted, "write", "new.txt").is_error, "granted to read");
    assert!(act(&mut hosted, "link", "../secret.txt").is_error);

    let mut hosted = extended(&[rogue(directory(&inside, true))]);
    assert_eq!(act(&mut hosted, "write", "new.txt").text, "written");
    assert_eq!(std::fs::read_to_string(inside.join("new.txt")).unwrap(), "written");
    for path in ["../outside.txt", "link", "etc/abi-mcp-test"] {
        assert!(act(&mut hosted, "write", path).is_error, "{path}");
    }
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "FIXTURE-SECRET");
    let through = act(&mut hosted, "link", "../secret.txt");
    assert!(through.is_error && !through.text.contains("FIXTURE"), "{}", through.text);
}

#[test]
fn a_granted_directory_that_is_gone_fails_the_call_and_says_which() {
    let parent = tempfile::tempdir().unwrap();
    let gone = parent.path().join("gone");
    let mut hosted = extended(&[rogue(directory(&gone, false))]);
    let reply = act(&mut hosted, "echo", "x");
    assert!(reply.is_error && reply.text.contains("gone") && reply.text.contains("cannot be opened"), "{}", reply.text);
    std::fs::create_dir(&gone).unwrap();
    assert_eq!(act(&mut hosted, "echo", "x").text, "x");
}

#[test]
fn d06_only_granted_variables_are_seen_and_no_argument() {
    let mut extension = rogue(everything());
    let variables = [("GRANTED", "yes"), ("OTHER", "FIXTURE")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    extension.allowed.variables = variables.into();
    let mut hosted = extended(&[extension]);
    assert_eq!(act(&mut hosted, "environment", "").text, r#"[("GRANTED", "yes")] []"#);
}

#[test]
fn g06_a_granted_host_is_reached_and_every_redirect_is_asked_about_again() {
    let (web, other) = (WebServer::start(), WebServer::start());
    let grants = Grants { http: vec![web.address().to_owned()], ..everything() };
    let mut hosted = extended(&[rogue(grants)]);
    let at = |path: &str| format!("{}{path}", web.address());
    assert!(act(&mut hosted, "fetch", &at("/x")).text.contains(r#""path":"/x""#));
    let within = format!("/redirect/{}", at("/y"));
    assert!(act(&mut hosted, "fetch", &at(&within)).text.contains(r#""path":"/y""#));
    assert!(!web.asked().iter().any(|head| head.to_lowercase().contains("authorization")), "{:?}", web.asked());

    let away = act(&mut hosted, "fetch", &at(&format!("/redirect/{}/x", other.address())));
    assert!(away.is_error && away.text.contains("HttpRequestDenied"), "{}", away.text);
    let line = format!("plugin \"rogue\", [plugin.grants]: http = [\"{}\"]", other.address());
    assert!(away.text.contains(&line), "{}", away.text);
    assert!(other.asked().is_empty(), "no request at all");
}

#[test]
fn a_name_that_leads_to_this_machine_is_not_reached_unless_the_address_itself_is_listed() {
    let web = WebServer::start();
    let named = format!("localhost:{}", web.port());
    let mut hosted = extended(&[rogue(Grants { http: vec![named.clone()], ..everything() })]);
    let reply = act(&mut hosted, "fetch", &format!("{named}/x"));
    assert!(reply.is_error && reply.text.contains("DestinationIpProhibited"), "{}", reply.text);
    assert!(reply.text.contains("private address"), "{}", reply.text);
    assert!(web.asked().is_empty());
    for spelling in ["127.0.0.1", "[::ffff:127.0.0.1]", "0", "2130706433", "[::1]"] {
        let reply = act(&mut hosted, "fetch", &format!("{spelling}:{}/x", web.port()));
        assert!(reply.is_error, "{spelling}: {}", reply.text);
    }
    assert!(web.asked().is_empty());

    let both = vec![named.clone(), format!("127.0.0.1:{}", web.port()), format!("[::1]:{}", web.port())];
    let mut hosted = extended(&[rogue(Grants { http: both, ..everything() })]);
    let reply = act(&mut hosted, "fetch", &format!("{named}/x"));
    assert!(!reply.is_error, "{}", reply.text);
}

#[test]
fn answers_are_bounded_and_so_are_the_requests_of_one_call() {
    let web = WebServer::start();
    let mut hosted = extended(&[rogue(Grants { http: vec![web.address().to_owned()], ..everything() })]);
    let big = act(&mut hosted, "fetch", &format!("{}/big", web.address())).text;
    let bytes: usize = big.split(' ').next().unwrap().parse().unwrap();
    assert!(bytes <= 32 << 20, "{bytes}");
    let often = act(&mut hosted, "fetch-often", &format!("{}/x", web.address()));
    assert!(often.is_error && often.text.contains("64 requests"), "{}", often.text);
    assert_eq!(web.asked().len(), 65);
}

#[test]
fn state_outlives_a_call_is_each_plugins_own_and_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let keeping = |name: &'static str| {
        let mut extension = Extension { name, ..rogue(everything()) };
        extension.allowed.state_folder = Some(folder.path().to_owned());
        extension
    };
    let mut hosted = extended(&[keeping("rogue"), keeping("other")]);
    assert_eq!(act(&mut hosted, "count", "").text, "1");
    assert_eq!(act(&mut hosted, "count", "").text, "2");
    assert_eq!(hosted.client.call("other_act", json!({"behave": "count"})).text, "1");
    assert!(act(&mut hosted, "hoard", "").text.contains("Full"), "bounded");
    let mut again = extended(&[keeping("rogue")]);
    assert_eq!(act(&mut again, "count", "").text, "3", "kept on the disk");
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["other", "rogue"], "nothing beside the plugins' folders");
}

#[test]
fn progress_reaches_a_client_that_asked_in_order_and_clean() {
    let mut hosted = extended(&[rogue(everything())]);
    hosted.client.tool("rogue_act");
    let arguments = json!({"behave": "progress"});
    let params = json!({"name": "rogue_act", "arguments": arguments, "_meta": {"progressToken": "t"}});
    let answer = hosted.client.request("tools/call", params);
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    let told: Vec<&Value> = hosted
        .client
        .notifications
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .map(|message| &message["params"])
        .collect();
    let done: Vec<f64> = told.iter().map(|params| params["progress"].as_f64().unwrap()).collect();
    assert_eq!(done, [1.0, 3.0, 4.0], "what goes back or is no number is not told");
    for params in told {
        let message = params["message"].as_str().unwrap();
        assert!(params["total"] == 4.0 && params["progressToken"] == "t");
        assert!(!message.contains(['\u{202e}', '\u{0}', '\u{1b}', '\u{200b}', '\n']), "{message:?}");
    }
}

#[test]
fn a_start_lists_the_tools_of_an_earlier_one_and_loads_no_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let changing = || {
        let mut extension = rogue(everything());
        extension.allowed.config = [("behave".to_owned(), json!("changing"))].into();
        extension
    };
    let mut listed = Vec::new();
    for _ in 0..2 {
        let mut hosted = Hosted::extending_from_files(&[changing()], Some(folder.path().to_owned()));
        listed.push(names(&mut hosted));
        assert_eq!(listed[0], names(&mut hosted), "what it would list now is not asked");
        // Written in the background.
        let stored = || std::fs::read_dir(folder.path().join("mappings")).is_ok_and(|entries| entries.count() > 0);
        assert!((0..200).any(|_| stored() || {
            std::thread::sleep(std::time::Duration::from_millis(20));
            false
        }));
    }
    assert_eq!(listed[0], listed[1], "the guest lists another name each time it is asked");
    assert_eq!(listed[0].len(), 3);
}

#[test]
fn the_program_serves_an_extension_named_on_its_command_line() {
    let file = hosted::component_file("greeter");
    let spawn = abi_mcp_tests::Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp"))
        .argument("--extension")
        .argument(format!("hello={}", file.display()));
    let mut client = spawn.connect();
    assert_eq!(client.call("hello_greet", json!({"name": "Ada"})).text, "Hello, Ada.");
    let tools: Vec<Value> = client.tools();
    assert!(tools.iter().all(|tool| tool["name"].as_str().unwrap().starts_with("hello_")), "no node is served");

    let node = FakeNode::with(Vec::new());
    let mut client = serve(node.url())
        .argument("--extension")
        .argument(format!("rogue={}", hosted::component_file("rogue").display()))
        .argument("--node")
        .connect();
    client.tool("select_app");
    let line = client.stderr_line("plugin `rogue`");
    assert!(line.contains("`http`"), "{line}");
}

#[test]
fn the_example_that_fetches_json_answers_a_part_of_a_document() {
    let web = WebServer::start();
    let grants = Grants { http: vec![web.address().to_owned()], ..Grants::default() };
    let allowed = Allowed { grants, ..Allowed::default() };
    let mut hosted = extended(&[Extension { name: "fetch-json", guest: "examples/fetch-json", allowed }]);
    let url = |path: &str| format!("http://{}{path}", web.address());
    let reply = hosted.client.call("fetch_json_get", json!({"url": url("/data"), "pointer": "/items/1/name"}));
    assert_eq!(reply.raw["structuredContent"]["result"]["value"], "second", "{}", reply.raw);
    let redirected = url(&format!("/redirect/{}/data", web.address()));
    let reply = hosted.client.call("fetch_json_get", json!({"url": redirected, "pointer": "/path"}));
    assert_eq!(reply.raw["structuredContent"]["result"]["value"], "/data", "{}", reply.raw);
    for (arguments, says) in [
        (json!({"url": "http://192.0.2.7/"}), "[plugin.grants]: http = [\"192.0.2.7\"]"),
        (json!({"url": url("/data"), "pointer": "/nope"}), "nothing at `/nope`"),
        (json!({"url": url("/status/404")}), "status 404"),
        (json!({"url": url("/big")}), "more than 1048576 bytes"),
        (json!({"url": "file:///etc/passwd"}), "not an absolute http"),
    ] {
        let reply = hosted.client.call("fetch_json_get", arguments.clone());
        assert!(reply.is_error && reply.text.contains(says), "{arguments}: {}", reply.text);
    }
}

#[test]
fn the_example_that_searches_files_lists_reads_and_finds() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("notes")).unwrap();
    std::fs::write(folder.path().join("notes/today.md"), "buy milk\nWrite the report\n").unwrap();
    std::fs::write(folder.path().join("binary"), [0_u8, 159, 146, 150]).unwrap();
    std::os::unix::fs::symlink("/etc", folder.path().join("etc")).unwrap();
    let granted = DirectoryGrant { guest: "/files".to_owned(), host: Some(folder.path().to_owned()), writable: true };
    let grants = Grants { directories: vec![granted], ..Grants::default() };
    let allowed = Allowed { grants, ..Allowed::default() };
    let mut hosted = extended(&[Extension { name: "search-files", guest: "examples/search-files", allowed }]);
    let found = hosted.client.call("search_files_search", json!({"text": "REPORT"}));
    let expected = json!([{"path": "/files/notes/today.md", "line": 2, "text": "Write the report"}]);
    assert_eq!(found.raw["structuredContent"]["result"]["matches"], expected, "{}", found.raw);
    let read = hosted.client.call("search_files_read", json!({"path": "/files/notes/today.md", "from": 2}));
    assert_eq!(read.text, "2\tWrite the report");
    let listed = hosted.client.call("search_files_list", json!({}));
    assert!(listed.text.contains("notes/") && listed.text.contains("etc (a link"), "{}", listed.text);
    for path in ["/files/etc/passwd", "/files/../../etc/passwd", "/etc/passwd", "/files/none", "/files/binary"] {
        let reply = hosted.client.call("search_files_read", json!({"path": path}));
        assert!(reply.is_error && !reply.text.contains("root:"), "{path}: {}", reply.text);
    }
}
