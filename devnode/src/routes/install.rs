//! Installing: by URL, by package and version, by a path on the node's disk.
//!
//! The node never leaves the machine: what can be installed is in the registry of its [`crate::Setup`], found by
//! source URL, file name or coordinates. The refusals are those of the real node.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::body::Checked;
use crate::node::{Inner, Node};
use crate::reply::{Answer, Failure, data};

pub(super) fn routes() -> Router<Node> {
    Router::new().route("/install-application", post(install)).route("/install-dev-application", post(install_dev))
}

/// The largest metadata, in bytes.
const METADATA_LIMIT: usize = 64 << 10;

/// What newer nodes take in place of a URL.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Coordinates {
    package: String,
    version: String,
}

#[derive(Deserialize)]
struct ByUrl {
    url: String,
    metadata: Vec<u8>,
}

#[derive(Deserialize)]
struct ByPath {
    path: String,
    metadata: Vec<u8>,
    package: Option<String>,
    version: Option<String>,
}

/// Reads the body twice where two shapes are possible, so that the URL shape keeps its exact error texts.
async fn install(State(node): State<Node>, request: axum::extract::Request) -> Answer {
    use axum::extract::FromRequest as _;
    let (parts, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    if node.is_newer()
        && let Ok(wanted) = serde_json::from_slice::<Coordinates>(&bytes)
    {
        return install_coordinates(&node, &wanted);
    }
    let request = axum::extract::Request::from_parts(parts, axum::body::Body::from(bytes));
    let Checked(wanted) = Checked::<ByUrl>::from_request(request, &()).await?;
    check_url(&wanted.url)?;
    check_metadata(&wanted.metadata)?;
    let found = node.world().published(|app| app.source == wanted.url);
    let app = found.ok_or_else(|| failed(format!("error sending request for url ({})", wanted.url)))?;
    finish(&node, app)
}

fn install_coordinates(node: &Inner, wanted: &Coordinates) -> Answer {
    let fits =
        |app: &App| app.package.as_ref() == Some(&wanted.package) && app.version.as_ref() == Some(&wanted.version);
    let found = node.world().published(fits);
    let app = found.ok_or_else(|| failed(format!("package {}@{} not found", wanted.package, wanted.version)))?;
    finish(node, app)
}

async fn install_dev(State(node): State<Node>, Checked(wanted): Checked<ByPath>) -> Answer {
    if wanted.path.split('/').any(|part| part == "..") {
        return Err(Failure::bad("Field 'path' has invalid format: path must not contain '..' traversal components"));
    }
    check_metadata(&wanted.metadata)?;
    let file = wanted.path.rsplit('/').next().unwrap_or(&wanted.path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let named = |app: &App| {
        app.source.rsplit('/').next() == Some(file)
            || app.package.as_deref().and_then(|name| name.rsplit('.').next()) == Some(stem)
    };
    let found = node.world().published(named);
    let mut app = found.ok_or_else(|| failed(format!("application file not found at {}", wanted.path)))?;
    app.source = format!("file://{}", wanted.path);
    if !wanted.path.ends_with(".mpk") {
        app = app.raw(&wanted.metadata);
        app.package = Some(wanted.package.unwrap_or_else(|| "unknown".into()));
        app.version = Some(wanted.version.unwrap_or_else(|| "0.0.0".into()));
    }
    finish(&node, app)
}

fn finish(node: &Inner, app: App) -> Answer {
    let id = node.world().install(app);
    data(json!({ "applicationId": id.base58() }))
}

fn failed(text: String) -> Failure {
    Failure::Text(StatusCode::INTERNAL_SERVER_ERROR, text)
}

fn check_metadata(bytes: &[u8]) -> Result<(), Failure> {
    if bytes.len() <= METADATA_LIMIT {
        return Ok(());
    }
    let length = bytes.len();
    Err(Failure::bad(format!("Field 'metadata' exceeds maximum length of {METADATA_LIMIT} bytes (got {length})")))
}

/// The guard against requests into the node's own network.
fn check_url(url: &str) -> Result<(), Failure> {
    let refuse = |why: &str| Failure::bad(format!("Field 'url' has invalid format: {why}"));
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return Err(refuse("URL scheme must be http or https"));
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    if host.is_empty() {
        return Err(refuse("URL must have a host"));
    }
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    let local = name == "localhost" || name.ends_with(".localhost");
    if local || name.parse::<IpAddr>().is_ok_and(is_inner) {
        return Err(refuse("URL host is a loopback, private, link-local, or otherwise non-public address"));
    }
    Ok(())
}

fn is_inner(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_inner_v4(v4),
        IpAddr::V6(v6) => is_inner_v6(v6),
    }
}

fn is_inner_v4(v4: Ipv4Addr) -> bool {
    let [a, b, ..] = v4.octets();
    let carrier = a == 100 && (64..128).contains(&b);
    v4.is_loopback() || v4.is_private() || v4.is_link_local() || v4.is_unspecified() || v4.is_broadcast() || carrier
}

fn is_inner_v6(v6: Ipv6Addr) -> bool {
    v6.to_ipv4_mapped().is_some_and(is_inner_v4)
        || v6.is_loopback()
        || v6.is_unspecified()
        || v6.is_unique_local()
        || v6.is_unicast_link_local()
}
