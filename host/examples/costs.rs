//! What the sandbox costs, measured in this process: `cargo xtask bench` runs it in release and prints its rows.
//!
//! Needs built components (`cargo xtask guests`). Prints Markdown rows of a table with three columns: what, median,
//! 95th percentile. Figures are of one run on one machine and are to be read beside each other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "a measurement, not a program")]

use abi_mcp::artifact::{Origin, Plugin, Plugins, Registry, bundled};
use abi_mcp::mcp::{self, Io};
use abi_mcp::model::{Cancel, MapOptions, PluginRelease};
use abi_mcp::node::{NodeSettings, Session};
use abi_mcp::sandbox::{Limits, Sandbox};
use abi_mcp::source::{NodeSource, Sources};
use abi_mcp::tools::{Parts, Server, Setup};
use abi_mcp_tests::{App, Client, FakeNode, manifest};
use serde_json::{Value, json};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let cache = tempfile::tempdir().unwrap();
    runtime.block_on(components(cache.path()));
    pings(cache.path());
    runtime.shutdown_background();
}

fn row(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: usize| times.get((times.len() * share / 100).min(times.len() - 1)).copied().unwrap_or_default();
    println!("| {what} | {:.3} ms | {:.3} ms |", at(50).as_secs_f64() * 1e3, at(95).as_secs_f64() * 1e3);
}

fn load(sandbox: &Arc<Sandbox>, cache: Option<PathBuf>) -> Plugin {
    let (name, release, bytes) = bundled().last().copied().expect("a bundled component");
    Plugin::load(name, PluginRelease(release.to_owned()), Origin::Bundled, bytes.into(), sandbox, cache).unwrap()
}

/// Compiling, loading, mapping, encoding.
async fn components(cache: &Path) {
    let cancel = Cancel::new();
    let sandbox = Sandbox::new(Limits::default());
    let prepare = async |cache: Option<PathBuf>| {
        let plugin = load(&sandbox, cache);
        let started = Instant::now();
        plugin.prepare(&cancel).await.unwrap();
        started.elapsed()
    };
    let mut compiled = Vec::new();
    for _ in 0..3 {
        compiled.push(prepare(None).await);
    }
    row("compile a bundled component", compiled);
    prepare(Some(cache.join("compiled"))).await;
    let mut loaded = Vec::new();
    for _ in 0..20 {
        loaded.push(prepare(Some(cache.join("compiled"))).await);
    }
    row("load its machine code from the cache", loaded);

    let plugin = load(&sandbox, Some(cache.join("compiled")));
    let large: Arc<[u8]> = large_manifest().to_string().into_bytes().into();
    let mut mapped = Vec::new();
    let mut mapping = None;
    for _ in 0..20 {
        let started = Instant::now();
        mapping = Some(plugin.map(Arc::clone(&large), MapOptions::default(), &cancel).await.unwrap());
        mapped.push(started.elapsed());
    }
    row(&format!("map and render 100 methods ({} KB of manifest)", large.len() / 1024), mapped);

    let method = mapping.into_iter().flat_map(|mapping| mapping.methods).find(|method| method.needs_encode).unwrap();
    let arguments = json!({"p": {"name": "n", "key": "ab".repeat(32), "tags": ["x"]}}).to_string();
    let mut encoded = Vec::new();
    for _ in 0..2_000 {
        let started = Instant::now();
        plugin.encode(Arc::clone(&method.plan), &arguments, &cancel).await.unwrap().unwrap();
        encoded.push(started.elapsed());
    }
    row("encode one call in a fresh instance, pool hop included", encoded);
}

/// A hundred methods over a few types, about as large as the largest real manifest.
fn large_manifest() -> Value {
    let field = |name: &str, kind: Value| json!({"name": name, "type": kind, "doc": "One of the members of an entry."});
    let entry = json!({"kind": "record", "fields": [
        field("name", json!({"kind": "string"})),
        field("key", json!({"kind": "bytes", "size": 32})),
        field("tags", json!({"kind": "list", "items": {"kind": "string"}})),
    ]});
    let method = |n: usize| {
        json!({
            "name": format!("put_entry_{n:03}"), "doc": "Stores an entry under its key. What was there is replaced.",
            "intent": "mutating", "params": [{"name": "p", "type": {"$ref": "Entry"}, "doc": "What to store."}],
            "returns": {"kind": "list", "items": {"$ref": "Entry"}},
        })
    };
    manifest(json!({"Entry": entry}), (0..100).map(method).collect())
}

/// `ping` with nothing to do, and beside a plugin that never returns.
fn pings(cache: &Path) {
    let guest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../components/tests/hostile.wasm");
    let sandbox = Sandbox::with_workers(Limits::default(), 3);
    let origin = Origin::ThirdParty { ecosystems: ["testing".to_owned()].into() };
    let release = PluginRelease("0.1.0".to_owned());
    let bytes = std::fs::read(guest).expect("`cargo xtask guests` builds it");
    let hostile = Plugin::load("hostile", release, origin, bytes.into(), &sandbox, Some(cache.to_owned())).unwrap();
    let registry = Registry::new(vec![Arc::new(hostile)], Vec::new());

    let spins =
        |n: usize| App::new(&format!("app{n}"), &format!("com.example.spin{n}"), json!({"behave": "loop", "n": n}));
    let node = FakeNode::with((0..8).map(spins).collect());
    let (to, input) = UnixStream::pair().unwrap();
    let (output, from) = UnixStream::pair().unwrap();
    let server = server(&node, registry);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let io = Io { input: Box::new(input), output: Box::new(output), watched: None };
        runtime.block_on(mcp::serve(server, io, mcp::Limits::default(), std::future::pending()));
        runtime.shutdown_background();
    });
    let mut client = Client::over(to, from);
    let mut ping = |times: usize| -> Vec<Duration> {
        let one = |client: &mut Client| {
            let started = Instant::now();
            client.request("ping", json!({}));
            started.elapsed()
        };
        (0..times).map(|_| one(&mut client)).collect()
    };
    // The first frame starts the first read, and with it every looping mapper.
    ping(1);
    std::thread::sleep(Duration::from_millis(500));
    row("`ping` while every worker for mapping spins", ping(500));
}

fn server(node: &FakeNode, registry: Registry) -> Arc<Server> {
    let settings = NodeSettings { node_url: Some(node.url().to_owned()), ..NodeSettings::default() };
    let sources = Arc::new(Sources::node_only(Arc::new(NodeSource::new(Session::new(settings)))));
    let plugins = Arc::new(Plugins::of(registry));
    Arc::new(Server::new(Parts {
        sources,
        plugins,
        setup: Setup::default(),
        state_dir: None,
        redactor: Arc::default(),
        audit: None,
        cancel: Cancel::new(),
    }))
}
