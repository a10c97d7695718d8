//! The plugins of this process, looked at when they are first needed.

use crate::artifact::mapping_cache::MappingKey;
use crate::artifact::support_cache::{Support, SupportCache, SupportKey};
use crate::artifact::{
    Allowed, Digest, Error, MappingCache, Origin, Plugin, PluginError, Registry, asks, bundled, locate,
};
use crate::contract::supported::Role;
use crate::model::{CallSpec, Cancel, MapOptions, Mapping, PluginRelease, Unsupported};
use crate::sandbox::{Limits, Sandbox};
use crate::text::clean_line;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Every plugin, the sandbox they run in, and the caches of what they made.
///
/// Making one costs nothing: a client's first answer must not wait for components.
#[derive(Debug)]
pub struct Plugins {
    cache: Option<PathBuf>,
    engines: Vec<PathBuf>,
    extensions: Vec<ExtensionSetting>,
    registry: OnceLock<Registry>,
    /// Why extensions that were configured are not there, by name.
    refused: OnceLock<BTreeMap<String, String>>,
    caches: OnceLock<Option<Arc<Caches>>>,
}

/// One extension the operator added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionSetting {
    /// What the operator calls it; its tools are named after it.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What it may reach, and what is set for it.
    pub allowed: Allowed,
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
        Self {
            cache,
            engines,
            extensions: Vec::new(),
            registry: OnceLock::new(),
            refused: OnceLock::new(),
            caches: OnceLock::new(),
        }
    }

    /// These plugins, and extensions from files the operator named; read when first needed.
    #[must_use]
    pub fn and_extensions(self, extensions: Vec<ExtensionSetting>) -> Self {
        Self { extensions, ..self }
    }

    /// The plugins of a registry that was made elsewhere; the bundled ones only if it has them. What they make is kept
    /// in memory only.
    #[must_use]
    pub fn of(registry: Registry) -> Self {
        Self { registry: OnceLock::from(registry), ..Self::with_engines(None, Vec::new()) }
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
            let mut plugins: Vec<_> = bundled.chain(engines).filter_map(usable).collect();
            let mut refused = BTreeMap::new();
            for setting in &self.extensions {
                match self.extension_from(setting, &plugins, &sandbox) {
                    Ok(plugin) => plugins.push(Arc::new(plugin)),
                    // Told with what its tools would have been: the catalog says once what is lacking.
                    Err(error) => drop(refused.entry(setting.name.clone()).or_insert_with(|| told(&error))),
                }
            }
            let _ = self.refused.set(refused);
            Registry::new(plugins, Vec::new())
        })
    }

    fn extension_from(
        &self,
        setting: &ExtensionSetting,
        before: &[Arc<Plugin>],
        sandbox: &Arc<Sandbox>,
    ) -> Result<Plugin, Error> {
        let ExtensionSetting { name, path, allowed } = setting;
        locate::check_name(name)?;
        if before.iter().any(|plugin| plugin.name() == name && matches!(plugin.origin(), Origin::Extension(_))) {
            return Err(Error::Twice { plugin: name.clone() });
        }
        let bytes = locate::read(path)?;
        // A manifest that cannot be read is the next step's to refuse.
        let stated = asks(&bytes).ok().and_then(|asks| asks.release).map(|release| clean_line(&release));
        let release =
            stated.filter(|release| !release.is_empty()).map_or_else(|| digest_release(&bytes), PluginRelease);
        let origin = Origin::Extension(Box::new(allowed.clone()));
        Plugin::load(name, release, origin, Cow::Owned(bytes), sandbox, self.compiled())
    }

    /// The extension of a name.
    ///
    /// # Errors
    /// Why it is not there, in words.
    pub fn extension(&self, name: &str) -> Result<&Arc<Plugin>, String> {
        let mut plugins = self.registry().plugins().iter();
        let found = plugins.find(|plugin| plugin.name() == name && matches!(plugin.origin(), Origin::Extension(_)));
        let refused = || self.refused.get().and_then(|refused| refused.get(name)).cloned();
        found.ok_or_else(|| refused().unwrap_or_else(|| format!("there is no extension `{name}`")))
    }

    /// An extension's tools, or what it listed before with the same bytes, grants and configuration: a start loads none.
    ///
    /// # Errors
    /// Those of [`Plugin::list_tools`].
    pub async fn tools_of(&self, extension: &Plugin, cancel: &Cancel) -> Result<Mapping, PluginError> {
        let Some(caches) = self.caches() else { return extension.list_tools(cancel).await };
        let basis = Digest::of(extension.basis().as_bytes());
        let key = MappingKey { manifest: basis, component: *extension.digest(), options: MapOptions::default() };
        let reader = Arc::clone(&caches);
        if let Ok(Some(known)) = tokio::task::spawn_blocking(move || reader.mappings.get(&key)).await {
            return Ok(known);
        }
        let tools = extension.list_tools(cancel).await?;
        let kept = tools.clone();
        tokio::task::spawn_blocking(move || caches.mappings.put(&key, &kept));
        Ok(tools)
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
    let release = digest_release(&bytes);
    // Its other roles, should it have any, are not listened to: it was named as an engine.
    let origin = Origin::ThirdParty { ecosystems: BTreeSet::new() };
    Plugin::load(&name, release, origin, Cow::Owned(bytes), sandbox, cache)
}

/// The release of a component that states none: its digest's beginning.
fn digest_release(bytes: &[u8]) -> PluginRelease {
    PluginRelease(Digest::of(bytes).to_string().chars().take(12).collect())
}

/// An error with its cause.
fn told(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    text
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
