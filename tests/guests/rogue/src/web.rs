//! Reaching for hosts: one GET, redirects followed as they are told; or one request of any kind.

use crate::bindings::exports::abi_mcp::tool::tools::{Failure, Reply};
use crate::bindings::wasi::http::outgoing_handler::handle;
use crate::bindings::wasi::http::types::{ErrorCode, Fields, IncomingResponse, Method, OutgoingRequest, Scheme};
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

/// `METHOD scheme host:port/path [header value]`: sends that, answers the status.
pub fn request(told: &str) -> Result<Reply, Failure> {
    let mut words = told.splitn(5, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (method, scheme, address, header, value) = (word(), word(), word(), word(), word());
    let headers = Fields::new();
    if !header.is_empty() {
        let added = headers.append(header, value.as_bytes());
        added.map_err(|error| failed(&format!("refused: header {error:?}")))?;
    }
    let method = match method {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "OPTIONS" => Method::Options,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "DELETE" => Method::Delete,
        "CONNECT" => Method::Connect,
        other => Method::Other(other.to_owned()),
    };
    let scheme = if scheme == "https" { Scheme::Https } else { Scheme::Http };
    let answer = send(method, &scheme, address, headers);
    answer.map(|answer| text(&answer.status().to_string())).map_err(|code| failed(&format!("refused: {code:?}")))
}

fn send(method: Method, scheme: &Scheme, address: &str, headers: Fields) -> Result<IncomingResponse, ErrorCode> {
    let (authority, path) = address.split_once('/').unwrap_or((address, ""));
    let request = OutgoingRequest::new(headers);
    let bad = |()| ErrorCode::HttpRequestUriInvalid;
    request.set_method(&method).map_err(|()| ErrorCode::HttpRequestMethodInvalid)?;
    request.set_scheme(Some(scheme)).map_err(bad)?;
    request.set_authority(Some(authority)).map_err(bad)?;
    request.set_path_with_query(Some(&format!("/{path}"))).map_err(bad)?;
    let future = handle(request, None)?;
    loop {
        match future.get() {
            Some(answer) => return answer.map_err(|()| ErrorCode::InternalError(None))?,
            None => future.subscribe().block(),
        }
    }
}

/// The body, or where to go on.
fn get(address: &str) -> Result<(String, Option<String>), ErrorCode> {
    let response = send(Method::Get, &Scheme::Http, address, Fields::new())?;
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
