//! What an author of a plugin types in the first hour: `plugin inspect`, `check` and `new`, with the real binary. That the
//! crates `new` writes compile and pass `check` is a step of `cargo xtask test`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A built component, by its place below `components/`.
fn component(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../components").join(name)
}

/// Whether a command succeeded, and what it printed on both streams.
fn plugin(arguments: &[&str], file: &Path) -> (bool, String) {
    let program = env!("CARGO_BIN_EXE_abi-mcp");
    let output = Command::new(program)
        .arg("plugin")
        .args(arguments)
        .arg(file)
        .env("ABI_MCP_CACHE_DIR", Path::new(program).with_file_name("test-cache"))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn inspect_says_which_grant_each_import_needs_and_what_the_manifest_asks_for() {
    let (good, text) = plugin(&["inspect"], &component("examples/fetch-json.wasm"));
    assert!(good, "{text}");
    let line = |start: &str| text.lines().find(|line| line.trim_start().starts_with(start)).unwrap_or_default();
    assert!(line("contract").contains("tool extension 0.1.0 of abi-mcp:tool"), "{text}");
    assert!(line("wasi:http/outgoing-handler").ends_with("needs the grant `http`"), "{text}");
    assert!(line("asks").ends_with("as fetch-json 0.1.0") && line("http ").ends_with(" *"), "{text}");
    assert!(line("exports").contains("abi-mcp:tool/tools@0.1.0"), "{text}");
    assert_eq!(line("digest").trim().len(), "digest    sha256:".len() + 64, "{text}");
    let (_, mapper) = plugin(&["inspect"], &component("calimero-1.wasm"));
    assert!(mapper.contains("imports   nothing") && mapper.contains("asks      nothing"), "{mapper}");
}

#[test]
fn our_own_plugins_and_examples_pass_check() {
    for name in ["calimero-0.wasm", "calimero-1.wasm", "meos.wasm", "examples/fetch-json.wasm"] {
        let (good, text) = plugin(&["check"], &component(name));
        assert!(good && !text.contains("BAD") && text.ends_with("checks are ok\n"), "{name}: {text}");
    }
    let (good, text) = plugin(&["check", "--role", "tool"], &component("examples/search-files.wasm"));
    assert!(good && text.contains("ok    tool: search(text: string"), "{text}");
    assert!(text.contains("cost  the list of 3 tools takes about "), "{text}");
}

#[test]
fn a_mapper_that_takes_every_manifest_for_its_own_is_bad() {
    let (good, text) = plugin(&["check"], &component("tests/hostile.wasm"));
    assert!(!good, "{text}");
    assert!(text.contains("BAD   mapper: it makes methods of no bytes\n      next: look for a mark"), "{text}");
}

#[test]
fn a_guest_that_traps_on_odd_input_is_bad_and_the_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = std::fs::read(component("tests/hostile.wasm")).unwrap();
    let mark = b"persona=tidy                            ";
    let at = bytes.windows(mark.len()).position(|window| window == mark).unwrap();
    bytes[at..at + mark.len()].copy_from_slice(b"persona=panic                           ");
    let file = folder.path().join("trap.wasm");
    std::fs::write(&file, bytes).unwrap();
    let (good, text) = plugin(&["check"], &file);
    assert!(!good, "{text}");
    assert!(text.contains("BAD   mapper: no bytes: it stopped with a fault"), "{text}");
}

#[test]
fn an_extension_whose_answer_is_no_json_is_bad() {
    let (good, text) = plugin(&["check"], &component("tests/rogue.wasm"));
    assert!(!good && text.contains("BAD   tool `typed` with {}: it broke its contract"), "{text}");
}

#[test]
fn a_role_it_does_not_have_and_a_file_that_is_none_are_bad_with_a_next_step() {
    let (good, text) = plugin(&["check", "--role", "mapper"], &component("examples/fetch-json.wasm"));
    assert!(!good && text.contains("BAD   it is no mapper\n      next: "), "{text}");
    let file = tempfile::NamedTempFile::new().unwrap();
    let (good, text) = plugin(&["check"], file.path());
    assert!(!good && text.contains("BAD   not a plugin: the file is empty") && text.contains("next: check the path"));
}

#[test]
fn new_writes_a_crate_with_its_contract_and_touches_no_folder_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    for role in ["tool", "mapper", "errors"] {
        let path = folder.path().join(role);
        let arguments = ["new", "bird-song", "--role", role, "--path"];
        let (good, text) = plugin(&arguments, &path);
        assert!(good && text.contains("abi-mcp plugin check bird-song.wasm"), "{text}");
        let read = |file: &str| std::fs::read_to_string(path.join(file)).unwrap();
        assert!(read("Cargo.toml").contains("name = \"bird-song\"") && read("README.md").contains("plugin check"));
        let contract = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../wit/{role}/0.1.0/{role}.wit"));
        assert_eq!(read(&format!("wit/{role}.wit")), std::fs::read_to_string(contract).unwrap());
        let (good, text) = plugin(&arguments, &path);
        assert!(!good && text.contains("is there already"), "{text}");
    }
}
