//! Sheets nobody in good faith would write end with a reason: never a panic, an overflow or a call that runs on.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test speaks by panicking")]

use abi_mcp_sdk::serde_json::{Value, json};
use abi_mcp_sdk::{CallSpec, Engine, Fault, Mapper, Mapping, Options};
use formulas::Formulas;

/// What a component has; a test's own thread has twice as much and larger frames.
const STACK: usize = 1 << 20;

fn map(sheet: &Value) -> Mapping {
    Formulas::map(sheet.to_string().as_bytes(), &Options::default()).unwrap()
}

/// The one reason why the one function of this formula is left out.
fn reason(formula: &str) -> String {
    let mapping = map(&json!({"formulas": "1", "functions": [{"name": "f", "formula": formula}]}));
    assert!(mapping.methods.is_empty(), "{formula:.40}");
    mapping.skipped.into_iter().map(|skipped| skipped.reason).collect()
}

#[test]
fn nesting_ends_at_its_bound_within_a_components_stack() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(500), close.repeat(500));
    let formulas =
        [deep("(", ")"), deep("-", ""), deep("2^", ""), deep("abs(", ")"), deep("if(1,", ",0)"), deep("1<(", ")")];
    let checked = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        for formula in formulas {
            assert!(reason(&formula).contains("nested deeper than 64 levels"), "{formula:.20}");
        }
        let sheet = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(matches!(Formulas::map(sheet.as_bytes(), &Options::default()), Err(Fault::NotRecognised(_))));
    });
    checked.unwrap().join().unwrap();
}

#[test]
fn long_chains_are_no_nesting() {
    let chain = vec!["1"; 2_000].join("+");
    let mapping = map(&json!({"formulas": "1", "functions": [{"name": "f", "formula": chain}]}));
    let spec = mapping.methods[0].call_spec.clone().unwrap();
    assert_eq!(Formulas::execute(&spec, json!({})).unwrap(), Some(json!(2_000)));
}

#[test]
fn what_is_too_large_names_its_bound() {
    let function = |index: usize| json!({"name": format!("f{index}"), "formula": "1"});
    let many = json!({"formulas": "1", "functions": (0..1_001).map(function).collect::<Vec<_>>()}).to_string();
    let padded = format!(r#"{{"formulas": "1", "functions": [], "x": "{}"}}"#, "x".repeat(1 << 20));
    for sheet in [many, padded] {
        assert!(Formulas::recognise(sheet.as_bytes()).is_some());
        let fault = Formulas::map(sheet.as_bytes(), &Options::default()).unwrap_err();
        assert!(matches!(fault, Fault::TooLarge(_)), "{fault:?}");
    }
    assert!(reason(&"1+".repeat(3_000)).contains("4096 at most"));
    let takes: Vec<Value> = (0..33).map(|index| json!({"name": format!("p{index}")})).collect();
    let mapping = map(&json!({"formulas": "1", "functions": [{"name": "f", "takes": takes, "formula": "1"}]}));
    assert!(mapping.skipped[0].reason.contains("at most 32 parameters"));
}

#[test]
fn circles_of_any_length_are_left_out_and_what_stands_beside_them_stays() {
    let next = |index: usize| json!({"name": format!("f{index}"), "formula": format!("f{}()", (index + 1) % 998)});
    let mut functions: Vec<Value> = (0..998).map(next).collect();
    functions.push(json!({"name": "into", "formula": "f500()"}));
    functions.push(json!({"name": "good", "formula": "1"}));
    let mapping = map(&json!({"formulas": "1", "functions": functions}));
    assert_eq!(mapping.methods.len(), 1);
    assert_eq!(mapping.skipped.len(), 999);
    assert_eq!(
        mapping.skipped[0].reason,
        "calls go in a circle: f0 -> f1 -> f2 -> f3 -> … -> f995 -> f996 -> f997 -> f0"
    );
}

#[test]
fn functions_that_reach_too_many_others_are_left_out() {
    let next = |index: usize| json!({"name": format!("f{index}"), "formula": format!("f{}()", index + 1)});
    let mut functions: Vec<Value> = (0..40).map(next).collect();
    functions.push(json!({"name": "f40", "formula": "1"}));
    let mapping = map(&json!({"formulas": "1", "functions": functions}));
    assert_eq!(mapping.methods.len(), 33);
    assert!(mapping.skipped.iter().any(|skipped| skipped.reason == "needs more than 32 other functions"));
    assert!(mapping.skipped.iter().any(|skipped| skipped.reason == "calls `f7`, which is left out"));
}

/// Chains of functions that each reach 32 others, with as much text as fits.
fn at_all_bounds() -> Value {
    let constants: Vec<Value> = (0..1_000).map(|index| json!({"name": format!("c{index}"), "value": index})).collect();
    let formula = |index: usize| match index % 33 {
        32 => vec!["c7"; 250].join("+"),
        _ => format!("f{}() + {}", index + 1, vec!["c7"; 220].join("+")),
    };
    let function = |index: usize| json!({"name": format!("f{index}"), "formula": formula(index)});
    json!({"formulas": "1", "constants": constants, "functions": (0..990).map(function).collect::<Vec<_>>()})
}

#[test]
fn a_sheet_at_all_its_bounds_is_mapped_whole() {
    let mapping = map(&at_all_bounds());
    assert_eq!((mapping.methods.len(), mapping.skipped.len()), (990, 0));
    let bytes: usize = mapping.methods.iter().map(|method| method.call_spec.as_ref().unwrap().bytes.len()).sum();
    assert!(bytes < 32 << 20, "within what a plugin may hand over: {bytes}");
}

#[test]
fn functions_that_double_the_work_at_each_turn_are_stopped() {
    let twice = |index: usize| json!({"name": format!("f{index}"), "formula": format!("f{0}() + f{0}()", index + 1)});
    let mut functions: Vec<Value> = (0..30).map(twice).collect();
    functions.push(json!({"name": "f30", "formula": "1"}));
    let mapping = map(&json!({"formulas": "1", "functions": functions}));
    let spec = mapping.methods[0].call_spec.clone().unwrap();
    let failure = Formulas::execute(&spec, json!({})).unwrap_err();
    assert_eq!(failure.code.as_deref(), Some("TOO_MANY_STEPS"));
}

/// The numbers of a small generator: the same in every run.
fn numbers(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).unwrap()
    }
}

/// Maps a formula `f` of `x` beside a function `g`, and runs it if it was not left out: whether it compiled, and ran.
fn tried(formula: &str, x: f64) -> (bool, bool) {
    let mapping = map(&json!({"formulas": "1", "functions": [
        {"name": "g", "takes": [{"name": "x", "default": 2, "maximum": 1e9}], "formula": "x / 3"},
        {"name": "f", "takes": [{"name": "x"}], "formula": formula},
    ]}));
    assert_eq!(mapping.methods.len() + mapping.skipped.len(), 2, "{formula}");
    let Some(f) = mapping.methods.get(1) else { return (false, false) };
    match Formulas::execute(&f.call_spec.clone().unwrap(), json!({ "x": x })) {
        Ok(result) => assert!(result.unwrap().as_f64().unwrap().is_finite(), "{formula}"),
        Err(failure) => {
            assert!(failure.code.is_some(), "{formula}: {}", failure.message);
            return (true, false);
        }
    }
    (true, true)
}

#[test]
fn a_heap_of_a_formulas_words_compiles_or_says_why_not() {
    let words = [
        "x", "1", "0", "2.5", "1e300", ".", "1e", "pi", "g", "f", "f(", "g(", "sqrt(", "ln(", "if(", "max(", "(", ")",
        ",", "+", "-", "*", "/", "%", "^", "<", "<=", "=", "!=", "!", " ", "é", "\u{202e}", "😀", "\0", "\"", "x1",
        "_",
    ];
    let mut below = numbers(0x2545_f491_4f6c_dd1d);
    let mut compiled = 0;
    for _ in 0..5_000 {
        let length = 1 + below(9);
        let formula: String = (0..length).map(|_| words[below(words.len())]).collect();
        compiled += usize::from(tried(&formula, 3.0).0);
    }
    assert!(compiled > 50, "{compiled}");
}

/// A formula as the grammar has it.
fn grown(depth: usize, below: &mut impl FnMut(usize) -> usize) -> String {
    let binary = ["+", "-", "*", "/", "%", "^"];
    let one = ["sqrt", "ln", "exp", "abs", "tan", "acos", "g", "-", ""];
    let choice = if depth == 0 { below(3) } else { below(8) };
    let mut inner = || grown(depth - 1, below);
    match choice {
        0 => "x".to_owned(),
        1 => ["0", "1", "7.5", "1e200", "1e-200"][below(5)].to_owned(),
        2 => "pi".to_owned(),
        3 => format!("if({} < {}, {}, {})", inner(), inner(), inner(), inner()),
        4 => format!("max({}, {}, {})", inner(), inner(), inner()),
        5 => format!("{}({})", one[below(one.len())], grown(depth - 1, below)),
        _ => format!("({}) {} {}", grown(depth - 1, below), binary[below(6)], grown(depth - 1, below)),
    }
}

#[test]
fn every_formula_of_the_grammar_compiles_and_gives_a_finite_number_or_a_code() {
    let mut below = numbers(0x9e37_79b9_7f4a_7c15);
    let mut ran = 0;
    for _ in 0..2_000 {
        let formula = grown(1 + below(4), &mut below);
        // Longer ones are refused for their length.
        if formula.len() < 4_096 {
            let (compiles, runs) = tried(&formula, [0.0, -1.5, 1e308][below(3)]);
            assert!(compiles, "{formula}");
            ran += usize::from(runs);
        }
    }
    assert!((200..1_900).contains(&ran), "some give a number and some do not: {ran}");
}

#[test]
fn a_damaged_sheet_or_call_spec_ends_with_an_answer() {
    let sheet = include_bytes!("golden/body/manifest.json");
    let mapping = Formulas::map(sheet, &Options::default()).unwrap();
    let spec = mapping.methods[2].call_spec.clone().unwrap();
    let mut below = numbers(88_172_645_463_325_252);
    for _ in 0..3_000 {
        for whole in [&sheet[..], &spec.bytes] {
            let mut bytes = whole.to_vec();
            for _ in 0..=below(3) {
                let at = below(bytes.len());
                bytes[at] = b"{}[]\",:0x^(-\\\xff"[below(14)];
            }
            bytes.truncate(1 + below(bytes.len()));
            let _ = Formulas::recognise(&bytes);
            let _ = Formulas::map(&bytes, &Options::default());
            let damaged = CallSpec { format: spec.format.clone(), bytes };
            if Formulas::unsupported(&damaged).is_none() {
                let _ = Formulas::execute(&damaged, json!({"mass": 1, "angle": 1}));
            }
        }
    }
}
