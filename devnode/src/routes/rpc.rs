//! `POST /jsonrpc`: running methods.
//!
//! HTTP errors only for a body that is not the envelope; everything else is 200 with `result` or with an `error` of
//! `{type, data}`, which is *not* JSON-RPC's error object (`calimero-node-api.md` §6).

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use crate::body::Plain;
use crate::guest;
use crate::ids::Id;
use crate::node::{Inner, Node};
use crate::reply::{Answer, bare};
use crate::state::crate_name;

/// The longest method name, in bytes.
const METHOD_LIMIT: usize = 256;

/// The longest `argsJson`, serialised, in bytes.
const ARGS_LIMIT: usize = 10 << 20;

pub(super) fn routes() -> Router<Node> {
    Router::new().route("/jsonrpc", post(call))
}

#[derive(Deserialize)]
struct Request {
    #[serde(rename = "jsonrpc")]
    _version: Version,
    #[serde(deserialize_with = "Option::deserialize")]
    id: Option<RequestId>,
    #[serde(flatten)]
    payload: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum RequestId {
    String(String),
    Number(u64),
}

struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        match String::deserialize(json)?.as_str() {
            "2.0" => Ok(Self),
            _ => Err(D::Error::custom("Invalid JSON-RPC version")),
        }
    }
}

#[derive(Deserialize)]
#[serde(tag = "method", content = "params", rename_all = "snake_case")]
enum Payload {
    Execute(Execute),
    SyncStatus(SyncStatus),
    SetEphemeral(SetEphemeral),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Execute {
    context_id: String,
    method: String,
    args_json: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SyncStatus {
    context_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetEphemeral {
    context_id: String,
    #[serde(rename = "state")]
    _state: Vec<u8>,
}

async fn call(State(node): State<Node>, Plain(request): Plain<Request>) -> Answer {
    let outcome = match read(&node, request.payload) {
        Ok((Payload::Execute(execute), context)) => run(&node, &context, execute).await,
        Ok((Payload::SyncStatus(_), context)) => sync_status(&node, &context),
        Ok((Payload::SetEphemeral(_), context)) => {
            known(&node, &context).map(|()| json!({})).ok_or_else(|| json!({ "type": "ContextNotFound" }))
        }
        Err(text) => Err(json!({ "type": "ParseError", "data": text })),
    };
    bare(match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": request.id, "result": result }),
        Err(error) => json!({ "jsonrpc": "2.0", "id": request.id, "error": error }),
    })
}

/// Reads the payload and the context it names.
fn read(node: &Inner, payload: Value) -> Result<(Payload, Id), String> {
    let extra = stranger(node, &payload);
    let payload: Payload = serde_json::from_value(payload).map_err(|error| error.to_string())?;
    let context = match &payload {
        Payload::Execute(Execute { context_id, .. })
        | Payload::SyncStatus(SyncStatus { context_id })
        | Payload::SetEphemeral(SetEphemeral { context_id, .. }) => node.read_context(context_id)?,
    };
    if let Payload::Execute(execute) = &payload {
        extra.map_or(Ok(()), Err)?;
        check(execute)?;
    }
    Ok((payload, context))
}

/// Newer nodes refuse a parameter they do not know; older ones look away.
fn stranger(node: &Inner, payload: &Value) -> Option<String> {
    const KNOWN: [&str; 3] = ["contextId", "method", "argsJson"];
    if !node.is_newer() {
        return None;
    }
    let params = payload.get("params")?.as_object()?;
    let key = params.keys().find(|key| !KNOWN.contains(&key.as_str()))?;
    Some(format!("unknown field `{key}`, expected one of `contextId`, `method`, `argsJson`"))
}

fn check(execute: &Execute) -> Result<(), String> {
    if execute.method.is_empty() {
        return Err("Field 'method' is required but was empty".into());
    }
    let length = execute.method.len();
    if length > METHOD_LIMIT {
        return Err(format!("Field 'method' exceeds maximum length of {METHOD_LIMIT} characters (got {length})"));
    }
    let size = execute.args_json.to_string().len();
    if size > ARGS_LIMIT {
        return Err(format!("Field 'args_json' exceeds maximum size of {ARGS_LIMIT} bytes (got {size})"));
    }
    Ok(())
}

async fn run(node: &Inner, id: &Id, execute: Execute) -> Result<Value, Value> {
    const NO_IDENTITY: &str = "No owned identity found for this context";
    let (call, wait) = {
        let world = node.world();
        let context = world.contexts.get(id).filter(|context| !context.members.is_empty());
        let context = context.ok_or_else(|| guest::call_error(NO_IDENTITY))?;
        let service = context.module().ok_or_else(|| json!({ "type": "ContextNotFound" }))?;
        let name = crate_name(&context.app);
        let call = guest::prepare(service, &name, &execute.method, &execute.args_json).map_err(guest::call_error)?;
        let wait = call.delay(service);
        (call, wait)
    };
    if !wait.is_zero() {
        tokio::time::sleep(wait).await;
    }
    let mut world = node.world();
    // It may have been removed while the guest took its time.
    let context = world.contexts.get_mut(id).ok_or_else(|| guest::call_error(NO_IDENTITY))?;
    let outcome = context.change(|service, state| call.run(service, state, node.guest_errors));
    let output = outcome.ok_or_else(|| json!({ "type": "ContextNotFound" }))??;
    Ok(json!({ "output": output }))
}

fn sync_status(node: &Inner, id: &Id) -> Result<Value, Value> {
    known(node, id).ok_or_else(|| json!({ "type": "ContextNotFound" }))?;
    Ok(json!({
        "contextId": node.context_text(id),
        "isInitialized": true,
        "syncState": { "state": "idle" },
        "failureCount": 0,
    }))
}

fn known(node: &Inner, id: &Id) -> Option<()> {
    node.world().contexts.contains_key(id).then_some(())
}
