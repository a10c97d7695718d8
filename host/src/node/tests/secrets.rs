//! No error path shows a credential.

use super::*;
use crate::redact::Secret;

const TOKEN: &str = "FIXTUREabcdefghijklmnopqrstuvwxyz";

async fn failing(settings: NodeSettings) -> Error {
    let settings = NodeSettings { auth_token: Some(Secret::new(TOKEN)), ..settings };
    let shown = format!("{settings:?}");
    assert!(!shown.contains("FIXTURE"), "{shown}");
    let session = Session::new(settings);
    let error = session.execute("C", "m", "{}", &scope()).await.unwrap_err();
    for text in [error.to_string(), format!("{error:?}"), format!("{session:?}")] {
        assert!(!text.contains("FIXTURE"), "{text}");
    }
    error
}

fn at(url: &str) -> NodeSettings {
    NodeSettings { node_url: Some(url.to_owned()), limits: short(), ..NodeSettings::default() }
}

#[tokio::test]
async fn g02_a_url_with_credentials_shows_host_port_and_path_only() {
    let error = failing(at("http://user:FIXTUREPASS@127.0.0.1:1/x?api_key=FIXTUREKEY#frag")).await;
    assert!(error.to_string().contains("http://127.0.0.1:1/x"), "{error}");
}

#[tokio::test]
async fn g07_no_transport_error_shows_a_credential() {
    let refused = failing(at("http://127.0.0.1:1/base")).await;
    let text = refused.to_string();
    assert!(text.starts_with("Cannot reach the node at http://127.0.0.1:1/base: "), "{text}");
    assert!(text.contains("refused") && !text.contains("jsonrpc"), "{text}");
    assert!(!refused.is_answer());

    let node = Scripted::start().await;
    for reply in [Reply::Hang, empty(401, &[]), empty(500, &[]), Reply::Raw(vec![]), Reply::Full(200, vec![], vec![1])]
    {
        node.on("POST /jsonrpc", [reply]);
        failing(node.settings()).await;
    }
    // TLS to a server that speaks none.
    node.on("POST /jsonrpc", [Reply::Raw(vec![])]);
    let tls = failing(at(&node.url().replace("http:", "https:"))).await;
    assert_eq!(tls.code(), "node::timed_out", "{tls}");
}

#[tokio::test]
async fn g05_the_redactor_knows_the_token_before_it_is_first_sent() {
    let node = Scripted::start().await;
    node.on("POST /jsonrpc", [status(500, &format!(r#"{{"error":"bad token {TOKEN}"}}"#))]);
    let settings = NodeSettings { auth_token: Some(Secret::new(TOKEN)), ..node.settings() };
    let redactor = settings.redactor.clone();
    let error = Session::new(settings).execute("C", "m", "{}", &scope()).await.unwrap_err();
    assert_eq!(redactor.redact(&error.to_string()), "bad token ***");
}
