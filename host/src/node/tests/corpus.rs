//! Every exchange recorded with a real node is accepted by this client, request and answer.
//!
//! The recorded answer is served again by a scripted server at the recorded path; the typed method is called with what
//! the path names. A success must be read, a refusal must keep the node's own sentence.

use super::*;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

#[derive(Deserialize)]
struct Exchange {
    name: String,
    method: Option<String>,
    path: Option<String>,
    request_body: Option<Value>,
    status: Option<u16>,
    #[serde(default)]
    response_headers: serde_json::Map<String, Value>,
    response_body_kind: Option<String>,
    response_body: Option<Value>,
}

fn corpus() -> Option<Vec<Exchange>> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let folder = std::env::var_os("ABI_MCP_CORPUS").map_or(default, PathBuf::from).join("calimero/http");
    let Ok(files) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: no corpus at {}", folder.display());
        return None;
    };
    let read = |path: PathBuf| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).ok();
    Some(files.filter_map(|file| read(file.unwrap().path())).collect())
}

/// Calls the typed method for a recorded request; `None` for a route this client does not use, or a request it would
/// never make.
async fn call(session: &Session, exchange: &Exchange) -> Option<Result<(), Error>> {
    let path = exchange.path.as_deref()?;
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let segments: Vec<_> = path.trim_start_matches('/').split('/').collect();
    let body = exchange.request_body.clone().unwrap_or_default();
    let text = |field: &str| body.get(field).and_then(Value::as_str);
    let scope = &scope();
    let kind = |kind: &str| if kind == "context" { AliasKind::Context } else { AliasKind::Application };
    let service = query.strip_prefix("service_name=");
    let method = exchange.method.as_deref()?;
    Some(match (method, segments.as_slice()) {
        ("GET", ["admin-api", "health"]) => session.health(scope).await.map(drop),
        ("GET", ["admin-api", "identity"]) => session.identity(scope).await.map(drop),
        ("GET", ["admin-api", "applications"]) => session.applications(scope).await.map(drop),
        ("GET", ["admin-api", "applications", id]) => session.application(id, scope).await.map(drop),
        ("GET", ["admin-api", "applications", id, "abi"]) if query.is_empty() || service.is_some() => {
            session.abi(id, service, scope).await.map(drop)
        }
        ("DELETE", ["admin-api", "applications", id]) => session.uninstall_application(id, scope).await,
        ("POST", ["admin-api", "install-application"]) => {
            session.install_application(None, None, text("url"), scope).await.map(drop)
        }
        ("GET", ["admin-api", "contexts"]) if query.is_empty() => session.contexts(None, scope).await.map(drop),
        ("GET", ["admin-api", "contexts", "for-application", id]) => session.contexts(Some(id), scope).await.map(drop),
        ("GET", ["admin-api", "contexts", id]) => session.context(id, scope).await.map(drop),
        ("POST", ["admin-api", "contexts"]) => {
            let new = NewContext {
                application_id: text("applicationId")?,
                group_id: text("groupId").unwrap_or("missing"),
                name: text("name"),
                service: text("serviceName"),
                init: &[],
            };
            session.create_context(&new, scope).await.map(drop)
        }
        ("DELETE", ["admin-api", "contexts", id]) => session.delete_context(id, scope).await.map(drop),
        ("POST", ["admin-api", "contexts", "sync", id]) => session.sync_context(id, scope).await,
        ("POST", ["admin-api", "contexts", id, "join"]) => session.join_context(id, scope).await.map(drop),
        ("POST", ["admin-api", "alias", "create", of]) => {
            session.create_alias(kind(of), text("alias")?, "id", scope).await
        }
        ("POST", ["admin-api", "alias", "lookup", of, name]) => {
            session.lookup_alias(kind(of), name, scope).await.map(drop)
        }
        ("POST", ["admin-api", "alias", "delete", of, name]) => session.delete_alias(kind(of), name, scope).await,
        ("GET", ["admin-api", "alias", "list", of]) => session.aliases(kind(of), scope).await.map(drop),
        ("GET", ["admin-api", "packages"]) => session.packages(scope).await.map(drop),
        ("GET", ["admin-api", "packages", name, "versions"]) => session.package_versions(name, scope).await.map(drop),
        ("PUT", ["admin-api", "blobs"]) => {
            session.upload_blob(vec![1], query.strip_prefix("hash="), None, scope).await.map(drop)
        }
        ("GET", ["admin-api", "blobs"]) => session.blobs(scope).await.map(drop),
        ("DELETE", ["admin-api", "blobs", id]) => session.delete_blob(id, scope).await.map(drop),
        ("GET", ["admin-api", "namespaces"]) => session.namespaces(None, scope).await.map(drop),
        ("GET", ["admin-api", "namespaces", "for-application", id]) => {
            session.namespaces(Some(id), scope).await.map(drop)
        }
        ("GET", ["admin-api", "namespaces", id]) => session.namespace(id, scope).await.map(drop),
        ("POST", ["admin-api", "namespaces"]) => {
            session.create_namespace(text("applicationId")?, text("name"), scope).await.map(drop)
        }
        ("DELETE", ["admin-api", "namespaces", id]) => session.delete_namespace(id, scope).await.map(drop),
        ("POST", ["admin-api", "namespaces", id, "invite"]) => session.invite_to_namespace(id, scope).await.map(drop),
        ("POST", ["admin-api", "namespaces", id, "join"]) => {
            let invitation = serde_json::value::to_raw_value(body.get("invitation")?).unwrap();
            session.join_namespace(id, &invitation, text("groupName"), scope).await.map(drop)
        }
        ("POST", ["admin-api", "namespaces", id, "leave"]) => session.leave_namespace(id, scope).await,
        ("POST", ["admin-api", "namespaces", id, "groups"]) => {
            session.create_group(id, &NewSubgroup::default(), scope).await.map(drop)
        }
        ("GET", ["admin-api", "groups", id]) => session.group_application(id, scope).await.map(drop),
        ("GET", ["admin-api", "groups", id, "members"]) => session.group_members(id, scope).await.map(drop),
        ("POST", ["admin-api", "groups", id, "members"]) => session.add_group_members(id, &[], scope).await,
        ("POST", ["admin-api", "groups", id, "members", "remove"]) => {
            session.remove_group_members(id, &[], scope).await
        }
        ("PUT", ["admin-api", "groups", id, "settings", "subgroup-visibility"]) => {
            session.set_group_visibility(id, Visibility::Open, scope).await
        }
        ("GET", ["admin-api", "groups", id, "metadata"]) => session.group_metadata(id, scope).await.map(drop),
        ("PUT", ["admin-api", "groups", id, "metadata"]) => {
            session.set_group_metadata(id, None, &Default::default(), scope).await
        }
        // Other RPC methods than `execute` share the path and have results of their own.
        ("POST", ["jsonrpc"]) if text("method").is_none_or(|method| method == "execute") => {
            session.execute("C", "m", "{}", scope).await.map(drop)
        }
        _ => return None,
    })
}

fn recorded(exchange: &Exchange) -> Reply {
    let body = match (exchange.response_body_kind.as_deref(), &exchange.response_body) {
        (Some("json"), Some(body)) => serde_json::to_vec(body).unwrap(),
        (_, Some(Value::String(text))) => text.clone().into_bytes(),
        _ => Vec::new(),
    };
    let headers = ["content-type", "x-auth-error", "retry-after"].into_iter();
    let headers = headers.filter_map(|name| Some((name, exchange.response_headers.get(name)?.as_str()?.to_owned())));
    Reply::Full(exchange.status.unwrap(), headers.collect(), body)
}

/// What the node said, which the error must say as well.
fn sentence(exchange: &Exchange) -> Option<&str> {
    let body = exchange.response_body.as_ref()?;
    body.get("error").and_then(Value::as_str).or(body.as_str())
}

#[tokio::test]
async fn every_recorded_answer_of_the_routes_in_use_is_accepted() {
    let Some(exchanges) = corpus() else { return };
    let mut accepted = 0;
    for exchange in &exchanges {
        let (Some(method), Some(path)) = (&exchange.method, &exchange.path) else { continue };
        // The recording client sent `!` as it is; encoded, it is the same id.
        let path = path.replace('!', "%21");
        let node = Scripted::start().await;
        node.on(&format!("{method} {path}"), [recorded(exchange)]);
        let Some(result) = call(&node.session(), exchange).await else { continue };
        let name = &exchange.name;
        assert_eq!(node.lines().first(), Some(&format!("{method} {path}")), "{name}: another request was sent");
        let body = exchange.response_body.clone().unwrap_or_default();
        match (exchange.status.unwrap(), result) {
            (200, Ok(())) => {
                assert!(body.get("error").is_none_or(Value::is_null), "{name}: an error passed for success")
            }
            (200, Err(error)) if error.code() == "node::guest" => {
                let Some(Failure::Guest(guest)) = error.failure() else { panic!("{error:?}") };
                assert_eq!(Some(guest.kind.as_str()), body["error"]["type"].as_str(), "{name}");
            }
            (401 | 403, Err(Error::LoginNeeded { .. })) if sentence(exchange).is_none() => {}
            (404, Err(Error::AbiRouteMissing)) if sentence(exchange).is_none() => {}
            (200, Err(error)) => panic!("{name}: {error}"),
            (_, Ok(())) => panic!("{name}: a refusal passed for success"),
            (_, Err(error)) => {
                let said = sentence(exchange).unwrap_or("no message").chars().take(300).collect::<String>();
                assert!(error.to_string().contains(said.trim()), "{name}: {error}");
            }
        }
        accepted += 1;
    }
    assert!(accepted > 120, "only {accepted} of {} exchanges were tried", exchanges.len());
}
