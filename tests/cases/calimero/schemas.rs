//! Every schema of the list against the rules real clients have (`mcp-protocol` §13).

use crate::{APP, ID, kind, one_app, param, serve, serve_live, tools_of};
use abi_mcp_devnode::{Seed, Setup, apps};
use abi_mcp_tests::{App, Client, FakeNode, LiveNode, manifest};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Keywords that some client refuses or misreads wherever they stand.
const BANNED: [&str; 16] = [
    "$ref",
    "$defs",
    "definitions",
    "$schema",
    "$id",
    "$anchor",
    "$dynamicRef",
    "oneOf",
    "allOf",
    "not",
    "if",
    "const",
    "propertyNames",
    "dependentSchemas",
    "unevaluatedProperties",
    "contains",
];

/// Breaches of the rules in one list of tools, each as a line.
pub(crate) fn breaches(tools: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    let mut names = BTreeSet::new();
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let mut add = |what: String| found.push(format!("{name}: {what}"));
        if !names.insert(name.to_lowercase()) {
            add("the name is there twice".into());
        }
        if name.is_empty() || name.len() > 49 || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            add("not a portable name".into());
        }
        let description = tool["description"].as_str().unwrap_or_default();
        if description.is_empty() || description.encode_utf16().count() > 1023 {
            add(format!("a description of {} characters", description.chars().count()));
        }
        root(&tool["inputSchema"], "inputSchema", &mut add);
        if tool["inputSchema"]["additionalProperties"] != json!(false) {
            add("the input is open".into());
        }
        if let Some(output) = tool.get("outputSchema") {
            root(output, "outputSchema", &mut add);
        }
        if tool["inputSchema"].to_string().len() + tool["outputSchema"].to_string().len() > 32 * 1024 {
            add("larger than a context can bear".into());
        }
    }
    found
}

fn root(schema: &Value, at: &str, add: &mut impl FnMut(String)) {
    let Some(members) = schema.as_object() else { return add(format!("{at} is no object: {schema}")) };
    if members.get("type") != Some(&json!("object")) || !members.get("properties").is_some_and(Value::is_object) {
        add(format!("{at} is no object with properties"));
    }
    if members.contains_key("anyOf") || members.contains_key("enum") {
        add(format!("{at} has a union at its root"));
    }
    let portable = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    for name in members.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.keys()) {
        if name.is_empty() || name.len() > 64 || !name.chars().all(portable) {
            add(format!("{at} has a property `{name}`"));
        }
    }
    let properties = members.get("properties");
    for name in members.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if properties.and_then(|properties| properties.get(name)).is_none() {
            add(format!("{at} requires `{name}`, which it has not"));
        }
    }
    if let Err(error) = jsonschema::meta::validate(schema) {
        add(format!("{at} is not of the dialect: {error}"));
    }
    walk(schema, at, add);
}

fn walk(schema: &Value, at: &str, add: &mut impl FnMut(String)) {
    let Some(members) = schema.as_object() else { return add(format!("{at} is {schema}, not an object")) };
    if members.keys().all(|key| key == "description" || key == "title") {
        add(format!("{at} says nothing"));
    }
    for banned in BANNED {
        if members.contains_key(banned) {
            add(format!("{at} has `{banned}`"));
        }
    }
    if members.get("type").is_some_and(|kind| !kind.is_string()) {
        add(format!("{at} has a list of types"));
    }
    if members.get("type") == Some(&json!("array")) && !members.get("items").is_some_and(Value::is_object) {
        add(format!("{at} is an array without an `items` schema"));
    }
    if let Some(places) = members.get("prefixItems").and_then(Value::as_array) {
        let count = json!(places.len());
        if members.get("minItems") != Some(&count) || members.get("maxItems") != Some(&count) {
            add(format!("{at} is a tuple of no fixed length"));
        }
    }
    if members.get("format").is_some_and(|format| format != "date-time") {
        add(format!("{at} has format {}", members["format"]));
    }
    let pattern = members.get("pattern").and_then(Value::as_str).unwrap_or_default();
    if pattern.contains("(?=") || pattern.contains("(?!") || pattern.contains("(?<") {
        add(format!("{at} has look-around: {pattern}"));
    }
    for keyword in ["properties", "patternProperties"] {
        for (name, child) in members.get(keyword).and_then(Value::as_object).into_iter().flatten() {
            walk(child, &format!("{at}.{name}"), add);
        }
    }
    for keyword in ["anyOf", "prefixItems"] {
        for (index, child) in members.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate() {
            walk(child, &format!("{at}/{keyword}/{index}"), add);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        // Open and closed objects are said in every dialect; elsewhere a boolean is no schema.
        if let Some(child) = members.get(keyword).filter(|child| keyword == "items" || !child.is_boolean()) {
            walk(child, &format!("{at}/{keyword}"), add);
        }
    }
}

/// Everything that ever made a client refuse a list, in one manifest.
fn nasty() -> Value {
    let reference = |name: &str| json!({"$ref": name});
    let tuple = json!({"kind": "tuple", "elements": [kind("string"), kind("u64")]});
    let many: Vec<Value> = (0..400).map(|at| param(&format!("field_number_{at}"), reference("Action"))).collect();
    let types = json!({
        "Action": {"kind": "variant", "variants": [{"name": "Ping"}, {"name": "Set", "payload": kind("u32")}]},
        "Status": {"kind": "variant", "variants": [{"name": "Open", "doc": "Still."}, {"name": "Done"}]},
        "Tagged": {"kind": "variant", "tag": "t", "variants": [{"name": "A", "payload": reference("P")}, {"name": "B"}]},
        "Loose": {"kind": "variant", "untagged": true, "variants": [{"name": "N", "payload": kind("u64")}, {"name": "U"}]},
        "Nothing": {"kind": "variant", "variants": []},
        "P": {"kind": "record", "fields": [param("x", kind("i32")), {"name": "n", "type": kind("string"), "nullable": true}]},
        "Empty": {"kind": "record", "fields": []},
        "Node": {"kind": "record", "fields": [param("kids", json!({"kind": "list", "items": reference("Node")})), param("other", reference("Twin"))]},
        "Twin": {"kind": "record", "fields": [param("back", reference("Node")), param("map", json!({"kind": "map", "key": kind("u64"), "value": reference("Twin")}))]},
        "Loop": {"kind": "alias", "target": reference("Loop")},
        "Huge": {"kind": "record", "fields": many},
        "Huger": {"kind": "record", "fields": [param("a", reference("Huge")), param("b", reference("Huge")), param("c", reference("Huge"))]},
        "Mail": {"kind": "alias", "target": kind("string"), "pattern": "^(?=a)(a+)+$"},
    });
    let shapes = [
        reference("Action"),
        reference("Status"),
        reference("Tagged"),
        reference("Loose"),
        reference("Nothing"),
        reference("P"),
        reference("Empty"),
        reference("Node"),
        reference("Twin"),
        reference("Loop"),
        reference("Huge"),
        reference("Huger"),
        reference("Mail"),
        reference("Missing"),
        tuple.clone(),
        json!({"kind": "list", "items": tuple}),
        json!({"kind": "tuple", "elements": []}),
        kind("future_kind"),
        json!({}),
        json!({"kind": "list"}),
        kind("u64"),
        kind("i64"),
        kind("u32"),
        kind("f32"),
        kind("f64"),
        kind("unit"),
        kind("bytes"),
        json!({"kind": "bytes", "size": 32}),
        json!({"kind": "map", "key": kind("string"), "value": kind("future_kind")}),
        json!({"kind": "list", "items": {"kind": "list", "items": reference("Action")}}),
    ];
    let mut methods: Vec<Value> = shapes
        .iter()
        .enumerate()
        .map(|(at, shape)| {
            let nullable = json!({"name": "q", "type": shape, "nullable": true});
            json!({"name": format!("m{at}"), "params": [param("p", shape.clone()), nullable], "returns": shape})
        })
        .collect();
    methods.push(json!({"name": "odd", "params": [param("a[]", kind("u32")), param("", kind("u32")), param("$ref", kind("u32"))]}));
    methods.push(json!({"name": "noop", "params": []}));
    methods.push(json!({"name": "told", "params": [], "doc": "d\u{202e}\u{0}😀".repeat(2000)}));
    manifest(types, json!(methods))
}

/// The whole list with nothing folded.
fn all_tools(mut client: Client) -> Vec<Value> {
    client.tools()
}

#[test]
fn c01_c10_c11_c16_c17_c18_c19_every_listed_schema_keeps_to_the_profile() {
    let node = LiveNode::start(Setup::demo().with(Seed::new(apps::notes(), "notes")));
    let tools = all_tools(serve_live(&node).connect());
    assert!(tools.len() > 60, "{}", tools.len());
    assert_eq!(breaches(&tools), Vec::<String>::new());

    let node = FakeNode::with(vec![App::new(ID, APP, nasty())]);
    let mut client = serve(&node).connect();
    let described = client.call("describe_app", json!({"app": APP})).first();
    // Only what is no type at all costs a method.
    let skipped = described["mapper"]["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 2, "{skipped:?}");
    let tools = all_tools(client);
    assert_eq!(breaches(&tools), Vec::<String>::new());
}

#[test]
fn a_list_is_the_same_in_every_era() {
    let node = FakeNode::with(vec![App::new(ID, APP, nasty())]);
    let old = all_tools(serve(&node).connect());
    let new = serve(&node).start().modern("tools/list", json!({}));
    assert_eq!(new["result"]["tools"], Value::Array(old));
}

#[test]
fn c01_a_union_stands_under_its_property() {
    let action = json!({"kind": "variant", "variants": [{"name": "Ping"}, {"name": "Set", "payload": kind("u32")}]});
    let (_node, mut client) =
        one_app(json!({"Action": action}), json!([{"name": "act", "params": [param("a", json!({"$ref": "Action"}))]}]));
    let schema = client.tool("app_act")["inputSchema"].clone();
    assert_eq!(schema["type"], "object");
    assert!(schema["properties"]["a"]["anyOf"].is_array(), "{schema}");
}

#[test]
fn c02_every_output_schema_has_an_object_at_its_root() {
    let types = json!({
        "Action": {"kind": "variant", "variants": [{"name": "Ping"}, {"name": "Set", "payload": kind("u32")}]},
        "P": {"kind": "record", "fields": [param("x", kind("u32"))]},
    });
    let list = json!({"kind": "list", "items": kind("u32")});
    let returning = |name: &str, kind: Value| json!({"name": name, "params": [], "returns": kind});
    let mut nullable = returning("e", json!({"$ref": "P"}));
    nullable["returns_nullable"] = json!(true);
    let methods = json!([
        returning("a", kind("string")),
        returning("b", list),
        returning("c", kind("unit")),
        nullable,
        returning("d", json!({"$ref": "Action"})),
    ]);
    let (_node, mut client) = one_app(types, methods);
    for name in ["app_a", "app_b", "app_d", "app_e"] {
        assert_eq!(client.tool(name)["outputSchema"]["type"], "object", "{name}");
    }
    assert!(client.tool("app_c").get("outputSchema").is_none());
}

#[test]
fn c10_types_that_do_not_recur_are_written_out_in_both_schemas() {
    let types = json!({"P": {"kind": "record", "fields": [param("x", kind("u32"))]}});
    let p = json!({"$ref": "P"});
    let method = json!({"name": "m", "params": [param("a", p.clone()), param("b", p.clone())], "returns": p});
    let (_node, mut client) = one_app(types, json!([method]));
    let tool = client.tool("app_m");
    assert!(!tool.to_string().contains("$ref"), "{tool}");
    for name in ["a", "b"] {
        assert_eq!(tool["inputSchema"]["properties"][name]["properties"]["x"]["type"], "integer", "{tool}");
    }
    assert!(tool["outputSchema"].to_string().contains(r#""x":{"#), "{tool}");
}

#[test]
fn c16_ranges_are_bounds_and_no_format() {
    let kinds = ["u32", "u64", "i32", "i64", "f32", "f64"];
    let params: Vec<Value> = kinds.iter().map(|name| param(name, kind(name))).collect();
    let (_node, mut client) = one_app(json!({}), json!([{"name": "m", "params": params}]));
    let schema = client.tool("app_m")["inputSchema"].clone();
    assert!(!schema.to_string().contains("format"), "{schema}");
    let bounds = |name: &str| (&schema["properties"][name]["minimum"], &schema["properties"][name]["maximum"]);
    assert_eq!(bounds("u32"), (&json!(0), &json!(4_294_967_295_u32)));
    assert_eq!(bounds("i32"), (&json!(i32::MIN), &json!(i32::MAX)));
    assert_eq!(bounds("u64"), (&json!(0), &json!(u64::MAX)));
}

#[test]
fn c18_a_method_without_parameters_has_a_closed_object() {
    let (_node, mut client) = one_app(json!({}), json!([{"name": "noop", "params": []}]));
    let schema = client.tool("app_noop")["inputSchema"].clone();
    assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
    assert_eq!(schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>(), ["app_handle", "_context"]);
    assert!(schema.get("required").is_none());
    let status = client.tool("node_status")["inputSchema"].clone();
    assert_eq!(status, json!({"type": "object", "properties": {}, "additionalProperties": false}));
}

#[test]
fn c20_a_long_doc_is_cut_on_a_character_and_the_signature_is_not() {
    let doc = format!("{}\nNever call twice.", "word ".repeat(1800));
    let emoji = format!("{}😀😀 tail", "a".repeat(990));
    let methods = json!([
        {"name": "m", "params": [], "doc": doc}, {"name": "e", "params": [], "doc": emoji},
        {"name": "f", "params": [], "doc": "😀".repeat(1024)},
    ]);
    let (_node, mut client) = one_app(json!({}), methods);
    for name in ["m", "e", "f"] {
        let tool = client.tool(&format!("app_{name}"));
        let description = tool["description"].as_str().unwrap();
        assert!(description.encode_utf16().count() <= 1023, "{}", description.len());
        assert!(description.contains(&format!("[mut] {name}() -> unit")) && !description.contains('\u{fffd}'));
    }
    let described = client.call("describe_app", json!({"app": APP})).first();
    assert!(described["methods"].to_string().contains("Never call twice."), "the full text is in describe_app");
}

#[test]
fn c21_three_thousand_methods_do_not_flood_the_list_and_stay_reachable() {
    let params = json!([param("a", kind("u32")), param("b", kind("string")), param("c", kind("bool"))]);
    let methods: Vec<Value> = (0..3000)
        .map(|at| json!({"name": format!("do_thing_{at}"), "params": params, "doc": format!("Does thing {at}.")}))
        .collect();
    let (node, mut client) = one_app(json!({}), json!(methods));
    let answer = client.request("tools/list", json!({}));
    assert!(answer.to_string().len() < 32 * 1024, "{}", answer.to_string().len());
    assert!(tools_of(&mut client, "app_").is_empty());
    let line = client.stderr_line("find_tools");
    assert!(line.contains("3000"), "{line}");
    let found = client.call("find_tools", json!({"query": "thing 1234"})).text;
    let best = found.lines().find_map(|line| line.strip_prefix("1. ")).unwrap_or_default();
    let tool = best.split(' ').next().unwrap_or_default().to_owned();
    assert_eq!(tool, "app_do_thing_1234", "{found}");
    let described = client.call("describe_tool", json!({"tool": tool})).first();
    assert_eq!(described["inputSchema"]["required"], json!(["a", "b", "c"]));
    let mut seen = 0;
    while seen < 3000 {
        let reply = client.call("describe_app", json!({"app": APP, "from": seen}));
        assert!(reply.text.len() < 75_000, "{} bytes are more than a client takes", reply.text.len());
        let card = reply.first();
        let methods = card["methods"].as_array().unwrap();
        assert!(methods[0].as_str().unwrap().contains(&format!("do_thing_{seen}(")), "{}", methods[0]);
        seen += methods.len();
        let says_more = card["methodsNote"].as_str().unwrap().contains(&format!("from = {seen} "));
        assert_eq!(says_more, seen < 3000, "{}", card["methodsNote"]);
    }
    let arguments = json!({"a": 1, "b": "x", "c": true});
    crate::passes(&node, &mut client, &tool, arguments, r#"{"a":1,"b":"x","c":true}"#);
}
