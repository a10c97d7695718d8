//! Every fault does to a request what its name says, and only to those it fits.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests; the lint's own exception covers only the test functions"
)]

mod support;

use std::time::{Duration, Instant};

use abi_mcp_devnode::{DevNode, Fault, Setup};
use serde_json::Value;
use support::{get, send, try_send};

const PATH: &str = "/admin-api/contexts";

async fn with(fault: Fault) -> DevNode {
    let node = DevNode::start(Setup::demo()).await.unwrap();
    node.inject(fault);
    node
}

#[tokio::test]
async fn a_given_answer_comes_as_often_as_asked_and_then_the_real_one() {
    let node = with(Fault::on("GET", PATH).unavailable().times(2)).await;
    assert_eq!(get(&node, PATH).await.status, 503);
    assert_eq!(get(&node, "/admin-api/health").await.status, 200, "another route");
    assert_eq!(get(&node, PATH).await.status, 503);
    assert_eq!(get(&node, PATH).await.status, 200);
}

#[tokio::test]
async fn a19_the_auth_refusals_carry_the_right_headers() {
    let node = with(Fault::on("*", PATH).unauthorized(None).times(1)).await;
    node.inject(Fault::on("*", PATH).unauthorized(Some("token_expired")).times(1));
    node.inject(Fault::on("*", PATH).token_revoked());
    let seen = async || {
        let reply = get(&node, PATH).await;
        (reply.status, reply.header("x-auth-error").to_owned(), reply.text())
    };
    assert_eq!(seen().await, (401, String::new(), String::new()));
    assert_eq!(seen().await, (401, "token_expired".into(), String::new()));
    assert_eq!(seen().await, (403, "token_revoked".into(), String::new()));
}

#[tokio::test]
async fn garbage_html_and_a_redirect_are_sent_as_they_are() {
    let node = with(Fault::on("GET", PATH).garbage().times(1)).await;
    node.inject(Fault::on("GET", PATH).html().times(1));
    node.inject(Fault::on("GET", PATH).redirect("http://127.0.0.1:9/elsewhere").times(1));
    let garbage = get(&node, PATH).await;
    assert!(serde_json::from_slice::<Value>(&garbage.body).is_err());
    assert_eq!(garbage.header("content-type"), "application/json");
    assert_eq!(get(&node, PATH).await.header("content-type"), "text/html; charset=utf-8");
    let redirect = get(&node, PATH).await;
    assert_eq!((redirect.status, redirect.header("location")), (307, "http://127.0.0.1:9/elsewhere"));
}

#[tokio::test]
async fn ten_megabytes_arrive_whole() {
    let node = with(Fault::on("GET", PATH).huge(10 << 20)).await;
    let reply = get(&node, PATH).await;
    assert!(reply.body.len() > 10 << 20);
    assert!(reply.json()["data"].is_string());
}

#[tokio::test]
async fn a_closed_connection_sends_not_a_byte() {
    let node = with(Fault::on("GET", PATH).close().times(1)).await;
    assert!(try_send(&node, "GET", PATH, &[], b"").await.is_none());
    assert_eq!(get(&node, PATH).await.status, 200, "the next connection is whole");
}

#[tokio::test]
async fn half_a_body_promises_the_whole_one() {
    let node = with(Fault::on("GET", PATH).half_body().times(1)).await;
    let half = get(&node, PATH).await;
    let whole = get(&node, PATH).await;
    assert_eq!(half.header("content-length"), whole.header("content-length"));
    assert_eq!(half.body.len(), whole.body.len() / 2);
    assert_eq!(half.body, whole.body[..half.body.len()]);
}

#[tokio::test]
async fn a_hanging_route_ends_when_the_node_stops() {
    let node = with(Fault::on("GET", PATH).hang()).await;
    let waiting = tokio::time::timeout(Duration::from_millis(150), get(&node, PATH)).await;
    assert!(waiting.is_err(), "no answer");
    let begin = Instant::now();
    node.shutdown().await;
    assert!(begin.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_delayed_answer_is_the_real_one() {
    let node = with(Fault::on("GET", PATH).delay(Duration::from_millis(120))).await;
    let begin = Instant::now();
    assert!(get(&node, PATH).await.json()["data"]["contexts"].is_array());
    assert!(begin.elapsed() >= Duration::from_millis(120));
    node.clear_faults();
    let begin = Instant::now();
    get(&node, PATH).await;
    assert!(begin.elapsed() < Duration::from_millis(120));
}

#[tokio::test]
async fn every_request_can_be_looked_back_at() {
    let node = with(Fault::on("POST", "/jsonrpc").close()).await;
    try_send(&node, "POST", "/jsonrpc?a=b", &[("x-mine", "1"), ("content-type", "application/json")], b"{\"id\":1}")
        .await;
    send(&node, "GET", PATH, &[], b"").await;
    let seen = node.requests();
    assert_eq!(seen.len(), 2);
    assert_eq!((seen[0].method.as_str(), seen[0].path.as_str(), seen[0].query.as_str()), ("POST", "/jsonrpc", "a=b"));
    assert_eq!(seen[0].json()["id"], 1);
    assert_eq!(seen[0].headers["x-mine"], "1");
    assert_eq!((node.count("GET", PATH), node.count("*", "/")), (1, 2));
    node.clear_requests();
    assert!(node.requests().is_empty());
}
