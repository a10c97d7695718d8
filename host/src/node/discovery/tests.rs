//! The rungs in their order, over real folders and a scripted server.

use super::*;
use crate::node::testing::{Scripted, short};
use crate::node::{Limits, Session};
use std::path::PathBuf;

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn node(&self, name: &str, config: &str) -> &Self {
        std::fs::create_dir(self.0.path().join(name)).unwrap();
        std::fs::write(self.0.path().join(name).join("config.toml"), config).unwrap();
        self
    }

    fn listening(&self, name: &str, port: u16) -> &Self {
        self.node(name, &format!("[server]\nlisten = [\"/ip4/127.0.0.1/tcp/{port}\"]\n"))
    }

    fn path(&self) -> Option<PathBuf> {
        Some(self.0.path().to_owned())
    }
}

fn settings(home: &Home) -> NodeSettings {
    NodeSettings {
        node_home: home.path(),
        limits: Limits { probe_ports: vec![], ..short() },
        ..NodeSettings::default()
    }
}

async fn found(settings: &NodeSettings) -> Result<Discovered, Error> {
    let handoff = crate::node::handoff::read(settings.state_dir.as_deref()).unwrap_or_default();
    discover(settings, handoff.as_ref(), &Http::default(), &CallScope::default()).await
}

#[tokio::test]
async fn a_named_url_wins_over_everything_and_the_name_is_only_a_label() {
    let home = Home::new();
    home.listening("alice", 2528);
    let node_url = Some("http://127.0.0.1:9/".to_owned());
    let with_name = NodeSettings { node_url: node_url.clone(), node_name: Some("label".to_owned()), ..settings(&home) };
    let node = found(&with_name).await.unwrap();
    assert_eq!((node.source, node.name.as_deref()), (DiscoverySource::Env, Some("label")));
    let node = found(&NodeSettings { node_url, ..settings(&home) }).await.unwrap();
    assert_eq!((node.url.to_string().as_str(), node.name), ("http://127.0.0.1:9", None));
}

#[tokio::test]
async fn a_url_of_a_configured_node_is_reported_by_its_folders_name() {
    let home = Home::new();
    home.listening("alice", 2528);
    let node_url = Some("http://127.0.0.1:2528".to_owned());
    let node = found(&NodeSettings { node_url, ..settings(&home) }).await.unwrap();
    assert_eq!((node.source, node.name.as_deref()), (DiscoverySource::Env, Some("alice")));
}

#[tokio::test]
async fn a_node_asked_for_by_name_is_found_or_refused_never_replaced() {
    let home = Home::new();
    home.listening("alice", 2528).listening("bob", 2529).node("junk", "password = FIXTURE");
    let named = |name: &str| NodeSettings { node_name: Some(name.to_owned()), ..settings(&home) };
    let node = found(&named("bob")).await.unwrap();
    assert_eq!((node.source, node.url.to_string().as_str()), (DiscoverySource::Named, "http://localhost:2529"));
    let error = found(&named("carol")).await.unwrap_err().to_string();
    let expected = format!("Node \"carol\" not found in {}. Available: alice, bob", home.0.path().display());
    assert_eq!(error, expected);
    let empty = Home::new();
    let error = found(&NodeSettings { node_name: Some("x".to_owned()), ..settings(&empty) }).await.unwrap_err();
    assert!(error.to_string().ends_with("Available: (none)"), "{error}");
}

#[tokio::test]
async fn one_configured_node_is_taken_several_need_a_default() {
    let home = Home::new();
    home.listening("bob", 2529);
    let node = found(&settings(&home)).await.unwrap();
    assert_eq!((node.source, node.name.as_deref()), (DiscoverySource::ConfigScan, Some("bob")));
    home.listening("alice", 2528);
    let error = found(&settings(&home)).await.unwrap_err().to_string();
    let home_shown = home.0.path().display();
    assert_eq!(
        error,
        format!(
            "Several nodes found in {home_shown}: alice (http://localhost:2528), bob (http://localhost:2529). Set \
             CALIMERO_NODE_NAME or CALIMERO_NODE_URL."
        )
    );
    home.listening("default", 2530);
    assert_eq!(found(&settings(&home)).await.unwrap().name.as_deref(), Some("default"));
}

#[tokio::test]
async fn the_best_port_that_answers_with_a_success_is_taken() {
    let (refusing, best, other) = (Scripted::start().await, Scripted::start().await, Scripted::start().await);
    best.json("GET /admin-api/health", r#"{"data":{"status":"alive"}}"#);
    other.json("GET /admin-api/health", r#"{"data":{"status":"alive"}}"#);
    let home = Home::new();
    let mut settings = settings(&home);
    settings.limits.probe_ports = vec![refusing.port, best.port, other.port];
    settings.auth_token = Some(crate::redact::Secret::new("FIXTURE-TOKEN"));
    let node = found(&settings).await.unwrap();
    assert_eq!(node.source, DiscoverySource::Probe);
    assert_eq!((node.url.to_string(), node.name), (format!("http://localhost:{}", best.port), None));
    assert!([refusing, best, other].iter().all(|node| !node.seen()[0].headers.contains_key("authorization")));
}

#[tokio::test]
async fn nothing_found_says_where_it_looked_and_what_to_set() {
    let home = Home::new();
    let error = found(&settings(&home)).await.unwrap_err();
    let expected = format!(
        "No Calimero node found. Start one in the Calimero desktop app, or set CALIMERO_NODE_URL. (Looked in {} and \
         probed local ports.)",
        home.0.path().display()
    );
    assert_eq!((error.to_string(), error.code()), (expected, "node::no_node"));
    let missing = NodeSettings { node_home: Some("/nowhere/at/all".into()), ..settings(&home) };
    assert!(found(&missing).await.is_err());
}

#[tokio::test]
async fn known_nodes_are_the_configured_ones_and_those_that_answer_each_once() {
    let (configured, answering) = (Scripted::start().await, Scripted::start().await);
    for node in [&configured, &answering] {
        node.json("GET /admin-api/health", "{}");
    }
    let home = Home::new();
    home.listening("alice", configured.port);
    let mut settings = settings(&home);
    settings.limits.probe_ports = vec![configured.port, answering.port];
    let nodes = Session::new(settings).known_nodes(&CallScope::default()).await;
    let names: Vec<_> = nodes.iter().map(|node| node.name.as_deref()).collect();
    assert_eq!(names, [Some("alice"), None]);
}

#[tokio::test]
async fn the_handoff_file_comes_after_the_url_and_before_everything_else() {
    let home = Home::new();
    home.listening("alice", 2528).listening("bob", 2529);
    let state = tempfile::tempdir().unwrap();
    let hand_over = |text: &str| std::fs::write(state.path().join("agent.json"), text).unwrap();
    let settings = NodeSettings { state_dir: Some(state.path().to_owned()), ..settings(&home) };
    hand_over(r#"{"nodeUrl":"http://127.0.0.1:2529/","accessToken":"t"}"#);
    let node = found(&NodeSettings { node_name: Some("alice".to_owned()), ..settings.clone() }).await.unwrap();
    assert_eq!((node.source, node.url.to_string().as_str()), (DiscoverySource::Handoff, "http://127.0.0.1:2529"));
    let node = found(&settings).await.unwrap();
    assert_eq!((node.source, node.name.as_deref()), (DiscoverySource::Handoff, Some("bob")), "its configured name");
    let node_url = Some("https://node.example".to_owned());
    let node = found(&NodeSettings { node_url, ..settings.clone() }).await.unwrap();
    assert_eq!((node.source, node.url.to_string().as_str()), (DiscoverySource::Env, "https://node.example"));
    hand_over(r#"{"nodeUrl":"http://localhost:7777","accessToken":"t"}"#);
    assert_eq!(found(&settings).await.unwrap().name, None, "`handoff` is no name");
    let named = NodeSettings { node_name: Some("alice".to_owned()), ..settings };
    for text in [r#"{"accessToken":"t"}"#, r#"{"nodeUrl":"https://node.example","accessToken":"t"}"#, "junk"] {
        hand_over(text);
        assert_eq!(found(&named).await.unwrap().source, DiscoverySource::Named, "{text}");
    }
}
