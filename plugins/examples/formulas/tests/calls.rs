//! Calls as the host makes them: a sheet is mapped, and the engine runs what the mapper handed out.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test speaks by panicking")]

use abi_mcp_sdk::serde_json::{Value, json};
use abi_mcp_sdk::{CallFailure, CallSpec, Engine, Mapper, Method, Options, Stage};
use formulas::Formulas;

const BODY: &[u8] = include_bytes!("golden/body/manifest.json");

fn methods(sheet: &[u8]) -> Vec<Method> {
    let mapping = Formulas::map(sheet, &Options::default()).unwrap();
    assert!(mapping.skipped.is_empty(), "{:?}", mapping.skipped);
    mapping.methods
}

/// Calls the sheet's function of a name.
fn call(sheet: &[u8], name: &str, arguments: Value) -> Result<Value, CallFailure> {
    let method = methods(sheet).into_iter().find(|method| method.name == name).unwrap();
    let spec = method.call_spec.unwrap();
    assert_eq!(Formulas::unsupported(&spec), None);
    Formulas::execute(&spec, arguments).map(|result| result.unwrap())
}

/// Evaluates one formula over `x`.
fn formula(formula: &str, x: f64) -> Result<Value, CallFailure> {
    let sheet = json!({"formulas": "1", "functions": [{"name": "f", "takes": [{"name": "x"}], "formula": formula}]});
    call(sheet.to_string().as_bytes(), "f", json!({ "x": x }))
}

fn close(value: &Value, expected: f64) -> bool {
    (value.as_f64().unwrap() - expected).abs() < 1e-9 * expected.abs().max(1.0)
}

#[test]
fn functions_compute_with_constants_defaults_and_each_other() {
    let bmi = call(BODY, "body_mass_index", json!({"mass": 70, "height": 1.75})).unwrap();
    assert!(close(&bmi, 22.857_142_857_142_858), "{bmi}");
    assert!(close(&call(BODY, "weight", json!({"mass": 10})).unwrap(), 98.0665));
    assert!(close(&call(BODY, "weight", json!({"mass": 10, "times_g": 0.5})).unwrap(), 49.033_25));
    let slope = call(BODY, "slope_force", json!({"mass": 2, "angle": 0.5})).unwrap();
    assert!(close(&slope, 2.0 * 9.80665 * 0.5_f64.sin()), "{slope}");
    assert_eq!(call(BODY, "slope_force", json!({"mass": 2, "angle": 0.5, "friction": 1})).unwrap(), json!(0));
    assert!(close(&call(BODY, "golden_ratio", json!({})).unwrap(), 1.618_033_988_749_895));
}

#[test]
fn operators_bind_as_mathematicians_write() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("-2 ^ 2", -4.0),
        ("2 ^ -1", 0.5),
        ("2 * -3", -6.0),
        ("7 % 4 + .5", 3.5),
        ("1.5e3 + 1e-1 + 2E+1", 1520.1),
        ("1 + 1 = 2", 1.0),
        ("(1 < 2) * (3 != 3)", 0.0),
        ("if(x >= 4, 10, 20)", 10.0),
        ("if(x, 1 / x, 0)", 0.25),
        ("max(1, x, 3) - min(x, 2)", 2.0),
        ("round(2.5) + floor(-0.5) + ceil(0.2) + abs(-1)", 4.0),
        ("sqrt(x) + exp(0) + ln(1) + log10(1000)", 6.0),
        ("cos(pi) + sin(0) + atan(0)", -1.0),
    ] {
        let result = formula(text, 4.0).unwrap();
        assert!(close(&result, expected), "{text}: {result}");
    }
}

#[test]
fn whole_results_are_written_whole_and_huge_ones_short() {
    assert_eq!(formula("x * 2", 21.0).unwrap().to_string(), "42");
    assert_eq!(formula("0 * -x", 1.0).unwrap().to_string(), "0");
    assert_eq!(formula("x ^ 300", 10.0).unwrap().to_string(), "1e+300");
}

#[test]
fn only_the_side_that_is_chosen_is_computed() {
    assert_eq!(formula("if(x = 0, 0, 1 / x)", 0.0).unwrap(), json!(0));
    assert_eq!(formula("if(x = 0, 1 / x, 5)", 1.0).unwrap(), json!(5));
}

#[test]
fn what_cannot_be_computed_says_where_and_has_a_code() {
    for (text, x, code, message) in [
        ("1 + 2 / x", 0.0, "DIVISION_BY_ZERO", "division by zero, in `f` at character 7 of `1 + 2 / x`"),
        ("5 % x", 0.0, "DIVISION_BY_ZERO", "division by zero"),
        ("x ^ -1", 0.0, "DIVISION_BY_ZERO", "division by zero"),
        ("sqrt(x)", -1.0, "OUTSIDE_DOMAIN", "`sqrt` has no value there, in `f` at character 1 of `sqrt(x)`"),
        ("ln(x)", 0.0, "OUTSIDE_DOMAIN", "`ln` has no value there"),
        ("x ^ 0.5", -1.0, "OUTSIDE_DOMAIN", "`^` has no value there"),
        ("acos(x)", 2.0, "OUTSIDE_DOMAIN", "`acos` has no value there"),
        ("exp(x)", 1_000.0, "TOO_LARGE", "the result of `exp` is too large"),
        ("x * 10", 1e308, "TOO_LARGE", "the result of `*` is too large"),
    ] {
        let failure = formula(text, x).unwrap_err();
        assert_eq!((failure.stage, failure.code.as_deref()), (Stage::Execution, Some(code)), "{text}");
        assert!(failure.message.starts_with(message), "{text}: {}", failure.message);
    }
}

#[test]
fn arguments_are_held_to_their_bounds_whoever_gives_them() {
    let refused = |arguments| {
        let failure = call(BODY, "body_mass_index", arguments).unwrap_err();
        assert_eq!((failure.stage, failure.code.as_deref()), (Stage::Arguments, Some("ARGUMENT")));
        (failure.argument.unwrap(), failure.message)
    };
    let pair = |argument: &str, message: &str| (argument.to_owned(), message.to_owned());
    assert_eq!(refused(json!({"height": 2})), pair("mass", "is missing"));
    assert_eq!(refused(json!({"mass": "70"})), pair("mass", "expected a number, found a string"));
    assert_eq!(refused(json!({"mass": 70, "height": 0})), pair("height", "expected a number above 0, found 0"));
    let text = format!(r#"{{"mass": 1{}, "height": 1}}"#, "0".repeat(400));
    let huge = abi_mcp_sdk::serde_json::from_str(&text).unwrap();
    assert_eq!(refused(huge), pair("mass", "the number is beyond 64-bit floating point"));
    assert_eq!(refused(json!([])), pair("mass", "is missing"));

    let inner = call(BODY, "slope_force", json!({"mass": -1, "angle": 1})).unwrap_err();
    assert_eq!((inner.stage, inner.code.as_deref()), (Stage::Execution, Some("OUT_OF_BOUNDS")));
    assert!(inner.message.starts_with("`mass` of `weight`: expected a number at least 0, found -1, in `slope_force`"));
}

#[test]
fn a_call_spec_carries_what_its_function_needs_and_nothing_else() {
    let bytes = |name: &str| {
        let method = methods(BODY).into_iter().find(|method| method.name == name).unwrap();
        String::from_utf8(method.call_spec.unwrap().bytes).unwrap()
    };
    assert!(!bytes("body_mass_index").contains("9.80665") && !bytes("body_mass_index").contains("weight"));
    let slope = bytes("slope_force");
    assert!(slope.contains("9.80665") && slope.find("\"weight\"") < slope.find("\"slope_force\""), "{slope}");
}

#[test]
fn a_call_spec_of_a_stranger_is_refused_with_what_is_wrong_in_it() {
    for (bytes, reason) in [
        ("", "not valid JSON"),
        ("{}", "`formulas` is \"1\""),
        (r#"{"formulas":"1"}"#, "functions: is missing"),
        (r#"{"formulas":"1","functions":[]}"#, "there is no function in it"),
        (r#"{"formulas":"1","functions":[{"name":"f","formula":"g()"}]}"#, "`f`: formula: character 1: there is no"),
        (r#"{"formulas":"1","functions":[{"name":"f","formula":"f()"}]}"#, "`f`: calls go in a circle: f -> f"),
    ] {
        let spec = CallSpec { format: "formula/1".to_owned(), bytes: bytes.into() };
        let unsupported = Formulas::unsupported(&spec).unwrap();
        assert!(unsupported.contains(reason), "{unsupported}");
        assert_eq!(Formulas::execute(&spec, json!({})).unwrap_err().message, unsupported);
    }
}
