//! Every type both ways, and what is refused.

use super::*;

fn text(text: &str) -> Val {
    Val::String(text.to_owned())
}

/// Goes in as this value and comes out as the same JSON.
fn both(shape: &Shape, json: &Value, value: &Val) {
    assert_eq!(&from_json(shape, json).unwrap(), value, "{json}");
    assert_eq!(to_json(value.clone()).as_ref(), Some(json));
}

fn refusal(shape: &Shape, given: &Value) -> String {
    from_json(shape, given).unwrap_err().to_string()
}

#[test]
fn integers_go_both_ways_up_to_their_bounds_and_no_further() {
    use Whole::*;
    let cases: [(Whole, Value, Val, Value, Val); 8] = [
        (S8, json!(-128), Val::S8(-128), json!(127), Val::S8(127)),
        (U8, json!(0), Val::U8(0), json!(255), Val::U8(255)),
        (S16, json!(-32768), Val::S16(-32768), json!(32767), Val::S16(32767)),
        (U16, json!(0), Val::U16(0), json!(65535), Val::U16(65535)),
        (S32, json!(i32::MIN), Val::S32(i32::MIN), json!(i32::MAX), Val::S32(i32::MAX)),
        (U32, json!(0), Val::U32(0), json!(u32::MAX), Val::U32(u32::MAX)),
        (S64, json!(i64::MIN), Val::S64(i64::MIN), json!(i64::MAX), Val::S64(i64::MAX)),
        (U64, json!(0), Val::U64(0), json!(u64::MAX), Val::U64(u64::MAX)),
    ];
    for (kind, low, least, high, most) in cases {
        let shape = Shape::Whole(kind);
        both(&shape, &low, &least);
        both(&shape, &high, &most);
        let (minimum, maximum) = kind.bounds();
        for beyond in [json!(1.5), json!("1"), json!(null), json!(1e300)] {
            assert_eq!(refusal(&shape, &beyond), format!("``: expected an integer from {minimum} to {maximum}"));
        }
        if kind != U64 {
            assert!(from_json(&shape, &json!(maximum + 1)).is_err(), "{kind:?}");
        }
        if kind != S64 {
            assert!(from_json(&shape, &json!(minimum - 1)).is_err(), "{kind:?}");
        }
    }
    assert_eq!(from_json(&Shape::Whole(U8), &json!(7.0)), Ok(Val::U8(7)), "a whole number, as JSON Schema has it");
}

#[test]
fn numbers_keep_their_digits_and_what_json_has_none_for_is_named() {
    both(&Shape::Double, &json!(0.1), &Val::Float64(0.1));
    both(&Shape::Single, &json!(0.1), &Val::Float32(0.1));
    assert_eq!(from_json(&Shape::Double, &json!(2)), Ok(Val::Float64(2.0)));
    assert_eq!(refusal(&Shape::Single, &json!(1e39)), "``: expected a number that fits 32 bits");
    assert!(from_json(&Shape::Double, &json!("NaN")).is_err(), "no argument is one");
    assert_eq!(to_json(Val::Float64(f64::NAN)), Some(json!("NaN")));
    assert_eq!(to_json(Val::Float32(f32::NAN)), Some(json!("NaN")));
    assert_eq!(to_json(Val::Float64(f64::INFINITY)), Some(json!("Infinity")));
    assert_eq!(to_json(Val::Float32(f32::NEG_INFINITY)), Some(json!("-Infinity")));
    assert_eq!(to_json(Val::Float32(f32::MAX)), Some(json!(3.402_823_5e38)));
}

#[test]
fn texts_characters_and_truth_go_both_ways() {
    both(&Shape::Bool, &json!(true), &Val::Bool(true));
    both(&Shape::Text, &json!("né\n"), &text("né\n"));
    both(&Shape::Char, &json!("🦀"), &Val::Char('🦀'));
    for none in [json!(""), json!("ab"), json!(1)] {
        assert_eq!(refusal(&Shape::Char, &none), "``: expected a text of one character");
    }
    assert!(from_json(&Shape::Bool, &json!(1)).is_err() && from_json(&Shape::Text, &json!(1)).is_err());
}

#[test]
fn lists_and_tuples_are_arrays_and_a_wrong_item_is_named_by_its_place() {
    let bytes = Shape::List(Box::new(Shape::Whole(Whole::U8)));
    both(&bytes, &json!([1, 2]), &Val::List(vec![Val::U8(1), Val::U8(2)]));
    assert_eq!(refusal(&bytes, &json!([1, 256])), "`/1`: expected an integer from 0 to 255");
    let pair = Shape::Tuple(vec![Shape::Text, Shape::Bool]);
    both(&pair, &json!(["a", false]), &Val::Tuple(vec![text("a"), Val::Bool(false)]));
    for wrong in [json!(["a"]), json!(["a", true, true]), json!({})] {
        assert_eq!(refusal(&pair, &wrong), "``: expected an array of 2");
    }
    let fixed = Shape::Fixed(Box::new(Shape::Bool), 2);
    both(&fixed, &json!([true, false]), &Val::FixedLengthList(vec![Val::Bool(true), Val::Bool(false)]));
    assert!(from_json(&fixed, &json!([true])).is_err());
}

#[test]
fn a_record_has_its_members_and_no_others_and_an_option_may_be_left_out() {
    let maybe = Shape::Option(Box::new(Shape::Text));
    let shape = Shape::Record(vec![("a-b".to_owned(), Shape::Bool), ("note".to_owned(), maybe)]);
    let value = |note: Option<Box<Val>>| {
        Val::Record(vec![("a-b".to_owned(), Val::Bool(true)), ("note".to_owned(), Val::Option(note))])
    };
    both(&shape, &json!({"a-b": true, "note": "x"}), &value(Some(Box::new(text("x")))));
    both(&shape, &json!({"a-b": true, "note": null}), &value(None));
    assert_eq!(from_json(&shape, &json!({"a-b": true})), Ok(value(None)));
    assert_eq!(refusal(&shape, &json!({})), "`/a-b`: expected a value");
    assert_eq!(refusal(&shape, &json!({"a-b": true, "c": 1})), "`/c`: expected no such member");
    assert_eq!(refusal(&shape, &json!([])), "``: expected an object");
}

#[test]
fn variants_enums_and_flags_know_their_names() {
    let shape = Shape::Variant(vec![("no".to_owned(), None), ("some".to_owned(), Some(Shape::Text))]);
    both(&shape, &json!({"tag": "no"}), &Val::Variant("no".to_owned(), None));
    let some = Val::Variant("some".to_owned(), Some(Box::new(text("x"))));
    both(&shape, &json!({"tag": "some", "val": "x"}), &some);
    assert_eq!(refusal(&shape, &json!({"tag": "other"})), "`/tag`: expected the name of a case");
    assert_eq!(refusal(&shape, &json!({"tag": "some"})), "`/val`: expected a value");
    assert_eq!(refusal(&shape, &json!({"tag": "some", "val": 1})), "`/val`: expected a text");
    assert_eq!(refusal(&shape, &json!({"tag": "no", "val": 1})), "`/val`: expected nothing beside the tag `no`");
    assert_eq!(refusal(&shape, &json!({"tag": "no", "more": 1})), "`/more`: expected no such member");
    assert_eq!(refusal(&shape, &json!("no")), "``: expected an object with a `tag`");

    let names = vec!["x".to_owned(), "y-z".to_owned()];
    both(&Shape::Enum(names.clone()), &json!("y-z"), &Val::Enum("y-z".to_owned()));
    assert_eq!(refusal(&Shape::Enum(names.clone()), &json!("q")), "``: expected one of x, y-z");
    let flags = Shape::Flags(names);
    both(&flags, &json!(["y-z"]), &Val::Flags(vec!["y-z".to_owned()]));
    both(&flags, &json!([]), &Val::Flags(Vec::new()));
    assert_eq!(from_json(&flags, &json!(["x", "x"])), Ok(Val::Flags(vec!["x".to_owned()])));
    assert_eq!(refusal(&flags, &json!(["x", "q"])), "`/1`: expected one of x, y-z");
}

#[test]
fn options_and_results_keep_all_their_nothings_apart() {
    let deep = Shape::Option(Box::new(Shape::Option(Box::new(Shape::Bool))));
    let some = |value| Val::Option(Some(Box::new(value)));
    both(&deep, &json!(null), &Val::Option(None));
    both(&deep, &json!({"some": null}), &some(Val::Option(None)));
    both(&deep, &json!({"some": true}), &some(some(Val::Bool(true))));
    assert!(refusal(&deep, &json!(true)).contains("`some`"));
    assert_eq!(refusal(&deep, &json!({"some": 1})), "`/some`: expected true or false");

    let result = Shape::Result(None, Some(Box::new(Shape::Text)));
    both(&result, &json!({"tag": "ok"}), &Val::Result(Ok(None)));
    both(&result, &json!({"tag": "err", "val": "x"}), &Val::Result(Err(Some(Box::new(text("x"))))));
    assert_eq!(refusal(&result, &json!({"tag": "okay"})), "`/tag`: expected the name of a case");
    assert_eq!(refusal(&result, &json!({"tag": "ok", "val": 1})), "`/val`: expected nothing beside the tag `ok`");
}
