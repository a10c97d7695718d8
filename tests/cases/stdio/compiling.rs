//! Components that the compiler is slow or greedy over, with the real binary: it runs in a process of its own, within
//! bounds, and ends with the server.

use crate::SOON;
use crate::configured::Folder;
use crate::hosted::{component, component_file};
use abi_mcp_tests::process::{self, Signal, children};
use abi_mcp_tests::{Client, Reply};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A function of 290 KB over which the compiler takes half a minute and 2 GiB: 20,000 branches back to the start of a
/// loop, with 1,000 variables alive across each of them.
fn slow_function() -> Vec<u8> {
    const VARIABLES: u32 = 1_000;
    let mut seed = 1_u32;
    let mut variable = || {
        // Numerical Recipes' generator: the same component every time.
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        leb((seed >> 16) % VARIABLES)
    };
    let mut body = [leb(1), leb(VARIABLES), vec![0x7f, 0x03, 0x40]].concat();
    for _ in 0..20_000 {
        let (a, b, c) = (variable(), variable(), variable());
        // if a { continue }; a = b + c
        body.extend([&[0x20][..], &a, &[0x0d, 0, 0x20], &b, &[0x20], &c, &[0x6a, 0x21], &a].concat());
    }
    body.extend([0x0b, 0x20, 0, 0x0b]);
    body
}

/// The guest `greeter`, which has a module more that nobody ever starts, and that has to be compiled all the same.
fn slow_component() -> Vec<u8> {
    let body = slow_function();
    let types = section(1, &[1, 0x60, 1, 0x7f, 1, 0x7f]);
    let functions = section(3, &[1, 0]);
    let code = section(10, &[leb(1), leb(length(&body)), body].concat());
    let module = [b"\0asm\x01\0\0\0".to_vec(), types, functions, code].concat();
    [component("greeter"), section(1, &module)].concat()
}

pub(crate) fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [vec![id], leb(length(content)), content.to_vec()].concat()
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap()
}

pub(crate) fn leb(mut number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).unwrap());
    bytes
}

/// A folder with the slow component and these limits for compiling.
fn folder(limits: &str) -> (Folder, PathBuf) {
    let folder = Folder::new();
    folder.configure(&format!("[limits.compile]\n{limits}\n"));
    let file = folder.path("slow.wasm");
    std::fs::write(&file, slow_component()).unwrap();
    (folder, file)
}

/// Serves the slow component beside a good one, whose compiled code is there already.
fn connect(folder: &Folder, file: &Path) -> Client {
    let greeter = format!("greeter={}", component_file("greeter").display());
    let mut warm =
        abi_mcp_tests::Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp")).argument("--extension").argument(&greeter).connect();
    assert_eq!(greet(&mut warm), "Hello, Ada.");
    let spawn = folder.serve().argument("--extension").argument(format!("slow={}", file.display()));
    spawn.argument("--extension").argument(greeter).connect()
}

fn greet(client: &mut Client) -> String {
    client.call("greeter_greet", json!({"name": "Ada"})).text
}

/// The server's compiler, once it works.
fn compiler(client: &mut Client) -> u32 {
    client.send("tools/list", json!({}));
    let started = Instant::now();
    loop {
        let working = children(client.pid())
            .into_iter()
            .find(|child| process::processor_time(*child).is_some_and(|time| time > Duration::from_millis(200)));
        if let Some(compiler) = working {
            return compiler;
        }
        assert!(started.elapsed() < SOON, "no compiler works; stderr:\n{}", client.stderr());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What a call of the slow component's tool is told; the compiler has ended by then.
fn refusal(client: &mut Client) -> Reply {
    let reply = client.call("call", json!({"method": "slow_greet", "args": {"name": "Ada"}}));
    assert!(reply.is_error && reply.text.contains("plugin `slow`"), "{}", reply.text);
    reply
}

#[test]
fn d01_a_component_that_keeps_the_compiler_busy_ends_at_its_limit_and_everything_else_answers() {
    let (folder, file) = folder("time_ms = 4000");
    let mut client = connect(&folder, &file);
    let compiler = compiler(&mut client);
    let pinged = Instant::now();
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    assert!(pinged.elapsed() < Duration::from_secs(2), "{:?}", pinged.elapsed());
    assert!(process::runs(compiler), "the ping was answered while the compiler worked");
    let text = refusal(&mut client).text;
    assert!(text.contains("takes longer to compile than its 4 s limit"), "{text}");
    assert!(text.contains("hint: ") && text.contains("`time_ms` under `[limits.compile]`"), "{text}");
    assert!(!process::runs(compiler) && children(client.pid()).is_empty(), "no process is left behind");
    assert_eq!(greet(&mut client), "Hello, Ada.");
    let again = Instant::now();
    refusal(&mut client);
    assert!(again.elapsed() < Duration::from_secs(3), "it is not compiled again for every call: {:?}", again.elapsed());
}

#[test]
fn d02_a_component_that_fills_the_compilers_memory_ends_at_its_limit_and_leaves_the_servers_alone() {
    let (folder, file) = folder("memory_mib = 160");
    let mut client = connect(&folder, &file);
    let compiler = compiler(&mut client);
    let text = refusal(&mut client).text;
    assert!(text.contains("takes more memory to compile than its limit of 160 MiB"), "{text}");
    assert!(text.contains("`memory_mib` under `[limits.compile]`"), "{text}");
    assert!(!process::runs(compiler) && children(client.pid()).is_empty(), "no process is left behind");
    assert_eq!(greet(&mut client), "Hello, Ada.");
    let peak = process::peak(client.pid());
    assert!(peak < 160 << 20, "the server itself took {} MiB", peak >> 20);
}

#[test]
fn d02_what_cannot_be_compiled_within_bounds_is_not_accepted() {
    let (folder, file) = folder("time_ms = 1500");
    let added = folder.run(&["plugin", "add", "slow", file.to_str().unwrap()]);
    assert!(!added.good && added.stderr.contains("plugin `slow`"), "{}{}", added.stdout, added.stderr);
    assert!(added.stderr.contains("takes longer to compile than its 1500 ms limit"), "{}", added.stderr);
    assert!(!folder.path("abi-mcp.lock").exists(), "nothing was accepted");
    let checked = folder.run(&["plugin", "check", file.to_str().unwrap()]);
    assert!(!checked.good && checked.stdout.contains("longer to compile than its 1500 ms limit"), "{}", checked.stdout);
    assert!(checked.stdout.contains("next: if it is trusted, give it more time"), "{}", checked.stdout);
}

#[test]
fn d13_a_compiler_ends_with_its_server_however_that_ends() {
    for signal in [Some(Signal::KILL), Some(Signal::TERM), None] {
        let (folder, file) = folder("");
        let mut client = connect(&folder, &file);
        let compiler = compiler(&mut client);
        match signal {
            Some(signal) => process::signal(client.pid(), signal),
            None => client.close_stdin(),
        }
        let ended = Instant::now();
        while process::runs(compiler) {
            assert!(ended.elapsed() < SOON, "it lives on after {signal:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(client.wait(SOON).1 < SOON, "{signal:?}");
    }
}

#[test]
fn a_compiler_has_no_environment_no_folder_and_no_file_of_the_servers() {
    let (folder, file) = folder("");
    let mut client = connect(&folder, &file);
    let compiler = compiler(&mut client);
    assert_eq!(std::fs::read(format!("/proc/{compiler}/environ")).unwrap(), b"");
    assert_eq!(std::fs::read(format!("/proc/{compiler}/cmdline")).unwrap(), b"abi-mcp\0compile-component\0");
    assert_eq!(std::fs::read_link(format!("/proc/{compiler}/cwd")).unwrap(), PathBuf::from("/"));
    for descriptor in std::fs::read_dir(format!("/proc/{compiler}/fd")).unwrap() {
        let to = std::fs::read_link(descriptor.unwrap().path()).unwrap();
        // A device is what whoever started this test left open.
        assert!(["pipe:", "/dev/"].iter().any(|kind| to.to_str().unwrap().starts_with(kind)), "{to:?}");
    }
}

#[test]
fn a_compiler_that_nobody_speaks_to_ends_and_says_why() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_abi-mcp"))
        .arg("compile-component")
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    assert!(!output.stderr.is_empty() && !String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
}
