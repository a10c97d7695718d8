//! Text as others write it: C type names taken apart, and JSON text in ASCII as Python writes it.

use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use serde::Serialize;
use std::io::{self, Write};

/// A C type in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CNames<'a> {
    /// The type's own words, without qualifiers and tags: `Temporal`, or `unsigned` and `int`.
    words: Vec<&'a str>,
    /// How many stars.
    pub(crate) depth: usize,
    /// Whether it begins with `const`: what is behind the last pointer is only read.
    pub(crate) constant: bool,
    /// Whether it is the type of a function, or of a C array.
    pub(crate) compound: bool,
}

impl<'a> CNames<'a> {
    /// Takes a spelling such as `const struct Temporal *` apart.
    pub(crate) fn of(spelling: &'a str) -> Self {
        let keep = |word: &&str| !matches!(*word, "" | "const" | "volatile" | "struct" | "union" | "enum");
        Self {
            words: spelling.split([' ', '*', '\t', '\n']).filter(keep).collect(),
            depth: spelling.matches('*').count(),
            constant: spelling.trim_start().starts_with("const ") || spelling.contains(" const *"),
            compound: spelling.contains(['(', '[']),
        }
    }

    /// The words with one blank between them.
    pub(crate) fn joined(&self) -> String {
        self.words.join(" ")
    }
}

/// Writes JSON with two blanks of indent and every character beyond ASCII escaped, as Python's `json.dumps(value,
/// indent=2)` does, without a line end.
pub(crate) fn python_json(value: &Value) -> Result<Vec<u8>, io::Error> {
    // About the size of the manifest of the real catalog: grown by doubling it would be copied over and over.
    let mut out = Vec::with_capacity(1 << 21);
    value.serialize(&mut Serializer::with_formatter(&mut out, Ascii(PrettyFormatter::new())))?;
    Ok(out)
}

/// Pretty, in ASCII.
struct Ascii(PrettyFormatter<'static>);

impl Formatter for Ascii {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(|character: char| !character.is_ascii()) {
            let (plain, beyond) = rest.split_at(at);
            writer.write_all(plain.as_bytes())?;
            let Some(character) = beyond.chars().next() else { break };
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = beyond.get(character.len_utf8()..).unwrap_or_default();
        }
        writer.write_all(rest.as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi_mcp_sdk::serde_json::json;

    #[test]
    fn a_c_type_is_its_words_its_stars_and_whether_it_is_only_read() {
        let temporal = CNames::of("const struct Temporal *");
        assert_eq!((temporal.joined().as_str(), temporal.depth, temporal.constant), ("Temporal", 1, true));
        let slot = CNames::of("GSERIALIZED **");
        assert_eq!((slot.joined().as_str(), slot.depth, slot.constant), ("GSERIALIZED", 2, false));
        assert_eq!(CNames::of("unsigned  int").joined(), "unsigned int");
        assert!(CNames::of("void (*)(int)").compound);
    }

    #[test]
    fn json_text_is_ascii_with_surrogates_and_empty_lists_stay_on_their_line() {
        let value = json!({ "a": ["é", "a😀b", "\u{7f}\u{1}\n\"\\"], "b": [], "c": {}, "d": 1.0 });
        let expected = "{\n  \"a\": [\n    \"\\u00e9\",\n    \"a\\ud83d\\ude00b\",\n    \"\u{7f}\\u0001\\n\\\"\\\\\"\n  ],\n  \
                        \"b\": [],\n  \"c\": {},\n  \"d\": 1.0\n}";
        assert_eq!(String::from_utf8(python_json(&value).unwrap()).unwrap(), expected);
    }
}
