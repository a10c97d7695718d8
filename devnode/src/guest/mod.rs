//! Calling a guest: reading its arguments, running it, and putting its failure into the node's words.
//!
//! In: a service, a state, a method and the `argsJson` value. Out: the output or an error `{type, data}` as
//! `/jsonrpc` sends it. It knows the manifest, but nothing of contexts and HTTP.

mod variant;
mod wire;

use std::time::Duration;

use serde_json::{Value, json};

use crate::app::{GuestError, GuestState, Service};
use crate::setup::GuestErrorText;

/// A method of the manifest with its place in the imagined source file.
struct Method<'a> {
    declaration: &'a Value,
    line: usize,
}

/// A call whose arguments were read.
pub(crate) struct Call {
    method: String,
    args: Value,
    place: String,
}

/// Reads the arguments of a call as the guest's own code would.
///
/// # Errors
/// The guest's panic for bad arguments, and the exports that no call may use.
pub(crate) fn prepare(service: &Service, crate_name: &str, method: &str, args: &Value) -> Result<Call, String> {
    check_name(method)?;
    let place = |line: usize| format!("apps/{crate_name}/src/lib.rs:{line}:12");
    match method {
        "init" => return Err(panic_text("Cannot initialize over already existing state.", &place(FIRST_LINE))),
        "memory" => return Err("guest panicked: internal error: entered unreachable code".into()),
        "__calimero_sync_next" => {
            let fault =
                "fatal: sync failed: DeserializationError(Custom { kind: InvalidData, error: \"Invalid tag\" })";
            return Err(panic_text(fault, &place(FIRST_LINE)));
        }
        _ => {}
    }
    let found = find(service, method).ok_or_else(|| not_found(method))?;
    let place = place(found.line);
    let args = wire::read_arguments(service, found.declaration, args).map_err(|text| panic_text(&text, &place))?;
    Ok(Call { method: method.into(), args, place })
}

impl Call {
    /// How long the guest will take.
    pub(crate) fn delay(&self, service: &Service) -> Duration {
        service.behaviour.delay(&self.method, &self.args)
    }

    /// Runs the guest. The state changes only if it succeeds.
    ///
    /// # Errors
    /// The `error` object of the answer.
    pub(crate) fn run(self, service: &Service, state: &mut GuestState, text: GuestErrorText) -> Result<Value, Value> {
        let mut draft = state.clone();
        match service.behaviour.call(&mut draft, &self.method, &self.args) {
            Ok(output) => {
                *state = draft;
                Ok(output)
            }
            Err(error) => Err(render(error, &self.method, &self.place, text)),
        }
    }
}

/// Runs the initialiser of a new context on the bytes a client sent; `[]` stands for no arguments.
///
/// # Errors
/// The guest's own text.
pub(crate) fn initialise(
    service: &Service,
    crate_name: &str,
    state: &mut GuestState,
    bytes: &[u8],
    text: GuestErrorText,
) -> Result<(), String> {
    let place = format!("apps/{crate_name}/src/lib.rs:{FIRST_LINE}:12");
    let sent = if bytes.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(bytes)
            .map_err(|error| panic_text(&format!("init: failed to deserialize arguments: {error:?}"), &place))?
    };
    let args = match find(service, "init") {
        // Without bytes an initialiser with parameters sees an empty document, not `null`.
        Some(method) if bytes.is_empty() && wire::has_parameters(method.declaration) => {
            return Err(panic_text(&wire::no_arguments(service, method.declaration), &place));
        }
        Some(method) => {
            wire::read_arguments(service, method.declaration, &sent).map_err(|fault| panic_text(&fault, &place))?
        }
        None => sent,
    };
    service.behaviour.init(state, &args).map_err(|error| match render(error, "init", &place, text) {
        Value::Object(fields) => match fields.get("data") {
            Some(Value::String(text)) => text.clone(),
            _ => "Internal server error".into(),
        },
        _ => "Internal server error".into(),
    })
}

/// The line of the first item in the imagined source.
const FIRST_LINE: usize = 35;

fn find<'a>(service: &'a Service, name: &str) -> Option<Method<'a>> {
    let methods = service.manifest.as_ref()?.get("methods")?.as_array()?;
    let (index, declaration) =
        methods.iter().enumerate().find(|(_, method)| method.get("name") == Some(&json!(name)))?;
    Some(Method { declaration, line: FIRST_LINE + 8 * (index + 1) })
}

/// `FunctionCallError` with `text`.
pub(crate) fn call_error(text: impl Into<String>) -> Value {
    json!({ "type": "FunctionCallError", "data": text.into() })
}

fn check_name(method: &str) -> Result<(), String> {
    match method.char_indices().find(|(_, c)| !c.is_ascii_alphanumeric() && *c != '_') {
        Some((at, c)) => Err(format!("method name contains invalid character at position {at}: {c:?}")),
        None => Ok(()),
    }
}

fn not_found(method: &str) -> String {
    format!("method {method:?} not found")
}

fn panic_text(message: &str, place: &str) -> String {
    format!("guest panicked: {message} at {place}")
}

/// `calimero-node-api.md` §6.3.
fn render(error: GuestError, method: &str, place: &str, text: GuestErrorText) -> Value {
    call_error(match error {
        GuestError::Returned(value) => {
            let json = value.to_string();
            match text {
                GuestErrorText::ByteList => format!("the method call returned an error: {:?}", json.as_bytes()),
                GuestErrorText::Text => format!("the method call returned an error: {json}"),
            }
        }
        GuestError::Panicked(message) => panic_text(&message, place),
        GuestError::Trap(text) => text,
        GuestError::NotFound => not_found(method),
        GuestError::Typed { kind, data } => {
            return match data {
                Some(data) => json!({ "type": kind, "data": data }),
                None => json!({ "type": kind }),
            };
        }
    })
}
