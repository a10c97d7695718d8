//! What a right answer is: the same value, the same value but for the last digits, a sign, or an error.

use abi_mcp_tests::Reply;
use serde::Deserialize;
use serde_json::Value;

/// A known answer, as the files of the checked set write it.
#[derive(Debug, Deserialize)]
pub(crate) struct Expected {
    /// Exactly this value, `null` included.
    #[serde(default, deserialize_with = "present")]
    gives: Option<Value>,
    /// This number, or a text with these numbers in it, each at most `within` away.
    about: Option<Value>,
    within: Option<f64>,
    /// A number of this sign.
    sign: Option<i64>,
    /// An error with this word in it.
    error: Option<String>,
}

/// Keeps `null`, which is an answer, apart from nothing said.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

impl Expected {
    /// What is wrong with an answer to `call`; `None` when it is right.
    pub(crate) fn problem(&self, reply: &Reply) -> Option<String> {
        if let Some(word) = &self.error {
            let as_wanted = reply.is_error && reply.text.to_lowercase().contains(word);
            return (!as_wanted).then(|| format!("expected an error with `{word}`, got: {}", reply.text));
        }
        if reply.is_error {
            return Some(format!("expected {}, got the error: {}", self.wanted(), reply.text));
        }
        (!self.fits(&self.read(&reply.text))).then(|| format!("expected {}, got {}", self.wanted(), reply.text))
    }

    /// A text comes without its quotes, everything else as JSON.
    fn read(&self, answer: &str) -> Value {
        match self.gives.as_ref().or(self.about.as_ref()) {
            Some(Value::String(_)) => answer.into(),
            _ => serde_json::from_str(answer).unwrap_or_else(|_| answer.into()),
        }
    }

    fn fits(&self, answer: &Value) -> bool {
        match (&self.gives, &self.about, self.sign) {
            (Some(wanted), None, None) => same(answer, wanted),
            (None, Some(wanted), None) => near(answer, wanted, self.within.expect("`about` has its `within`")),
            (None, None, Some(sign)) => answer.as_i64().is_some_and(|answer| answer.signum() == sign),
            _ => panic!("an expectation is one of `gives`, `about`, `sign`, `error`: {self:?}"),
        }
    }

    fn wanted(&self) -> String {
        match (&self.gives, &self.about, self.sign) {
            (Some(wanted), ..) => wanted.to_string(),
            (_, Some(wanted), _) => format!("about {wanted}"),
            (.., sign) => format!("a number of the sign {sign:?}"),
        }
    }
}

/// The same value; `11` and `11.0` are one number, `1` and `true` are not.
fn same(answer: &Value, wanted: &Value) -> bool {
    match (answer, wanted) {
        (Value::Array(answer), Value::Array(wanted)) => {
            answer.len() == wanted.len() && answer.iter().zip(wanted).all(|(answer, wanted)| same(answer, wanted))
        }
        // Digits beyond 2^53 are compared as such.
        (Value::Number(answer), Value::Number(wanted)) if answer.is_f64() || wanted.is_f64() => {
            answer.as_f64() == wanted.as_f64()
        }
        _ => answer == wanted,
    }
}

fn near(answer: &Value, wanted: &Value, within: f64) -> bool {
    let close = |answer: f64, wanted: f64| (answer - wanted).abs() <= within;
    match (answer, wanted) {
        (Value::Number(answer), Value::Number(wanted)) => close(answer.as_f64().unwrap(), wanted.as_f64().unwrap()),
        (Value::String(answer), Value::String(wanted)) => {
            let ((words, numbers), (wanted_words, wanted_numbers)) = (taken_apart(answer), taken_apart(wanted));
            words == wanted_words
                && numbers.len() == wanted_numbers.len()
                && numbers.iter().zip(wanted_numbers).all(|(answer, wanted)| close(*answer, wanted))
        }
        _ => false,
    }
}

/// The text with `#` for each decimal number, and the numbers. A sign is part of the text.
fn taken_apart(text: &str) -> (String, Vec<f64>) {
    let (mut words, mut numbers, mut number) = (String::new(), Vec::new(), String::new());
    for letter in text.chars().chain(['\n']) {
        if letter.is_ascii_digit() || (letter == '.' && !number.is_empty()) {
            number.push(letter);
            continue;
        }
        if !number.is_empty() {
            numbers.push(number.parse().unwrap());
            number.clear();
            words.push('#');
        }
        words.push(letter);
    }
    (words, numbers)
}

#[test]
fn an_expectation_tells_right_from_wrong() {
    let reply = |text: &str| Reply { text: text.to_owned(), is_error: false, raw: Value::Null };
    let expected = |text: &str| serde_json::from_str::<Expected>(text).unwrap();
    for (expectation, right, wrong) in [
        (r#"{"gives": null}"#, "null", "0"),
        (r#"{"gives": "1"}"#, "1", r#""1""#),
        (r#"{"gives": 1}"#, "1", "true"),
        (r#"{"gives": 11.0}"#, "11", "11.5"),
        (r#"{"gives": 9007199254740993}"#, "9007199254740993", "9007199254740992"),
        (r#"{"gives": [1.0, "a"]}"#, r#"[1, "a"]"#, r#"[1]"#),
        (r#"{"about": 3, "within": 0.01}"#, "3.005", "3.02"),
        (r#"{"about": "[1.5@2000-01-01]", "within": 0.01}"#, "[1.4999@2000-01-01]", "[1.5@2000-01-02]"),
        (r#"{"sign": -1}"#, "-98", "4294967198"),
    ] {
        assert_eq!(expected(expectation).problem(&reply(right)), None);
        assert!(expected(expectation).problem(&reply(wrong)).is_some(), "{expectation} takes {wrong}");
    }
    assert!(expected(r#"{"error": "zero"}"#).problem(&reply("0")).is_some());
    assert!(expected(r#"{"gives": 0}"#).problem(&Reply { is_error: true, ..reply("0") }).is_some());
}
