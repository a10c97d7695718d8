//! From a unit to its mapped methods: fetch, select a mapper, map.

use crate::artifact::{Cause, PluginError, Plugins, SelectError};
use crate::catalog::Catalog;
use crate::catalog::mapped::MappedUnit;
use crate::model::{CallScope, MapOptions};
use crate::sandbox;
use crate::source::{self, Unit};
use futures_util::{Stream, StreamExt, stream};
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
    /// Whether the same manifest would fail the same way again. A caller's cancellation and this machine's own trouble
    /// pass, a source may answer next time.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::Source(_) | Self::Select(SelectError::Cancelled) => false,
            Self::Select(_) => true,
            Self::Plugin(error) => {
                !matches!(error.cause, Cause::Sandbox(sandbox::Error::Cancelled | sandbox::Error::Host { .. }))
            }
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

/// Loads every unit, at most [`AT_ONCE`] at a time; each comes with its place among the units as soon as it is there.
/// One failure touches no other unit.
pub(crate) fn each<'a>(
    catalog: &'a Catalog,
    units: Vec<Unit>,
    scope: &'a CallScope,
) -> impl Stream<Item = (usize, Unit, Result<Arc<MappedUnit>, Arc<LoadError>>)> + 'a {
    let load = move |(at, unit): (usize, Unit)| async move {
        let loaded = catalog.load(&unit, scope).await;
        (at, unit, loaded)
    };
    stream::iter(units.into_iter().enumerate()).map(load).buffer_unordered(AT_ONCE)
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
