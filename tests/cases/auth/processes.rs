//! Several processes over one state folder.

use crate::{PASSWORD, USER, contexts, node, serve, stored, token_files};
use abi_mcp_devnode::Fault;
use abi_mcp_tests::{Client, Reply, process};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PROCESSES: usize = 8;
const CALLS: usize = 5;
const ROUNDS: usize = 3;

#[test]
fn f01_eight_processes_with_an_expired_token_refresh_it_once() {
    let node = node();
    let state = tempfile::tempdir().unwrap();
    let tokens = node.issue_tokens();
    let server = serve(state.path())
        .node(&node.url())
        .variable("CALIMERO_AUTH_TOKEN", &tokens.access_token)
        .variable("CALIMERO_REFRESH_TOKEN", &tokens.refresh_token);
    // The first round begins with a token that is dead before any process is there.
    node.expire_access_tokens();
    let mut clients: Vec<Client> = (0..PROCESSES).map(|_| server.connect()).collect();
    for round in 1..=ROUNDS {
        let before = node.count("GET", "/admin-api/contexts");
        let calls: Vec<Vec<Value>> = clients.iter_mut().map(send_calls).collect();
        for (client, calls) in clients.iter_mut().zip(&calls) {
            for call in calls {
                let reply = Reply::of(&client.answer(call));
                assert!(!reply.is_error, "{}\n{}", reply.text, client.stderr());
            }
        }
        assert_eq!(node.count("POST", "/auth/refresh"), round, "one refresh an expiry");
        assert_eq!(node.token_reuses(), 0);
        let listings = node.count("GET", "/admin-api/contexts") - before;
        assert!(listings <= 2 * PROCESSES * CALLS + 2 * PROCESSES, "a call is repeated once at most: {listings}");
        node.expire_access_tokens();
    }
    let files = token_files(state.path());
    assert_eq!(files.len(), 1, "no lock, no temporary file: {files:?}");
    let last = node.requests().into_iter().rfind(|request| request.path == "/auth/refresh").unwrap();
    let kept = stored(&files[0]);
    assert_ne!(kept["refresh_token"], last.json()["refresh_token"], "the file ends with the newest pair");
    // And that pair is the good one.
    assert_eq!(contexts(&mut clients[0]), 2);
}

fn send_calls(client: &mut Client) -> Vec<Value> {
    let call = json!({ "name": "list_contexts", "arguments": {} });
    (0..CALLS).map(|_| client.send("tools/call", call.clone())).collect()
}

#[test]
fn f03_a_process_killed_while_it_refreshes_blocks_nobody() {
    let node = node();
    let state = tempfile::tempdir().unwrap();
    let tokens = node.issue_tokens();
    let server = serve(state.path())
        .node(&node.url())
        .variable("CALIMERO_AUTH_TOKEN", &tokens.access_token)
        .variable("CALIMERO_REFRESH_TOKEN", &tokens.refresh_token);
    node.expire_access_tokens();
    // The answer never comes, and the node has not used the token up.
    node.inject(Fault::on("POST", "/auth/refresh").hang().times(1));
    let mut killed = server.connect();
    killed.send("tools/call", json!({ "name": "list_contexts", "arguments": {} }));
    let started = Instant::now();
    while node.count("POST", "/auth/refresh") == 0 {
        assert!(started.elapsed() < Duration::from_secs(30), "{}", killed.stderr());
        std::thread::sleep(Duration::from_millis(10));
    }
    process::signal(killed.pid(), process::Signal::KILL);
    drop(killed);
    let begin = Instant::now();
    assert_eq!(contexts(&mut server.connect()), 2);
    assert!(begin.elapsed() < Duration::from_secs(25), "before the lock is too old: its owner is gone");
    assert_eq!((node.count("POST", "/auth/refresh"), node.token_reuses()), (2, 0));
}

#[test]
fn processes_with_credentials_log_in_once_between_them() {
    let node = node();
    let state = tempfile::tempdir().unwrap();
    let server = serve(state.path())
        .node(&node.url())
        .variable("CALIMERO_USERNAME", USER)
        .variable("CALIMERO_PASSWORD", PASSWORD);
    let mut clients: Vec<Client> = (0..4).map(|_| server.connect()).collect();
    for client in &mut clients {
        assert_eq!(contexts(client), 2);
    }
    assert_eq!(node.count("POST", "/auth/token"), 1);
    node.expire_access_tokens();
    for client in &mut clients {
        assert_eq!(contexts(client), 2);
    }
    assert_eq!((node.count("POST", "/auth/token"), node.count("POST", "/auth/refresh")), (1, 1));
}
