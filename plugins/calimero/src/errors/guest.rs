//! JSON-RPC errors of a node: a type name, perhaps data, perhaps a message.

use super::{explanation, hinted, text};
use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{Class, Explanation, GuestFailure, Retry};

/// The type of whatever went wrong while a method ran.
const RAN: &str = "FunctionCallError";

pub(super) fn explain(failure: &GuestFailure) -> Option<Explanation> {
    let kind = failure.kind.trim();
    // A message that only repeats the type is no message.
    let message = failure.message.as_deref().map(str::trim).filter(|message| !message.is_empty() && *message != kind);
    let data = failure.data.as_ref().filter(|data| !data.is_null());
    if kind == RAN || kind.is_empty() {
        let ran = data.and_then(|data| from_data(data, failure.signature.as_deref()));
        return ran
            .or_else(|| message.and_then(|message| text::explain(message, failure.signature.as_deref())))
            .or_else(|| (!kind.is_empty()).then(|| explanation(Class::Application, Retry::AfterChange, kind)));
    }
    let (class, retry, words) = known(kind);
    let said = message.map(str::to_owned).or_else(|| data.and_then(|data| in_words(kind, data)));
    // Data that only names what the words are about stands behind them.
    let message = match (said, words) {
        (Some(said), _) if message.is_some() => said,
        (Some(said), Some(words)) => format!("{kind}: {words} ({said})"),
        (Some(said), None) => format!("{kind}: {said}"),
        (None, Some(words)) => format!("{kind}: {words}"),
        (None, None) => kind.to_owned(),
    };
    Some(match retry {
        Retry::Later => hinted(explanation(class, retry, message), "try again shortly"),
        _ => explanation(class, retry, message),
    })
}

/// The data of a run that failed: a text, the bytes of one, or a structured error.
fn from_data(data: &Value, signature: Option<&str>) -> Option<Explanation> {
    match data {
        Value::String(said) => text::explain(said, signature),
        Value::Array(elements) => {
            let bytes: Option<Vec<u8>> =
                elements.iter().map(|element| element.as_u64().and_then(|byte| byte.try_into().ok())).collect();
            match bytes {
                Some(bytes) => text::from_bytes(bytes),
                None => Some(explanation(Class::Application, Retry::AfterChange, data.to_string())),
            }
        }
        other => Some(explanation(Class::Application, Retry::AfterChange, other.to_string())),
    }
}

/// What the data adds, in a line; `None` when it is empty.
fn in_words(kind: &str, data: &Value) -> Option<String> {
    match data {
        Value::String(said) => Some(said.trim().to_owned()).filter(|said| !said.is_empty()),
        Value::Object(members) if members.is_empty() => None,
        Value::Object(members) => {
            let only = if members.len() == 1 { members.values().next().and_then(Value::as_str) } else { None };
            match (kind, only) {
                // `{"kind": "Runtime"}` and `{"message": "…"}` of types that we know read best bare.
                ("InternalError" | "SerdeError", Some(only)) => Some(only.to_owned()),
                _ => Some(data.to_string()),
            }
        }
        other => Some(other.to_string()),
    }
}

/// Class, retry and words of every type a node has been seen or documented to send.
fn known(kind: &str) -> (Class, Retry, Option<&'static str>) {
    use Class::{Application, Backend, BadRequest, ContextNotFound, NotAllowed, Temporary};
    let (class, retry, words) = match kind {
        "ParseError" => return (BadRequest, Retry::AfterChange, None),
        "SerdeError" => (Application, Retry::No, "the method returned something that is not JSON"),
        "InternalError" => (Backend, Retry::No, "the node gave no reason; its log may"),
        "ContextNotFound" => (ContextNotFound, Retry::AfterChange, "the node does not know the context of this call"),
        "ApplicationNotInstalled" => {
            (ContextNotFound, Retry::AfterChange, "the application of this context is not installed on the node")
        }
        "Uninitialized" => (Temporary, Retry::Later, "the context has not received its state yet, which passes"),
        "GroupKeyPending" => (Temporary, Retry::Later, "the node waits for the key of the context's group"),
        "UpgradeInProgress" => (Temporary, Retry::Later, "the context's group is being upgraded; reads still work"),
        "Unauthorized" => (NotAllowed, Retry::No, "this identity may not act in the context"),
        "NotAMember" => (NotAllowed, Retry::No, "this node is not a member of the context"),
        "XCallNotPermitted" => (NotAllowed, Retry::No, "a call from one context into another was refused"),
        "ReadOnlyWriteRefused" => {
            (Application, Retry::No, "the method says it only reads but changed state; nothing was written")
        }
        "NotReadOnly" => (BadRequest, Retry::AfterChange, "only methods that read may be called here"),
        "PrivateStorageUnavailable" => (Backend, Retry::No, "the node has no private storage for the context"),
        _ => return (Backend, Retry::No, None),
    };
    (class, retry, Some(words))
}
