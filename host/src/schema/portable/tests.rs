//! Every client rule over hand-written and hostile schemas, and that what is advertised is what is checked.

use super::exceptions::{ExceptionKind, children, exceptions};
use super::unknown::is_unknown;
use super::*;
use serde_json::json;
use std::time::{Duration, Instant};

fn object(value: Value) -> JsonObject {
    value.as_object().expect("an object").clone()
}

/// A method of one parameter `p`, required.
fn parameter(schema: Value) -> Value {
    json!({"type": "object", "properties": {"p": schema}, "required": ["p"]})
}

fn portable(full: Value) -> Portable {
    let made = input(&object(full), &[]);
    assert_portable(&made.schema, true);
    assert_eq!(input(&made.schema, &[]).schema, made.schema, "idempotent");
    made
}

fn accepts(schema: &JsonObject, value: Value) -> bool {
    compile(&Value::Object(schema.clone())).expect("compiles").is_valid(&value)
}

/// The rules of `mcp-protocol` §13, the Inspector's strict ones and those of the TypeScript SDK's parser.
fn assert_portable(schema: &JsonObject, is_input: bool) {
    assert_eq!(schema.get("type"), Some(&json!("object")));
    assert!(schema.get("properties").is_some_and(Value::is_object));
    assert_eq!(schema.get("additionalProperties"), is_input.then_some(&json!(false)));
    for keyword in ["anyOf", "oneOf", "allOf", "not", "enum", "$ref", "$schema", "if"] {
        assert!(!schema.contains_key(keyword), "{keyword} at the root");
    }
    for name in schema["properties"].as_object().unwrap().keys() {
        assert!((1..=64).contains(&name.len()), "{name}");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c)), "{name}");
    }
    let text = serde_json::to_string(schema).unwrap();
    assert!(text.len() <= LIMIT, "{} bytes", text.len());
    serde_json::from_str::<Value>(&format!("{}{text}{}", "[".repeat(8), "]".repeat(8))).expect("within reading depth");
    compile(&Value::Object(schema.clone())).expect("compiles");
    assert_node(schema, 0);
}

fn assert_node(node: &JsonObject, depth: usize) {
    assert!(depth < 64, "deeper than the Inspector looks");
    const KNOWN: [&str; 27] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "minProperties",
        "maxProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "enum",
        "anyOf",
        "allOf",
        "description",
        "title",
        "default",
    ];
    for key in node.keys() {
        assert!(KNOWN.contains(&key.as_str()), "{key} in {node:?}");
    }
    let says_something = node.keys().any(|key| !matches!(key.as_str(), "description" | "title" | "default"));
    assert!(says_something, "an empty schema");
    let typed = ["type", "anyOf", "allOf"].iter().any(|key| node.contains_key(*key));
    assert!(typed || node.get("minItems") == Some(&json!(0)), "{node:?}");
    assert!(node.get("type").is_none_or(Value::is_string), "{node:?}");
    if node.get("type") == Some(&json!("array")) {
        assert!(
            node.get("items").is_some_and(|items| items.as_object().is_some_and(|items| !items.is_empty())),
            "{node:?}"
        );
    }
    for keyword in ["properties", "patternProperties"] {
        let members = node.get(keyword).and_then(Value::as_object);
        assert!(members.is_none_or(|members| members.values().all(Value::is_object)), "{node:?}");
    }
    for keyword in ["anyOf", "allOf", "prefixItems"] {
        let members = node.get(keyword).and_then(Value::as_array);
        assert!(members.is_none_or(|members| !members.is_empty() && members.iter().all(Value::is_object)), "{node:?}");
    }
    assert!(node.get("format").is_none_or(|format| format == "date-time"), "{node:?}");
    for (_, child) in children(node) {
        assert_node(child, depth + 1);
    }
}

#[test]
fn unknown_accepts_every_json_value() {
    let schema = object(json!({"type": "object", "properties": {"p": unknown()}, "additionalProperties": false}));
    assert_portable(&schema, true);
    for value in [
        json!(null),
        json!(true),
        json!(1),
        json!(-1.5),
        json!(u64::MAX),
        json!(""),
        json!([]),
        json!({}),
        json!([[[[1, null, "x", {"a": []}]]]]),
        json!({"a": {"b": [[]]}}),
        json!([null, [null, [null]]]),
    ] {
        assert!(accepts(&schema, json!({"p": value})), "{value}");
    }
}

#[test]
fn boolean_and_empty_schemas_become_unknown() {
    for free in [json!(true), json!({}), json!({"description": "x"}), json!({"$comment": "x"}), json!(7), json!(null)] {
        let made = portable(parameter(free));
        assert!(is_unknown(made.schema["properties"]["p"].as_object().unwrap()), "{:?}", made.schema);
    }
    let made = portable(parameter(json!({"description": "anything\u{202e}"})));
    assert_eq!(made.schema["properties"]["p"]["description"], "anything");
}

#[test]
fn c18_a_method_without_parameters_has_empty_properties() {
    for full in [json!({}), json!({"type": "object"}), json!({"type": "object", "properties": null})] {
        let made = portable(full);
        assert_eq!(
            Value::Object(made.schema),
            json!({"type": "object", "properties": {}, "additionalProperties": false})
        );
    }
}

#[test]
fn c01_a28_a_union_sits_below_its_property_and_checks_its_members() {
    let action = json!({"oneOf": [
        {"type": "string", "enum": ["Ping"]},
        {"type": "object", "properties": {"SetName": {"type": "string"}}, "required": ["SetName"], "additionalProperties": false},
    ]});
    let full = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/Action"}}, "required": ["a"],
        "additionalProperties": false, "$defs": {"Action": action}});
    let schema = portable(full).schema;
    for good in [json!({"a": "Ping"}), json!({"a": {"SetName": "n"}})] {
        assert!(accepts(&schema, good));
    }
    for bad in [json!({"a": "SetName"}), json!({"a": {"SetName": "n", "Ping": null}}), json!({"a": {"Other": 1}})] {
        assert!(!accepts(&schema, bad));
    }
}

#[test]
fn a_union_at_the_root_is_offered_side_by_side() {
    let made = portable(json!({"type": "object", "anyOf": [
        {"properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"properties": {"a": {"type": "integer"}, "b": {"type": "boolean"}}, "required": ["b"]},
    ], "allOf": [{"$ref": "#/$defs/C"}], "$defs": {"C": {"properties": {"c": {"type": "null"}}, "required": ["c"]}}}));
    assert_eq!(made.schema["required"], json!(["c"]));
    for good in [json!({"a": "x", "c": null}), json!({"a": 1, "b": true, "c": null})] {
        assert!(accepts(&made.schema, good));
    }
    assert!(made.notes.iter().any(|note| note.text.contains("anyOf")), "{:?}", made.notes);
}

#[test]
fn c02_c25_an_output_is_an_object_around_a_nullable_result() {
    for (full, good) in [
        (json!({"type": "string"}), json!("x")),
        (
            json!({"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32}}),
            json!([1]),
        ),
        (json!({"type": "null"}), json!(null)),
        (
            json!({"anyOf": [{"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]}, {"type": "null"}]}),
            json!({"x": true, "new": 1}),
        ),
        (json!({"type": "string", "enum": ["Open", "Done"]}), json!("Done")),
        (json!(true), json!([1])),
        (
            json!({"$ref": "#/$defs/P", "$defs": {"P": {"type": "object", "additionalProperties": false}}}),
            json!({"x": 1}),
        ),
    ] {
        let made = output(&full);
        assert_portable(&made.schema, false);
        assert_eq!(made.schema["required"], json!(["result"]));
        assert!(accepts(&made.schema, json!({"result": good})), "{full}");
        assert!(accepts(&made.schema, json!({"result": null})), "{full}");
        assert!(!accepts(&made.schema, json!({})));
    }
}

#[test]
fn c15_an_output_integer_beyond_2_53_may_be_a_decimal_string_and_an_input_stays_integer() {
    let wide = json!({"type": "integer", "minimum": 0, "maximum": u64::MAX});
    let made = output(&json!({"type": "array", "items": wide.clone()}));
    assert!(accepts(&made.schema, json!({"result": ["18446744073709551615", 7]})));
    assert!(!accepts(&made.schema, json!({"result": ["x"]})));
    let narrow = output(&json!({"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32}));
    assert!(!accepts(&narrow.schema, json!({"result": "7"})));
    assert_eq!(portable(parameter(wide)).schema["properties"]["p"]["type"], "integer");
    let p = portable(parameter(json!({"type": "integer"}))).schema;
    assert!(accepts(&p, json!({"p": u64::MAX})) && accepts(&p, json!({"p": i64::MIN})));
}

#[test]
fn a02_c19_a_tuple_keeps_its_places_beside_concrete_items() {
    let tuple = json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer", "minimum": 0}],
        "items": false, "minItems": 2, "maxItems": 2});
    let schema = portable(parameter(tuple.clone())).schema;
    let p = &schema["properties"]["p"];
    assert_eq!((p["minItems"].clone(), p["maxItems"].clone()), (json!(2), json!(2)));
    assert_eq!(p["prefixItems"].as_array().unwrap().len(), 2);
    assert!(p["items"].is_object());
    assert!(accepts(&schema, json!({"p": ["a", 7]})));
    for bad in [json!(["a"]), json!(["a", 7, 1]), json!({"0": "a", "1": 7}), json!([7, "a"])] {
        assert!(!accepts(&schema, json!({"p": bad})));
    }
    let list = portable(parameter(json!({"type": "array", "items": tuple}))).schema;
    assert!(accepts(&list, json!({"p": [["a", 7]]})) && !accepts(&list, json!({"p": [["a", 7, 1]]})));
    let old =
        portable(parameter(json!({"type": "array", "items": [{"type": "string"}], "additionalItems": false}))).schema;
    assert!(accepts(&old, json!({"p": ["a"]})) && !accepts(&old, json!({"p": ["a", 1]})));
}

#[test]
fn nested_tuples_do_not_double_in_size() {
    let mut tuple = json!({"type": "string"});
    for _ in 0..20 {
        tuple = json!({"type": "array", "prefixItems": [tuple], "items": false, "minItems": 1, "maxItems": 1});
    }
    let made = portable(parameter(tuple));
    assert!(!is_unknown(made.schema["properties"]["p"].as_object().unwrap()));
}

#[test]
fn a04_keys_of_a_map_stay_restricted_without_property_names() {
    let digits = json!({"type": "string", "pattern": "^(?:0|[1-9][0-9]*)$"});
    let map =
        |names: Value| json!({"type": "object", "propertyNames": names, "additionalProperties": {"type": "string"}});
    let schema = portable(parameter(map(digits.clone()))).schema;
    assert!(accepts(&schema, json!({"p": {"18446744073709551615": "x"}})));
    assert!(!accepts(&schema, json!({"p": {"abc": "x"}})));
    assert!(!accepts(&schema, json!({"p": {"1": 2}})));
    let full = json!({"type": "object", "properties": {"p": map(json!({"$ref": "#/$defs/K"}))},
        "$defs": {"K": {"anyOf": [digits, {"enum": ["all.", "a|b"]}]}}});
    let schema = portable(full).schema;
    assert!(accepts(&schema, json!({"p": {"7": "x", "all.": "y", "a|b": "z"}})));
    assert!(!accepts(&schema, json!({"p": {"allx": "y"}})));
    let free = portable(parameter(map(json!({"type": "string"}))));
    assert_eq!(free.schema["properties"]["p"], json!({"type": "object", "additionalProperties": {"type": "string"}}));
    let unread = portable(parameter(map(json!({"not": {"pattern": "x"}}))));
    assert!(!unread.notes.is_empty());
}

#[test]
fn c08_renamed_parameters_are_mapped_back() {
    let full = json!({"type": "object", "properties": {
        "uids[]": {"type": "string"}, "naïve": {"type": "string"}, "ok.name-1": {"type": "string"},
    }, "required": ["naïve", "ok.name-1", "gone"]});
    let made = portable(full);
    assert_eq!(made.schema["required"], json!(["na_ve", "ok.name-1"]));
    assert_eq!(
        made.names,
        [
            Renamed { wire: "uids".into(), original: "uids[]".into() },
            Renamed { wire: "na_ve".into(), original: "naïve".into() },
        ]
    );
}

#[test]
fn injected_arguments_come_first_and_a_declared_one_wins() {
    let own = [("app_handle", json!({"type": "string"})), ("_context", json!({"type": "string"}))];
    let full = object(
        json!({"type": "object", "properties": {"_context": {"type": "integer"}, "z": {}, "a": {}, "app handle": {}}}),
    );
    let made = input(&full, &own);
    assert_portable(&made.schema, true);
    let properties = made.schema["properties"].as_object().unwrap();
    let keys: Vec<&String> = properties.keys().collect();
    assert_eq!(keys[..4], ["app_handle", "_context", "z", "a"]);
    assert_eq!(properties["_context"]["type"], "integer");
    assert_ne!(made.names[0].wire, "app_handle");
}

const NODE: &str = r##"{"type":"object","properties":{"n":{"$ref":"#/$defs/Node"}},"required":["n"],"$defs":{"Node":{
    "type":"object","properties":{"label":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/Node"}}},
    "required":["label","kids"]}}}"##;

#[test]
fn c09_a_recursive_type_is_written_out_to_a_depth_and_open_below() {
    let schema = portable(serde_json::from_str(NODE).unwrap()).schema;
    let nested = |levels: usize, innermost: Value| {
        let mut node = innermost;
        for _ in 1..levels {
            node = json!({"label": "a", "kids": [node]});
        }
        json!({"n": node})
    };
    for levels in 1..=REF_DEPTH {
        assert!(accepts(&schema, nested(levels, json!({"label": "b", "kids": []}))));
        assert!(!accepts(&schema, nested(levels, json!({"label": 7, "kids": []}))), "{levels}");
    }
    assert!(accepts(&schema, nested(REF_DEPTH + 1, json!({"label": 7}))));
}

#[test]
fn c10_nothing_refers_to_anything() {
    let full = json!({"type": "object", "properties": {"a": {"description": "first", "$ref": "#/$defs/P"}, "b": {"$ref": "#/$defs/P"}},
        "$defs": {"P": {"type": "object", "description": "own", "properties": {"x": {"type": "boolean"}}, "required": ["x"]}}});
    let schema = portable(full).schema;
    assert_eq!(schema["properties"]["a"]["description"], "first");
    assert_eq!(schema["properties"]["b"]["description"], "own");
    assert_eq!(schema["properties"]["b"]["properties"]["x"]["type"], "boolean");
}

#[test]
fn a06_a_reference_to_nothing_is_unknown_and_noted() {
    for target in ["#/$defs/Gone", "https://example.com/x.json", "#nope", "other.json#/a", "#/%zz", ""] {
        let made = portable(parameter(json!({"type": "array", "items": {"$ref": target}})));
        assert!(accepts(&made.schema, json!({"p": [1, "x", null]})));
        assert_eq!(made.notes[0].path, "p[]");
    }
}

#[test]
fn c11_c12_nullable_is_one_form_everywhere() {
    let full = json!({"type": "object", "properties": {
        "note": {"type": ["string", "null"]},
        "tags": {"type": ["array", "null"], "items": {"type": "string"}},
        "s": {"type": ["string", "null"], "enum": ["Open", "Done"]},
        "t": {"enum": ["Open", null]},
    }});
    let schema = portable(full).schema;
    assert_eq!(schema["properties"]["note"], json!({"anyOf": [{"type": "string"}, {"type": "null"}]}));
    assert!(!schema.contains_key("required"));
    for good in [
        json!({}),
        json!({"note": null, "tags": null, "s": null, "t": null}),
        json!({"note": "x", "tags": ["y"], "s": "Open", "t": "Open"}),
    ] {
        assert!(accepts(&schema, good));
    }
    assert!(!accepts(&schema, json!({"s": "open"})));
    let twice = json!({"anyOf": [{"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "null"}]});
    assert_eq!(
        portable(parameter(twice)).schema["properties"]["p"],
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]})
    );
}

#[test]
fn c16_c17_only_plain_formats_and_no_dialect() {
    let full = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {
        "a": {"type": "integer", "format": "uint64", "minimum": 0}, "b": {"type": "string", "format": "date-time"},
        "c": {"type": "string", "format": "uuid", "description": "The key"}, "d": {"const": "x"}, "e": {"const": 7},
    }});
    let schema = portable(full).schema;
    assert_eq!(schema["properties"]["a"], json!({"type": "integer", "minimum": 0}));
    assert_eq!(schema["properties"]["b"]["format"], "date-time");
    assert_eq!(schema["properties"]["c"]["description"], "The key (format: uuid)");
    assert_eq!(schema["properties"]["d"], json!({"type": "string", "enum": ["x"]}));
    assert_eq!(schema["properties"]["e"], json!({"type": "integer", "enum": [7]}));
}

#[test]
fn c22_names_of_javascripts_own_are_ordinary() {
    let names = ["__proto__", "constructor", "prototype", "hasOwnProperty"];
    let members: JsonObject = names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let schema = portable(json!({"type": "object", "properties": members, "required": names})).schema;
    assert_eq!(schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>(), names);
    assert!(accepts(&schema, json!({"__proto__": "a", "constructor": "c", "prototype": "", "hasOwnProperty": ""})));
    let record = portable(parameter(json!({"type": "object", "properties": members, "required": names}))).schema;
    assert!(!accepts(&record, json!({"p": {"__proto__": 1}})));
}

#[test]
fn c27_bytes_keep_their_hex_pattern() {
    let bytes = json!({"anyOf": [
        {"type": "string", "pattern": "^(?:[0-9a-fA-F]{2})*$"},
        {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}},
    ], "description": "bytes: a hex string or a byte array"});
    let made = portable(parameter(bytes));
    for good in [json!("dead"), json!("DEAD"), json!(""), json!([222, 173])] {
        assert!(accepts(&made.schema, json!({"p": good})));
    }
    for bad in [json!("dea"), json!("zz"), json!([256]), json!([-1]), json!([1.5])] {
        assert!(!accepts(&made.schema, json!({"p": bad})));
    }
    let kinds: Vec<_> = exceptions(&made.schema).into_iter().map(|exception| (exception.at, exception.kind)).collect();
    assert_eq!(kinds, [("/properties/p/anyOf/0/pattern".to_owned(), ExceptionKind::Pattern)]);
}

#[test]
fn patterns_that_clients_refuse_are_left_out_with_a_note() {
    for pattern in ["^(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", r"(a)\1", "(", &"(a{1000}){1000}".repeat(9)] {
        let made = portable(parameter(json!({"type": "string", "pattern": pattern})));
        assert_eq!(made.schema["properties"]["p"], json!({"type": "string"}), "{pattern}");
        assert_eq!(made.notes.len(), 1);
    }
}

#[test]
fn a_type_beside_a_union_keeps_both() {
    let made =
        portable(parameter(json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})));
    assert!(accepts(&made.schema, json!({"p": {"a": "x"}})) && !accepts(&made.schema, json!({"p": {}})));
    let both =
        portable(parameter(json!({"allOf": [{"type": "string", "minLength": 2}, {"type": "string", "maxLength": 3}]})));
    assert!(accepts(&both.schema, json!({"p": "ab"})) && !accepts(&both.schema, json!({"p": "a"})));
}

#[test]
fn the_largest_parameter_becomes_unknown_first_and_always_the_same_one() {
    let big: Vec<String> = (0..4000).map(|n| format!("member_{n}")).collect();
    let full = json!({"type": "object", "properties": {
        "small": {"type": "string"}, "big": {"type": "string", "enum": big}, "other": {"type": "integer", "minimum": 0},
    }});
    let made = portable(full.clone());
    assert!(is_unknown(made.schema["properties"]["big"].as_object().unwrap()));
    assert_eq!(made.schema["properties"]["small"]["type"], "string");
    assert_eq!((made.notes.len(), made.notes[0].path.as_str()), (1, "big"));
    assert_eq!(portable(full), made);
}

#[test]
fn a_wide_recursion_gives_up_levels_before_it_gives_up() {
    let full = json!({"type": "object", "properties": {"t": {"$ref": "#/$defs/T"}}, "$defs": {"T": {"type": "object",
        "properties": {"a": {"$ref": "#/$defs/T"}, "b": {"$ref": "#/$defs/T"}, "c": {"$ref": "#/$defs/T"}, "v": {"type": "integer"}}}}});
    let schema = portable(full).schema;
    assert!(!accepts(&schema, json!({"t": {"a": {"v": "x"}}})), "two levels at least are checked");
}

#[test]
fn hostile_schemas_end_soon_and_within_bounds() {
    let started = Instant::now();
    let loops = json!({"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}, "S": {"$ref": "#/$defs/S"}});
    for name in ["A", "S"] {
        let full = json!({"type": "object", "properties": {"p": {"$ref": format!("#/$defs/{name}")}}, "$defs": loops});
        assert!(accepts(&portable(full).schema, json!({"p": [1]})));
    }
    portable(json!({"$ref": "#"}));
    portable(json!({"type": "object", "properties": {"p": {"$ref": "#"}}}));
    portable(json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}));
    let doubling: JsonObject = (0..60)
        .map(|n| {
            (
                format!("D{n}"),
                json!({"allOf": [{"$ref": format!("#/$defs/D{}", n + 1)}, {"$ref": format!("#/$defs/D{}", n + 1)}]}),
            )
        })
        .collect();
    portable(json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/D0"}}, "$defs": doubling}));
    let wide: Vec<Value> = (0..300).map(|_| json!({"$ref": "#/$defs/W"})).collect();
    for keyword in ["anyOf", "allOf", "prefixItems"] {
        portable(
            json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/W"}, "q": {"$ref": "#/$defs/W"}}, "$defs": {"W": {keyword: wide}}}),
        );
    }
    let mut deep = json!({"type": "string"});
    for _ in 0..120 {
        deep = json!({"items": deep});
    }
    portable(parameter(deep));
    let mut deep = json!({"type": "string"});
    for _ in 0..60 {
        deep = json!({"type": ["object", "null"], "properties": {"x": deep}});
    }
    portable(parameter(deep));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn thousands_of_parameters_or_values_end_soon() {
    let started = Instant::now();
    let many: JsonObject = (0..2000).map(|n| (format!("p{n}"), json!({"$ref": "#/$defs/W"}))).collect();
    let wide: Vec<Value> = (0..300).map(|_| json!({"$ref": "#/$defs/W"})).collect();
    let made = input(&object(json!({"type": "object", "properties": many, "$defs": {"W": {"anyOf": wide}}})), &[]);
    assert_eq!(made.schema["properties"].as_object().unwrap().len(), 2000);
    let values: Vec<String> = (0..200_000).map(|n| format!("v{n}")).collect();
    portable(parameter(json!({"enum": values})));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn odd_keyword_values_never_break_the_profile() {
    let odd = [
        json!(null),
        json!(true),
        json!(false),
        json!(-1),
        json!(1.5),
        json!("x"),
        json!([]),
        json!({}),
        json!([{}]),
        json!(["string", 7]),
        json!({"a": false}),
        json!({"a": {"$ref": 7}}),
        json!([null, true]),
    ];
    let keywords = [
        "type",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minLength",
        "pattern",
        "format",
        "minimum",
        "multipleOf",
        "$ref",
        "$defs",
        "description",
        "title",
        "default",
        "if",
        "$id",
        "$anchor",
    ];
    for keyword in keywords {
        for value in &odd {
            for kind in ["object", "array", "string", "integer"] {
                portable(parameter(json!({keyword: value})));
                portable(parameter(json!({"type": kind, keyword: value})));
                assert_portable(&output(&json!({"type": kind, keyword: value})).schema, false);
            }
            let mut root = object(parameter(json!({"type": "string"})));
            root.insert(keyword.to_owned(), value.clone());
            portable(Value::Object(root));
        }
    }
}
