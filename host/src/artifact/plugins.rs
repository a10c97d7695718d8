//! The plugins of this process, looked at when they are first needed.

use crate::artifact::mapping_cache::MappingKey;
use crate::artifact::{Digest, MappingCache, Origin, Plugin, PluginError, Registry, bundled};
use crate::model::{Cancel, MapOptions, Mapping, PluginRelease};
use crate::sandbox::{Limits, Sandbox};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Every plugin, the sandbox they run in, and the caches of what they made.
///
/// Making one costs nothing: a client's first answer must not wait for components.
#[derive(Debug)]
pub struct Plugins {
    cache: Option<PathBuf>,
    registry: OnceLock<Registry>,
    mappings: OnceLock<Option<Arc<MappingCache>>>,
}

impl Plugins {
    /// The bundled plugins. `cache` is a folder of this program's own; without one everything is made anew.
    #[must_use]
    pub fn bundled(cache: Option<PathBuf>) -> Self {
        Self { cache, registry: OnceLock::new(), mappings: OnceLock::new() }
    }

    /// The plugins of a registry that was made elsewhere; the bundled ones only if it has them. What they make is kept
    /// in memory only.
    #[must_use]
    pub fn of(registry: Registry) -> Self {
        Self { cache: None, registry: OnceLock::from(registry), mappings: OnceLock::new() }
    }

    /// The plugins, inspected on first use. One that is none is left out and reported.
    pub fn registry(&self) -> &Registry {
        self.registry.get_or_init(|| {
            let sandbox = Sandbox::new(Limits::default());
            let load = |(name, release, bytes): &(&'static str, &'static str, &'static [u8])| {
                let release = PluginRelease((*release).to_owned());
                let cache = self.cache.as_ref().map(|cache| cache.join("compiled"));
                let loaded = Plugin::load(name, release, Origin::Bundled, Cow::Borrowed(*bytes), &sandbox, cache);
                loaded.inspect_err(|error| tracing::error!(code = error.code(), "{error}")).ok().map(Arc::new)
            };
            Registry::new(bundled().iter().filter_map(load).collect(), Vec::new())
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
        let Some(cache) = self.mappings() else { return plugin.map(manifest, options, cancel).await };
        let key = MappingKey { manifest: Digest::of(&manifest), component: *plugin.digest(), options };
        let reader = Arc::clone(&cache);
        // A task that panicked counts as a miss; there is nothing to clean up after it.
        if let Ok(Some(known)) = tokio::task::spawn_blocking(move || reader.get(&key)).await {
            return Ok(known);
        }
        let mapping = plugin.map(manifest, options, cancel).await?;
        let kept = mapping.clone();
        tokio::task::spawn_blocking(move || cache.put(&key, &kept));
        Ok(mapping)
    }

    fn mappings(&self) -> Option<Arc<MappingCache>> {
        let open = || {
            let folder = self.cache.as_ref()?.join("mappings");
            let opened = MappingCache::open(&folder);
            opened.inspect_err(|error| tracing::warn!("mappings are not kept: {error}")).ok().map(Arc::new)
        };
        self.mappings.get_or_init(open).clone()
    }
}
