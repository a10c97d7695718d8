//! What a single C value is on the wire: plain JSON, or a string that a codec of the library reads and writes.
//!
//! Comes in: a C type and, for an argument, the SQL types it may have. Goes out: its description in the catalog's form.
//! It knows nothing of what the value is for: see `roles`.

use super::codecs::{self, Codec, Codecs, fixed_json};
use super::ctype::{CType, Typedefs};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What holds for all functions of a library.
pub(super) struct Types<'a> {
    pub(super) typedefs: &'a Typedefs,
    pub(super) enumerations: BTreeSet<&'a str>,
    pub(super) codecs: &'a BTreeMap<String, Codecs>,
    /// Readers of text by the function's name.
    pub(super) readers: BTreeMap<String, Codec>,
}

/// Structures that arrays hold one after the other; of all other types they hold pointers.
pub(super) const IN_A_ROW: [&str; 3] = ["Span", "TBox", "STBox"];

impl Types<'_> {
    pub(super) fn canonical(&self, written: &CType) -> CType {
        self.typedefs.canonical(written)
    }

    /// What JSON calls a scalar; `None` for one that has no meaning outside the process, such as a `Datum`.
    pub(super) fn json_scalar(&self, written: &CType) -> Option<Value> {
        if written.is_string() || (written.base == "text" && written.stars == 1) {
            return Some(json!({"kind": "json", "json": "string"}));
        }
        let canonical = self.canonical(written);
        if canonical.stars > 0 {
            return None;
        }
        match canonical.base.as_str() {
            _ if codecs::is_serializable(written, self.typedefs) => None,
            "bool" => Some(json!({"kind": "json", "json": "boolean"})),
            "float" | "double" => Some(json!({"kind": "json", "json": "number"})),
            "void" | "uintptr_t" => None,
            name if self.enumerations.contains(name) => Some(json!({"kind": "json", "json": "string", "enum": name})),
            _ if codecs::is_scalar(&canonical) => Some(json!({"kind": "json", "json": "integer"})),
            _ => None,
        }
    }

    fn reader(&self, written: &CType, kinds: &[&str]) -> Option<&Codec> {
        let codecs = self.codecs.get(written.name())?;
        let general = codecs.reader();
        let subtype = match written.name() {
            "TInstant" => "inst",
            "TSequence" => "seq",
            "TSequenceSet" => "seqset",
            _ => "",
        };
        let own = kinds.iter().find_map(|kind| {
            let stem = match *kind {
                "geometry" => "geom",
                "geography" => "geog",
                other => other,
            };
            self.readers.get(&format!("{stem}{subtype}_in"))
        });
        if own.is_none() && kinds == ["trgeometry"] {
            // MEOS itself reads one from binary only.
            return codecs.readers.get("wkb").or(general);
        }
        // A type that accepts everything is best read by the library's own choice.
        if kinds.len() > 5 { general.or(own) } else { own.or(general) }
    }

    /// A value read from a string by a codec.
    pub(super) fn serialized(&self, written: &CType, kinds: &[&str]) -> Option<Value> {
        if !codecs::is_serializable(written, self.typedefs) {
            return None;
        }
        let reader = self.reader(written, kinds)?;
        let encodings = self.codecs.get(written.name())?.encodings();
        let mut value = json!({
            "kind": "serialized", "cType": written.spelled(), "decode": reader.function,
            "decode_aux": fixed_json(Some(reader)), "encodings": encodings,
        });
        if let (Value::Object(fields), false) = (&mut value, kinds.is_empty()) {
            fields.insert("kinds".to_owned(), json!(kinds));
        }
        Some(value)
    }

    /// A number, truth or moment by value. Bytes are none: they are a binary form, not a list of numbers.
    pub(super) fn is_value(&self, written: &CType) -> bool {
        let is_byte = matches!(self.canonical(written).base.as_str(), "unsigned char" | "char" | "signed char");
        written.stars == 0
            && !is_byte
            && (self.json_scalar(written).is_some() || codecs::is_serializable(written, self.typedefs))
    }

    pub(super) fn writer(&self, written: &CType) -> Option<&Codec> {
        let known = codecs::is_serializable(written, self.typedefs);
        self.codecs.get(written.name()).filter(|_| known).and_then(Codecs::writer)
    }

    pub(super) fn result_form(&self, written: &CType) -> Option<Value> {
        if let Some(value) = self.json_scalar(written) {
            return Some(value);
        }
        let writer = self.writer(written)?;
        Some(json!({
            "kind": "serialized", "cType": written.spelled(), "encode": writer.function,
            "encode_aux": fixed_json(Some(writer)), "encodings": self.codecs.get(written.name())?.encodings(),
        }))
    }
}

/// Says that the elements lie one after the other; an array of pointers is silent about it, as in the original.
pub(super) fn set_layout(value: &mut Value, array: &CType) {
    let layout = match array.stars {
        1 if IN_A_ROW.contains(&array.name()) => "structs",
        1 => "values",
        _ => return,
    };
    if let Value::Object(fields) = value {
        fields.insert("layout".to_owned(), json!(layout));
    }
}
