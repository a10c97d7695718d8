//! The operator's plugins as the configuration and the lock beside it say them, read again on demand.

use crate::artifact::{Lock, Supplied, Supply};
use crate::config::file::{ConfigFile, FileError, Place};
use crate::config::{resolve, secrets};
use crate::redact::Redactor;
use std::path::PathBuf;
use std::sync::Arc;

/// One configuration file and its lock, and what plugins may be given of this process's surroundings.
#[derive(Debug, Clone)]
pub struct ConfiguredPlugins {
    /// The file.
    pub place: Place,
    /// Looks an environment variable up; only granted ones are.
    pub variable: fn(&str) -> Option<String>,
    /// The folder below which plugins keep values.
    pub state_folder: Option<PathBuf>,
    /// Learns what plugins are given that no log line may show.
    pub redactor: Arc<Redactor>,
}

impl Supply for ConfiguredPlugins {
    fn read(&self) -> Result<Supplied, String> {
        let file = ConfigFile::read(Some(self.place.clone())).map_err(|error| error.to_string())?;
        let content = |trouble| FileError::Content { path: self.place.path.clone(), trouble }.to_string();
        let mut wanted = resolve::plugins(&file.written, Some(&self.place)).map_err(content)?;
        for plugin in &mut wanted {
            let names = plugin.grants.environment.iter();
            plugin.variables = names.filter_map(|name| Some((name.clone(), (self.variable)(name)?))).collect();
            plugin.state_folder.clone_from(&self.state_folder);
            secrets::learn(plugin, &self.redactor);
        }
        let lock = Lock::read(&self.place.lock()).map_err(|error| error.to_string())?;
        Ok(Supplied { wanted, lock })
    }

    fn files(&self) -> Vec<PathBuf> {
        let own = [self.place.path.clone(), self.place.lock()];
        // Those that cannot be known now are known again when the configuration changes.
        let wanted = self.read().map(|supplied| supplied.wanted).unwrap_or_default();
        own.into_iter().chain(wanted.into_iter().map(|wanted| wanted.file)).collect()
    }
}
