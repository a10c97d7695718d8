//! A node that answers exactly what a field case says, and remembers what it was asked.

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// An app a fake node has installed, with one context.
#[derive(Debug, Clone)]
pub struct App {
    /// The row of `GET /admin-api/applications`.
    pub row: Value,
    /// The manifest by service name; `""` for an app without services.
    pub manifests: Vec<(String, Value)>,
}

/// One request the node got.
#[derive(Debug, Clone)]
pub struct Asked {
    /// For example `POST`.
    pub method: String,
    /// With its query.
    pub target: String,
    /// As text.
    pub body: String,
}

/// Status, headers, body.
pub type Answer = (u16, Vec<(&'static str, String)>, String);
type Script = Box<dyn FnMut(&Asked) -> Option<Answer> + Send>;

struct State {
    apps: Vec<App>,
    script: Script,
    asked: Vec<Asked>,
}

/// A scripted node on a loopback port. Stops when dropped.
pub struct FakeNode {
    url: String,
    state: Arc<Mutex<State>>,
    _runtime: tokio::runtime::Runtime,
}

impl App {
    /// An app without services.
    #[must_use]
    pub fn new(id: &str, package: &str, manifest: Value) -> Self {
        let row = json!({
            "id": id, "package": package, "version": "1.0.0", "signer_id": "did:key:zTest",
            "blob": {"bytecode": format!("blob-{id}"), "compiled": "1"}, "size": 1, "source": "file:///app", "metadata": [],
        });
        Self { row, manifests: vec![(String::new(), manifest)] }
    }

    /// An app of named services, each with its own manifest and its own context.
    #[must_use]
    pub fn with_services(id: &str, package: &str, services: &[(&str, Value)]) -> Self {
        let mut app = Self::new(id, package, Value::Null);
        app.row["services"] = services.iter().map(|(name, _)| ((*name).to_owned(), json!({}))).collect();
        app.manifests = services.iter().map(|(name, manifest)| ((*name).to_owned(), manifest.clone())).collect();
        app
    }

    /// The id of the app's one context: base58 of 32 bytes made from the app's id.
    #[must_use]
    pub fn context_of(id: &str) -> String {
        const ALPHABET: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
        // Any 44 base58 characters that start low enough decode to 32 bytes.
        let mut text = String::from("3");
        let mut sum = 7_usize;
        let bytes = id.as_bytes();
        for at in 0..43 {
            sum = sum.wrapping_mul(31).wrapping_add(usize::from(bytes[at % bytes.len()]));
            text.push(char::from(ALPHABET[sum % ALPHABET.len()]));
        }
        text
    }
}

impl FakeNode {
    /// A node with these apps; each has one context, and `execute` answers the arguments it was given.
    ///
    /// # Panics
    /// When no loopback port can be had.
    #[must_use]
    pub fn with(apps: Vec<App>) -> Self {
        Self::scripted(apps, |_| None)
    }

    /// As [`FakeNode::with`], asking `script` first: `(status, headers, body)`, or `None` for the usual answer.
    ///
    /// # Panics
    /// When no loopback port can be had.
    #[must_use]
    pub fn scripted(apps: Vec<App>, script: impl FnMut(&Asked) -> Option<Answer> + Send + 'static) -> Self {
        let state = Arc::new(Mutex::new(State { apps, script: Box::new(script), asked: Vec::new() }));
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("runtime");
        let shared = Arc::clone(&state);
        let url = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
            let url = format!("http://{}", listener.local_addr().expect("an address"));
            let router = axum::Router::new().fallback(move |request: Request| answer(Arc::clone(&shared), request));
            tokio::spawn(async move { axum::serve(listener, router).await });
            url
        });
        Self { url, state, _runtime: runtime }
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Every request so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.state.lock().unwrap().asked.clone()
    }

    /// The bodies of the `execute` calls so far: `(method, argsJson)`, with `argsJson` as it was written.
    #[must_use]
    pub fn executed(&self) -> Vec<(String, String)> {
        let asked = self.asked();
        let calls = asked.iter().filter(|asked| asked.target.ends_with("/jsonrpc"));
        calls
            .map(|call| {
                let body: Value = serde_json::from_str(&call.body).expect("a JSON body");
                let method = body["params"]["method"].as_str().unwrap_or_default().to_owned();
                (method, raw_arguments(&call.body))
            })
            .collect()
    }

    /// An `execute` answer with this JSON text as the method's output, every digit kept.
    #[must_use]
    pub fn output(json: &str) -> Answer {
        (200, Vec::new(), format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"output\":{json}}}}}"))
    }

    /// A JSON answer with this status.
    #[must_use]
    pub fn json(status: u16, body: &Value) -> Answer {
        (status, Vec::new(), body.to_string())
    }

    /// The contexts the `execute` calls so far ran in.
    #[must_use]
    pub fn contexts(&self) -> Vec<String> {
        let asked = self.asked();
        let calls = asked.iter().filter(|asked| asked.target.ends_with("/jsonrpc"));
        let body = |asked: &Asked| serde_json::from_str::<Value>(&asked.body).expect("a JSON body");
        calls.map(|call| body(call)["params"]["contextId"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Changes what is installed.
    pub fn set_apps(&self, apps: Vec<App>) {
        self.state.lock().unwrap().apps = apps;
    }
}

/// The text of `argsJson` as it stands in a body, every digit kept.
fn raw_arguments(body: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Body<'a> {
        #[serde(borrow)]
        params: Params<'a>,
    }
    #[derive(serde::Deserialize)]
    struct Params<'a> {
        #[serde(rename = "argsJson", borrow)]
        arguments: &'a serde_json::value::RawValue,
    }
    serde_json::from_str::<Body<'_>>(body).map(|body| body.params.arguments.get().to_owned()).unwrap_or_default()
}

async fn answer(state: Arc<Mutex<State>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body: Bytes = axum::body::to_bytes(body, 64 << 20).await.unwrap_or_default();
    let target = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let asked = Asked { method: parts.method.to_string(), target, body: String::from_utf8_lossy(&body).into_owned() };
    let mut state = state.lock().unwrap();
    state.asked.push(asked.clone());
    let scripted = (state.script)(&asked);
    let (status, headers, body) = scripted.unwrap_or_else(|| usual(&state.apps, &asked));
    let mut response = (StatusCode::from_u16(status).expect("a status"), body).into_response();
    if headers.is_empty() {
        response.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
    }
    for (name, value) in headers {
        let value = HeaderValue::from_str(&value).expect("a header value");
        response.headers_mut().insert(HeaderName::from_static(name), value);
    }
    response
}

fn usual(apps: &[App], asked: &Asked) -> Answer {
    let (path, query) = asked.target.split_once('?').unwrap_or((&asked.target, ""));
    let data = |data: Value| (200, Vec::new(), json!({"data": data}).to_string());
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    match (asked.method.as_str(), segments.as_slice()) {
        ("GET", ["admin-api", "health"]) => data(json!({"status": "alive"})),
        ("GET", ["admin-api", "applications"]) => {
            data(json!({"apps": apps.iter().map(|app| app.row.clone()).collect::<Vec<_>>()}))
        }
        ("GET", ["admin-api", "applications", id, "abi"]) => abi(apps, id, query),
        ("GET", ["admin-api", "contexts", "for-application", id]) => data(json!({"contexts": contexts(apps, id)})),
        ("POST", ["admin-api", "alias", "lookup", "context", _]) => data(json!({"value": null})),
        ("POST", ["jsonrpc"]) => FakeNode::output(&raw_arguments(&asked.body)),
        _ => (404, Vec::new(), String::new()),
    }
}

fn abi(apps: &[App], id: &str, query: &str) -> Answer {
    let service = query.strip_prefix("service_name=").unwrap_or_default();
    let app = apps.iter().find(|app| app.row["id"] == id);
    let manifest = app.and_then(|app| app.manifests.iter().find(|(name, _)| name == service));
    match manifest {
        Some((_, manifest)) => (200, Vec::new(), format!("{{\"data\":{manifest}}}")),
        None => (404, Vec::new(), json!({"error": "Application not found"}).to_string()),
    }
}

/// One context for an app, or one for each of its services.
fn contexts(apps: &[App], id: &str) -> Vec<Value> {
    let Some(app) = apps.iter().find(|app| app.row["id"] == id) else { return Vec::new() };
    let context = |service: &str| {
        let key = format!("{id}{service}");
        let mut context = json!({
            "id": App::context_of(&key), "applicationId": id, "contextStateHash": "1", "dagHeads": [],
        });
        if !service.is_empty() {
            context["serviceName"] = service.into();
        }
        context
    };
    app.manifests.iter().map(|(service, _)| context(service)).collect()
}
