//! `serve`: a client's process.

use crate::artifact::{Plugins, Supply};
use crate::audit::Audit;
use crate::catalog::Chosen;
use crate::cli::{environment, exit};
use crate::config::{ConfiguredPlugins, ManifestSetting, Settings};
use crate::mcp;
use crate::model::{Cancel, MapOptions};
use crate::node::Session;
use crate::source::{ManifestFile, NodeSource, Sources};
use crate::tools::{Parts, Server, Setup};
use abi_mcp_devnode::DevNode;
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
        let audit = audit(&settings)?;
        let server = server(&settings, audit.clone(), &cancel);
        let outcome = mcp::serve(Arc::new(server), mcp::Io::stdio(), mcp::Limits::default(), mcp::signals()).await;
        cancel.cancel();
        if let Some(audit) = audit {
            audit.finish();
        }
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
    let node = DevNode::start(abi_mcp_devnode::Setup::demo())
        .await
        .context("cannot start the development node on loopback")?;
    settings.node.node_url = Some(node.url());
    settings.serve_node = Some(true);
    // Nobody else's credentials, and nothing of this node in the files of real ones.
    settings.node.auth_token = None;
    settings.node.username = None;
    settings.node.password = None;
    settings.node.state_dir = None;
    Ok(node)
}

/// A server for these settings. Reads nothing and starts nothing before a client speaks.
pub(crate) fn server(settings: &Settings, audit: Option<Arc<Audit>>, cancel: &Cancel) -> Server {
    Server::new(Parts {
        sources: sources(settings),
        plugins: plugins(settings),
        setup: setup(settings),
        state_dir: settings.state_dir.clone(),
        redactor: Arc::clone(&settings.node.redactor),
        audit,
        cancel: cancel.clone(),
    })
}

/// The record of calls, where one is asked for.
fn audit(settings: &Settings) -> anyhow::Result<Option<Arc<Audit>>> {
    let Some(path) = &settings.audit else { return Ok(None) };
    let opened = Audit::open(path).with_context(|| format!("cannot open the audit file `{}`", path.display()))?;
    Ok(Some(Arc::new(opened)))
}

/// Every source the settings name; a node where they name none.
pub(crate) fn sources(settings: &Settings) -> Arc<Sources> {
    let node = Arc::new(NodeSource::new(Session::new(settings.node.clone())));
    let file = |given: &ManifestSetting| {
        ManifestFile::new(given.ecosystem.clone(), given.path.clone(), given.overrides.clone())
    };
    let files = settings.manifests.iter().map(file).collect();
    let extensions = settings.extensions.iter().map(|extension| extension.name.clone()).collect();
    Arc::new(Sources::with_files(node, settings.serves_node(), files).and_extensions(extensions))
}

/// The bundled plugins, the engines and extensions the settings name, and the configured plugins that were accepted.
pub(crate) fn plugins(settings: &Settings) -> Arc<Plugins> {
    let supply = configured(settings).map(|configured| Arc::new(configured) as Arc<dyn Supply>);
    let plugins = Plugins::supplied(settings.cache_dir.clone(), settings.limits, settings.engines.clone(), supply);
    Arc::new(plugins.compiling_with(environment::own_program()).and_extensions(settings.extensions.clone()))
}

/// The operator's own plugins. Without a configuration and a plugin folder at the start there is nothing to watch: most
/// people have neither.
pub(crate) fn configured(settings: &Settings) -> Option<ConfiguredPlugins> {
    let folder = settings.plugin_folder.as_ref();
    let is_there = settings.configured || folder.is_some_and(|folder| folder.is_dir());
    let place = settings.place.clone().filter(|_| is_there)?;
    let state_folder = settings.state_dir.as_ref().map(|folder| folder.join("plugins"));
    let redactor = Arc::clone(&settings.node.redactor);
    Some(ConfiguredPlugins::new(place, environment::variable, state_folder, redactor))
}

/// What becomes a tool, and how much of it is listed.
pub(crate) fn setup(settings: &Settings) -> Setup {
    let chosen = Chosen {
        read_only: settings.modes.read_only,
        apps: settings.apps.clone(),
        categories: settings.categories.clone(),
    };
    let map = MapOptions { list_internal: settings.list_internal };
    Setup { modes: settings.modes, chosen, budget: settings.tool_budget, map }
}
