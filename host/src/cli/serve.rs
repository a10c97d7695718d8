//! `serve`: a client's process.

use crate::artifact::Plugins;
use crate::catalog::{self, Catalog, Chosen};
use crate::cli::{environment, exit};
use crate::config::{ManifestSetting, Settings};
use crate::mcp;
use crate::model::{Cancel, MapOptions};
use crate::node::Session;
use crate::source::{ManifestFile, NodeSource, Sources};
use crate::tools::{Modes, Parts, Server};
use abi_mcp_devnode::{DevNode, Setup};
use anyhow::Context;
use std::process::ExitCode;
use std::sync::Arc;

/// Threads of the protocol loop. Guests run on a pool of their own, so two keep one busy reply from delaying a ping.
const THREADS: usize = 2;

/// Serves until stdin ends or a signal asks to stop.
///
/// # Errors
/// The process could not be set up; nothing was written to stdout.
pub(crate) fn run(mut settings: Settings, embedded: bool) -> anyhow::Result<ExitCode> {
    environment::start_log(&settings)?;
    let runtime = runtime()?;
    let outcome = runtime.block_on(async {
        let _node = if embedded { Some(embed(&mut settings).await?) } else { None };
        let cancel = Cancel::new();
        let server = server(&settings, &cancel);
        let outcome = mcp::serve(Arc::new(server), mcp::Io::stdio(), mcp::Limits::default(), mcp::signals()).await;
        cancel.cancel();
        Ok::<_, anyhow::Error>(outcome)
    });
    let code = exit::code(&outcome?);
    // A read of stdin, a guest or a name lookup may still hold a thread; none of them is worth waiting for.
    runtime.shutdown_background();
    Ok(code)
}

/// The runtime of commands that talk to a node.
pub(crate) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")
}

/// Starts the development node and points the settings at it.
pub(crate) async fn embed(settings: &mut Settings) -> anyhow::Result<DevNode> {
    let node = DevNode::start(Setup::demo()).await.context("cannot start the development node on loopback")?;
    settings.node.node_url = Some(node.url());
    settings.node_too = true;
    // Nobody else's credentials, and nothing of this node in the files of real ones.
    settings.node.auth_token = None;
    settings.node.username = None;
    settings.node.password = None;
    settings.node.state_dir = None;
    Ok(node)
}

/// A server for these settings. Reads nothing and starts nothing before a client speaks.
pub(crate) fn server(settings: &Settings, cancel: &Cancel) -> Server {
    let sources = sources(settings);
    let plugins = plugins(settings);
    let catalog = Arc::new(catalog(settings, &sources, &plugins, cancel));
    Server::new(Parts {
        sources,
        plugins,
        catalog,
        state_dir: settings.state_dir.clone(),
        modes: modes(settings),
        redactor: Arc::clone(&settings.node.redactor),
        cancel: cancel.clone(),
    })
}

/// Every source the settings name; a node where they name none.
pub(crate) fn sources(settings: &Settings) -> Arc<Sources> {
    let node = Arc::new(NodeSource::new(Session::new(settings.node.clone())));
    let file = |given: &ManifestSetting| {
        ManifestFile::new(given.ecosystem.clone(), given.path.clone(), given.overrides.clone())
    };
    Arc::new(Sources::with_files(node, settings.serves_node(), settings.manifests.iter().map(file).collect()))
}

/// The bundled plugins and the engines the settings name.
pub(crate) fn plugins(settings: &Settings) -> Arc<Plugins> {
    Arc::new(Plugins::with_engines(settings.cache_dir.clone(), settings.engines.clone()))
}

fn modes(settings: &Settings) -> Modes {
    Modes { without_node: !settings.serves_node(), ..settings.modes }
}

/// What becomes a tool.
pub(crate) fn chosen(settings: &Settings) -> Chosen {
    Chosen { read_only: settings.modes.read_only, apps: settings.apps.clone(), categories: settings.categories.clone() }
}

/// A catalog for these settings.
pub(crate) fn catalog(settings: &Settings, sources: &Arc<Sources>, plugins: &Arc<Plugins>, cancel: &Cancel) -> Catalog {
    let modes = modes(settings);
    let how = catalog::Settings {
        reserved: Server::reserved_names(modes),
        fixed_listed: Server::listed_count(modes, false),
        fixed_folding: Server::listed_count(modes, true),
        chosen: chosen(settings),
        budget: settings.tool_budget,
        map: MapOptions { list_internal: settings.list_internal },
    };
    Catalog::new(Arc::clone(sources), Arc::clone(plugins), how, cancel.clone())
}
