//! Reaching for hosts: one GET, redirects followed as they are told.

use crate::bindings::exports::abi_mcp::tool::tools::{Failure, Reply};
use crate::bindings::wasi::http::outgoing_handler::handle;
use crate::bindings::wasi::http::types::{ErrorCode, Fields, OutgoingRequest, Scheme};
use crate::{failed, text};

/// Fetches `host:port/path` over plain HTTP.
pub fn fetch(address: &str) -> Result<Reply, Failure> {
    let mut address = address.to_owned();
    for _ in 0..5 {
        match get(&address).map_err(|code| failed(&format!("refused: {code:?}")))? {
            (_, Some(location)) => address = location.trim_start_matches("http://").to_owned(),
            (body, None) => return Ok(text(&body)),
        }
    }
    Err(failed("it redirects for ever"))
}

/// The body, or where to go on.
fn get(address: &str) -> Result<(String, Option<String>), ErrorCode> {
    let (authority, path) = address.split_once('/').unwrap_or((address, ""));
    let request = OutgoingRequest::new(Fields::new());
    let bad = |()| ErrorCode::HttpRequestUriInvalid;
    request.set_scheme(Some(&Scheme::Http)).map_err(bad)?;
    request.set_authority(Some(authority)).map_err(bad)?;
    request.set_path_with_query(Some(&format!("/{path}"))).map_err(bad)?;
    let future = handle(request, None)?;
    let response = loop {
        match future.get() {
            Some(answer) => break answer.map_err(|()| ErrorCode::InternalError(None))??,
            None => future.subscribe().block(),
        }
    };
    if let Some(location) = response.headers().get("location").first() {
        return Ok((String::new(), Some(String::from_utf8_lossy(location).into_owned())));
    }
    let body = response.consume().map_err(|()| ErrorCode::InternalError(None))?;
    let stream = body.stream().map_err(|()| ErrorCode::InternalError(None))?;
    let mut bytes = Vec::new();
    while let Ok(chunk) = stream.blocking_read(1 << 20) {
        bytes.extend(chunk);
        if bytes.len() > 200 << 20 {
            break;
        }
    }
    Ok((format!("{} bytes: {}", bytes.len(), String::from_utf8_lossy(&bytes[..bytes.len().min(100)])), None))
}
