//! Executes a method of an application over the node's JSON-RPC.
//!
//! In: a context, a method name and the arguments as JSON text. Out: the output's JSON text, or the failure undecoded.
//! Numbers pass through both ways as they are written: a 64-bit integer keeps every digit.

use super::envelope::{Wrap, payload, present};
use super::error::Error;
use super::http::{Answer, Request};
use super::route::Route;
use super::session::Session;
use crate::model::{CallScope, Failure, GuestFailure};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The request. The node refuses any other key in `params`, and any other shape of the rest.
#[derive(Serialize)]
struct ExecuteRequest<'a> {
    jsonrpc: &'static str,
    id: u64,
    method: &'static str,
    params: ExecuteParams<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExecuteParams<'a> {
    context_id: &'a str,
    method: &'a str,
    args_json: &'a RawValue,
}

/// The response, successes and errors alike: both come with status 200.
#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Output {
    #[serde(default)]
    output: Option<Box<RawValue>>,
}

/// `{"type", "data"}`, which is not JSON-RPC's own shape; its `code` and `message` are accepted as well.
#[derive(Deserialize)]
struct RpcError<'a> {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(default)]
    message: Option<String>,
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
}

impl Session {
    /// Runs `method` in a context; `None` for a method that returns nothing or null.
    ///
    /// `args_json` is one JSON value, in practice an object; it is sent byte for byte. Nothing is sent twice.
    ///
    /// # Errors
    ///
    /// [`Error::Failure`] with [`Failure::Guest`] when the application or its runtime refused, and every error of an
    /// exchange. [`Error::BadArguments`] when `args_json` is not JSON; then nothing is sent.
    pub async fn execute(
        &self,
        context_id: &str,
        method: &str,
        args_json: &str,
        scope: &CallScope,
    ) -> Result<Option<Box<RawValue>>, Error> {
        let bad_arguments = || Error::BadArguments { method: method.to_owned() };
        let args_json = serde_json::from_str(args_json).map_err(|_| bad_arguments())?;
        let params = ExecuteParams { context_id, method, args_json };
        let body = ExecuteRequest { jsonrpc: "2.0", id: 1, method: "execute", params };
        let body = serde_json::to_vec(&body).map_err(|_| bad_arguments())?;
        // A method may work for long; the caller can cancel.
        let request = Request::new(Route::post(&["jsonrpc"])).json(body).taking_long();
        match self.send(request, scope).await {
            Ok(answer) => output(&answer, method),
            // Some nodes and proxies give a runtime error a status of its own; the error inside says more than that.
            Err(error) => Err(guest_failure_inside(&error, method).map_or(error, Error::from)),
        }
    }
}

/// The JSON-RPC error in the body of an HTTP refusal, if there is one.
fn guest_failure_inside(error: &Error, method: &str) -> Option<Failure> {
    let response: Response<'_> = serde_json::from_str(&error.http_failure()?.body).ok()?;
    guest_failure(response.error?, method).map(Failure::Guest)
}

fn output(answer: &Answer, method: &str) -> Result<Option<Box<RawValue>>, Error> {
    let text = payload(answer, Wrap::Flat)?;
    let unexpected = |detail: String| Error::UnexpectedShape {
        route: answer.route.clone(),
        expected: "a JSON-RPC response with `result` or `error`",
        detail,
    };
    let response: Response<'_> = serde_json::from_str(text).map_err(|error| unexpected(error.to_string()))?;
    if let Some(error) = response.error.filter(|error| error.get() != "null") {
        let guest = guest_failure(error, method).unwrap_or_else(|| GuestFailure {
            data: Some(error.get().to_owned()),
            method: method.to_owned(),
            ..GuestFailure::default()
        });
        return Err(Failure::Guest(guest).into());
    }
    let result = response.result.ok_or_else(|| unexpected("it has neither".to_owned()))?;
    let output: Option<Output> = serde_json::from_str(result.get()).map_err(|error| unexpected(error.to_string()))?;
    Ok(output.and_then(|output| output.output).filter(|output| output.get() != "null"))
}

/// Reads an error object; `None` when it is not an object.
fn guest_failure(error: &RawValue, method: &str) -> Option<GuestFailure> {
    let error: RpcError<'_> = serde_json::from_str(error.get()).ok()?;
    let kind = error.kind.or_else(|| error.code.map(|code| code.get().to_owned()));
    Some(GuestFailure {
        kind: kind.unwrap_or_default(),
        data: error.data.map(|data| data.get().to_owned()),
        message: error.message,
        method: method.to_owned(),
        signature: None,
    })
}
