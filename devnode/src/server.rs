//! The HTTP server: gate before the routes, socket below them.
//!
//! Every request is written down, offered to the faults, checked for admission and only then routed. The routes know
//! of none of this.

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;

use crate::connection::{Breakable, Handle};
use crate::faults::{Effect, take};
use crate::node::{BODY_KEPT, Node, RecordedRequest, lock};
use crate::routes;

/// The longest body that is read, in bytes: above the 10 MiB of the longest `argsJson`, far below a machine's memory.
const BODY_LIMIT: usize = 64 << 20;

/// Serves until the node stops.
pub(crate) async fn serve(node: Node, listener: TcpListener) {
    let routes = routes::all().layer(DefaultBodyLimit::disable()).with_state(Node::clone(&node));
    let routed = match node.base_path.as_str() {
        "" => routes,
        base => Router::new().nest(base, routes),
    };
    let app = routed.layer(from_fn_with_state(Node::clone(&node), gate));
    let mut stopping = node.stopping.clone();
    let stop = async move {
        // An error means the owner is gone, which is a stop too.
        let _ = stopping.wait_for(|stop| *stop).await;
    };
    let service = app.into_make_service_with_connect_info::<Handle>();
    // Serving ends only by the signal; a broken connection is the business of its own task.
    let _ = axum::serve(Breakable(listener), service).with_graceful_shutdown(stop).await;
}

async fn gate(
    State(node): State<Node>,
    ConnectInfo(connection): ConnectInfo<Handle>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_LIMIT).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let full = parts.uri.path().to_owned();
    node.record(record(&parts.method, &parts.uri, &parts.headers, &body));
    let path = full.strip_prefix(&node.base_path).unwrap_or(&full);
    let effect = take(&mut lock(&node.faults), parts.method.as_str(), path);
    let query = parts.uri.query().unwrap_or_default();
    let admitted = match is_public(path) {
        true => Ok(()),
        false => node.admit(parts.method.as_str(), path, query, &parts.headers),
    };
    let request = Request::from_parts(parts, Body::from(body));
    let newer = node.is_newer();
    let respond = async move {
        match admitted {
            Ok(()) => next.run(request).await,
            Err(denied) => denied.of_node_route(newer),
        }
    };
    match effect {
        None => respond.await,
        Some(effect) => apply(effect, &node, &connection, respond).await,
    }
}

fn is_public(path: &str) -> bool {
    let public = ["/admin-api/health", "/admin-api/ready", "/admin-api/is-authed", "/admin-api/certificate"];
    public.contains(&path) || !(path.starts_with("/admin-api") || path == "/jsonrpc")
}

async fn apply(effect: Effect, node: &Node, connection: &Handle, real: impl Future<Output = Response>) -> Response {
    match effect {
        Effect::Answer { status, headers, body } => answer(status, &headers, body),
        Effect::Hang => {
            let _ = node.stopping.clone().wait_for(|stop| *stop).await;
            connection.close();
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
        Effect::Delay(wait) => {
            tokio::time::sleep(wait).await;
            real.await
        }
        Effect::Close => {
            connection.close();
            StatusCode::OK.into_response()
        }
        Effect::HalfBody => {
            let (parts, body) = real.await.into_parts();
            let body = to_bytes(body, BODY_LIMIT).await.unwrap_or_default();
            connection.cut_body_after(body.len() / 2);
            Response::from_parts(parts, Body::from(body))
        }
    }
}

fn answer(status: u16, headers: &[(String, String)], body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

fn record(method: &axum::http::Method, uri: &axum::http::Uri, headers: &HeaderMap, body: &Bytes) -> RecordedRequest {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    RecordedRequest {
        method: method.to_string(),
        path: uri.path().into(),
        query: uri.query().unwrap_or_default().into(),
        body: body.iter().take(BODY_KEPT).copied().collect(),
        headers: headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
    }
}
