//! The one place that reads the environment.

use crate::config::{ConfigFile, Error, Place, Settings};
use crate::trace;
use std::path::PathBuf;
use std::sync::Arc;

/// The settings of the configuration file and the environment. `config` is the file named on the command line, which has
/// to be there unless it `may_be_new`.
///
/// # Errors
/// A variable that cannot be used, by name, or the file, by line and column.
pub(crate) fn settings(config: Option<PathBuf>, may_be_new: bool) -> Result<Settings, Error> {
    let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = std::env::home_dir();
    let config_home = path("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    // Whole from here on: the lock holds paths that start at its folder, and means the same wherever it is read.
    let named = config.or_else(|| path("ABI_MCP_CONFIG")).map(|path| std::path::absolute(&path).unwrap_or(path));
    let mut place = Place::choose(named, config_home.as_deref());
    if let Some(place) = place.as_mut().filter(|_| may_be_new) {
        place.named = false;
    }
    Settings::resolve(ConfigFile::read(place)?, |name| std::env::var(name).ok(), home)
}

/// The file this program runs from, to start another process of it. By descriptor where the system has that, so that it is
/// the same build even when the file was replaced by an update.
pub(crate) fn own_program() -> Option<PathBuf> {
    let by_descriptor = PathBuf::from("/proc/self/exe");
    if by_descriptor.exists() { Some(by_descriptor) } else { std::env::current_exe().ok() }
}

/// One variable, for a plugin that was granted it.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Whether golden answers are to be written and not compared: `BLESS=1`.
pub(crate) fn blesses() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

/// Starts the log on stderr, filtered by `RUST_LOG`.
///
/// # Errors
/// A filter that cannot be read.
pub(crate) fn start_log(settings: &Settings) -> Result<(), trace::Error> {
    let options = trace::Options { filter: std::env::var("RUST_LOG").ok() };
    trace::init(&options, Arc::clone(&settings.node.redactor))?;
    for warning in &settings.warnings {
        tracing::warn!("{warning}");
    }
    Ok(())
}
