//! Which functions read a type from text and write it back.
//!
//! Comes in: all prototypes. Goes out: for every type the readers and writers by the form of the text, the ones to use
//! when nothing more is known, and the fixed values of the arguments they take besides. The choice is the original's:
//! text before MF-JSON before WKB, the function named after the type, else the first by name.

use super::ctype::{CType, Typedefs};
use super::header::Prototype;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A fixed argument after the first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fixed {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) value: Value,
}

impl Fixed {
    pub(super) fn json(&self) -> Value {
        json!({"name": self.name, "kind": self.kind, "default": self.value})
    }
}

/// A function that reads or writes, and its fixed arguments.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Codec {
    pub(super) function: String,
    pub(super) fixed: Vec<Fixed>,
}

/// The codecs of one type, by form: `text`, `mfjson`, `wkb`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Codecs {
    pub(super) readers: BTreeMap<&'static str, Codec>,
    pub(super) writers: BTreeMap<&'static str, Codec>,
}

/// The order in which a default is looked for.
const FORMS: [&str; 3] = ["text", "mfjson", "wkb"];

const READERS: [(&str, &str); 8] = [
    ("_in", "text"),
    ("_from_text", "text"),
    ("_from_ewkt", "text"),
    ("_from_mfjson", "mfjson"),
    ("_from_geojson", "mfjson"),
    ("_from_hexwkb", "wkb"),
    ("_from_hexewkb", "wkb"),
    ("2text", "text"),
];

const WRITERS: [(&str, &str); 6] = [
    ("_out", "text"),
    ("_as_ewkt", "text"),
    ("_as_text", "text"),
    ("_as_mfjson", "mfjson"),
    ("_as_geojson", "mfjson"),
    ("2cstring", "text"),
];

/// Functions to use whatever the rule says, where the one the rule finds reads only part of the text people write.
///
/// `geom_in` reads WKT, EWKT with an SRID, and HexEWKB; `geo_from_text`, first by name, refuses an SRID. `text_out`
/// would put quotes around a text that `cstring2text` does not take off again.
const PREFERRED: [(&str, &str, &str); 4] = [
    ("GSERIALIZED", "text", "geom_in"),
    ("GSERIALIZED", "wkb", "geom_from_hexewkb"),
    ("text", "text", "cstring2text"),
    ("text", "text", "text2cstring"),
];

impl Codecs {
    /// The reader to use when only the C type is known.
    pub(super) fn reader(&self) -> Option<&Codec> {
        FORMS.iter().find_map(|form| self.readers.get(form))
    }

    /// The writer to use.
    pub(super) fn writer(&self) -> Option<&Codec> {
        FORMS.iter().find_map(|form| self.writers.get(form))
    }

    /// All forms it is read from or written in, sorted.
    pub(super) fn encodings(&self) -> Vec<&'static str> {
        let mut forms: Vec<&str> = self.readers.keys().chain(self.writers.keys()).copied().collect();
        forms.sort_unstable();
        forms.dedup();
        forms
    }

    /// As the catalog's `typeEncodings` holds it.
    pub(super) fn json(&self) -> Value {
        let names = |codecs: &BTreeMap<&'static str, Codec>| -> Map<String, Value> {
            codecs.iter().map(|(form, codec)| ((*form).to_owned(), json!(codec.function))).collect()
        };
        let function = |codec: Option<&Codec>| codec.map(|codec| codec.function.clone());
        json!({
            "encodings": self.encodings(),
            "decoders": names(&self.readers),
            "encoders": names(&self.writers),
            "in": function(self.reader()),
            "out": function(self.writer()),
            "in_aux": fixed_json(self.reader()),
            "out_aux": fixed_json(self.writer()),
        })
    }
}

/// The fixed arguments as a list.
pub(super) fn fixed_json(codec: Option<&Codec>) -> Vec<Value> {
    codec.into_iter().flat_map(|codec| &codec.fixed).map(Fixed::json).collect()
}

/// The codecs of every type that has any, by the type's name.
pub(super) fn find<'a>(
    functions: impl Iterator<Item = &'a Prototype>,
    typedefs: &Typedefs,
) -> BTreeMap<String, Codecs> {
    let mut found: BTreeMap<String, Codecs> = BTreeMap::new();
    for function in functions {
        let Some((first, rest)) = function.parameters.list.split_first() else { continue };
        let Some(fixed) = fixed_arguments(rest.iter().map(|it| (it.name.as_str(), typedefs.canonical(&it.ctype))))
        else {
            continue;
        };
        let codec = Codec { function: function.name.clone(), fixed };
        let form = |suffixes: &[(&str, &'static str)]| {
            suffixes.iter().find(|(suffix, _)| function.name.ends_with(suffix)).map(|(_, form)| *form)
        };
        if let Some(form) = form(&READERS).filter(|_| first.ctype.is_string()) {
            add(&mut found, &function.returns, typedefs, form, codec, |codecs| &mut codecs.readers);
        } else if let Some(form) = form(&WRITERS).filter(|_| function.returns.is_string()) {
            add(&mut found, &first.ctype, typedefs, form, codec, |codecs| &mut codecs.writers);
        }
    }
    found
}

/// Every function that reads text, by its name.
pub(super) fn readers<'a>(
    functions: impl Iterator<Item = &'a Prototype>,
    typedefs: &Typedefs,
) -> BTreeMap<String, Codec> {
    let text = functions.filter(|function| function.name.ends_with("_in")).filter_map(|function| {
        let (first, rest) = function.parameters.list.split_first()?;
        let fixed = fixed_arguments(rest.iter().map(|it| (it.name.as_str(), typedefs.canonical(&it.ctype))))?;
        first.ctype.is_string().then(|| (function.name.clone(), Codec { function: function.name.clone(), fixed }))
    });
    text.collect()
}

/// Keeps a codec when it is better than the one known: named after the type, else first by name.
fn add(
    found: &mut BTreeMap<String, Codecs>,
    written: &CType,
    typedefs: &Typedefs,
    form: &'static str,
    codec: Codec,
    side: fn(&mut Codecs) -> &mut BTreeMap<&'static str, Codec>,
) {
    if !is_serializable(written, typedefs) {
        return;
    }
    let type_name = written.name().to_owned();
    let rank = |function: &str| {
        let preferred = PREFERRED.contains(&(type_name.as_str(), form, function));
        let own = type_name.to_ascii_lowercase();
        let named_after = function.strip_prefix(own.as_str()).is_some_and(|rest| matches!(rest, "_in" | "_out"));
        (!preferred, !named_after, function.to_owned())
    };
    let codecs = side(found.entry(type_name.clone()).or_default());
    if codecs.get(form).is_none_or(|known| rank(&codec.function) < rank(&known.function)) {
        codecs.insert(form, codec);
    }
}

/// A pointer to a structure, or one of the scalars that people write as text: moments and dates.
pub(super) fn is_serializable(written: &CType, typedefs: &Typedefs) -> bool {
    match written.stars {
        0 => matches!(written.base.as_str(), "TimestampTz" | "Timestamp" | "TimeADT" | "DateADT"),
        1 => !is_scalar(&typedefs.canonical(&written.pointee())) && !written.is_string(),
        _ => false,
    }
}

/// A C type of numbers or truth, of which there is no text but JSON's.
pub(super) fn is_scalar(canonical: &CType) -> bool {
    let words = ["bool", "char", "short", "int", "long", "float", "double", "void", "signed", "unsigned"];
    let sized = ["int64_t", "uint32_t", "uint64_t", "size_t", "uintptr_t"];
    canonical.stars == 0
        && (sized.contains(&canonical.base.as_str()) || canonical.base.split(' ').all(|word| words.contains(&word)))
}

/// Values for the arguments after the first; `None` when one of them has no value that always does.
fn fixed_arguments<'a>(rest: impl Iterator<Item = (&'a str, CType)>) -> Option<Vec<Fixed>> {
    rest.map(|(name, canonical)| {
        let (kind, value) = match (canonical.base.as_str(), canonical.stars) {
            // A number of a type decides what is read; none is right for all.
            _ if name.contains("type") => return None,
            // PostgreSQL: -1 is "no modifier"; 0 is one that interval and geometry refuse.
            ("int", 0) if name == "typmod" || name == "prec" => ("integer", json!(-1)),
            ("interpType", 0) => ("integer", json!(STEP)),
            ("bool", 0) => ("boolean", json!(false)),
            ("float" | "double", 0) => ("number", json!(0.0)),
            ("char", 1) => ("string", Value::Null),
            (_, 0) if is_scalar(&canonical) => ("integer", json!(digits(name))),
            _ => return None,
        };
        Some(Fixed { name: name.to_owned(), kind, value })
    })
    .collect()
}

/// The number of `STEP` in `interpType`, the only interpolation that every temporal type has.
const STEP: i64 = 2;

/// Fifteen decimal digits keep what a double holds.
fn digits(name: &str) -> i64 {
    if ["maxdd", "decimal", "digit", "precision"].iter().any(|word| name.contains(word)) { 15 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::header;
    use super::*;

    const HEADER: &str = "
        typedef int64 TimestampTz;
        typedef int interp_t;
        extern Shape *ashape_in(const char *str);
        extern Shape *shape_in(const char *str, int shapetype);
        extern Shape *bshape_in(const char *str);
        extern char *shape_out(const Shape *s, int maxdd);
        extern char *shape_as_mfjson(const Shape *s, bool bbox, int precision, const char *srs);
        extern Shape *shape_from_hexwkb(const char *hex);
        extern TimestampTz moment_in(const char *str, int32 typmod);
        extern int int_in(const char *str);
        extern char *wkb_out(const Shape *s, size_t *size);";

    fn codecs() -> BTreeMap<String, Codecs> {
        let header = header::read(HEADER);
        let typedefs = Typedefs(header.typedefs.into_iter().collect());
        find(header.functions.iter(), &typedefs)
    }

    #[test]
    fn a_reader_with_a_type_number_is_passed_over_for_the_first_by_name() {
        let codecs = codecs();
        let shape = codecs["Shape"].json();
        assert_eq!(shape["decoders"], json!({"text": "ashape_in", "wkb": "shape_from_hexwkb"}));
        assert_eq!(shape["encoders"], json!({"text": "shape_out", "mfjson": "shape_as_mfjson"}));
        assert_eq!(shape["encodings"], json!(["mfjson", "text", "wkb"]));
        assert_eq!(shape["out_aux"], json!([{"name": "maxdd", "kind": "integer", "default": 15}]));
    }

    #[test]
    fn a_moment_is_read_from_text_and_a_number_is_not() {
        let codecs = codecs();
        assert_eq!(
            codecs["TimestampTz"].json()["in_aux"],
            json!([{"name": "typmod", "kind": "integer", "default": -1}])
        );
        assert_eq!(codecs.keys().collect::<Vec<_>>(), ["Shape", "TimestampTz"]);
    }
}
