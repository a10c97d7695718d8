//! `call_many`: several calls side by side, each with its own outcome.

use crate::model::{CallScope, Content, JsonObject, ToolReply};
use crate::schema::result::{self, ResultChecker};
use crate::tools::invoke::offload;
use crate::tools::{Server, call, fixed};
use futures_util::future::join_all;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::LazyLock;

/// Calls in one batch, at most.
pub(crate) const MOST: usize = 32;

/// One call's outcome as it goes out; the result keeps every digit.
#[derive(Serialize)]
struct Item {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Makes the calls. A wrong number of them runs none; anything else wrong concerns its own call only.
pub(crate) async fn call_many(
    server: &Server,
    arguments: &JsonObject,
    scope: &CallScope,
) -> Result<ToolReply, ToolReply> {
    let calls = batch(arguments)?;
    let items = join_all(calls.iter().map(|arguments| item(server, arguments, scope))).await;
    let text = serde_json::to_string(&items).map_err(|error| {
        ToolReply::error(format!("Error: the calls ran, but their results cannot be written: {error}"))
    })?;
    offload(move || reply(&text)).await?
}

/// The calls of the batch: a list of objects, or the JSON text of one.
fn batch(arguments: &JsonObject) -> Result<Vec<JsonObject>, ToolReply> {
    let refuse = |found: &str| {
        ToolReply::error(format!(
            "Input validation error: Invalid arguments for tool call_many: `calls` must be a list of 1 to {MOST} \
             objects, each with the arguments of `call`; found {found}. Nothing was run."
        ))
    };
    if let Some(other) = arguments.keys().find(|name| *name != "calls") {
        return Err(refuse(&format!("an argument `{}` beside it", crate::text::clean_line(other))));
    }
    let calls: Value = match arguments.get("calls") {
        None => return Err(refuse("nothing")),
        Some(Value::String(text)) => serde_json::from_str(text).map_err(|_| refuse("a text"))?,
        Some(calls) => calls.clone(),
    };
    let Value::Array(calls) = calls else { return Err(refuse("no list")) };
    if calls.is_empty() || calls.len() > MOST {
        return Err(refuse(&format!("{} of them", calls.len())));
    }
    calls
        .into_iter()
        .map(|call| match call {
            Value::Object(call) => Ok(call),
            _ => Err(refuse("one that is no object")),
        })
        .collect()
}

async fn item(server: &Server, arguments: &JsonObject, scope: &CallScope) -> Item {
    match call::raw(server, arguments, scope).await {
        Ok(raw) => match RawValue::from_string(raw.unwrap_or_else(|| "null".to_owned())) {
            Ok(result) => Item { ok: true, result: Some(result), error: None },
            Err(error) => Item {
                ok: false,
                result: None,
                error: Some(format!("Error: the backend's answer is not JSON: {error}")),
            },
        },
        Err(reply) => Item { ok: false, result: None, error: Some(last_text(reply)) },
    }
}

/// What a failure says, without the guide a refusal shows first.
fn last_text(reply: ToolReply) -> String {
    let mut texts = reply.content.into_iter().filter_map(|block| match block {
        Content::Text(text) => Some(text),
        Content::Resource(_) => None,
    });
    texts.next_back().unwrap_or_default()
}

/// The outcomes as text and as structure.
fn reply(json: &str) -> Result<ToolReply, ToolReply> {
    static CHECKER: LazyLock<Option<ResultChecker>> =
        LazyLock::new(|| ResultChecker::new(&fixed::answer_schema("call_many")?).ok());
    let failed = |error: result::ResultError| ToolReply::error(format!("Error: {error}"));
    let folded = result::fold(json, CHECKER.as_ref()).map_err(failed)?;
    let text = result::readable(Some(json)).map_err(failed)?;
    Ok(ToolReply { structured: folded.structured, ..ToolReply::text(text) })
}
