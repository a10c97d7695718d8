//! Installed applications: rows, ABIs, versions, packages, removal.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::routing::get;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::body::{Parameters, path_id};
use crate::ids::Id;
use crate::manifest;
use crate::node::{Inner, Node};
use crate::reply::{Answer, Failure, bare, data};

pub(super) fn routes() -> Router<Node> {
    Router::new()
        .route("/applications", get(list))
        .route("/applications/{id}", get(show).delete(uninstall))
        .route("/applications/{id}/abi", get(abi))
        .route("/applications/{id}/versions", get(versions))
        .route("/packages", get(packages))
        .route("/packages/{package}/versions", get(package_versions))
        .route("/packages/{package}/latest", get(package_latest))
}

async fn list(State(node): State<Node>) -> Answer {
    let world = node.world();
    let apps: Vec<Value> = world.applications.iter().map(|(id, app)| row(&node, id, &app.current)).collect();
    data(json!({ "apps": apps }))
}

async fn show(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_id(&id)?;
    let world = node.world();
    let installed = world.applications.get(&id).ok_or_else(unknown)?;
    data(json!({ "application": row(&node, &id, &installed.current) }))
}

async fn uninstall(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_id(&id)?;
    // 200 for an unknown one too; contexts that run it go on.
    node.world().applications.remove(&id);
    data(json!({ "applicationId": id.base58() }))
}

async fn abi(State(node): State<Node>, Path(id): Path<String>, Query(query): Query<Parameters>) -> Answer {
    let id = path_id(&id)?;
    let world = node.world();
    let app = &world.applications.get(&id).ok_or_else(unknown)?.current;
    let wanted = query.get("service_name").map(String::as_str);
    let available = || app.service_names();
    let service = match (wanted, app.is_multi()) {
        (Some(_), false) => return Err(Failure::bad("application has no named services; omit service_name")),
        (Some(name), true) => app
            .service(Some(name))
            .ok_or_else(|| Failure::bad(format!("service {name:?} not found (available: {})", available())))?,
        (None, _) => app.service(None).ok_or_else(|| {
            let names = available();
            Failure::bad(format!("application has multiple services; pass service_name (available: {names})"))
        })?,
    };
    let manifest = service.manifest.as_deref().ok_or_else(unusable)?;
    let schema = manifest.get("schema_version").and_then(Value::as_str).unwrap_or("wasm-abi/1");
    if schema != "wasm-abi/1" && !schema.starts_with("wasm-abi/1.") {
        return Err(Failure::bad(format!("unsupported ABI schema version {schema}")));
    }
    if node.verify_manifests && !manifest::is_usable(manifest) {
        return Err(unusable());
    }
    data(if node.is_newer() { manifest.clone() } else { manifest::as_seen_in_august(manifest) })
}

async fn versions(State(node): State<Node>, Path(id): Path<String>) -> Answer {
    let id = path_id(&id)?;
    let world = node.world();
    let kept = world.applications.get(&id).map(|installed| installed.versions.as_slice()).unwrap_or_default();
    let list: Vec<Value> = kept
        .iter()
        .map(|app| {
            let bytes = app.bundle();
            json!({
                "version": app.version, "blobId": Id::digest(&bytes).base58(), "size": bytes.len(),
                "package": app.package,
            })
        })
        .collect();
    data(Value::Array(list))
}

async fn packages(State(node): State<Node>) -> Answer {
    let world = node.world();
    let mut names: Vec<&str> =
        world.applications.values().filter_map(|installed| installed.current.package.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    bare(json!({ "packages": names }))
}

async fn package_versions(State(node): State<Node>, Path(package): Path<String>) -> Answer {
    let world = node.world();
    let found = world.by_package(&package);
    let versions = found.map(|(_, app)| app.current.version.clone()).into_iter().flatten().collect::<Vec<_>>();
    bare(json!({ "versions": versions }))
}

async fn package_latest(State(node): State<Node>, Path(package): Path<String>) -> Answer {
    let world = node.world();
    let (id, version) = match world.by_package(&package) {
        Some((id, app)) => (Some(id.base58()), app.current.version.clone()),
        None => (None, None),
    };
    bare(json!({ "applicationId": id, "version": version }))
}

/// An application as the node writes it; keys that raw WebAssembly lacks are left out.
fn row(node: &Inner, id: &Id, app: &App) -> Value {
    let bundle = app.bundle();
    let blob = |id: Id| json!({ "bytecode": id.base58(), "compiled": Id::ZERO.base58() });
    let mut row = Map::new();
    row.insert("id".into(), id.base58().into());
    row.insert("blob".into(), blob(Id::digest(&bundle)));
    row.insert("size".into(), bundle.len().into());
    row.insert("source".into(), app.source.clone().into());
    row.insert("metadata".into(), app.metadata_bytes(node.is_newer()).into());
    let optional = [("signer_id", &app.signer), ("package", &app.package), ("version", &app.version)];
    for (key, value) in optional {
        if let Some(value) = value {
            row.insert(key.into(), value.clone().into());
        }
    }
    if app.is_multi() {
        let module = |name: &str| blob(Id::of(&[b"module", &bundle, name.as_bytes()]));
        let mut services: Vec<(String, Value)> =
            app.services.iter().map(|service| (service.name.clone(), module(&service.name))).collect();
        services.sort_by(|a, b| a.0.cmp(&b.0));
        row.insert("services".into(), Value::Object(services.into_iter().collect()));
    }
    Value::Object(row)
}

fn unknown() -> Failure {
    Failure::missing("Application not found")
}

fn unusable() -> Failure {
    Failure::bad("application has no usable embedded ABI (absent or malformed); rebuild it with `cargo mero build`")
}
