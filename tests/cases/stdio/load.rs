//! Many calls, slow calls and large answers on one connection.

use crate::{SOON, handle, reply, send_call, serve};
use abi_mcp_devnode::Setup;
use abi_mcp_tests::{App, Client, FakeNode, LiveNode, manifest};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::Read;
use std::time::{Duration, Instant};

#[test]
fn sixty_four_calls_at_once_lose_nothing_and_a_ping_is_answered_meanwhile() {
    let lab = LiveNode::start(Setup::demo());
    let mut client = serve(&lab.url()).connect();
    let handle = handle(&mut client);
    // The first ones take longest, so that no answer comes in the order of the requests.
    let calls: Vec<(Value, u64)> = (0..64)
        .map(|number| {
            let ms = 1500 - number * 10;
            (send_call(&mut client, &handle, "slow", json!({"ms": ms})), ms)
        })
        .collect();
    client.only_a_ping_is_answered();
    let listed = client.tools().len();
    assert!(listed > 8, "{listed}");
    for (id, ms) in &calls {
        let answer = reply(&client.answer(id));
        assert!(!answer.is_error, "{}", answer.text);
        assert_eq!(answer.text, ms.to_string(), "the answer to {id} is its own");
    }
    client.only_a_ping_is_answered();
}

#[test]
fn e18_a_slow_call_delays_nobody_else() {
    let lab = LiveNode::start(Setup::demo());
    let mut client = serve(&lab.url()).connect();
    let handle = handle(&mut client);
    let slow = send_call(&mut client, &handle, "slow", json!({"ms": 3000}));
    client.only_a_ping_is_answered();
    let quick = send_call(&mut client, &handle, "echo_string", json!({"x": "quick"}));
    assert_eq!(reply(&client.answer(&quick)).text, "\"quick\"");
    // Nothing else is unanswered, so the slow one is still on its way.
    client.only_a_ping_is_answered();
    assert_eq!(reply(&client.answer(&slow)).text, "3000");
}

#[test]
fn e10_requests_in_pieces_are_all_answered_while_answers_stream_out() {
    const CALLS: usize = 150;
    let text = json!([{"name": "text", "type": {"kind": "string"}}]);
    let methods = json!([{"name": "say", "params": text, "returns": {"kind": "string"}}]);
    let app = App::new("appAAA", "com.example.kv", manifest(json!({}), methods));
    let large = json!({"jsonrpc": "2.0", "id": 1, "result": {"output": "b".repeat(200_000)}}).to_string();
    let node = FakeNode::scripted(vec![app], move |asked| {
        asked.target.ends_with("/jsonrpc").then(|| (200, Vec::new(), large.clone()))
    });
    let mut client = serve(node.url()).connect();
    let handle = client.handle("com.example.kv", None);
    let mut bytes = Vec::new();
    for number in 0..CALLS {
        let arguments = json!({"app_handle": handle, "text": format!("{number} {}", "a".repeat(20_000))});
        let params = json!({"name": "kv_say", "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": format!("call {number}"), "method": "tools/call", "params": params});
        bytes.extend_from_slice(call.to_string().as_bytes());
        bytes.push(b'\n');
    }
    let mut random = 12_345_u32;
    let mut next = |below: u32| {
        random = random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        (random >> 16) % below
    };
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let (piece, after) = rest.split_at((next(4000) as usize + 1).min(rest.len()));
        client.bytes(piece);
        rest = after;
        std::thread::sleep(Duration::from_millis(u64::from(next(3))));
    }
    for number in 0..CALLS {
        let answer = reply(&client.answer(&json!(format!("call {number}"))));
        assert!(!answer.is_error && answer.text.len() >= 200_000, "{:.200}", answer.text);
    }
    // The client fails on two answers to one id.
    client.only_a_ping_is_answered();
    let sent: HashSet<String> =
        node.executed().iter().map(|(_, text)| text.split(' ').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(sent.len(), CALLS, "each call reached the node as itself");
}

#[test]
fn e19_large_answers_reach_a_client_that_reads_slowly_whole() {
    let lab = LiveNode::start(Setup::demo());
    let state = tempfile::tempdir().unwrap();
    let server = serve(&lab.url()).sharing(state.path());
    let handle = handle(&mut server.connect());
    let methods: Vec<Value> = (0..400)
        .map(|number| json!({"name": format!("method_{number}"), "params": [], "doc": "d".repeat(2000)}))
        .collect();
    let wide = FakeNode::with(vec![App::new("appAAA", "com.example.wide", manifest(json!({}), json!(methods)))]);
    let (mut client, stdout) = serve(wide.url()).variable("ABI_MCP_TOOLS", "1000").start_unread();
    open(&mut client);
    client.send("tools/list", json!({}));
    client.close_stdin();
    let lines = slowly(stdout, &mut client);
    assert_eq!(lines.len(), 2);
    assert!(lines[1]["result"]["tools"].as_array().unwrap().len() > 400);

    let (mut client, stdout) = server.start_unread();
    open(&mut client);
    send_call(&mut client, &handle, "large", json!({"kib": 2048}));
    client.send("ping", json!({}));
    client.close_stdin();
    let lines = slowly(stdout, &mut client);
    assert_eq!(lines.len(), 3);
    let large = lines.iter().find(|line| line["result"]["content"].is_array()).expect("the call is answered");
    assert_eq!(reply(large).text.len(), 2048 * 1024 + 2, "and its quotes");
}

/// A handshake whose answers nobody has read yet.
fn open(client: &mut Client) {
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    client.send("initialize", params);
    client.notify("notifications/initialized", json!({}));
}

/// Everything the server says, read 2 KiB a millisecond, with a rest as long as the server may wait for a reader.
fn slowly(mut stdout: impl Read, client: &mut Client) -> Vec<Value> {
    let (mut said, mut buffer) = (Vec::new(), [0; 2048]);
    let started = Instant::now();
    loop {
        let count = stdout.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        said.extend_from_slice(&buffer[..count]);
        std::thread::sleep(Duration::from_millis(1));
        assert!(started.elapsed() < Duration::from_secs(60));
    }
    assert!(client.wait(SOON).0.success());
    assert_eq!(said.last(), Some(&b'\n'));
    said.split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("every line is whole"))
        .collect()
}
