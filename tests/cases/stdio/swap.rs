//! Plugins that are replaced while the real binary serves.

use crate::configured::{Folder, marked};
use crate::hosted::component;
use abi_mcp_tests::{Client, Reply};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What the guest says of `refuse`, and what other builds of it say, in as many bytes.
const WORDS: &str = "not a number it likes";

fn build(words: &str) -> Vec<u8> {
    replaced(component("arithmetic"), WORDS, words)
}

fn replaced(mut bytes: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let places: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from.as_bytes())).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    bytes
}

/// A client whose list is there; what is announced from now on is of what comes.
fn connect(folder: &Folder) -> Client {
    let mut client = folder.serve().connect();
    client.tools();
    while client.read(Duration::from_millis(1_500)) {}
    client.notifications.clear();
    client
}

fn refuse(client: &mut Client) -> Reply {
    client.call("refuse", json!({"a": 2, "b": 40}))
}

/// Calls until an answer has these words, always several at a time so that some are under way whenever plugins change;
/// every answer must be one of a whole plugin.
fn until(client: &mut Client, words: &str) -> usize {
    let started = Instant::now();
    let mut calls = 0;
    loop {
        assert!(started.elapsed() < Duration::from_secs(60), "`{words}` never comes; stderr:\n{}", client.stderr());
        let sums: Vec<Value> = (0..6).map(|a| client.send("tools/call", sum_of(a))).collect();
        let refused = client.send("tools/call", json!({"name": "refuse", "arguments": {"a": 2, "b": 40}}));
        for (a, id) in sums.iter().enumerate() {
            assert_eq!(Reply::of(&client.answer(id)).text, (a + 1).to_string(), "call {calls}");
        }
        let reply = Reply::of(&client.answer(&refused));
        assert!(reply.is_error && reply.text.contains("a number"), "{}", reply.text);
        calls += 7;
        if reply.text.contains(words) {
            return calls;
        }
    }
}

fn sum_of(a: usize) -> Value {
    json!({"name": "add", "arguments": {"a": a, "b": 1}})
}

#[test]
fn d12_a_thousand_calls_while_a_plugin_is_replaced_ten_times_and_twice_by_a_broken_one() {
    let folder = Folder::with_guest();
    let mut client = connect(&folder);
    let mut calls = until(&mut client, WORDS);
    for round in 0..10 {
        let words = format!("not a number {round:>8}");
        folder.replace(&build(&words));
        // Until it is accepted, the old one answers.
        assert!(!refuse(&mut client).text.contains(&words));
        let accepted = folder.run(&["plugin", "accept", "guest"]);
        assert!(accepted.good, "{}", accepted.stderr);
        calls += 1 + until(&mut client, &words);
        match round {
            // A file that is no plugin at all, as a copy that is under way; nothing to accept.
            3 => {
                folder.replace(b"\0asm half a plugin");
                assert!(!folder.run(&["plugin", "accept", "guest"]).good);
                client.stderr_line("plugin `guest` is not run");
                assert!(refuse(&mut client).text.contains(&words));
            }
            // One that is accepted and fails at the manifest in use.
            6 => {
                folder.replace(&replaced(component("arithmetic"), "arithmetic", "astrology-"));
                assert!(folder.run(&["plugin", "accept", "guest"]).good);
                client.stderr_line("plugin `guest` is not put in place, what was there stays");
                assert!(refuse(&mut client).text.contains(&words));
            }
            _ => {}
        }
    }
    while calls < 1_000 {
        calls += until(&mut client, "a number");
    }
    assert_eq!(list_changes(&client), 0, "every build lists the same");
}

fn list_changes(client: &Client) -> usize {
    let changes = |message: &&Value| message["method"] == "notifications/tools/list_changed";
    client.notifications.iter().filter(changes).count()
}

#[test]
fn d12_another_list_is_announced_once_after_it_is_served_and_a_broken_file_changes_nothing() {
    let folder = Folder::with_guest();
    let mut client = connect(&folder);
    let before = client.tool("add")["description"].clone();
    folder.replace(&replaced(component("arithmetic"), " to two numbers.", " to a few of it."));
    assert!(folder.run(&["plugin", "accept", "guest"]).good);
    client.notified("notifications/tools/list_changed");
    let after = client.tool("add")["description"].clone();
    assert!(after != before && after.as_str().unwrap().contains("a few"), "{after}");
    folder.replace(b"broken");
    client.stderr_line("plugin `guest` is not run");
    assert_eq!(client.tool("add")["description"], after);
    folder.replace(&marked(component("arithmetic"), "as it was"));
    assert!(folder.run(&["plugin", "accept", "guest"]).good);
    client.notified("notifications/tools/list_changed");
    assert_eq!(client.tool("add")["description"], before);
    assert_eq!(list_changes(&client), 0, "{:?}", client.notifications);
}

#[test]
fn an_acceptance_that_is_taken_back_ends_the_plugin_and_one_that_is_given_starts_it() {
    let folder = Folder::with_guest();
    let mut client = connect(&folder);
    assert_eq!(client.tools().len(), 2);
    assert!(folder.run(&["plugin", "remove", "guest"]).good);
    client.notified("notifications/tools/list_changed");
    assert!(client.tools().is_empty());
    assert!(folder.run(&["plugin", "accept", "guest"]).good);
    client.notified("notifications/tools/list_changed");
    assert_eq!(client.tools().len(), 2);
}

#[test]
fn an_ecosystem_that_is_taken_from_a_plugin_is_taken_although_nobody_else_serves_it() {
    let folder = Folder::with_guest();
    let mut client = connect(&folder);
    let text = std::fs::read_to_string(folder.path("abi-mcp.toml")).unwrap();
    let without = text.replace("ecosystems = [\"arithmetic\"]", "ecosystems = []");
    assert_ne!(text, without);
    std::fs::write(folder.path("abi-mcp.toml"), without).unwrap();
    client.stderr_line("ecosystems: - arithmetic");
    assert_eq!(client.tools().len(), 2, "nobody has accepted that yet");
    assert!(folder.run(&["plugin", "accept", "guest"]).good);
    client.notified("notifications/tools/list_changed");
    assert!(client.tools().is_empty());
}

#[test]
fn a_configuration_that_breaks_while_it_is_served_changes_nothing() {
    let folder = Folder::with_guest();
    let mut client = connect(&folder);
    let text = std::fs::read_to_string(folder.path("abi-mcp.toml")).unwrap();
    std::fs::write(folder.path("abi-mcp.toml"), format!("{text}\nname = FIXTURESECRET")).unwrap();
    let line = client.stderr_line("plugins stay as they are");
    assert!(line.contains("abi-mcp.toml:") && !client.stderr().contains("FIXTURE"), "{line}");
    assert_eq!(client.call("add", json!({"a": 1, "b": 1})).text, "2");
}
