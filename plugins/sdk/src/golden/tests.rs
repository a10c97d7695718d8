//! The harness over plain Rust: what an author sees of a `#[test]`. The harness's own cases are in `golden/`.

use super::{check, subject};
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
    let folder = std::env::temp_dir().join(format!("abi-mcp-sdk-golden-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("one")).unwrap();
    fs::write(folder.join("one/manifest.json"), "{}").unwrap();
    folder
}

/// Both roles, as a crate with both tests them.
fn outcome(folder: &Path, bless: bool) -> Result<(), String> {
    let check = || {
        check(folder, &mut subject::OfMapper::<Length>::new(), bless);
        check(folder, &mut subject::OfDecoder::<Length>::new(), bless);
    };
    catch_unwind(AssertUnwindSafe(check)).map_err(|panic| *panic.downcast::<String>().unwrap())
}

#[test]
fn a_missing_answer_fails_and_names_the_command_until_it_is_blessed() {
    let folder = folder_with_case("missing");
    let complaint = outcome(&folder, false).unwrap_err();
    assert!(complaint.contains("expected.json: is missing") && complaint.contains("BLESS=1 cargo test"), "{complaint}");
    outcome(&folder, true).unwrap();
    outcome(&folder, false).unwrap();
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn each_role_completes_its_own_files_and_leaves_the_others_alone() {
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
