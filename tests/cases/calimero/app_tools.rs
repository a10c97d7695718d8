//! `describe_app`, `select_app`, `call` and `create_context` (calimero-mcp-server §§15-16), against a node with state.

use crate::serve_live;
use abi_mcp_devnode::{AliasKind, Seed, Setup, apps};
use abi_mcp_tests::{Client, LiveNode};
use serde_json::{Value, json};

const KV: &str = "com.calimero.kv-store";

fn demo() -> (LiveNode, Client) {
    let node = LiveNode::start(Setup::demo());
    let client = serve_live(&node).connect();
    (node, client)
}

#[test]
fn describe_app_says_what_an_app_can_do_and_changes_no_list() {
    let (node, mut client) = demo();
    let before = client.tools();
    let reply = client.call("describe_app", json!({"app": "KV-Store"}));
    let card = reply.first();
    assert_eq!(card["application"], node.application(KV).unwrap());
    assert_eq!((&card["package"], &card["appVersion"]), (&json!(KV), &json!("1.0.0")));
    assert_eq!((&card["service"], &card["contextServices"]), (&json!(null), &json!([])));
    assert!(
        card["serviceNote"]
            .as_str()
            .unwrap()
            .starts_with("Not discoverable: a node exposes no service list for an application")
    );
    assert!(card["guide"].as_str().unwrap().starts_with("calimero://apps/"));
    let methods = card["methods"].as_array().unwrap();
    assert!(methods.iter().any(|method| method.as_str().unwrap().contains("init(")), "{card}");
    let set = methods.iter().find(|method| method.as_str().unwrap().contains(" set(")).unwrap().as_str().unwrap();
    assert!(set.contains("[mut] set(key: string, value: string) -> unit"), "{set}");
    assert!(set.contains("\n  key: The key."), "{set}");
    // A handle to plan with: it names no context.
    let reply = client.call("kv_store_len", json!({"app_handle": card["app_handle"]}));
    assert!(reply.text.starts_with("This app_handle names no context."), "{}", reply.text);
    assert_eq!(client.tools(), before);
    let by_name = client.call("describe_app", json!({"app": "kv store"})).first();
    assert_eq!(by_name["application"], card["application"], "a display name, ignoring case");
    let unknown = client.call("describe_app", json!({"app": "nope"}));
    assert!(unknown.is_error && unknown.text.contains(KV), "{}", unknown.text);
}

#[test]
fn select_app_binds_the_only_context_or_lists_them() {
    let (node, mut client) = demo();
    client.tools();
    let card = client.call("select_app", json!({"app": KV})).first();
    let first = node.context("kv").unwrap();
    assert_eq!(card["context"], first);
    assert!(card.get("note").is_none() && card.get("methods").is_none(), "{card}");
    assert!(card["toolsNote"].as_str().unwrap().contains("mcp__<server>__<tool>"));
    let tools: Vec<&str> = card["tools"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(tools.contains(&"kv_store_set") && tools.iter().all(|tool| tool.starts_with("kv_store_")), "{tools:?}");
    assert!(!tools.contains(&"kv_store_init"), "{tools:?}");

    let second = node.another_context(KV, Value::Null);
    let card = client.call("select_app", json!({"app": KV})).first();
    assert_eq!(card["context"], json!(null));
    let note = card["note"].as_str().unwrap();
    assert!(
        note.starts_with("Application \"com.calimero.kv-store\" has 2 contexts; pass context with one of: "),
        "{note}"
    );
    assert!(note.contains(&first) && note.contains(&second), "{note}");
    assert_eq!(client.call("select_app", json!({"app": KV, "context": "kv"})).first()["context"], first);

    for context in [&first, &second] {
        node.delete_context(context);
    }
    let card = client.call("select_app", json!({"app": KV})).first();
    assert_eq!(
        card["note"],
        "Application \"com.calimero.kv-store\" has no contexts on this node. Create one in the Calimero desktop app, or use create_context."
    );
}

#[test]
fn select_app_refuses_a_context_of_something_else() {
    let (node, mut client) = demo();
    let own = node.context("kv").unwrap();
    let foreign = node.context("lab").unwrap();
    for named in [&*foreign, "lab"] {
        let reply = client.call("select_app", json!({"app": KV, "context": named}));
        let expected = format!("Error: Context \"{named}\" does not belong to \"{KV}\". Contexts for \"{KV}\": {own}");
        assert_eq!((reply.is_error, reply.text), (true, expected));
    }
    let reply = client.call("select_app", json!({"app": KV, "context": "nowhere"}));
    let expected = format!(
        "Error: Context \"nowhere\" not found: it is neither a context id nor an alias on this node. Contexts for \"{KV}\": {own}"
    );
    assert_eq!((reply.is_error, reply.text), (true, expected));
}

#[test]
fn a_service_is_chosen_by_the_context_or_by_name() {
    let seed = Seed::new(apps::two_services(), "two").service("notes");
    let node = LiveNode::start(Setup::empty().with(seed));
    let mut client = serve_live(&node).connect();
    client.tools();
    let card = client.call("select_app", json!({"app": "two-services"})).first();
    assert_eq!((&card["service"], &card["contextServices"]), (&json!("notes"), &json!(["notes"])));
    let tools = card["tools"].to_string();
    assert!(tools.contains("two_services_notes_add") && !tools.contains("two_services_store_"), "{tools}");
    let reply = client.call("two_services_notes_count", json!({"app_handle": card["app_handle"]}));
    assert_eq!(reply.text, "0");
    let reply = client.call("two_services_store_len", json!({"app_handle": card["app_handle"]}));
    assert!(reply.is_error && reply.text.contains("Call select_app for"), "{}", reply.text);

    let card = client.call("select_app", json!({"app": "two-services", "service": "store"})).first();
    assert_eq!((&card["service"], &card["context"]), (&json!("store"), &json!(null)));
    let reply = client.call("describe_app", json!({"app": "two-services"}));
    assert!(reply.is_error && reply.text.contains("notes, store"), "{}", reply.text);
    let card = client.call("describe_app", json!({"app": "two-services", "service": "store"})).first();
    assert_eq!(card["service"], "store");
    let reply = client.call("describe_app", json!({"app": "two-services", "service": "nope"}));
    assert!(reply.is_error && reply.text.contains("notes, store"), "{}", reply.text);
}

#[test]
fn call_runs_any_method_and_follows_its_rules() {
    let (node, mut client) = demo();
    let held = client.handle(KV, None);
    let mut call = |arguments: Value| client.call("call", arguments);

    let set = json!({"key": "a", "value": "b"});
    let reply = call(json!({"method": "set", "args": set, "app_handle": held}));
    assert!(!reply.is_error && reply.text == "null", "{}", reply.text);
    let reply = call(json!({"method": "get", "args": {"key": "a"}, "app_handle": held}));
    assert_eq!(reply.text, "b", "a string is its own text");
    assert!(reply.raw.get("structuredContent").is_none());
    let reply = call(json!({"method": "entries", "app_handle": held}));
    assert_eq!(reply.text, "{\n  \"a\": \"b\"\n}");

    // Without a good handle.
    let reply = call(json!({"method": "get", "args": {"key": "a"}}));
    assert_eq!(reply.text, "Call select_app for the application and retry with the returned app_handle.");
    let retry = "Call select_app for com.calimero.kv-store and retry with the returned app_handle.";
    let reply = call(json!({"method": "get", "args": {"key": "a"}, "app": KV}));
    assert!(reply.is_error && reply.text.ends_with(retry) && reply.raw["content"][1]["type"] == "resource");
    let reply = call(json!({"method": "get", "app": "nope", "app_handle": "x"}));
    assert!(reply.is_error && reply.text.contains("\"nope\" not found"), "{}", reply.text);

    // `app` beside a good handle.
    let reply = call(json!({"method": "len", "app": "types-lab", "app_handle": held}));
    assert!(reply.is_error && reply.text.contains("Call select_app for com.abi-mcp.types-lab"), "{}", reply.text);
    assert_eq!(call(json!({"method": "len", "app": "nope", "app_handle": held})).text, "1");
    assert_eq!(call(json!({"method": "len", "app": "kv-store", "app_handle": held})).text, "1");

    // Its own arguments, `init`, what is not there.
    let reply = call(json!({"app_handle": held}));
    assert!(reply.is_error && reply.text.contains("`method`"), "{}", reply.text);
    let reply = call(json!({"method": "init", "app_handle": held}));
    assert_eq!(
        reply.text,
        "init runs once, when create_context creates the context; pass its arguments as create_context's args. It cannot be called on a context."
    );
    assert!(reply.is_error);
    let reply = call(json!({"method": "gte", "app_handle": held}));
    assert!(
        reply.text.starts_with("Error: Method \"gte\" not found on \"com.calimero.kv-store\". Available: "),
        "{}",
        reply.text
    );
    assert!(reply.text.contains("clear, contains, entries, get"), "{}", reply.text);
    let reply = call(json!({"method": "set", "args": {"key": 1}, "app_handle": held}));
    assert!(reply.is_error && reply.text.contains("`key`") && reply.text.contains("`value`"), "{}", reply.text);

    // Another context, by id or alias.
    let second = node.another_context(KV, Value::Null);
    node.set_alias(AliasKind::Context, "second", &second).unwrap();
    for named in [&*second, "second"] {
        assert_eq!(call(json!({"method": "len", "context": named, "app_handle": held})).text, "0");
    }
    let reply = call(json!({"method": "len", "context": "lab", "app_handle": held}));
    assert!(reply.is_error && reply.text.contains("does not belong to"), "{}", reply.text);
}

#[test]
fn call_reaches_methods_that_have_no_tool() {
    let (_node, mut client) = demo();
    let held = client.handle("types-lab", None);
    let reply =
        client.call("call", json!({"method": "with_handle", "args": {"app_handle": "theirs"}, "app_handle": held}));
    assert_eq!(reply.text, "theirs");
    assert!(!client.tools().iter().any(|tool| tool["name"] == "types_lab_with_handle"));
    let reply = client.call("types_lab_with_context", json!({"context": "c", "_context": "d", "app_handle": held}));
    assert_eq!(reply.text, "\"c\"", "a method that declares `_context` keeps it");
    let reply = client.call("types_lab_with_underscore", json!({"_x": 5, "app_handle": held}));
    assert_eq!(reply.text, "5");
}

#[test]
fn create_context_checks_the_initialisers_arguments_before_anything_is_made() {
    let (node, mut client) = demo();
    let namespace = client.call("create_namespace", json!({"application": "types-lab", "name": "n"})).first();
    let group = namespace["namespaceId"].as_str().unwrap().to_owned();
    let made = |node: &LiveNode| node.count("POST", "/admin-api/contexts");
    let lab = |args: Value| json!({"application": "types-lab", "group": group, "args": args});

    let reply = client.call("create_context", json!({"application": "types-lab", "group": group}));
    assert!(reply.is_error, "{}", reply.text);
    assert!(
        reply.text.starts_with("Error: Application \"Types Lab\" cannot be initialized with these args: missing title"),
        "{}",
        reply.text
    );
    assert!(reply.text.contains("Its init: ") && reply.text.contains("  title: A title, not empty."), "{}", reply.text);
    assert!(reply.text.ends_with("Pass these as create_context's args, keyed by parameter name."), "{}", reply.text);
    let reply = client.call("create_context", lab(json!({"title": 7, "limit": -1})));
    assert!(
        reply.is_error && reply.text.contains("invalid title") && reply.text.contains("invalid limit"),
        "{}",
        reply.text
    );
    let reply = client.call("create_context", lab(json!({"title": "t", "titel": "t"})));
    assert!(reply.is_error && reply.text.contains("titel"), "{}", reply.text);
    let reply = client.call("create_context", json!({"application": "types-lab", "args": {"title": "t"}}));
    assert!(reply.is_error && reply.text.contains("`group`"), "{}", reply.text);
    let both = json!({"application": "types-lab", "group": group, "namespace": "other", "args": {"title": "t"}});
    assert!(client.call("create_context", both).is_error);
    assert_eq!(made(&node), 0, "nothing was created");

    // What the app itself refuses comes in its own words.
    let reply = client.call("create_context", lab(json!({"title": " "})));
    assert!(reply.is_error && reply.text.contains("the title must not be empty"), "{}", reply.text);

    let created = client.call("create_context", lab(json!({"title": "mine", "limit": 3})));
    assert!(!created.is_error, "{}", created.text);
    let id = created.first()["contextId"].as_str().unwrap().to_owned();
    assert!(created.first()["memberPublicKey"].is_string());
    assert_eq!(node.state(&id).unwrap()["title"], "mine");
    let held = client.handle("types-lab", Some(&id));
    assert_eq!(client.call("types_lab_status", json!({"app_handle": held})).text, r#"["mine",3,0]"#);
    // The older name of `group`.
    let older = json!({"application": "types-lab", "namespace": group, "args": {"title": "t"}});
    assert!(!client.call("create_context", older).is_error);
}

#[test]
fn create_context_without_arguments_where_init_takes_none() {
    let (_node, mut client) = demo();
    let namespace = client.call("create_namespace", json!({"application": KV})).first();
    let group = &namespace["namespaceId"];
    let created = client.call("create_context", json!({"application": KV, "group": group, "name": "n"}));
    assert!(!created.is_error, "{}", created.text);
    let refused = client.call("create_context", json!({"application": KV, "group": group, "args": {"x": 1}}));
    assert!(refused.is_error && refused.text.contains('x'), "{}", refused.text);
}

#[test]
fn an_app_without_init_takes_no_arguments_for_it() {
    let (_node, mut client) = crate::one_app(json!({}), json!([{"name": "m", "params": []}]));
    let arguments = json!({"application": crate::APP, "group": "ab".repeat(32), "args": {"x": 1}});
    let reply = client.call("create_context", arguments);
    assert_eq!(reply.text, "Error: Application \"com.example.app\" declares no init method, so it takes no init args.");
}

#[test]
fn create_context_of_one_service_of_several_takes_that_services_arguments() {
    let node = LiveNode::start(Setup::empty().with(Seed::bare(apps::two_services())));
    let mut client = serve_live(&node).connect();
    let namespace = client.call("create_namespace", json!({"application": "two-services"})).first();
    let group = &namespace["namespaceId"];
    let reply = client.call("create_context", json!({"application": "two-services", "group": group}));
    assert!(reply.is_error && reply.text.contains("notes, store"), "{}", reply.text);
    let wanted = json!({"application": "two-services", "group": group, "service": "store"});
    let created = client.call("create_context", wanted);
    assert!(!created.is_error, "{}", created.text);
    let id = created.first()["contextId"].as_str().unwrap().to_owned();
    client.tools();
    let card = client.call("select_app", json!({"app": "two-services"})).first();
    assert_eq!((&card["context"], &card["service"]), (&json!(id), &json!("store")));
    assert_eq!(client.call("two_services_store_len", json!({"app_handle": card["app_handle"]})).text, "0");
}

#[test]
fn every_generated_tool_says_what_it_may_do_and_whose_it_is() {
    let (_node, mut client) = demo();
    let hints = |client: &mut Client, tool: &str| client.tool(tool)["annotations"].clone();
    let get = hints(&mut client, "kv_store_get");
    assert_eq!(
        get,
        json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false})
    );
    let clear = hints(&mut client, "kv_store_clear");
    assert_eq!((&clear["readOnlyHint"], &clear["openWorldHint"]), (&json!(false), &json!(false)));
    let tool = client.tool("kv_store_get");
    assert_eq!(tool["title"], "Get (KV Store)");
    let meta = &tool["_meta"];
    assert_eq!((&meta["package"], &meta["appVersion"]), (&json!(KV), &json!("1.0.0")));
    assert_eq!(meta["intent"], "read_only", "{meta}");
    assert!(meta["signerId"].as_str().unwrap().starts_with("did:key:"), "{meta}");
    // Fixed tools first, then apps by package, each with its tools by name.
    let tools = client.tools();
    let packages: Vec<&str> = tools.iter().map(|tool| tool["_meta"]["package"].as_str().unwrap_or_default()).collect();
    assert!(packages.is_sorted(), "{packages:?}");
    let names: Vec<&str> =
        tools.iter().filter(|tool| tool["_meta"]["package"] == KV).filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.is_sorted() && !names.is_empty(), "{names:?}");
}

#[test]
fn a_trace_of_the_caller_reaches_the_node_and_only_in_its_own_call() {
    let (node, mut client) = demo();
    let held = client.handle(KV, None);
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (given, sent) in [(Some(trace), Some(trace)), (Some("00-nonsense"), None), (None, None)] {
        node.clear_requests();
        let mut params = json!({"name": "kv_store_len", "arguments": {"app_handle": held}});
        if let Some(given) = given {
            params["_meta"] = json!({"traceparent": given});
        }
        let answer = client.request("tools/call", params);
        assert_ne!(answer["result"]["isError"], json!(true), "{answer}");
        let requests = node.requests();
        let run = requests.iter().find(|request| request.path.ends_with("/jsonrpc")).unwrap();
        assert_eq!(run.headers.get("traceparent").map(String::as_str), sent);
    }
}
