//! Which tools there are: toolsets, read-only mode, and the apps whose methods are listed.

use crate::serve_live;
use abi_mcp_devnode::Setup;
use abi_mcp_tests::{Client, LiveNode};
use serde_json::{Value, json};

const KV: &str = "com.calimero.kv-store";

/// A server of the demo node with one variable set.
fn with(variable: &str, value: &str) -> (LiveNode, Client) {
    let node = LiveNode::start(Setup::demo());
    let client = serve_live(&node).variable(variable, value).connect();
    (node, client)
}

fn names(client: &mut Client) -> Vec<String> {
    client.tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn has(client: &mut Client, tools: &[&str]) -> Vec<bool> {
    let names = names(client);
    tools.iter().map(|tool| names.iter().any(|name| name == tool)).collect()
}

/// The method calls the node was asked for.
fn executed(node: &LiveNode) -> usize {
    node.count("POST", "/jsonrpc")
}

#[test]
fn core_is_always_on_and_the_other_toolsets_are_chosen() {
    let groups = ["node_status", "install_application", "create_namespace", "call_many"];
    for (list, on) in [
        ("all", [true, true, true, true]),
        ("core", [true, false, false, true]),
        ("blobs", [true, true, false, true]),
        ("governance, core", [true, false, true, true]),
        ("nonsense", [true, false, false, true]),
        ("  ", [true, true, true, true]),
    ] {
        let (_node, mut client) = with("CALIMERO_MCP_TOOLSETS", list);
        assert_eq!(has(&mut client, &groups), on, "{list}");
    }
}

#[test]
fn an_unknown_toolset_is_warned_about_and_an_inactive_tool_does_not_exist() {
    let (_node, mut client) = with("CALIMERO_MCP_TOOLSETS", "blobs,storage");
    client.stderr_line("CALIMERO_MCP_TOOLSETS names `storage`, which is no toolset");
    let reply = client.call("create_namespace", json!({"application": KV}));
    assert_eq!(reply.code(), Some(-32602), "{}", reply.raw);
}

#[test]
fn read_only_mode_lists_and_runs_only_what_reads() {
    let (node, mut client) = with("CALIMERO_MCP_READ_ONLY", "1");
    for tool in client.tools() {
        let name = tool["name"].as_str().unwrap();
        let reads = tool["annotations"]["readOnlyHint"] == true;
        assert!(reads || matches!(name, "call" | "call_many"), "{tool}");
    }
    assert_eq!(
        has(&mut client, &["kv_store_get", "kv_store_set", "list_blobs", "delete_blob"]),
        [true, false, true, false]
    );
    let card = client.call("select_app", json!({"app": KV})).first();
    assert!(card["mode"].as_str().unwrap().contains("read-only"), "{card}");
    assert!(!card["tools"].to_string().contains("kv_store_set"), "{card}");
    let handle = card["app_handle"].as_str().unwrap();

    let requests = node.requests().len();
    let reply = client.call("create_namespace", json!({"application": KV}));
    assert!(reply.is_error && reply.text.contains("read-only mode"), "{}", reply.text);
    assert_eq!(node.requests().len(), requests, "a refused tool asked the node");

    let set = json!({"key": "a", "value": "b"});
    let mut own = set.clone();
    own["app_handle"] = handle.into();
    let many = json!({"calls": [{"method": "set", "args": set, "app_handle": handle}]});
    for (tool, arguments) in [
        ("kv_store_set", own),
        ("call", json!({"method": "set", "args": set, "app_handle": handle})),
        ("call_many", many),
    ] {
        let reply = client.call(tool, arguments);
        assert!(reply.text.contains("read-only mode"), "{tool}: {}", reply.text);
    }
    assert_eq!(executed(&node), 0);
    let reply = client.call("kv_store_get", json!({"key": "a", "app_handle": handle}));
    assert!(!reply.is_error && executed(&node) == 1, "{}", reply.text);
    let reply = client.call("call", json!({"method": "len", "app_handle": handle}));
    assert_eq!(reply.text, "0");
}

#[test]
fn names_do_not_depend_on_the_mode() {
    let node = LiveNode::start(Setup::demo());
    let all = names(&mut serve_live(&node).connect());
    let reading = names(&mut serve_live(&node).variable("CALIMERO_MCP_READ_ONLY", "yes").connect());
    assert!(reading.iter().all(|name| all.contains(name)) && reading.len() < all.len());
}

#[test]
fn only_chosen_apps_get_tools_and_the_others_answer_to_call() {
    for name in [KV, "kv-store", "kv_store", "KV Store"] {
        let (_node, mut client) = with("CALIMERO_MCP_APPS", &format!("unheard-of, {name}"));
        let names = names(&mut client);
        assert!(names.iter().any(|tool| tool == "kv_store_get"), "{name}: {names:?}");
        assert!(!names.iter().any(|tool| tool.starts_with("types_lab_")), "{name}: {names:?}");
    }
    let (_node, mut client) = with("CALIMERO_MCP_APPS", "types-lab");
    let card = client.call("select_app", json!({"app": KV})).first();
    assert_eq!(card["tools"], json!([]));
    assert!(card["toolsNote"].as_str().unwrap().contains("`call` reaches every method"), "{card}");
    let reply = client.call("call", json!({"method": "len", "app_handle": card["app_handle"]}));
    assert_eq!(reply.text, "0");
    let reply = client.call("kv_store_len", json!({"app_handle": card["app_handle"]}));
    assert_eq!(reply.code(), Some(-32602));
}

#[test]
fn every_fixed_tool_has_a_title_and_one_hint_at_most() {
    let (_node, mut client) = with("CALIMERO_MCP_APPS", "none");
    let tools = client.tools();
    assert!(tools.len() >= 30, "{}", tools.len());
    let mut destructive: Vec<&str> = Vec::new();
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        assert!(tool["title"].as_str().is_some_and(|title| !title.is_empty()), "{tool}");
        match &tool["annotations"] {
            Value::Null => {}
            hints if *hints == json!({"readOnlyHint": true}) => {}
            hints if *hints == json!({"destructiveHint": true}) => destructive.push(name),
            other => panic!("{name}: {other}"),
        }
    }
    for name in ["delete_context", "uninstall_application", "delete_blob", "delete_namespace", "leave_namespace"] {
        assert!(destructive.contains(&name), "{destructive:?}");
    }
}

/// The tools a client of this server expects, what each takes, and what of it is required (server page, §§15-16).
const EXPECTED: &[(&str, &[&str], &[&str])] = &[
    ("node_status", &[], &[]),
    ("list_nodes", &[], &[]),
    ("list_applications", &[], &[]),
    ("list_namespaces", &[], &[]),
    ("list_contexts", &["application"], &[]),
    ("create_context", &["application", "group", "namespace", "name", "service", "args"], &["application"]),
    ("join_context", &["context"], &["context"]),
    ("delete_context", &["context"], &["context"]),
    ("create_alias", &["alias", "contextId"], &["alias", "contextId"]),
    ("lookup_alias", &["name"], &["name"]),
    ("install_application", &["coords"], &["coords"]),
    ("uninstall_application", &["application"], &["application"]),
    ("upload_blob", &["data", "hash", "context"], &["data"]),
    ("list_blobs", &[], &[]),
    ("delete_blob", &["blob"], &["blob"]),
    ("create_namespace", &["application", "name"], &["application"]),
    ("delete_namespace", &["namespace"], &["namespace"]),
    ("invite_to_namespace", &["namespace"], &["namespace"]),
    ("join_namespace", &["namespace", "invitation", "groupName"], &["namespace", "invitation"]),
    ("leave_namespace", &["namespace"], &["namespace"]),
    ("list_group_members", &["group"], &["group"]),
    ("add_group_members", &["group", "members"], &["group", "members"]),
    ("create_group", &["namespace", "name", "visibility", "parent"], &["namespace"]),
    ("set_group_visibility", &["group", "visibility"], &["group", "visibility"]),
    ("set_group_metadata", &["group", "name", "data"], &["group"]),
    ("join_open_group", &["group"], &["group"]),
    ("describe_app", &["app", "service"], &["app"]),
    ("select_app", &["app", "service", "context", "verbose"], &["app"]),
    ("call", &["method", "args", "app_handle", "app", "context"], &["method"]),
    ("call_many", &["calls"], &["calls"]),
];

#[test]
fn the_thirty_tools_of_the_server_page_take_what_it_says() {
    let (_node, mut client) = with("CALIMERO_MCP_TOOLSETS", "all");
    let tools = client.tools();
    for (name, takes, requires) in EXPECTED {
        let tool = tools.iter().find(|tool| tool["name"] == *name).unwrap_or_else(|| panic!("no tool {name}"));
        let schema = &tool["inputSchema"];
        let properties = schema["properties"].as_object().unwrap();
        let extra = ["offset", "limit", "from"];
        let own: Vec<&str> = properties.keys().map(String::as_str).filter(|key| !extra.contains(key)).collect();
        assert_eq!(own, *takes, "{name}");
        let required = schema.get("required").cloned().unwrap_or_else(|| json!([]));
        assert_eq!(required, json!(requires), "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
    }
}
