//! Hostile input, by role: what a careless reader trips over, the same on every run.
//!
//! Nothing here knows a format. What a plugin answers to it is judged elsewhere.

use crate::model::{Failure, GuestFailure, HttpFailure};
use serde_json::{Value, json};

/// Levels of nesting no reader needs; a reader that recurses without a bound overflows its stack.
const DEEP: usize = 100_000;

/// Bytes of a name nobody gives.
const HUGE: usize = 1 << 20;

/// Characters that change, hide or end what is read around them.
const STRANGE: &str = "\0\u{1b}[2J\u{202e}evil\u{200b}\u{feff}\u{e0041}\r\n";

/// Input with a name for messages.
pub(super) type Odd<T> = (&'static str, T);

/// Bytes that are a manifest of no format.
pub(super) fn manifests() -> Vec<Odd<Vec<u8>>> {
    let text = |json: Value| json.to_string().into_bytes();
    let huge = "n".repeat(HUGE);
    vec![
        ("no bytes", Vec::new()),
        ("text that is no JSON", b"this is no manifest".to_vec()),
        ("bytes that are no text", vec![0xff, 0xfe, 0, 0x80, 0xc0]),
        ("JSON that breaks off", br#"{"methods": [{"name": "a"#.to_vec()),
        ("JSON null", b"null".to_vec()),
        ("a number", b"1e999".to_vec()),
        ("an empty object", b"{}".to_vec()),
        ("an empty list", b"[]".to_vec()),
        ("lists nested 100,000 deep", nested("[", "0", "]").into_bytes()),
        ("lists that never end", "[".repeat(DEEP).into_bytes()),
        ("objects nested 100,000 deep", nested("{\"a\":", "0", "}").into_bytes()),
        ("a name of 1 MiB", text(json!({ huge.as_str(): {} }))),
        ("a method's name of 1 MiB", text(json!({"methods": [{"name": huge, "params": [], "returns": null}]}))),
        ("invisible characters in every name", text(json!({ STRANGE: {STRANGE: STRANGE} }))),
        ("a member twice", br#"{"a": 1, "a": {"a": 2}}"#.to_vec()),
        ("random bytes", random(4096)),
        ("a random document", random_document().to_string().into_bytes()),
    ]
}

/// What is left of a real manifest after an accident: cut off, or with one member of another type.
pub(super) fn damaged(manifest: &[u8]) -> Vec<(String, Vec<u8>)> {
    let cut = |part: usize| {
        let left = manifest.get(..manifest.len() * part / 8).unwrap_or_default();
        (format!("cut off after {part}/8"), left.to_vec())
    };
    let mut all: Vec<_> = (1..8).map(cut).collect();
    let Ok(Value::Object(whole)) = serde_json::from_slice::<Value>(manifest) else { return all };
    for member in whole.keys() {
        for other in [json!(null), json!(-1), json!(""), json!([[]]), json!({"a": []}), json!([null, {"name": 7}])] {
            let mut changed = whole.clone();
            let name = format!("`{member}` replaced by {other}");
            changed.insert(member.clone(), other);
            all.push((name, Value::Object(changed).to_string().into_bytes()));
        }
        let mut without = whole.clone();
        without.shift_remove(member);
        all.push((format!("without `{member}`"), Value::Object(without).to_string().into_bytes()));
    }
    all
}

/// Plans no mapper made.
pub(super) fn plans() -> Vec<Odd<Vec<u8>>> {
    vec![
        ("an empty plan", Vec::new()),
        ("a plan of random bytes", random(512)),
        ("a plan `null`", b"null".to_vec()),
        ("a plan `[]`", b"[]".to_vec()),
        ("a plan `{}`", b"{}".to_vec()),
        ("a plan nested 100,000 deep", nested("[", "", "]").into_bytes()),
        ("a random document as plan", random_document().to_string().into_bytes()),
    ]
}

/// JSON as arguments or as a result; it may be anything.
pub(super) fn values() -> Vec<Odd<String>> {
    vec![
        ("`{}`", "{}".to_owned()),
        ("`null`", "null".to_owned()),
        ("a number", "-1.5e300".to_owned()),
        ("strange names", json!({ STRANGE: [STRANGE, null] }).to_string()),
        ("a random document", random_document().to_string()),
        ("lists nested 100,000 deep", nested("[", "", "]")),
    ]
}

/// Failures as no backend words them.
pub(super) fn failures() -> Vec<Odd<Failure>> {
    let guest = |kind: &str, data: Option<&str>| {
        Failure::Guest(GuestFailure { kind: kind.to_owned(), data: data.map(str::to_owned), ..GuestFailure::default() })
    };
    let http = |status: u16, body: String| {
        let headers = vec![(STRANGE.to_owned(), STRANGE.to_owned()), (String::new(), String::new())];
        Failure::Http(HttpFailure { status, reason: STRANGE.to_owned(), path: String::new(), headers, body })
    };
    vec![
        ("an empty guest failure", guest("", None)),
        ("data that is no JSON", guest("Error", Some("{\"a"))),
        ("data nested 100,000 deep", guest("Error", Some(&nested("[", "", "]")))),
        ("data of random bytes in a list", guest("Error", Some(&json!(random(4096)).to_string()))),
        ("strange characters", guest(STRANGE, Some(&json!(STRANGE).to_string()))),
        ("a kind of 64 KiB", guest(&"k".repeat(64 << 10), Some("null"))),
        ("status 0 without a body", http(0, String::new())),
        ("status 65535 with a body of 64 KiB", http(u16::MAX, "<".repeat(64 << 10))),
        ("a body that breaks off", http(500, "{\"error\": {\"type\": \"".to_owned())),
        ("a transport without words", Failure::Transport(String::new())),
        ("strange words of the transport", Failure::Transport(STRANGE.repeat(100))),
    ]
}

fn nested(open: &str, middle: &str, close: &str) -> String {
    [open.repeat(DEEP).as_str(), middle, &close.repeat(DEEP)].concat()
}

/// The same bytes on every run: what was found can be found again.
fn random(count: usize) -> Vec<u8> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    (0..count).map(|_| dice.roll(256) as u8).collect()
}

/// A document with the words manifests are made of, in no order that means anything.
fn random_document() -> Value {
    Dice(0x2545_f491_4f6c_dd1d).value(0)
}

/// Marsaglia's xorshift; good enough to surprise a parser.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn value(&mut self, depth: usize) -> Value {
        const WORDS: [&str; 10] =
            ["name", "methods", "types", "kind", "params", "type", "functions", "$ref", "version", "returns"];
        let word = |dice: &mut Self| WORDS.get(dice.roll(10) as usize).copied().unwrap_or_default().to_owned();
        // The outermost value is an object, like a manifest.
        let sides = if depth > 5 { 5 } else { 7 };
        match if depth == 0 { 6 } else { self.roll(sides) } {
            0 => Value::Null,
            1 => json!(self.roll(2) == 0),
            2 => json!(self.roll(u64::MAX)),
            3 => json!(word(self)),
            4 => json!(-0.5),
            5 => Value::Array((0..self.roll(5)).map(|_| self.value(depth + 1)).collect()),
            _ => Value::Object((0..8).map(|_| (word(self), self.value(depth + 1))).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_random_is_the_same_on_every_run_and_an_object() {
        assert_eq!(random(64), random(64));
        assert_eq!(random_document(), random_document());
        assert!(random_document().as_object().is_some_and(|members| members.len() > 2));
    }

    #[test]
    fn a_damaged_manifest_is_cut_and_has_each_member_replaced_and_missing() {
        let all = damaged(br#"{"name": "x", "methods": []}"#);
        assert_eq!(all.len(), 7 + 2 * 7);
        assert!(all.iter().any(|(name, bytes)| name == "without `name`" && bytes == br#"{"methods":[]}"#));
        assert_eq!(damaged(b"no JSON at all").len(), 7);
    }
}
