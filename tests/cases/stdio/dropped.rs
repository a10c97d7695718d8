//! The plugin folder, with the real binary: a file that is dropped in is a plugin by its name, and is run once it was
//! accepted.

use crate::SOON;
use crate::configured::{Folder, marked};
use crate::hosted::component;
use abi_mcp_tests::Client;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

/// A configuration with a manifest and no plugin, and an empty plugin folder beside it.
fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("plugins")).unwrap();
    folder
}

/// Drops a file in, whole.
fn drop_in(folder: &Folder, name: &str, bytes: &[u8]) {
    std::fs::write(folder.path("copy"), bytes).unwrap();
    std::fs::rename(folder.path("copy"), folder.path("plugins").join(name)).unwrap();
}

fn accept(folder: &Folder, name: &str) -> String {
    let accepted = folder.run(&["plugin", "accept", name]);
    assert!(accepted.good, "{}{}", accepted.stdout, accepted.stderr);
    accepted.stdout
}

fn greets(client: &mut Client, plugin: &str) -> bool {
    let name = format!("{plugin}_greet");
    let listed = client.tools().iter().any(|tool| tool["name"] == name.as_str());
    listed && client.call(&name, json!({"name": "Ann"})).text.contains("Ann")
}

fn connect(folder: &Folder) -> Client {
    let mut client = folder.serve().connect();
    client.tools();
    while client.read(Duration::from_millis(1_500)) {}
    client.notifications.clear();
    client
}

fn list_changes(client: &Client) -> usize {
    client.notifications.iter().filter(|message| message["method"] == "notifications/tools/list_changed").count()
}

#[test]
fn a_file_that_is_dropped_in_is_told_of_and_run_once_it_was_accepted() {
    let folder = folder();
    drop_in(&folder, "hello.wasm", &component("greeter"));
    let mut client = folder.serve().connect();
    assert!(!greets(&mut client, "hello"));
    let line = client.stderr_line("plugin `hello` was not accepted and is not run");
    assert!(line.contains("lock::not_accepted"), "{line}");
    client.stderr_line("hint: `abi-mcp plugin accept hello` accepts it");
    let listed = folder.run(&["plugin", "list"]);
    assert!(!listed.good && listed.stdout.contains("not accepted"), "{}", listed.stdout);
    let doctor = folder.run(&["doctor"]);
    assert!(!doctor.good && doctor.stdout.contains("plugin `hello` was not accepted"), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("ok   plugin folder: "), "{}", doctor.stdout);

    assert!(accept(&folder, "hello").contains("tool: greet"));
    assert!(greets(&mut folder.serve().connect(), "hello"));
    let listed = folder.run(&["plugin", "list"]);
    let line = listed.stdout.lines().find(|line| line.starts_with("hello")).unwrap();
    assert!(listed.good && line.contains("accepted") && line.contains("ready"), "{}", listed.stdout);
}

/// Waits for a new list, for less time than there is between two reads that nothing asks for (30 s): a list that comes with
/// the next of those comes by chance.
fn announced_soon(client: &mut Client) {
    let started = Instant::now();
    client.notified("notifications/tools/list_changed");
    assert!(started.elapsed() < Duration::from_secs(20), "after {:?}", started.elapsed());
}

#[test]
fn d12_one_that_comes_changes_and_goes_while_it_is_served_is_announced_once_each_time() {
    let folder = folder();
    let mut client = connect(&folder);
    drop_in(&folder, "hello.wasm", &component("greeter"));
    client.stderr_line("plugin `hello` was not accepted and is not run");
    assert!(!greets(&mut client, "hello"));
    accept(&folder, "hello");
    announced_soon(&mut client);
    assert!(greets(&mut client, "hello"));

    // Changed and not accepted: the old one answers.
    drop_in(&folder, "hello.wasm", &marked(component("greeter"), "another build"));
    client.stderr_line("plugin `hello` is not what was accepted");
    assert!(greets(&mut client, "hello"));
    assert!(accept(&folder, "hello").contains("digest: - sha256:"));

    std::fs::remove_file(folder.path("plugins/hello.wasm")).unwrap();
    announced_soon(&mut client);
    assert!(!greets(&mut client, "hello"));
    while client.read(Duration::from_millis(1_500)) {}
    assert_eq!(list_changes(&client), 0, "{:?}", client.notifications);
}

#[test]
fn a_changed_file_is_not_run_at_the_next_start() {
    let folder = folder();
    drop_in(&folder, "hello.wasm", &component("greeter"));
    accept(&folder, "hello");
    drop_in(&folder, "hello.wasm", &marked(component("greeter"), "another build"));
    let mut client = folder.serve().connect();
    let reply = client.call("hello_greet", json!({"name": "Ann"}));
    assert!(reply.is_error && reply.text.contains("is not what was accepted"), "{}", reply.text);
}

#[test]
fn an_acceptance_that_is_taken_back_leaves_the_file() {
    let folder = folder();
    drop_in(&folder, "hello.wasm", &component("greeter"));
    accept(&folder, "hello");
    let removed = folder.run(&["plugin", "remove", "hello"]);
    assert!(
        removed.good && removed.stdout.contains("no longer accepted") && removed.stdout.contains("plugins/hello.wasm"),
        "{}",
        removed.stdout
    );
    assert!(folder.path("plugins/hello.wasm").exists() && !greets(&mut folder.serve().connect(), "hello"));
    std::fs::remove_file(folder.path("plugins/hello.wasm")).unwrap();
    assert!(folder.run(&["plugin", "remove", "hello"]).stderr.contains("there is no plugin `hello`"));
}

#[test]
fn a_block_without_a_file_gives_a_dropped_in_plugin_its_ecosystems() {
    let folder = folder();
    drop_in(&folder, "sums.wasm", &component("arithmetic"));
    let text = accept(&folder, "sums");
    assert!(text.contains("it is assigned no ecosystem"), "{text}");
    assert!(folder.serve().connect().tools().is_empty());
    folder.append("[[plugin]]\nname = \"sums\"\necosystems = [\"arithmetic\"]\n");
    let text = accept(&folder, "sums");
    assert!(text.contains("ecosystems: + arithmetic") && !text.contains("digest"), "{text}");
    let mut client = folder.serve().connect();
    assert_eq!(client.call("call", json!({"method": "add", "args": {"a": 2, "b": 40}})).text, "42");
}

#[test]
fn a_dry_run_shows_what_would_be_accepted_fails_where_that_is_new_and_changes_nothing() {
    let folder = folder();
    drop_in(&folder, "hello.wasm", &component("greeter"));
    let dry = || folder.run(&["plugin", "accept", "hello", "--dry-run"]);
    let first = dry();
    assert!(!first.good && first.stdout.contains("tool: greet") && first.stderr.is_empty(), "{}", first.stdout);
    assert!(!folder.path("abi-mcp.lock").exists());
    accept(&folder, "hello");
    assert!(dry().good && dry().stdout.contains("nothing to do"));
    let before = std::fs::read(folder.path("abi-mcp.lock")).unwrap();
    drop_in(&folder, "hello.wasm", &marked(component("greeter"), "another build"));
    let changed = dry();
    assert!(!changed.good && changed.stdout.contains("digest: - sha256:"), "{}", changed.stdout);
    assert_eq!(std::fs::read(folder.path("abi-mcp.lock")).unwrap(), before);
}

#[test]
fn a_folder_without_a_configuration_is_served_from_and_the_lock_lies_beside_it() {
    let folder = folder();
    let home = folder.path("home");
    std::fs::create_dir_all(home.join("abi-mcp/plugins")).unwrap();
    std::fs::write(home.join("abi-mcp/plugins/hello.wasm"), component("greeter")).unwrap();
    let accepted = Folder::ended(folder.command(&["plugin", "accept", "hello"]).env("XDG_CONFIG_HOME", &home));
    assert!(accepted.good, "{}", accepted.stderr);
    assert!(home.join("abi-mcp/abi-mcp.lock").exists() && !home.join("abi-mcp/abi-mcp.toml").exists());
    let program = env!("CARGO_BIN_EXE_abi-mcp");
    let serve = abi_mcp_tests::Spawn::serve(program).variable("XDG_CONFIG_HOME", &home);
    let mut client = serve.node("http://127.0.0.1:9").connect();
    assert!(greets(&mut client, "hello"), "{}", client.stderr());
}

#[test]
fn d09_special_files_in_the_folder_are_told_of_and_hold_nothing_up() {
    let folder = folder();
    let at = |name: &str| folder.path("plugins").join(name);
    mknodat(CWD, at("fifo.wasm"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    std::fs::create_dir(at("folder.wasm")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", at("endless.wasm")).unwrap();
    std::os::unix::fs::symlink(folder.path("guest.wasm"), at("outside.wasm")).unwrap();
    std::fs::write(at("Über uns.wasm"), "").unwrap();
    std::fs::write(at(".hidden.wasm"), "").unwrap();
    drop_in(&folder, "hello.wasm", &component("greeter"));
    accept(&folder, "hello");
    let started = Instant::now();
    let mut client = folder.serve().connect();
    assert!(greets(&mut client, "hello"));
    assert!(started.elapsed() < SOON);
    for says in ["it is a FIFO", "it is a directory", "link out of the folder", "cannot name a plugin"] {
        client.stderr_line(says);
    }
    let listed = folder.run(&["plugin", "list"]).stdout;
    let told = ["fifo.wasm", "folder.wasm", "endless.wasm", "outside.wasm", "Über uns.wasm"];
    assert!(told.iter().all(|name| listed.contains(name)) && !listed.contains("hidden"), "{listed}");
    for name in ["fifo", "outside"] {
        let refused = folder.run(&["plugin", "accept", name]);
        assert!(!refused.good && refused.stderr.contains("is not run: it is a"), "{}", refused.stderr);
    }
}

#[test]
fn d03_a_copy_that_is_under_way_is_no_plugin_and_cannot_be_accepted() {
    let folder = folder();
    let whole = component("greeter");
    drop_in(&folder, "hello.wasm", &whole[..whole.len() / 2]);
    let refused = folder.run(&["plugin", "accept", "hello"]);
    assert!(!refused.good && refused.stderr.contains("plugin `hello` is not run"), "{}", refused.stderr);
    drop_in(&folder, "hello.wasm", &whole);
    accept(&folder, "hello");
    assert!(greets(&mut folder.serve().connect(), "hello"));
}

#[test]
fn d11_files_for_a_moment_in_another_file_system_do_not_matter() {
    let other = Path::new("/dev/shm");
    assert!(other.is_dir(), "this test needs a second file system");
    let folder = folder();
    drop_in(&folder, "hello.wasm", &component("greeter"));
    let mut command = folder.command(&["plugin", "accept", "hello", "--config"]);
    let accepted = Folder::ended(command.arg(folder.path("abi-mcp.toml")).env("TMPDIR", other));
    assert!(accepted.good, "{}", accepted.stderr);
    let mut client = folder.serve().variable("TMPDIR", other).connect();
    assert!(greets(&mut client, "hello"));
}
