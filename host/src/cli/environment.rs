//! The one place that reads the environment.

use crate::config::{Error, Settings};
use crate::trace;
use std::sync::Arc;

/// The settings the environment holds.
///
/// # Errors
/// A variable that cannot be used, by name.
pub(crate) fn settings() -> Result<Settings, Error> {
    Settings::from_variables(|name| std::env::var(name).ok(), std::env::home_dir())
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
