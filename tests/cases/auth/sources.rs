//! Where node and credential come from: the handoff file, a login, what is refused.

use crate::{PASSWORD, USER, binary, contexts, node, serve, status, stored, token_files};
use abi_mcp_devnode::IssuedTokens;
use abi_mcp_tests::{LiveNode, Spawn};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Writes the file as the desktop app does.
fn hand_over(state: &Path, url: &str, tokens: &IssuedTokens) -> String {
    let text = json!({
        "nodeUrl": url, "accessToken": tokens.access_token, "refreshToken": tokens.refresh_token,
    });
    std::fs::write(state.join("agent.json"), text.to_string()).unwrap();
    text.to_string()
}

/// What `doctor` prints, and whether it was content.
fn doctor(state: &Path, variables: &[(&str, &str)]) -> (String, bool) {
    let mut command = Command::new(binary());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CALIMERO_")) {
        command.env_remove(name);
    }
    command.arg("doctor").env("CALIMERO_MCP_STATE_DIR", state).env("CALIMERO_NODE_HOME", state.join("nodes"));
    command.env("ABI_MCP_CACHE_DIR", Path::new(binary()).with_file_name("test-cache"));
    command.env("XDG_CONFIG_HOME", state.join("config")).env_remove("ABI_MCP_CONFIG");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8(said).unwrap(), output.status.success())
}

#[test]
fn the_handoff_file_alone_finds_the_node_and_opens_it() {
    let node = node();
    let state = tempfile::tempdir().unwrap();
    let written = hand_over(state.path(), &node.url(), &node.issue_tokens());
    let mut client = serve(state.path()).connect();
    assert_eq!(contexts(&mut client), 2);
    let said = status(&mut client);
    assert_eq!((&said["discoverySource"], &said["authMode"]), (&json!("handoff"), &json!("handoff")), "{said}");
    assert_eq!((&said["url"], &said["nodeName"]), (&json!(node.url()), &json!(null)), "{said}");
    node.expire_access_tokens();
    assert_eq!(contexts(&mut client), 2);
    assert_eq!(std::fs::read_to_string(state.path().join("agent.json")).unwrap(), written, "never written");
    let files = token_files(state.path());
    assert_eq!(files.len(), 1, "{files:?}");
    let name = files[0].file_name().unwrap().to_str().unwrap();
    let digits = name.strip_prefix("tokens-").and_then(|name| name.strip_suffix(".json")).unwrap();
    assert!(digits.len() == 16 && digits.chars().all(|c| c.is_ascii_hexdigit()), "{name}");
    assert_eq!(std::fs::metadata(&files[0]).unwrap().permissions().mode() & 0o777, 0o600);
    drop(client);
    // The pair of the file was used up by the refresh: a second process must take the stored one.
    assert_eq!(contexts(&mut serve(state.path()).connect()), 2);
    assert_eq!((node.count("POST", "/auth/refresh"), node.token_reuses()), (1, 0));
}

#[test]
fn a_revoked_and_handed_over_again_key_is_taken_up() {
    let node = node();
    let state = tempfile::tempdir().unwrap();
    hand_over(state.path(), &node.url(), &node.issue_tokens());
    let mut client = serve(state.path()).connect();
    assert_eq!(contexts(&mut client), 2);
    node.revoke_tokens();
    let reply = client.call("list_contexts", json!({}));
    assert!(reply.is_error && reply.text.contains("revoked"), "{}", reply.text);
    assert!(reply.text.contains("Connect AI agent") && reply.text.contains("CALIMERO_AUTH_TOKEN"), "{}", reply.text);
    assert!(token_files(state.path()).is_empty(), "a dead pair is not kept");
    // `iat` counts seconds.
    std::thread::sleep(Duration::from_millis(1100));
    hand_over(state.path(), &node.url(), &node.issue_tokens());
    assert_eq!(contexts(&mut client), 2, "without a restart");
    // A pair revoked behind the server's back, and a newer one in the file.
    node.revoke_tokens();
    std::thread::sleep(Duration::from_millis(1100));
    let again = node.issue_tokens();
    hand_over(state.path(), &node.url(), &again);
    assert_eq!(contexts(&mut serve(state.path()).connect()), 2);
    assert_eq!(stored(&token_files(state.path())[0])["access_token"], again.access_token.as_str());
    assert_eq!(node.count("POST", "/auth/refresh"), 0);
}

#[test]
fn f11_a_handoff_to_another_machine_is_ignored_whole_and_discovery_goes_on() {
    let node = LiveNode::start(abi_mcp_devnode::Setup::demo());
    let state = tempfile::tempdir().unwrap();
    let url = "https://user:FIXTURE@node.example:8443/FIXTURE?token=FIXTURE";
    let tokens = IssuedTokens { access_token: "FIXTURE-ACCESS".into(), refresh_token: "FIXTURE-REFRESH".into() };
    hand_over(state.path(), url, &tokens);
    let folder = state.path().join("nodes/alice");
    std::fs::create_dir_all(&folder).unwrap();
    let config = format!("[server]\nlisten = [\"/ip4/127.0.0.1/tcp/{}\"]\n", node.address().port());
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let server = serve(state.path()).variable("CALIMERO_NODE_HOME", state.path().join("nodes"));
    let mut client = server.connect();
    let said = status(&mut client);
    assert_eq!((&said["discoverySource"], &said["authMode"]), (&json!("config-scan"), &json!("none")), "{said}");
    assert_eq!(said["nodeName"], "alice");
    status(&mut client);
    let stderr = client.stderr();
    let lines: Vec<&str> = stderr.lines().filter(|line| line.contains("agent.json")).collect();
    assert_eq!(lines.len(), 1, "{stderr}");
    assert!(lines[0].contains("points at https://node.example:8443, which is not a local node; ignoring the file."));
    assert!(!stderr.contains("FIXTURE"), "{stderr}");
    assert!(node.requests().iter().all(|request| !request.headers.contains_key("authorization")));
}

#[test]
fn a_login_opens_the_node_and_a_wrong_password_says_what_to_check() {
    let node = node();
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("password");
    std::fs::write(&file, format!("{PASSWORD}\n")).unwrap();
    let server = serve(state.path()).node(&node.url()).variable("CALIMERO_USERNAME", USER);
    let mut client = server.clone().variable("CALIMERO_PASSWORD_FILE", &file).connect();
    assert_eq!(contexts(&mut client), 2);
    assert_eq!(status(&mut client)["authMode"], "credentials");

    let elsewhere = tempfile::tempdir().unwrap();
    let mut client = server.sharing(elsewhere.path()).variable("CALIMERO_PASSWORD", "FIXTURE-WRONG").connect();
    let reply = client.call("list_contexts", json!({}));
    assert!(reply.is_error, "{}", reply.text);
    assert!(reply.text.starts_with("Error: Authentication failed: Invalid username or password"), "{}", reply.text);
    assert!(reply.text.contains("CALIMERO_PASSWORD_FILE"), "{}", reply.text);
    assert!(!client.stderr().contains("FIXTURE") && !reply.text.contains("FIXTURE"));
    assert!(token_files(elsewhere.path()).is_empty());
}

#[test]
fn g03_a_password_file_that_cannot_be_read_ends_the_start_by_its_name() {
    let state = tempfile::tempdir().unwrap();
    let mut client = serve(state.path()).variable("CALIMERO_PASSWORD_FILE", "/nowhere/password").start();
    client.stderr_line("CALIMERO_PASSWORD_FILE names /nowhere/password, which cannot be read");
    assert_eq!(client.wait(Duration::from_secs(30)).0.code(), Some(1));
}

#[test]
fn a27_a_token_is_not_sent_in_cleartext_to_another_machine() {
    let state = tempfile::tempdir().unwrap();
    let server = Spawn::serve(binary()).sharing(state.path()).node("http://node.example:2528");
    let mut client = server.variable("CALIMERO_AUTH_TOKEN", "FIXTURE-TOKEN").connect();
    let reply = client.call("list_contexts", json!({}));
    assert!(reply.is_error && reply.text.contains("CALIMERO_ALLOW_CLEARTEXT"), "{}", reply.text);
    assert!(!reply.text.contains("FIXTURE"));
}

#[test]
fn doctor_says_which_credential_is_used_and_what_to_set_where_one_is_wanted() {
    let node = node();
    let state = tempfile::tempdir().unwrap();
    let url = node.url();
    let (said, good) = doctor(state.path(), &[("CALIMERO_NODE_URL", &url)]);
    assert!(!good && said.contains("wants a login"), "{said}");
    for way in ["Connect AI agent", "CALIMERO_AUTH_TOKEN", "CALIMERO_USERNAME", "CALIMERO_PASSWORD_FILE"] {
        assert!(said.contains(way), "{way} is not in {said}");
    }
    let login = [("CALIMERO_NODE_URL", url.as_str()), ("CALIMERO_USERNAME", USER), ("CALIMERO_PASSWORD", PASSWORD)];
    let (said, good) = doctor(state.path(), &login);
    assert!(good && said.contains("auth: credentials") && said.contains("a login as CALIMERO_USERNAME"), "{said}");
    assert!(!said.contains(PASSWORD), "{said}");
}
