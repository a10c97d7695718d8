//! Reads single fields out of a row without insisting on them.

use crate::model::JsonObject;
use serde_json::Value;

/// A non-blank string; a missing, null, blank or otherwise typed field is `None`.
pub(super) fn text(row: &JsonObject, field: &str) -> Option<String> {
    row.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// An array of byte values; `None` when the field is anything else.
pub(super) fn bytes(value: &Value) -> Option<Vec<u8>> {
    let numbers = value.as_array()?;
    numbers.iter().map(|number| number.as_u64().and_then(|number| u8::try_from(number).ok())).collect()
}
