//! Installed applications and the versions kept of them.

use std::sync::Arc;

use super::World;
use crate::app::App;
use crate::ids::Id;

/// One installed application.
pub(crate) struct Installed {
    /// The version of the row.
    pub(crate) current: Arc<App>,
    /// All versions kept, newest first; the first is `current`.
    pub(crate) versions: Vec<Arc<App>>,
}

impl World {
    /// Installs a version. An application already there keeps its id and gets the new row; contexts stay with what
    /// they run until their group is upgraded.
    pub(crate) fn install(&mut self, app: App) -> Id {
        let id = app.id();
        let app = Arc::new(app);
        let mut versions = vec![Arc::clone(&app)];
        if let Some(old) = self.applications.remove(&id) {
            versions.extend(old.versions.into_iter().filter(|version| version.version != app.version));
        }
        self.applications.insert(id, Installed { current: app, versions });
        id
    }

    /// The installed application with this package name and the highest version text, if any.
    pub(crate) fn by_package(&self, package: &str) -> Option<(Id, &Installed)> {
        self.applications
            .iter()
            .find(|(_, installed)| installed.current.package.as_deref() == Some(package))
            .map(|(id, installed)| (*id, installed))
    }

    /// An application of the registry for which `fits` holds.
    pub(crate) fn published(&self, fits: impl Fn(&App) -> bool) -> Option<App> {
        self.registry.iter().find(|app| fits(app)).cloned()
    }

    /// The bytes of an application's blob.
    pub(crate) fn bytecode(&self, blob: &Id) -> Option<Vec<u8>> {
        self.bundles().find(|(id, _)| id == blob).map(|(_, bytes)| bytes)
    }

    /// All application blobs, kept versions included.
    pub(crate) fn bundles(&self) -> impl Iterator<Item = (Id, Vec<u8>)> {
        self.applications.values().flat_map(|installed| &installed.versions).map(|app| {
            let bytes = app.bundle();
            (Id::digest(&bytes), bytes)
        })
    }
}
