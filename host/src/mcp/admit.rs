//! Decides what becomes of one JSON value from the client: served, refused, or ignored.
//!
//! In: a value and whether `initialize` has been seen. Out: a typed message for the SDK's loop, or the refusal to
//! write at once. Every rule here is one the SDK answers wrongly, late or not at all; what passes is well-formed,
//! belongs to a served method and to an era. Knows no queue, no task and no tool.
//!
//! Duplicate members are legal JSON and the last one counts, as in every common parser.

use super::era::{self, Claim, Era};
use crate::model::JsonObject;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequest, CancelledNotification, CancelledNotificationParam, ClientNotification, ClientRequest,
    CompleteRequest, DiscoverRequest, ErrorCode, InitializeRequest, InitializedNotification,
    ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, PingRequest, ReadResourceRequest, RequestId,
    SubscriptionsListenRequest,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What to do with a value.
#[derive(Debug)]
pub(super) enum Admission {
    /// Serve it.
    Request(RequestId, Box<ClientRequest>),
    /// Pass it on.
    Notify(ClientNotification),
    /// Answer it with an error.
    Refuse(Refusal),
    /// Say nothing.
    Ignore,
}

/// An error answer; the id is the client's own, or null where there is none to read.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    id: Value,
    error: ErrorData,
}

impl Refusal {
    /// An answer to something with the given id.
    pub(super) fn new(id: Option<Value>, error: ErrorData) -> Self {
        Self { id: id.unwrap_or_default(), error }
    }

    /// The answer as a line, without its end. The SDK's own type leaves out a null id, which JSON-RPC 2.0 wants.
    pub(super) fn frame(&self) -> Vec<u8> {
        json!({ "jsonrpc": "2.0", "id": self.id, "error": self.error }).to_string().into_bytes()
    }
}

/// Judges one value.
pub(super) fn admit(value: Value, initialized: bool) -> Admission {
    let mut message = match value {
        Value::Object(message) => message,
        Value::Array(_) => return refuse(None, invalid_request("batches are not supported: send one message a line")),
        _ => return refuse(None, invalid_request("a message must be a JSON object")),
    };
    let id = message.remove("id");
    let echo = id.clone().filter(|id| id.is_string() || id.is_number());
    let method = match message.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => return refuse(echo, invalid_request("`method` must be a string")),
        // We never ask the client anything, so no answer of its can be for us.
        None if message.contains_key("result") || message.contains_key("error") => return Admission::Ignore,
        None => return refuse(echo, invalid_request("`method` is missing")),
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        // Without an id it was meant as a notification, and those have no answer.
        let answerable = id.is_some();
        return if answerable { refuse(echo, invalid_request("`jsonrpc` must be \"2.0\"")) } else { Admission::Ignore };
    }
    let params = message.remove("params").unwrap_or_default();
    let Some(id) = id else { return notification(&method, &params, initialized) };
    let Ok(request_id) = serde_json::from_value::<RequestId>(id) else {
        return refuse(echo, invalid_request("`id` must be a string or a 64-bit integer"));
    };
    match request(&method, params, initialized) {
        Ok(request) => Admission::Request(request_id, Box::new(request)),
        Err(error) => refuse(echo, error),
    }
}

fn notification(method: &str, params: &Value, initialized: bool) -> Admission {
    match method {
        "notifications/initialized" if initialized => {
            Admission::Notify(ClientNotification::InitializedNotification(InitializedNotification::default()))
        }
        "notifications/cancelled" => {
            let id = params.get("requestId").cloned().map(serde_json::from_value::<RequestId>);
            let Some(Ok(id)) = id else { return Admission::Ignore };
            let reason = params.get("reason").and_then(Value::as_str).map(str::to_owned);
            let params = CancelledNotificationParam::new(Some(id), reason);
            Admission::Notify(ClientNotification::CancelledNotification(CancelledNotification::new(params)))
        }
        _ => Admission::Ignore,
    }
}

fn request(method: &str, params: Value, initialized: bool) -> Result<ClientRequest, ErrorData> {
    let params = match params {
        Value::Object(params) => params,
        Value::Null => JsonObject::new(),
        _ => return Err(ErrorData::invalid_params(format!("`params` of `{method}` must be an object"), None)),
    };
    let claim = era::claim(&params)?;
    let Some(known) = Method::named(method) else { return Err(not_served(method)) };
    match claim {
        Claim::Inline(Era::Modern) if !known.is_modern() => return Err(gone(method)),
        Claim::Inline(Era::Legacy) | Claim::Session if known == Method::Listen => return Err(too_early(method)),
        // Google Antigravity asks so, even after `initialize`; it needs an answer with an id.
        Claim::Session if known == Method::Discover => return Err(era::needs_metadata(method)),
        Claim::Session if !initialized && !matches!(known, Method::Ping | Method::Initialize) => {
            return Err(era::needs_metadata(method));
        }
        _ => {}
    }
    if known.is_list() && params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
        return Err(ErrorData::invalid_params(format!("unknown `cursor`: `{method}` has one page"), None));
    }
    known
        .typed(json!({ "method": method, "params": params }))
        .map_err(|error| ErrorData::invalid_params(format!("malformed parameters of `{method}`: {error}"), None))
}

/// The methods served, in either era.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Ping,
    Initialize,
    Discover,
    ListTools,
    CallTool,
    ListResources,
    ListResourceTemplates,
    ReadResource,
    Complete,
    Listen,
}

impl Method {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "ping" => Self::Ping,
            "initialize" => Self::Initialize,
            "server/discover" => Self::Discover,
            "tools/list" => Self::ListTools,
            "tools/call" => Self::CallTool,
            "resources/list" => Self::ListResources,
            "resources/templates/list" => Self::ListResourceTemplates,
            "resources/read" => Self::ReadResource,
            "completion/complete" => Self::Complete,
            "subscriptions/listen" => Self::Listen,
            _ => return None,
        })
    }

    fn is_modern(self) -> bool {
        !matches!(self, Self::Ping | Self::Initialize)
    }

    fn is_list(self) -> bool {
        matches!(self, Self::ListTools | Self::ListResources | Self::ListResourceTemplates)
    }

    /// The SDK's type for the request. Its own union of all methods would be slower and hide what is malformed.
    fn typed(self, request: Value) -> Result<ClientRequest, serde_json::Error> {
        fn read<R: DeserializeOwned + Into<ClientRequest>>(request: Value) -> Result<ClientRequest, serde_json::Error> {
            serde_json::from_value::<R>(request).map(Into::into)
        }
        match self {
            Self::Ping => read::<PingRequest>(request),
            Self::Initialize => read::<InitializeRequest>(request),
            Self::Discover => read::<DiscoverRequest>(request),
            Self::ListTools => read::<ListToolsRequest>(request),
            Self::CallTool => read::<CallToolRequest>(request),
            Self::ListResources => read::<ListResourcesRequest>(request),
            Self::ListResourceTemplates => read::<ListResourceTemplatesRequest>(request),
            Self::ReadResource => read::<ReadResourceRequest>(request),
            Self::Complete => read::<CompleteRequest>(request),
            Self::Listen => read::<SubscriptionsListenRequest>(request),
        }
    }
}

fn refuse(id: Option<Value>, error: ErrorData) -> Admission {
    Admission::Refuse(Refusal::new(id, error))
}

fn invalid_request(problem: &'static str) -> ErrorData {
    ErrorData::invalid_request(problem, None)
}

fn not_served(method: &str) -> ErrorData {
    method_not_found(format!("method `{method}` is not served here; the capabilities say what is"))
}

fn gone(method: &str) -> ErrorData {
    method_not_found(format!("method `{method}` does not exist in protocol 2026-07-28"))
}

fn too_early(method: &str) -> ErrorData {
    method_not_found(format!("method `{method}` exists from protocol 2026-07-28 on"))
}

fn method_not_found(message: String) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}
