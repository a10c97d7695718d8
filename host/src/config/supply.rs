//! The operator's plugins as the configuration and the lock beside it say them, read again on demand.

use crate::artifact::{Lock, Supplied, Supply};
use crate::config::file::{ConfigFile, FileError, Place};
use crate::config::resolve;
use std::path::PathBuf;

/// One configuration file and its lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredPlugins(pub Place);

impl Supply for ConfiguredPlugins {
    fn read(&self) -> Result<Supplied, String> {
        let file = ConfigFile::read(Some(self.0.clone())).map_err(|error| error.to_string())?;
        let content = |trouble| FileError::Content { path: self.0.path.clone(), trouble }.to_string();
        let wanted = resolve::plugins(&file.written, Some(&self.0)).map_err(content)?;
        let lock = Lock::read(&self.0.lock()).map_err(|error| error.to_string())?;
        Ok(Supplied { wanted, lock })
    }

    fn files(&self) -> Vec<PathBuf> {
        let own = [self.0.path.clone(), self.0.lock()];
        // Those that cannot be known now are known again when the configuration changes.
        let wanted = self.read().map(|supplied| supplied.wanted).unwrap_or_default();
        own.into_iter().chain(wanted.into_iter().map(|wanted| wanted.file)).collect()
    }
}
