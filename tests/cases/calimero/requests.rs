//! How many requests an operation costs the node: no more than the server it replaces (its page, §23).

use crate::serve_live;
use abi_mcp_devnode::Setup;
use abi_mcp_tests::LiveNode;
use serde_json::json;

/// What was asked since the last look, as `VERB path`, without the polls that may fall between.
fn asked(node: &LiveNode) -> Vec<String> {
    let requests = node.requests();
    node.clear_requests();
    requests.iter().map(|request| format!("{} {}", request.method, request.path)).collect()
}

#[test]
fn connecting_costs_one_request_and_one_more_for_each_app() {
    let node = LiveNode::start(Setup::demo());
    node.clear_requests();
    let mut client = serve_live(&node).connect();
    client.tools();
    let asked = asked(&node);
    assert_eq!(asked.iter().filter(|line| *line == "GET /admin-api/applications").count(), 1, "{asked:?}");
    assert_eq!(asked.iter().filter(|line| line.ends_with("/abi")).count(), 2, "{asked:?}");
    assert_eq!(asked.len(), 3, "{asked:?}");
    client.tools();
    assert!(self::asked(&node).is_empty(), "listing again costs nothing");
}

#[test]
fn a_call_by_handle_costs_three_requests_and_one_more_by_alias() {
    let node = LiveNode::start(Setup::demo());
    let mut client = serve_live(&node).connect();
    client.tools();
    let handle = client.handle("kv-store", None);
    node.clear_requests();
    let call = |client: &mut abi_mcp_tests::Client, arguments| {
        let reply = client.call("kv_store_len", arguments);
        assert!(!reply.is_error, "{}", reply.text);
    };
    call(&mut client, json!({"app_handle": handle}));
    let mut by_handle = asked(&node);
    // The first two go out together.
    by_handle.sort();
    assert_eq!(by_handle.len(), 3, "{by_handle:?}");
    assert!(by_handle[0].ends_with("/applications") && by_handle[1].contains("/contexts/for-application/"));
    assert_eq!(by_handle[2], "POST /jsonrpc");
    call(&mut client, json!({"app_handle": handle, "_context": "kv"}));
    assert_eq!(asked(&node).len(), 4);
}
