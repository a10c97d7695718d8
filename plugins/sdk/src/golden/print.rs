//! The plain types as JSON and back, as golden files show them.

use crate::{
    Access, Class, Explanation, Failure, Fault, Fit, GuestFailure, HttpFailure, Mapping, Method, Problem, Recognition,
    Retry, Role,
};
use serde_json::{Map, Value, json};

/// Pretty JSON with a line end, the form of every golden file.
pub(super) fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// JSON text as a value; text that is not JSON shows as such, for the golden file to reveal it.
pub(super) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| Value::from(format!("not JSON ({error}): {text}")))
}

/// What a mapper says of one manifest.
pub(super) fn answer(recognition: Option<&Recognition>, mapping: &Result<Mapping, Fault>) -> Value {
    let mut answer = Map::new();
    answer.insert("recognition".to_owned(), recognition.map_or(Value::Null, print_recognition));
    match mapping {
        Ok(mapping) => {
            answer.insert("methods".to_owned(), mapping.methods.iter().map(print_method).collect());
            let skipped = mapping.skipped.iter().map(|it| json!({ "method": it.method, "reason": it.reason }));
            answer.insert("skipped".to_owned(), skipped.collect());
            let notes = mapping.notes.iter().map(|it| json!({ "method": it.method, "path": it.path, "text": it.text }));
            answer.insert("notes".to_owned(), notes.collect());
        }
        Err(fault) => drop(answer.insert("fault".to_owned(), print_fault(fault))),
    }
    Value::Object(answer)
}

/// The problems of one call.
pub(super) fn problems(problems: &[Problem]) -> Value {
    problems.iter().map(|problem| json!({ "at": problem.at, "message": problem.message })).collect()
}

/// One explanation.
pub(super) fn explanation(explanation: &Explanation) -> Value {
    let class = match explanation.class {
        Class::Application => "application",
        Class::ArgumentsNotRead => "arguments-not-read",
        Class::Crashed => "crashed",
        Class::MethodNotFound => "method-not-found",
        Class::ContextNotFound => "context-not-found",
        Class::Temporary => "temporary",
        Class::NotAllowed => "not-allowed",
        Class::BadRequest => "bad-request",
        Class::Backend => "backend",
    };
    let retry = match explanation.retry {
        Retry::No => "no",
        Retry::Later => "later",
        Retry::AfterChange => "after-change",
    };
    json!({ "message": explanation.message, "class": class, "retry": retry, "hint": explanation.hint })
}

/// Reads `{"guest": {…}}`, `{"http": {…}}` or `{"transport": "…"}`.
pub(super) fn read_failure(failure: &Map<String, Value>) -> Option<Failure> {
    let text = |object: &Value, key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    if let Some(guest) = failure.get("guest") {
        return Some(Failure::Guest(GuestFailure {
            kind: text(guest, "kind").unwrap_or_default(),
            data: guest.get("data").cloned(),
            message: text(guest, "message"),
            method: text(guest, "method").unwrap_or_default(),
            signature: text(guest, "signature"),
        }));
    }
    if let Some(http) = failure.get("http") {
        let headers = http.get("headers").and_then(Value::as_object).cloned().unwrap_or_default();
        return Some(Failure::Http(HttpFailure {
            status: http.get("status").and_then(Value::as_u64).and_then(|status| status.try_into().ok())?,
            reason: text(http, "reason").unwrap_or_default(),
            path: text(http, "path").unwrap_or_default(),
            headers: headers.into_iter().filter_map(|(name, value)| Some((name, value.as_str()?.to_owned()))).collect(),
            body: text(http, "body").unwrap_or_default(),
        }));
    }
    failure.get("transport").and_then(Value::as_str).map(|words| Failure::Transport(words.to_owned()))
}

fn print_recognition(recognition: &Recognition) -> Value {
    let fit = match recognition.fit {
        Fit::Exact => "exact",
        Fit::Compatible => "compatible",
    };
    json!({
        "ecosystem": recognition.ecosystem,
        "format": recognition.format,
        "subject-version": recognition.subject_version,
        "fit": fit,
        "reasons": recognition.reasons,
    })
}

fn print_fault(fault: &Fault) -> Value {
    match fault {
        Fault::NotRecognised(found) => json!({ "not-recognised": found }),
        Fault::Malformed { at, problem } => json!({ "malformed": { "at": at, "problem": problem } }),
        Fault::TooLarge(bound) => json!({ "too-large": bound }),
    }
}

fn print_method(method: &Method) -> Value {
    let role = match method.role {
        Role::Ordinary => "ordinary",
        Role::Initialiser => "initialiser",
        Role::Handler => "handler",
        Role::Timer => "timer",
    };
    let access = match method.access {
        Access::View => "view",
        Access::Mutate => "mutate",
        Access::Unspecified => "unspecified",
    };
    let parameters = method
        .parameters
        .iter()
        .map(|parameter| json!({ "name": parameter.name, "required": parameter.required, "doc": parameter.doc }));
    let mut printed = json!({
        "name": method.name,
        "signature": method.signature,
        "title": method.title,
        "doc": method.doc,
        "role": role,
        "access": access,
        "destructive": method.destructive,
        "idempotent": method.idempotent,
        "open-world": method.open_world,
        "category": method.category,
        "parameters": parameters.collect::<Vec<_>>(),
        "input-schema": method.input_schema,
        "output-schema": method.output_schema,
        "plan": String::from_utf8_lossy(&method.plan),
        "call-spec": method.call_spec.as_ref().map(|spec| json!({
            "format": spec.format,
            "bytes": String::from_utf8_lossy(&spec.bytes),
        })),
        "needs-encode": method.needs_encode,
        "needs-decode": method.needs_decode,
        "meta": method.meta,
    });
    if let (Some(printed), false) = (printed.as_object_mut(), method.keywords.is_empty()) {
        printed.insert("keywords".to_owned(), json!(method.keywords));
    }
    printed
}
