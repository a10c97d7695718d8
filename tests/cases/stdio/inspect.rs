//! Files that are no plugins, shown to the real binary.

use crate::configured::Folder;
use crate::hosted::component_file;
use std::path::Path;
use std::process::{Command, Output};

fn inspect(file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_abi-mcp")).args(["plugin", "inspect"]).arg(file).output().unwrap()
}

fn good() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../components/calimero-1.wasm")).unwrap()
}

/// The file under another interface version of the same length.
fn versioned(version: &str) -> Vec<u8> {
    let mut bytes = good();
    let (from, to) = (b"abi-mcp:mapper/", version.as_bytes());
    let mut changed = 0;
    for at in 0..bytes.len() - 40 {
        if !bytes[at..].starts_with(from) {
            continue;
        }
        let end = bytes[at..].iter().position(|byte| *byte == b'@').filter(|end| *end < 40);
        let Some(version_at) = end.map(|end| at + end + 1) else { continue };
        if bytes[version_at..].starts_with(b"0.1.0") {
            bytes[version_at..version_at + to.len()].copy_from_slice(to);
            changed += 1;
        }
    }
    assert!(changed > 0);
    bytes
}

#[test]
fn d03_a_file_that_is_no_component_is_one_error_with_its_name_and_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let core_module = b"\0asm\x01\0\0\0".to_vec();
    for (name, bytes, reason) in [
        ("empty.wasm", Vec::new(), "empty"),
        ("cut.wasm", good()[..1000].to_vec(), "cut off"),
        ("text.wasm", b"not wasm".to_vec(), "WebAssembly"),
        ("core.wasm", core_module, "core module"),
    ] {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let output = inspect(&file);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {text}");
        assert_eq!(output.stdout, b"", "{name}");
        assert!(text.contains(name) && text.contains(reason), "{name}: {text}");
        assert!(!text.contains("panicked"), "{text}");
    }
}

#[test]
fn d05_another_interface_version_is_refused_with_both_versions() {
    let folder = tempfile::tempdir().unwrap();
    for version in ["0.9.0", "9.0.0"] {
        let file = folder.path().join("skewed.wasm");
        std::fs::write(&file, versioned(version)).unwrap();
        let output = inspect(&file);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("skewed") && text.contains(version) && text.contains("0.1"), "{text}");
        assert!(!text.contains("linker"), "{text}");
    }
}

#[test]
fn a_plain_component_shows_which_of_its_functions_are_tools_and_why_others_are_not() {
    let output = inspect(&component_file("plain"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let (tools, others) = text.split_once("no tools").unwrap();
    assert!(tools.contains("greet(name: string, times: option<u8>) -> string"), "{text}");
    assert!(others.contains("open: its result has a resource, which has no JSON form"), "{text}");
    assert!(!text.contains("no tools  every"), "{text}");
}

#[test]
fn accepting_a_plain_component_names_the_functions_that_are_no_tools() {
    let folder = Folder::new();
    let file = component_file("plain");
    let added = folder.run(&["plugin", "add", "p", file.to_str().unwrap()]);
    assert!(added.good, "{}", added.stderr);
    for says in ["tool: greet", "no tool: open: its result has a resource"] {
        assert!(added.stdout.contains(says), "{}", added.stdout);
    }
    assert!(!added.stdout.contains("ecosystem"), "it has no role that serves one: {}", added.stdout);
}
