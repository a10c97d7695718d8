//! How a server begins, what it does with the handshake, and how it ends.

use crate::{SOON, code, handle, node, send_call, serve};
use abi_mcp_devnode::Setup;
use abi_mcp_tests::process::{self, Signal};
use abi_mcp_tests::{FakeNode, LiveNode};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

#[test]
fn e01_stdout_holds_json_rpc_only_at_the_loudest_log_level() {
    let lab = LiveNode::start(Setup::demo());
    let mut client = serve(&lab.url()).variable("RUST_LOG", "trace").connect();
    client.tools();
    let handle = handle(&mut client);
    let failing = send_call(&mut client, &handle, "panics", json!({"message": "on purpose"}));
    assert_eq!(client.answer(&failing)["result"]["isError"], true);
    let unknown = client.request("tools/call", json!({"name": "no_such_tool", "arguments": {}}));
    assert!(unknown["error"].is_object(), "{unknown}");
    client.line("not json");
    client.only_a_ping_is_answered();
    client.close_stdin();
    client.wait(SOON);
    // The client fails on any other line of stdout.
    while client.read(Duration::from_secs(1)) {}
    assert!(client.stderr().contains("TRACE"), "the log is there: {}", client.stderr());
}

#[test]
fn e02_a_closed_stdin_ends_the_server_with_code_0() {
    let node = node();
    let mut silent = serve(node.url()).start();
    let mut idle = serve(node.url()).connect();
    idle.tools();
    for client in [&mut silent, &mut idle] {
        client.close_stdin();
        let (status, _) = client.wait(SOON);
        assert!(status.success(), "{status}");
        assert_eq!(client.stderr(), "");
    }
}

#[test]
fn e03_requests_received_before_the_end_are_answered() {
    let lab = LiveNode::start(Setup::demo());
    let state = tempfile::tempdir().unwrap();
    let server = serve(&lab.url()).sharing(state.path());
    let handle = handle(&mut server.connect());
    for _ in 0..5 {
        let mut client = server.start();
        // All of it is in the pipe before the server has started.
        client.line(INITIALIZE);
        client.notify("notifications/initialized", json!({}));
        let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
        let arguments = json!({"ms": 500, "app_handle": handle});
        let call = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
            "params": {"name": "types_lab_slow", "arguments": arguments}});
        client.line(&list.to_string());
        client.bytes(call.to_string().as_bytes());
        client.close_stdin();
        assert!(client.answer(&json!(1))["result"]["protocolVersion"].is_string());
        assert!(client.answer(&json!(2))["result"]["tools"].is_array());
        let answer = client.answer(&json!(3));
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        assert!(client.wait(SOON).0.success());
    }
}

#[test]
fn e04_a_signal_ends_it_although_stdin_stays_open() {
    let lab = LiveNode::start(Setup::demo());
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        for busy in [false, true] {
            let mut client = serve(&lab.url()).connect();
            if busy {
                let handle = handle(&mut client);
                send_call(&mut client, &handle, "slow", json!({"ms": 60_000}));
            }
            client.only_a_ping_is_answered();
            process::signal(client.pid(), signal);
            let (status, _) = client.wait(SOON);
            assert_eq!(status.code(), Some(code), "busy: {busy}; {}", client.stderr());
            let told = client.stderr();
            assert!(told.lines().all(|line| line.contains("no tool for com.abi-mcp.types-lab")), "{told}");
        }
    }
    // Before a word was said, and before the handlers could be known to be in place.
    let mut client = serve(&lab.url()).start();
    client.only_a_ping_is_answered();
    process::signal(client.pid(), Signal::TERM);
    assert_eq!(client.wait(SOON).0.code(), Some(143));
}

#[test]
fn e05_it_ends_when_its_parent_is_killed() {
    let lab = LiveNode::start(Setup::demo());
    let state = tempfile::tempdir().unwrap();
    let handle = handle(&mut serve(&lab.url()).sharing(state.path()).connect());
    for busy in [false, true] {
        // A parent that holds the pipe to the server's stdin, says `$$` and passes on what it gets.
        let script = r#"exec 3>&1; cat | { echo "$BASHPID" >&3; exec "$SERVER" serve; }"#;
        let mut parent = Command::new("bash")
            .args(["-c", script])
            .env("SERVER", env!("CARGO_BIN_EXE_abi-mcp"))
            .env("CALIMERO_NODE_URL", lab.url())
            .env("CALIMERO_MCP_STATE_DIR", state.path())
            .env("XDG_CONFIG_HOME", state.path())
            .env_remove("ABI_MCP_CONFIG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(parent.stdout.take().unwrap()).lines();
        let server: u32 = lines.next().unwrap().unwrap().parse().unwrap();
        let mut stdin = parent.stdin.take().unwrap();
        writeln!(stdin, "{INITIALIZE}").unwrap();
        assert!(lines.next().unwrap().unwrap().contains("protocolVersion"));
        if busy {
            let arguments = json!({"ms": 60_000, "app_handle": handle});
            let params = json!({"name": "types_lab_slow", "arguments": arguments});
            writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}))
                .unwrap();
        }
        assert!(process::runs(server));
        let before = process::processor_time(server).unwrap();
        // The whole group of the parent dies: bash and `cat`, whose end of the pipe closes.
        for child in process::children(parent.id()).into_iter().filter(|child| *child != server) {
            process::signal(child, Signal::KILL);
        }
        process::signal(parent.id(), Signal::KILL);
        let killed = Instant::now();
        let mut last = before;
        while process::runs(server) {
            assert!(killed.elapsed() < SOON, "it lives on");
            last = process::processor_time(server).unwrap_or(last);
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(last - before < Duration::from_millis(900), "it was busy while it ended: {:?}", last - before);
        parent.wait().unwrap();
    }
}

#[test]
fn e15_requests_before_initialized_are_answered_and_end_nothing() {
    let node = node();
    let mut client = serve(node.url()).start();
    assert_eq!(client.request("ping", json!({}))["result"], json!({}), "ping as the very first line");
    let early = client.request("tools/list", json!({}));
    assert_eq!(code(&early), -32602, "no session and no metadata: {early}");
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let initialize = client.send("initialize", params);
    let ping = client.send("ping", json!({}));
    let level = client.send("logging/setLevel", json!({"level": "info"}));
    let list = client.send("tools/list", json!({}));
    client.notify("notifications/initialized", json!({}));
    let after = client.send("tools/list", json!({}));
    assert!(client.answer(&initialize)["result"].is_object());
    assert_eq!(client.answer(&ping)["result"], json!({}));
    assert_eq!(code(&client.answer(&level)), -32601);
    assert!(client.answer(&list)["result"]["tools"].is_array());
    assert!(client.answer(&after)["result"]["tools"].is_array());
    client.only_a_ping_is_answered();
}

#[test]
fn e16_an_unknown_revision_is_answered_with_a_known_one() {
    let node = node();
    for (asked, given) in
        [("1999-01-01", "2025-11-25"), ("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"), ("", "2025-11-25")]
    {
        let mut client = serve(node.url()).start();
        assert_eq!(client.initialize(asked)["protocolVersion"], given);
        client.tool("kv_say");
    }
    let mut client = serve(node.url()).start();
    let params = json!({"protocolVersion": 5, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    assert_eq!(code(&client.request("initialize", params)), -32602);
    client.initialize("2025-11-25");
    assert_eq!(code(&client.request("tools/lost", json!({}))), -32601);
    client.notify("notifications/unheard_of", json!({"any": "thing"}));
    client.only_a_ping_is_answered();
}

#[test]
fn e17_a_cancelled_call_has_no_answer_and_an_unknown_id_is_ignored() {
    let lab = LiveNode::start(Setup::demo());
    let mut client = serve(&lab.url()).connect();
    client.notify("notifications/cancelled", json!({"requestId": 999}));
    client.notify("notifications/cancelled", json!({"requestId": null}));
    client.notify("notifications/cancelled", json!({}));
    client.only_a_ping_is_answered();
    let handle = handle(&mut client);
    let call = send_call(&mut client, &handle, "slow", json!({"ms": 60_000}));
    client.only_a_ping_is_answered();
    client.notify("notifications/cancelled", json!({"requestId": call, "reason": "enough"}));
    // What is left of the call would come while others run to their end.
    let other = send_call(&mut client, &handle, "slow", json!({"ms": 300}));
    assert!(client.answer(&other)["result"].is_object());
    client.only_a_ping_is_answered();
    client.close_stdin();
    let (status, time) = client.wait(SOON);
    assert!(status.success(), "{status}");
    assert!(time < Duration::from_millis(1400), "the cancelled call still ran: {time:?}");
    assert!(!client.read(Duration::from_millis(10)));
}

#[test]
fn e20_it_ends_quietly_when_nobody_reads_any_longer() {
    let node = node();
    // The second client leaves after it has read everything, so that no later write can tell the server.
    for lines in [1, 4] {
        let (mut client, stdout) = serve(node.url()).start_unread();
        client.line(INITIALIZE);
        let mut reader = BufReader::new(stdout);
        let mut line = String::new();
        client.notify("notifications/initialized", json!({}));
        for id in 2..5 {
            client.line(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}).to_string());
        }
        for _ in 0..lines {
            reader.read_line(&mut line).unwrap();
        }
        // Long enough for the server to have said whatever else it has to say: a write would tell it.
        std::thread::sleep(if lines == 1 { Duration::ZERO } else { Duration::from_secs(1) });
        drop(reader);
        let (status, _) = client.wait(SOON);
        assert!(status.success(), "{status}");
        assert!(!client.stderr().contains("panicked"), "{}", client.stderr());
    }
}

#[test]
fn e22_not_a_byte_is_said_before_the_first_request() {
    let node = FakeNode::with(Vec::new());
    let (mut client, mut stdout) = serve(node.url()).start_unread();
    let (said, first) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut byte = [0];
        stdout.read_exact(&mut byte).unwrap();
        let _ = said.send(Instant::now());
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let _ = said.send(Instant::now());
        assert!(line.contains("protocolVersion"), "{line}");
    });
    // Changes on the node are no reason to speak either.
    node.set_apps(vec![abi_mcp_tests::App::new("appAAA", "com.example.kv", json!({"methods": []}))]);
    assert!(first.recv_timeout(Duration::from_secs(3)).is_err());
    assert_eq!(node.asked().len(), 0, "the node is left alone too");
    client.line(INITIALIZE);
    first.recv_timeout(SOON).unwrap();
    first.recv_timeout(SOON).expect("the first line is the answer to initialize");
}

#[test]
fn a_terminal_on_stderr_is_no_reason_to_panic() {
    // `script` gives its command a terminal; where it is missing, so is the terminal.
    let Ok(mut script) = Command::new("script")
        .args(["-qec", &format!("{} serve </dev/null", env!("CARGO_BIN_EXE_abi-mcp")), "/dev/null"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
    else {
        println!("skipped: there is no `script`");
        return;
    };
    let mut said = String::new();
    script.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(script.wait().unwrap().success(), "{said}");
    assert_eq!(said, "");
}
