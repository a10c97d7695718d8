//! The configuration file and the lock, with the real binary: what is refused, and how it is accepted.
//!
//! The plugin is the guest `arithmetic`, a mapper and an engine in one; its manifest is a text of function names.

use crate::SOON;
use crate::hosted::component;
use abi_mcp_tests::{Client, Spawn};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A folder with a configuration, a manifest and the guest, and commands of the binary that use it.
pub(crate) struct Folder {
    folder: TempDir,
}

/// How a command ended.
pub(crate) struct Ended {
    pub(crate) good: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    /// A configuration with the manifest alone, and the guest's file, which nobody has added.
    pub(crate) fn new() -> Self {
        let new = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(new.path("functions.txt"), "arithmetic\nadd\nrefuse\n").unwrap();
        std::fs::write(new.path("guest.wasm"), component("arithmetic")).unwrap();
        new.configure("[[manifest]]\necosystem = \"arithmetic\"\nfile = \"functions.txt\"\n");
        new
    }

    /// The same with the guest added.
    pub(crate) fn with_guest() -> Self {
        let new = Self::new();
        let added = new.run(&["plugin", "add", "guest", &new.text("guest.wasm"), "--ecosystem", "arithmetic"]);
        assert!(added.good, "{}", added.stderr);
        new
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn configure(&self, text: &str) {
        std::fs::write(self.path("abi-mcp.toml"), text).unwrap();
    }

    /// Adds to the configuration.
    pub(crate) fn append(&self, text: &str) {
        self.configure(&format!("{}\n{text}", self.configuration()));
    }

    fn configuration(&self) -> String {
        std::fs::read_to_string(self.path("abi-mcp.toml")).unwrap()
    }

    /// Puts other bytes in the guest's place, as an update does.
    pub(crate) fn replace(&self, bytes: &[u8]) {
        std::fs::write(self.path("new.wasm"), bytes).unwrap();
        std::fs::rename(self.path("new.wasm"), self.path("guest.wasm")).unwrap();
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        Self::ended(self.command(arguments).args(["--config", &self.text("abi-mcp.toml")]))
    }

    /// A command that has not been told where the configuration is.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let program = env!("CARGO_BIN_EXE_abi-mcp");
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("ABI_MCP_CACHE_DIR", Path::new(program).with_file_name("test-cache"))
            .env("CALIMERO_MCP_STATE_DIR", self.path("state"))
            .env("CALIMERO_NODE_HOME", self.path("nodes"))
            .env_remove("RUST_LOG");
        command
    }

    pub(crate) fn ended(command: &mut Command) -> Ended {
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ended { good: output.status.success(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    pub(crate) fn serve(&self) -> Spawn {
        Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp")).argument("--config").argument(self.path("abi-mcp.toml"))
    }
}

fn names(client: &mut Client) -> Vec<String> {
    client.tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn sum(client: &mut Client) -> String {
    client.call("call", json!({"method": "add", "args": {"a": 2, "b": 40}})).text
}

#[test]
fn a_plugin_that_was_added_serves_the_manifests_of_its_ecosystem() {
    let folder = Folder::with_guest();
    let mut client = folder.serve().connect();
    assert_eq!(names(&mut client), ["add", "refuse"]);
    assert_eq!(sum(&mut client), "42");
    let listed = folder.run(&["plugin", "list"]);
    assert!(listed.good, "{}{}", listed.stdout, listed.stderr);
    let line = listed.stdout.lines().find(|line| line.starts_with("guest")).unwrap();
    assert!(
        line.contains("mapper 0.1.0, engine 0.1.0") && line.contains("accepted") && line.contains("ready"),
        "{line}"
    );
    assert!(listed.stdout.contains("third party plugin `guest`"), "{}", listed.stdout);
}

#[test]
fn adding_the_first_plugin_makes_the_configuration_it_is_told_of() {
    let folder = Folder::new();
    std::fs::remove_file(folder.path("abi-mcp.toml")).unwrap();
    let added = folder.run(&["plugin", "add", "guest", &folder.text("guest.wasm")]);
    assert!(added.good && added.stdout.contains("it is assigned no ecosystem"), "{}{}", added.stdout, added.stderr);
    assert!(folder.configuration().starts_with("[[plugin]]\nname = \"guest\"\n"));
    std::fs::remove_file(folder.path("abi-mcp.toml")).unwrap();
    assert!(folder.run(&["plugin", "list"]).stderr.contains("there is no such file"));
}

#[test]
fn the_variable_finds_the_file_too_and_the_current_directory_never_does() {
    let folder = Folder::with_guest();
    let program = env!("CARGO_BIN_EXE_abi-mcp");
    let mut client = Spawn::serve(program).variable("ABI_MCP_CONFIG", folder.path("abi-mcp.toml")).connect();
    assert_eq!(sum(&mut client), "42");
    let output = Command::new(program)
        .args(["plugin", "list"])
        .current_dir(folder.path(""))
        .env("XDG_CONFIG_HOME", folder.path("nothing"))
        .env("ABI_MCP_CACHE_DIR", Path::new(program).with_file_name("test-cache"))
        .env("CALIMERO_NODE_HOME", folder.path("nodes"))
        .env("CALIMERO_NODE_URL", "http://127.0.0.1:1")
        .output()
        .unwrap();
    assert!(!String::from_utf8_lossy(&output.stdout).contains("guest"));
}

#[test]
fn a_plugin_in_the_configuration_that_was_not_accepted_is_not_run() {
    let folder = Folder::with_guest();
    std::fs::remove_file(folder.path("abi-mcp.lock")).unwrap();
    let mut client = folder.serve().connect();
    assert!(names(&mut client).is_empty());
    let line = client.stderr_line("plugin `guest` was not accepted");
    assert!(line.contains("lock::not_accepted"), "{line}");
    client.stderr_line("hint: `abi-mcp plugin accept guest` accepts it");
    let listed = folder.run(&["plugin", "list"]);
    assert!(!listed.good && listed.stdout.contains("not accepted"), "{}", listed.stdout);
    assert!(folder.run(&["plugin", "accept", "guest"]).good);
    assert_eq!(sum(&mut folder.serve().connect()), "42");
}

#[test]
fn a_changed_file_is_refused_with_a_diff_until_it_is_accepted() {
    let folder = Folder::with_guest();
    folder.replace(&marked(component("arithmetic"), "another build"));
    let mut client = folder.serve().connect();
    assert!(names(&mut client).is_empty());
    let text = client.call("call", json!({"method": "add", "args": {"a": 1, "b": 2}})).text;
    assert!(text.contains("no plugin") || text.contains("not what was accepted"), "{text}");
    let refusal = client.stderr_line("is not what was accepted and is not run");
    assert!(refusal.contains("guest"), "{refusal}");
    client.stderr_line("`abi-mcp plugin accept guest` accepts it");
    let listed = folder.run(&["plugin", "list"]).stdout;
    assert!(
        listed.contains("differs") && listed.contains("digest: - sha256:") && listed.contains(", + sha256:"),
        "{listed}"
    );
    let accepted = folder.run(&["plugin", "accept", "guest"]);
    assert!(accepted.good && accepted.stdout.contains("digest: - sha256:"), "{}{}", accepted.stdout, accepted.stderr);
    assert!(folder.run(&["plugin", "accept", "guest"]).stdout.contains("nothing to do"));
    assert_eq!(sum(&mut folder.serve().connect()), "42");
}

#[test]
fn other_ecosystems_or_grants_than_were_accepted_are_refused() {
    let folder = Folder::with_guest();
    let text = folder.configuration();
    folder.configure(&text.replace("ecosystems = [\"arithmetic\"]", "ecosystems = [\"arithmetic\", \"calimero\"]"));
    let listed = folder.run(&["plugin", "list"]).stdout;
    assert!(listed.contains("ecosystems: + calimero"), "{listed}");
    folder.configure(&format!("{text}grants = {{ http = [\"example.org\"] }}\n"));
    let mut client = folder.serve().connect();
    assert!(names(&mut client).is_empty());
    client.stderr_line("grants: + http example.org");
}

#[test]
fn a_plugin_without_the_ecosystem_is_never_asked_about_it() {
    let folder = Folder::new();
    assert!(folder.run(&["plugin", "add", "guest", &folder.text("guest.wasm"), "--ecosystem", "weather"]).good);
    let mut client = folder.serve().connect();
    assert!(names(&mut client).is_empty());
    let text = client.call("call", json!({"method": "add"})).text;
    assert!(
        text.contains("no plugin understands the manifest as one of `arithmetic`") && !text.contains("guest"),
        "{text}"
    );
}

#[test]
fn removing_a_plugin_takes_its_acceptance_back_and_says_where_its_block_is() {
    let folder = Folder::with_guest();
    let removed = folder.run(&["plugin", "remove", "guest"]);
    assert!(removed.good && removed.stdout.contains("abi-mcp.toml:6"), "{}", removed.stdout);
    assert!(names(&mut folder.serve().connect()).is_empty());
    let text = folder.configuration();
    folder.configure(&text[..text.find("[[plugin]]").unwrap()]);
    let again = folder.run(&["plugin", "remove", "guest"]);
    assert!(!again.good && again.stderr.contains("there is no plugin `guest`"), "{}", again.stderr);
}

#[test]
fn d03_d09_what_is_no_plugin_or_has_no_name_is_not_added() {
    let folder = Folder::new();
    let before = folder.configuration();
    std::fs::write(folder.path("not.wasm"), "not wasm").unwrap();
    for (name, file, says) in [
        ("guest", "not.wasm", "not WebAssembly"),
        ("guest", "nowhere.wasm", "nowhere.wasm"),
        ("../../etc/x", "guest.wasm", "[a-z][a-z0-9-]*"),
        ("calimero-0", "guest.wasm", "comes with this program"),
    ] {
        let ended = folder.run(&["plugin", "add", name, &folder.text(file)]);
        assert!(!ended.good && ended.stderr.contains(says), "{name} {file}: {}", ended.stderr);
    }
    assert_eq!(folder.configuration(), before);
    assert!(!folder.path("abi-mcp.lock").exists());
}

#[test]
fn g03_an_error_of_the_file_has_line_and_column_and_shows_no_value() {
    let folder = Folder::new();
    for (text, place) in [
        ("[node]\npassword = FIXTURESECRET\n", "abi-mcp.toml:2:12: not TOML"),
        ("[node]\npassword = \"FIXTURESECRET\"\n", "abi-mcp.toml:2:1: `node.password` would be a secret in this file"),
        ("[tools]\nbudget = \"FIXTURESECRET\"\n", "abi-mcp.toml:2:10: `tools.budget` is a text"),
    ] {
        folder.configure(text);
        for command in [&["serve"][..], &["plugin", "list"], &["doctor"]] {
            let ended = folder.run(command);
            assert!(!ended.good && ended.stdout.is_empty(), "{}", ended.stdout);
            assert!(ended.stderr.contains(place) && !ended.stderr.contains("FIXTURE"), "{}", ended.stderr);
        }
    }
}

#[test]
fn d07_a_key_or_an_acceptance_that_matches_nothing_is_told_at_the_start() {
    let folder = Folder::with_guest();
    let text = folder.configuration();
    folder.configure(&text.replace("[[plugin]]", "[[plugins]]"));
    let mut client = folder.serve().connect();
    client.tools();
    let line = client.stderr_line("`plugins` means nothing here");
    assert!(line.contains("did you mean `plugin`?"), "{line}");
    client.stderr_line("the lock has `guest`, and no plugin of the configuration is called that");
    client.close_stdin();
    client.wait(SOON);
}

#[test]
fn a_limit_of_the_configuration_is_kept() {
    let folder = Folder::with_guest();
    std::fs::write(folder.path("functions.txt"), "arithmetic\nadd\nspin\n").unwrap();
    let text = folder.configuration();
    folder.configure(&format!("{text}\n[limits.engine]\ntime_ms = 700\n[tools]\nbudget = 1\n"));
    let mut client = folder.serve().connect();
    assert_eq!(names(&mut client), ["find_tools", "describe_tool", "call"], "the budget is kept, too");
    let reply = client.call("call", json!({"method": "spin", "args": {"a": 1, "b": 1}}));
    assert!(reply.is_error && reply.text.contains("ran longer than its 700 ms limit"), "{}", reply.text);
}

#[test]
fn a_start_reads_no_plugin_that_is_not_called() {
    let folder = Folder::with_guest();
    // One more, of an ecosystem nobody serves; its file could not even be opened.
    assert!(folder.run(&["plugin", "add", "idle", &folder.text("guest.wasm"), "--ecosystem", "weather"]).good);
    let text = folder.configuration();
    let at = text.rfind("file = ").unwrap();
    let end = at + text[at..].find('\n').unwrap();
    folder.configure(&format!("{}file = \"nowhere.wasm\"{}", &text[..at], &text[end..]));
    let mut client = folder.serve().connect();
    assert_eq!(names(&mut client), ["add", "refuse"]);
    assert_eq!(sum(&mut client), "42");
    // The look at all files that follows the first list finds it.
    client.stderr_line("plugin `idle` is not run: error: cannot read the plugin file");
}

/// Bytes with a custom section added: the same component, another digest.
pub(crate) fn marked(mut bytes: Vec<u8>, mark: &str) -> Vec<u8> {
    let name = b"mark";
    let length = u8::try_from(1 + name.len() + mark.len()).unwrap();
    assert!(length < 0x80);
    bytes.extend([0, length, u8::try_from(name.len()).unwrap()]);
    bytes.extend(name);
    bytes.extend(mark.as_bytes());
    bytes
}
