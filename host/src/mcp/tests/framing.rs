//! Lines: what is no message, what is one in spite of its looks, and what is too much.

use super::client::*;
use crate::mcp::Limits;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::time::Duration;

#[test]
fn e06_garbage_is_ignored_without_an_answer_and_without_harm() {
    let mut client = Client::legacy();
    client.raw("not json\n".repeat(1000));
    client.raw(b"{\"\xFF\":1}\n");
    let answer = client.ask(legacy(2, "tools/list", json!({})));
    assert!(answer["result"]["tools"].is_array());
}

#[test]
fn e07_a_byte_that_is_not_utf8_is_answered_where_there_is_an_id() {
    let mut client = Client::legacy();
    client.raw(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"\xFF\"}}\n");
    let answer = client.next();
    assert_eq!((code(&answer), &answer["id"]), (-32700, &json!(7)));
    client.lives();
}

#[test]
fn json_that_cannot_be_represented_is_answered_with_its_id() {
    let mut client = Client::legacy();
    for (id, value) in [(json!(1), r#""\ud800""#), (json!("x"), "1e400"), (json!(-5), "[1,]"), (json!(6), "tru")] {
        let line = format!(
            r#"{{"method":"tools/call","params":{{"name":"echo","arguments":{{"a":{value}}}}},"jsonrpc":"2.0","id":{id}}}"#
        );
        client.raw(line + "\n");
        let answer = client.next();
        assert_eq!((code(&answer), &answer["id"]), (-32700, &id), "{answer}");
    }
    client.lives();
}

#[test]
fn e08_crlf_blank_lines_and_a_byte_order_mark_are_tolerated() {
    let mut client = Client::start();
    client.raw(format!("\u{FEFF}{}\r\n\r\n   \n\n", initialize("2025-11-25")));
    assert!(client.next()["result"].is_object());
    client.raw("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\r\n");
    client.raw("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\r\n");
    assert!(client.next()["result"]["tools"].is_array());
}

#[test]
fn e09_an_over_long_line_is_reported_once_and_the_next_is_served() {
    let mut client = Client::with(Limits { line_bytes: 100_000, ..Limits::default() });
    for _ in 0..64 {
        client.raw([b'a'; 100_000]);
    }
    client.raw("\n");
    let answer = client.next();
    assert_eq!((code(&answer), &answer["id"]), (-32600, &Value::Null));
    let long = modern(7, "tools/call", call("echo", json!({ "a": "a".repeat(100_000) })));
    let answer = client.ask(long);
    assert_eq!(code(&answer), -32600);
    client.lives();
}

#[test]
fn e09_a_ten_megabyte_request_is_served() {
    let mut client = Client::start();
    let answer = client.ask(modern(1, "tools/call", call("echo", json!({ "a": "a".repeat(10_000_000) }))));
    assert_eq!(answer["result"]["content"][0]["text"].as_str().unwrap().len(), 10_000_008);
}

#[test]
fn e10_requests_in_small_pieces_each_get_their_answer() {
    let mut client = Client::legacy();
    let mut bytes = Vec::new();
    for id in 0..60 {
        let padding = "p".repeat(20_000);
        let line = legacy(id, "tools/call", call("big", json!({ "bytes": 200_000, "padding": padding })));
        bytes.extend(format!("{line}\n").into_bytes());
    }
    for (index, piece) in bytes.chunks(3997).enumerate() {
        client.raw(piece);
        if index % 50 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let ids: BTreeSet<i64> = (0..60).map(|_| client.next()["id"].as_i64().unwrap()).collect();
    assert_eq!(ids.len(), 60);
    client.silent_for(Duration::from_millis(50));
}

#[test]
fn e11_a_batch_gets_one_error_without_an_id() {
    let mut client = Client::legacy();
    client.say(json!([legacy(11, "tools/list", json!({})), legacy(12, "ping", json!({}))]));
    let answer = client.next();
    assert_eq!((code(&answer), answer.get("id")), (-32600, Some(&Value::Null)));
    assert!(answer["error"]["message"].as_str().unwrap().contains("batches"));
    client.lives();
}

#[test]
fn e12_a_null_id_is_refused() {
    let mut client = Client::legacy();
    client.say(legacy(Value::Null, "tools/list", json!({})));
    let answer = client.next();
    assert_eq!((code(&answer), answer.get("id")), (-32600, Some(&Value::Null)));
}

#[test]
fn an_id_keeps_its_type_and_a_fraction_is_refused_with_itself() {
    let mut client = Client::legacy();
    for id in [json!("a"), json!(""), json!("1"), json!(1), json!(-7), json!(0), json!(i64::MAX)] {
        assert!(client.ask(legacy(id, "ping", json!({})))["result"].is_object());
    }
    for id in [json!(1.5), json!(u64::MAX)] {
        assert_eq!(code(&client.ask(legacy(id, "ping", json!({})))), -32600);
    }
    for id in [json!([]), json!({}), json!(true)] {
        client.say(legacy(id, "ping", json!({})));
        let answer = client.next();
        assert_eq!((code(&answer), answer.get("id")), (-32600, Some(&Value::Null)));
    }
}

#[test]
fn e14_valid_json_that_is_no_request_is_an_invalid_request() {
    let mut client = Client::legacy();
    for (line, id) in [
        (r#"{"id":7,"method":"tools/list"}"#, json!(7)),
        (r#"{"jsonrpc":"2.0","id":8}"#, json!(8)),
        (r#"{"jsonrpc":"1.0","id":9,"method":"tools/list"}"#, json!(9)),
        (r#"{"jsonrpc":"2.0","id":10,"method":5}"#, json!(10)),
        ("42", Value::Null),
        (r#""text""#, Value::Null),
        ("{}", Value::Null),
    ] {
        client.raw(format!("{line}\n"));
        let answer = client.next();
        assert_eq!((code(&answer), answer.get("id")), (-32600, Some(&id)), "{line}");
    }
    client.raw("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}\n");
    client.silent_for(SILENCE);
    client.lives();
}

#[test]
fn e21_no_depth_of_nesting_hurts() {
    let mut client = Client::legacy();
    for depth in [100, 126, 127, 1000, 100_000] {
        let nested = format!("{}1{}", "{\"x\":".repeat(depth), "}".repeat(depth));
        client.raw(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{depth},\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{nested}}}}}\n"
        ));
        let answer = client.next();
        assert_eq!(answer["id"], depth, "{answer}");
        assert!(depth == 100 || code(&answer) == -32700, "{answer}");
        assert!(client.ask(legacy("p", "ping", json!({})))["result"].is_object());
    }
}

#[test]
fn of_duplicate_members_the_last_counts() {
    let mut client = Client::legacy();
    client.raw(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"no\",\"name\":\"echo\",\"arguments\":{\"a\":1,\"a\":2}}}\n",
    );
    assert_eq!(client.next()["result"]["content"][0]["text"], "{\"a\":2}");
}

#[test]
fn an_id_in_use_is_refused_and_the_first_call_is_answered() {
    let mut client = Client::legacy();
    client.say(legacy(1, "tools/call", call("slow", json!({ "ms": 300 }))));
    assert_eq!(code(&client.ask(legacy(1, "ping", json!({})))), -32600);
    assert_eq!(client.next()["result"]["content"][0]["text"], "slept");
}

#[test]
fn e19_a_slow_reader_gets_large_answers_whole() {
    let (mut client, mut from) = Client::unread(Limits::default());
    client.say(modern(1, "tools/call", call("big", json!({ "bytes": 5_000_000 }))));
    client.say(modern(2, "tools/call", call("big", json!({ "bytes": 1_000_000 }))));
    client.close_input();
    let (mut bytes, mut buffer) = (Vec::new(), [0; 16 * 1024]);
    loop {
        // Longer for some pieces than the server would wait for a reader that takes nothing at all.
        std::thread::sleep(Duration::from_millis(2));
        match from.read(&mut buffer).unwrap() {
            0 => break,
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    }
    let lengths: BTreeSet<usize> = bytes
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice::<Value>(line).unwrap())
        .map(|answer| answer["result"]["content"][0]["text"].as_str().unwrap().len())
        .collect();
    assert_eq!(lengths, BTreeSet::from([1_000_000, 5_000_000]));
}

#[test]
fn requests_are_read_from_a_file_as_well() {
    let mut file = tempfile::tempfile().unwrap();
    write!(file, "{}", legacy(1, "ping", json!({}))).unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    let (mut from, to) = std::os::unix::net::UnixStream::pair().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let io = crate::mcp::Io { input: Box::new(file), output: Box::new(to), watched: None };
    let service = std::sync::Arc::new(super::fake::Fake::default());
    runtime.block_on(crate::mcp::serve(service, io, Limits::default(), std::future::pending()));
    drop(runtime);
    let mut text = String::new();
    from.read_to_string(&mut text).unwrap();
    assert_eq!(text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
}
