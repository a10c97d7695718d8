//! One method for every kind of ABI type, and for every way in which a call can end.
//!
//! The `echo_*` methods return what came after the guest's own reading of it. `BlobId` and the id of `fetch` travel
//! as base58 while `Digest` and the key of `echo_key` travel as arrays, and the manifest says `bytes` of 32 for all
//! four: the ambiguity of real applications (`calimero-abi.md` §3.3).

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::manifest;
use crate::app::{App, Behaviour, GuestError, GuestState, Hints, Wire};

/// The longest wait of `slow`, in milliseconds.
const LONGEST_MS: u64 = 60_000;

/// The longest text of `large`, in KiB.
const LARGEST_KIB: u64 = 20_480;

pub(super) fn app() -> App {
    let hints = Hints::from([
        ("BlobId", Wire::Base58("BlobId")),
        ("fetch.blob_id", Wire::Base58("BlobId")),
        ("echo_level.level", Wire::U8),
    ]);
    App::new("com.abi-mcp.types-lab", "0.3.0", manifest(include_str!("manifests/types_lab.json")), Arc::new(TypesLab))
        .titled("Types Lab", "Every kind of ABI type and every way to fail, for trying out a client.")
        .hinted(hints)
}

struct TypesLab;

impl Behaviour for TypesLab {
    fn call(&self, state: &mut GuestState, method: &str, args: &Value) -> Result<Value, GuestError> {
        let first = || args.as_object().and_then(|args| args.values().next()).cloned().unwrap_or_default();
        let number = |name: &str| args.get(name).and_then(Value::as_u64).unwrap_or_default();
        let text = |name: &str| args.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(match method {
            "fail_with_record" => {
                let error = json!({ "kind": "Rejected", "data": { "code": number("code"), "reason": "as asked" } });
                return Err(GuestError::Returned(error));
            }
            "fail_with_text" => return Err(GuestError::Returned(json!(text("message")))),
            "fail_with_variant" => return Err(GuestError::Returned(json!({ "kind": "BadInput" }))),
            "panics" => return Err(GuestError::Panicked(text("message"))),
            "traps" => return Err(GuestError::Trap("unreachable code reached".into())),
            "fetch" => json!(format!("blob {}", text("blob_id"))),
            "large" => json!("0123456789abcdef".repeat(to_size(number("kib").min(LARGEST_KIB) * 64))),
            "max_u64" => json!(u64::MAX),
            "on_changed" => Value::Null,
            "status" => json!([field(state, "title"), field(state, "limit"), field(state, "runs")]),
            "log_run" => {
                let runs = field(state, "runs").as_u64().unwrap_or_default() + 1;
                let limit = field(state, "limit").as_u64().unwrap_or_default();
                if runs > limit {
                    return Err(GuestError::Returned(json!({ "kind": "LimitReached", "data": limit })));
                }
                state.insert("runs".into(), json!(runs));
                json!(runs)
            }
            "reset" => {
                state.insert("runs".into(), json!(0));
                Value::Null
            }
            "slow" | "with_context" | "with_handle" | "with_underscore" => first(),
            "with_many" => json!(args.to_string()),
            echo if echo.starts_with("echo_") || echo.starts_with("maybe_") => first(),
            _ => return Err(GuestError::NotFound),
        })
    }

    fn init(&self, state: &mut GuestState, args: &Value) -> Result<(), GuestError> {
        let title = args.get("title").cloned().unwrap_or_default();
        if title.as_str().is_none_or(|title| title.trim().is_empty()) {
            return Err(GuestError::Returned(json!({ "kind": "InvalidTitle", "data": "the title must not be empty" })));
        }
        let limit = args.get("limit").filter(|limit| !limit.is_null()).cloned().unwrap_or(json!(100));
        state.insert("title".into(), title);
        state.insert("limit".into(), limit);
        state.insert("runs".into(), json!(0));
        Ok(())
    }

    fn delay(&self, method: &str, args: &Value) -> Duration {
        match method {
            "slow" => Duration::from_millis(args.get("ms").and_then(Value::as_u64).unwrap_or_default().min(LONGEST_MS)),
            _ => Duration::ZERO,
        }
    }
}

fn field(state: &GuestState, name: &str) -> Value {
    state.get(name).cloned().unwrap_or_default()
}

fn to_size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
