//! From a unit to its mapped methods: fetch, select a mapper, map.

use crate::artifact::mapping_cache::MappingKey;
use crate::artifact::{Cause, Digest, EngineChoice, PluginError, Plugins, Registry, SelectError};
use crate::catalog::Catalog;
use crate::catalog::mapped::MappedUnit;
use crate::model::{CallScope, MapOptions};
use crate::sandbox;
use crate::source::{self, FileError, ManifestError, Unit};
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
    /// The manifest's file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// No mapper takes it.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// The mapper failed on it.
    #[error(transparent)]
    Plugin(#[from] PluginError),
    /// The extension is not there, or was refused.
    #[error("{0}")]
    Extension(String),
    /// Its functions are for an engine, and none of those there are runs them.
    #[error(
        "its functions need an engine that runs `{format}`, and {}\n\
         hint: give one with --engine FILE, or as a plugin: `abi-mcp plugin add NAME FILE --ecosystem ECOSYSTEM`; the README \
         says how one is built", configured(.engines)
    )]
    NoEngine {
        /// The format of the call-specs.
        format: String,
        /// The engines there are.
        engines: Vec<String>,
    },
}

fn configured(engines: &[String]) -> String {
    if engines.is_empty() { "none is configured".to_owned() } else { format!("{} does not", engines.join(", ")) }
}

impl From<ManifestError> for LoadError {
    fn from(error: ManifestError) -> Self {
        match error {
            ManifestError::Node(error) => Self::Source(error),
            ManifestError::File(error) => Self::File(error),
        }
    }
}

impl LoadError {
    /// Whether the same manifest would fail the same way again. A caller's cancellation and this machine's own trouble
    /// pass, a source may answer next time.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::Source(_) | Self::File(_) | Self::Select(SelectError::Cancelled) => false,
            Self::Select(_) | Self::NoEngine { .. } | Self::Extension(_) => true,
            Self::Plugin(error) => !matches!(
                error.cause,
                Cause::Sandbox(sandbox::Error::Cancelled | sandbox::Error::Host { .. })
                    | Cause::File { .. }
                    | Cause::Changed { .. }
            ),
        }
    }

    /// The source's part, which a decoder may have words for.
    #[must_use]
    pub fn source_error(&self) -> Option<&source::Error> {
        match self {
            Self::Source(error) => Some(error),
            _ => None,
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

/// What is to be mapped, and for whom.
pub(crate) struct Wanted<'a> {
    /// The manifest.
    pub(crate) manifest: Arc<[u8]>,
    /// The ecosystem its source says it is of.
    pub(crate) ecosystem: &'a str,
    /// Whether methods run in contexts; where not, an engine runs them.
    pub(crate) in_contexts: bool,
    /// For the mapper.
    pub(crate) options: MapOptions,
}

/// An extension's tools, which need no mapper: they are listed by the extension itself.
pub(crate) async fn extension(plugins: &Plugins, name: &str, scope: &CallScope) -> Result<MappedUnit, LoadError> {
    let plugin = plugins.extension(name).map_err(LoadError::Extension)?;
    let tools = plugins.tools_of(&plugin, &scope.cancel).await?;
    Ok(MappedUnit::of_extension(plugin, tools))
}

/// Selects the mapper for a manifest among those of `registry` and maps it; for an engine's functions, keeps those the
/// engine runs.
pub(crate) async fn map(
    plugins: &Plugins,
    registry: &Registry,
    wanted: Wanted<'_>,
    scope: &CallScope,
) -> Result<MappedUnit, LoadError> {
    let Wanted { manifest, ecosystem, in_contexts, options } = wanted;
    let digest = Digest::of(&manifest);
    let selected = plugins.select(registry, &manifest, digest, ecosystem, &scope.cancel).await?;
    let key = MappingKey { manifest: digest, component: *selected.plugin.digest(), options };
    let mapping = plugins.map(&selected.plugin, manifest, key, &scope.cancel).await?;
    if in_contexts {
        return Ok(MappedUnit::in_contexts(selected, mapping));
    }
    match plugins.engine_for(registry, ecosystem, key, &mapping, &scope.cancel).await? {
        EngineChoice::Runs { engine, unsupported } => Ok(MappedUnit::on_engine(selected, mapping, engine, unsupported)),
        EngineChoice::None { format, engines } => Err(LoadError::NoEngine { format, engines }),
    }
}
