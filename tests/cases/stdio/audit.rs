//! The record of calls, with the real binary.

use crate::SOON;
use crate::configured::Folder;
use abi_mcp_tests::Client;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

/// An argument that must be found nowhere but in the call.
const TELLING: i64 = 987_654_321;

fn recorded(folder: &Folder) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.path("audit.log")).unwrap();
    assert!(!text.contains("987654321"), "a payload is in the record:\n{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn call(client: &mut Client, method: &str) -> bool {
    client.call("call", json!({"method": method, "args": {"a": TELLING, "b": 0}})).is_error
}

#[test]
fn every_call_is_a_line_with_who_ran_and_how_it_ended_and_no_payload() {
    let folder = Folder::with_guest();
    std::fs::write(folder.path("functions.txt"), "arithmetic\nadd\nrefuse\ntrap\n").unwrap();
    folder.append("[audit]\nfile = \"audit.log\"\n");
    let mut client = folder.serve().connect();
    assert!(!call(&mut client, "add"));
    assert!(call(&mut client, "refuse"));
    assert!(call(&mut client, "trap"));
    client.close_stdin();
    client.wait(SOON);

    let lines = recorded(&folder);
    let ended: Vec<_> = lines.iter().filter_map(|line| line["outcome"].as_str()).collect();
    assert_eq!(ended, ["ok", "error", "stopped"], "{lines:?}");
    let first = &lines[0];
    assert_eq!((&first["plugin"], &first["method"]), (&json!("guest"), &json!("add")));
    assert!(first["digest"].as_str().unwrap().starts_with("sha256:"), "{first}");
    assert!(first["contracts"].to_string().contains("engine 0.1.0"), "{first}");
    assert_eq!(first["grants"], json!([]));
    assert_eq!(first["arguments"].as_str().unwrap().len(), "sha256:".len() + 64);
    assert_eq!(lines[0]["arguments"], lines[1]["arguments"], "the same arguments have the same digest");
    let total = &lines.last().unwrap()["total"];
    assert_eq!((&total["calls"], &total["errors"], &total["stopped"]), (&json!(3), &json!(1), &json!(1)));
    let mode = std::fs::metadata(folder.path("audit.log")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_record_that_cannot_be_kept_stops_the_start() {
    let folder = Folder::with_guest();
    folder.append("[audit]\nfile = \"nowhere/audit.log\"\n");
    let ended = folder.run(&["serve"]);
    assert!(!ended.good && ended.stdout.is_empty(), "{}", ended.stdout);
    assert!(ended.stderr.contains("audit file") && ended.stderr.contains("nowhere"), "{}", ended.stderr);
}
