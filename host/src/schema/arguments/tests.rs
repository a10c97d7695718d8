//! What passes, what is softened, what is refused, and how a refusal reads.

use super::*;
use crate::schema::portable::{Portable, input};
use serde_json::json;

fn object(value: Value) -> JsonObject {
    value.as_object().expect("an object").clone()
}

fn checker(full: Value) -> ArgumentChecker {
    let Portable { schema, names, .. } = input(&object(full), &[]);
    ArgumentChecker::new(&schema, &names).expect("compiles")
}

/// A checker of required parameters.
fn required(parameters: Value) -> ArgumentChecker {
    let names: Vec<String> = object(parameters.clone()).keys().cloned().collect();
    checker(json!({"type": "object", "properties": parameters, "required": names}))
}

fn passes(checker: &ArgumentChecker, arguments: Value) -> Value {
    Value::Object(checker.check(object(arguments)).expect("passes"))
}

fn refusal(checker: &ArgumentChecker, arguments: Value) -> String {
    let problems = checker.check(object(arguments)).expect_err("refused");
    assert!(!problems.is_empty() && problems.len() <= explain::MOST_PROBLEMS);
    render(&problems, "[mut] m()")
}

fn assert_mentions(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

fn u64_schema() -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": u64::MAX})
}

#[test]
fn a02_a_tuple_of_another_length_is_refused_naming_the_argument() {
    let tuple = json!({"type": "array", "prefixItems": [{"type": "string"}, u64_schema()], "items": false, "minItems": 2, "maxItems": 2});
    let check = required(json!({"p": tuple}));
    assert_eq!(passes(&check, json!({"p": ["a", 7]})), json!({"p": ["a", 7]}));
    assert_mentions(&refusal(&check, json!({"p": ["a"]})), &["`p`", "exactly 2 items", "1 item"]);
    assert_mentions(&refusal(&check, json!({"p": ["a", 7, 1]})), &["`p`", "exactly 2 items", "3 items"]);
    assert_mentions(&refusal(&check, json!({"p": {"0": "a", "1": 7}})), &["`p`", "array", "object"]);
    assert_mentions(&refusal(&check, json!({"p": [7, 7]})), &["`p[0]`", "a string"]);
    assert_eq!(passes(&check, json!({"p": ["a", "18446744073709551615"]})), json!({"p": ["a", u64::MAX]}));
}

#[test]
fn a04_a_key_that_does_not_fit_is_named() {
    let map =
        json!({"type": "object", "propertyNames": {"pattern": "^[0-9]+$"}, "additionalProperties": {"type": "string"}});
    let check = required(json!({"m": map}));
    let good = json!({"m": {"18446744073709551615": "x"}});
    assert_eq!(passes(&check, good.clone()), good);
    assert_mentions(&refusal(&check, json!({"m": {"abc": "x"}})), &["`m.abc`", "^[0-9]+$"]);
    assert_mentions(&refusal(&check, json!({"m": {"0": 7}})), &["`m.0`", "a string"]);
}

#[test]
fn a10_a_bad_value_in_a_map_names_the_argument_and_the_key() {
    let map = json!({"type": "object", "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32}});
    let check = required(json!({"e": map}));
    passes(&check, json!({"e": {"a": 1}}));
    assert_mentions(&refusal(&check, json!({"e": {"a": "x"}})), &["`e.a`", "an integer from 0 to 4294967295", "\"x\""]);
}

#[test]
fn a28_a_wrong_member_of_an_enum_lists_the_allowed_ones() {
    let action = json!({"oneOf": [
        {"type": "string", "enum": ["Ping"]},
        {"type": "object", "properties": {"SetName": {"type": "string"}}, "required": ["SetName"], "additionalProperties": false},
        {"type": "object", "properties": {"SetAge": {"type": "integer"}}, "required": ["SetAge"], "additionalProperties": false},
    ]});
    let check = required(json!({"a": action}));
    for good in [json!({"a": "Ping"}), json!({"a": {"SetName": "n"}})] {
        assert_eq!(passes(&check, good.clone()), good);
    }
    for bad in [
        json!("SetName"),
        json!({"SetName": "n", "Ping": null}),
        json!({"Other": 1}),
        json!({"Ping": null}),
        json!(7),
        json!([]),
    ] {
        let text = refusal(&check, json!({"a": bad}));
        assert_mentions(&text, &["`a`", "\"Ping\"", "{\"SetName\": …}", "{\"SetAge\": …}"]);
    }
    let text = refusal(&check, json!({"a": {"SetName": 5}}));
    assert_mentions(&text, &["`a.SetName`", "a string", "5"]);
    assert!(!text.contains("SetAge"), "{text}");
}

#[test]
fn a_tagged_member_is_explained_inside() {
    let event = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "Move"}, "x": {"type": "integer"}}, "required": ["kind", "x"]},
        {"type": "object", "properties": {"kind": {"const": "Say"}, "text": {"type": "string"}}, "required": ["kind", "text"]},
    ]});
    let check = required(json!({"e": event}));
    let text = refusal(&check, json!({"e": {"kind": "Move"}}));
    assert_mentions(&text, &["`e.x`", "an integer", "nothing"]);
    assert!(!text.contains("Say"), "{text}");
    assert_mentions(&refusal(&check, json!({"e": {"kind": "Say", "text": 1}})), &["`e.text`", "a string"]);
    assert_mentions(&refusal(&check, json!({"e": {"kind": "Hop"}})), &["`e`", "Move", "Say"]);
}

#[test]
fn c08_arguments_go_out_under_the_applications_names() {
    let long = "k".repeat(70);
    let originals = ["uids[]", "fields[users]", "naïve", "a b", &long, "ok.name-1"];
    let properties: JsonObject = originals.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let made = input(&object(json!({"type": "object", "properties": properties, "required": originals})), &[]);
    let check = ArgumentChecker::new(&made.schema, &made.names).unwrap();
    let sent: JsonObject =
        made.schema["properties"].as_object().unwrap().keys().map(|wire| (wire.clone(), json!(wire))).collect();
    let arrived = check.check(sent).unwrap();
    assert_eq!(arrived.keys().map(String::as_str).collect::<Vec<_>>(), originals);
}

#[test]
fn c09_a_bad_value_deep_in_a_recursive_type_names_its_path() {
    let full = json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/Node"}}, "required": ["n"], "$defs": {"Node": {"type": "object",
        "properties": {"label": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}, "required": ["label", "kids"]}}});
    let check = checker(full);
    passes(&check, json!({"n": {"label": "a", "kids": [{"label": "b", "kids": []}]}}));
    let text = refusal(&check, json!({"n": {"label": "a", "kids": [{"label": 7, "kids": []}]}}));
    assert_mentions(&text, &["`n.kids[0].label`", "a string", "7"]);
}

#[test]
fn c11_c13_null_and_absent() {
    let full = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string"}, "b": {"type": ["string", "null"]}, "c": {"type": "string"},
    }});
    let check = checker(full);
    assert_eq!(passes(&check, json!({"a": "x", "b": null})), json!({"a": "x", "b": null}));
    assert_eq!(passes(&check, json!({"a": "x", "c": null})), json!({"a": "x"}), "as if left out");
    assert_mentions(&refusal(&check, json!({"a": null})), &["`a`", "a string", "null"]);
    assert_mentions(&refusal(&check, json!({"b": "y"})), &["`a`", "a string", "nothing"]);
}

#[test]
fn c12_a_nullable_enum_takes_null_and_lists_its_values() {
    let check =
        checker(json!({"type": "object", "properties": {"s": {"type": ["string", "null"], "enum": ["Open", "Done"]}}}));
    for good in [json!({"s": null}), json!({}), json!({"s": "Open"})] {
        assert_eq!(passes(&check, good.clone()), good);
    }
    assert_mentions(&refusal(&check, json!({"s": "open"})), &["`s`", "\"Open\"", "\"Done\"", "\"open\""]);
}

#[test]
fn c14_a_json_text_is_read_once_where_structure_is_declared() {
    let record = json!({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]});
    let check = required(json!({"xs": {"type": "array", "items": {"type": "integer"}}, "r": record}));
    let sent = json!({"xs": "[1,2]", "r": "{\"x\":1}"});
    assert_eq!(passes(&check, sent), json!({"xs": [1, 2], "r": {"x": 1}}));
    let text = refusal(&check, json!({"xs": "[1,", "r": {"x": 1}}));
    assert_mentions(&text, &["`xs`", "an array", "the string \"[1,\""]);
    assert!(!text.contains("EOF") && !text.contains("`r`"), "{text}");
    refusal(&check, json!({"xs": "\"[1,2]\"", "r": {"x": 1}}));
    let nested = required(json!({"xss": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}}));
    assert_eq!(passes(&nested, json!({"xss": ["[1]", [2]]})), json!({"xss": [[1], [2]]}));
    refusal(&nested, json!({"xss": "[\"[1]\"]"}));
    let text = required(json!({"t": {"type": "string"}}));
    assert_eq!(passes(&text, json!({"t": "[1,2]"})), json!({"t": "[1,2]"}), "a declared string stays one");
}

#[test]
fn c15_digits_are_exact_integers_at_any_depth() {
    let check = required(json!({"x": u64_schema()}));
    for (sent, arrived) in [
        (json!("18446744073709551615"), json!(u64::MAX)),
        (json!(u64::MAX), json!(u64::MAX)),
        (json!("9007199254740993"), json!(9_007_199_254_740_993_u64)),
        (json!(7), json!(7)),
        (json!("0"), json!(0)),
    ] {
        let arrived = json!({"x": arrived});
        assert_eq!(passes(&check, json!({"x": sent})).to_string(), arrived.to_string());
    }
    for bad in ["", "-1", "-0", "01", " 1", "1 ", "1.0", "1e3", "+1", "0x1", "18446744073709551616", "١", "1_000"] {
        assert_mentions(&refusal(&check, json!({"x": bad})), &["`x`", "an integer from 0 to 18446744073709551615"]);
    }
    let signed = required(json!({"x": {"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX}}));
    assert_eq!(passes(&signed, json!({"x": "-9223372036854775808"})), json!({"x": i64::MIN}));
    refusal(&signed, json!({"x": "9223372036854775808"}));
    let list = required(
        json!({"r": {"type": "object", "properties": {"ids": {"type": "array", "items": {"anyOf": [u64_schema(), {"type": "null"}]}}}}}),
    );
    assert_eq!(passes(&list, json!({"r": {"ids": ["1", null, 2]}})), json!({"r": {"ids": [1, null, 2]}}));
}

#[test]
fn c22_names_of_javascripts_own_pass_unchanged() {
    let check = required(json!({"__proto__": {"type": "object"}, "constructor": {"type": "string"}}));
    let sent = json!({"__proto__": {"a": 1}, "constructor": "c"});
    assert_eq!(passes(&check, sent.clone()), sent);
}

#[test]
fn c26_an_unknown_argument_is_refused_with_the_nearest_name() {
    let check = checker(
        json!({"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "string"}}, "required": ["key"]}),
    );
    assert_mentions(
        &refusal(&check, json!({"key": "k", "valeu": "v"})),
        &["`valeu`", "did you mean `value`?", "[mut] m()"],
    );
    let far = refusal(&check, json!({"key": "k", "zzz": 1}));
    assert_mentions(&far, &["`zzz`", "`key`", "`value`"]);
    assert!(!far.contains("did you mean"), "{far}");
    assert_mentions(&refusal(&check, json!({"unknown_arg": 1})), &["`unknown_arg`", "`key`", "nothing"]);
    assert_mentions(&refusal(&checker(json!({})), json!({"x": 1})), &["`x`", "no arguments"]);
}

#[test]
fn c27_bytes_of_the_wrong_form_are_refused_with_the_rule_in_words() {
    let bytes = |pattern: &str, size: Option<u64>| {
        let mut array = json!({"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}});
        if let Some(size) = size {
            array["minItems"] = json!(size);
            array["maxItems"] = json!(size);
        }
        json!({"anyOf": [{"type": "string", "pattern": pattern}, array], "description": "bytes: a hex string or a byte array"})
    };
    let b = required(json!({"b": bytes("^(?:[0-9a-fA-F]{2})*$", None)}));
    for good in [json!("dead"), json!("DEAD"), json!(""), json!([222, 173])] {
        assert_eq!(passes(&b, json!({"b": good.clone()})), json!({"b": good}));
    }
    for bad in [json!("dea"), json!("zz")] {
        assert_mentions(&refusal(&b, json!({"b": bad})), &["`b`", "a hex string or a byte array"]);
    }
    for bad in [json!([256]), json!([-1]), json!([1.5])] {
        assert_mentions(&refusal(&b, json!({"b": bad})), &["`b[0]`", "an integer from 0 to 255"]);
    }
    let h = required(json!({"h": bytes("^[0-9a-fA-F]{4}$", Some(2))}));
    passes(&h, json!({"h": "dead"}));
    for bad in [json!("de"), json!(""), json!([1, 2, 3])] {
        assert_mentions(&refusal(&h, json!({"h": bad})), &["`h`"]);
    }
}

#[test]
fn e21_deep_arguments_are_checked_without_overflowing() {
    let free = required(json!({"x": true, "n": {"type": "integer"}}));
    let mut deep = json!(1);
    for _ in 0..126 {
        deep = json!({"x": [deep]});
    }
    passes(&free, json!({"x": deep.clone(), "n": 1}));
    refusal(&free, json!({"x": deep.clone(), "n": "x"}));
    refusal(&required(json!({"s": {"type": "string"}})), json!({"s": deep}));
    let text = "[".repeat(100_000);
    refusal(&required(json!({"s": {"type": "array"}})), json!({"s": text}));
}

#[test]
fn long_and_hidden_values_are_not_echoed() {
    let check = required(json!({"n": {"type": "integer"}}));
    let text = refusal(&check, json!({"n": "secret ".repeat(100)}));
    assert_mentions(&text, &["a string of 700 characters"]);
    assert!(!text.contains("secret"), "{text}");
    assert!(refusal(&check, json!({"n": "a\u{202e}\nb"})).lines().count() == 4);
    let many: JsonObject = (0..5000).map(|n| (format!("u{n}"), json!(n))).collect();
    assert!(refusal(&check, Value::Object(many)).len() < 4000);
}

#[test]
fn many_bad_items_end_soon_and_make_a_short_text() {
    let item = json!({"anyOf": [{"type": "integer"}, {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}, "required": ["a"]}]});
    let check = required(json!({"xs": {"type": "array", "items": item}}));
    let started = std::time::Instant::now();
    let text = refusal(&check, json!({"xs": vec![json!({"a": ["x"]}); 20_000]}));
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    assert!(text.len() < 4000);
    let repaired = passes(&check, json!({"xs": vec![json!({"a": ["1"]}); 2000]}));
    assert_eq!(repaired["xs"][1999], json!({"a": [1]}));
}

#[test]
fn a_value_that_fits_is_never_changed() {
    let full = json!({"type": "object", "properties": {"p": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "array", "items": {}}]}}});
    let check = checker(full);
    for value in [json!("7"), json!("[1]"), json!(7), json!(["7", "[1]"])] {
        assert_eq!(passes(&check, json!({"p": value.clone()})), json!({"p": value}));
    }
    // Except that a whole number is written as one: JSON Schema takes 1.0 for an integer, backends do not.
    assert_eq!(passes(&check, json!({"p": 1.0})), json!({"p": 1}));
}

#[test]
fn an_independent_check_agrees_with_every_answer() {
    let full = json!({"type": "object", "required": ["r"], "properties": {
        "r": {"type": "object", "properties": {"x": {"type": "integer"}, "t": {"type": ["array", "null"], "items": {"type": "string"}}}, "required": ["x"]},
        "o": {"type": "boolean"},
    }});
    let made = input(&object(full), &[]);
    let check = ArgumentChecker::new(&made.schema, &made.names).unwrap();
    let independent = jsonschema::validator_for(&Value::Object(made.schema.clone())).unwrap();
    let values = [
        json!(null),
        json!(1),
        json!("1"),
        json!("x"),
        json!([]),
        json!(["a"]),
        json!({}),
        json!({"x": 1}),
        json!({"x": "2"}),
        json!({"x": 1, "t": null}),
        json!({"x": 1, "t": [1]}),
        json!("{\"x\":1}"),
        json!(true),
    ];
    for r in &values {
        for o in &values {
            let sent = json!({"r": r, "o": o});
            let fits = independent.is_valid(&sent);
            match check.check(object(sent.clone())) {
                Ok(arguments) => {
                    let arguments = Value::Object(arguments);
                    assert!(independent.is_valid(&arguments), "{sent} became {arguments}");
                    assert!(!fits || arguments == sent, "{sent} was changed to {arguments}");
                }
                Err(problems) => assert!(!fits, "{sent} refused: {problems:?}"),
            }
        }
    }
}

#[test]
fn a_huge_argument_that_does_not_fit_is_refused_without_listing_every_error() {
    let schema = json!({
        "type": "object",
        "properties": {"xs": {"type": "array", "items": {"type": "integer"}}, "s": {"type": "string"}},
        "required": ["xs"], "additionalProperties": false,
    });
    let Value::Object(schema) = schema else { unreachable!() };
    let checker = ArgumentChecker::new(&schema, &[]).unwrap();
    let arguments = json!({"xs": vec!["x"; 200_000], "s": "fits"});
    let Value::Object(arguments) = arguments else { unreachable!() };
    let problems = checker.check(arguments).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].name, "xs");
    assert!(problems[0].found.contains("too large"), "{problems:?}");
}
