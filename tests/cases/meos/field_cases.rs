//! Field cases of kind B, and those of kind C that are about functions, where a running server shows them.

use crate::parts::{Parts, ready, run};
use abi_mcp_tests::Client;
use serde_json::{Value, json};

/// A server of everything, or a line and nothing.
fn serve() -> Option<Client> {
    Parts::find().map(|parts| ready(&parts.serve()))
}

/// The text of an answer that must be a success.
fn answer(client: &mut Client, function: &str, arguments: &Value) -> String {
    let reply = run(client, function, arguments);
    assert!(!reply.is_error, "{function} {arguments}: {}", reply.text);
    reply.text
}

/// The text of an answer that must be an error.
fn refusal(client: &mut Client, function: &str, arguments: &Value) -> String {
    let reply = run(client, function, arguments);
    assert!(reply.is_error, "{function} {arguments} succeeds: {}", reply.text);
    reply.text
}

#[test]
fn b01_garbage_is_an_error_with_message_and_code_and_the_server_lives() {
    let Some(mut client) = serve() else { return };
    let text = refusal(&mut client, "temporal_num_instants", &json!({"temp": "garbage"}));
    assert!(text.contains("MEOS_ERR_") && text.contains("garbage"), "{text}");
    let good = json!({"temp": "{t@2000-01-01, f@2000-01-03}"});
    assert_eq!(answer(&mut client, "temporal_num_instants", &good), "2");
}

#[test]
fn b02_a_geography_cut_short_costs_its_own_call_only() {
    let Some(mut client) = serve() else { return };
    for cut in ["POINT(1", "POINT(", "POLYGON((0 0,1 1", "", "01", "\u{0}"] {
        refusal(&mut client, "geog_distance", &json!({"g1": cut, "g2": "POINT(1 2)"}));
        let same = json!({"g1": "POINT(1 2)", "g2": "POINT(1 2)"});
        assert_eq!(answer(&mut client, "geog_distance", &same).parse::<f64>().unwrap(), 0.0);
    }
}

#[test]
fn b02_a_call_that_needs_more_than_there_is_costs_itself_only() {
    let Some(mut client) = serve() else { return };
    let tiles = json!({
        "bounds": "STBOX X((0,0),(1000000,1000000))", "xsize": 0.01, "ysize": 0.01, "zsize": 1,
        "sorigin": "Point(0 0)", "border_inc": true,
    });
    let samples = json!({
        "temp": "[1.5@2000-01-01, 2.5@2020-01-02]", "duration": "1 second", "origin": "2000-01-01",
        "interp": "DISCRETE",
    });
    for (function, arguments) in [
        ("stbox_space_tiles", tiles),
        ("temporal_tsample", samples),
        ("intspan_bins", json!({"s": "[1, 2000000000)", "vsize": 1, "vorigin": 0})),
    ] {
        refusal(&mut client, function, &arguments);
        let good = json!({"s": "{1.0, 2.5}", "n": 1});
        assert_eq!(answer(&mut client, "floatset_value_n", &good), "1.0", "after {function}");
    }
}

#[test]
fn b04_all_digits_of_a_64_bit_seed_reach_the_library_and_all_of_the_hash_come_back() {
    let Some(mut client) = serve() else { return };
    for (function, value) in [
        ("set_hash_extended", json!({"s": "{1, 2, 3}"})),
        ("span_hash_extended", json!({"s": "[1, 10)"})),
        ("spanset_hash_extended", json!({"ss": "{[1, 3), [5, 8)}"})),
    ] {
        let mut hash = |seed: Value| {
            let mut arguments = value.clone();
            arguments["seed"] = seed;
            answer(&mut client, function, &arguments).parse::<u64>().expect("an unsigned 64-bit number")
        };
        let hashes: Vec<u64> =
            [0, 1, 4_294_967_296, u64::MAX - 1, u64::MAX].into_iter().map(|seed| hash(seed.into())).collect();
        for (at, one) in hashes.iter().enumerate() {
            assert!(!hashes[at + 1..].contains(one), "{function}: two seeds give the same hash: {hashes:?}");
        }
        assert_eq!(hash(json!("18446744073709551615")), hashes[4], "{function}: a number too large for JavaScript");
        // By chance all five are below 2^53 once in 10^13 times.
        assert!(hashes.iter().any(|hash| *hash > 1 << 53), "{function}: cut to fewer bits: {hashes:?}");
    }
}

#[test]
fn b05_no_value_is_null_and_the_out_parameter_is_no_argument() {
    let Some(mut client) = serve() else { return };
    let at = |n: i32| json!({"s": "{1.0, 2.5, 3.0}", "n": n});
    assert_eq!(answer(&mut client, "floatset_value_n", &at(2)), "2.5");
    for n in [0, 4, 99, -1] {
        assert_eq!(answer(&mut client, "floatset_value_n", &at(n)), "null");
    }
    let described = client.call("describe_tool", json!({"tool": "floatset_value_n"})).first();
    assert_eq!(described["inputSchema"]["required"], json!(["s", "n"]), "{described}");
}

#[test]
fn b06_enums_go_by_name_and_nothing_else_reaches_the_library() {
    let Some(mut client) = serve() else { return };
    let with = |interp: Value| json!({"temp": "{1.5@2000-01-01}", "interp": interp});
    let step = answer(&mut client, "temporal_set_interp", &with("STEP".into()));
    assert_eq!(step, "Interp=Step;[1.5@2000-01-01 00:00:00+00]");
    for unknown in [json!(7), json!("CUBIC"), json!(-1), json!(null), json!(true)] {
        let text = refusal(&mut client, "temporal_set_interp", &with(unknown));
        assert!(text.contains("interp") && text.contains("STEP"), "{text}");
    }
}

#[test]
fn b07_the_machines_time_zone_changes_nothing() {
    let Some(parts) = Parts::find() else { return };
    let mut answers = Vec::new();
    for zone in ["America/New_York", "Asia/Tokyo", "nonsense"] {
        let mut client = ready(&parts.serve().variable("TZ", zone));
        let noon = answer(&mut client, "temporal_copy", &json!({"temp": "t@2000-01-01 12:00:00+00"}));
        let bare = answer(&mut client, "timestamptz_to_date", &json!({"t": "2000-01-01 00:30:00"}));
        answers.push((noon, bare));
    }
    let expected = ("t@2000-01-01 12:00:00+00".to_owned(), "2000-01-01".to_owned());
    assert_eq!(answers, [expected.clone(), expected.clone(), expected]);
}

#[test]
fn b08_null_is_refused_by_name_where_a_number_is_needed_and_taken_where_nothing_may_be_said() {
    let Some(mut client) = serve() else { return };
    let track = "[Point(0 0)@2000-01-01, Point(1 1)@2000-01-02]";
    for arguments in [json!({"temp": track, "srid": null}), json!({"temp": track})] {
        let text = refusal(&mut client, "tspatial_set_srid", &arguments);
        assert!(text.contains("srid"), "{text}");
    }
    let span = "[2000-01-01, 2000-01-02]";
    let moved = "[2000-01-02 00:00:00+00, 2000-01-03 00:00:00+00]";
    for arguments in [json!({"s": span, "shift": "1 day", "duration": null}), json!({"s": span, "shift": "1 day"})] {
        assert_eq!(answer(&mut client, "tstzspan_shift_scale", &arguments), moved);
    }
}

#[test]
fn b09_the_fraction_of_a_second_is_kept_on_the_way_in() {
    let Some(mut client) = serve() else { return };
    let temp = "[1@2024-05-07 14:47:07+00, 2@2024-05-07 14:47:07.4004+00, 3@2024-05-07 14:47:08+00]";
    for (at, value) in [("14:47:07.4004", "2"), ("14:47:07.400399", "1"), ("14:47:07.999999", "2"), ("14:47:08", "3")] {
        let arguments = json!({"temp": temp, "t": format!("2024-05-07 {at}+00"), "strict": true});
        assert_eq!(answer(&mut client, "tint_value_at_timestamptz", &arguments), value, "{at}");
    }
}

#[test]
fn b10_a_count_of_digits_that_is_none_is_refused_and_a_negative_one_crashes_nothing() {
    let Some(mut client) = serve() else { return };
    let rounded = |maxdd: Value| json!({"temp": "1.55@2000-01-01", "maxdd": maxdd});
    // MEOS 1.3 rounds to tens, as PostgreSQL does; later releases refuse. Both are answers.
    let tens = run(&mut client, "temporal_round", &rounded((-1).into()));
    assert!(tens.is_error || tens.text == "0@2000-01-01 00:00:00+00", "{}", tens.text);
    for none in [json!(2_147_483_648_i64), json!(1.5), json!("x"), json!(null)] {
        let text = refusal(&mut client, "temporal_round", &rounded(none));
        assert!(text.contains("maxdd"), "{text}");
    }
    assert_eq!(answer(&mut client, "temporal_round", &rounded(1.into())), "1.6@2000-01-01 00:00:00+00");
}

#[test]
fn b13_a_value_of_another_type_is_an_error_that_names_the_type_and_a_polymorphic_one_takes_it() {
    let Some(mut client) = serve() else { return };
    let float = "[1.5@2000-01-01, 2.5@2000-01-02]";
    let text = refusal(&mut client, "tbool_start_value", &json!({"temp": float}));
    assert!(text.contains("bool") && text.contains("temp") && text.contains("t@2000"), "{text}");
    assert_eq!(answer(&mut client, "temporal_num_instants", &json!({"temp": float})), "2");
    for value in ["t@2000-01-01", "1@2000-01-01", "\"a\"@2000-01-01", "Point(1 1)@2000-01-01"] {
        assert_eq!(answer(&mut client, "temporal_num_instants", &json!({"temp": value})), "1", "{value}");
    }
    let described = client.call("describe_tool", json!({"tool": "temporal_num_instants"})).first();
    let about = described["inputSchema"]["properties"]["temp"]["description"].as_str().unwrap_or_default();
    assert!(about.contains('@'), "the description shows the forms: {described}");
}

#[test]
fn c21_two_thousand_functions_cost_the_list_a_few_tools_and_a_line_says_where_the_rest_is() {
    let Some(parts) = Parts::find() else { return };
    let mut client = ready(&parts.serve());
    let answered = client.request("tools/list", json!({}))["result"].clone();
    let tools = answered["tools"].as_array().unwrap();
    assert!(tools.len() <= 40, "{} tools", tools.len());
    assert!(answered.to_string().len() < 8_000, "{} bytes", answered.to_string().len());
    assert!(tools.iter().any(|tool| tool["name"] == "find_tools"), "{answered}");
}

#[test]
fn c24_c25_what_a_listed_function_answers_is_an_object_that_fits_its_output_schema() {
    let Some(parts) = Parts::find() else { return };
    let mut client = ready(&parts.serve().variable("ABI_MCP_TOOLS", "100000"));
    let tools = client.tools();
    for (function, arguments, wanted) in [
        ("floatset_value_n", json!({"s": "{1.0, 2.5}", "n": 1}), json!(1.0)),
        ("floatset_value_n", json!({"s": "{1.0, 2.5}", "n": 99}), json!(null)),
        ("intset_values", json!({"s": "{3, 1}"}), json!([1, 3])),
        ("textset_values", json!({"s": "{\"ä\"}"}), json!(["ä"])),
        ("text_upper", json!({"txt": "abc"}), json!("ABC")),
        ("contains_span_int", json!({"s": "[1, 3)", "i": 2}), json!(true)),
        ("bigintset_values", json!({"s": "{9007199254740993}"}), json!(["9007199254740993"])),
    ] {
        let tool = tools.iter().find(|tool| tool["name"] == function).unwrap();
        let schema = &tool["outputSchema"];
        assert_eq!((&schema["type"], &schema["required"]), (&json!("object"), &json!(["result"])), "{tool}");
        let reply = client.call(function, arguments);
        assert_eq!(reply.raw["structuredContent"], json!({"result": wanted}), "{function}: {}", reply.raw);
    }
}
