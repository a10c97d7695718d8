//! Which requests are served when: two protocol eras on one connection, in any order.

use super::client::*;
use serde_json::{Value, json};

#[test]
fn discover_tells_versions_capabilities_and_instructions() {
    let mut client = Client::start();
    let result = client.ask(modern("d", "server/discover", json!({})))["result"].clone();
    assert_eq!(
        result,
        json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
            "capabilities": {
                "completions": {}, "resources": { "listChanged": true }, "tools": { "listChanged": true }
            },
            "instructions": "A service for tests.",
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "fake", "title": "Fake", "version": "0.1.0" } },
        })
    );
}

#[test]
fn initialize_agrees_on_a_version_that_has_it() {
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut client = Client::start();
        let result = client.ask(initialize(asked))["result"].clone();
        assert_eq!(result["protocolVersion"], agreed, "asked for {asked}");
        assert_eq!(result["serverInfo"]["name"], "fake");
        assert_eq!(result["instructions"], "A service for tests.");
        assert_eq!(result.get("resultType"), None);
        // Whatever was asked for, what follows is legacy.
        assert_eq!(client.ask(legacy(2, "tools/list", json!({})))["result"].get("resultType"), None);
        assert_eq!(client.ask(legacy(3, "ping", json!({})))["result"], json!({}));
    }
}

#[test]
fn e16_a_version_that_is_no_text_is_refused_and_a_second_try_works() {
    let mut client = Client::start();
    assert_eq!(code(&client.ask(initialize(5))), -32602);
    assert_eq!(code(&client.ask(legacy(1, "initialize", json!({})))), -32602);
    client.initialize();
    assert_eq!(code(&client.ask(legacy(2, "no/such", json!({})))), -32601);
    client.say(json!({ "jsonrpc": "2.0", "method": "notifications/no_such" }));
    client.silent_for(SILENCE);
    client.lives();
}

#[test]
fn e15_requests_before_initialized_are_answered() {
    let mut client = Client::start();
    assert_eq!(client.ask(legacy(0, "ping", json!({})))["result"], json!({}));
    client.ask(initialize("2025-11-25"));
    assert_eq!(client.ask(legacy(2, "ping", json!({})))["result"], json!({}));
    assert_eq!(code(&client.ask(legacy(3, "logging/setLevel", json!({ "level": "info" })))), -32601);
    assert!(client.ask(legacy(4, "tools/list", json!({})))["result"]["tools"].is_array());
    client.say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    assert!(client.ask(legacy(5, "tools/list", json!({})))["result"]["tools"].is_array());
}

#[test]
fn legacy_requests_before_initialize_get_an_error_and_harm_nothing() {
    let mut client = Client::start();
    for method in ["tools/list", "tools/call", "resources/list", "server/discover"] {
        assert_eq!(code(&client.ask(legacy(1, method, json!({ "name": "add" })))), -32602, "{method}");
    }
    for method in ["logging/setLevel", "prompts/list", "tasks/list", "resources/subscribe"] {
        assert_eq!(code(&client.ask(legacy(1, method, json!({})))), -32601, "{method}");
    }
    client.initialize();
    assert!(client.ask(legacy(2, "tools/list", json!({})))["result"]["tools"].is_array());
}

#[test]
fn a_notification_as_the_first_message_is_ignored() {
    for method in ["notifications/initialized", "notifications/cancelled", "notifications/roots/list_changed", "x"] {
        let mut client = Client::start();
        client.say(json!({ "jsonrpc": "2.0", "method": method, "params": { "requestId": 1 } }));
        client.say(json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
        client.initialize();
        client.lives();
    }
}

#[test]
fn a_probe_that_was_cancelled_may_be_followed_by_initialize() {
    let mut client = Client::start();
    client.say(modern("d", "server/discover", json!({})));
    client.say(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "d" } }));
    client.say(initialize("2025-11-25"));
    // Whether the probe's answer was faster than its cancellation does not matter.
    let first = client.next();
    let answer = if first["id"] == "d" { client.next() } else { first };
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    assert!(client.ask(legacy(2, "tools/list", json!({})))["result"]["tools"].is_array());
}

#[test]
fn both_eras_are_served_in_any_order() {
    let mut client = Client::start();
    let is_modern = |answer: Value| answer["result"]["resultType"] == "complete";
    client.lives();
    assert!(is_modern(client.ask(modern(1, "tools/call", call("add", json!({ "a": 1, "b": 2 }))))));
    assert_eq!(client.initialize()["result"]["protocolVersion"], "2025-11-25");
    assert!(!is_modern(client.ask(legacy(2, "tools/list", json!({})))));
    assert!(is_modern(client.ask(modern(3, "tools/list", json!({})))));
    assert!(!is_modern(client.ask(legacy(4, "tools/call", call("add", json!({}))))));
    client.lives();
}

#[test]
fn discover_without_metadata_gets_an_error_before_and_after_initialize() {
    let mut client = Client::start();
    assert_eq!(code(&client.ask(legacy(1, "server/discover", json!({})))), -32602);
    client.ask(initialize("2025-11-25"));
    assert_eq!(code(&client.ask(legacy(2, "server/discover", json!({})))), -32602);
    assert!(client.ask(legacy(3, "tools/list", json!({})))["result"].is_object());
}

#[test]
fn an_unknown_version_is_refused_with_the_list_and_may_be_corrected() {
    let mut client = Client::start();
    for method in ["tools/list", "server/discover"] {
        let mut request = modern(1, method, json!({}));
        request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
        let answer = client.ask(request);
        assert_eq!(code(&answer), -32022);
        assert_eq!(answer["error"]["data"]["requested"], "2099-01-01");
        assert_eq!(answer["error"]["data"]["supported"][0], "2026-07-28");
    }
    client.lives();
}

#[test]
fn incomplete_metadata_is_refused() {
    let mut client = Client::start();
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let level = "io.modelcontextprotocol/logLevel";
    for meta in [
        json!({ version: "2026-07-28" }),
        json!({ capabilities: {} }),
        json!({ version: 5, capabilities: {} }),
        json!({ version: null, capabilities: {} }),
        json!({ version: "2026-07-28", capabilities: [] }),
        json!({ version: "2026-07-28", capabilities: {}, level: "loud" }),
        json!({ version: "2026-07-28", capabilities: {}, level: 3 }),
        json!([]),
    ] {
        for method in ["server/discover", "tools/list"] {
            let answer = client.ask(legacy(1, method, json!({ "_meta": meta })));
            assert_eq!(code(&answer), -32602, "{meta}");
        }
    }
    // `clientInfo` is optional, and a known level is accepted.
    let meta = json!({ version: "2026-07-28", capabilities: {}, level: "info" });
    assert!(client.ask(legacy(2, "tools/list", json!({ "_meta": meta })))["result"].is_object());
}

#[test]
fn methods_of_the_other_era_are_not_found() {
    let mut client = Client::legacy();
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/get",
        "prompts/list",
        "prompts/get",
        "no/such",
    ] {
        let answer = client.ask(modern(1, method, json!({})));
        assert_eq!(code(&answer), -32601, "{method}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(method));
    }
    for method in ["subscriptions/listen", "resources/subscribe", "prompts/list", "tasks/list", "no/such"] {
        assert_eq!(code(&client.ask(legacy(1, method, json!({ "notifications": {} })))), -32601, "{method}");
    }
}

#[test]
fn the_answer_to_initialize_comes_before_all_that_was_sent_with_it() {
    for _ in 0..20 {
        let mut client = Client::start();
        client.raw(format!(
            "{}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n{}\n",
            initialize("2025-11-25"),
            legacy(2, "tools/call", call("change", json!({}))),
        ));
        assert_eq!(client.next()["id"], "init");
    }
}
