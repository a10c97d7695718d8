//! How a function's arguments and result travel as JSON, or why they cannot.
//!
//! Comes in: a prototype, its documentation, the codecs. Goes out: one description for each argument a caller gives, one
//! for the result, and the reasons against offering the function. The form is that of MobilityDB's own catalogs; it
//! says more than they do where they lose a function: moments and dates are text with a codec, 64-bit integers are
//! integers, arrays of values and of structures are arrays.

use super::codecs::{self, Codec, Codecs, fixed_json};
use super::comment::Comment;
use super::ctype::{CType, Typedefs};
use super::declarator::Declared;
use super::header::Prototype;
use super::kinds::Kinds;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What holds for all functions of a library.
pub(super) struct Types<'a> {
    pub(super) typedefs: &'a Typedefs,
    pub(super) enumerations: BTreeSet<&'a str>,
    pub(super) codecs: &'a BTreeMap<String, Codecs>,
    /// Readers of text by the function's name.
    pub(super) readers: BTreeMap<String, Codec>,
}

/// One function's way over the wire.
#[derive(Debug, Default)]
pub(super) struct Wire {
    pub(super) params: Vec<Value>,
    /// Positions in the C parameter list of `params`.
    pub(super) given: Vec<usize>,
    pub(super) result: Value,
    /// Against offering it; in the order found, each once.
    pub(super) reasons: Vec<String>,
    /// Names of the parameters the function writes to.
    pub(super) written: Vec<String>,
    /// How many elements an array result has, and of what it is.
    pub(super) array: Option<Value>,
}

/// A C value on its way: what it is in JSON.
enum Form {
    Value(Value),
    Unsupported(String),
}

/// Names a library gives to the number of elements it returns.
const COUNTS: [&str; 5] = ["count", "n", "nvalues", "size", "npoints"];

/// Structures that arrays hold one after the other; of all other types they hold pointers.
const IN_A_ROW: [&str; 3] = ["Span", "TBox", "STBox"];

/// Describes a function.
pub(super) fn of(prototype: &Prototype, comment: &Comment, accepts: &[Kinds], types: &Types<'_>) -> Wire {
    let list = &prototype.parameters.list;
    let mut wire = Wire::default();
    let result_at = types.result_parameter(prototype);
    let count_at = types.count_parameter(prototype);
    let array_at = types.array_parameter(list);
    for (at, parameter) in list.iter().enumerate() {
        if Some(at) == result_at || Some(at) == count_at || types.is_ignored(prototype, parameter) {
            wire.written.push(parameter.name.clone());
        } else if array_at.is_some_and(|array| array + 1 == at) {
            // The count of an array argument is the array's own.
        } else {
            let kinds = accepts.get(at).map(Vec::as_slice).unwrap_or_default();
            let next = list.get(at + 1).map(|next| next.name.as_str());
            let described = match next.filter(|_| array_at == Some(at)) {
                Some(count) => types.array(parameter, count, kinds),
                None => types.parameter(parameter, kinds),
            };
            let value = match described {
                Form::Value(value) => value,
                Form::Unsupported(reason) => {
                    wire.reasons.push(reason);
                    json!({"kind": "unsupported"})
                }
            };
            if comment.of(&parameter.name).is_some_and(|it| it.written) && !wire.written.contains(&parameter.name) {
                wire.written.push(parameter.name.clone());
            }
            wire.params.push(with_name(&parameter.name, value));
            wire.given.push(at);
        }
    }
    types.set_result(prototype, result_at, count_at, array_at, &mut wire);
    if prototype.parameters.variadic {
        wire.reasons.push("variadic".to_owned());
    }
    wire
}

fn with_name(name: &str, value: Value) -> Value {
    let mut named = Map::new();
    named.insert("name".to_owned(), json!(name));
    if let Value::Object(fields) = value {
        named.extend(fields);
    }
    Value::Object(named)
}

impl Types<'_> {
    fn canonical(&self, written: &CType) -> CType {
        self.typedefs.canonical(written)
    }

    /// What JSON calls a scalar; `None` for one that has no meaning outside the process, such as a `Datum`.
    fn json_scalar(&self, written: &CType) -> Option<Value> {
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
        if kinds == ["trgeometry"] {
            // No function of the interface reads one from text.
            return codecs.readers.get("wkb").or(general);
        }
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
        // A type that accepts everything is best read by the library's own choice.
        if kinds.len() > 5 { general.or(own) } else { own.or(general) }
    }

    /// A value read from a string by a codec.
    fn serialized(&self, written: &CType, kinds: &[&str]) -> Option<Value> {
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

    fn parameter(&self, parameter: &Declared, kinds: &[&str]) -> Form {
        let written = &parameter.ctype;
        if let Some(value) = self.json_scalar(written).or_else(|| self.serialized(written, kinds)) {
            return Form::Value(value);
        }
        let pointee_is_scalar = written.stars == 1 && self.json_scalar(&written.pointee()).is_some();
        if pointee_is_scalar || written.stars >= 2 {
            return Form::Unsupported(format!("array-or-out-param:{}", parameter.name));
        }
        Form::Unsupported(format!("no-decoder:{}", written.name()))
    }

    /// The first parameter that is an array whose count follows at once.
    fn array_parameter(&self, list: &[Declared]) -> Option<usize> {
        list.windows(2).position(|pair| match pair {
            [array, count] => {
                let of_count = self.canonical(&count.ctype);
                let counts = of_count.stars == 0 && matches!(of_count.base.as_str(), "int" | "uint32_t" | "size_t");
                let named = COUNTS.contains(&count.name.as_str()) || count.name.starts_with('n');
                let element = array.ctype.pointee();
                let in_a_row = array.ctype.stars == 1
                    && (IN_A_ROW.contains(&element.name())
                        || self.is_value(&element) && element.base != "unsigned char");
                let pointers =
                    array.ctype.stars == 2 && (element.base == "text" || self.serialized(&element, &[]).is_some());
                counts && named && (pointers || in_a_row)
            }
            _ => false,
        })
    }

    /// A number, truth or moment by value. Bytes are none: they are a binary form, not a list of numbers.
    fn is_value(&self, written: &CType) -> bool {
        let is_byte = matches!(self.canonical(written).base.as_str(), "unsigned char" | "char" | "signed char");
        written.stars == 0
            && !is_byte
            && (self.json_scalar(written).is_some() || codecs::is_serializable(written, self.typedefs))
    }

    fn array(&self, parameter: &Declared, count: &str, kinds: &[&str]) -> Form {
        let element =
            CType { stars: parameter.ctype.stars - usize::from(parameter.ctype.stars > 1), ..parameter.ctype.clone() };
        let element = if self.is_value(&parameter.ctype.pointee()) { parameter.ctype.pointee() } else { element };
        let Some(described) = self.json_scalar(&element).or_else(|| self.serialized(&element, kinds)) else {
            return Form::Unsupported(format!("no-decoder:{}", element.name()));
        };
        let mut value = json!({"kind": "array", "count_param": count, "element": described});
        set_layout(&mut value, &parameter.ctype);
        Form::Value(value)
    }

    /// The last parameter, when the function writes its one result there.
    fn result_parameter(&self, prototype: &Prototype) -> Option<usize> {
        let (at, last) = prototype.parameters.list.iter().enumerate().next_back()?;
        let returns = self.canonical(&prototype.returns);
        let tells = returns.is_void() || returns.stars == 0 && matches!(returns.base.as_str(), "bool" | "int");
        let target = last.ctype.pointee();
        let fits = match last.ctype.stars {
            1 => self.is_value(&target) && !last.ctype.is_const,
            2 => target.base == "text" || self.writer(&target).is_some(),
            _ => false,
        };
        (matches!(last.name.as_str(), "result" | "value") && tells && fits).then_some(at)
    }

    /// The one parameter the number of elements of an array result is written to.
    fn count_parameter(&self, prototype: &Prototype) -> Option<usize> {
        if prototype.returns.stars == 0 || prototype.returns.is_string() {
            return None;
        }
        let counts = prototype.parameters.list.iter().enumerate().filter(|(_, parameter)| {
            let canonical = self.canonical(&parameter.ctype);
            canonical.stars == 1
                && !canonical.is_const
                && matches!(canonical.base.as_str(), "int" | "long" | "int64_t")
                && COUNTS.contains(&parameter.name.as_str())
        });
        let found: Vec<usize> = counts.map(|(at, _)| at).collect();
        match found.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The length of a string that ends in zero anyway: it may be written and forgotten.
    fn is_ignored(&self, prototype: &Prototype, parameter: &Declared) -> bool {
        prototype.returns.is_string() && parameter.ctype.base == "size_t" && parameter.ctype.stars == 1
    }

    fn writer(&self, written: &CType) -> Option<&Codec> {
        let known = codecs::is_serializable(written, self.typedefs);
        self.codecs.get(written.name()).filter(|_| known).and_then(Codecs::writer)
    }

    fn result_form(&self, written: &CType) -> Option<Value> {
        if let Some(value) = self.json_scalar(written) {
            return Some(value);
        }
        let writer = self.writer(written)?;
        Some(json!({
            "kind": "serialized", "cType": written.spelled(), "encode": writer.function,
            "encode_aux": fixed_json(Some(writer)), "encodings": self.codecs.get(written.name())?.encodings(),
        }))
    }

    fn set_result(
        &self,
        prototype: &Prototype,
        result_at: Option<usize>,
        count_at: Option<usize>,
        array_at: Option<usize>,
        wire: &mut Wire,
    ) {
        let returns = &prototype.returns;
        if let Some(parameter) = result_at.and_then(|at| prototype.parameters.list.get(at)) {
            wire.result = self.written_result(parameter, !returns.is_void());
            return;
        }
        if returns.is_void() {
            wire.result = json!({"kind": "void"});
            // Nothing comes back, and what is changed in place is freed after the call.
            wire.reasons.extend((!prototype.parameters.list.is_empty()).then(|| "no-result".to_owned()));
            return;
        }
        let length = self.array_length(prototype, count_at, array_at);
        let form = match &length {
            Some(length) => self.array_result(returns, length, wire),
            None => self.result_form(returns),
        };
        wire.result = form.unwrap_or_else(|| {
            let canonical = self.canonical(returns);
            let opaque = returns.stars == 1 && !codecs::is_scalar(&canonical.pointee());
            let reason = if opaque {
                format!("no-encoder:{}", returns.name())
            } else {
                format!("unsupported-return:{}", returns.spelled())
            };
            wire.reasons.push(reason);
            json!({"kind": "unsupported"})
        });
    }

    fn written_result(&self, parameter: &Declared, presence: bool) -> Value {
        let form = self.result_form(&parameter.ctype.pointee()).unwrap_or_default();
        let Value::Object(mut fields) = form else { return json!({"kind": "unsupported"}) };
        fields.insert("from_outparam".to_owned(), json!(parameter.name));
        fields.insert("out_ctype".to_owned(), json!(parameter.ctype.spelled()));
        if presence {
            fields.insert("presence_return".to_owned(), json!(true));
        }
        Value::Object(fields)
    }

    /// Where the number of elements of an array result is found; `None` when the result is no array.
    fn array_length(
        &self,
        prototype: &Prototype,
        count_at: Option<usize>,
        array_at: Option<usize>,
    ) -> Option<(&'static str, Value)> {
        let returns = &prototype.returns;
        let list = &prototype.parameters.list;
        let name = |at: usize| list.get(at).map(|parameter| json!(parameter.name));
        if let Some(at) = count_at {
            return Some(("count_outparam", name(at)?));
        }
        let many = returns.stars == 2 || returns.stars == 1 && self.is_value(&returns.pointee());
        match list.as_slice() {
            // As many as went in: `posearr_round`.
            _ if returns.stars == 2 && array_at.is_some() => Some(("count_param", name(array_at? + 1)?)),
            [only] if many && only.ctype.name() == "Set" => Some(("count_function", json!("set_num_values"))),
            [only] if many && only.ctype.name() == "SpanSet" => Some(("count_function", json!("spanset_num_spans"))),
            _ => None,
        }
    }

    fn array_result(&self, returns: &CType, length: &(&'static str, Value), wire: &mut Wire) -> Option<Value> {
        let by_value = returns.stars == 1 && self.is_value(&returns.pointee());
        let element = if returns.stars == 2 || by_value { returns.pointee() } else { returns.clone() };
        let described = self.result_form(&element)?;
        let mut value = json!({"kind": "array", "element": described});
        set_layout(&mut value, returns);
        let (key, from) = length;
        if let Value::Object(fields) = &mut value {
            fields.insert((*key).to_owned(), from.clone());
        }
        let (kind, label) = if *key == "count_function" { ("function", "name") } else { ("param", "name") };
        let of = returns.pointee();
        wire.array = Some(json!({
            "lengthFrom": {"kind": kind, label: from},
            "element": {"c": of.spelled(), "canonical": self.canonical(&of).spelled()},
        }));
        Some(value)
    }
}

/// Says that the elements lie one after the other; an array of pointers is silent about it, as in the original.
fn set_layout(value: &mut Value, array: &CType) {
    let layout = match array.stars {
        1 if IN_A_ROW.contains(&array.name()) => "structs",
        1 => "values",
        _ => return,
    };
    if let Value::Object(fields) = value {
        fields.insert("layout".to_owned(), json!(layout));
    }
}
