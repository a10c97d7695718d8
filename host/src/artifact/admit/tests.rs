//! What is refused, and how it reads.

use super::*;
use crate::artifact::specimen::{hostile, marked, sandbox};
use crate::model::JsonObject;
use serde_json::json;
use tempfile::TempDir;

const MEMORY: usize = 512 << 20;

/// The hostile guest as a wanted plugin, and what there is to accept of it.
fn wanted() -> (TempDir, Wanted, Lock) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("guest.wasm");
    std::fs::write(&file, hostile()).unwrap();
    let wanted = Wanted {
        name: "guest".to_owned(),
        file,
        roles: None,
        ecosystems: ["testing".to_owned()].into(),
        pins: Vec::new(),
        grants: Grants::default(),
        values: JsonObject::new(),
        variables: std::collections::BTreeMap::new(),
        state_folder: None,
    };
    let mut lock = Lock::default();
    lock.accept("guest", offered(&wanted, MEMORY).unwrap());
    (folder, wanted, lock)
}

fn refused(wanted: &Wanted, lock: &Lock) -> String {
    admit(wanted, lock, &sandbox(), None).unwrap_err().to_string()
}

#[test]
fn what_was_accepted_runs_and_what_was_not_does_not() {
    let (_folder, wanted, lock) = wanted();
    let plugin = admit(&wanted, &lock, &sandbox(), None).unwrap();
    assert_eq!((plugin.name(), plugin.roles().count()), ("guest", 2));
    verify(&wanted, &lock, MEMORY, None).unwrap();
    let text = refused(&wanted, &Lock::default());
    assert!(
        text.starts_with("plugin `guest` was not accepted and is not run\nhint: `abi-mcp plugin accept guest`"),
        "{text}"
    );
}

#[test]
fn a_changed_file_ecosystem_pin_or_grant_is_told_line_by_line() {
    let (folder, mut wanted, lock) = wanted();
    std::fs::write(folder.path().join("guest.wasm"), marked(hostile(), "other")).unwrap();
    let text = verify(&wanted, &lock, MEMORY, None).unwrap_err().to_string();
    assert!(text.contains("\n  digest: - sha256:") && text.contains(", + sha256:"), "{text}");
    wanted.ecosystems = ["elsewhere".to_owned()].into();
    wanted.grants = Grants { http: vec!["example.org".to_owned()], clocks: true, ..Grants::default() };
    let text = refused(&wanted, &lock);
    assert!(text.contains("\n  ecosystems: - testing, + elsewhere"), "{text}");
    assert!(text.contains("\n  grants: + clocks, + http example.org"), "{text}");
    assert!(!text.contains("digest"), "admitting reads no file: {text}");
}

#[test]
fn tools_that_come_go_or_change_are_named() {
    let (_folder, wanted, lock) = wanted();
    let tool = |name: &str, text: &str| LockedTool { name: name.to_owned(), definition: json!({"description": text}) };
    let with = |tools| Locked { tools, ..lock.get("guest").unwrap().clone() };
    let before = with(vec![tool("get", "reads"), tool("old", "x")]);
    let after = with(vec![tool("get", "sends everything away"), tool("new", "x")]);
    let found = differences(&before, &after);
    assert_eq!(found[0].to_string(), "tools: - old, + get (another description), + new");
    let turned = with(vec![tool("old", "x"), tool("get", "reads")]);
    assert_eq!(differences(&before, &turned)[0].to_string(), "tools: + another order");
    let hiding = with(vec![tool("get", "reads"), tool("old", "x"), tool("b\u{1b}[2K\u{202e}", "x")]);
    assert_eq!(differences(&before, &hiding)[0].to_string(), "tools: + b[2K", "nothing a terminal obeys");
    assert!(differences(&before, &before).is_empty());
    drop(wanted);
}

#[test]
fn other_roles_than_expected_and_names_of_our_own_are_refused() {
    let (_folder, mut wanted, lock) = wanted();
    wanted.roles = Some(["engine".to_owned()].into());
    let text = refused(&wanted, &lock);
    assert!(text.contains("is errors, mapper; the configuration expects engine"), "{text}");
    wanted.name = crate::artifact::bundled()[0].0.to_owned();
    assert!(refused(&wanted, &lock).contains("comes with this program"));
}

#[tokio::test]
async fn d11_the_bytes_that_run_are_the_bytes_that_were_held_to_the_lock() {
    let (folder, wanted, lock) = wanted();
    let cancel = crate::model::Cancel::new();
    let held = admit(&wanted, &lock, &sandbox(), None).unwrap();
    held.hold(&cancel).await.unwrap();
    let late = admit(&wanted, &lock, &sandbox(), None).unwrap();
    std::fs::write(folder.path().join("guest.wasm"), "half a pl").unwrap();
    held.prepare(&cancel).await.unwrap();
    let error = late.prepare(&cancel).await.unwrap_err();
    assert_eq!(error.code(), "lock::differs");
    // What the file is does not stay wrong for ever.
    std::fs::write(folder.path().join("guest.wasm"), hostile()).unwrap();
    late.prepare(&cancel).await.unwrap();
    std::fs::remove_file(folder.path().join("guest.wasm")).unwrap();
    let gone = admit(&wanted, &lock, &sandbox(), None).unwrap().prepare(&cancel).await.unwrap_err();
    assert_eq!(gone.code(), "plugin::file");
}
