//! The harness itself: a difference fails, blessing repairs, a folder without cases is no success.

use super::case;
use crate::{ErrorDecoder, Explanation, Failure, Fault, Mapper, Mapping, Method, Options, Recognition};
use serde_json::json;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Maps every document to one method whose name is the document's length.
struct Length;

impl Mapper for Length {
    fn recognise(_: &[u8]) -> Option<Recognition> {
        None
    }

    fn map(manifest: &[u8], _: &Options) -> Result<Mapping, Fault> {
        let name = format!("bytes{}", manifest.len());
        let method = Method::new(&name, format!("{name}()"), json!({ "type": "object" }));
        Ok(Mapping { methods: vec![method], ..Mapping::default() })
    }
}

impl ErrorDecoder for Length {
    fn decode(_: &Failure) -> Option<Explanation> {
        None
    }
}

fn folder_with_case(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("abi-mcp-golden-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("one")).unwrap();
    fs::write(folder.join("one/manifest.json"), "{}").unwrap();
    folder
}

fn outcome(folder: &Path, bless: bool) -> Result<(), String> {
    let check = || {
        case::run(folder, bless, |case| {
            case.check_mapping::<Length>();
            case.check_calls::<Length>();
            case.check_failures::<Length>();
        });
    };
    catch_unwind(AssertUnwindSafe(check)).map_err(|panic| *panic.downcast::<String>().unwrap())
}

#[test]
fn a_missing_answer_fails_and_names_the_command_until_it_is_blessed() {
    let folder = folder_with_case("missing");
    let complaint = outcome(&folder, false).unwrap_err();
    assert!(complaint.contains("expected.json: is missing") && complaint.contains("BLESS=1"), "{complaint}");
    outcome(&folder, true).unwrap();
    outcome(&folder, false).unwrap();
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_changed_answer_fails_with_the_line_that_differs() {
    let folder = folder_with_case("changed");
    outcome(&folder, true).unwrap();
    fs::write(folder.join("one/manifest.json"), "{ }").unwrap();
    let complaint = outcome(&folder, false).unwrap_err();
    assert!(complaint.contains("bytes2") && complaint.contains("bytes3"), "{complaint}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn calls_and_failures_are_completed_in_place() {
    let folder = folder_with_case("calls");
    fs::write(folder.join("one/calls.json"), r#"[{"method":"bytes2","arguments":{"a":18446744073709551616}}]"#)
        .unwrap();
    fs::write(folder.join("one/failures.json"), r#"[{"transport":"refused"}]"#).unwrap();
    outcome(&folder, true).unwrap();
    let calls = fs::read_to_string(folder.join("one/calls.json")).unwrap();
    assert_eq!(calls.matches("18446744073709551616").count(), 2, "{calls}");
    let failures = fs::read_to_string(folder.join("one/failures.json")).unwrap();
    assert!(failures.contains("\"explanation\": null"), "{failures}");
    outcome(&folder, false).unwrap();
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_folder_without_cases_is_a_failure() {
    let folder = folder_with_case("empty");
    fs::remove_dir_all(folder.join("one")).unwrap();
    assert!(outcome(&folder, false).unwrap_err().contains("no case in"));
    fs::remove_dir_all(folder).unwrap();
}
