//! One exchange and its bounds: time, size, cancellation, broken bodies, redirects.

use super::*;
use crate::model::Cancel;
use std::time::{Duration, Instant};

const HEALTH: &str = "GET /admin-api/health";

async fn health(node: &Scripted) -> Error {
    node.session().health(&scope()).await.unwrap_err()
}

const PATH_OF_HEALTH: &str = "/admin-api/health";

#[tokio::test]
async fn a_node_that_hangs_is_given_up_after_the_limit() {
    let node = Scripted::start().await;
    node.on(HEALTH, [Reply::Hang]);
    let error = health(&node).await;
    assert_eq!(error.code(), "node::timed_out");
    // Its own words, not a decoder's: the node was reached, and what was asked may have been done.
    assert_eq!(error.failure(), None);
    assert!(error.to_string().contains("within 0.4 s; what was asked may have been done"), "{error}");
}

#[tokio::test]
async fn joining_a_namespace_is_given_more_time_than_anything_else() {
    let node = Scripted::start().await;
    let line = "POST /admin-api/namespaces/N/join";
    let late = Reply::Late(Duration::from_millis(700), Box::new(status(200, r#"{"data":{}}"#)));
    node.on(line, [late.clone()]).on(HEALTH, [late]);
    let invitation = serde_json::from_str("{}").unwrap();
    let session = node.session();
    session.join_namespace("N", invitation, None, &scope()).await.unwrap();
    assert_eq!(session.health(&scope()).await.unwrap_err().code(), "node::timed_out");
}

#[tokio::test]
async fn a_cancelled_call_stops_waiting_at_once_and_a_deadline_in_time() {
    let node = Scripted::start().await;
    node.on(HEALTH, [Reply::Hang]);
    let session = node.session();
    session.connect(&scope()).await.unwrap();
    let cancel = Cancel::new();
    let cancelled = CallScope { cancel: cancel.clone(), ..scope() };
    let started = Instant::now();
    let (error, ()) = tokio::join!(session.health(&cancelled), async {
        tokio::time::sleep(Duration::from_millis(30)).await;
        cancel.cancel();
    });
    assert_eq!(error.unwrap_err(), Error::Cancelled { route: HEALTH.to_owned() });
    let hurried = CallScope { deadline: Some(Instant::now() + Duration::from_millis(30)), ..scope() };
    assert_eq!(session.health(&hurried).await.unwrap_err().code(), "node::deadline_passed");
    assert!(started.elapsed() < Duration::from_millis(350), "{:?}", started.elapsed());
}

#[tokio::test]
async fn trace_context_is_forwarded_only_where_there_is_one() {
    let node = Scripted::start().await;
    node.json(HEALTH, r#"{"data":{"status":"alive"}}"#);
    let session = node.session();
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let traced = CallScope { traceparent: Some(parent.to_owned()), ..scope() };
    assert_eq!(session.health(&traced).await.unwrap().status, "alive");
    session.health(&scope()).await.unwrap();
    let seen = node.seen();
    assert_eq!(seen[0].headers.get("traceparent").map(String::as_str), Some(parent));
    assert!(!seen[1].headers.contains_key("traceparent") && !seen[1].headers.contains_key("authorization"));
}

#[tokio::test]
async fn broken_bodies_give_one_clear_error_each_naming_the_route() {
    let node = Scripted::start().await;
    let raw = |text: &str| Reply::Raw(text.as_bytes().to_vec());
    let html = Reply::Full(200, vec![("content-type", "text/html".to_owned())], b"<html>hi</html>".to_vec());
    for (reply, code, word) in [
        (raw("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"data\":"), "node::body_cut", "broke off after 8 bytes"),
        (raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"da"), "node::body_cut", "broke off"),
        (status(200, "{\"data\": nope}"), "node::not_json", "line 1, column 11"),
        (html, "node::not_json", "text/html"),
        (Reply::Full(200, vec![], vec![0xff, 0xfe]), "node::not_json", "`none`"),
        (status(200, "{\"data\":{}} trailing"), "node::not_json", "line 1"),
    ] {
        node.on(HEALTH, [reply]);
        let error = health(&node).await;
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(HEALTH) && error.to_string().contains(word), "{error}");
    }
    node.on(HEALTH, [raw("garbage\r\n\r\n")]);
    assert_eq!(health(&node).await.code(), "node::unreachable");
    node.on(HEALTH, [raw("")]);
    assert_eq!(health(&node).await.code(), "node::unreachable");
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_not_read_to_its_end() {
    let node = Scripted::start().await;
    node.json(HEALTH, &format!(r#"{{"data":{{"status":"{}"}}}}"#, "x".repeat(100_000)));
    let mut settings = node.settings();
    settings.limits.body = 10_000;
    let error = Session::new(settings).health(&scope()).await.unwrap_err();
    assert_eq!(error, Error::BodyTooLarge { route: HEALTH.to_owned(), limit: 10_000 });
}

#[tokio::test]
async fn a_refusal_reaches_the_decoder_with_what_explains_it_and_no_more() {
    let node = Scripted::start().await;
    let headers = vec![("retry-after", "7".to_owned()), ("x-secret", "FIXTURE".to_owned())];
    node.on("GET /admin-api/blobs/b?context_id=c", [Reply::Full(503, headers, vec![b'x'; 100_000])]);
    let error = node.session().blob("b", Some("c"), usize::MAX, &scope()).await.unwrap_err();
    assert!(error.is_unavailable() && error.is_answer());
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    let Some(Failure::Http(http)) = error.failure() else { panic!("{error:?}") };
    let address = format!("{}/admin-api/blobs/b", node.url());
    assert_eq!((http.status, http.reason.as_str(), http.path), (503, "Service Unavailable", address));
    assert_eq!((http.headers, http.body.len()), (vec![("retry-after".to_owned(), "7".to_owned())], 64 << 10));
    node.on(HEALTH, [Reply::Full(502, vec![], b" <html>upstream died</html> ".to_vec())]);
    assert_eq!(
        health(&node).await.to_string(),
        format!("HTTP 502 Bad Gateway from {}{PATH_OF_HEALTH} - the node said: <html>upstream died</html>", node.url())
    );
    node.on(HEALTH, [empty(500, &[])]);
    let text =
        format!("HTTP 500 Internal Server Error from {}{PATH_OF_HEALTH} - the node returned no message", node.url());
    assert_eq!(health(&node).await.to_string(), text);
}

#[tokio::test]
async fn a24_a_node_that_is_not_ready_is_asked_once_and_the_caller_can_tell() {
    let node = Scripted::start().await;
    node.on("POST /jsonrpc", [empty(503, &[]), status(200, r#"{"jsonrpc":"2.0","id":1,"result":{"output":"ok"}}"#)]);
    let session = node.session();
    let error = session.execute("C", "m", "{}", &scope()).await.unwrap_err();
    assert!(error.is_unavailable(), "{error:?}");
    assert_eq!(node.lines().len(), 1);
    assert_eq!(session.execute("C", "m", "{}", &scope()).await.unwrap().unwrap().get(), "\"ok\"");
}

#[tokio::test]
async fn a26_every_request_stays_below_the_path_prefix() {
    for slash in ["", "/"] {
        let node = Scripted::start().await;
        node.json("GET /calimero/node1/admin-api/health", r#"{"data":{"status":"alive"}}"#);
        node.json("POST /calimero/node1/jsonrpc", r#"{"result":{"output":1}}"#);
        let node_url = Some(format!("{}/calimero/node1{slash}", node.url()));
        let session = Session::new(NodeSettings { node_url, ..node.settings() });
        session.health(&scope()).await.unwrap();
        session.execute("C", "m", "{}", &scope()).await.unwrap();
        assert_eq!(session.connected().unwrap().url().to_string(), format!("{}/calimero/node1", node.url()));
    }
}

#[tokio::test]
async fn g06_a_redirect_is_not_followed_and_the_error_says_where_it_pointed() {
    let (node, other) = (Scripted::start().await, Scripted::start().await);
    let session = node.session_with_token("FIXTURE-TOKEN-1");
    let target = format!("{}/x?token=FIXTURE", other.url());
    for code in [301, 302, 303, 307, 308] {
        node.on("POST /jsonrpc", [empty(code, &[("location", &target)])]);
        node.on("GET /admin-api/applications/A/abi", [empty(code, &[("location", &target)])]);
        for error in [
            session.execute("C", "m", "{}", &scope()).await.unwrap_err(),
            session.abi("A", None, &scope()).await.unwrap_err(),
        ] {
            assert_eq!(error.code(), "node::redirected");
            assert!(error.to_string().contains(&other.url()) && !error.to_string().contains("FIXTURE"), "{error}");
        }
    }
    assert!(other.seen().is_empty());
}
