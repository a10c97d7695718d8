//! Replies of fixed tools: text for people and models, and the same as structure.

use crate::model::{JsonObject, ToolReply};
use crate::schema::SAFE_INTEGER;
use crate::tools::app::pretty;
use serde_json::{Value, json};

/// A reply that is only words.
pub(super) fn words(text: String) -> ToolReply {
    ToolReply::text(text)
}

/// An object, as text and as structure.
pub(super) fn object(object: JsonObject) -> ToolReply {
    ToolReply { structured: Some(structure(Value::Object(object.clone()))), ..ToolReply::text(pretty(&object)) }
}

/// An object from a `json!` literal.
pub(super) fn literal(value: Value) -> ToolReply {
    match value {
        Value::Object(members) => object(members),
        other => as_said(&other),
    }
}

/// What a node said, as it said it; structure is an object, so anything else is its `result`.
pub(super) fn as_said(value: &Value) -> ToolReply {
    let structured = match value {
        Value::Object(_) => value.clone(),
        other => json!({"result": other}),
    };
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    ToolReply { structured: Some(structure(structured)), ..ToolReply::text(text) }
}

/// Which rows of a list a call wants.
pub(super) struct Page {
    offset: usize,
    limit: Option<usize>,
}

impl Page {
    /// From the arguments `offset` and `limit`.
    pub(super) fn of(arguments: &JsonObject) -> Self {
        let number = |name| arguments.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
        Self { offset: number("offset").unwrap_or(0), limit: number("limit") }
    }

    /// The rows wanted; beside them, where that is not all, how many there are and where the rest begins.
    pub(super) fn cut(&self, rows: Vec<Value>) -> (Vec<Value>, JsonObject) {
        let total = rows.len();
        let shown: Vec<Value> = rows.into_iter().skip(self.offset).take(self.limit.unwrap_or(total)).collect();
        let mut rest = JsonObject::new();
        if shown.len() < total {
            rest.insert("total".to_owned(), json!(total));
            let next = self.offset.saturating_add(shown.len());
            if next < total {
                rest.insert("nextOffset".to_owned(), json!(next));
            }
        }
        (shown, rest)
    }
}

/// Rows under a key.
pub(super) fn rows(key: &str, rows: Vec<Value>, page: &Page) -> ToolReply {
    let (rows, rest) = page.cut(rows);
    let mut answer = JsonObject::new();
    answer.insert(key.to_owned(), Value::Array(rows));
    answer.extend(rest);
    object(answer)
}

/// Rows as a bare list in the text; as structure they need a key.
pub(super) fn bare_rows(key: &str, rows: Vec<Value>, page: &Page) -> ToolReply {
    let (rows, rest) = page.cut(rows);
    let mut text = serde_json::to_string_pretty(&rows).unwrap_or_default();
    if let (Some(total), Some(next)) = (rest.get("total"), rest.get("nextOffset")) {
        text.push_str(&format!("\n{} of {total}; offset {next} shows the next", rows.len()));
    }
    let mut answer = JsonObject::new();
    answer.insert(key.to_owned(), Value::Array(rows));
    answer.extend(rest);
    ToolReply { structured: Some(structure(Value::Object(answer))), ..ToolReply::text(text) }
}

/// The value as structure: integers that JavaScript would round are texts of their digits.
fn structure(mut value: Value) -> Value {
    let mut open = vec![&mut value];
    while let Some(value) = open.pop() {
        match value {
            Value::Number(number) => {
                let magnitude = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
                if magnitude.is_some_and(|magnitude| magnitude > SAFE_INTEGER) {
                    *value = Value::String(number.to_string());
                }
            }
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values_mut()),
            _ => {}
        }
    }
    value
}
