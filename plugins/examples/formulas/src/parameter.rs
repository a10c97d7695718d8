//! One parameter of a function: its words, its bounds and what it is when a call leaves it out.

use crate::sheet::{EXPECTED_NAME, Reader, is_name};
use abi_mcp_sdk::json::{described, kind_of};
use abi_mcp_sdk::serde_json::{Value, json};

/// One parameter.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) unit: Option<String>,
    pub(crate) doc: Option<String>,
    pub(crate) bounds: Vec<(&'static Bound, f64)>,
    /// Without one a call must give it.
    pub(crate) default: Option<f64>,
}

/// One side of what a number may be.
#[derive(Debug)]
pub(crate) struct Bound {
    /// In a sheet.
    pub(crate) word: &'static str,
    /// In JSON Schema.
    keyword: &'static str,
    /// In messages.
    phrase: &'static str,
    holds: fn(&f64, &f64) -> bool,
}

static BOUNDS: [Bound; 4] = [
    Bound { word: "minimum", keyword: "minimum", phrase: "at least", holds: f64::ge },
    Bound { word: "maximum", keyword: "maximum", phrase: "at most", holds: f64::le },
    Bound { word: "above", keyword: "exclusiveMinimum", phrase: "above", holds: f64::gt },
    Bound { word: "below", keyword: "exclusiveMaximum", phrase: "below", holds: f64::lt },
];

impl Parameter {
    /// Reads one of `takes`.
    pub(crate) fn read(written: &Value, path: &str, reader: &mut Reader<'_>) -> Result<Self, String> {
        let written = written.as_object().ok_or_else(|| format!("expected an object, found {}", kind_of(written)))?;
        let name = written.get("name").and_then(Value::as_str).filter(|name| is_name(name)).ok_or(EXPECTED_NAME)?;
        let bounds = BOUNDS.iter().filter_map(|bound| Some((bound, reader.number(written, path, bound.word)?)));
        let mut parameter = Self {
            name: name.to_owned(),
            bounds: bounds.collect(),
            unit: reader.text(written, path, "unit"),
            doc: reader.text(written, path, "doc"),
            default: None,
        };
        if let Some(default) = written.get("default") {
            parameter.default = Some(parameter.take(default).map_err(|problem| format!("default: {problem}"))?);
        }
        let known = ["name", "unit", "doc", "default"].into_iter().chain(BOUNDS.iter().map(|bound| bound.word));
        reader.note_unknown(written, path, &known.collect::<Vec<_>>());
        Ok(parameter)
    }

    /// A value of a call.
    pub(crate) fn take(&self, value: &Value) -> Result<f64, String> {
        let number = value.as_number().ok_or_else(|| format!("expected a number, found {}", kind_of(value)))?;
        let number = number.as_f64().filter(|number| number.is_finite());
        self.fits(number.ok_or("the number is beyond 64-bit floating point")?)
    }

    /// The value, if the bounds allow it.
    pub(crate) fn fits(&self, value: f64) -> Result<f64, String> {
        let broken = self.bounds.iter().find(|(bound, limit)| !(bound.holds)(&value, limit));
        broken.map_or(Ok(value), |(bound, limit)| {
            Err(format!("expected a number {} {}, found {}", bound.phrase, plain(*limit), plain(value)))
        })
    }

    /// What a call may give for it.
    pub(crate) fn schema(&self) -> Value {
        let mut schema = number(self.unit.as_deref(), self.doc.as_deref());
        if let Some(schema) = schema.as_object_mut() {
            schema.extend(self.bounds.iter().map(|(bound, limit)| (bound.keyword.to_owned(), plain(*limit))));
            schema.extend(self.default.map(|default| ("default".to_owned(), plain(default))));
        }
        schema
    }
}

/// The schema of a number; its description is `kg: what the scales show`.
pub(crate) fn number(unit: Option<&str>, doc: Option<&str>) -> Value {
    let words: Vec<&str> = [unit, doc].into_iter().flatten().collect();
    let schema = json!({ "type": "number" });
    if words.is_empty() { schema } else { described(schema, &words.join(": ")) }
}

/// A number as people write it, 5 and not 5.0; an exact whole number up to 2^53 is one in JSON as well.
pub(crate) fn plain(number: f64) -> Value {
    let whole = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
    if whole { Value::from(number as i64) } else { Value::from(number) }
}
