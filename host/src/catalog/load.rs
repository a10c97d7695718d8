//! From a unit to its mapped methods: fetch, select a mapper, map.

use crate::artifact::{PluginError, Plugins, SelectError};
use crate::catalog::Catalog;
use crate::catalog::mapped::MappedUnit;
use crate::model::{CallScope, MapOptions};
use crate::source::{self, Unit};
use futures_util::{StreamExt, stream};
use std::sync::Arc;

/// Manifests fetched and mapped at once: enough to hide the node's latency, few enough to leave workers to calls.
const AT_ONCE: usize = 8;

/// Why a unit has no methods to serve.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The manifest could not be had.
    #[error(transparent)]
    Source(#[from] source::Error),
    /// No mapper takes it.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// The mapper failed on it.
    #[error(transparent)]
    Plugin(#[from] PluginError),
}

impl LoadError {
    /// Whether the same manifest would fail again.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::Source(_) | Self::Select(SelectError::Cancelled) => false,
            Self::Select(_) => true,
            Self::Plugin(error) => !error.is_cancelled(),
        }
    }

    /// The source's part, which a decoder may have words for.
    #[must_use]
    pub fn source_error(&self) -> Option<&source::Error> {
        match self {
            Self::Source(error) => Some(error),
            Self::Select(_) | Self::Plugin(_) => None,
        }
    }
}

/// Loads every unit, at most [`AT_ONCE`] at a time; answers in the units' order. One failure touches no other unit.
pub(crate) async fn all(
    catalog: &Catalog,
    units: &[Unit],
    scope: &CallScope,
) -> Vec<Result<Arc<MappedUnit>, Arc<LoadError>>> {
    catalog.forget_all_but(units);
    let load = |unit: Unit| async move { catalog.load(&unit, scope).await };
    stream::iter(units.to_vec()).map(load).buffered(AT_ONCE).collect().await
}

/// Selects the mapper for a manifest and maps it.
pub(crate) async fn map(
    plugins: &Plugins,
    manifest: Arc<[u8]>,
    options: MapOptions,
    scope: &CallScope,
) -> Result<MappedUnit, LoadError> {
    let registry = plugins.registry();
    let selected = registry.select(&manifest, &scope.cancel).await?;
    let mapping = plugins.map(&selected.plugin, manifest, options, &scope.cancel).await?;
    Ok(MappedUnit::new(selected.plugin, selected.recognition, selected.why, mapping))
}
