//! The service behind the protocol: everything a connection can ask for.

use crate::artifact::Plugins;
use crate::audit::Audit;
use crate::catalog::{self, Catalog, Chosen, Snapshot, budget, refresh};
use crate::gate::Handle;
use crate::gate::key::{Key, KeyStore};
use crate::mcp::{Identity, Service, UnknownTool};
use crate::model::{
    CallScope, Cancel, Content, JsonObject, MapOptions, Resource, ResourceContents, ResourceTemplate, ToolDefinition,
    ToolReply,
};
use crate::redact::Redactor;
use crate::source::{self, NodeSource, Sources};
use crate::text::clean_line;
use crate::tools::invoke::offload;
use crate::tools::{Modes, fixed, functions, generated, guide};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How long the first list request waits for the first read of the apps: most clients ask for the list only once, and
/// the strictest of them give up on a server after about ten seconds.
const FIRST_READ: Duration = Duration::from_secs(8);

/// How long a search or a function waits for the first read to get through: an engine that was never here before is
/// compiled meanwhile.
const WHOLE_READ: Duration = Duration::from_secs(60);

/// How long a call waits for the apps to be read again: a slow app or mapper must not hold up calls to others.
const RESYNC: Duration = Duration::from_secs(8);

/// What the model is told of read-only mode.
const READ_ONLY: &str = " This server is in read-only mode: only methods that read can be called.";

/// What a [`Server`] is made of.
#[derive(Debug)]
pub struct Parts {
    /// Where apps come from.
    pub sources: Arc<Sources>,
    /// Mappers, error decoders and engines.
    pub plugins: Arc<Plugins>,
    /// What is served of them.
    pub setup: Setup,
    /// Where the handle key lives; absent where the user has no home, then handles end with the process.
    pub state_dir: Option<PathBuf>,
    /// Takes secrets out of whatever a failure says.
    pub redactor: Arc<Redactor>,
    /// Where calls are recorded, if anywhere.
    pub audit: Option<Arc<Audit>>,
    /// Ends background reads.
    pub cancel: Cancel,
}

/// What is served of the sources, and how much of it is listed.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Which fixed tools there are, and whether anything may be changed.
    pub modes: Modes,
    /// Which methods become tools.
    pub chosen: Chosen,
    /// How many tools may be listed, fixed ones included.
    pub budget: usize,
    /// Passed to mappers.
    pub map: MapOptions,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            modes: Modes::default(),
            chosen: Chosen::default(),
            budget: budget::DEFAULT_TOOLS,
            map: MapOptions::default(),
        }
    }
}

impl Setup {
    /// The catalog of these sources; empty until it is read.
    #[must_use]
    pub fn catalog(&self, sources: &Arc<Sources>, plugins: &Arc<Plugins>, cancel: &Cancel) -> Catalog {
        let modes = self.modes_for(sources);
        let settings = catalog::Settings {
            reserved: fixed::names(modes),
            budget: self.budget,
            fixed_listed: fixed::definitions(modes, false).count(),
            fixed_folding: fixed::definitions(modes, true).count(),
            chosen: self.chosen.clone(),
            map: self.map,
        };
        Catalog::new(Arc::clone(sources), Arc::clone(plugins), settings, cancel.clone())
    }

    fn modes_for(&self, sources: &Sources) -> Modes {
        Modes { without_node: !sources.serves_node(), ..self.modes }
    }
}

/// Serves the apps of all sources.
#[derive(Debug)]
pub struct Server {
    pub(crate) sources: Arc<Sources>,
    pub(crate) plugins: Arc<Plugins>,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) guides_shown: guide::Shown,
    pub(crate) modes: Modes,
    keys: Arc<KeyStore>,
    redactor: Arc<Redactor>,
    pub(crate) audit: Option<Arc<Audit>>,
    cancel: Cancel,
    opened: OnceLock<Instant>,
}

impl Server {
    /// Puts the parts together; reads nothing.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts { sources, plugins, setup, state_dir, redactor, audit, cancel } = parts;
        Self {
            catalog: Arc::new(setup.catalog(&sources, &plugins, &cancel)),
            guides_shown: guide::Shown::default(),
            modes: setup.modes_for(&sources),
            keys: Arc::new(KeyStore::new(state_dir)),
            sources,
            plugins,
            redactor,
            audit,
            cancel,
            opened: OnceLock::new(),
        }
    }

    /// The node among the sources; never asked where there is none.
    pub(crate) fn node(&self) -> &NodeSource {
        self.sources.node()
    }

    /// Signs a handle; the first one makes the key, which may wait for the disk.
    pub(crate) async fn mint(&self, handle: Handle) -> Result<String, ToolReply> {
        let keys = Arc::clone(&self.keys);
        let signing = offload(move || keys.for_minting()).await?;
        let signing = signing.map_err(|error| ToolReply::error(format!("Error: {error}")))?;
        if let Some(warning) = signing.warning {
            tracing::warn!("{warning}");
        }
        Ok(handle.mint(&signing.key))
    }

    /// The key handles are checked with, if any was ever made.
    pub(crate) fn handle_key(&self) -> Option<Key> {
        self.keys.for_reading()
    }

    /// Reads the apps again on behalf of a call, for as long as the call is wanted and at most [`RESYNC`]. A failure is
    /// told by the catalog and changes nothing.
    pub(crate) async fn resync(&self, scope: &CallScope) {
        tokio::select! {
            _ = self.catalog.refresh() => {}
            () = tokio::time::sleep(RESYNC) => {}
            () = scope.cancel.cancelled() => {}
        }
    }

    /// A reply without secrets: whatever a failure says, and what the tools of the node itself answer. What an app
    /// answers is its own and passes untouched, and so do handles.
    fn safe(&self, mut reply: ToolReply, own: bool) -> ToolReply {
        if reply.is_error || own {
            for block in &mut reply.content {
                if let Content::Text(text) = block {
                    *text = self.redactor.redact(text).into_owned();
                }
            }
            if let Some(structured) = &mut reply.structured {
                self.redact_texts(structured);
            }
        }
        reply
    }

    fn redact_texts(&self, value: &mut Value) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) => *text = self.redactor.redact(text).into_owned(),
                Value::Array(items) => open.extend(items),
                Value::Object(members) => open.extend(members.values_mut()),
                _ => {}
            }
        }
    }

    /// The snapshot after a read that got through everything, for as long as the call is wanted.
    pub(crate) async fn complete(&self, scope: &CallScope) -> Arc<Snapshot> {
        tokio::select! {
            () = self.catalog.whole_read(WHOLE_READ) => {}
            () = scope.cancel.cancelled() => {}
        }
        self.catalog.snapshot()
    }

    /// The snapshot after the first read, for which everybody together waits once and not for long.
    pub(crate) async fn current(&self) -> Arc<Snapshot> {
        let waited = self.opened.get().map_or(Duration::ZERO, Instant::elapsed);
        self.catalog.first_read(FIRST_READ.saturating_sub(waited)).await;
        self.catalog.snapshot()
    }
}

impl Service for Server {
    fn identity(&self) -> Identity {
        Identity {
            name: env!("CARGO_PKG_NAME").to_owned(),
            title: "abi-mcp".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    fn instructions(&self) -> String {
        let hint = self.catalog.last_failure().and_then(|error| error.hint());
        let trouble =
            hint.map(|hint| format!(" The node's applications could not be read: {hint}.")).unwrap_or_default();
        let lacking = self.catalog.unavailable().map(|why| clean_line(&why));
        let lacking = lacking.map(|why| format!(" No function can be called: {why}.")).unwrap_or_default();
        // Their names are the operator's; why they are refused may quote a plugin, whose words have no place here.
        let refused: Vec<String> = self.catalog.refused_extensions().iter().map(|(name, _)| clean_line(name)).collect();
        let refused = match refused.is_empty() {
            true => String::new(),
            false => format!(" Plugins that are not served now: {}.", refused.join(", ")),
        };
        let mode = if self.modes.read_only { READ_ONLY } else { "" };
        format!("{}{mode}{trouble}{lacking}{refused}", self.sources.instructions())
    }

    fn opened(&self) {
        self.opened.get_or_init(Instant::now);
        let plugins = Arc::clone(&self.plugins);
        // Inspecting the components takes some milliseconds, which no thread of the protocol loop should spend.
        tokio::task::spawn_blocking(move || plugins.registry().plugins().len());
        tokio::spawn(refresh::poll(Arc::clone(&self.catalog), self.cancel.clone()));
    }

    async fn tools(&self) -> Arc<[ToolDefinition]> {
        let snapshot = self.current().await;
        // Clients ask for the list once. Manifests are usually too large for it, so while one is being read the tools
        // that search are listed, which then wait for it.
        let folds = snapshot.folds() || (self.sources.has_files() && !self.catalog.is_whole());
        fixed::definitions(self.modes, folds).chain(snapshot.listed.iter().cloned()).collect()
    }

    async fn call(&self, name: &str, arguments: JsonObject, scope: CallScope) -> Result<ToolReply, UnknownTool> {
        if let Some(tool) = fixed::find(name, self.modes) {
            return Ok(self.safe(fixed::call(self, tool, arguments, &scope).await, tool.is_of_the_node()));
        }
        let mut snapshot = self.catalog.snapshot();
        if snapshot.tool(name).is_none() {
            // A client that calls before it lists means the tools of an earlier session.
            snapshot = if self.sources.has_files() { self.complete(&scope).await } else { self.current().await };
        }
        let Some((unit, method)) = snapshot.tool(name) else { return Err(UnknownTool(name.to_owned())) };
        if !unit.unit.app.has_contexts() {
            return Ok(self.safe(functions::tool(self, unit, method, arguments, &scope).await, false));
        }
        Ok(self.safe(generated::call(self, name, unit, arguments, &scope).await, false))
    }

    async fn resources(&self) -> Vec<Resource> {
        guide::resources(&self.current().await.units)
    }

    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        if self.sources.serves_node() { vec![guide::template()] } else { Vec::new() }
    }

    async fn read(&self, uri: &str) -> Option<ResourceContents> {
        let snapshot = self.current().await;
        let app = snapshot.units.iter().map(|unit| &unit.unit.app).find(|app| guide::is_at(app, uri))?;
        guide::contents(app)
    }

    async fn complete(&self, uri_template: &str, variable: &str, typed: &str) -> Vec<String> {
        if uri_template != source::guide_uri_template() {
            return Vec::new();
        }
        guide::complete(&self.current().await.units, variable, typed)
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.catalog.changes()
    }
}
