//! A server in the test's own process, with one plugin more than the released binary has.

use crate::SOON;
use abi_mcp::artifact::{Allowed, ExtensionSetting, Origin, Plugin, Plugins, Registry, bundled};
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
        Self::serving(sources, Plugins::of(registry(guest, ecosystem, limits)), setup)
    }

    /// Serves test guests as extensions, beside the sources.
    pub(crate) fn extending(sources: Sources, extensions: &[Extension<'_>], limits: Limits, setup: Setup) -> Self {
        let sandbox = Sandbox::with_workers(limits, WORKERS);
        let mut plugins = bundled_plugins(&sandbox);
        for Extension { name, guest, allowed } in extensions {
            let origin = Origin::Extension(Box::new(allowed.clone()));
            let release = PluginRelease("0.1.0".to_owned());
            let loaded = Plugin::load(name, release, origin, component(guest).into(), &sandbox, Some(code_cache()));
            plugins.push(Arc::new(loaded.unwrap_or_else(|error| panic!("{error}"))));
        }
        let names = extensions.iter().map(|extension| extension.name.to_owned()).collect();
        Self::serving(sources.and_extensions(names), Plugins::of(Registry::new(plugins, Vec::new())), setup)
    }

    /// The same from their files, as the program itself reads them, with a cache folder.
    pub(crate) fn extending_from_files(extensions: &[Extension<'_>], cache: Option<PathBuf>) -> Self {
        let settings = extensions.iter().map(|Extension { name, guest, allowed }| ExtensionSetting {
            name: (*name).to_owned(),
            path: component_file(guest),
            allowed: allowed.clone(),
        });
        let plugins = Plugins::bundled(cache).and_extensions(settings.collect());
        let names = extensions.iter().map(|extension| extension.name.to_owned()).collect();
        Self::serving(nothing().and_extensions(names), plugins, Setup::default())
    }

    /// Serves these sources with these plugins.
    pub(crate) fn serving(sources: Sources, plugins: Plugins, setup: Setup) -> Self {
        let (to, input) = UnixStream::pair().unwrap();
        let (output, from) = UnixStream::pair().unwrap();
        let (sender, outcome) = mpsc::channel();
        let cancel = Cancel::new();
        let server = Arc::new(Server::new(Parts {
            sources: Arc::new(sources),
            plugins: Arc::new(plugins),
            setup,
            state_dir: None,
            redactor: Arc::default(),
            audit: None,
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

/// One test guest as an extension.
pub(crate) struct Extension<'a> {
    pub(crate) name: &'a str,
    pub(crate) guest: &'a str,
    pub(crate) allowed: Allowed,
}

/// No source at all.
pub(crate) fn nothing() -> Sources {
    Sources::with_files(session(None), false, Vec::new())
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
    let mut plugins = bundled_plugins(&sandbox);
    let third = Origin::ThirdParty { ecosystems: [ecosystem.to_owned()].into() };
    let release = PluginRelease("0.1.0".to_owned());
    let bytes = of_ecosystem(component(guest), ecosystem);
    let loaded = Plugin::load(guest, release, third, bytes.into(), &sandbox, Some(code_cache()));
    plugins.push(Arc::new(loaded.unwrap()));
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

fn bundled_plugins(sandbox: &Arc<Sandbox>) -> Vec<Arc<Plugin>> {
    let load = |(name, release, bytes): &(&str, &str, &[u8])| {
        let release = PluginRelease((*release).to_owned());
        let loaded = Plugin::load(name, release, Origin::Bundled, bytes.to_vec().into(), sandbox, Some(code_cache()));
        Arc::new(loaded.unwrap())
    };
    bundled().iter().map(load).collect()
}

/// Compiled code is shared by the tests of a run, beside the binary's own.
fn code_cache() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_abi-mcp")).with_file_name("test-cache").join("compiled")
}

/// The file of a test guest, or of an example as `examples/<name>`.
pub(crate) fn component_file(name: &str) -> PathBuf {
    let components = Path::new(env!("CARGO_MANIFEST_DIR")).join("../components");
    let folder = match (name.split_once('/'), std::env::var_os("ABI_MCP_TEST_GUESTS")) {
        (Some((folder, _)), _) => components.join(folder),
        (None, Some(folder)) => PathBuf::from(folder),
        (None, None) => components.join("tests"),
    };
    folder.join(format!("{}.wasm", name.rsplit('/').next().unwrap_or(name)))
}

/// A test guest's bytes.
pub(crate) fn component(name: &str) -> Vec<u8> {
    let file = component_file(name);
    std::fs::read(&file).unwrap_or_else(|error| panic!("`{}`: {error}: run `cargo xtask guests`", file.display()))
}
