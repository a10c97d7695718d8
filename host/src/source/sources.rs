//! All sources of a process together: at most one node, and any number of manifest files and extensions.
//!
//! One that cannot be read takes nothing from the others.

use crate::model::CallScope;
use crate::source::file::manifest_of;
use crate::source::{App, ECOSYSTEM, Error, FileError, ManifestFile, NodeSource, Origin, Unit};
use std::sync::{Arc, Mutex, PoisonError};

/// Where the process's apps come from.
#[derive(Debug)]
pub struct Sources {
    node: Arc<NodeSource>,
    serves_node: bool,
    files: Vec<Arc<ManifestFile>>,
    /// Plugins with tools of their own, by name.
    extensions: Mutex<Vec<String>>,
    /// The node's apps when it last answered: they stay while it does not.
    last: Mutex<Vec<Arc<App>>>,
}

/// What a look at all sources found.
#[derive(Debug)]
pub struct Found {
    /// Every app; of a node that does not answer, those it had when it last did.
    pub apps: Vec<Arc<App>>,
    /// Why the node could not be read, if it could not.
    pub unreadable: Option<Error>,
}

/// Why a manifest could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// From the node.
    #[error(transparent)]
    Node(#[from] Error),
    /// From a file.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Sources {
    /// A node alone.
    #[must_use]
    pub fn node_only(node: Arc<NodeSource>) -> Self {
        Self { node, serves_node: true, files: Vec::new(), extensions: Mutex::default(), last: Mutex::default() }
    }

    /// Manifest files, and a node beside them where `serves_node` says so. A node that is not served is never asked.
    #[must_use]
    pub fn with_files(node: Arc<NodeSource>, serves_node: bool, files: Vec<ManifestFile>) -> Self {
        Self { serves_node, files: files.into_iter().map(Arc::new).collect(), ..Self::node_only(node) }
    }

    /// These sources, and the tools of the extensions of these names.
    #[must_use]
    pub fn and_extensions(self, extensions: Vec<String>) -> Self {
        self.know_extensions(extensions);
        self
    }

    /// Names the extensions there are from now on: plugins come and go while they are served.
    pub fn know_extensions(&self, extensions: Vec<String>) {
        *self.extensions.lock().unwrap_or_else(PoisonError::into_inner) = extensions;
    }

    fn extensions(&self) -> Vec<String> {
        self.extensions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The node; it connects on first use.
    #[must_use]
    pub fn node(&self) -> &NodeSource {
        &self.node
    }

    /// Whether a node is among the sources.
    #[must_use]
    pub fn serves_node(&self) -> bool {
        self.serves_node
    }

    /// Whether manifest files are among the sources.
    #[must_use]
    pub fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Looks at every source.
    pub async fn look(&self, scope: &CallScope) -> Found {
        let mut apps = self.file_apps().await;
        apps.extend(self.extension_apps());
        if !self.serves_node {
            return Found { apps, unreadable: None };
        }
        match self.node.apps(scope).await {
            Ok(found) => {
                *self.last.lock().unwrap_or_else(PoisonError::into_inner) = found.clone();
                apps.extend(found);
                Found { apps, unreadable: None }
            }
            Err(error) => {
                apps.extend(self.last.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
                Found { apps, unreadable: Some(error) }
            }
        }
    }

    /// Every app that is there now.
    ///
    /// # Errors
    /// There is a node, and it could not be read.
    pub async fn apps(&self, scope: &CallScope) -> Result<Vec<Arc<App>>, Error> {
        let Found { apps, unreadable } = self.look(scope).await;
        unreadable.map_or(Ok(apps), Err)
    }

    /// The apps of the manifest files.
    pub async fn file_apps(&self) -> Vec<Arc<App>> {
        let files = self.files.clone();
        // A task that panicked has found nothing.
        tokio::task::spawn_blocking(move || files.iter().map(|file| Arc::new(file.app())).collect())
            .await
            .unwrap_or_default()
    }

    /// The extensions, each as an app of its tools.
    pub fn extension_apps(&self) -> impl Iterator<Item = Arc<App>> + use<> {
        // Which plugin that is now, and so which tools it has, is the catalog's to ask.
        self.extensions().into_iter().map(|name| Arc::new(App::of_extension(&name, format!("extension:{name}"))))
    }

    /// A unit's manifest; an extension has none.
    ///
    /// # Errors
    /// Its source refused, could not be reached, or has no such app.
    pub async fn manifest(&self, unit: &Unit, scope: &CallScope) -> Result<Arc<[u8]>, ManifestError> {
        match (unit.app.origin, self.file(&unit.app)) {
            (Origin::File, Some(file)) => Ok(manifest_of(file).await?),
            _ => Ok(self.node.manifest(unit, scope).await?),
        }
    }

    /// The ecosystem of an app, as its source says it.
    #[must_use]
    pub fn ecosystem_of(&self, app: &App) -> &str {
        match (app.origin, self.file(app)) {
            (Origin::File, Some(file)) => file.ecosystem(),
            _ => ECOSYSTEM,
        }
    }

    /// What the model is told before it does anything.
    #[must_use]
    pub fn instructions(&self) -> String {
        let mut texts = Vec::new();
        if self.serves_node {
            texts.push(super::INSTRUCTIONS.to_owned());
        }
        if !self.files.is_empty() {
            let names: Vec<&str> = self.files.iter().map(|file| file.ecosystem()).collect();
            texts.push(format!("{} {}", names.join(", "), super::FILE_INSTRUCTIONS));
        }
        let extensions = self.extensions();
        if !extensions.is_empty() {
            texts.push(format!("{} {}", extensions.join(", "), super::EXTENSION_INSTRUCTIONS));
        }
        texts.join(" ")
    }

    fn file(&self, app: &App) -> Option<&Arc<ManifestFile>> {
        self.files.iter().find(|file| file.ecosystem() == app.id)
    }
}
