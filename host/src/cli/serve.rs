//! `serve`: a client's process.

use crate::artifact::Plugins;
use crate::catalog::{self, Catalog, Chosen};
use crate::cli::{environment, exit};
use crate::config::Settings;
use crate::mcp;
use crate::model::{Cancel, MapOptions};
use crate::node::Session;
use crate::source::NodeSource;
use crate::tools::{Parts, Server};
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
    // Nobody else's credentials, and nothing of this node in the files of real ones.
    settings.node.auth_token = None;
    settings.node.username = None;
    settings.node.password = None;
    settings.node.state_dir = None;
    Ok(node)
}

/// A server for these settings. Reads nothing and starts nothing before a client speaks.
pub(crate) fn server(settings: &Settings, cancel: &Cancel) -> Server {
    let source = Arc::new(NodeSource::new(Session::new(settings.node.clone())));
    let plugins = Arc::new(Plugins::bundled(settings.cache_dir.clone()));
    let catalog = Arc::new(catalog(settings, &source, &plugins, cancel));
    Server::new(Parts {
        source,
        plugins,
        catalog,
        state_dir: settings.state_dir.clone(),
        modes: settings.modes,
        redactor: Arc::clone(&settings.node.redactor),
        cancel: cancel.clone(),
    })
}

/// What becomes a tool.
pub(crate) fn chosen(settings: &Settings) -> Chosen {
    Chosen { read_only: settings.modes.read_only, apps: settings.apps.clone() }
}

/// A catalog for these settings.
pub(crate) fn catalog(
    settings: &Settings,
    source: &Arc<NodeSource>,
    plugins: &Arc<Plugins>,
    cancel: &Cancel,
) -> Catalog {
    let how = catalog::Settings {
        reserved: Server::reserved_names(settings.modes),
        fixed_listed: Server::listed_count(settings.modes, false),
        fixed_folding: Server::listed_count(settings.modes, true),
        chosen: chosen(settings),
        budget: settings.tool_budget,
        map: MapOptions { list_internal: settings.list_internal },
    };
    Catalog::new(Arc::clone(source), Arc::clone(plugins), how, cancel.clone())
}
