//! Laziness, memory of success, and credentials.

use super::*;
use crate::model::Cancel;
use std::time::{Duration, Instant};

#[tokio::test]
async fn nothing_is_asked_before_the_first_use_and_a_failure_is_not_remembered() {
    let node = Scripted::start().await;
    let mut settings = NodeSettings { node_url: None, ..node.settings() };
    settings.limits.probe_ports = vec![node.port];
    let session = Session::new(settings);
    assert!(session.connected().is_none() && node.seen().is_empty());
    assert_eq!(session.connect(&scope()).await.unwrap_err().code(), "node::no_node");
    assert!(session.connected().is_none());
    node.json("GET /admin-api/health", r#"{"data":{"status":"alive"}}"#);
    let connection = session.connect(&scope()).await.unwrap();
    assert_eq!(
        (connection.source(), connection.name(), connection.auth_mode()),
        (DiscoverySource::Probe, None, AuthMode::None)
    );
    let before = node.seen().len();
    session.connect(&scope()).await.unwrap();
    assert!(session.connected().is_some());
    assert_eq!(node.seen().len(), before);
    assert_eq!(session.discover(&scope()).await.unwrap(), DiscoverySource::Probe);
}

#[tokio::test]
async fn concurrent_first_uses_share_one_attempt_its_failure_included() {
    let node = Scripted::start().await;
    let mut settings = NodeSettings { node_url: None, ..node.settings() };
    settings.limits.probe_ports = vec![node.port];
    let session = Session::new(settings);
    node.on("GET /admin-api/health", [Reply::Late(Duration::from_millis(60), Box::new(status(503, "{}")))]);
    let scope = scope();
    let (a, b, c) = tokio::join!(session.connect(&scope), session.connect(&scope), session.connect(&scope));
    assert!(a.is_err() && b.is_err() && c.is_err());
    assert_eq!(node.seen().len(), 1);
    node.on("GET /admin-api/health", [Reply::Late(Duration::from_millis(60), Box::new(status(200, "{}")))]);
    let (a, b) = tokio::join!(session.connect(&scope), session.connect(&scope));
    assert!(a.is_ok() && b.is_ok());
    assert_eq!(node.seen().len(), 2);
}

#[tokio::test]
async fn one_callers_cancellation_does_not_end_the_attempt_for_the_others() {
    let node = Scripted::start().await;
    let mut settings = NodeSettings { node_url: None, ..node.settings() };
    settings.limits.probe_ports = vec![node.port];
    let session = Session::new(settings);
    node.on("GET /admin-api/health", [Reply::Late(Duration::from_millis(100), Box::new(status(200, "{}")))]);
    let cancel = Cancel::new();
    let impatient = CallScope { cancel: cancel.clone(), ..scope() };
    let hurried = CallScope { deadline: Some(Instant::now() + Duration::from_millis(20)), ..scope() };
    let patient = scope();
    let (a, b, c, ()) =
        tokio::join!(session.connect(&impatient), session.connect(&hurried), session.connect(&patient), async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            cancel.cancel();
        });
    assert_eq!((a.unwrap_err().code(), b.unwrap_err().code()), ("node::cancelled", "node::deadline_passed"));
    assert!(c.is_ok());
}

#[tokio::test]
async fn a_session_outlives_the_runtime_that_began_its_attempt() {
    let node = Scripted::start().await;
    node.json("GET /admin-api/health", r#"{"data":{"status":"alive"}}"#);
    let session = node.session();
    let abandoned = session.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // The attempt is started and its runtime ends before it has run.
        let cancelled = CallScope::default();
        cancelled.cancel.cancel();
        runtime.block_on(async { assert!(abandoned.connect(&cancelled).await.is_err()) });
    })
    .join()
    .unwrap();
    session.health(&scope()).await.unwrap();
}

#[tokio::test]
async fn a19_a_revoked_credential_and_a_bare_401_are_asked_once_and_say_what_to_do() {
    let node = Scripted::start().await;
    let line = "GET /admin-api/contexts";
    for (reply, rejection, word) in [
        (empty(403, &[("x-auth-error", "token_revoked")]), Rejection::Revoked, "revoked"),
        (empty(401, &[("x-auth-error", "token_reuse")]), Rejection::Revoked, "revoked"),
        (empty(401, &[("x-auth-error", "token_expired")]), Rejection::Expired, "expired"),
        (empty(401, &[]), Rejection::NotAccepted, "does not accept"),
        (empty(403, &[("x-auth-error", "permission_denied")]), Rejection::NotPermitted, "permission"),
    ] {
        node.on(line, [reply]);
        let before = node.seen().len();
        let session = node.session_with_token("FIXTURE-TOKEN-1");
        let error = session.contexts(None, &scope()).await.unwrap_err();
        assert!(matches!(&error, Error::LoginNeeded { rejection: got, .. } if *got == rejection), "{error:?}");
        assert!(error.to_string().contains(word) && error.to_string().contains(line), "{error}");
        assert!(error.hint().unwrap().contains("CALIMERO_AUTH_TOKEN"));
        assert!(matches!(error.failure(), Some(Failure::Http(http)) if http.path.ends_with("/admin-api/contexts")));
        assert_eq!(node.seen().len(), before + 1);
    }
    assert_eq!(node.seen()[0].headers["authorization"], "Bearer FIXTURE-TOKEN-1");
    node.on(line, [empty(401, &[])]);
    let error = node.session().contexts(None, &scope()).await.unwrap_err();
    assert!(error.to_string().contains("wants a login"), "{error}");
    node.on(line, [status(403, r#"{"error":"not a member of group"}"#)]);
    let session = node.session_with_token("FIXTURE-TOKEN-1");
    assert_eq!(session.contexts(None, &scope()).await.unwrap_err().to_string(), "not a member of group");
}

#[tokio::test]
async fn a27_a_cleartext_node_elsewhere_gets_no_request_with_a_token() {
    let node = Scripted::start().await;
    let node_url = Some("http://127.0.0.1.nip.example:2528".to_owned());
    let auth_token = Some(crate::redact::Secret::new("FIXTURE-TOKEN-1"));
    let session = Session::new(NodeSettings { node_url, auth_token, ..node.settings() });
    assert_eq!(session.health(&scope()).await.unwrap_err().code(), "node::cleartext_token");
}
