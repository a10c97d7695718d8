//! The tools of the node itself, against a node with real state: inputs, requests, results, texts.

use crate::serve_live;
use abi_mcp_devnode::{AliasKind, Fault, Generation, IdText, Setup, apps};
use abi_mcp_tests::{Client, LiveNode, Reply};
use serde_json::{Value, json};

const KV: &str = "com.calimero.kv-store";

fn demo() -> (LiveNode, Client) {
    let node = LiveNode::start(Setup::demo());
    let client = serve_live(&node).connect();
    (node, client)
}

/// A call that succeeds; its text as JSON, and the same as structure.
fn answer(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let reply = client.call(tool, arguments);
    assert!(!reply.is_error, "{tool}: {}", reply.text);
    let text = reply.first();
    if text.is_object() {
        assert_eq!(reply.raw["structuredContent"], text, "{tool}");
    }
    text
}

fn words(client: &mut Client, tool: &str, arguments: Value) -> String {
    let reply = client.call(tool, arguments);
    assert!(!reply.is_error && reply.raw.get("structuredContent").is_none(), "{tool}: {}", reply.raw);
    reply.text
}

fn failure(client: &mut Client, tool: &str, arguments: Value) -> String {
    let reply = client.call(tool, arguments);
    assert!(reply.is_error, "{tool}: {}", reply.text);
    reply.text
}

/// The body of the last request to a path that ends so.
fn last_body(node: &LiveNode, method: &str, path: &str) -> String {
    let requests = node.requests();
    let last = requests.iter().rfind(|request| request.method == method && request.path.ends_with(path));
    String::from_utf8(last.unwrap_or_else(|| panic!("no {method} {path}")).body.to_vec()).unwrap()
}

fn namespace(client: &mut Client) -> String {
    answer(client, "create_namespace", json!({"application": "kv-store", "name": "home"}))["namespaceId"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn the_node_tells_of_itself_and_of_its_neighbours() {
    let (node, mut client) = demo();
    let status = answer(&mut client, "node_status", json!({}));
    assert_eq!(status["health"], json!({"status": "alive"}));
    assert_eq!((&status["nodeName"], &status["discoverySource"]), (&Value::Null, &json!("env")));
    let reply = client.call("list_nodes", json!({}));
    let nodes = reply.first();
    let active = nodes.as_array().unwrap().iter().find(|row| row["active"] == true).unwrap();
    assert!(active["url"].as_str().unwrap().starts_with(&node.url()), "{nodes}");
    assert_eq!(reply.raw["structuredContent"], json!({"nodes": nodes}));
    let namespaces = client.call("list_namespaces", json!({"limit": 1}));
    assert_eq!(namespaces.raw["structuredContent"]["total"], 2, "{}", namespaces.raw);
}

#[test]
fn lists_are_paged_when_asked() {
    let (node, mut client) = demo();
    for _ in 0..4 {
        drop(node.another_context(KV, Value::Null));
    }
    let all = answer(&mut client, "list_contexts", json!({"application": "KV Store"}));
    assert_eq!(all["contexts"].as_array().unwrap().len(), 5);
    assert!(all.get("total").is_none(), "{all}");
    assert!(all["contexts"][0]["dagHeads"][0].as_str().is_some_and(|head| head.len() == 64), "{all}");
    let page = answer(&mut client, "list_contexts", json!({"application": KV, "offset": 3, "limit": 1}));
    assert_eq!(page["contexts"][0], all["contexts"][3]);
    assert_eq!((&page["total"], &page["nextOffset"]), (&json!(5), &json!(4)));
    let page = answer(&mut client, "list_contexts", json!({"application": KV, "offset": 4}));
    assert_eq!(page["contexts"].as_array().unwrap().len(), 1);
    assert!(page.get("nextOffset").is_none(), "{page}");
}

#[test]
fn aliases_are_made_found_and_taken_in_place_of_ids() {
    for ids in [IdText::Base58, IdText::Hex] {
        let node = LiveNode::start(Setup { context_ids: ids, ..Setup::demo() });
        let mut client = serve_live(&node).connect();
        let id = node.another_context(KV, Value::Null);
        let text = words(&mut client, "create_alias", json!({"alias": "second", "contextId": id}));
        assert_eq!(text, format!("Alias \"second\" now resolves to context {id}."));
        let found = answer(&mut client, "lookup_alias", json!({"name": "second"}));
        assert_eq!(found, json!({"alias": "second", "contextId": id}));
        let none = client.call("lookup_alias", json!({"name": "nobody"}));
        assert_eq!((none.text.as_str(), none.is_error), ("No alias named \"nobody\" on this node.", false));
        assert_eq!(none.raw["structuredContent"], json!({"alias": "nobody", "contextId": null}));

        let joined = answer(&mut client, "join_context", json!({"context": "second"}));
        assert_eq!(joined["contextId"], id.as_str());
        assert!(joined["memberPublicKey"].is_string(), "{joined}");
        words(&mut client, "sync_context", json!({"context": "second"}));
        assert_eq!(answer(&mut client, "delete_context", json!({"context": "second"})), json!({"isDeleted": true}));
        let text = failure(&mut client, "delete_context", json!({"context": "third"}));
        assert!(text.contains("\"third\" is neither a context id nor an alias on this node"), "{text}");
    }
}

#[test]
fn a_hex_id_reaches_a_node_that_reads_only_base58() {
    let (node, mut client) = demo();
    let id = node.context("kv").unwrap();
    let hex = hex::encode(bs58::decode(&id).into_vec().unwrap());
    words(&mut client, "sync_context", json!({"context": hex}));
    words(&mut client, "create_alias", json!({"alias": "other", "contextId": hex}));
    assert_eq!(node.alias(AliasKind::Context, "other").as_deref(), Some(&*id));
    assert_eq!(answer(&mut client, "delete_context", json!({"context": hex})), json!({"isDeleted": true}));
    assert_eq!(answer(&mut client, "delete_context", json!({"context": id})), json!({"isDeleted": false}));
}

#[test]
fn a23a_an_empty_answer_to_a_deletion_is_a_success() {
    let (node, mut client) = demo();
    node.inject(Fault::on("DELETE", "/admin-api/contexts/").answer(200, &[], ""));
    node.inject(Fault::on("DELETE", "/admin-api/blobs/").answer(200, &[], ""));
    let id = node.context("kv").unwrap();
    assert_eq!(answer(&mut client, "delete_context", json!({"context": id})), json!({"isDeleted": true}));
    assert_eq!(answer(&mut client, "delete_blob", json!({"blob": "b"})), json!({"blobId": "b", "deleted": true}));
}

#[test]
fn a21_no_metadata_is_none_in_each_of_its_three_shapes() {
    let (node, mut client) = demo();
    let group = namespace(&mut client);
    let path = format!("/admin-api/groups/{group}/metadata");
    for none in [r#"{"data":{"data":null}}"#, r#"{"data":null}"#, "null"] {
        node.clear_faults();
        node.inject(Fault::on("GET", &path).json(200, none));
        let metadata = answer(&mut client, "get_group_metadata", json!({"group": group}));
        assert_eq!(metadata, json!({"name": null, "data": {}}), "{none}");
    }
    node.clear_faults();
    let text = words(&mut client, "set_group_metadata", json!({"group": group, "name": "n", "data": {"a": "b"}}));
    assert_eq!(text, format!("Metadata of group {group} replaced."));
    words(&mut client, "set_group_metadata", json!({"group": group}));
    assert_eq!(last_body(&node, "PUT", "/metadata"), r#"{"data":{}}"#);
    let metadata = answer(&mut client, "get_group_metadata", json!({"group": group}));
    assert_eq!(metadata, json!({"name": "n", "data": {}}), "an omitted name keeps the old one, data replaces all");
    let text = failure(&mut client, "set_group_metadata", json!({"group": group, "data": {"a": 1}}));
    assert!(text.contains("Input validation error"), "{text}");
}

#[test]
fn an_installed_app_has_tools_at_once_and_an_uninstalled_one_none() {
    let node = LiveNode::start(Setup::empty());
    let mut client = serve_live(&node).connect();
    for bad in ["com.calimero.kv-store", "@1.0.0", "com.calimero.kv-store@"] {
        let text = failure(&mut client, "install_application", json!({"coords": bad}));
        assert_eq!(text, format!("Error: Expected package@version, got \"{bad}\"."));
    }
    let installed = answer(&mut client, "install_application", json!({"coords": "com.calimero.kv-store@1.0.0"}));
    assert_eq!(
        last_body(&node, "POST", "/install-application"),
        r#"{"package":"com.calimero.kv-store","version":"1.0.0"}"#
    );
    assert_eq!(installed["applicationId"], node.application(KV).unwrap());
    client.notified("notifications/tools/list_changed");
    client.tool("kv_store_get");
    let gone = answer(&mut client, "uninstall_application", json!({"application": "kv-store"}));
    assert_eq!(gone, installed);
    client.notified("notifications/tools/list_changed");
    assert!(client.tools().iter().all(|tool| tool["name"] != "kv_store_get"));
    let text = failure(&mut client, "uninstall_application", json!({"application": "kv-store"}));
    assert_eq!(text, "Error: Application \"kv-store\" not found. Installed: (none)");
}

#[test]
fn an_older_node_installs_from_a_url() {
    let node = LiveNode::start(Setup { generation: Generation::August2026, ..Setup::empty() });
    let mut client = serve_live(&node).connect();
    let url = apps::kv_store().source;
    answer(&mut client, "install_application", json!({"coords": url}));
    assert_eq!(last_body(&node, "POST", "/install-application"), json!({"url": url, "metadata": []}).to_string());
    client.tool("kv_store_get");
    let text = failure(&mut client, "install_application", json!({"coords": "com.calimero.kv-store@1.0.0"}));
    assert!(
        text.contains("`url`") && text.contains("hint: older nodes install only from a bundle's public URL"),
        "{text}"
    );
}

#[test]
fn an_installation_stands_though_the_list_cannot_be_read_after_it() {
    let node = LiveNode::start(Setup::empty());
    let mut client = serve_live(&node).connect();
    client.tools();
    node.inject(Fault::on("GET", "/admin-api/applications").json(500, r#"{"error":"broken"}"#));
    let installed = answer(&mut client, "install_application", json!({"coords": "com.calimero.kv-store@1.0.0"}));
    assert_eq!(installed["applicationId"], node.application(KV).unwrap());
}

#[test]
fn blobs_go_up_come_down_and_go() {
    let (node, mut client) = demo();
    let up = answer(&mut client, "upload_blob", json!({"data": "aGVs\nbG8="}));
    assert_eq!((last_body(&node, "PUT", "/blobs").as_str(), &up["size"]), ("hello", &json!(5)));
    let id = up["blobId"].as_str().unwrap();
    let list = answer(&mut client, "list_blobs", json!({}));
    assert!(list["blobs"].as_array().unwrap().contains(&up), "{list}");
    let down = answer(&mut client, "download_blob", json!({"blob": id}));
    assert_eq!(down, json!({"blobId": id, "size": 5, "data": "aGVsbG8="}));
    assert_eq!(answer(&mut client, "delete_blob", json!({"blob": id})), json!({"blobId": id, "deleted": true}));
    let text = failure(&mut client, "download_blob", json!({"blob": id}));
    assert!(text.contains("Blob not found"), "{text}");

    let text = failure(&mut client, "upload_blob", json!({"data": "not base64!"}));
    assert!(text.starts_with("Error: `data` is not base64"), "{text}");
    assert_eq!(node.count("PUT", "/admin-api/blobs"), 1);
    failure(&mut client, "upload_blob", json!({"data": "aGVsbG8=", "hash": "wrong"}));
    node.inject(Fault::on("GET", "/admin-api/blobs/").huge(3 << 20));
    let text = failure(&mut client, "download_blob", json!({"blob": id}));
    assert!(text.contains("is larger than 1048576 bytes"), "{text}");
}

#[test]
fn an_invitation_reaches_the_node_as_it_was_given() {
    let (node, mut client) = demo();
    let group = namespace(&mut client);
    let invited = client.call("invite_to_namespace", json!({"namespace": group}));
    let invitation = &invited.first()["invitation"];
    assert_eq!(&invited.raw["structuredContent"]["invitation"], invitation);
    let joined = answer(&mut client, "join_namespace", json!({"namespace": group, "invitation": invitation}));
    assert_eq!(joined["namespaceId"], group.as_str());

    let odd = r#"{"z":18446744073709551615,"a":{"y":[1,2,3],"b":-5},"é":"ü\"","m":null}"#;
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{{"name":"join_namespace","arguments":{{"namespace":"{group}","invitation":{odd},"groupName":"g"}}}}}}"#
    );
    client.line(&line);
    client.answer(&json!(900));
    assert_eq!(last_body(&node, "POST", "/join"), format!(r#"{{"invitation":{odd},"groupName":"g"}}"#));
    let tool = client.tool("join_namespace");
    assert_eq!(tool["inputSchema"]["properties"]["invitation"]["properties"], json!({}));
}

#[test]
fn namespaces_are_left_and_deleted() {
    let (_node, mut client) = demo();
    let group = namespace(&mut client);
    assert_eq!(answer(&mut client, "delete_namespace", json!({"namespace": group})), json!({"isDeleted": true}));
    let (node, mut client) = demo();
    let group = namespace(&mut client);
    node.inject(Fault::on("POST", &format!("/admin-api/namespaces/{group}/leave")).json(200, r#"{"data":null}"#));
    assert_eq!(words(&mut client, "leave_namespace", json!({"namespace": group})), format!("Left namespace {group}."));
    let text = failure(&mut client, "create_namespace", json!({"application": "nope"}));
    assert!(text.contains("Application \"nope\" not found"), "{text}");
}

#[test]
fn members_are_listed_added_and_removed() {
    let (_node, mut client) = demo();
    let group = namespace(&mut client);
    let other = "ab".repeat(32);
    let text = words(
        &mut client,
        "add_group_members",
        json!({"group": group, "members": [{"identity": other, "role": "Member"}]}),
    );
    assert_eq!(text, format!("Added {other} (Member) to group {group}."));
    let members = answer(&mut client, "list_group_members", json!({"group": group}));
    assert!(members["members"].to_string().contains(&other), "{members}");
    let page = answer(&mut client, "list_group_members", json!({"group": group, "limit": 1}));
    assert_eq!((page["members"].as_array().unwrap().len(), &page["nextOffset"]), (1, &json!(1)), "{page}");
    let text = words(&mut client, "remove_group_members", json!({"group": group, "members": [other]}));
    assert_eq!(text, format!("Removed {other} from group {group}."));
    let members = answer(&mut client, "list_group_members", json!({"group": group}));
    assert!(!members["members"].to_string().contains(&other), "{members}");
    let text = failure(&mut client, "add_group_members", json!({"group": group, "members": [{"identity": "x"}]}));
    assert!(text.contains("role"), "{text}");
}

#[test]
fn a_nested_group_is_made_in_three_steps_and_says_where_they_stopped() {
    let (node, mut client) = demo();
    let home = namespace(&mut client);
    let plain = json!({"namespace": home, "name": "a", "visibility": "open"});
    let parent = answer(&mut client, "create_group", plain)["groupId"].as_str().unwrap().to_owned();
    assert_eq!(last_body(&node, "POST", "/groups"), r#"{"groupName":"a","visibility":"open"}"#);

    let nested = json!({"namespace": home, "parent": parent, "name": "b", "visibility": "open"});
    answer(&mut client, "create_group", nested.clone());
    let application = node.application(KV).unwrap();
    assert_eq!(
        last_body(&node, "POST", "/admin-api/groups"),
        json!({"upgradePolicy": "LazyOnAccess", "applicationId": application, "name": "b", "parentGroupId": parent})
            .to_string()
    );
    assert_eq!(last_body(&node, "PUT", "/subgroup-visibility"), r#"{"subgroupVisibility":"open"}"#);

    node.inject(Fault::on("PUT", "/admin-api/groups/").json(500, r#"{"error":"no luck"}"#));
    let text = failure(&mut client, "create_group", nested.clone());
    assert!(text.starts_with("Error: Group "), "{text}");
    let says = format!(" was created under {parent} but its visibility was not set; retry set_group_visibility. ");
    assert!(text.contains(&says) && text.contains("no luck"), "{text}");
    node.inject(Fault::on("GET", "/admin-api/groups/").json(404, r#"{"error":"no such group"}"#));
    let made = node.count("POST", "/admin-api/groups");
    let text = failure(&mut client, "create_group", nested);
    assert!(text.contains("no such group") && node.count("POST", "/admin-api/groups") == made, "{text}");
}

#[test]
fn visibility_is_one_of_two_words_before_anything_is_sent() {
    let (node, mut client) = demo();
    let group = namespace(&mut client);
    // The list is read again in the background; what counts is that nothing was changed.
    let changes = || node.requests().iter().filter(|request| request.method != "GET").count();
    let before = changes();
    for (tool, arguments) in [
        ("set_group_visibility", json!({"group": group, "visibility": "public"})),
        ("create_group", json!({"namespace": group, "visibility": "Open"})),
    ] {
        let text = failure(&mut client, tool, arguments);
        assert!(text.contains("Input validation error") && text.contains("open"), "{text}");
    }
    assert_eq!(changes(), before);
    let text = words(&mut client, "set_group_visibility", json!({"group": group, "visibility": "open"}));
    assert_eq!(text, format!("Group {group} is now open."));
}

#[test]
fn an_open_group_is_joined() {
    let (node, mut client) = demo();
    let group = namespace(&mut client);
    let said = json!({"groupId": group, "memberPublicKey": "k", "wasInherited": true});
    let path = format!("/admin-api/groups/{group}/join-via-inheritance");
    node.inject(Fault::on("POST", &path).json(200, &json!({"data": said}).to_string()));
    assert_eq!(answer(&mut client, "join_open_group", json!({"group": group})), said);
}

/// Makes every call a list of next calls names, in order, with the ids earlier ones answered.
fn follow(client: &mut Client, card: &Value) -> Vec<Reply> {
    let mut namespace = String::new();
    let calls = card["nextCalls"].as_array().unwrap_or_else(|| panic!("no next calls: {card}"));
    calls
        .iter()
        .map(|call| {
            let text = call["arguments"].to_string().replace("<namespaceId>", &namespace);
            let reply = client.call(call["tool"].as_str().unwrap(), serde_json::from_str(&text).unwrap());
            assert!(!reply.is_error, "{call}: {}", reply.text);
            if let Some(id) = reply.first()["namespaceId"].as_str() {
                namespace = id.to_owned();
            }
            reply
        })
        .collect()
}

#[test]
fn an_app_without_a_context_comes_with_the_calls_that_make_one() {
    let node = LiveNode::start(Setup::empty());
    node.install(apps::kv_store());
    let mut client = serve_live(&node).connect();
    let reply = client.call("select_app", json!({"app": "kv-store"}));
    let card = reply.first();
    assert_eq!(
        card["note"],
        format!(
            "Application \"{KV}\" has no contexts on this node. Create one in the Calimero desktop app, or use create_context."
        )
    );
    assert_eq!(card["nextCalls"][0]["tool"], "create_namespace", "{card}");
    assert_eq!(reply.raw["structuredContent"]["nextCalls"], card["nextCalls"]);
    let context = follow(&mut client, &card).pop().unwrap().first()["contextId"].clone();
    let card = client.call("select_app", json!({"app": "kv-store"})).first();
    assert_eq!(card["context"], context);
    assert!(card.get("nextCalls").is_none(), "{card}");

    node.delete_context(context.as_str().unwrap());
    let card = client.call("select_app", json!({"app": "kv-store"})).first();
    assert_eq!(card["nextCalls"].as_array().unwrap().len(), 1, "{card}");
    assert_eq!(card["nextCalls"][0]["tool"], "create_context");
    follow(&mut client, &card);
    assert!(client.call("select_app", json!({"app": "kv-store"})).first()["context"].is_string());
}

#[test]
fn the_next_call_names_what_the_initialiser_takes_and_no_tool_that_is_off() {
    let node = LiveNode::start(Setup::empty());
    node.install(apps::types_lab());
    let card = serve_live(&node).connect().call("select_app", json!({"app": "types-lab"})).first();
    let next = card["next"].as_str().unwrap();
    assert!(
        next.contains("create_namespace") && next.contains("`args` are those of") && next.contains("init("),
        "{next}"
    );
    let spawn = serve_live(&node).variable("CALIMERO_MCP_TOOLSETS", "core");
    let card = spawn.connect().call("select_app", json!({"app": "types-lab"})).first();
    assert!(card["next"].as_str().unwrap().contains("toolset governance"), "{card}");
    assert!(card.get("nextCalls").is_none(), "{card}");
}

#[test]
fn select_and_describe_give_structure_with_the_guide_in_it() {
    let (_node, mut client) = demo();
    for tool in ["select_app", "describe_app"] {
        let reply = client.call(tool, json!({"app": "kv-store"}));
        let mut structured = reply.raw["structuredContent"].clone();
        let guide = structured.as_object_mut().unwrap().remove("guideText").unwrap();
        assert_eq!(structured, reply.first(), "{tool}");
        assert!(
            guide.as_str().unwrap().contains("provided by the app's author (package com.calimero.kv-store"),
            "{guide}"
        );
    }
}

#[test]
fn many_calls_are_answered_in_order_and_fail_alone() {
    let (node, mut client) = demo();
    let handle = client.handle(KV, None);
    let call = |method: &str, args: Value| json!({"method": method, "args": args, "app_handle": handle});
    let mut calls = vec![
        call("len", json!({})),
        call("nope", json!({})),
        json!({"app": KV, "method": "len"}),
        json!({"bogus": true}),
        call("set", json!({"key": 1})),
        call("get", json!({"key": "absent"})),
    ];
    calls.extend((0..26).map(|at| call("set", json!({"key": format!("k{at}"), "value": "v"}))));
    let reply = client.call("call_many", json!({"calls": calls}));
    assert!(!reply.is_error, "{}", reply.text);
    let items = reply.first();
    assert_eq!(reply.raw["structuredContent"], json!({"result": items}));
    assert_eq!(items.as_array().unwrap().len(), 32);
    assert!(items[0]["ok"] == true && items[0]["result"].is_u64(), "{}", items[0]);
    assert!(items[1]["error"].as_str().unwrap().starts_with("Error: Method \"nope\" not found on"), "{}", items[1]);
    assert_eq!(items[2]["error"], format!("Call select_app for {KV} and retry with the returned app_handle."));
    assert!((3..5).all(|at| items[at]["ok"] == false), "{items}");
    assert!(items.as_array().unwrap()[6..].iter().all(|item| item["ok"] == true), "{items}");
    let state = node.state(&node.context("kv").unwrap()).unwrap();
    assert_eq!(state["items"].as_object().unwrap().len(), 26);

    let before = node.requests().len();
    for calls in [json!([]), Value::Array(vec![calls[0].clone(); 33]), json!("x"), json!([1]), Value::Null] {
        let text = failure(&mut client, "call_many", json!({"calls": calls}));
        assert!(text.contains("`calls`"), "{text}");
    }
    assert_eq!(node.requests().len(), before);
    let as_text = json!([call("len", json!({}))]).to_string();
    assert_eq!(client.call("call_many", json!({"calls": as_text})).first()[0]["result"], 26);
}

#[test]
fn every_tool_with_an_output_schema_keeps_it() {
    let (_node, mut client) = demo();
    let tools = client.tools();
    for (name, arguments) in [
        ("node_status", json!({})),
        ("list_nodes", json!({})),
        ("list_applications", json!({})),
        ("list_namespaces", json!({})),
        ("list_contexts", json!({})),
        ("list_blobs", json!({})),
        ("lookup_alias", json!({"name": "kv"})),
        ("lookup_alias", json!({"name": "none"})),
        ("select_app", json!({"app": KV})),
        ("describe_app", json!({"app": KV})),
        ("call_many", json!({"calls": [{"method": "len"}]})),
    ] {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("no tool {name}"));
        let schema = &tool["outputSchema"];
        assert_eq!(schema["type"], "object", "{tool}");
        let reply = client.call(name, arguments);
        let structured = &reply.raw["structuredContent"];
        assert!(jsonschema::is_valid(schema, structured), "{name}: {structured} is not {schema}");
    }
}

#[test]
fn a23b_a_list_of_another_shape_is_an_error_that_names_the_route() {
    let (node, mut client) = demo();
    for (path, tool, arguments) in [
        ("/admin-api/namespaces", "list_namespaces", json!({})),
        ("/admin-api/contexts", "list_contexts", json!({})),
        ("/admin-api/blobs", "list_blobs", json!({})),
        ("/admin-api/groups/", "list_group_members", json!({"group": "ab".repeat(32)})),
    ] {
        node.clear_faults();
        node.inject(Fault::on("GET", path).json(200, r#"{"subgroups":[{"id":"s1"}]}"#));
        let text = failure(&mut client, tool, arguments);
        assert!(text.contains(path), "{tool}: {text}");
    }
}

#[test]
fn what_the_node_says_of_itself_gives_no_secret_away_in_text_or_structure() {
    let mut app = abi_mcp_tests::App::new("appAAA", "com.example.app", json!({"schema_version": "wasm-abi/1"}));
    app.row["source"] = json!("https://host.example/app.mpk?token=hunter2hunter2");
    let node = abi_mcp_tests::FakeNode::with(vec![app]);
    let reply = crate::serve(&node).connect().call("list_applications", json!({}));
    assert!(reply.raw["structuredContent"]["apps"][0]["source"].as_str().unwrap().contains("host.example"));
    assert!(!reply.raw.to_string().contains("hunter2"), "{}", reply.raw);
}

#[test]
fn wide_integers_keep_their_digits_in_a_batch() {
    let (_node, mut client) = demo();
    let handle = client.handle("types-lab", None);
    let call = json!({"method": "echo_u64", "args": {"x": u64::MAX}, "app_handle": handle});
    let reply = client.call("call_many", json!({"calls": [call]}));
    assert!(reply.text.contains("\"result\": 18446744073709551615"), "{}", reply.text);
    assert_eq!(reply.raw["structuredContent"]["result"][0]["result"], "18446744073709551615");
}
