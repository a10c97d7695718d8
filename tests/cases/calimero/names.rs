//! Names of tools, apps and services: portable, different, stable, and each call reaches what it names.

use crate::{APP, ID, kind, one_app, param, passes, serve, tools_of};
use abi_mcp_tests::{App, Client, FakeNode, manifest};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn is_portable(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(letter) && name.len() <= 49
}

fn methods(names: &[&str]) -> Value {
    names.iter().map(|name| json!({"name": name, "params": []})).collect()
}

/// The tool that reaches each of these methods, by calling all of them. Every name must be portable and the method's
/// own name be seen by the model.
fn tool_by_method(methods: Value, count: usize) -> BTreeMap<String, String> {
    let (node, mut client) = one_app(json!({}), methods);
    let tools: Vec<Value> = client.tools().into_iter().filter(|tool| tool["_meta"]["package"] == APP).collect();
    assert_eq!(tools.len(), count, "{tools:?}");
    let names: BTreeSet<String> = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_lowercase()).collect();
    assert_eq!(names.len(), count, "{names:?}");
    let handle = client.handle(APP, None);
    let mut reached = BTreeMap::new();
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        assert!(is_portable(name), "{name}");
        let reply = client.call(name, json!({"app_handle": handle}));
        assert!(!reply.is_error, "{}", reply.text);
        let method = node.executed().last().unwrap().0.clone();
        let seen = format!("{} {}", tool["title"].as_str().unwrap(), tool["description"].as_str().unwrap());
        assert!(seen.contains(&method), "`{method}` is not in: {seen}");
        assert_eq!(reached.insert(method, name.to_owned()), None);
    }
    reached
}

#[test]
fn a13_services_have_tools_of_their_own() {
    let service = |extra: &str| manifest(json!({}), methods(&["get", extra]));
    let services = [("api", service("only_api")), ("worker", service("only_worker"))];
    let app = App::with_services(ID, APP, &services);
    let node = FakeNode::scripted(vec![app], |asked| {
        let text = "application has multiple services; pass service_name (available: api, worker)";
        asked.target.ends_with("/abi").then(|| FakeNode::json(400, &json!({"error": text})))
    });
    let mut client = serve(&node).connect();
    assert_eq!(
        tools_of(&mut client, "app_"),
        ["app_api_get", "app_api_only_api", "app_worker_get", "app_worker_only_worker"]
    );
    for service in ["api", "worker"] {
        let context = App::context_of(&format!("{ID}{service}"));
        let handle = client.handle(APP, Some(&context));
        let reply = client.call(&format!("app_{service}_get"), json!({"app_handle": handle}));
        assert!(!reply.is_error, "{}", reply.text);
        assert_eq!(node.contexts().last(), Some(&context));
        let other = if service == "api" { "worker" } else { "api" };
        let reply = client.call(&format!("app_{other}_get"), json!({"app_handle": handle}));
        assert!(reply.is_error && reply.text.contains("Call select_app for"), "{}", reply.text);
    }
    assert_eq!(node.executed().len(), 2);
    let reply = client.call("describe_app", json!({"app": APP}));
    assert!(reply.is_error && reply.text.contains("api, worker"), "{}", reply.text);
}

#[test]
fn a14_service_names_are_opaque_text_and_never_a_path() {
    let names = ["../../admin-api/keys", " lobby ", ".", "", "ok-1"];
    let service = || manifest(json!({}), methods(&["ping"]));
    let services: Vec<(&str, Value)> = names.iter().map(|name| (*name, service())).collect();
    let node = FakeNode::with(vec![App::with_services(ID, APP, &services)]);
    let mut client = serve(&node).connect();
    let tools = tools_of(&mut client, "app_");
    assert!(tools.contains(&"app_ok_1_ping".to_owned()), "{tools:?}; stderr:\n{}", client.stderr());
    assert!(tools.iter().all(|tool| is_portable(tool)), "{tools:?}");
    let handle = client.handle(APP, Some(&App::context_of(&format!("{ID}ok-1"))));
    assert!(!client.call("app_ok_1_ping", json!({"app_handle": handle})).is_error);
    let route = format!("/admin-api/applications/{ID}/abi");
    let mut values = BTreeSet::new();
    for asked in node.asked() {
        let (path, query) = asked.target.split_once('?').unwrap_or((&asked.target, ""));
        let known = ["/admin-api/applications", &route, "/jsonrpc", "/admin-api/health"];
        let own = path.starts_with("/admin-api/contexts/for-application/");
        assert!(known.contains(&path) || own, "{}", asked.target);
        values.insert(query.to_owned());
    }
    assert!(values.contains("service_name=..%2F..%2Fadmin-api%2Fkeys"), "{values:?}");
}

#[test]
fn a15_two_packages_of_one_short_name_keep_apart_in_any_order() {
    let apps = || {
        let app = |id: &str, package: &str| App::new(id, package, manifest(json!({}), methods(&["get"])));
        [app("AAA", "com.a.kv-store"), app("BBB", "org.b.kv_store")]
    };
    let names = |apps: Vec<App>| {
        let node = FakeNode::with(apps);
        let mut client = serve(&node).connect();
        let names = tools_of(&mut client, "kv_store_");
        let by_app: Vec<(String, String)> = ["AAA", "BBB"]
            .into_iter()
            .map(|id| {
                let context = App::context_of(id);
                let selected = client.call("select_app", json!({"app": id})).first();
                let tool = selected["tools"][0].as_str().unwrap().to_owned();
                let reply = client.call(&tool, json!({"app_handle": selected["app_handle"]}));
                assert!(!reply.is_error, "{}", reply.text);
                assert_eq!(node.contexts().last(), Some(&context));
                (id.to_owned(), tool)
            })
            .collect();
        assert_eq!(names.len(), 2, "{names:?}");
        by_app
    };
    let [a, b] = apps();
    let one = names(vec![a.clone(), b.clone()]);
    assert_eq!(one, names(vec![b, a]));
    assert_ne!(one[0].1, one[1].1);
}

#[test]
fn a16_a_parameter_may_be_called_as_an_argument_of_ours() {
    let with = |name: &str| json!({"name": format!("m{name}"), "params": [param(name, kind("u32"))]});
    let list: Value = ["context", "_context", "app_handle", "app", "args", "method"].map(with).into();
    let (node, mut client) = one_app(json!({}), list);
    for name in ["context", "_context", "app", "args", "method"] {
        let tool = if name == "_context" { "app_m_context" } else { &format!("app_m{name}") };
        passes(&node, &mut client, tool, json!({name: 5}), &json!({name: 5}).to_string());
    }
    // Ours and theirs could not be told apart, so there is no tool; `call` keeps the two in different places.
    assert!(!tools_of(&mut client, "app_").contains(&"app_mapp_handle".to_owned()));
    assert!(client.stderr_line("app_handle").contains("mapp_handle"), "{}", client.stderr());
    let handle = client.handle(APP, None);
    let arguments = json!({"method": "mapp_handle", "args": {"app_handle": 5}, "app_handle": handle});
    let reply = client.call("call", arguments);
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!(node.executed().last().unwrap().1, r#"{"app_handle":5}"#);
    // The context is still to be had where no parameter has its name.
    let context = App::context_of(ID);
    passes(&node, &mut client, "app_mcontext", json!({"context": 6, "_context": context}), r#"{"context":6}"#);
    assert!(client.tool("app_m_context")["inputSchema"]["properties"]["_context"]["type"] == "integer");
}

#[test]
fn a17_short_names_mean_whole_segments_and_never_guess() {
    let app = |id: &str, package: &str, signer: &str| {
        let mut app = App::new(id, package, manifest(json!({}), methods(&["get"])));
        app.row["signer_id"] = signer.into();
        app
    };
    let said = |apps: Vec<App>, query: &str| {
        let node = FakeNode::with(apps);
        let reply = serve(&node).connect().call("select_app", json!({"app": query}));
        assert!(reply.is_error, "{}", reply.text);
        reply.text
    };
    let text = said(vec![app("AAA", "com.x.mero-chat-v2", "s")], "mero-chat");
    assert!(text.contains("not found") && text.contains("com.x.mero-chat-v2"), "{text}");
    let text = said(vec![app("AAA", "com.x.notes", "s"), app("BBB", "org.y.notes", "s")], "notes");
    assert!(text.contains("ambiguous") && text.contains("com.x.notes") && text.contains("org.y.notes"), "{text}");
    let text = said(vec![app("AAA", "com.x.notes", "s1"), app("BBB", "com.x.notes", "s2")], "com.x.notes");
    for word in ["several signers", "AAA", "BBB", "s1", "s2"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn c03_a_long_name_is_cut_and_still_reaches_its_method() {
    let long = "get_active_ingredient_application_number_manufacturer_name_and_route_by_drug_name";
    let package = "com.example.application-with-a-long-name";
    let node = FakeNode::with(vec![App::new(ID, package, manifest(json!({}), methods(&[long])))]);
    let mut client = serve(&node).connect();
    let selected = client.call("select_app", json!({"app": package})).first();
    let tool = selected["tools"][0].as_str().unwrap().to_owned();
    assert!(is_portable(&tool), "{tool}");
    assert!(client.tool(&tool)["description"].as_str().unwrap().contains(long));
    assert!(!client.call(&tool, json!({"app_handle": selected["app_handle"]})).is_error);
    assert_eq!(node.executed()[0].0, long);
}

#[test]
fn c04_long_names_with_one_beginning_stay_apart_and_as_they_are() {
    let name = |end: &str| format!("m{}_{end}", "a".repeat(70));
    let (one, two, three) = (name("one"), name("two"), name("three"));
    let before = tool_by_method(methods(&[&one, &two]), 2);
    let after = tool_by_method(methods(&[&three, &two, &one]), 3);
    assert_eq!((&before[&one], &before[&two]), (&after[&one], &after[&two]));
}

#[test]
fn c05_names_that_differ_in_punctuation_or_case_only_are_different_tools() {
    let names = ["foo.list", "foo/list", "foo list", "foo_list", "FOO_LIST"];
    let reached = tool_by_method(methods(&names), 5);
    assert_eq!(reached["foo_list"], "app_foo_list");
    let again = tool_by_method(methods(&["FOO_LIST", "foo_list", "foo list", "foo/list", "foo.list"]), 5);
    assert_eq!(reached, again);
}

#[test]
fn c06_dots_colons_and_slashes_are_listed_portably_and_called_as_they_are() {
    let names = ["admin.keys.list", "ns:action", "user/profile", "a b"];
    let reached = tool_by_method(methods(&names), 4);
    assert!(names.iter().all(|name| reached.contains_key(*name)), "{reached:?}");
}

#[test]
fn c07_names_of_other_scripts_stay_visible_and_apart() {
    let names = ["获取天气", "数据库", "日本語", "émigré", "emigre"];
    let reached = tool_by_method(methods(&names), 5);
    assert!(names.iter().all(|name| reached.contains_key(*name)), "{reached:?}");
}

#[test]
fn c23_overloads_are_tools_of_their_own_in_any_order() {
    let transfer = |params: &[&str]| {
        let params: Vec<Value> = params.iter().map(|name| param(name, kind("string"))).collect();
        json!({"name": "transfer", "params": params})
    };
    let all = [transfer(&["to"]), transfer(&["to", "amount"]), transfer(&["to", "amount", "memo"])];
    let names = |methods: Value| {
        let (node, mut client) = one_app(json!({}), methods);
        let tools = tools_of(&mut client, "app_transfer");
        assert_eq!(tools.len(), 3, "{tools:?}");
        let by_count: BTreeMap<usize, String> = tools.into_iter().map(|tool| (own(&mut client, &tool), tool)).collect();
        for (count, tool) in &by_count {
            let arguments: Value = ["to", "amount", "memo"][..*count].iter().map(|name| (*name, "x")).collect();
            passes(&node, &mut client, tool, arguments.clone(), &arguments.to_string());
        }
        by_count
    };
    let [a, b, c] = all;
    let one = names(json!([a, b, c]));
    assert_eq!(one, names(json!([c, a, b])));
}

/// How many parameters of its own a tool has.
fn own(client: &mut Client, tool: &str) -> usize {
    let tool = client.tool(tool);
    let properties = tool["inputSchema"]["properties"].as_object().unwrap();
    properties.keys().filter(|name| !matches!(name.as_str(), "app_handle" | "_context")).count()
}

#[test]
fn names_are_the_same_after_a_restart() {
    let names = ["获取天气", "foo.list", "foo list", "plain"];
    assert_eq!(tool_by_method(methods(&names), 4), tool_by_method(methods(&names), 4));
}

#[test]
fn the_only_service_of_an_app_is_no_part_of_names_but_of_requests() {
    let app = App::with_services(ID, APP, &[("solo", manifest(json!({}), methods(&["get"])))]);
    let node = FakeNode::with(vec![app]);
    let mut client = serve(&node).connect();
    assert_eq!(tools_of(&mut client, "app_"), ["app_get"]);
    assert!(node.asked().iter().any(|asked| asked.target.ends_with("/abi?service_name=solo")));
    let card = client.call("select_app", json!({"app": APP})).first();
    assert_eq!(card["service"], "solo");
    assert!(!client.call("app_get", json!({"app_handle": card["app_handle"]})).is_error);
}

#[test]
fn a_name_of_ours_is_never_an_apps() {
    let app = |id: &str, package: &str, method: &str| App::new(id, package, manifest(json!({}), methods(&[method])));
    let node = FakeNode::with(vec![
        app("nodeapp-id", "com.x.node", "status"),
        app("a-id", "com.x.kv", "store_get"),
        app("b-id", "com.y.kv-store", "get"),
    ]);
    let mut client = serve(&node).connect();
    let names = tools_of(&mut client, "");
    for name in ["node_status", "node_nodeap_status", "kv_store_get", "kv_store_bid_get"] {
        assert_eq!(names.iter().filter(|listed| *listed == name).count(), 1, "{name}: {names:?}");
    }
    assert!(client.call("node_status", json!({})).first()["health"].is_object());
    let reply = client.call_app("com.x.node", "node_nodeap_status", json!({}));
    assert!(!reply.is_error, "{}", reply.text);
    let reply = client.call("no_such_tool", json!({}));
    assert_eq!((reply.code(), &*reply.text), (Some(-32602), "Unknown tool: no_such_tool"));
}
