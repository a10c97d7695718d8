//! The operator's plugins as the configuration, the plugin folder and the lock say them, read again on demand.

use crate::artifact::{Lock, Supplied, Supply};
use crate::config::dropped::{self, Odd};
use crate::config::file::{ConfigFile, FileError, Place};
use crate::config::{resolve, secrets};
use crate::redact::Redactor;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// One configuration file, its plugin folder and its lock, and what plugins may be given of this process's surroundings.
#[derive(Debug)]
pub struct ConfiguredPlugins {
    place: Place,
    variable: fn(&str) -> Option<String>,
    state_folder: Option<PathBuf>,
    /// Learns what plugins are given that no log line may show.
    redactor: Arc<Redactor>,
    /// What in the folder is not run and was told, so that it is told once.
    told: Mutex<BTreeSet<Odd>>,
}

impl ConfiguredPlugins {
    /// The plugins of a place. `variable` looks an environment variable up, and is asked for granted ones only;
    /// `state_folder` is the folder below which plugins keep values; `redactor` learns the secrets they are given.
    #[must_use]
    pub fn new(
        place: Place,
        variable: fn(&str) -> Option<String>,
        state_folder: Option<PathBuf>,
        redactor: Arc<Redactor>,
    ) -> Self {
        Self { place, variable, state_folder, redactor, told: Mutex::default() }
    }

    /// What the operator wants, and what of the plugin folder is nothing that could be wanted. Blocks on the disk.
    ///
    /// # Errors
    /// Why the configuration or the lock cannot be used, in words.
    pub fn look(&self) -> Result<(Supplied, Vec<Odd>), String> {
        let file = ConfigFile::read(Some(self.place.clone())).map_err(|error| error.to_string())?;
        let content = |trouble| FileError::Content { path: self.place.path.clone(), trouble }.to_string();
        let mut wanted = resolve::plugins(&file.written, Some(&self.place)).map_err(content)?;
        for plugin in &mut wanted {
            let names = plugin.grants.environment.iter();
            plugin.variables = names.filter_map(|name| Some((name.clone(), (self.variable)(name)?))).collect();
            plugin.state_folder.clone_from(&self.state_folder);
            secrets::learn(plugin, &self.redactor);
        }
        let folder = resolve::plugin_folder(&file.written, Some(&self.place));
        let odd = folder.map(|folder| dropped::add(&mut wanted, &folder)).unwrap_or_default();
        let lock = Lock::read(&self.place.lock()).map_err(|error| error.to_string())?;
        Ok((Supplied { wanted, lock }, odd))
    }

    fn tell(&self, odd: Vec<Odd>) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let now: BTreeSet<Odd> = odd.into_iter().collect();
        for odd in now.difference(&told) {
            tracing::warn!("{odd}");
        }
        // What went and comes again is told again.
        *told = now;
    }
}

impl Supply for ConfiguredPlugins {
    fn read(&self) -> Result<Supplied, String> {
        let (supplied, odd) = self.look()?;
        self.tell(odd);
        Ok(supplied)
    }

    fn files(&self) -> Vec<PathBuf> {
        let own = [self.place.path.clone(), self.place.lock()];
        // Those that cannot be known now are known again when the configuration changes.
        let Ok(file) = ConfigFile::read(Some(self.place.clone())) else { return own.into() };
        let mut wanted = resolve::plugins(&file.written, Some(&self.place)).unwrap_or_default();
        // A folder changes itself whenever a file in it comes or goes.
        let folder = resolve::plugin_folder(&file.written, Some(&self.place));
        if let Some(folder) = &folder {
            dropped::add(&mut wanted, folder);
        }
        own.into_iter().chain(folder).chain(wanted.into_iter().map(|wanted| wanted.file)).collect()
    }
}
