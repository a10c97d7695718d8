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
    let by: Vec<_> = lines[..3].iter().map(|line| line["stopped_by"].as_str()).collect();
    assert_eq!(by, [None, None, Some("trap")], "{lines:?}");
    // The guest is an engine of one memory, and is handed the call-spec and the arguments.
    assert!(first["peak_memory"].as_u64().unwrap() >= 64 << 10, "{first}");
    assert!(first["handed_in"].as_u64().unwrap() >= r#"{"a":987654321,"b":0}"#.len() as u64, "{first}");
    assert_eq!(first["handed_out"], json!("987654321".len()), "{first}");
    let total = &lines.last().unwrap()["total"];
    assert_eq!((&total["traps"], &total["deadlines"], &total["limits"]), (&json!(1), &json!(0), &json!(0)));
    assert_eq!((&total["peak_memory"], &total["handed_out"]), (&first["peak_memory"], &json!(9)));
    assert!(total["longest_milliseconds"].as_u64() <= total["milliseconds"].as_u64(), "{total}");
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

#[test]
fn the_counters_of_each_plugin_are_read_from_the_record() {
    let folder = Folder::with_guest();
    std::fs::write(folder.path("functions.txt"), "arithmetic\nadd\nrefuse\ntrap\nspin\n").unwrap();
    let told = folder.run(&["plugin", "list", "--stats"]);
    assert!(told.stdout.contains("[audit]\n  file = \"audit.log\""), "{}", told.stdout);
    folder.append("[audit]\nfile = \"audit.log\"\n[limits.engine]\ntime_ms = 300\n");
    assert!(folder.run(&["plugin", "list", "--stats"]).stdout.contains("none yet"));
    // Two processes, one of which is killed: its calls count, its totals are missing.
    for end in [true, false] {
        let mut client = folder.serve().connect();
        for (method, fails) in [("add", false), ("refuse", true), ("trap", true), ("spin", true)] {
            assert_eq!(call(&mut client, method), fails, "{method}");
        }
        if end {
            client.close_stdin();
            client.wait(SOON);
        }
        let lines = || std::fs::read_to_string(folder.path("audit.log")).unwrap().lines().count();
        let started = std::time::Instant::now();
        while lines() < if end { 5 } else { 9 } {
            assert!(started.elapsed() < SOON, "{} lines", lines());
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
    std::fs::write(
        folder.path("audit.log"),
        format!("{}{{\"time\":1,\"plug", std::fs::read_to_string(folder.path("audit.log")).unwrap()),
    )
    .unwrap();
    let listed = folder.run(&["plugin", "list", "--stats"]);
    assert!(listed.good, "{}", listed.stderr);
    let (_, table) = listed.stdout.split_once("calls recorded in").unwrap();
    let row: Vec<&str> = table.lines().find(|line| line.starts_with("guest")).unwrap().split_whitespace().collect();
    // calls, errors, deadlines, traps, limits, other, cancelled
    assert_eq!(row[1..8], ["8", "2", "2", "2", "0", "0", "0"], "{table}");
    assert!(!table.contains("passed over"), "the line that is cut is nobody's: {table}");
}
