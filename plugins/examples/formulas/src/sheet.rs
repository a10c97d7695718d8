//! Reads a formula sheet: JSON in, constants and functions out, formulas still as text.
//!
//! One bad function costs that function. What is not understood and can be left away costs nothing and is noted.

use crate::math;
use crate::parameter::Parameter;
use abi_mcp_sdk::json::{Object, element, kind_of, member, parse};
use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{Fault, Note};
use std::collections::BTreeSet;

/// The release of the format.
pub(crate) const RELEASE: &str = "1";

/// Most bytes of a sheet; a shelf of textbooks has fewer.
const MOST_BYTES: usize = 1 << 20;

/// Most functions, and most constants.
const MOST_ENTRIES: usize = 1_000;

/// Most parameters of one function.
const MOST_PARAMETERS: usize = 32;

/// Most bytes of a name.
const MOST_NAME: usize = 64;

/// A sheet as it is written.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub(crate) constants: Vec<Constant>,
    /// In the sheet's order, the bad ones included.
    pub(crate) entries: Vec<Entry>,
    /// What was left away.
    pub(crate) notes: Vec<Note>,
}

/// A number with a name.
#[derive(Debug)]
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) value: f64,
}

/// One of the sheet's functions, or what is wrong with it.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its name, or its position such as `#3`.
    pub(crate) label: String,
    pub(crate) function: Result<Function, String>,
}

/// A function whose formula has not been looked at.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) doc: Option<String>,
    pub(crate) topic: Option<String>,
    pub(crate) words: Vec<String>,
    pub(crate) takes: Vec<Parameter>,
    pub(crate) unit: Option<String>,
    pub(crate) result: Option<String>,
    pub(crate) formula: String,
}

impl Sheet {
    /// Reads a sheet.
    ///
    /// # Errors
    ///
    /// It is none, has no list of functions, or is over a bound.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Fault> {
        if bytes.len() > MOST_BYTES {
            return Err(Fault::TooLarge(format!("a sheet has {MOST_BYTES} bytes at most, this one {}", bytes.len())));
        }
        let sheet = parse(bytes).map_err(Fault::NotRecognised)?;
        if sheet.get("formulas").and_then(Value::as_str) != Some(RELEASE) {
            return Err(Fault::NotRecognised(format!("expected a JSON object whose `formulas` is \"{RELEASE}\"")));
        }
        let mut notes = Vec::new();
        let constants = constants(list(&sheet, "constants")?, &mut notes);
        let mut labels = BTreeSet::new();
        let entry = |(index, written): (usize, &Value)| {
            let name = written.get("name").and_then(Value::as_str).filter(|name| is_name(name));
            let label = name.map_or_else(|| format!("#{}", index + 1), str::to_owned);
            let function = match written.as_object() {
                _ if !labels.insert(label.clone()) => Err(format!("another function is called `{label}`, too")),
                Some(object) => function(object, &constants, &mut notes),
                None => Err(format!("expected an object, found {}", kind_of(written))),
            };
            Entry { label, function }
        };
        let entries = list(&sheet, "functions")?.iter().enumerate().map(entry).collect();
        Ok(Self { constants, entries, notes })
    }
}

impl Function {
    /// How many values a formula that calls it must give at least; those left out at the end have defaults.
    pub(crate) fn least(&self) -> usize {
        self.takes.iter().rposition(|parameter| parameter.default.is_none()).map_or(0, |last| last + 1)
    }
}

/// Whether it can stand in a formula and means nothing else there.
pub(crate) fn is_name(text: &str) -> bool {
    let starts = text.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    let letters = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    starts && letters && text.len() <= MOST_NAME && !math::is_reserved(text)
}

/// What [`is_name`] wants, for messages.
pub(crate) const EXPECTED_NAME: &str =
    "expected a `name` of at most 64 letters, digits and `_` that means nothing else in formulas";

fn list<'a>(sheet: &'a Value, key: &str) -> Result<&'a [Value], Fault> {
    let malformed = |problem| Fault::Malformed { at: key.to_owned(), problem };
    match sheet.get(key) {
        Some(Value::Array(list)) if list.len() <= MOST_ENTRIES => Ok(list),
        Some(Value::Array(list)) => {
            Err(Fault::TooLarge(format!("a sheet has {MOST_ENTRIES} `{key}` at most, this one {}", list.len())))
        }
        Some(other) => Err(malformed(format!("expected an array, found {}", kind_of(other)))),
        None if key == "constants" => Ok(&[]),
        None => Err(malformed("is missing; expected an array".to_owned())),
    }
}

/// A constant that cannot be read is left out: whichever function uses it says that it is not there.
fn constants(written: &[Value], notes: &mut Vec<Note>) -> Vec<Constant> {
    let mut constants: Vec<Constant> = Vec::new();
    for (index, constant) in written.iter().enumerate() {
        let name = constant.get("name").and_then(Value::as_str).filter(|name| is_name(name));
        let value = constant.get("value").and_then(Value::as_f64);
        match name.zip(value).filter(|(name, _)| constants.iter().all(|other| other.name != *name)) {
            Some((name, value)) => constants.push(Constant { name: name.to_owned(), value }),
            None => notes.push(Note {
                method: None,
                path: element("constants", index),
                text: "left out: expected a `name` of its own, and a number as its `value`".to_owned(),
            }),
        }
    }
    constants
}

fn function(written: &Object, constants: &[Constant], notes: &mut Vec<Note>) -> Result<Function, String> {
    let name = written.get("name").and_then(Value::as_str).filter(|name| is_name(name)).ok_or(EXPECTED_NAME)?;
    let formula = written.get("formula").and_then(Value::as_str).ok_or("formula: expected a text")?;
    let mut reader = Reader { function: name, notes };
    reader.note_unknown(written, "", &["name", "doc", "topic", "words", "takes", "gives", "formula"]);
    let takes = takes(written, &mut reader)?;
    let names = takes.iter().map(|parameter| parameter.name.as_str()).chain([name]);
    if let Some(name) = names.into_iter().find(|name| constants.iter().any(|constant| constant.name == *name)) {
        return Err(format!("`{name}` is a constant, too"));
    }
    let gives = written.get("gives").unwrap_or(&Value::Null);
    let none = Object::new();
    let gives = gives.as_object().or(gives.is_null().then_some(&none)).ok_or("gives: expected an object")?;
    reader.note_unknown(gives, "gives", &["unit", "doc"]);
    let words = written.get("words").and_then(Value::as_array).into_iter().flatten();
    Ok(Function {
        name: name.to_owned(),
        doc: reader.text(written, "", "doc"),
        topic: reader.text(written, "", "topic"),
        words: words.filter_map(Value::as_str).map(str::to_owned).collect(),
        takes,
        unit: reader.text(gives, "gives", "unit"),
        result: reader.text(gives, "gives", "doc"),
        formula: formula.to_owned(),
    })
}

fn takes(function: &Object, reader: &mut Reader<'_>) -> Result<Vec<Parameter>, String> {
    let mut takes: Vec<Parameter> = Vec::new();
    let Some(written) = function.get("takes") else { return Ok(takes) };
    let written = written.as_array().ok_or_else(|| format!("takes: expected an array, found {}", kind_of(written)))?;
    for (index, one) in written.iter().enumerate() {
        let path = element("takes", index);
        let parameter = Parameter::read(one, &path, reader).map_err(|problem| format!("{path}: {problem}"))?;
        if index >= MOST_PARAMETERS || takes.iter().any(|other| other.name == parameter.name) {
            return Err(format!("{path}: expected at most {MOST_PARAMETERS} parameters, each with a name of its own"));
        }
        takes.push(parameter);
    }
    Ok(takes)
}

/// Reads members of one function, and notes what it leaves away.
pub(crate) struct Reader<'a> {
    function: &'a str,
    notes: &'a mut Vec<Note>,
}

impl Reader<'_> {
    fn note(&mut self, path: String, text: String) {
        self.notes.push(Note { method: Some(self.function.to_owned()), path, text });
    }

    /// Notes members nobody knows.
    pub(crate) fn note_unknown(&mut self, written: &Object, path: &str, known: &[&str]) {
        for name in written.keys().filter(|name| !known.contains(&name.as_str())) {
            self.note(member(path, name), format!("means nothing in release {RELEASE} of the format"));
        }
    }

    pub(crate) fn text(&mut self, written: &Object, path: &str, name: &str) -> Option<String> {
        let value = written.get(name)?;
        if value.as_str().is_none() {
            self.note(member(path, name), format!("expected a text, found {}", kind_of(value)));
        }
        value.as_str().map(str::to_owned)
    }

    pub(crate) fn number(&mut self, written: &Object, path: &str, name: &str) -> Option<f64> {
        let value = written.get(name)?;
        if value.as_f64().is_none() {
            self.note(member(path, name), format!("expected a number, found {}", kind_of(value)));
        }
        value.as_f64()
    }
}
