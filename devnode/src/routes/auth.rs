//! The auth service, mounted on the node: login, refresh, validation, client keys.
//!
//! Only a node with [`crate::Access::Embedded`] has these routes; on others they are the empty 404 of an unknown one.
//! Its envelope is `{"data", "error"}` for success and failure; what it validates itself answers `{"error", "status"}`.

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::auth::{ADMIN, Caller, Denied, IssuedTokens, RefreshDenied};
use crate::node::{Node, host, lock, sent_token};

type Headers = Vec<(&'static str, String)>;

#[derive(Deserialize)]
struct Login {
    auth_method: String,
    public_key: String,
    client_name: String,
    #[serde(rename = "timestamp")]
    _timestamp: u64,
    provider_data: ProviderData,
}

#[derive(Deserialize)]
struct ProviderData {
    username: String,
    password: String,
}

#[derive(Deserialize)]
struct Refresh {
    access_token: String,
    refresh_token: String,
}

#[derive(Deserialize)]
struct ClientKey {
    #[serde(default)]
    permissions: Vec<String>,
}

pub(super) fn routes() -> Router<Node> {
    let auth = Router::new()
        .route("/health", get(health))
        .route("/providers", get(providers))
        .route("/token", post(token))
        .route("/refresh", post(refresh))
        .route("/validate", get(validate).post(validate))
        .route("/mock-token", post(mock_token));
    let admin = Router::new().route("/client-key", post(client_key));
    Router::new().nest("/auth", auth).nest("/admin", admin)
}

fn absent() -> Response {
    StatusCode::NOT_FOUND.into_response()
}

fn reply(status: StatusCode, headers: Headers, data: Value, error: Option<&str>) -> Response {
    let mut response = (status, Json(json!({ "data": data, "error": error }))).into_response();
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().insert(HeaderName::from_static(name), value);
        }
    }
    response
}

fn good(data: Value) -> Response {
    reply(StatusCode::OK, Headers::new(), data, None)
}

fn refused(status: StatusCode, word: Option<&str>, text: &str) -> Response {
    let headers = word.map(|word| ("x-auth-error", word.to_owned())).into_iter().collect();
    reply(status, headers, Value::Null, Some(text))
}

fn invalid(status: StatusCode, text: &str) -> Response {
    (status, Json(json!({ "error": text, "status": status.as_u16() }))).into_response()
}

fn pair(tokens: IssuedTokens) -> Value {
    json!({ "access_token": tokens.access_token, "refresh_token": tokens.refresh_token, "error": null })
}

fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Box<Response>> {
    let text = "Invalid JSON: Failed to deserialize the JSON body into the target type";
    serde_json::from_slice(body).map_err(|_| Box::new(invalid(StatusCode::BAD_REQUEST, text)))
}

/// Off unless a debug build is told otherwise.
async fn mock_token(State(node): State<Node>) -> Response {
    match node.account() {
        Some(_) => refused(StatusCode::NOT_FOUND, None, "Endpoint not found"),
        None => absent(),
    }
}

async fn health(State(node): State<Node>) -> Response {
    match node.account() {
        Some(_) => {
            let uptime = lock(&node.auth).uptime();
            good(json!({ "status": "alive", "storage": true, "uptime_seconds": uptime }))
        }
        None => absent(),
    }
}

async fn providers(State(node): State<Node>) -> Response {
    if node.account().is_none() {
        return absent();
    }
    let provider = json!({
        "name": "user_password",
        "type": "credentials",
        "description": "Authenticates users with username and password credentials",
        "configured": true,
        "config": { "enabled": true, "description": "Username and password authentication" },
    });
    good(json!({ "providers": [provider], "count": 1 }))
}

async fn token(State(node): State<Node>, body: Bytes) -> Response {
    let Some((user, password)) = node.account() else { return absent() };
    let login: Login = match read(&body) {
        Ok(login) => login,
        Err(response) => return *response,
    };
    if login.public_key.is_empty() {
        let text = "Validation error: public_key: Public key is required";
        return invalid(StatusCode::UNPROCESSABLE_ENTITY, text);
    }
    if login.auth_method != "user_password" {
        let method = login.auth_method;
        let text = format!("Authentication failed: Invalid request: Unsupported authentication method: {method}");
        return refused(StatusCode::UNAUTHORIZED, None, &text);
    }
    let mut auth = lock(&node.auth);
    let given = login.provider_data;
    if auth.is_locked(&given.username) {
        let headers = vec![("retry-after", "60".to_owned())];
        let text = "Too many failed login attempts; please try again later";
        return reply(StatusCode::TOO_MANY_REQUESTS, headers, Value::Null, Some(text));
    }
    let right = given.username == user && given.password == password;
    auth.tried(&given.username, right);
    if !right {
        let text = "Authentication failed: Authentication failed: Invalid username or password";
        return refused(StatusCode::UNAUTHORIZED, None, text);
    }
    good(pair(auth.issue_root(&login.client_name)))
}

async fn refresh(State(node): State<Node>, body: Bytes) -> Response {
    if node.account().is_none() {
        return absent();
    }
    let Refresh { access_token, refresh_token } = match read(&body) {
        Ok(refresh) => refresh,
        Err(response) => return *response,
    };
    let outcome = lock(&node.auth).refresh(&access_token, &refresh_token);
    let (word, text) = match outcome {
        Ok(tokens) => return good(pair(tokens)),
        Err(RefreshDenied::BadAccess) => (None, "Invalid access token: Invalid token: Malformed token: InvalidToken"),
        Err(RefreshDenied::TooEarly) => (None, "Access token still valid"),
        Err(RefreshDenied::BadRefresh) => (None, "Invalid refresh token: Invalid token: Malformed token: InvalidToken"),
        Err(RefreshDenied::Reuse) => (Some("token_reuse"), "Refresh token reuse detected; re-authentication required"),
    };
    refused(StatusCode::UNAUTHORIZED, word, text)
}

async fn validate(State(node): State<Node>, request: Request) -> Response {
    if node.account().is_none() {
        return absent();
    }
    let Some(sent) = sent_token(request.headers(), "") else {
        return refused(StatusCode::UNAUTHORIZED, Some("missing_token"), "No token provided");
    };
    let checked = lock(&node.auth).check(&sent, host(request.headers()));
    let (status, word, text) = match checked {
        Ok(caller) => return reply(StatusCode::OK, told(&caller), json!(""), None),
        Err(Denied::Expired) => (401, "token_expired", "Invalid token: Token has expired"),
        Err(Denied::Revoked) => (403, "token_revoked", "Invalid token: Token has been revoked"),
        Err(Denied::OtherHost) => (403, "invalid_node", "Invalid token: Token is bound to another node"),
        Err(_) => (401, "invalid_token", "Invalid token: Invalid token: Malformed token: InvalidToken"),
    };
    refused(StatusCode::from_u16(status).unwrap_or(StatusCode::UNAUTHORIZED), Some(word), text)
}

/// Who is asking, as the service tells the proxy before it.
fn told(caller: &Caller) -> Headers {
    vec![("x-auth-user", caller.subject.clone()), ("x-auth-permissions", caller.permissions.join(","))]
}

async fn client_key(State(node): State<Node>, headers: HeaderMap, body: Bytes) -> Response {
    if node.account().is_none() {
        return absent();
    }
    let Some(sent) = sent_token(&headers, "") else {
        return (StatusCode::BAD_REQUEST, [("x-auth-error", "invalid_request")]).into_response();
    };
    let mut auth = lock(&node.auth);
    let caller = match auth.check(&sent, host(&headers)) {
        Ok(caller) => caller,
        Err(denied) => return denied.of_node_route(node.is_newer()),
    };
    if !caller.may(ADMIN) {
        let text = "Token does not have admin permissions";
        return reply(StatusCode::FORBIDDEN, told(&caller), Value::Null, Some(text));
    }
    let ClientKey { permissions } = match read(&body) {
        Ok(wanted) => wanted,
        Err(response) => return *response,
    };
    reply(StatusCode::OK, told(&caller), pair(auth.issue_client(permissions)), None)
}
