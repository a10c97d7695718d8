//! What an author of a plugin types in the first hour: `plugin inspect`, `check`, `test` and `new`, with the real binary.
//! That what `new` writes builds and passes `check` and `test` is a step of `cargo xtask test`.

use abi_mcp_tests::WebServer;
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
fn a_component_of_another_host_is_checked_as_the_tools_it_would_be() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("abi-mcp.toml");
    std::fs::write(&config, "[limits.extension]\ntime_ms = 500\n").unwrap();
    let (good, text) = plugin(&["check", "--config", config.to_str().unwrap()], &component("tests/plain.wasm"));
    assert!(!good && text.contains("ok    contract: none of ours"), "{text}");
    assert!(text.contains("ok    tool: greet(name: string, times?: any) -> string, portable"), "{text}");
    assert!(text.contains("ok    tools: `open` is left out: its result has a resource"), "{text}");
    assert!(text.contains("BAD   tool `trap` with {}: it stopped with a fault"), "{text}");
    assert!(text.contains("BAD   tool `spin` with {}: it ran longer than its 500 ms limit"), "{text}");
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
fn new_writes_a_folder_with_its_contract_and_a_case_and_touches_no_folder_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let languages = [("rust", "Cargo.toml"), ("js", "package.json")];
    for (role, (language, package)) in
        ["tool", "mapper", "errors"].iter().flat_map(|role| languages.map(|it| (role, it)))
    {
        let path = folder.path().join(format!("{role}-{language}"));
        let arguments = ["new", "bird-song", "--role", role, "--lang", language, "--path"];
        let (good, text) = plugin(&arguments, &path);
        assert!(good && text.contains("abi-mcp plugin test bird-song.wasm"), "{text}");
        let read = |file: &str| std::fs::read_to_string(path.join(file)).unwrap();
        assert!(read(package).contains("\"bird-song\"") && read("README.md").contains("plugin check"));
        let pinned = r#""@bytecodealliance/componentize-js": "0.23.0""#;
        assert!(language == "rust" || read(package).contains(pinned), "{}", read(package));
        assert!(std::fs::read_dir(path.join("tests/golden")).unwrap().count() > 0);
        let contract = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../wit/{role}/0.1.0/{role}.wit"));
        assert_eq!(read(&format!("wit/{role}.wit")), std::fs::read_to_string(contract).unwrap());
        let (good, text) = plugin(&arguments, &path);
        assert!(!good && text.contains("is there already"), "{text}");
    }
}

/// A folder with one case of the guest `greeter`.
fn greeter_case(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("one")).unwrap();
    for (file, text) in files {
        std::fs::write(folder.path().join("one").join(file), text).unwrap();
    }
    folder
}

/// `plugin test` over a component's cases.
fn test(component_name: &str, cases: &Path, more: &[&str]) -> (bool, String) {
    let cases = cases.to_str().unwrap();
    plugin(&[&["test", "--cases", cases], more].concat(), &component(component_name))
}

const GREETINGS: &str = r#"[{"tool": "greet", "arguments": {"name": "Ada"}},
    {"tool": "greet", "arguments": {"name": "nobody"}}, {"tool": "add", "arguments": {"a": 1, "b": 2}}]"#;

#[test]
fn a_tools_cases_are_completed_once_held_then_and_a_difference_names_the_command_that_accepts_it() {
    let folder = greeter_case(&[("calls.json", GREETINGS), ("settings.json", r#"{"config": {"greeting": "Ahoy"}}"#)]);
    let (good, text) = test("tests/greeter.wasm", folder.path(), &[]);
    assert!(!good && text.contains("one/tools.json: is missing") && text.contains(" --bless"), "{text}");
    let (good, text) = test("tests/greeter.wasm", folder.path(), &["--bless"]);
    assert!(good && text.contains("wrote "), "{text}");
    let file = folder.path().join("one/calls.json");
    let calls: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(calls[0]["text"], "Ahoy, Ada.");
    let refused = serde_json::json!({
        "class": "arguments", "message": "nobody is not somebody", "hint": "name a person",
    });
    assert_eq!(calls[1]["error"], refused);
    assert_eq!(calls[2]["structured"], serde_json::json!({"sum": 3}));
    assert!(test("tests/greeter.wasm", folder.path(), &[]).0);

    let changed = std::fs::read_to_string(&file).unwrap().replace("Ahoy, Ada.", "Ahoy, Bo.");
    std::fs::write(&file, &changed).unwrap();
    let (good, text) = test("tests/greeter.wasm", folder.path(), &[]);
    assert!(!good && text.contains("- ") && text.contains("Ahoy, Bo.") && text.contains("+ "), "{text}");
    let accepts = format!("tests/greeter.wasm --cases {} --bless", folder.path().display());
    assert!(text.contains("to accept the new answers") && text.trim_end().ends_with(&accepts), "{text}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), changed, "a difference changes no file");
}

#[test]
fn a_component_that_was_made_for_another_host_has_cases_too() {
    let folder = greeter_case(&[("tools.json", "{}")]);
    let (good, text) = test("tests/plain.wasm", folder.path(), &["--bless"]);
    assert!(good, "{text}");
    let tools: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("one/tools.json")).unwrap()).unwrap();
    assert!(tools["tools"].as_array().unwrap().len() > 3, "{tools}");
}

#[test]
fn what_a_call_or_a_case_cannot_mean_is_said_with_its_file_and_never_blessed() {
    for (files, told) in [
        (&[("calls.json", r#"[{"tool": "gret", "arguments": {}}]"#)][..], "`gret` is not among the tools it lists"),
        (&[("calls.json", r#"[{"tool": "greet", "arguments": {"name": 1}}]"#)], "do not fit its input schema"),
        (&[("calls.json", r#"[{"tool": "greet", "argumnts": {}}]"#)], "no key `argumnts`"),
        (&[("calls.json", r#"[{"method": "greet", "arguments": {}}]"#)], "the plugin has no such role"),
        (&[("calls.json", GREETINGS), ("settings.json", r#"{"environment": {"LANG": "x"}}"#)], "does not ask for it"),
        (&[("manifest.json", "{}")], "is for a mapper"),
    ] {
        let folder = greeter_case(files);
        let (good, text) = test("tests/greeter.wasm", folder.path(), &["--bless"]);
        let of_a_file = files.iter().any(|(file, _)| text.contains(&format!("one/{file}")));
        assert!(!good && of_a_file && text.contains(told), "{files:?}: {text}");
    }
}

#[test]
fn a_cases_folders_are_copied_and_what_a_call_writes_stays_in_the_copy() {
    let calls = |steps: [&str; 2]| {
        let step = |behave: &&str| format!(r#"{{"tool": "act", "arguments": {{"behave": "{behave}", "at": "a"}}}}"#);
        format!("[{}]", steps.iter().map(step).collect::<Vec<_>>().join(","))
    };
    let settings = r#"{"directories": {"/data": "data"}}"#;
    let folder = greeter_case(&[("calls.json", &calls(["write", "read"])), ("settings.json", settings)]);
    std::fs::create_dir(folder.path().join("one/data")).unwrap();
    std::fs::write(folder.path().join("one/data/a"), "as the case has it").unwrap();
    let (_, text) = test("tests/rogue.wasm", folder.path(), &["--bless"]);
    let done = std::fs::read_to_string(folder.path().join("one/calls.json")).unwrap();
    assert!(done.contains("writtencase has it"), "the second call sees what the first wrote: {text}\n{done}");
    assert_eq!(std::fs::read_to_string(folder.path().join("one/data/a")).unwrap(), "as the case has it");
}

#[test]
fn a_case_reaches_no_network_whatever_the_manifest_asks_for() {
    let server = WebServer::start();
    let call = format!(r#"[{{"tool": "act", "arguments": {{"behave": "fetch", "at": "{}/x"}}}}]"#, server.address());
    let folder = greeter_case(&[("calls.json", &call)]);
    let (_, text) = test("tests/rogue.wasm", folder.path(), &["--bless"]);
    let done = std::fs::read_to_string(folder.path().join("one/calls.json")).unwrap();
    assert!(done.contains("\"error\""), "{text}\n{done}");
    assert_eq!(server.asked(), Vec::<String>::new());
}

#[test]
fn the_guides_show_the_commands_that_the_new_folders_readme_shows() {
    let guide =
        |name: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name)).unwrap();
    for (name, role, language, page) in [
        ("birds", "mapper", "rust", "writing-a-mapper.md"),
        ("birds", "mapper", "js", "writing-a-mapper.md"),
        ("birds", "tool", "rust", "writing-a-tool.md"),
        ("birds", "tool", "js", "writing-a-tool.md"),
    ] {
        let (folder, page) = (tempfile::tempdir().unwrap(), guide(page));
        let path = folder.path().join(name);
        let arguments = ["new", name, "--role", role, "--lang", language, "--path"];
        let (good, text) = plugin(&arguments, &path);
        assert!(good, "{text}");
        let readme = std::fs::read_to_string(path.join("README.md")).unwrap();
        let mut blocks = readme.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
        // The last block of the Rust one is how it is used afterwards, which the guides say in their own place.
        let commands: Vec<&str> =
            blocks.next().unwrap().lines().map(|line| line.split(" #").next().unwrap().trim()).collect();
        assert!(commands.len() >= 4, "{commands:?}");
        for command in commands {
            assert!(page.contains(command), "{language} {role}: the guide lacks `{command}`");
        }
        assert!(page.contains(&format!("abi-mcp plugin new {name} --role {role}")), "{role}");
    }
}
