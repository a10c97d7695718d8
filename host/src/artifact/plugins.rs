//! The plugins of this process, looked at when they are first needed.

use crate::artifact::mapping_cache::MappingKey;
use crate::artifact::support_cache::{Support, SupportCache, SupportKey};
use crate::artifact::{Digest, Error, MappingCache, Origin, Plugin, PluginError, Registry, bundled, locate};
use crate::contract::supported::Role;
use crate::model::{CallSpec, Cancel, MapOptions, Mapping, PluginRelease, Unsupported};
use crate::sandbox::{Limits, Sandbox};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Every plugin, the sandbox they run in, and the caches of what they made.
///
/// Making one costs nothing: a client's first answer must not wait for components.
#[derive(Debug)]
pub struct Plugins {
    cache: Option<PathBuf>,
    engines: Vec<PathBuf>,
    registry: OnceLock<Registry>,
    caches: OnceLock<Option<Arc<Caches>>>,
}

/// What earlier processes found out.
#[derive(Debug)]
struct Caches {
    mappings: MappingCache,
    support: SupportCache,
}

/// Which engine runs the functions of a mapping.
#[derive(Debug, Clone)]
pub enum EngineChoice {
    /// This one, all but some.
    Runs {
        /// The engine.
        engine: Arc<Plugin>,
        /// What it cannot run, by position among the mapping's methods.
        unsupported: Vec<Unsupported>,
    },
    /// None of those there are.
    None {
        /// The format of the call-specs.
        format: String,
        /// The engines there are.
        engines: Vec<String>,
    },
}

impl Plugins {
    /// The bundled plugins. `cache` is a folder of this program's own; without one everything is made anew.
    #[must_use]
    pub fn bundled(cache: Option<PathBuf>) -> Self {
        Self::with_engines(cache, Vec::new())
    }

    /// The bundled plugins, and engines from files the operator named; the files are read when first needed.
    #[must_use]
    pub fn with_engines(cache: Option<PathBuf>, engines: Vec<PathBuf>) -> Self {
        Self { cache, engines, registry: OnceLock::new(), caches: OnceLock::new() }
    }

    /// The plugins of a registry that was made elsewhere; the bundled ones only if it has them. What they make is kept
    /// in memory only.
    #[must_use]
    pub fn of(registry: Registry) -> Self {
        Self { cache: None, engines: Vec::new(), registry: OnceLock::from(registry), caches: OnceLock::new() }
    }

    /// The plugins, inspected on first use. One that is none is left out and reported.
    pub fn registry(&self) -> &Registry {
        self.registry.get_or_init(|| {
            let sandbox = Sandbox::new(Limits::default());
            let load = |(name, release, bytes): &(&'static str, &'static str, &'static [u8])| {
                let release = PluginRelease((*release).to_owned());
                Plugin::load(name, release, Origin::Bundled, Cow::Borrowed(*bytes), &sandbox, self.compiled())
            };
            let bundled = bundled().iter().map(load);
            let engines = self.engines.iter().map(|path| engine(path, &sandbox, self.compiled()));
            let usable = |loaded: Result<Plugin, Error>| {
                loaded.inspect_err(|error| tracing::error!(code = error.code(), "{error}")).ok().map(Arc::new)
            };
            Registry::new(bundled.chain(engines).filter_map(usable).collect(), Vec::new())
        })
    }

    /// Maps a manifest with `plugin`, or takes what it made of the same bytes before.
    ///
    /// # Errors
    /// Those of [`Plugin::map`].
    pub async fn map(
        &self,
        plugin: &Plugin,
        manifest: Arc<[u8]>,
        options: MapOptions,
        cancel: &Cancel,
    ) -> Result<Mapping, PluginError> {
        let Some(caches) = self.caches() else { return plugin.map(manifest, options, cancel).await };
        let key = MappingKey { manifest: Digest::of(&manifest), component: *plugin.digest(), options };
        let reader = Arc::clone(&caches);
        // A task that panicked counts as a miss; there is nothing to clean up after it.
        if let Ok(Some(known)) = tokio::task::spawn_blocking(move || reader.mappings.get(&key)).await {
            return Ok(known);
        }
        let mapping = plugin.map(manifest, options, cancel).await?;
        let kept = mapping.clone();
        tokio::task::spawn_blocking(move || caches.mappings.put(&key, &kept));
        Ok(mapping)
    }

    /// The first engine that reads a mapping's call-specs, with what it cannot run. Asks an engine only where no earlier
    /// process did, so that listing its tools does not load it.
    ///
    /// # Errors
    /// An engine that failed while it was asked.
    pub async fn engine_for(
        &self,
        mapper: &Plugin,
        manifest: &Arc<[u8]>,
        options: MapOptions,
        mapping: &Mapping,
        cancel: &Cancel,
    ) -> Result<EngineChoice, PluginError> {
        let (at, specs): (Vec<usize>, Vec<CallSpec>) =
            mapping.methods.iter().enumerate().filter_map(|(at, method)| Some((at, method.call_spec.clone()?))).unzip();
        let key = MappingKey { manifest: Digest::of(manifest), component: *mapper.digest(), options };
        let mut engines = Vec::new();
        for engine in self.registry().plugins().iter().filter(|plugin| plugin.has(Role::Engine)) {
            if let Some(lacking) = self.support(engine, key, &specs, cancel).await? {
                let unsupported = among_methods(&at, lacking, mapping.methods.len());
                return Ok(EngineChoice::Runs { engine: Arc::clone(engine), unsupported });
            }
            engines.push(engine.name().to_owned());
        }
        let format = specs.first().map_or_else(|| "nothing".to_owned(), |spec| spec.format.clone());
        Ok(EngineChoice::None { format, engines })
    }

    async fn support(
        &self,
        engine: &Plugin,
        mapping: MappingKey,
        specs: &[CallSpec],
        cancel: &Cancel,
    ) -> Result<Support, PluginError> {
        let key = SupportKey { mapping, engine: *engine.digest() };
        let Some(caches) = self.caches() else { return engine.supported(specs.to_vec(), cancel).await };
        let reader = Arc::clone(&caches);
        if let Ok(Some(known)) = tokio::task::spawn_blocking(move || reader.support.get(&key)).await {
            return Ok(known);
        }
        let support = engine.supported(specs.to_vec(), cancel).await?;
        let kept = support.clone();
        tokio::task::spawn_blocking(move || caches.support.put(&key, &kept));
        Ok(support)
    }

    fn compiled(&self) -> Option<PathBuf> {
        self.cache.as_ref().map(|cache| cache.join("compiled"))
    }

    fn caches(&self) -> Option<Arc<Caches>> {
        let open = || {
            let folder = self.cache.as_ref()?.join("mappings");
            let opened = MappingCache::open(&folder)
                .and_then(|mappings| Ok(Caches { mappings, support: SupportCache::open(&folder)? }));
            opened.inspect_err(|error| tracing::warn!("mappings are not kept: {error}")).ok().map(Arc::new)
        };
        self.caches.get_or_init(open).clone()
    }
}

/// An engine from a file; named by the file, its release is its digest's beginning.
fn engine(path: &Path, sandbox: &Arc<Sandbox>, cache: Option<PathBuf>) -> Result<Plugin, Error> {
    let bytes = locate::read(path)?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let release = Digest::of(&bytes).to_string().chars().take(12).collect();
    // Its other roles, should it have any, are not listened to: it was named as an engine.
    let origin = Origin::ThirdParty { ecosystems: BTreeSet::new() };
    Plugin::load(&name, PluginRelease(release), origin, Cow::Owned(bytes), sandbox, cache)
}

/// From positions among call-specs to positions among methods, of which those without a call-spec are not run either.
fn among_methods(at: &[usize], lacking: Vec<Unsupported>, methods: usize) -> Vec<Unsupported> {
    let without = (0..methods)
        .filter(|method| at.binary_search(method).is_err())
        .map(|index| Unsupported { index, reason: "its mapper says no way to call it".to_owned() });
    let lacking = lacking
        .into_iter()
        .filter_map(|Unsupported { index, reason }| Some(Unsupported { index: *at.get(index)?, reason }));
    lacking.chain(without).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_among_call_specs_become_positions_among_methods() {
        let lacking = vec![Unsupported { index: 1, reason: "old".to_owned() }];
        let all = among_methods(&[0, 2, 3], lacking, 4);
        let at: Vec<usize> = all.iter().map(|unsupported| unsupported.index).collect();
        assert_eq!(at, [2, 1]);
    }
}
