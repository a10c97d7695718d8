//! One request over `wasi:http`, as far as a GET of a bounded document needs it.

#[allow(missing_docs, unreachable_pub, unsafe_code, clippy::all, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({ path: "../wit", world: "fetches", generate_all });
}

use crate::request::Address;
use abi_mcp_sdk_tool::{Class, Failure};
use bindings::wasi::http::outgoing_handler::handle;
use bindings::wasi::http::types::{ErrorCode, Fields, IncomingResponse, OutgoingRequest, Scheme};
use bindings::wasi::io::streams::StreamError;

/// Bytes asked for at once.
const CHUNK: u64 = 64 << 10;

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Where it redirects to.
    pub(crate) location: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// Fetches an address; its body may have `most` bytes.
pub(crate) fn get(address: &Address, most: usize) -> Result<Answer, Failure> {
    let headers = Fields::new();
    let accept = headers.append("accept", b"application/json");
    let request = OutgoingRequest::new(headers);
    let scheme = if address.secure { Scheme::Https } else { Scheme::Http };
    let set = accept.is_ok()
        && request.set_scheme(Some(&scheme)).is_ok()
        && request.set_authority(Some(&address.authority)).is_ok()
        && request.set_path_with_query(Some(&address.path)).is_ok();
    if !set {
        return Err(Failure::new(Class::Arguments, format!("`{address}` is not an address that can be asked")));
    }
    let response = wait(request).map_err(|code| explain(address, &code))?;
    let status = response.status();
    let location = response.headers().get("location").first().and_then(|value| String::from_utf8(value.clone()).ok());
    let body = if (300..400).contains(&status) { Vec::new() } else { read(&response, address, most)? };
    Ok(Answer { status, location, body })
}

fn wait(request: OutgoingRequest) -> Result<IncomingResponse, ErrorCode> {
    let future = handle(request, None)?;
    loop {
        match future.get() {
            Some(Ok(answer)) => return answer,
            // The answer was taken already, which nobody else does.
            Some(Err(())) => return Err(ErrorCode::InternalError(None)),
            None => future.subscribe().block(),
        }
    }
}

fn read(response: &IncomingResponse, address: &Address, most: usize) -> Result<Vec<u8>, Failure> {
    let broken = || Failure::new(Class::Temporary, format!("`{address}` broke off in the middle of its answer"));
    let body = response.consume().map_err(|()| broken())?;
    let stream = body.stream().map_err(|()| broken())?;
    let mut bytes = Vec::new();
    loop {
        match stream.blocking_read(CHUNK) {
            Ok(chunk) => bytes.extend(chunk),
            Err(StreamError::Closed) => return Ok(bytes),
            Err(StreamError::LastOperationFailed(_)) => return Err(broken()),
        }
        if bytes.len() > most {
            return Err(Failure::new(Class::Failed, format!("`{address}` has more than {most} bytes")));
        }
    }
}

fn explain(address: &Address, code: &ErrorCode) -> Failure {
    match code {
        ErrorCode::HttpRequestDenied | ErrorCode::DestinationIpProhibited => {
            Failure::new(Class::NotAllowed, format!("`{address}` may not be reached"))
        }
        ErrorCode::ConnectionRefused | ErrorCode::ConnectionTimeout | ErrorCode::ConnectionReadTimeout => {
            Failure::new(Class::Temporary, format!("`{address}` does not answer"))
        }
        ErrorCode::DnsError(_) | ErrorCode::DnsTimeout | ErrorCode::DestinationNotFound => {
            Failure::new(Class::Failed, format!("`{address}` has no address that is known"))
        }
        other => Failure::new(Class::Failed, format!("`{address}` cannot be fetched ({other:?})")),
    }
}
