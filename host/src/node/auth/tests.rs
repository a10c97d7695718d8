//! Credentials against a scripted node: which pair is used, when it is renewed, when it is given up.

use super::tokens::token_with;
use super::*;
use crate::model::{CallScope, Cancel};
use crate::node::testing::{Reply, Scripted};
use crate::node::{AuthMode, Session};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LISTING: &str = "GET /admin-api/contexts";
const REFRESH: &str = "POST /auth/refresh";
const LOGIN: &str = "POST /auth/token";

/// A node, a state folder, and the settings that go with them.
struct Place {
    node: Scripted,
    state: tempfile::TempDir,
}

fn scope() -> CallScope {
    CallScope::default()
}

fn expired() -> Reply {
    Reply::Full(401, vec![("x-auth-error", "token_expired".to_owned())], vec![])
}

fn revoked() -> Reply {
    Reply::Full(403, vec![("x-auth-error", "token_revoked".to_owned())], vec![])
}

fn contexts() -> Reply {
    Reply::Json(200, r#"{"data":{"contexts":[]}}"#.to_owned())
}

fn issued(iat: u64, name: &str) -> String {
    token_with(&json!({ "iat": iat, "sub": name }))
}

fn pair(access: &str, refresh: &str) -> Reply {
    let data = json!({ "access_token": access, "refresh_token": refresh, "error": null });
    Reply::Json(200, json!({ "data": data, "error": null }).to_string())
}

impl Place {
    async fn new() -> Self {
        let place = Self { node: Scripted::start().await, state: tempfile::tempdir().unwrap() };
        place.node.on(LISTING, [contexts()]);
        place
    }

    fn settings(&self) -> NodeSettings {
        NodeSettings { state_dir: Some(self.state.path().to_owned()), ..self.node.settings() }
    }

    fn with_token(&self, access: &str) -> Session {
        let (auth_token, refresh_token) = (Some(Secret::new(access)), Some(Secret::new("supplied-refresh")));
        Session::new(NodeSettings { auth_token, refresh_token, ..self.settings() })
    }

    fn with_login(&self) -> Session {
        let (username, password) = (Some("admin".to_owned()), Some(Secret::new("FIXTURE-PASSWORD")));
        Session::new(NodeSettings { username, password, ..self.settings() })
    }

    fn hand_over(&self, access: &str) {
        let text = json!({ "nodeUrl": self.node.url(), "accessToken": access, "refreshToken": "handed-refresh" });
        std::fs::write(self.state.path().join("agent.json"), text.to_string()).unwrap();
    }

    fn file(&self, account: &str) -> PathBuf {
        let url = NodeUrl::parse("x", &self.node.url()).unwrap();
        TokenStore::new(self.state.path(), &url, account).path().to_owned()
    }

    fn store(&self, access: &str, refresh: &str) {
        let text = json!({ "access_token": access, "refresh_token": refresh, "expires_at": 1 });
        std::fs::write(self.file(""), text.to_string()).unwrap();
    }

    fn stored(&self, account: &str) -> (String, String) {
        let text = std::fs::read_to_string(self.file(account)).unwrap();
        let stored: Value = serde_json::from_str(&text).unwrap();
        let member = |name: &str| stored[name].as_str().unwrap().to_owned();
        (member("access_token"), member("refresh_token"))
    }

    /// The `Authorization` headers of the listings so far.
    fn sent(&self) -> Vec<String> {
        let listings = self.node.seen().into_iter().filter(|seen| seen.line == LISTING);
        listings.map(|seen| seen.headers.get("authorization").cloned().unwrap_or_default()).collect()
    }

    fn count(&self, line: &str) -> usize {
        self.node.lines().iter().filter(|seen| *seen == line).count()
    }
}

async fn list(session: &Session) -> Result<(), Error> {
    session.contexts(None, &scope()).await.map(drop)
}

fn rejection_of(error: Error) -> Rejection {
    match error {
        Error::LoginNeeded { rejection, .. } => rejection,
        other => panic!("{other:?}"),
    }
}

fn is_only_file(state: &Path, file: &Path) -> bool {
    let names: Vec<_> = std::fs::read_dir(state).unwrap().map(|entry| entry.unwrap().path()).collect();
    names == [file]
}

#[tokio::test]
async fn handoff_wins_over_token_token_over_credentials_and_those_over_none() {
    let place = Place::new().await;
    place.node.on(LOGIN, [pair("login-access", "r")]);
    let mode = async |settings: NodeSettings| Session::new(settings).connect(&scope()).await.unwrap().auth_mode();
    let mut settings = place.settings();
    assert_eq!(mode(settings.clone()).await, AuthMode::None);
    settings.username = Some("admin".to_owned());
    assert_eq!(mode(settings.clone()).await, AuthMode::None, "a user name alone is no login");
    settings.password = Some(Secret::new("FIXTURE-PASSWORD"));
    assert_eq!(mode(settings.clone()).await, AuthMode::Credentials);
    settings.auth_token = Some(Secret::new("t0ken"));
    assert_eq!(mode(settings.clone()).await, AuthMode::Token);
    place.hand_over("handed");
    assert_eq!(mode(settings.clone()).await, AuthMode::Handoff);
    for rejected in ["junk", "{}", r#"{"nodeUrl":"https://node.example","accessToken":"FIXTURE"}"#] {
        std::fs::write(place.state.path().join("agent.json"), rejected).unwrap();
        assert_eq!(mode(settings.clone()).await, AuthMode::Token, "{rejected}");
    }
}

#[tokio::test]
async fn f11_a_handoff_for_another_node_is_not_sent_to_this_one() {
    let place = Place::new().await;
    let text = json!({ "nodeUrl": "http://localhost:9", "accessToken": "FIXTURE" });
    std::fs::write(place.state.path().join("agent.json"), text.to_string()).unwrap();
    list(&Session::new(place.settings())).await.unwrap();
    assert_eq!(place.sent(), [""]);
    // A file with only a token is for whichever node discovery finds.
    std::fs::write(place.state.path().join("agent.json"), r#"{"accessToken":"handed"}"#).unwrap();
    list(&Session::new(place.settings())).await.unwrap();
    assert_eq!(place.sent(), ["", "Bearer handed"]);
}

#[tokio::test]
async fn a27_a_credential_goes_in_cleartext_to_this_machine_only_unless_the_operator_says_so() {
    let open = async |url: &str, allow_cleartext| {
        let auth_token = Some(Secret::new("t0ken"));
        let settings = NodeSettings { auth_token, allow_cleartext, ..NodeSettings::default() };
        let url = NodeUrl::parse("x", url).unwrap();
        Auth::open(&settings, &url, None, &Arc::default()).await.map(|auth| auth.mode())
    };
    for url in ["http://[::1]:2528", "http://127.0.0.1:2528", "http://localhost:2528", "https://node.example"] {
        assert_eq!(open(url, false).await, Ok(AuthMode::Token), "{url}");
    }
    for url in ["http://node.example:2528", "http://127.0.0.1.nip.example:2528"] {
        let error = open(url, false).await.unwrap_err().to_string();
        assert!(error.contains("CALIMERO_ALLOW_CLEARTEXT") && error.contains(url), "{error}");
        assert!(open(url, true).await.is_ok());
    }
}

#[tokio::test]
async fn a27_no_login_is_sent_in_cleartext_to_another_machine() {
    let (username, password) = (Some("admin".to_owned()), Some(Secret::new("FIXTURE-PASSWORD")));
    let node_url = Some("http://node.example:2528".to_owned());
    let session = Session::new(NodeSettings { node_url, username, password, ..NodeSettings::default() });
    assert_eq!(list(&session).await.unwrap_err().code(), "node::cleartext_token");
}

#[tokio::test]
async fn an_empty_store_adopts_even_an_opaque_token() {
    let place = Place::new().await;
    list(&place.with_token("Bearer opaque")).await.unwrap();
    assert_eq!(place.stored(""), ("opaque".to_owned(), "supplied-refresh".to_owned()));
    assert!(is_only_file(place.state.path(), &place.file("")));
    assert_eq!(place.sent(), ["Bearer opaque"]);
}

#[tokio::test]
async fn f10_only_a_supplied_token_that_says_it_is_newer_replaces_the_stored_one() {
    let place = Place::new().await;
    let cached = issued(2000, "cached");
    for (supplied, wins) in [
        (issued(1000, "supplied"), false),
        (issued(2000, "supplied"), false),
        ("opaque".to_owned(), false),
        (issued(3000, "supplied"), true),
    ] {
        place.store(&cached, "cached-refresh");
        list(&place.with_token(&supplied)).await.unwrap();
        let used = if wins { &supplied } else { &cached };
        assert_eq!(place.sent().pop().unwrap(), format!("Bearer {used}"));
        assert_eq!(place.stored("").0, *used);
    }
}

#[tokio::test]
async fn a_newer_handoff_is_adopted_and_a_store_rotated_past_it_is_kept() {
    let place = Place::new().await;
    let (old, new, rotated) = (issued(1000, "old"), issued(2000, "new"), issued(3000, "rotated"));
    place.store(&old, "old-refresh");
    place.hand_over(&new);
    list(&Session::new(place.settings())).await.unwrap();
    assert_eq!(place.stored(""), (new.clone(), "handed-refresh".to_owned()));
    place.store(&rotated, "rotated-refresh");
    list(&Session::new(place.settings())).await.unwrap();
    assert_eq!(place.stored(""), (rotated.clone(), "rotated-refresh".to_owned()));
    assert_eq!(place.sent(), [format!("Bearer {new}"), format!("Bearer {rotated}")]);
}

#[tokio::test]
async fn credentials_log_in_once_and_a_second_process_uses_the_stored_tokens() {
    let place = Place::new().await;
    place.node.on(LOGIN, [pair("login-access", "login-refresh")]);
    let session = place.with_login();
    list(&session).await.unwrap();
    list(&session).await.unwrap();
    list(&place.with_login()).await.unwrap();
    assert_eq!((place.count(LOGIN), place.sent().pop().unwrap()), (1, "Bearer login-access".to_owned()));
    assert_eq!(place.stored("admin"), ("login-access".to_owned(), "login-refresh".to_owned()));
    assert!(!place.file("").exists(), "another account's file");
    let login = place.node.seen().into_iter().find(|seen| seen.line == LOGIN).unwrap();
    let body: Value = serde_json::from_str(&login.body).unwrap();
    let provider = json!({ "username": "admin", "password": "FIXTURE-PASSWORD" });
    assert_eq!((&body["auth_method"], &body["public_key"]), (&json!("user_password"), &json!("admin")));
    assert_eq!((&body["permissions"], &body["provider_data"]), (&json!(["admin"]), &provider));
    assert!(
        body["timestamp"].as_u64().unwrap() > 1_700_000_000 && !body["client_name"].as_str().unwrap().contains(':')
    );
    assert!(!login.headers.contains_key("authorization"));
}

#[tokio::test]
async fn processes_that_start_together_log_in_once() {
    let place = Place::new().await;
    place.node.on(LOGIN, [Reply::Late(Duration::from_millis(60), Box::new(pair("login-access", "r")))]);
    let sessions: Vec<_> = (0..4).map(|_| place.with_login()).collect();
    let (a, b, c, d) = tokio::join!(list(&sessions[0]), list(&sessions[1]), list(&sessions[2]), list(&sessions[3]));
    assert!(a.is_ok() && b.is_ok() && c.is_ok() && d.is_ok());
    assert_eq!(place.count(LOGIN), 1);
}

#[tokio::test]
async fn a_refused_login_gives_the_nodes_reason_and_is_tried_again_by_the_next_use() {
    let place = Place::new().await;
    let refusal =
        r#"{"data":null,"error":"Authentication failed: Authentication failed: Invalid username or password"}"#;
    place.node.on(LOGIN, [Reply::Json(401, refusal.to_owned()), pair("login-access", "r")]);
    let session = place.with_login();
    let error = list(&session).await.unwrap_err();
    assert_eq!(error.to_string(), "Authentication failed: Invalid username or password");
    assert_eq!(error.code(), "node::login_failed");
    let hint = error.hint().unwrap();
    assert!(hint.contains("CALIMERO_USERNAME") && hint.contains("CALIMERO_PASSWORD_FILE"), "{hint}");
    list(&session).await.unwrap();
}

#[tokio::test]
async fn a_node_without_an_auth_service_is_used_without_a_login() {
    let place = Place::new().await;
    list(&place.with_login()).await.unwrap();
    assert_eq!((place.count(LOGIN), place.sent()), (1, vec![String::new()]));
}

#[tokio::test]
async fn f02_parallel_calls_share_one_refresh_and_are_repeated_once_each() {
    let place = Place::new().await;
    let mut replies: Vec<_> = (0..20).map(|_| Reply::Late(Duration::from_millis(30), Box::new(expired()))).collect();
    replies.push(contexts());
    place.node.on(LISTING, replies);
    place.node.on(REFRESH, [Reply::Late(Duration::from_millis(50), Box::new(pair("fresh", "fresh-refresh")))]);
    let session = place.with_token("stale");
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let session = session.clone();
            tokio::spawn(async move { list(&session).await })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!((place.count(REFRESH), place.count(LISTING)), (1, 40));
    assert_eq!(place.stored(""), ("fresh".to_owned(), "fresh-refresh".to_owned()));
    let refresh = place.node.seen().into_iter().find(|seen| seen.line == REFRESH).unwrap();
    let body: Value = serde_json::from_str(&refresh.body).unwrap();
    assert_eq!(body, json!({ "access_token": "stale", "refresh_token": "supplied-refresh" }));
    assert!(!refresh.headers.contains_key("authorization"));
}

#[tokio::test]
async fn f03_tokens_that_another_process_refreshed_are_taken_up_without_a_refresh() {
    let place = Place::new().await;
    let session = place.with_token("stale");
    session.connect(&scope()).await.unwrap();
    let lock = {
        let mut name = place.file("").into_os_string();
        name.push(".lock");
        PathBuf::from(name)
    };
    std::fs::write(&lock, std::process::id().to_string()).unwrap();
    place.node.on(LISTING, [expired(), contexts()]);
    let call = tokio::spawn(async move { list(&session).await });
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert!(!call.is_finished(), "the lock's owner is waited for");
    place.store("theirs", "their-refresh");
    std::fs::remove_file(&lock).unwrap();
    call.await.unwrap().unwrap();
    assert_eq!((place.count(REFRESH), place.sent().pop().unwrap()), (0, "Bearer theirs".to_owned()));
}

#[tokio::test]
async fn a20_a_refresh_refused_as_too_early_changes_nothing() {
    let place = Place::new().await;
    place.node.on(REFRESH, [Reply::Json(401, r#"{"data":null,"error":"Access token still valid"}"#.to_owned())]);
    let session = place.with_token("good");
    list(&session).await.unwrap();
    assert_eq!(place.count(REFRESH), 0, "none is tried while calls succeed");
    place.node.on(LISTING, [expired(), contexts()]);
    let error = list(&session).await.unwrap_err();
    assert_eq!(rejection_of(error), Rejection::NotRefreshed);
    assert_eq!(place.stored(""), ("good".to_owned(), "supplied-refresh".to_owned()));
    list(&session).await.unwrap();
    assert_eq!(place.sent().pop().unwrap(), "Bearer good");
}

#[tokio::test]
async fn a_temporary_fault_of_the_refresh_wipes_nothing_and_the_next_call_tries_again() {
    let place = Place::new().await;
    let session = place.with_token("stale");
    for fault in [
        Reply::Json(503, "{}".to_owned()),
        Reply::Raw(vec![]),
        Reply::Json(200, "{\"data\":".to_owned()),
        Reply::Json(200, r#"{"data":{"access_token":""}}"#.to_owned()),
        Reply::Hang,
    ] {
        place.node.on(LISTING, [expired()]).on(REFRESH, [fault.clone()]);
        let error = list(&session).await.unwrap_err();
        assert!(error.hint().unwrap().starts_with("try again"), "{error}");
        let Error::LoginNeeded { failure, .. } = &error else { panic!("{error:?}") };
        assert!(failure.status == 401 && failure.path.ends_with("/admin-api/contexts"), "the original answer");
        assert_eq!(place.stored(""), ("stale".to_owned(), "supplied-refresh".to_owned()), "{fault:?}");
    }
    place.node.on(LISTING, [expired(), contexts()]).on(REFRESH, [pair("fresh", "r")]);
    list(&session).await.unwrap();
}

#[tokio::test]
async fn f09_a_refresh_without_a_new_refresh_token_keeps_the_old_one_in_the_file() {
    let place = Place::new().await;
    place.node.on(LISTING, [expired(), contexts()]);
    place.node.json(REFRESH, r#"{"data":{"access_token":"aaa.bbb.ccc"}}"#);
    list(&place.with_token("stale")).await.unwrap();
    assert_eq!(place.stored(""), ("aaa.bbb.ccc".to_owned(), "supplied-refresh".to_owned()));
}

#[tokio::test]
async fn a19_a_revoked_credential_is_terminal_and_cleared_from_memory_and_file() {
    let place = Place::new().await;
    place.node.on(LISTING, [revoked(), Reply::Full(401, vec![], vec![])]);
    let session = place.with_token("dead");
    for _ in 0..3 {
        let error = list(&session).await.unwrap_err();
        assert!(error.hint().unwrap().contains("CALIMERO_AUTH_TOKEN"));
        assert_eq!(rejection_of(error), Rejection::Revoked);
    }
    assert!(!place.file("").exists());
    assert_eq!((place.sent(), place.count(REFRESH)), (vec!["Bearer dead".to_owned(), String::new(), String::new()], 0));
}

#[tokio::test]
async fn a19_a_reused_refresh_token_is_terminal_too() {
    let place = Place::new().await;
    place.node.on(LISTING, [expired(), Reply::Full(401, vec![], vec![])]);
    let body = br#"{"data":null,"error":"Refresh token reuse detected; re-authentication required"}"#.to_vec();
    place.node.on(REFRESH, [Reply::Full(401, vec![("x-auth-error", "token_reuse".to_owned())], body)]);
    let session = place.with_token("stale");
    for _ in 0..2 {
        assert_eq!(rejection_of(list(&session).await.unwrap_err()), Rejection::Revoked);
    }
    assert!(!place.file("").exists());
    assert_eq!((place.count(REFRESH), place.count(LISTING)), (1, 2));
}

#[tokio::test]
async fn a19_a_bare_401_costs_one_request_a_call_and_keeps_the_tokens() {
    let place = Place::new().await;
    place.node.on(LISTING, [Reply::Full(401, vec![], vec![])]);
    let session = place.with_token("odd");
    for _ in 0..3 {
        assert_eq!(rejection_of(list(&session).await.unwrap_err()), Rejection::NotAccepted);
    }
    assert_eq!((place.count(LISTING), place.count(REFRESH)), (3, 0));
    assert_eq!(place.stored("").0, "odd");
}

#[tokio::test]
async fn a_bare_401_takes_up_a_newer_handoff_with_one_more_request() {
    let place = Place::new().await;
    let (dead, again) = (issued(1000, "dead"), issued(2000, "again"));
    place.hand_over(&dead);
    let session = Session::new(place.settings());
    session.connect(&scope()).await.unwrap();
    place.hand_over(&again);
    place.node.on(LISTING, [Reply::Full(401, vec![], vec![]), contexts()]);
    list(&session).await.unwrap();
    assert_eq!(place.sent(), [format!("Bearer {dead}"), format!("Bearer {again}")]);
}

#[tokio::test]
async fn stored_tokens_that_the_node_no_longer_knows_cost_one_login_and_no_more() {
    let place = Place::new().await;
    place.node.on(LOGIN, [pair("old", "r1"), pair("new", "r2"), pair("never", "r3")]);
    list(&place.with_login()).await.unwrap();
    place.node.on(LISTING, [Reply::Full(401, vec![], vec![]), contexts()]);
    let session = place.with_login();
    list(&session).await.unwrap();
    assert_eq!((place.count(LOGIN), place.sent().pop().unwrap()), (2, "Bearer new".to_owned()));
    assert_eq!(place.stored("admin").0, "new");
    place.node.on(LISTING, [Reply::Full(401, vec![], vec![])]);
    for _ in 0..3 {
        assert_eq!(rejection_of(list(&session).await.unwrap_err()), Rejection::NotAccepted);
    }
    assert_eq!(place.count(LOGIN), 2);
}

#[tokio::test]
async fn a_bare_401_without_a_store_keeps_what_was_refreshed() {
    let place = Place::new().await;
    place.node.on(LISTING, [expired(), contexts(), Reply::Full(401, vec![], vec![]), contexts()]);
    place.node.on(REFRESH, [pair("fresh", "r")]);
    let (auth_token, refresh_token) = (Some(Secret::new("stale")), Some(Secret::new("r0")));
    let session = Session::new(NodeSettings { auth_token, refresh_token, ..place.node.settings() });
    list(&session).await.unwrap();
    assert!(list(&session).await.is_err());
    list(&session).await.unwrap();
    assert_eq!(place.sent().pop().unwrap(), "Bearer fresh");
}

#[tokio::test]
async fn a_revocation_leaves_newer_tokens_of_another_process_alone() {
    let place = Place::new().await;
    let session = place.with_token("dead");
    session.connect(&scope()).await.unwrap();
    place.store("theirs", "their-refresh");
    place.node.on(LISTING, [revoked(), contexts()]);
    assert_eq!(rejection_of(list(&session).await.unwrap_err()), Rejection::Revoked);
    assert_eq!(place.stored("").0, "theirs");
    list(&session).await.unwrap();
    assert_eq!(place.sent(), ["Bearer dead", "Bearer theirs"]);
}

#[tokio::test]
async fn after_a_revocation_a_new_handoff_and_a_new_login_are_taken_up_without_a_restart() {
    let place = Place::new().await;
    let (dead, again) = (issued(1000, "dead"), issued(2000, "again"));
    place.hand_over(&dead);
    let session = Session::new(place.settings());
    place.node.on(LISTING, [revoked(), contexts()]);
    assert!(list(&session).await.is_err());
    place.hand_over(&again);
    list(&session).await.unwrap();
    assert_eq!(place.sent().pop().unwrap(), format!("Bearer {again}"));

    let place = Place::new().await;
    place.node.on(LOGIN, [pair("first", "r1"), pair("second", "r2")]);
    place.node.on(LISTING, [revoked(), contexts()]);
    let session = place.with_login();
    assert!(list(&session).await.is_err());
    list(&session).await.unwrap();
    assert_eq!((place.count(LOGIN), place.sent().pop().unwrap()), (2, "Bearer second".to_owned()));
}

#[tokio::test]
async fn f05_a_damaged_token_file_is_never_sent() {
    let place = Place::new().await;
    std::fs::write(place.file(""), r#"{"access_token":"FIXTURE"#).unwrap();
    list(&place.with_token("supplied")).await.unwrap();
    assert_eq!(place.sent(), ["Bearer supplied"]);
    assert_eq!(place.stored("").0, "supplied");
}

#[tokio::test]
async fn a_callers_cancellation_does_not_throw_a_refresh_away() {
    let place = Place::new().await;
    place.node.on(LISTING, [expired(), expired(), contexts()]);
    place.node.on(REFRESH, [Reply::Late(Duration::from_millis(150), Box::new(pair("fresh", "fresh-refresh")))]);
    let session = place.with_token("stale");
    let cancel = Cancel::new();
    let impatient = CallScope { cancel: cancel.clone(), ..scope() };
    let (called, ()) = tokio::join!(session.contexts(None, &impatient), async {
        tokio::time::sleep(Duration::from_millis(80)).await;
        cancel.cancel();
    });
    assert_eq!(called.unwrap_err().code(), "node::cancelled");
    list(&session).await.unwrap();
    assert_eq!(place.count(REFRESH), 1);
    assert_eq!(place.stored(""), ("fresh".to_owned(), "fresh-refresh".to_owned()));
}

#[tokio::test]
async fn a26_login_and_refresh_keep_the_nodes_path_prefix() {
    let node = Scripted::start().await;
    node.on("POST /calimero/node1/auth/token", [pair("stale", "r")]);
    node.on("POST /calimero/node1/auth/refresh", [pair("fresh", "r2")]);
    node.on("GET /calimero/node1/admin-api/contexts", [expired(), contexts()]);
    let (username, password) = (Some("admin".to_owned()), Some(Secret::new("FIXTURE-PASSWORD")));
    let node_url = Some(format!("{}/calimero/node1/", node.url()));
    list(&Session::new(NodeSettings { node_url, username, password, ..node.settings() })).await.unwrap();
    assert!(node.lines().iter().all(|line| line.contains(" /calimero/node1/")), "{:?}", node.lines());
}

#[tokio::test]
async fn g04_every_token_is_known_to_the_redactor_before_it_is_first_sent() {
    let place = Place::new().await;
    place.node.on(LOGIN, [pair("FIXTURE-ACCESS-1", "FIXTURE-REFRESH-1")]);
    place.node.on(REFRESH, [pair("FIXTURE-ACCESS-2", "FIXTURE-REFRESH-2")]);
    place.node.on(LISTING, [expired(), contexts()]);
    let (username, password) = (Some("admin".to_owned()), Some(Secret::new("FIXTURE-PASSWORD")));
    let settings = NodeSettings { username, password, ..place.settings() };
    let redactor = Arc::clone(&settings.redactor);
    assert!(!format!("{settings:?}").contains("FIXTURE"), "{settings:?}");
    let session = Session::new(settings);
    list(&session).await.unwrap();
    for secret in ["PASSWORD", "ACCESS-1", "REFRESH-1", "ACCESS-2", "REFRESH-2"] {
        assert_eq!(redactor.redact(&format!("<FIXTURE-{secret}>")), "<***>");
    }
    assert!(!format!("{session:?}").contains("FIXTURE"), "{session:?}");
}

#[tokio::test]
async fn a_state_folder_that_cannot_be_used_costs_persistence_and_no_call() {
    let place = Place::new().await;
    let blocked = place.state.path().join("file");
    std::fs::write(&blocked, "x").unwrap();
    place.node.on(LISTING, [expired(), contexts()]).on(REFRESH, [pair("fresh", "r")]);
    let (auth_token, refresh_token) = (Some(Secret::new("stale")), Some(Secret::new("r0")));
    let state_dir = Some(blocked.join("state"));
    list(&Session::new(NodeSettings { auth_token, refresh_token, state_dir, ..place.settings() })).await.unwrap();
    assert_eq!(place.sent(), ["Bearer stale", "Bearer fresh"]);
}
