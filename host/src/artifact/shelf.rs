//! What is run now, and what is not and why.
//!
//! In comes what is named and configured, out comes the first shelf, for which no configured plugin's file is read. How it
//! changes later is `renewal`'s.

use super::accepted::AcceptedTools;
use super::loader::{ExtensionSetting, Loader};
use super::supply::{Stamps, Supplied, Supply};
use super::{Error, Origin, Pin, Plugin, Refusal, Registry};
use crate::report;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The plugins of a moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Shelf {
    pub(super) registry: Arc<Registry>,
    pub(super) refused: Vec<Refusal>,
    /// Why extensions that were named on the command line are not there, by name.
    pub(super) lacking: BTreeMap<String, String>,
    /// The tools of configured extensions as they were accepted.
    pub(super) tools: AcceptedTools,
    /// Why the operator's word could not be read when it was last looked at.
    pub(super) unreadable: Option<String>,
    /// The files as they were when they were last looked into; absent before that.
    pub(super) stamps: Option<Stamps>,
    /// Whether a candidate could not be tried when it was there, so that it has to be when nothing changes, too.
    pub(super) again: bool,
}

impl Shelf {
    /// What runs at first: the bundled plugins, the named ones whose files are good, the configured ones as they were
    /// accepted. Blocks on the disk.
    pub(super) fn first(
        loader: &Loader,
        engines: &[PathBuf],
        extensions: &[ExtensionSetting],
        supply: Option<&dyn Supply>,
    ) -> Self {
        let own = loader.bundled().chain(engines.iter().map(|path| loader.engine(path)));
        let usable = |loaded: Result<Plugin, Error>| {
            loaded.inspect_err(|error| tracing::error!(code = error.code(), "{error}")).ok().map(Arc::new)
        };
        let mut shelf = Self::default();
        let mut plugins: Vec<Arc<Plugin>> = own.filter_map(usable).collect();
        plugins.extend(shelf.named(loader, extensions));
        let supplied = shelf.read(supply);
        let (configured, pins) = shelf.configured(loader, supplied);
        plugins.extend(configured);
        shelf.registry = Arc::new(Registry::new(plugins, pins));
        shelf
    }

    /// Puts plugins in the place of those there are. What is refused is told if it was not told before.
    pub(super) fn replace(&mut self, registry: Registry, refused: Vec<Refusal>) {
        for refusal in refused.iter().filter(|refusal| !self.refused.contains(refusal)) {
            tracing::error!(code = refusal.code(), "{refusal}");
        }
        self.registry = Arc::new(registry);
        self.refused = refused;
    }

    /// The extensions of the command line.
    fn named(&mut self, loader: &Loader, settings: &[ExtensionSetting]) -> Vec<Arc<Plugin>> {
        let mut plugins: Vec<Arc<Plugin>> = Vec::new();
        for setting in settings {
            let loaded = if plugins.iter().any(|plugin| plugin.name() == setting.name) {
                Err(Error::Twice { plugin: setting.name.clone() })
            } else {
                loader.extension(setting)
            };
            match loaded {
                Ok(plugin) => plugins.push(Arc::new(plugin)),
                // Told with what its tools would have been: the catalog says once what is lacking.
                Err(error) => drop(self.lacking.entry(setting.name.clone()).or_insert_with(|| report::line(&error))),
            }
        }
        plugins
    }

    /// The operator's word; nothing is wanted where it cannot be read.
    fn read(&mut self, supply: Option<&dyn Supply>) -> Supplied {
        match supply.map(|supply| supply.read()).transpose() {
            Ok(supplied) => supplied.unwrap_or_default(),
            Err(problem) => {
                tracing::error!("no configured plugin is run: {problem}");
                self.unreadable = Some(problem);
                Supplied::default()
            }
        }
    }

    fn configured(&mut self, loader: &Loader, supplied: Supplied) -> (Vec<Arc<Plugin>>, Vec<Pin>) {
        let Supplied { wanted, lock } = supplied;
        for name in lock.names().filter(|name| !wanted.iter().any(|wanted| wanted.name == *name)) {
            tracing::warn!("the lock has `{name}`, and no plugin of the configuration is called that");
        }
        let (mut plugins, mut pins, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for wanted in wanted {
            match loader.configured(&wanted, &lock) {
                Ok(plugin) => {
                    plugins.push(Arc::new(plugin));
                    pins.extend(wanted.pins);
                }
                Err(refusal) => refused.push(refusal),
            }
        }
        self.replace(Registry::default(), refused);
        self.tools = AcceptedTools::of(&lock);
        (plugins, pins)
    }
}

/// Whether a plugin brings tools of its own.
pub(super) fn is_extension(plugin: &Plugin) -> bool {
    matches!(plugin.origin(), Origin::Extension(_))
}
