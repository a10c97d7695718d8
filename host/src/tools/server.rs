//! The service behind the protocol: everything a connection can ask for.

use crate::artifact::Plugins;
use crate::catalog::{Catalog, CatalogUnit, Snapshot, refresh};
use crate::gate::Handle;
use crate::gate::key::{Key, KeyStore};
use crate::mcp::{Identity, Service, UnknownTool};
use crate::model::{
    CallScope, Cancel, JsonObject, Resource, ResourceContents, ResourceTemplate, ToolDefinition, ToolReply,
};
use crate::source::{self, NodeSource};
use crate::tools::{fixed, generated, guide};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long the first list request waits for the first read of the apps: most clients ask for the list only once, and
/// the strictest of them give up on a server after about ten seconds.
const FIRST_READ: Duration = Duration::from_secs(8);

/// How long a call waits for the apps to be read again: a slow app or mapper must not hold up calls to others.
const RESYNC: Duration = Duration::from_secs(8);

/// What a [`Server`] is made of.
#[derive(Debug)]
pub struct Parts {
    /// Where apps come from and calls go to.
    pub source: Arc<NodeSource>,
    /// Mappers and error decoders.
    pub plugins: Arc<Plugins>,
    /// The list of apps.
    pub catalog: Arc<Catalog>,
    /// Where the handle key lives; absent where the user has no home, then handles end with the process.
    pub state_dir: Option<PathBuf>,
    /// Ends background reads.
    pub cancel: Cancel,
}

/// Serves the apps of one source.
#[derive(Debug)]
pub struct Server {
    pub(crate) source: Arc<NodeSource>,
    pub(crate) plugins: Arc<Plugins>,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) guides_shown: guide::Shown,
    keys: KeyStore,
    cancel: Cancel,
}

impl Server {
    /// Puts the parts together; reads nothing.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts { source, plugins, catalog, state_dir, cancel } = parts;
        let keys = KeyStore::new(state_dir);
        Self { source, plugins, catalog, guides_shown: guide::Shown::default(), keys, cancel }
    }

    /// Names of the fixed tools, which no generated tool may take.
    #[must_use]
    pub fn reserved_names() -> Vec<&'static str> {
        fixed::names()
    }

    /// Signs a handle; the first one makes the key.
    pub(crate) fn mint(&self, handle: &Handle) -> Result<String, ToolReply> {
        let signing = self.keys.for_minting().map_err(|error| ToolReply::error(format!("Error: {error}")))?;
        if let Some(warning) = signing.warning {
            tracing::warn!("{warning}");
        }
        Ok(handle.mint(&signing.key))
    }

    /// The key handles are checked with, if any was ever made.
    pub(crate) fn handle_key(&self) -> Option<Key> {
        self.keys.for_reading()
    }

    /// Reads the apps again on behalf of a call; a failure is logged by the catalog and changes nothing. Nor does a
    /// read that takes longer than [`RESYNC`]: the next one has what this one mapped.
    pub(crate) async fn resync(&self, scope: &CallScope) {
        match tokio::time::timeout(RESYNC, self.catalog.refresh(scope)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!("reading the apps again failed: {error}"),
            Err(_) => tracing::info!("reading the apps again takes longer than {RESYNC:?}"),
        }
    }

    async fn current(&self) -> Arc<Snapshot> {
        self.catalog.first_read(FIRST_READ).await;
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
        source::INSTRUCTIONS.to_owned()
    }

    fn opened(&self) {
        tokio::spawn(refresh::poll(Arc::clone(&self.catalog), self.cancel.clone()));
    }

    async fn tools(&self) -> Arc<[ToolDefinition]> {
        let snapshot = self.current().await;
        fixed::definitions(snapshot.folds()).chain(snapshot.listed.iter().cloned()).collect()
    }

    async fn call(&self, name: &str, arguments: JsonObject, scope: CallScope) -> Result<ToolReply, UnknownTool> {
        if let Some(tool) = fixed::find(name) {
            return Ok(fixed::call(self, tool, arguments, &scope).await);
        }
        // A client that calls before it lists means the tools of an earlier session.
        let snapshot = self.current().await;
        let Some((unit, _)) = snapshot.tool(name) else { return Err(UnknownTool(name.to_owned())) };
        Ok(generated::call(self, name, unit, arguments, &scope).await)
    }

    async fn resources(&self) -> Vec<Resource> {
        guide::resources(&self.current().await.units)
    }

    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        vec![guide::template()]
    }

    async fn read(&self, uri: &str) -> Option<ResourceContents> {
        let snapshot = self.current().await;
        let app = snapshot.units.iter().map(|CatalogUnit { unit, .. }| &unit.app).find(|app| guide::is_at(app, uri))?;
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
