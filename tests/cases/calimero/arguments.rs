//! What is sent for what a client sends, and what never leaves.

use crate::{APP, kind, one_app, param, passes, refuses, serve};
use abi_mcp_tests::{App, Client, FakeNode, Reply, manifest};
use serde_json::{Value, json};

/// One method, `m`, with these parameters.
fn taking(types: Value, params: Value) -> (FakeNode, Client) {
    one_app(types, json!([{"name": "m", "params": params}]))
}

fn nullable(name: &str, kind: Value) -> Value {
    json!({"name": name, "type": kind, "nullable": true})
}

#[test]
fn a04_a_map_with_number_keys_takes_digits_only() {
    let map = json!({"kind": "map", "key": kind("u64"), "value": kind("string")});
    let (node, mut client) = taking(json!({}), json!([param("m", map)]));
    let arguments = json!({"m": {"18446744073709551615": "x"}});
    passes(&node, &mut client, "app_m", arguments.clone(), &arguments.to_string());
    refuses(&node, &mut client, "app_m", json!({"m": {"abc": "x"}}), &["abc"]);
}

#[test]
fn c08_odd_parameter_names_are_listed_portably_and_sent_as_they_are() {
    let long = "k".repeat(70);
    let originals = ["uids[]", "fields[users]", "naïve", "a b", &long, "ok.name-1"];
    let params: Value = originals.iter().map(|name| param(name, kind("u32"))).collect();
    let (node, mut client) = taking(json!({}), params);
    let schema = client.tool("app_m")["inputSchema"].clone();
    let properties = schema["properties"].as_object().unwrap();
    let own: Vec<&String> =
        properties.keys().filter(|name| !["app_handle", "_context"].contains(&name.as_str())).collect();
    assert_eq!(own.len(), 6, "{own:?}");
    let letter = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    assert!(own.iter().all(|name| (1..=64).contains(&name.len()) && name.chars().all(letter)), "{own:?}");
    let required: Vec<&str> = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(required, own, "the required names are the listed ones");
    let arguments: Value = own.iter().enumerate().map(|(at, name)| ((*name).clone(), json!(at))).collect();
    let sent: Value = originals.iter().enumerate().map(|(at, name)| (*name, json!(at))).collect();
    passes(&node, &mut client, "app_m", arguments, &sent.to_string());
}

#[test]
fn c09_a_recursive_type_is_listed_bounded_and_checked() {
    let node_type = json!({"kind": "record", "fields": [
        {"name": "label", "type": kind("string")}, {"name": "kids", "type": {"kind": "list", "items": {"$ref": "Node"}}},
    ]});
    let (node, mut client) = taking(json!({"Node": node_type}), json!([param("n", json!({"$ref": "Node"}))]));
    assert!(client.tool("app_m").to_string().len() < 32 * 1024);
    let good = json!({"n": {"label": "a", "kids": [{"label": "b", "kids": []}]}});
    passes(&node, &mut client, "app_m", good.clone(), &good.to_string());
    let bad = json!({"n": {"label": "a", "kids": [{"label": 7, "kids": []}]}});
    refuses(&node, &mut client, "app_m", bad, &["n.kids[0].label"]);
    // Beyond the cap a level is open.
    let deep = (0..20).fold(json!([]), |kids, _| json!([{"label": "x", "kids": kids}]));
    let deep = json!({"n": {"label": "x", "kids": deep}});
    passes(&node, &mut client, "app_m", deep.clone(), &deep.to_string());
}

#[test]
fn c11_null_absent_and_a_value_are_all_right_for_a_nullable_parameter() {
    let tags = json!({"kind": "list", "items": kind("string")});
    let (node, mut client) = taking(json!({}), json!([nullable("note", kind("string")), nullable("tags", tags)]));
    let schema = client.tool("app_m")["inputSchema"].clone();
    assert!(schema.get("required").is_none(), "{schema}");
    for arguments in [json!({"note": "n", "tags": ["t"]}), json!({"note": null, "tags": null}), json!({})] {
        let before = node.executed().len();
        let reply = client.call_app(APP, "app_m", arguments.clone());
        assert!(!reply.is_error, "{arguments}: {}", reply.text);
        let sent: Value = serde_json::from_str(&node.executed()[before].1).unwrap();
        for name in ["note", "tags"] {
            assert_eq!(sent[name], arguments[name], "{sent}");
        }
    }
}

#[test]
fn c12_null_is_a_value_of_a_nullable_enum() {
    let status = json!({"kind": "variant", "variants": [{"name": "Open"}, {"name": "Done"}]});
    let (node, mut client) = taking(json!({"Status": status}), json!([nullable("s", json!({"$ref": "Status"}))]));
    for arguments in [json!({"s": null}), json!({}), json!({"s": "Open"})] {
        let reply = client.call_app(APP, "app_m", arguments.clone());
        assert!(!reply.is_error, "{arguments}: {}", reply.text);
    }
    refuses(&node, &mut client, "app_m", json!({"s": "open"}), &["`s`", "Open", "Done"]);
}

#[test]
fn c13_null_for_what_need_not_be_given_is_as_if_not_given() {
    let (node, mut client) = taking(json!({}), json!([param("a", kind("string")), nullable("b", kind("string"))]));
    let reply = client.call_app(APP, "app_m", json!({"a": "x", "b": null}));
    assert!(!reply.is_error, "{}", reply.text);
    refuses(&node, &mut client, "app_m", json!({"a": null}), &["`a`", "a string"]);
    refuses(&node, &mut client, "app_m", json!({"b": "y"}), &["`a`", "nothing"]);
}

#[test]
fn c14_json_text_stands_for_the_array_or_object_it_spells() {
    let record = json!({"kind": "record", "fields": [{"name": "x", "type": kind("u32")}]});
    let list = json!({"kind": "list", "items": kind("u32")});
    let (node, mut client) = taking(json!({}), json!([param("xs", list), param("r", record)]));
    let text = json!({"xs": "[1,2]", "r": "{\"x\":1}"});
    passes(&node, &mut client, "app_m", text.clone(), r#"{"xs":[1,2],"r":{"x":1}}"#);
    refuses(&node, &mut client, "app_m", json!({"xs": "[1,", "r": {"x": 1}}), &["`xs`", "an array"]);
    // `call` reads the same forms, both of its own argument and of the method's.
    let handle = client.handle(APP, None);
    for args in [text.clone(), json!(text.to_string())] {
        let reply = client.call("call", json!({"method": "m", "args": args, "app_handle": handle}));
        assert!(!reply.is_error, "{args}: {}", reply.text);
        assert_eq!(node.executed().last().unwrap().1, r#"{"xs":[1,2],"r":{"x":1}}"#);
    }
}

#[test]
fn c15_every_digit_of_a_wide_integer_reaches_the_node() {
    let (node, mut client) = taking(json!({}), json!([param("x", kind("u64"))]));
    let wide = u64::MAX;
    passes(&node, &mut client, "app_m", json!({"x": wide.to_string()}), r#"{"x":18446744073709551615}"#);
    passes(&node, &mut client, "app_m", json!({"x": wide}), r#"{"x":18446744073709551615}"#);
    passes(&node, &mut client, "app_m", json!({"x": "9007199254740993"}), r#"{"x":9007199254740993}"#);
    passes(&node, &mut client, "app_m", json!({"x": 7}), r#"{"x":7}"#);
    for bad in [json!("18446744073709551616"), json!(-1), json!("7.0"), json!("x"), json!(1.5)] {
        refuses(&node, &mut client, "app_m", json!({"x": bad}), &["`x`"]);
    }
}

#[test]
fn c18_a_method_without_parameters_takes_no_arguments_in_every_spelling() {
    let (node, mut client) = taking(json!({}), json!([]));
    passes(&node, &mut client, "app_m", json!({}), "{}");
    refuses(&node, &mut client, "app_m", json!({"x": 1}), &["`x`"]);
    // Without a handle the refusal comes from the gate, so the form of `arguments` itself was taken.
    for params in [json!({"name": "app_m"}), json!({"name": "app_m", "arguments": null})] {
        let answer = client.request("tools/call", params);
        assert!(answer["result"]["content"].to_string().contains("Call select_app"), "{answer}");
    }
    let answer = client.request("tools/call", json!({"name": "list_applications"}));
    assert_ne!(answer["result"]["isError"], json!(true), "{answer}");
}

#[test]
fn c22_names_that_mean_something_to_javascript_are_names() {
    let names = ["__proto__", "constructor", "prototype", "hasOwnProperty"];
    let fields: Vec<Value> = names.iter().map(|name| param(name, kind("string"))).collect();
    let record = json!({"kind": "record", "fields": fields});
    let mut params: Vec<Value> = names[1..].iter().map(|name| param(name, kind("string"))).collect();
    params.insert(0, param("__proto__", record));
    let (node, mut client) = taking(json!({}), json!(params));
    let listed = client.tool("app_m");
    for name in names {
        assert!(listed["inputSchema"]["properties"].get(name).is_some(), "{listed}");
    }
    let handle = client.handle(APP, None);
    let own = r#"{"__proto__":{"__proto__":"1","constructor":"2","prototype":"3","hasOwnProperty":"4"},"constructor":"c","prototype":"p","hasOwnProperty":"h"}"#;
    let arguments = format!(r#"{{"app_handle":"{handle}",{}"#, &own[1..]);
    client.line(&format!(
        r#"{{"jsonrpc":"2.0","id":"raw","method":"tools/call","params":{{"name":"app_m","arguments":{arguments}}}}}"#
    ));
    let answer = client.answer(&json!("raw"));
    assert_ne!(answer["result"]["isError"], json!(true), "{answer}");
    assert_eq!(node.executed()[0].1, own);
}

#[test]
fn c26_arguments_that_are_no_object_are_an_error_of_the_protocol() {
    let (node, mut client) = taking(json!({}), json!([param("key", kind("string"))]));
    for arguments in [json!(3), json!([]), json!("x"), json!(true)] {
        for tool in ["app_m", "call", "select_app", "node_status"] {
            let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
            assert_eq!(answer["error"]["code"], -32602, "{tool} {arguments}: {answer}");
        }
    }
    refuses(&node, &mut client, "app_m", json!({"key": "a", "kye": 1}), &["`kye`", "`key`"]);
    refuses(&node, &mut client, "app_m", json!({}), &["`key`"]);
    let Reply { text, is_error, .. } = client.call("select_app", json!({"app": APP, "unknown_arg": 1}));
    assert!(is_error && text.contains("unknown_arg"), "{text}");
    let Reply { text, is_error, .. } = client.call("select_app", json!({}));
    assert!(is_error && text.contains("`app`"), "{text}");
    assert!(node.executed().is_empty());
}

#[test]
fn c26_what_the_schema_takes_is_what_the_server_takes() {
    let types = json!({
        "P": {"kind": "record", "fields": [param("x", kind("i32")), nullable("label", kind("string"))]},
        "V": {"kind": "variant", "variants": [{"name": "A"}, {"name": "B", "payload": {"$ref": "P"}}]},
    });
    let map = json!({"kind": "map", "key": kind("string"), "value": {"$ref": "P"}});
    let tuple = json!({"kind": "tuple", "elements": [kind("u32"), {"$ref": "V"}]});
    let params =
        [("p", json!({"$ref": "P"})), ("v", json!({"$ref": "V"})), ("m", map), ("t", tuple), ("f", kind("f64"))];
    let samples = [
        json!({"x": 1, "label": null}),
        json!({"x": 1}),
        json!({"x": 1.5}),
        json!({"x": 1, "y": 2}),
        json!("A"),
        json!({"B": {"x": 2, "label": "l"}}),
        json!({"B": 2}),
        json!("C"),
        json!({}),
        json!({"k": {"x": 3, "label": null}}),
        json!([1, "A"]),
        json!([1]),
        json!([1, "A", 2]),
        json!(1),
        json!(-1.25),
        json!(null),
        json!(true),
        json!([]),
    ];
    for (name, kind) in params {
        let (node, mut client) = taking(types.clone(), json!([param(name, kind)]));
        let validator = jsonschema::validator_for(&client.tool("app_m")["inputSchema"]).unwrap();
        let handle = client.handle(APP, None);
        for sample in &samples {
            let arguments = json!({"app_handle": handle, name: sample});
            let before = node.executed().len();
            let reply = client.call("app_m", arguments.clone());
            let fits = validator.is_valid(&arguments);
            assert_eq!(fits, node.executed().len() > before, "{name} {sample}: {}", reply.text);
            assert_eq!(fits, !reply.is_error, "{name} {sample}: {}", reply.text);
        }
    }
}

#[test]
fn c27_bytes_come_in_hex_or_as_an_array_and_go_out_as_one() {
    let sized = json!({"kind": "bytes", "size": 2});
    let (node, mut client) = taking(json!({}), json!([nullable("b", kind("bytes")), nullable("h", sized)]));
    for (given, sent) in [
        (json!("dead"), "[222,173]"),
        (json!("DEAD"), "[222,173]"),
        (json!(""), "[]"),
        (json!([222, 173]), "[222,173]"),
    ] {
        passes(&node, &mut client, "app_m", json!({"b": given}), &format!(r#"{{"b":{sent}}}"#));
    }
    for bad in [json!("dea"), json!("zz"), json!([256]), json!([-1]), json!([1.5])] {
        refuses(&node, &mut client, "app_m", json!({"b": bad}), &["`b"]);
    }
    passes(&node, &mut client, "app_m", json!({"h": "dead"}), r#"{"h":[222,173]}"#);
    for bad in [json!("de"), json!(""), json!([1, 2, 3])] {
        refuses(&node, &mut client, "app_m", json!({"h": bad}), &["`h`"]);
    }
}

#[test]
fn a_call_never_sends_what_the_method_does_not_declare() {
    let methods = json!([{"name": "m", "params": [param("a", kind("u32"))]}]);
    let node = FakeNode::with(vec![App::new(crate::ID, APP, manifest(json!({}), methods))]);
    let mut client = serve(&node).connect();
    let context = App::context_of(crate::ID);
    passes(&node, &mut client, "app_m", json!({"a": 1, "_context": context}), r#"{"a":1}"#);
}

/// JSON Schema calls 7.0 an integer, and clients whose numbers are all floats send it; a typed reader does not take it.
#[test]
fn a_whole_number_written_as_a_fraction_is_the_integer_it_is() {
    let types = json!({
        "P": {"kind": "record", "fields": [param("x", kind("i32")), param("f", kind("f64"))]},
        "V": {"kind": "variant", "variants": [{"name": "A", "payload": kind("u32")}, {"name": "B", "payload": {"$ref": "P"}}]},
    });
    let list = json!({"kind": "list", "items": kind("u64")});
    let tuple = json!({"kind": "tuple", "elements": [kind("u32"), kind("f64")]});
    let map = json!({"kind": "map", "key": kind("string"), "value": kind("i64")});
    let params = json!([
        nullable("n", kind("u32")),
        nullable("xs", list),
        nullable("t", tuple),
        nullable("m", map),
        nullable("v", json!({"$ref": "V"})),
        nullable("f", kind("f64")),
        nullable("b", kind("bytes")),
    ]);
    let (node, mut client) = taking(types, params);
    for (given, sent) in [
        (r#"{"n":7.0}"#, r#"{"n":7}"#),
        (r#"{"n":1e3}"#, r#"{"n":1000}"#),
        (r#"{"xs":[1.0,2,3.0]}"#, r#"{"xs":[1,2,3]}"#),
        (r#"{"t":[1.0,2.0]}"#, r#"{"t":[1,2.0]}"#),
        (r#"{"m":{"a":-5.0}}"#, r#"{"m":{"a":-5}}"#),
        (r#"{"v":{"A":3.0}}"#, r#"{"v":{"A":3}}"#),
        (r#"{"v":{"B":{"x":3.0,"f":4.0}}}"#, r#"{"v":{"B":{"x":3,"f":4.0}}}"#),
        (r#"{"f":4.0}"#, r#"{"f":4.0}"#),
        (r#"{"b":[222.0,173]}"#, r#"{"b":[222,173]}"#),
    ] {
        passes(&node, &mut client, "app_m", serde_json::from_str(given).unwrap(), sent);
    }
    refuses(&node, &mut client, "app_m", json!({"n": 7.5}), &["`n`"]);
}
