//! What answers look like, in each era.

use super::client::*;
use serde_json::{Value, json};

#[test]
fn lists_are_the_same_in_both_eras_and_each_time() {
    let mut client = Client::legacy();
    for (method, member) in
        [("tools/list", "tools"), ("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")]
    {
        let old = client.ask(legacy(1, method, json!({})));
        let new = client.ask(modern(1, method, json!({})));
        assert_eq!(old["result"][member].to_string(), new["result"][member].to_string());
        assert_eq!(old.to_string(), client.ask(legacy(1, method, json!({}))).to_string());
        assert_eq!(old["result"].as_object().unwrap().len(), 1, "nothing of the new era: {old}");
        assert_eq!((&new["result"]["ttlMs"], &new["result"]["cacheScope"]), (&json!(30_000), &json!("private")));
    }
}

#[test]
fn a_tool_definition_has_what_is_known_and_nothing_else() {
    let mut client = Client::legacy();
    let tools = client.ask(legacy(1, "tools/list", json!({})))["result"]["tools"].clone();
    assert_eq!(
        tools[0],
        json!({
            "name": "add",
            "title": "Add",
            "description": "The tool add.",
            "inputSchema": {
                "type": "object",
                "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
                "additionalProperties": false,
            },
            "outputSchema": {
                "type": "object", "properties": { "result": { "type": "integer" } }, "required": ["result"]
            },
            "annotations": { "readOnlyHint": true },
        })
    );
    // C18: no arguments, and still an object with members.
    assert_eq!(
        tools[2],
        json!({
            "name": "boom",
            "description": "The tool boom.",
            "inputSchema": { "type": "object", "properties": {}, "additionalProperties": false },
        })
    );
    // C02: every output schema is one of an object.
    for tool in tools.as_array().unwrap() {
        assert!(tool.get("outputSchema").is_none_or(|schema| schema["type"] == "object"));
    }
}

#[test]
fn c24_a_result_carries_text_and_structure() {
    let mut client = Client::legacy();
    let expected = json!({
        "content": [{ "type": "text", "text": "{\"result\":3}" }],
        "structuredContent": { "result": 3 },
        "isError": false,
    });
    let old = client.ask(legacy(1, "tools/call", call("add", json!({ "a": 1, "b": 2 }))));
    assert_eq!(old["result"], expected);
    let mut new = client.ask(modern(1, "tools/call", call("add", json!({ "a": 1, "b": 2 }))))["result"].take();
    let members = new.as_object_mut().unwrap();
    assert_eq!(members.remove("resultType"), Some(json!("complete")));
    assert_eq!(
        members.remove("_meta").unwrap()["io.modelcontextprotocol/serverInfo"],
        json!({ "name": "fake", "title": "Fake", "version": "0.1.0" })
    );
    assert_eq!(new, expected);
}

#[test]
fn c25_structure_that_is_no_object_goes_to_modern_clients_only() {
    let mut client = Client::legacy();
    let old = client.ask(legacy(1, "tools/call", call("list_value", json!({}))));
    assert_eq!(old["result"].get("structuredContent"), None);
    let new = client.ask(modern(1, "tools/call", call("list_value", json!({}))));
    assert_eq!(new["result"]["structuredContent"], json!([1, 2]));
    assert_eq!(old["result"]["content"], new["result"]["content"]);
}

#[test]
fn a_guide_is_embedded_with_its_meta() {
    let mut client = Client::legacy();
    let result = client.ask(legacy(1, "tools/call", call("guide", json!({}))))["result"].clone();
    assert_eq!(result["isError"], true);
    assert_eq!(
        result["content"][0],
        json!({ "type": "resource", "resource": {
            "uri": "guide://kv", "mimeType": "text/markdown", "text": "# kv", "_meta": { "org.example/digest": "abc" }
        } })
    );
}

#[test]
fn every_modern_result_says_who_made_it_and_every_legacy_one_does_not() {
    let mut client = Client::legacy();
    let complete = json!({ "ref": { "type": "ref/resource", "uri": "guide://{app}" },
        "argument": { "name": "app", "value": "" } });
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", call("slow", json!({}))),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": "guide://kv" })),
        ("completion/complete", complete),
    ] {
        let new = client.ask(modern(1, method, params.clone()))["result"].take();
        assert_eq!(new["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "fake", "{method}");
        assert_eq!(new["resultType"], "complete", "{method}");
        let old = client.ask(legacy(1, method, params))["result"].take();
        for member in ["_meta", "resultType", "ttlMs", "cacheScope"] {
            assert_eq!(old.get(member), None, "{method}");
        }
    }
    let discover = client.ask(modern(1, "server/discover", json!({})));
    assert_eq!(discover["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "fake");
}

#[test]
fn a_resource_is_read_and_a_missing_one_has_the_code_of_the_era() {
    let mut client = Client::legacy();
    let new = client.ask(modern(1, "resources/read", json!({ "uri": "guide://kv" })))["result"].take();
    assert_eq!((&new["ttlMs"], &new["cacheScope"]), (&json!(86_400_000), &json!("private")));
    assert_eq!(new["contents"][0]["text"], "# kv");
    let missing = json!({ "uri": "guide://none" });
    let new = client.ask(modern(2, "resources/read", missing.clone()));
    let old = client.ask(legacy(3, "resources/read", missing.clone()));
    assert_eq!((code(&new), code(&old)), (-32602, -32002));
    assert_eq!((&new["error"]["data"], &old["error"]["data"]), (&missing, &missing));
}

#[test]
fn an_unknown_tool_is_an_invalid_parameter_in_both_eras() {
    let mut client = Client::legacy();
    for request in [legacy(1, "tools/call", call("nope", json!({}))), modern(1, "tools/call", call("nope", json!({})))]
    {
        let answer = client.ask(request);
        assert_eq!((code(&answer), &answer["error"]["message"]), (-32602, &json!("Unknown tool: nope")));
    }
}

#[test]
fn c26_malformed_calls_are_refused_before_any_tool_sees_them() {
    let mut client = Client::legacy();
    for params in [
        json!({}),
        json!({ "name": 5 }),
        json!({ "name": null, "arguments": {} }),
        json!({ "name": "echo", "arguments": [] }),
        json!({ "name": "echo", "arguments": "x" }),
        json!({ "name": "echo", "arguments": 3 }),
    ] {
        assert_eq!(code(&client.ask(legacy(1, "tools/call", params.clone()))), -32602, "{params}");
        assert_eq!(code(&client.ask(modern(1, "tools/call", params.clone()))), -32602, "{params}");
    }
    for params in [json!([]), json!("x"), json!(1)] {
        assert_eq!(code(&client.ask(legacy(1, "tools/call", params))), -32602);
    }
}

#[test]
fn c18_absent_and_null_arguments_are_none() {
    let mut client = Client::legacy();
    for params in [json!({ "name": "echo" }), json!({ "name": "echo", "arguments": null }), call("echo", json!({}))] {
        let answer = client.ask(legacy(1, "tools/call", params));
        assert_eq!(answer["result"]["content"][0]["text"], "{}");
    }
}

#[test]
fn c22_special_member_names_and_large_integers_reach_the_tool_as_they_are() {
    let mut client = Client::legacy();
    let arguments = r#"{"__proto__":{"a":1},"constructor":"c","n":18446744073709551615,"m":-9223372036854775808}"#;
    client.raw(format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{arguments}}}}}\n"
    ));
    assert_eq!(client.next()["result"]["content"][0]["text"], arguments);
}

#[test]
fn a_trace_context_is_forwarded_if_it_is_one() {
    let mut client = Client::legacy();
    let good = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    for (sent, seen) in [(json!(good), good), (json!("bad"), ""), (json!(5), "")] {
        let mut request = modern(1, "tools/call", call("echo", json!({})));
        request["params"]["_meta"]["traceparent"] = sent.clone();
        assert_eq!(client.ask(request)["result"]["content"][1]["text"], seen);
        let request = legacy(1, "tools/call", json!({ "name": "echo", "_meta": { "traceparent": sent } }));
        assert_eq!(client.ask(request)["result"]["content"][1]["text"], seen);
    }
}

#[test]
fn a_cursor_is_unknown_because_there_is_one_page() {
    let mut client = Client::legacy();
    for method in ["tools/list", "resources/list", "resources/templates/list"] {
        for cursor in [json!("x"), json!(""), json!(5)] {
            assert_eq!(code(&client.ask(legacy(1, method, json!({ "cursor": cursor })))), -32602);
            assert_eq!(code(&client.ask(modern(1, method, json!({ "cursor": cursor })))), -32602);
        }
        let answer = client.ask(legacy(1, method, json!({ "cursor": null })));
        assert_eq!(answer["result"].get("nextCursor"), None);
    }
}

#[test]
fn completion_serves_template_variables_only() {
    let mut client = Client::legacy();
    let ask = |client: &mut Client, reference: Value, name: &str, value: &str| {
        let params = json!({ "ref": reference, "argument": { "name": name, "value": value } });
        client.ask(modern(1, "completion/complete", params))
    };
    let template = json!({ "type": "ref/resource", "uri": "guide://{app}" });
    let all = ask(&mut client, template.clone(), "app", "")["result"]["completion"].take();
    assert_eq!(all["values"].as_array().unwrap().len(), 100);
    assert_eq!((&all["total"], &all["hasMore"]), (&json!(150), &json!(true)));
    let some = ask(&mut client, template.clone(), "app", "app14")["result"]["completion"].take();
    assert_eq!((&some["total"], &some["hasMore"], &some["values"][0]), (&json!(10), &json!(false), &json!("app140")));
    let none = ask(&mut client, template, "other", "")["result"]["completion"].take();
    assert_eq!(none["values"], json!([]));
    for reference in [
        json!({ "type": "ref/prompt", "name": "p" }),
        json!({ "type": "ref/resource", "uri": "guide://{other}" }),
        json!({ "type": "ref/tool", "name": "t" }),
        json!({}),
    ] {
        assert_eq!(code(&ask(&mut client, reference, "app", "")), -32602);
    }
}
