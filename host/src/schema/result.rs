//! A backend's answer as the two things a client reads.
//!
//! JSON text comes in; the same JSON without white space goes out as the text block, every digit kept, and beside it
//! `{"result": value}` for clients that read structure. JavaScript rounds integers beyond 2^53 silently, so there
//! they are decimal strings, as the output schema of [`crate::schema::portable`] says. Works on the text itself: a
//! number is never parsed and printed again. Does not know methods or backends.
//!
//! What if the answer does not fit the schema the tool advertises? Strict clients refuse a success without
//! structured content, and one whose content does not conform, and then show the model nothing (C24). Only a result
//! marked as an error comes through. So it is one, and says what it is: the call *did* run, here is the answer, do
//! not repeat it. To make that rare, output schemas are open and nullable.

use crate::model::{JsonObject, ToolReply};
use crate::schema::arguments::values;
use crate::schema::portable::{Uncompilable, compile};
use jsonschema::Validator;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The deepest nesting that is given as structure, in levels; serde_json and what is built on it read 128, and the
/// frames around a result need their share.
const DEEPEST: usize = 100;

/// From this many JSON values on, an answer that does not fit is not examined.
const LARGE: usize = 50_000;

/// [`crate::schema::SAFE_INTEGER`] in digits, because numbers are compared here without being read.
const SAFE_INTEGER: &str = "9007199254740991";

/// An answer, ready for a reply.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Folded {
    /// Compact JSON with the digits the backend wrote.
    pub(crate) text: String,
    /// `{"result": value}`, where the tool has an output schema.
    pub(crate) structured: Option<Value>,
}

/// An answer that cannot be given as a success.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ResultError {
    /// The backend broke its word.
    #[error("the backend's answer is not JSON: {0}")]
    NotJson(String),
    /// The call ran; its answer is not what the tool announces.
    #[error(
        "the call ran, but its answer does not fit what the application's ABI announces ({problem}); do not repeat it \
         for that reason. The answer, as it came:\n{text}"
    )]
    NotAsAnnounced {
        /// Where and what, one line.
        problem: String,
        /// The answer as compact JSON.
        text: String,
    },
}

/// A tool's output schema, compiled once.
#[derive(Debug)]
pub(crate) struct ResultChecker(Validator);

impl ResultChecker {
    /// Compiles a portable output schema.
    ///
    /// # Errors
    ///
    /// For a schema that is not one of [`crate::schema::portable`].
    pub(crate) fn new(schema: &JsonObject) -> Result<Self, Uncompilable> {
        compile(&Value::Object(schema.clone())).map(Self)
    }

    /// The first thing that does not fit.
    fn problem(&self, structured: &Value) -> Option<String> {
        if self.0.is_valid(structured) {
            return None;
        }
        // The validator collects every error of a value, which for a large one would not fit the memory.
        if values(structured, LARGE) == LARGE {
            return Some("somewhere in a value too large to say where".to_owned());
        }
        let error = self.0.iter_errors(structured).next()?;
        let at = error.instance_path().as_str().trim_start_matches('/').replace('/', ".");
        Some(format!("`{at}`: {}", error.masked()))
    }
}

/// Folds an answer; with a `checker` into structure too.
///
/// # Errors
///
/// [`ResultError`]: not JSON, or not what the tool announces.
pub(crate) fn fold(raw: &str, checker: Option<&ResultChecker>) -> Result<Folded, ResultError> {
    let valid: &RawValue = serde_json::from_str(raw).map_err(|error| ResultError::NotJson(error.to_string()))?;
    let text = compact(valid.get(), |number, out| out.push_str(number));
    let Some(checker) = checker else { return Ok(Folded { text, structured: None }) };
    let refused = |problem: String| ResultError::NotAsAnnounced { problem, text: text.clone() };
    if depth(&text) > DEEPEST {
        return Err(refused(format!("nested deeper than {DEEPEST} levels")));
    }
    let exact = wrapped(&compact(&text, quote_unsafe)).map_err(|error| refused(error.to_string()))?;
    let Some(problem) = checker.problem(&exact) else { return Ok(Folded { text, structured: Some(exact) }) };
    // Where a float is announced, a whole one that was written without a point is still a float: a double is all it
    // ever was, so JavaScript loses nothing.
    let rounded = wrapped(&text).map_err(|error| refused(error.to_string()))?;
    if checker.problem(&rounded).is_none() {
        return Ok(Folded { text, structured: Some(rounded) });
    }
    Err(refused(problem))
}

/// A method's result as a reply: the value itself as compact JSON, `null` for none, with structure beside it where
/// the tool announces an output schema.
pub(crate) fn reply(raw: Option<&str>, checker: Option<&ResultChecker>) -> ToolReply {
    match fold(raw.unwrap_or("null"), checker) {
        Ok(folded) => ToolReply { structured: folded.structured, ..ToolReply::text(folded.text) },
        Err(error) => ToolReply::error(format!("Error: {error}")),
    }
}

/// A result to be read rather than processed: a string as its own text, anything else as JSON with an indent of two
/// spaces, every digit kept.
///
/// # Errors
///
/// [`ResultError::NotJson`].
pub(crate) fn readable(raw: Option<&str>) -> Result<String, ResultError> {
    let raw = raw.unwrap_or("null");
    let valid: &RawValue = serde_json::from_str(raw).map_err(|error| ResultError::NotJson(error.to_string()))?;
    if let Ok(text) = serde_json::from_str::<String>(valid.get()) {
        return Ok(text);
    }
    Ok(indent(&compact(valid.get(), |number, out| out.push_str(number))))
}

/// Compact JSON with an indent of two spaces; an empty list or object stays on its line.
fn indent(compact: &str) -> String {
    let mut out = String::with_capacity(compact.len() * 2);
    let (mut rest, mut level) = (compact, 0_usize);
    let line = |out: &mut String, level: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level));
    };
    while let Some(first) = rest.chars().next() {
        let mut taken = first.len_utf8();
        match first {
            '"' => {
                taken = string_length(rest);
                out.push_str(rest.get(..taken).unwrap_or(rest));
            }
            '{' | '[' if rest.starts_with("{}") || rest.starts_with("[]") => {
                taken = 2;
                out.push_str(rest.get(..taken).unwrap_or(rest));
            }
            '{' | '[' => {
                out.push(first);
                level += 1;
                line(&mut out, level);
            }
            '}' | ']' => {
                level = level.saturating_sub(1);
                line(&mut out, level);
                out.push(first);
            }
            ',' => {
                out.push(first);
                line(&mut out, level);
            }
            ':' => out.push_str(": "),
            other => out.push(other),
        }
        rest = rest.get(taken..).unwrap_or("");
    }
    out
}

fn wrapped(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Value>(text).map(|value| json!({"result": value}))
}

/// Valid JSON without white space between its parts; `number` writes each number.
fn compact(json: &str, number: impl Fn(&str, &mut String)) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '-' | '0'..='9' => {
                rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        match first {
            ' ' | '\n' | '\r' | '\t' => {}
            '-' | '0'..='9' => number(token, &mut out),
            _ => out.push_str(token),
        }
        rest = behind;
    }
    out
}

/// The length of the string literal a text begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (position, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return position + 1,
            _ => {}
        }
    }
    text.len()
}

/// Writes a number; one that JavaScript would round as a string of its digits.
fn quote_unsafe(number: &str, out: &mut String) {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    let over = digits.len() > SAFE_INTEGER.len() || digits.len() == SAFE_INTEGER.len() && digits > SAFE_INTEGER;
    if whole && over {
        out.push('"');
        out.push_str(number);
        out.push('"');
    } else {
        out.push_str(number);
    }
}

/// The deepest nesting of compact JSON.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut rest = json;
    while let Some(position) = rest.find(['"', '{', '[', '}', ']']) {
        let (_, at) = rest.split_at_checked(position).unwrap_or(("", ""));
        let length = match at.bytes().next() {
            Some(b'"') => string_length(at),
            Some(b'{' | b'[') => {
                depth += 1;
                deepest = deepest.max(depth);
                1
            }
            _ => {
                depth = depth.saturating_sub(1);
                1
            }
        };
        rest = at.get(length..).unwrap_or_default();
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::portable::output;

    fn checker(schema: Value) -> ResultChecker {
        ResultChecker::new(&output(&schema).schema).unwrap()
    }

    fn structured(raw: &str, schema: Value) -> Value {
        fold(raw, Some(&checker(schema))).unwrap().structured.unwrap()
    }

    #[test]
    fn the_text_is_the_same_json_without_white_space() {
        let raw = " { \"a b\" : [ 1.0 , 1e400,\t-0, 18446744073709551615,340282366920938463463374607431768211456 ],\n\"q\\\" : x\":\"\\u00e9 \\\\\" , \"日 本\":null } ";
        let folded = fold(raw, None).unwrap();
        assert_eq!(
            folded.text,
            r#"{"a b":[1.0,1e400,-0,18446744073709551615,340282366920938463463374607431768211456],"q\" : x":"\u00e9 \\","日 本":null}"#
        );
        assert_eq!(folded.structured, None);
    }

    #[test]
    fn what_is_not_json_is_an_error() {
        for raw in ["", " ", "nul", "{", "[1,]", "01", "1 2", "\"\u{1}\"", "{\"a\":}", "NaN", "'x'"] {
            assert!(matches!(fold(raw, None), Err(ResultError::NotJson(_))), "{raw}");
        }
    }

    #[test]
    fn c15_integers_javascript_would_round_are_decimal_strings_at_any_depth() {
        let integer = json!({"type": "integer"});
        for (raw, expected) in [
            ("9007199254740991", json!(9_007_199_254_740_991_u64)),
            ("-9007199254740991", json!(-9_007_199_254_740_991_i64)),
            ("9007199254740992", json!("9007199254740992")),
            ("-9007199254740993", json!("-9007199254740993")),
            ("18446744073709551615", json!("18446744073709551615")),
            ("340282366920938463463374607431768211456", json!("340282366920938463463374607431768211456")),
        ] {
            assert_eq!(structured(raw, integer.clone()), json!({"result": expected}));
        }
        let map = json!({"type": "object", "additionalProperties": {"type": "array", "items": integer}});
        assert_eq!(
            structured(r#"{"a":[1,12345678901234567890]}"#, map),
            json!({"result": {"a": [1, "12345678901234567890"]}})
        );
    }

    #[test]
    fn digits_within_a_string_are_left_alone() {
        let text = structured(r#""12345678901234567890 [ 1 ]\"9""#, json!({"type": "string"}));
        assert_eq!(text, json!({"result": "12345678901234567890 [ 1 ]\"9"}));
    }

    #[test]
    fn floats_stay_numbers_even_when_they_are_large_and_whole() {
        let number = json!({"type": "number"});
        for raw in ["3.0", "1e300", "0.1", "100000000000000000000", "9007199254740993"] {
            assert!(structured(raw, number.clone())["result"].is_number(), "{raw}");
        }
        assert_eq!(fold("3.0", Some(&checker(number))).unwrap().text, "3.0");
    }

    #[test]
    fn c24_a_success_conforms_and_a_null_always_does() {
        let record = json!({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": false});
        assert_eq!(structured("null", record.clone()), json!({"result": null}));
        assert_eq!(structured(r#"{"x":1,"newer":2}"#, record.clone()), json!({"result": {"x": 1, "newer": 2}}));
        let error = fold(r#"{ "x": "seven" }"#, Some(&checker(record))).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(r#"{"x":"seven"}"#) && text.contains("the call ran"), "{text}");
        assert!(text.contains("result"), "{text}");
    }

    #[test]
    fn deep_and_odd_answers_give_text_and_never_overflow() {
        for levels in [99, 101, 127, 1000, 100_000] {
            let raw = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
            assert_eq!(fold(&raw, None).unwrap().text, raw);
            let free = checker(json!(true));
            assert_eq!(fold(&raw, Some(&free)).is_ok(), levels <= DEEPEST, "{levels}");
        }
        assert!(matches!(
            fold(r#""\ud800""#, Some(&checker(json!(true)))),
            Err(ResultError::NotAsAnnounced { .. } | ResultError::NotJson(_))
        ));
        assert!(matches!(fold("1e400", Some(&checker(json!(true)))), Err(ResultError::NotAsAnnounced { .. })));
    }

    #[test]
    fn compacting_is_idempotent_and_keeps_the_value() {
        let pretty =
            serde_json::to_string_pretty(&json!({"a": [1, 2.5, "x \" y", {}, []], "b": {"c": null, "d": true}}))
                .unwrap();
        let once = fold(&pretty, None).unwrap().text;
        assert_eq!(fold(&once, None).unwrap().text, once);
        assert_eq!(serde_json::from_str::<Value>(&once).unwrap(), serde_json::from_str::<Value>(&pretty).unwrap());
        assert!(!once.contains('\n'));
    }
}
