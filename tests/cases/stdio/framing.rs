//! Lines in and lines out: what is read as a message, what is refused, what is ignored.

use crate::{code, handle, node, reply, serve};
use abi_mcp_devnode::Setup;
use abi_mcp_tests::process;
use abi_mcp_tests::{Client, LiveNode};
use serde_json::{Value, json};

const MIB: usize = 1 << 20;

/// The longest line read.
const LINE: usize = 16 * MIB;

#[test]
fn e06_garbage_is_ignored_and_requests_among_it_are_answered() {
    let node = node();
    let mut client = serve(node.url()).start();
    client.line("not json");
    client.initialize("2025-11-25");
    client.bytes("garbage\n".repeat(1000).as_bytes());
    client.tool("kv_say");
    // Not one answer to any of it: whoever writes garbage does not wait for one.
    client.only_a_ping_is_answered();
    assert_eq!(client.refusals, Vec::<Value>::new());
    assert!(client.stderr().len() < 10_000, "the log is no storm either");
}

#[test]
fn e07_a_byte_that_is_no_utf8_ends_nothing() {
    let node = node();
    let mut client = serve(node.url()).connect();
    client.bytes(b"{\"\xff\":1}\n");
    client.bytes(b"\xff\xfe\n\x00\n");
    client.only_a_ping_is_answered();
    // In a request it costs the request, by its id.
    client.bytes(b"{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/list\",\"params\":{\"x\":\"\xff\"}}\n");
    assert_eq!(code(&client.answer(&json!(77))), -32700);
    client.tool("kv_say");
}

#[test]
fn e08_crlf_and_blank_lines_are_read_and_lf_is_written() {
    let node = node();
    let mut client = serve(node.url()).start();
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": params});
    client.bytes(format!("\r\n{initialize}\r\n\r\n   \r\n\t\n\n").as_bytes());
    client.bytes(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\r\n \n");
    client.bytes(b"{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"tools/list\"}\r\n");
    assert!(client.answer(&json!("a"))["result"].is_object());
    assert!(client.answer(&json!("b"))["result"]["tools"].is_array());
    client.only_a_ping_is_answered();
}

#[test]
fn e09_a_line_without_end_costs_no_memory_and_is_reported_once() {
    let node = node();
    let mut client = serve(node.url()).connect();
    client.tool("kv_say");
    let before = process::resident(client.pid());
    let piece = vec![b'a'; MIB];
    for _ in 0..64 {
        client.bytes(&piece);
    }
    client.line("");
    let refusal = client.refusal();
    assert_eq!(code(&refusal), -32600);
    assert!(refusal["error"]["message"].as_str().unwrap().contains(&LINE.to_string()), "{refusal}");
    client.only_a_ping_is_answered();
    client.tool("kv_say");
    let grown = process::peak(client.pid()).saturating_sub(before);
    assert!(grown < 2 * LINE as u64, "it grew by {} MiB", grown / MIB as u64);
}

#[test]
fn e09_an_over_long_request_is_refused_by_its_id_and_one_of_10_mb_works() {
    let node = node();
    let mut client = serve(node.url()).connect();
    let text = "a".repeat(10 * MIB);
    // The node answers the arguments, which is no text, and so says the reply; that it is there is the point.
    let answer = client.call_app("com.example.kv", "kv_say", json!({"text": text}));
    assert!(answer.text.contains("the call ran"), "{:.300}", answer.text);
    assert!(node.executed().last().unwrap().1.len() > 10 * MIB, "all of it reached the node");
    let id = client.send("tools/call", json!({"name": "kv_say", "arguments": {"text": "a".repeat(LINE)}}));
    let answer = client.answer(&id);
    assert_eq!(code(&answer), -32600, "{answer}");
    client.only_a_ping_is_answered();
}

#[test]
fn e11_a_batch_is_refused_once() {
    let node = node();
    let mut client = serve(node.url()).connect();
    for batch in [
        r#"[{"jsonrpc":"2.0","id":11,"method":"tools/list"},{"jsonrpc":"2.0","id":12,"method":"ping"}]"#,
        r#"[{"jsonrpc":"2.0","id":11,"method":"tools/list"}]"#,
        "[]",
    ] {
        client.line(batch);
        let refusal = client.refusal();
        assert_eq!(code(&refusal), -32600);
        assert!(refusal["error"]["message"].as_str().unwrap().contains("batches are not supported"), "{refusal}");
        client.only_a_ping_is_answered();
    }
}

#[test]
fn e12_the_id_null_is_no_id() {
    let node = node();
    let mut client = serve(node.url()).connect();
    for method in ["tools/list", "ping", "no/such"] {
        client.line(&json!({"jsonrpc": "2.0", "id": null, "method": method}).to_string());
        assert_eq!(code(&client.refusal()), -32600, "{method}");
    }
    for id in [json!(true), json!([1]), json!({"a": 1}), json!(1.5)] {
        client.line(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}).to_string());
        let refused = if id == json!(1.5) { client.answer(&id) } else { client.refusal() };
        assert_eq!(code(&refused), -32600, "{id}");
    }
    client.only_a_ping_is_answered();
}

#[test]
fn e13_a_number_and_a_string_are_two_ids() {
    let lab = LiveNode::start(Setup::demo());
    let mut client = serve(&lab.url()).connect();
    let handle = handle(&mut client);
    let slow = |id: Value, ms: u32| {
        let arguments = json!({"app_handle": handle, "ms": ms});
        let params = json!({"name": "types_lab_slow", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    client.line(&slow(json!(101), 700));
    client.line(&json!({"jsonrpc": "2.0", "id": "101", "method": "tools/list"}).to_string());
    assert!(client.answer(&json!("101"))["result"]["tools"].is_array());
    assert!(client.answer(&json!(101))["result"]["content"].is_array());
    // Cancelling one leaves the other.
    client.line(&slow(json!(102), 60_000));
    client.line(&slow(json!("102"), 700));
    client.notify("notifications/cancelled", json!({"requestId": 102}));
    assert!(client.answer(&json!("102"))["result"]["content"].is_array());
    client.only_a_ping_is_answered();
}

#[test]
fn e14_json_that_is_no_request_is_an_invalid_request() {
    let node = node();
    let mut client = serve(node.url()).connect();
    for (line, id) in [
        (r#"{"id":1007,"method":"tools/list"}"#, 1007),
        (r#"{"jsonrpc":"2.0","id":1008}"#, 1008),
        (r#"{"jsonrpc":"1.0","id":1009,"method":"tools/list"}"#, 1009),
        (r#"{"jsonrpc":"2.0","id":1010,"method":7}"#, 1010),
    ] {
        client.line(line);
        assert_eq!(code(&client.answer(&json!(id))), -32600, "{line}");
    }
    for line in ["42", "\"text\"", "null", "true", "{}"] {
        client.line(line);
        assert_eq!(code(&client.refusal()), -32600, "{line}");
    }
    client.only_a_ping_is_answered();
}

#[test]
fn e21_no_depth_of_nesting_ends_the_connection() {
    let node = node();
    let mut client = serve(node.url()).connect();
    let handle = client.handle("com.example.kv", None);
    for depth in [100, 126, 127, 1000, 100_000] {
        for (open, close) in [("{\"x\":", "}"), ("[", "]")] {
            let id = format!("deep {depth} {open}");
            let nested = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let params = format!(r#"{{"name":"kv_say","arguments":{{"app_handle":"{handle}","text":{nested}}}}}"#);
            client.line(&format!(r#"{{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{params}}}"#, json!(id)));
            refused(&mut client, &json!(id));
            client.only_a_ping_is_answered();
        }
    }
    // Depth that is no request at all.
    client.bytes(&[b'['; 100_000]);
    client.line("");
    client.only_a_ping_is_answered();
    client.tool("kv_say");
}

/// The nested value is no text, or no parser reads it: either way the answer carries the id.
fn refused(client: &mut Client, id: &Value) {
    let answer = client.answer(id);
    let unread = answer["error"]["code"] == -32700;
    assert!(unread || reply(&answer).is_error, "{answer:.300}");
}
