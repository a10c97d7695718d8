//! A server in the test's own process, with one plugin more than the released binary has.

use crate::SOON;
use abi_mcp::artifact::{Origin, Plugin, Plugins, Registry, bundled};
use abi_mcp::mcp::{self, Io, Outcome};
use abi_mcp::model::{Cancel, PluginRelease};
use abi_mcp::node::{NodeSettings, Session};
use abi_mcp::sandbox::{Limits, Sandbox};
use abi_mcp::source::{ManifestFile, NodeSource, Sources};
use abi_mcp::tools::{Parts, Server, Setup};
use abi_mcp_tests::{Client, FakeNode};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Three workers, the fewest there are: two jobs that never end would stop everything but short ones.
pub(crate) const WORKERS: usize = 3;

/// The server and a client of it.
pub(crate) struct Hosted {
    pub(crate) client: Client,
    outcome: mpsc::Receiver<Outcome>,
    to: UnixStream,
}

impl Hosted {
    /// Serves `sources` with the bundled plugins and the test guest `guest`, which is assigned one ecosystem.
    pub(crate) fn start(sources: Sources, guest: &str, ecosystem: &str, limits: Limits) -> Self {
        Self::start_with(sources, guest, ecosystem, limits, Setup::default())
    }

    /// The same with another setup.
    pub(crate) fn start_with(sources: Sources, guest: &str, ecosystem: &str, limits: Limits, setup: Setup) -> Self {
        let (to, input) = UnixStream::pair().unwrap();
        let (output, from) = UnixStream::pair().unwrap();
        let (sender, outcome) = mpsc::channel();
        let cancel = Cancel::new();
        let server = Arc::new(Server::new(Parts {
            sources: Arc::new(sources),
            plugins: Arc::new(Plugins::of(registry(guest, ecosystem, limits))),
            setup,
            state_dir: None,
            redactor: Arc::default(),
            cancel: cancel.clone(),
        }));
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            let io = Io { input: Box::new(input), output: Box::new(output), watched: None };
            let ended = runtime.block_on(mcp::serve(server, io, mcp::Limits::default(), std::future::pending()));
            cancel.cancel();
            let _ = sender.send(ended);
            runtime.shutdown_background();
        });
        let mut client = Client::over(to.try_clone().unwrap(), from);
        client.initialize("2025-11-25");
        Self { client, outcome, to }
    }

    /// Closes the input; how it ended, and after how long.
    pub(crate) fn end(&mut self) -> (Outcome, Duration) {
        let started = Instant::now();
        self.client.close_stdin();
        self.to.shutdown(std::net::Shutdown::Write).unwrap();
        (self.outcome.recv_timeout(SOON).expect("it ends"), started.elapsed())
    }
}

/// A node alone.
pub(crate) fn node(node: &FakeNode) -> Sources {
    Sources::node_only(session(Some(node)))
}

/// One manifest file, and a node where one is given.
pub(crate) fn file(ecosystem: &str, path: &Path, node: Option<&FakeNode>) -> Sources {
    let file = ManifestFile::new(ecosystem.to_owned(), path.to_owned(), None);
    Sources::with_files(session(node), node.is_some(), vec![file])
}

fn session(node: Option<&FakeNode>) -> Arc<NodeSource> {
    let settings = NodeSettings { node_url: node.map(|node| node.url().to_owned()), ..NodeSettings::default() };
    Arc::new(NodeSource::new(Session::new(settings)))
}

fn registry(guest: &str, ecosystem: &str, limits: Limits) -> Registry {
    let sandbox = Sandbox::with_workers(limits, WORKERS);
    // Compiled code is shared by the tests of a run, beside the binary's own.
    let cache = Path::new(env!("CARGO_BIN_EXE_abi-mcp")).with_file_name("test-cache").join("compiled");
    let load = |name: &str, release: &str, origin, bytes: Vec<u8>| {
        let release = PluginRelease(release.to_owned());
        Arc::new(Plugin::load(name, release, origin, bytes.into(), &sandbox, Some(cache.clone())).unwrap())
    };
    let mut plugins: Vec<_> =
        bundled().iter().map(|(name, release, bytes)| load(name, release, Origin::Bundled, bytes.to_vec())).collect();
    let third = Origin::ThirdParty { ecosystems: [ecosystem.to_owned()].into() };
    plugins.push(load(guest, "0.1.0", third, of_ecosystem(component(guest), ecosystem)));
    Registry::new(plugins, Vec::new())
}

/// The hostile guest says of manifests what ecosystem it was born for (`persona` in its `behave.rs`): here the one it is
/// assigned to, or it would not be listened to. Other guests have no persona.
fn of_ecosystem(mut bytes: Vec<u8>, ecosystem: &str) -> Vec<u8> {
    const WIDTH: usize = 40;
    let mark = b"persona=tidy";
    let Some(at) = bytes.windows(mark.len()).position(|window| window == mark) else { return bytes };
    let persona = format!("{:WIDTH$}", format!("persona=ecosystem={ecosystem}"));
    bytes[at..at + WIDTH].copy_from_slice(persona.as_bytes());
    bytes
}

/// A test guest's bytes.
pub(crate) fn component(name: &str) -> Vec<u8> {
    let folder = std::env::var_os("ABI_MCP_TEST_GUESTS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../components/tests"), PathBuf::from);
    let file = folder.join(format!("{name}.wasm"));
    std::fs::read(&file).unwrap_or_else(|error| panic!("`{}`: {error}: run `cargo xtask guests`", file.display()))
}
