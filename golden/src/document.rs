//! JSON with its members in order and every digit of its numbers, whatever features the program's JSON parser has.
//!
//! In comes text, out comes a tree and the one form golden files have: two spaces, a line end. It knows no case.

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// Deepest nesting that is read; the parser's own bound for whole values.
const DEEPEST: usize = 128;

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Document {
    /// An object, its members in order.
    Object(Vec<(String, Document)>),
    /// An array.
    Array(Vec<Document>),
    /// A string.
    Text(String),
    /// A number, `true`, `false` or `null`, as it is written.
    Word(String),
}

impl Document {
    /// Reads JSON.
    ///
    /// # Errors
    /// It is not JSON, or nested too deep; the parser's words.
    pub fn parse(text: &str) -> Result<Self, String> {
        // A part would be told of by its own lines: the whole first.
        serde_json::from_str::<&RawValue>(text).map_err(|error| error.to_string())?;
        Self::read(text, DEEPEST)
    }

    fn read(text: &str, depth: usize) -> Result<Self, String> {
        let deeper = depth.checked_sub(1).ok_or_else(|| format!("it is nested more than {DEEPEST} deep"))?;
        let failed = |error: serde_json::Error| error.to_string();
        let inner = |part: Box<RawValue>| Self::read(part.get(), deeper);
        match text.trim_start().chars().next() {
            Some('{') => {
                let Members(parts) = serde_json::from_str(text).map_err(failed)?;
                let mut object = Self::Object(Vec::with_capacity(parts.len()));
                for (name, part) in parts {
                    object.set(&name, inner(part)?);
                }
                Ok(object)
            }
            Some('[') => {
                let parts: Vec<Box<RawValue>> = serde_json::from_str(text).map_err(failed)?;
                parts.into_iter().map(inner).collect::<Result<_, _>>().map(Self::Array)
            }
            Some('"') => serde_json::from_str(text).map(Self::Text).map_err(failed),
            _ => Ok(Self::Word(text.trim().to_owned())),
        }
    }

    /// `null`.
    pub(crate) fn null() -> Self {
        Self::Word("null".to_owned())
    }

    /// The members of an object.
    pub(crate) fn members(&self) -> Option<&[(String, Self)]> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// A member of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.members()?.iter().find(|(member, _)| member == name).map(|(_, value)| value)
    }

    /// The text of a string.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Sets a member of an object, in its place where it is there; of anything else it changes nothing.
    pub(crate) fn set(&mut self, name: &str, value: Self) {
        let Self::Object(members) = self else { return };
        match members.iter_mut().find(|(member, _)| member == name) {
            Some((_, old)) => *old = value,
            None => members.push((name.to_owned(), value)),
        }
    }

    /// The same without some members.
    pub(crate) fn without(&self, names: &[&str]) -> Self {
        let Self::Object(members) = self else { return self.clone() };
        Self::Object(members.iter().filter(|(name, _)| !names.contains(&name.as_str())).cloned().collect())
    }

    /// As golden files have it, with a line end.
    #[must_use]
    pub fn pretty(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, Some(0));
        text.push('\n');
        text
    }

    /// On one line without spaces, for a plugin to read.
    #[must_use]
    pub fn compact(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, None);
        text
    }

    /// `indent` is the level inside which this stands; without one there are no line ends.
    fn write(&self, out: &mut String, indent: Option<usize>) {
        match self {
            Self::Word(word) => out.push_str(word),
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::Array(values) => surrounded(out, indent, ('[', ']'), values, |out, value, indent| {
                value.write(out, indent);
            }),
            Self::Object(members) => surrounded(out, indent, ('{', '}'), members, |out, (name, value), indent| {
                out.push_str(&quoted(name));
                out.push_str(if indent.is_some() { ": " } else { ":" });
                value.write(out, indent);
            }),
        }
    }
}

fn surrounded<T>(
    out: &mut String,
    indent: Option<usize>,
    (open, close): (char, char),
    items: &[T],
    write: impl Fn(&mut String, &T, Option<usize>),
) {
    out.push(open);
    let inside = indent.map(|level| level + 1);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        line(out, inside);
        write(out, item, inside);
    }
    if !items.is_empty() {
        line(out, indent);
    }
    out.push(close);
}

fn line(out: &mut String, indent: Option<usize>) {
    if let Some(level) = indent {
        out.push('\n');
        out.push_str(&"  ".repeat(level));
    }
}

/// With the parser's own escapes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// An object's members in the order they are written.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> serde::Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_and_the_order_of_members_survive() {
        let text = r#"{"z":18446744073709551616,"a":[1.10,-0.5e300,{}],"e":"\u00e9\n","n":null,"l":[]}"#;
        let document = Document::parse(text).unwrap();
        assert_eq!(document.compact(), text.replace("\\u00e9", "é"));
        let pretty = "{\n  \"z\": 18446744073709551616,\n  \"a\": [\n    1.10,\n    -0.5e300,\n    {}\n  ],\n";
        assert!(document.pretty().starts_with(pretty), "{}", document.pretty());
        assert_eq!(Document::parse(&document.pretty()).unwrap(), document);
    }

    #[test]
    fn what_is_no_json_or_nested_without_end_is_refused() {
        for bad in ["", "{", "{\"a\":}", "[1,]", "nul", "\"a", "1 2"] {
            assert!(Document::parse(bad).is_err(), "{bad}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(Document::parse(&deep).unwrap_err().contains("128 deep"));
    }

    #[test]
    fn the_last_of_two_members_of_one_name_counts() {
        assert_eq!(Document::parse(r#"{"a":1,"b":2,"a":3}"#).unwrap().compact(), r#"{"a":3,"b":2}"#);
    }
}
