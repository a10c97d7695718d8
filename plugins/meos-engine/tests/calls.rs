//! Whole calls against a library of a dozen functions that takes and gives values in every way MEOS does.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps,
    missing_docs,
    reason = "tests"
)]

mod library;

use abi_mcp_meos_call::Call;
use abi_mcp_meos_engine::{Failure, Stage, run, unsupported};
use library::{Library, refuse};
use serde_json::{Value, json};

/// `num` is a pointer to an int, read by `int_in` or, from text with a point, by `float_in` to a pointer to a double.
fn library() -> Library {
    Library::new(&[
        ("int_in", "*oz", |memory, a| match memory.string(a[0]).parse::<i32>() {
            Ok(number) => Ok(memory.put(&number.to_le_bytes())),
            Err(_) => refuse(22, "invalid input syntax for type integer\n: nonsense"),
        }),
        ("float_in", "*oz", |memory, a| match memory.string(a[0]).parse::<f64>() {
            Ok(number) => Ok(memory.put(&(number as i32 * 1000).to_le_bytes())),
            Err(_) => refuse(22, "no float"),
        }),
        ("hex_in", "*oz", |memory, _| Ok(memory.put(&77i32.to_le_bytes()))),
        ("json_in", "*ozi", |memory, a| Ok(memory.put(&i32::try_from(a[1]).unwrap().to_le_bytes()))),
        ("day_in", "iz", |memory, a| Ok(memory.string(a[0]).len() as u64)),
        ("num_out", "z*o", |memory, a| Ok(memory.put_text(&format!("<{}>", memory.int(a[0]))))),
        ("pair_in", "*{Pair}z", |memory, a| {
            let number = memory.string(a[0]).parse::<i32>().unwrap();
            Ok(memory.put(&[number.to_le_bytes(), (number + 1).to_le_bytes()].concat()))
        }),
        ("pair_out", "z*{Pair}", |memory, a| {
            Ok(memory.put_text(&format!("{}-{}", memory.int(a[0]), memory.int(a[0] + 4))))
        }),
        ("add", "i*o*o", |memory, a| Ok((i64::from(memory.int(a[0])) + i64::from(memory.int(a[1]))) as u64)),
        ("less", "b*oi", |memory, a| Ok(0xabcd_ef00 | u64::from(memory.int(a[0]) < a[1] as i32))),
        ("half", "ddd", |_, a| Ok((f64::from_bits(a[0]) / f64::from_bits(a[1])).to_bits())),
        ("same", "*o*o", |_, a| Ok(a[0])),
        ("echo", "zz", |_, a| Ok(a[0])),
        ("value_n", "b*oi*d", |memory, a| {
            memory.store(a[2], &2.5f64.to_le_bytes());
            Ok(u64::from(a[1] == 1))
        }),
        ("value_out", "b*o**o", |memory, a| {
            let inner = u32::try_from(a[0]).unwrap();
            memory.store(a[1], &inner.to_le_bytes());
            Ok(1)
        }),
        ("pair_of", "bi*{Pair}", |memory, a| {
            memory.store(a[1], &[(a[0] as i32).to_le_bytes(), 9i32.to_le_bytes()].concat());
            Ok(1)
        }),
        ("counted", "*i*o*i", |memory, a| {
            memory.store(a[1], &3i32.to_le_bytes());
            Ok(memory.put(&[(-1i32).to_le_bytes(), 2i32.to_le_bytes(), 3i32.to_le_bytes()].concat()))
        }),
        ("none_counted", "*i*o*i", |_, _| Ok(0)),
        ("sum_pairs", "i*{Pair}i", |memory, a| {
            Ok((0..a[1]).map(|number| memory.int(a[0] + 8 * number)).sum::<i32>() as u64)
        }),
        ("sum_pointers", "i**oi", |memory, a| {
            let at = |number: u64| u64::from(memory.int(a[0] + 4 * number).cast_unsigned());
            Ok((0..a[1]).map(|number| memory.int(at(number))).sum::<i32>() as u64)
        }),
        ("two_pairs", "*{Pair}i", |memory, a| {
            let numbers = [a[0] as i32, 1, a[0] as i32 + 1, 2];
            Ok(memory.put(&numbers.map(i32::to_le_bytes).concat()))
        }),
        ("two", "ii", |_, _| Ok(2)),
        ("same_list", "**o**o", |_, a| Ok(a[0])),
        ("refuses_out", "z*o", |_, _| refuse(22, "not mine")),
        ("nothing", "v", |_, _| Ok(99)),
        ("leaves", "v", |_, _| Err(abi_mcp_meos_engine::Refusal { code: None, text: String::new() })),
        ("tnpoint_in", "*oz", |_, _| Ok(0)),
        ("geo_transform", "*o*oi", |_, a| Ok(a[0])),
    ])
}

fn call(spec: &Value) -> Call {
    serde_json::from_value(spec.clone()).unwrap()
}

fn spec(function: &str, arguments: Value, value: Value) -> Value {
    json!({"function": function, "arguments": arguments, "result": {"from": "return", "value": value}})
}

fn done(spec: &Value, given: Value) -> Value {
    run(&mut library(), &call(spec), &given.to_string()).unwrap().unwrap()
}

fn failed(spec: &Value, given: Value) -> Failure {
    run(&mut library(), &call(spec), &given.to_string()).unwrap_err()
}

fn number(name: &str) -> Value {
    json!({"given": {"name": name, "value": {"decoded": {"type": "num", "text": [{"function": "int_in"}]}}}})
}

fn scalar(name: &str, scalar: &str) -> Value {
    json!({"given": {"name": name, "value": {"scalar": scalar}}})
}

#[test]
fn serialized_arguments_are_read_and_a_scalar_comes_back() {
    let add = spec("add", json!([number("a"), number("b")]), json!({"scalar": "int32"}));
    assert_eq!(done(&add, json!({"a": "2", "b": "-5"})), json!(-3));
}

#[test]
fn only_the_low_byte_of_a_bool_counts() {
    let less = spec("less", json!([number("a"), scalar("b", "int32")]), json!({"scalar": "bool"}));
    assert_eq!(done(&less, json!({"a": "2", "b": 1})), json!(false));
    assert_eq!(done(&less, json!({"a": "1", "b": 2})), json!(true));
}

#[test]
fn the_first_codec_that_reads_the_text_wins() {
    let codecs = json!({"decoded": {"type": "num", "text": [{"function": "int_in"}, {"function": "float_in"}]}});
    let same =
        spec("same", json!([{"given": {"name": "a", "value": codecs}}]), json!({"encoded": {"function": "num_out"}}));
    assert_eq!(done(&same, json!({"a": "7"})), json!("<7>"));
    assert_eq!(done(&same, json!({"a": "1.5"})), json!("<1000>"));
}

#[test]
fn a_group_is_read_by_the_codecs_at_one_position() {
    let codecs =
        json!({"decoded": {"type": "num", "group": 0, "text": [{"function": "int_in"}, {"function": "float_in"}]}});
    let given = |name: &str| json!({"given": {"name": name, "value": codecs}});
    let add = spec("add", json!([given("a"), given("b")]), json!({"scalar": "int32"}));
    assert_eq!(done(&add, json!({"a": "1", "b": "2"})), json!(3));
    assert_eq!(done(&add, json!({"a": "1", "b": "2.5"})), json!(3000), "both as floats");
    let failure = failed(&add, json!({"a": "1", "b": "x"}));
    assert_eq!((failure.stage, failure.argument.as_deref()), (Stage::Arguments, Some("b")));
}

#[test]
fn the_form_of_a_value_chooses_its_codecs() {
    let codecs = json!({"decoded": {
        "type": "num", "text": [{"function": "int_in"}], "hexwkb": [{"function": "hex_in"}],
        "mfjson": [{"function": "json_in", "then": [{"fixed": 41}]}]
    }});
    let same =
        spec("same", json!([{"given": {"name": "a", "value": codecs}}]), json!({"encoded": {"function": "num_out"}}));
    assert_eq!(done(&same, json!({"a": "010100000000AB"})), json!("<77>"));
    assert_eq!(done(&same, json!({"a": "{\"type\": \"MovingPoint\"}"})), json!("<41>"));
    assert_eq!(
        done(&same, json!({"a": {"type": "MovingPoint"}})),
        json!("<41>"),
        "JSON that was not put into a string"
    );
}

#[test]
fn a_text_the_library_refuses_is_the_arguments_failure_in_one_line() {
    let add = spec("add", json!([number("a"), number("b")]), json!({"scalar": "int32"}));
    let failure = failed(&add, json!({"a": "2", "b": "nonsense"}));
    let expected = Failure {
        stage: Stage::Arguments,
        argument: Some("b".to_owned()),
        code: Some("MEOS_ERR_TEXT_INPUT".to_owned()),
        message: "invalid input syntax for type integer : nonsense".to_owned(),
    };
    assert_eq!(failure, expected);
}

#[test]
fn what_is_missing_null_unknown_or_of_the_wrong_kind_is_named() {
    let add = spec("add", json!([number("a"), number("b")]), json!({"scalar": "int32"}));
    for (given, name, words) in [
        (json!({"a": "1"}), "b", "it is missing"),
        (json!({"a": null, "b": "1"}), "a", "it may not be null"),
        (json!({"a": "1", "b": "1", "c": 1}), "c", "there is no argument of this name"),
        (json!({"a": "1", "b": 5}), "b", "expected a num as a string, found 5"),
        (json!({"a": "1", "b": "1\u{0}"}), "b", "a string may not contain the character NUL"),
    ] {
        let failure = failed(&add, given);
        assert_eq!((failure.stage, failure.argument.as_deref()), (Stage::Arguments, Some(name)), "{words}");
        assert_eq!(failure.message, words);
    }
}

#[test]
fn an_optional_argument_may_be_absent() {
    let same = json!({"given": {"name": "a", "optional": true, "value": {"decoded": {"type": "num", "text": [{"function": "int_in"}]}}}});
    let same = spec("same", json!([same]), json!({"encoded": {"function": "num_out"}}));
    assert_eq!(done(&same, json!({})), Value::Null);
    assert_eq!(done(&same, json!({"a": null})), Value::Null);
    assert_eq!(done(&same, json!({"a": "4"})), json!("<4>"));
}

#[test]
fn numbers_out_of_a_types_range_name_the_argument_and_the_range() {
    let less = spec("less", json!([number("a"), scalar("b", "int32")]), json!({"scalar": "bool"}));
    let failure = failed(&less, json!({"a": "1", "b": 3_000_000_000_u64}));
    assert_eq!(failure.argument.as_deref(), Some("b"));
    assert!(failure.message.contains("outside int32"), "{}", failure.message);
}

#[test]
fn doubles_json_cannot_write_come_back_by_name() {
    let half = spec("half", json!([scalar("a", "double"), scalar("b", "double")]), json!({"scalar": "double"}));
    assert_eq!(done(&half, json!({"a": 1, "b": 0})), json!("Infinity"));
    assert_eq!(done(&half, json!({"a": 0, "b": 0})), json!("NaN"));
    assert_eq!(done(&half, json!({"a": 5, "b": 2.0})), json!(2.5));
}

#[test]
fn a_constant_fits_the_parameter_it_stands_in_for() {
    let half = spec("half", json!([scalar("a", "double"), {"fixed": 4}]), json!({"scalar": "double"}));
    assert_eq!(done(&half, json!({"a": 2})), json!(0.5));
    let half = spec("half", json!([scalar("a", "double"), {"fixed": 0.5}]), json!({"scalar": "double"}));
    assert_eq!(done(&half, json!({"a": 2})), json!(4.0));
}

#[test]
fn a_result_that_was_not_written_is_null() {
    let value_n = json!({
        "function": "value_n", "arguments": [number("a"), scalar("n", "int32"), "output"],
        "result": {"from": "output", "value": {"scalar": "double"}, "presence": true}
    });
    assert_eq!(done(&value_n, json!({"a": "1", "n": 1})), json!(2.5));
    assert_eq!(done(&value_n, json!({"a": "1", "n": 2})), Value::Null);
}

#[test]
fn an_output_is_a_pointer_or_the_structure_itself_as_the_parameter_says() {
    let pointer = json!({
        "function": "value_out", "arguments": [number("a"), "output"],
        "result": {"from": "output", "value": {"encoded": {"function": "num_out"}}, "presence": true}
    });
    assert_eq!(done(&pointer, json!({"a": "6"})), json!("<6>"));
    let structure = json!({
        "function": "pair_of", "arguments": [scalar("n", "int32"), "output"],
        "result": {"from": "output", "value": {"encoded": {"function": "pair_out"}}}
    });
    assert_eq!(done(&structure, json!({"n": 3})), json!("3-9"));
}

#[test]
fn arrays_come_back_with_the_count_that_was_written() {
    let value = json!({"array": {"element": {"scalar": "int32"}, "count": "written"}});
    let counted = spec("counted", json!([number("a"), "output-count"]), value.clone());
    assert_eq!(done(&counted, json!({"a": "1"})), json!([-1, 2, 3]));
    let none = spec("none_counted", json!([number("a"), "output-count"]), value);
    assert_eq!(done(&none, json!({"a": "1"})), json!([]));
}

#[test]
fn an_array_of_structures_is_written_element_by_element() {
    let value = json!({"array": {"element": {"encoded": {"function": "pair_out"}}, "count": {"function": ["two", 0]}}});
    let pairs = spec("two_pairs", json!([scalar("n", "int32")]), value);
    assert_eq!(done(&pairs, json!({"n": 5})), json!(["5-1", "6-2"]));
}

#[test]
fn arrays_go_in_as_pointers_or_as_structures_in_a_row() {
    let list = |codec: &str| json!({"given": {"name": "list", "value": {"array": {"decoded": {"type": "t", "text": [{"function": codec}]}}}}});
    let pointers = spec("sum_pointers", json!([list("int_in"), {"count": "list"}]), json!({"scalar": "int32"}));
    assert_eq!(done(&pointers, json!({"list": ["1", "20", "300"]})), json!(321));
    let pairs = spec("sum_pairs", json!([list("pair_in"), {"count": "list"}]), json!({"scalar": "int32"}));
    assert_eq!(done(&pairs, json!({"list": ["1", "2"]})), json!(3));
    assert_eq!(done(&pairs, json!({"list": []})), json!(0));
    let failure = failed(&pointers, json!({"list": ["1", "x"]}));
    assert_eq!(failure.argument.as_deref(), Some("list"));
    assert!(failure.message.starts_with("element 1: "), "{}", failure.message);
}

#[test]
fn blocks_of_structures_go_in_and_come_out() {
    let list = json!({"given": {"name": "list", "value": {"structs": {"of": "Pair", "element": {"type": "pair", "text": [{"function": "pair_in"}]}}}}});
    let sum = spec("sum_pairs", json!([list, {"count": "list"}]), json!({"scalar": "int32"}));
    assert_eq!(done(&sum, json!({"list": ["5", "6"]})), json!(11));
    assert_eq!(failed(&sum, json!({"list": ["5", null]})).message, "element 1: it may not be null");
    let value =
        json!({"structs": {"of": "Pair", "codec": {"function": "pair_out"}, "count": {"function": ["two", 0]}}});
    let pairs = spec("two_pairs", json!([scalar("n", "int32")]), value.clone());
    assert_eq!(done(&pairs, json!({"n": 5})), json!(["5-1", "6-2"]));
    let other =
        json!({"structs": {"of": "Span", "codec": {"function": "pair_out"}, "count": {"function": ["two", 0]}}});
    assert!(unsupported(&library(), &call(&spec("two_pairs", json!([scalar("n", "int32")]), other))).is_some());
}

#[test]
fn a_result_as_long_as_an_argument_is_counted_by_it() {
    let list = json!({"given": {"name": "list", "value": {"array": {"decoded": {"type": "num", "text": [{"function": "int_in"}]}}}}});
    let value = json!({"array": {"element": {"encoded": {"function": "num_out"}}, "count": {"given": "list"}}});
    let same = spec("same_list", json!([list]), value);
    assert_eq!(done(&same, json!({"list": ["1", "2", "3"]})), json!(["<1>", "<2>", "<3>"]));
}

#[test]
fn a_named_type_is_read_by_its_own_codec() {
    let codecs = json!({"decoded": {"type": "num", "group": 1, "text": [
        {"function": "int_in", "literal": "tint"}, {"function": "float_in", "literal": "tfloat"}
    ]}});
    let given = |name: &str| json!({"given": {"name": name, "value": codecs}});
    let add = spec("add", json!([given("a"), given("b")]), json!({"scalar": "int32"}));
    assert_eq!(done(&add, json!({"a": "1", "b": "TFLOAT '2'"})), json!(3000), "the group follows the named type");
    let failure = failed(&add, json!({"a": "tint '1'", "b": "tfloat '2'"}));
    assert_eq!(failure.message, "the arguments are of different types");
}

#[test]
fn a_form_without_codecs_says_which_forms_there_are() {
    let codecs = json!({"decoded": {"type": "num", "text": [], "hexwkb": [{"function": "hex_in"}]}});
    let same =
        spec("same", json!([{"given": {"name": "a", "value": codecs}}]), json!({"encoded": {"function": "num_out"}}));
    assert_eq!(failed(&same, json!({"a": "x"})).message, "a num is not read from this form, only from HexWKB");
}

#[test]
fn the_first_codec_that_takes_a_result_writes_it() {
    let value =
        json!({"first-encoded": [{"function": "refuses_out"}, {"function": "new_out"}, {"function": "num_out"}]});
    let same = spec("same", json!([number("a")]), value);
    assert_eq!(done(&same, json!({"a": "8"})), json!("<8>"));
    let none = spec("same", json!([number("a")]), json!({"first-encoded": [{"function": "new_out"}]}));
    assert_eq!(unsupported(&library(), &call(&none)).as_deref(), Some("new_out is not in MEOS 1.3.0"));
}

#[test]
fn enumerations_are_read_and_written_by_name() {
    let members = json!([["step", 2], ["linear", 3]]);
    let day = spec("two", json!([{"given": {"name": "i", "value": {"enum": members}}}]), json!({"enum": members}));
    assert_eq!(done(&day, json!({"i": "LINEAR"})), json!("step"));
    let failure = failed(&day, json!({"i": "cubic"}));
    assert_eq!(failure.message, "expected one of step, linear, found \"cubic\"");
}

#[test]
fn a_function_without_result_gives_none() {
    let nothing = json!({"function": "nothing", "arguments": [], "result": {"from": "return", "value": "nothing"}});
    assert_eq!(run(&mut library(), &call(&nothing), "{}"), Ok(None));
}

#[test]
fn a_function_that_ends_the_process_is_an_ordinary_failure() {
    let leaves = json!({"function": "leaves", "arguments": [], "result": {"from": "return", "value": "nothing"}});
    let failure = failed(&leaves, json!({}));
    assert_eq!((failure.stage, failure.code), (Stage::Execution, None));
    assert_eq!(failure.message, "`leaves` failed without a message");
}

#[test]
fn what_the_library_cannot_run_is_refused_with_the_reason() {
    let int = json!({"scalar": "int32"});
    for (spec, expected) in [
        (spec("gone", json!([]), int.clone()), "gone is not in MEOS 1.3.0"),
        (spec("add", json!([number("a")]), int.clone()), "`add` takes 2 parameters in MEOS 1.3.0, not 1"),
        (
            spec("less", json!([number("a"), scalar("b", "int64")]), json!({"scalar": "bool"})),
            "parameter 1 of `less` has another C type in MEOS 1.3.0",
        ),
        (
            spec("add", json!([number("a"), scalar("b", "double")]), int.clone()),
            "parameter 1 of `add` has another C type in MEOS 1.3.0",
        ),
        (
            spec("echo", json!([scalar("a", "cstring")]), json!({"scalar": "double"})),
            "the result of `echo` has another C type in MEOS 1.3.0",
        ),
        (
            spec("geo_transform", json!([number("a"), scalar("b", "int32")]), int),
            "geo_transform needs PROJ, which is not part of this engine",
        ),
    ] {
        assert_eq!(unsupported(&library(), &call(&spec)).as_deref(), Some(expected));
    }
}

#[test]
fn a_value_that_only_a_road_network_could_read_is_refused_before_the_call() {
    let given = json!({"given": {"name": "a", "value": {"decoded": {"type": "tnpoint", "text": [{"function": "tnpoint_in"}]}}}});
    let same = spec("same", json!([given]), json!({"encoded": {"function": "num_out"}}));
    let expected = "tnpoint_in needs a `ways` table of routes, which is not part of this engine";
    assert_eq!(unsupported(&library(), &call(&same)).as_deref(), Some(expected));
}

#[test]
fn codecs_of_another_release_are_passed_over_while_one_is_there() {
    let decoder = |names: &[&str]| {
        let codecs: Vec<Value> = names.iter().map(|name| json!({"function": name})).collect();
        spec(
            "same",
            json!([{"given": {"name": "a", "value": {"decoded": {"type": "num", "text": codecs}}}}]),
            json!({"encoded": {"function": "num_out"}}),
        )
    };
    assert_eq!(unsupported(&library(), &call(&decoder(&["new_in", "int_in"]))), None);
    assert_eq!(done(&decoder(&["new_in", "int_in"]), json!({"a": "3"})), json!("<3>"));
    assert_eq!(unsupported(&library(), &call(&decoder(&["new_in"]))).as_deref(), Some("new_in is not in MEOS 1.3.0"));
}

#[test]
fn a_codec_that_gives_a_scalar_reads_scalars_only() {
    let days =
        json!({"given": {"name": "a", "value": {"decoded": {"type": "date", "text": [{"function": "day_in"}]}}}});
    assert_eq!(done(&spec("two", json!([days]), json!({"scalar": "int32"})), json!({"a": "2000-01-01"})), json!(2));
    let wrong = spec("same", json!([days]), json!({"encoded": {"function": "num_out"}}));
    assert!(unsupported(&library(), &call(&wrong)).is_some());
}

#[test]
fn arguments_that_are_no_object_are_refused() {
    let nothing = json!({"function": "nothing", "arguments": [], "result": {"from": "return", "value": "nothing"}});
    for given in ["[]", "{", "null"] {
        let failure = run(&mut library(), &call(&nothing), given).unwrap_err();
        assert_eq!(failure.stage, Stage::Arguments, "{given}");
    }
}
