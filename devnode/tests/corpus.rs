//! The node against recorded exchanges with a real one.
//!
//! Every recorded request to a route that this node has is sent to a fresh node that was prepared alike, with our ids
//! in place of the recorded ones. Status, content type, keys and their order, and the kinds of values must be the same;
//! error texts must be the same words. The corpus is not part of the repository: `ABI_MCP_CORPUS`, or `shared/corpus`
//! beside the repository; without it these tests say that they were skipped.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests; the lint's own exception covers only the test functions"
)]

mod support;

use std::path::{Path, PathBuf};

use abi_mcp_devnode::{Access, App, ContextRequest, DevNode, Generation, Hints, Seed, Service, Setup, Wire, apps};
use serde_json::{Value, json};
use support::{Reply, execute, get, send, with_json};

/// What another preparation or behaviour would be needed for, with the reason.
const LEFT_OUT: [(&str, &str); 10] = [
    ("auth-", "`the_auth_service_answers_as_the_recorded_one` has them"),
    ("sse-", "events are not there"),
    ("install-dev-tampered-bundle", "bundles are not archives here, so none can be tampered with"),
    ("blob-get-bundle", "as above: the blob is JSON"),
    ("namespace-join-own", "signed; `an_own_invitation_can_be_taken_back_in` has it"),
    ("rpc-blobs-get-missing-plain-string-error", "wants the blobs application"),
    ("rpc-blobs-list", "wants a file uploaded to the blobs application"),
    ("rpc-wire-result-err", "wants the conformance application's own errors"),
    ("rpc-wire-enum-return", "wants the conformance application's own value"),
    ("contexts-list-limit", "which context is second depends on the ids"),
];

/// Recorded exchanges to play before one.
const BEFORE: [(&str, &[&str]); 10] = [
    ("alias-create-duplicate", &["alias-create-context"]),
    ("alias-list-context", &["alias-create-context"]),
    ("alias-list-application", &["alias-create-application"]),
    ("alias-lookup-context", &["alias-create-context"]),
    ("context-metadata-get", &["context-metadata-put"]),
    ("member-metadata-get", &["member-metadata-put"]),
    ("group-metadata-get-2", &["group-metadata-put"]),
    ("context-get-after-uninstall", &["application-uninstall-in-use"]),
    ("rpc-after-uninstall", &["application-uninstall-in-use"]),
    ("rpc-on-deleted-context", &["context-delete"]),
];

fn corpus() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let root = std::env::var_os("ABI_MCP_CORPUS").map_or_else(beside, PathBuf::from).join("calimero");
    if root.join("http").is_dir() {
        return Some(root);
    }
    println!("skipped: no corpus at {}", root.display());
    None
}

fn read(path: PathBuf) -> Value {
    serde_json::from_slice(&std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).unwrap()
}

/// A node prepared as the recorded one was, and the recorded ids with ours.
struct Prepared {
    node: DevNode,
    ids: Vec<(&'static str, String)>,
}

/// The recorded text, but with our ids.
impl Prepared {
    fn translate(&self, text: &str) -> String {
        self.ids.iter().fold(text.to_owned(), |text, (recorded, own)| text.replace(recorded, own))
    }

    async fn play(&self, exchange: &Value) -> Reply {
        let path = self.translate(exchange["path"].as_str().unwrap());
        let method = exchange["method"].as_str().unwrap();
        let (body, json) = match (exchange.get("request_body_raw"), exchange.get("request_body")) {
            (Some(Value::String(raw)), _) => (raw.clone(), false),
            (_, Some(Value::Null) | None) => (String::new(), false),
            (_, Some(body)) => (body.to_string(), true),
        };
        let mut headers: Vec<(String, String)> = Vec::new();
        if let Some(Value::Object(recorded)) = exchange.get("request_headers") {
            headers.extend(recorded.iter().map(|(k, v)| (k.clone(), v.as_str().unwrap_or_default().to_owned())));
        }
        if json && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            headers.push(("content-type".into(), "application/json".into()));
        }
        let headers: Vec<(&str, &str)> = headers.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        send(&self.node, method, &path, &headers, self.translate(&body).as_bytes()).await
    }
}

async fn prepare(root: &Path) -> Prepared {
    let abi = |name: &str| read(root.join("abi").join(name));
    let conformance = apps::from_manifest("com.calimero.conformance", "0.1.0", abi("abi_conformance.json"));
    let blobs = apps::from_manifest("com.calimero.blobs", "0.1.0", abi("blobs.2026-08-22.json"))
        .hinted(Hints::from([("upload_file.blob_id", Wire::Base58("BlobId"))]));
    let init = apps::from_manifest("com.calimero.kv-store-init", "0.1.0", abi("kv-store-init.2026-08-22.json"));
    let newest = apps::from_manifest("com.calimero.kv-g5", "0.1.0", abi("apps-kv-store.g5.json"));
    let mut next = apps::kv_store_next();
    next.source = "file:///srv/node/kv-store-2.mpk".into();
    let mut raw = apps::from_manifest("com.kv_store", "9.9.9", json!({})).raw(br#"{"name":"raw"}"#);
    raw.services[0].manifest = None;
    let registry = vec![next, multi(), conformance.clone(), newest.clone(), raw.clone()];
    let setup = Setup { generation: Generation::August2026, registry, ..Setup::empty() }
        .with(Seed::new(apps::kv_store(), "seed-kv"))
        .with(Seed::new(conformance, "seed-conformance"))
        .with(Seed::new(blobs, "seed-blobs"))
        .with(nameless(Seed::new(multi(), "seed-multi").service("store")))
        .with(Seed::bare(init))
        .with(Seed::bare(newest))
        .with(Seed::bare(raw.clone()));
    let node = DevNode::start(setup).await.unwrap();
    let app = |package: &str| node.application(package).unwrap();
    let context = |alias: &str| node.context(&format!("seed-{alias}")).unwrap();
    let mut ids = vec![
        ("4Qmn9nHD5httQE31BoZf2JgFqahygRkanm7R7qZnrwTj", app("com.calimero.kv-store")),
        ("FVWk3rNBKQTDDzVSwsiZyct15gcajjefnEzEQaHkLBBk", app("com.calimero.conformance")),
        ("5xLmU7mYUE8Wpg987sR1H3ocs3oh719YED3JYa2hBFLM", app("com.calimero.blobs")),
        ("BZSVhCaQkR7vrJuRg6o8QLuTu4LTG9QikmE8fExRWZwt", app("com.calimero.kv-store-init")),
        ("8DdXfAvpRtuMWiki1m84Wgs2bBWDJnF4NAodNhMsDnnM", app("com.calimero.multi")),
        ("FSzJexDmdZQy54U6QfUCTkjiFQfC3pjCjybGhDufWWGj", app("com.calimero.kv-g5")),
        ("2TbZuKVgN2LX19RX9pqszFJMJ6N7VDAK9AUjjKrtVWQF", raw.id().base58()),
        ("9g56zVr2mCUhLNt592kHBfqYFFyQauEyKXBzSTeytZP1", context("kv")),
        ("44vKUFcZ4d3bs4p7VGMbMhp7BEbomiqCLDv9BcxoV4oc", context("conformance")),
        ("F9wLEnUizATBNyVtNosgUJwcyF7tty6itBCxtXVJGx9J", context("blobs")),
        ("7RLSggz7HSDa2F1zjLQagbtALct6jd1NMp7jjrKsiw9F", context("multi")),
        ("4VcPNzcwNZpVyszXkmYjBKCf1aRxcTUbV6tvMgJEUt3B", apps::kv_store().bytecode().base58()),
    ];
    // The recorded context to leave and delete is one more of the blobs application.
    let group = async |context: &str| {
        let group = get(&node, &format!("/admin-api/contexts/{context}/group")).await.json()["data"].clone();
        group.as_str().unwrap().to_owned()
    };
    let spare_group = group(&context("blobs")).await;
    let spare = ContextRequest { group: spare_group.clone(), ..ContextRequest::default() };
    ids.push(("5p4CBj84UkAV6sGyLjUpcNynVUvw6svMd3AS5uJTLK3F", node.create_context(spare).unwrap()));
    let kv_group = group(&context("kv")).await;
    let team = json!({ "groupName": "team", "visibility": "open" });
    let team = with_json(&node, "POST", &format!("/admin-api/namespaces/{kv_group}/groups"), &team).await.json();
    ids.extend([
        (
            "0c414e74ccc71f6427bf776859db4bf73c67270ccd015f890ace4fc9b2ad1e09",
            team["data"]["groupId"].as_str().unwrap().to_owned(),
        ),
        ("690e724246ba66f0d401d6647bc2aba256ca10952be547426caea6826e78ac4f", kv_group),
        ("90a215b38cc8d291ffc01c7aee76edff53d759b7c32c67999fe6305aba867e0f", group(&context("conformance")).await),
        ("6413deebfb94b4c4b71c537aacd30ae8a3baa5dd7434939732e83c7564808220", spare_group),
        ("8d29bb703bdec7ffaf4e630df01aa84a3bca8803f25d327d94a9bd78ceee679a", group(&context("multi")).await),
        (
            "93ba9a6ce29576cd0dce8dfd229be98408df32e725b0125b5f691d9ada3c5ae3",
            node.create_namespace(&app("com.calimero.kv-store-init"), None).unwrap(),
        ),
        (
            "6b2b2bfd64763d6c062134062c233f3ee2c32f3b06da1c785cf64bc039c0f7fa",
            node.create_namespace(&app("com.calimero.kv-store"), None).unwrap(),
        ),
    ]);
    let identity = get(&node, "/admin-api/identity").await.json();
    let account = identity["data"]["accountId"].as_str().unwrap().to_owned();
    ids.push(("516d6e76a0f137d1b75915dc7ebb2f96b4c9b2a31efc0402bc07681d5256b036", account));
    execute(&node, &context("kv"), "set", json!({ "key": "greeting", "value": "hello" })).await;
    let namespaces = get(&node, "/admin-api/namespaces").await.json();
    for namespace in namespaces["data"].as_array().unwrap() {
        let path = format!("/admin-api/groups/{}/metadata", namespace["namespaceId"].as_str().unwrap());
        with_json(&node, "PUT", &path, &json!({ "name": "mcp-test", "data": {} })).await;
    }
    for kind in ["application", "context"] {
        for alias in ["kv", "conformance", "blobs", "multi"] {
            let path = format!("/admin-api/alias/delete/{kind}/seed-{alias}");
            with_json(&node, "POST", &path, &Value::Null).await;
        }
    }
    Prepared { node, ids }
}

/// The recorded context of the two services has no name.
fn nameless(mut seed: Seed) -> Seed {
    seed.context.iter_mut().for_each(|context| context.name = None);
    seed
}

fn multi() -> App {
    let service = |name: &str, app: App| Service { name: name.into(), ..app.services.into_iter().next().unwrap() };
    let services = vec![service("store", apps::kv_store()), service("handlers", apps::kv_store_next())];
    App::with_services("com.calimero.multi", "0.2.0", services).titled("Two Services", "Two Services test bundle")
}

#[tokio::test]
async fn the_node_answers_as_the_recorded_one() {
    let Some(root) = corpus() else { return };
    let mut names: Vec<String> = std::fs::read_dir(root.join("http"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".json").map(str::to_owned))
        .collect();
    names.sort_unstable();
    let (mut played, mut faults) = (0, Vec::new());
    let shared = prepare(&root).await;
    for name in names.iter().filter(|name| !LEFT_OUT.iter().any(|(left, _)| name.starts_with(left))) {
        let exchange = |name: &str| read(root.join("http").join(format!("{name}.json")));
        let recorded = exchange(name);
        let before: Vec<&str> =
            BEFORE.iter().filter(|(this, _)| this == name).flat_map(|(_, before)| *before).copied().collect();
        // Reads and calls leave nothing behind that another one would see.
        let reads = recorded["method"] == "GET" || name.starts_with("rpc-");
        if reads && before.is_empty() && !name.starts_with("blob-") {
            check(name, &shared, &recorded, &mut faults).await;
            played += 1;
            continue;
        }
        let prepared = prepare(&root).await;
        if name.starts_with("blob-") {
            let put = prepared.play(&exchange("blob-put")).await.json();
            let blob = put["data"]["blob_id"].as_str().unwrap().to_owned();
            let mut prepared = prepared;
            if name != "blob-delete-404" {
                prepared.ids.push(("2VjC19pP3iH7iqCFk5hKrM3tt27NTX6kmSq7biyFeACF", blob));
            }
            check(name, &prepared, &recorded, &mut faults).await;
        } else {
            for before in before {
                assert_eq!(prepared.play(&exchange(before)).await.status, 200, "{before}");
            }
            check(name, &prepared, &recorded, &mut faults).await;
        }
        played += 1;
    }
    assert!(played > 200, "only {played} exchanges were played");
    assert!(faults.is_empty(), "{} of {played} differ:\n{}", faults.len(), faults.join("\n"));
}

#[tokio::test]
async fn without_a_token_a_closed_node_answers_as_the_recorded_one() {
    let Some(root) = corpus() else { return };
    for name in
        ["auth-no-token", "auth-no-token-jsonrpc", "auth-no-token-health-public", "auth-no-token-is-authed-public"]
    {
        let prepared = prepare(&root).await;
        prepared.node.set_access(Access::Closed);
        let mut faults = Vec::new();
        check(name, &prepared, &read(root.join("http").join(format!("{name}.json"))), &mut faults).await;
        assert!(faults.is_empty(), "{faults:?}");
    }
}

/// Tokens and password in place of the placeholders of a recorded exchange.
fn filled(exchange: &Value, access: &str, refresh: &str) -> Value {
    let text = exchange.to_string();
    let text = text.replace("<access token>", access).replace("token=<jwt>", &format!("token={access}"));
    let text = text.replace(r#""access_token":"<jwt>""#, &format!(r#""access_token":"{access}""#));
    let text = text.replace(r#""refresh_token":"<jwt>""#, &format!(r#""refresh_token":"{refresh}""#));
    serde_json::from_str(&text.replace("<password>", PASSWORD)).unwrap()
}

const PASSWORD: &str = "development";

/// Exchanges of the auth service that need something before them, by what.
const AUTH: [(&str, &[&str]); 6] = [
    (
        "anything",
        &[
            "auth-health",
            "auth-providers",
            "auth-token",
            "auth-token-wrong-password",
            "auth-token-unknown-method",
            "auth-token-empty-public-key",
            "auth-token-missing-timestamp",
            "auth-token-url-client-name",
            "auth-mock-token-disabled",
            "auth-challenge-removed",
            "auth-refresh-garbage",
            "auth-refresh-missing",
            "auth-refresh-too-early",
            "auth-validate",
            "auth-validate-none",
            "auth-validate-garbage",
            "auth-garbage-token",
            "auth-contexts-ok",
            "auth-query-token-ok",
            "auth-no-token",
            "auth-no-token-jsonrpc",
            "auth-no-token-health-public",
            "auth-no-token-is-authed-public",
            "auth-client-key",
            "auth-client-key-global-execute",
        ],
    ),
    ("expired", &["auth-expired-token", "auth-expired-validate", "auth-refresh-ok"]),
    ("refresh as access", &["auth-refresh-token-as-bearer"]),
    ("used", &["auth-refresh-reuse", "auth-after-reuse", "auth-login-after-reuse"]),
    (
        "scoped",
        &[
            "auth-scoped-contexts-ok",
            "auth-scoped-applications-ok",
            "auth-scoped-jsonrpc-denied",
            "auth-scoped-abi-denied",
            "auth-scoped-namespaces-denied",
            "auth-client-key-non-admin",
        ],
    ),
    ("locked", &["auth-token-rate-limited"]),
];

#[tokio::test]
async fn the_auth_service_answers_as_the_recorded_one() {
    let Some(root) = corpus() else { return };
    let exchange = |name: &str| read(root.join("http").join(format!("{name}.json")));
    let mut faults = Vec::new();
    for (state, name) in AUTH.iter().flat_map(|(state, names)| names.iter().map(move |name| (*state, *name))) {
        let prepared = prepare(&root).await;
        let node = &prepared.node;
        node.set_access(Access::Embedded { user: "admin".into(), password: PASSWORD.into() });
        let tokens = node.issue_tokens();
        let (mut access, mut refresh) = (tokens.access_token, tokens.refresh_token);
        match state {
            "expired" => node.expire_access_tokens(),
            "refresh as access" => access = refresh.clone(),
            "used" => {
                node.expire_access_tokens();
                let first = prepared.play(&filled(&exchange("auth-refresh-ok"), &access, &refresh)).await.json();
                if name == "auth-after-reuse" {
                    let again = prepared.play(&filled(&exchange("auth-refresh-reuse"), &access, &refresh)).await;
                    assert_eq!((again.status, node.token_reuses()), (401, 1));
                    access = first["data"]["access_token"].as_str().unwrap().to_owned();
                    refresh = first["data"]["refresh_token"].as_str().unwrap().to_owned();
                }
            }
            "scoped" => {
                let key = prepared.play(&filled(&exchange("auth-client-key"), &access, &refresh)).await.json();
                access = key["data"]["access_token"].as_str().unwrap().to_owned();
            }
            "locked" => {
                for _ in 0..5 {
                    assert_eq!(prepared.play(&exchange(name)).await.status, 401);
                }
            }
            _ => {}
        }
        check(name, &prepared, &filled(&exchange(name), &access, &refresh), &mut faults).await;
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

async fn check(name: &str, prepared: &Prepared, exchange: &Value, faults: &mut Vec<String>) {
    let reply = prepared.play(exchange).await;
    let mut fault = |text: String| faults.push(format!("{name}: {text}"));
    if Some(u64::from(reply.status)) != exchange["status"].as_u64() {
        fault(format!("status {} for {}: {}", reply.status, exchange["status"], reply.text()));
        return;
    }
    for header in ["content-type", "allow", "content-length", "x-auth-error", "retry-after"] {
        let recorded = exchange["response_headers"][header].as_str().unwrap_or_default();
        let varies = header == "content-length" && recorded != "0";
        if !recorded.is_empty() && !varies && reply.header(header) != recorded {
            fault(format!("{header} is {:?}, recorded {recorded:?}", reply.header(header)));
        }
    }
    match exchange["response_body_kind"].as_str().unwrap() {
        "json" => compare("", &exchange["response_body"], &reply.json(), &mut fault),
        "empty" if reply.body.is_empty() => {}
        "empty" => fault(format!("a body where none was recorded: {}", reply.text())),
        _ => compare_text("", exchange["response_body"].as_str().unwrap(), &reply.text(), true, &mut fault),
    }
}

/// Same keys in the same order and the same kinds. Of lists the first elements stand for all.
fn compare(at: &str, recorded: &Value, own: &Value, fault: &mut impl FnMut(String)) {
    match (recorded, own) {
        (Value::Object(recorded), Value::Object(own)) => {
            let keys = |object: &serde_json::Map<String, Value>| object.keys().cloned().collect::<Vec<_>>();
            // What the application's author chose; its own tables may differ.
            if ["/types", "/methods/0", "/events/0"].iter().any(|end| at.ends_with(end)) {
                return;
            }
            if keys(recorded) != keys(own) {
                fault(format!("{at} has {:?}, recorded {:?}", keys(own), keys(recorded)));
                return;
            }
            for (key, value) in recorded {
                compare(&format!("{at}/{key}"), value, &own[key], fault);
            }
        }
        (Value::Array(recorded), Value::Array(own)) => {
            if let (Some(recorded), Some(own)) = (recorded.first(), own.first()) {
                compare(&format!("{at}/0"), recorded, own, fault);
            }
        }
        (Value::String(recorded), Value::String(own)) => {
            let exact = at == "/error" || at == "/error/data" || at == "/error/type";
            compare_text(at, recorded, own, exact, fault);
        }
        (Value::Number(recorded), Value::Number(own)) if recorded.is_f64() == own.is_f64() => {}
        (Value::Bool(_), Value::Bool(_)) | (Value::Null, Value::Null) => {}
        _ => fault(format!("{at} is {own}, recorded {recorded}")),
    }
}

fn compare_text(at: &str, recorded: &str, own: &str, exact: bool, fault: &mut impl FnMut(String)) {
    let same = if exact { words(recorded) == words(own) } else { form(recorded) == form(own) };
    if !same {
        fault(format!("{at} is {own:?}, recorded {recorded:?}"));
    }
}

/// An error text without the places in source and body (they depend on ids and on the app's source), and with owned
/// strings where the recorded guest borrowed.
fn words(text: &str) -> String {
    const LIST: &str = "the method call returned an error: [";
    if text.starts_with(LIST) {
        return LIST.into();
    }
    let end = [" at apps/", " at line 1 column "].iter().filter_map(|mark| text.find(mark)).min();
    let text = end.map_or(text, |end| &text[..end]);
    text.replace("& str", "String").replace("a borrowed string", "a string")
}

/// What an id looks like: hex of 32 bytes, base58, a DID, or free text.
fn form(text: &str) -> &'static str {
    let base58 = |c: char| c.is_ascii_alphanumeric() && !matches!(c, '0' | 'O' | 'I' | 'l');
    match text.len() {
        64 if text.chars().all(|c| c.is_ascii_hexdigit()) => "hex",
        32..=44 if text.chars().all(base58) => "base58",
        _ if text.starts_with("did:key:z6Mk") => "did",
        _ => "text",
    }
}

#[test]
fn the_comparison_sees_a_difference() {
    let mut faults = Vec::new();
    let mut fault = |text: String| faults.push(text);
    compare("", &json!({ "a": 1, "b": 2 }), &json!({ "b": 2, "a": 1 }), &mut fault);
    compare("", &json!({ "a": 1 }), &json!({ "a": "1" }), &mut fault);
    compare("", &json!({ "error": "x" }), &json!({ "error": "y" }), &mut fault);
    compare("", &json!([{ "a": 1 }]), &json!([{ "c": 1 }]), &mut fault);
    assert_eq!(faults.len(), 4, "{faults:?}");
}
