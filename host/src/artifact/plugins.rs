//! The plugins of this process, looked at when they are first needed, and put in place as a whole when they change.

use crate::artifact::admit::{self, Refusal, Why};
use crate::artifact::lock::{Lock, LockedTool};
use crate::artifact::mapping_cache::MappingKey;
use crate::artifact::supply::{Stamps, Supplied, Supply};
use crate::artifact::support_cache::{Support, SupportCache, SupportKey};
use crate::artifact::{
    Allowed, Digest, Error, MappingCache, Origin, Pin, Plugin, PluginError, Registry, asks, bundled, definition, locate,
};
use crate::model::{CallSpec, Cancel, MapOptions, Mapping, PluginRelease, Unsupported};
use crate::sandbox::{Limits, Sandbox};
use crate::text::clean_line;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Every plugin, the sandbox they run in, and the caches of what they made.
///
/// Making one costs nothing: a client's first answer must not wait for components.
#[derive(Debug)]
pub struct Plugins {
    sandbox: Arc<Sandbox>,
    cache: Option<PathBuf>,
    engines: Vec<PathBuf>,
    extensions: Vec<ExtensionSetting>,
    supply: Option<Arc<dyn Supply>>,
    /// What is run now; absent until something asks.
    shelf: Mutex<Option<Shelf>>,
    caches: OnceLock<Option<Arc<Caches>>>,
}

/// What is run now, and what is not and why.
#[derive(Debug, Clone, Default)]
struct Shelf {
    registry: Arc<Registry>,
    refused: Vec<Refusal>,
    /// Why extensions that were named on the command line are not there, by name.
    lacking: BTreeMap<String, String>,
    /// The tools of configured extensions as they were accepted.
    tools: AcceptedTools,
    /// Why the operator's word could not be read when it was last looked at.
    unreadable: Option<String>,
    /// The files as they were when they were last looked into; absent before that.
    stamps: Option<Stamps>,
    /// Whether a candidate could not be tried when it was there, so that it has to be when nothing changes, too.
    again: bool,
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

/// What has changed since the plugins were put in place: everything that needs no trial is in `registry` already, the
/// rest waits in `proposals`.
#[derive(Debug)]
pub struct Renewal {
    /// What runs without the proposals.
    pub registry: Registry,
    /// New plugins, and new ones in the place of old ones; not tried yet.
    pub proposals: Vec<Proposal>,
    /// The ecosystems of plugins that are gone.
    pub gone: BTreeSet<String>,
    /// What is not run, and why.
    pub refused: Vec<Refusal>,
}

/// A plugin that would be put in place.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The plugin.
    pub plugin: Arc<Plugin>,
    /// What it is pinned to.
    pub pins: Vec<Pin>,
}

impl Plugins {
    /// The bundled plugins. `cache` is a folder of this program's own; without one everything is made anew.
    #[must_use]
    pub fn bundled(cache: Option<PathBuf>) -> Self {
        Self::supplied(cache, Limits::default(), Vec::new(), None)
    }

    /// The bundled plugins, engines from files the operator named, and what the operator configured; everything is looked
    /// at when first needed.
    #[must_use]
    pub fn supplied(
        cache: Option<PathBuf>,
        limits: Limits,
        engines: Vec<PathBuf>,
        supply: Option<Arc<dyn Supply>>,
    ) -> Self {
        let sandbox = Sandbox::new(limits);
        let extensions = Vec::new();
        Self { sandbox, cache, engines, extensions, supply, shelf: Mutex::default(), caches: OnceLock::new() }
    }

    /// These plugins, compiled in processes of `program` ([`Sandbox::compiling_with`]).
    #[must_use]
    pub fn compiling_with(self, program: Option<PathBuf>) -> Self {
        Self { sandbox: Sandbox::compiling_with(*self.sandbox.limits(), program), ..self }
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
        let shelf = Shelf { registry: Arc::new(registry), ..Shelf::default() };
        Self { shelf: Mutex::new(Some(shelf)), ..Self::bundled(None) }
    }

    /// The plugins of now. One that is none is left out and reported. A caller that needs the same ones throughout keeps
    /// what it got.
    pub fn registry(&self) -> Arc<Registry> {
        self.with_shelf(|shelf| Arc::clone(&shelf.registry))
    }

    /// What is configured and not run, and why.
    pub fn refused(&self) -> Vec<Refusal> {
        self.with_shelf(|shelf| shelf.refused.clone())
    }

    /// Whether files are watched at all.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.supply.is_some()
    }

    /// Whether a file has changed since all were last looked into. Asks the system about each, reads none.
    pub fn has_changed(&self) -> bool {
        // Asked outside the lock: a file system can take its time to answer.
        self.is_watched() && self.with_shelf(|shelf| shelf.stamps.clone()).is_none_or(|stamps| !stamps.hold())
    }

    /// What has changed since the plugins were put in place; `None` when nothing has. Reads the files that are named now
    /// and holds each plugin's bytes to the lock: blocks on the disk.
    ///
    /// A plugin that is refused stays in place as it was accepted if it already runs; one whose acceptance was taken back
    /// or that is no longer configured goes.
    pub fn renewal(&self) -> Option<Renewal> {
        let supply = self.supply.as_ref()?;
        if !self.has_changed() && !self.with_shelf(|shelf| std::mem::take(&mut shelf.again)) {
            return None;
        }
        let before = self.registry();
        // Before anything is read, so that what changes meanwhile is looked at again.
        let stamps = Stamps::of(supply.files());
        let supplied = match supply.read() {
            Ok(supplied) => supplied,
            Err(problem) => {
                self.with_shelf(|shelf| {
                    if shelf.unreadable.as_ref() != Some(&problem) {
                        tracing::error!("plugins stay as they are: {problem}");
                    }
                    shelf.unreadable = Some(problem);
                    shelf.stamps = Some(stamps);
                });
                return None;
            }
        };
        self.with_shelf(|shelf| {
            shelf.unreadable = None;
            shelf.stamps = Some(stamps);
            shelf.tools = locked_tools(&supplied.lock);
        });
        Some(self.renewed(&before, &supplied))
    }

    fn renewed(&self, before: &Registry, supplied: &Supplied) -> Renewal {
        let memory = self.sandbox.limits().largest_memory();
        let mut kept: Vec<(Arc<Plugin>, Vec<Pin>)> = Vec::new();
        let (mut proposals, mut refused) = (Vec::new(), Vec::new());
        for wanted in &supplied.wanted {
            let running = before.third_party(&wanted.name);
            let admitted = admit::admit(wanted, &supplied.lock, &self.sandbox, self.compiled())
                .and_then(|plugin| admit::verify(wanted, &supplied.lock, memory).map(|()| plugin));
            match (admitted, running) {
                (Ok(plugin), Some(old)) if plugin.is_as(&old) && before.pins_of(&wanted.name) == wanted.pins => {
                    kept.push((old, wanted.pins.clone()));
                }
                (Ok(plugin), old) => {
                    proposals.push(Proposal { plugin: Arc::new(plugin), pins: wanted.pins.clone() });
                    kept.extend(old.map(|old| (old, before.pins_of(&wanted.name))));
                }
                (Err(refusal), old) => {
                    let stays = old.filter(|old| refusal.why != Why::NotAccepted && old.is_held());
                    kept.extend(stays.map(|old| (old, before.pins_of(&wanted.name))));
                    refused.push(refusal);
                }
            }
        }
        let named: BTreeSet<&str> = kept.iter().map(|(plugin, _)| plugin.name()).collect();
        let leaving =
            before.plugins().iter().filter(|plugin| self.is_configured(plugin) && !named.contains(plugin.name()));
        let gone = leaving.flat_map(|plugin| before.ecosystems_of(plugin).map(str::to_owned)).collect();
        let own = before.plugins().iter().filter(|plugin| !self.is_configured(plugin)).cloned();
        let plugins = own.chain(kept.iter().map(|(plugin, _)| Arc::clone(plugin))).collect();
        let registry = Registry::new(plugins, kept.into_iter().flat_map(|(_, pins)| pins).collect());
        Renewal { registry, proposals, gone, refused }
    }

    /// Puts plugins in place of those there are: new calls get these, calls under way keep what they have. What is refused
    /// is told if it was not told before.
    pub fn install(&self, registry: Registry, refused: Vec<Refusal>) {
        self.with_shelf(|shelf| {
            tell_new(&shelf.refused, &refused);
            shelf.registry = Arc::new(registry);
            shelf.refused = refused;
        });
    }

    /// Has the next [`Plugins::renewal`] look again although no file changes.
    pub fn try_again(&self) {
        self.with_shelf(|shelf| shelf.again = true);
    }

    /// Whether a plugin comes from the configuration, and so with its changes.
    fn is_configured(&self, plugin: &Plugin) -> bool {
        match plugin.origin() {
            Origin::ThirdParty { .. } => true,
            Origin::Extension(_) => !self.extensions.iter().any(|setting| setting.name == plugin.name()),
            Origin::Bundled | Origin::Named => false,
        }
    }

    fn with_shelf<T>(&self, job: impl FnOnce(&mut Shelf) -> T) -> T {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        job(shelf.get_or_insert_with(|| self.first()))
    }

    /// What runs at first: nothing of the configured plugins' files is read.
    fn first(&self) -> Shelf {
        let load = |(name, release, bytes): &(&'static str, &'static str, &'static [u8])| {
            let release = PluginRelease((*release).to_owned());
            Plugin::load(name, release, Origin::Bundled, Cow::Borrowed(*bytes), &self.sandbox, self.compiled())
        };
        let bundled = bundled().iter().map(load);
        let engines = self.engines.iter().map(|path| engine(path, &self.sandbox, self.compiled()));
        let usable = |loaded: Result<Plugin, Error>| {
            loaded.inspect_err(|error| tracing::error!(code = error.code(), "{error}")).ok().map(Arc::new)
        };
        let mut plugins: Vec<Arc<Plugin>> = bundled.chain(engines).filter_map(usable).collect();
        let mut lacking = BTreeMap::new();
        for setting in &self.extensions {
            match self.extension_from(setting, &plugins) {
                Ok(plugin) => plugins.push(Arc::new(plugin)),
                // Told with what its tools would have been: the catalog says once what is lacking.
                Err(error) => drop(lacking.entry(setting.name.clone()).or_insert_with(|| told(&error))),
            }
        }
        let (mut pins, mut refused) = (Vec::new(), Vec::new());
        let supplied = self.supply.as_ref().map(|supply| supply.read()).transpose();
        let unreadable = supplied.as_ref().err().cloned();
        if let Some(problem) = &unreadable {
            tracing::error!("no configured plugin is run: {problem}");
        }
        let Supplied { wanted, lock } = supplied.ok().flatten().unwrap_or_default();
        for name in lock.names().filter(|name| !wanted.iter().any(|wanted| wanted.name == *name)) {
            tracing::warn!("the lock has `{name}`, and no plugin of the configuration is called that");
        }
        for wanted in wanted {
            match admit::admit(&wanted, &lock, &self.sandbox, self.compiled()) {
                Ok(plugin) => {
                    plugins.push(Arc::new(plugin));
                    pins.extend(wanted.pins);
                }
                Err(refusal) => refused.push(refusal),
            }
        }
        tell_new(&[], &refused);
        let registry = Arc::new(Registry::new(plugins, pins));
        Shelf { registry, refused, lacking, tools: locked_tools(&lock), unreadable, ..Shelf::default() }
    }

    fn extension_from(&self, setting: &ExtensionSetting, before: &[Arc<Plugin>]) -> Result<Plugin, Error> {
        let ExtensionSetting { name, path, allowed } = setting;
        locate::check_name(name)?;
        if before.iter().any(|plugin| plugin.name() == name && matches!(plugin.origin(), Origin::Extension(_))) {
            return Err(Error::Twice { plugin: name.clone() });
        }
        let bytes = locate::read(path)?;
        // A manifest that cannot be read is the next step's to refuse.
        let stated = asks(&bytes).ok().and_then(|asks| asks.release).map(|release| clean_line(&release));
        let release = stated
            .filter(|release| !release.is_empty())
            .map_or_else(|| admit::release_of(&Digest::of(&bytes)), PluginRelease);
        let origin = Origin::Extension(Box::new(allowed.clone()));
        Plugin::load(name, release, origin, Cow::Owned(bytes), &self.sandbox, self.compiled())
    }

    /// The extension of a name.
    ///
    /// # Errors
    /// Why it is not there, in words.
    pub fn extension(&self, name: &str) -> Result<Arc<Plugin>, String> {
        self.with_shelf(|shelf| {
            let mut plugins = shelf.registry.plugins().iter();
            let found = plugins.find(|plugin| plugin.name() == name && is_extension(plugin)).cloned();
            let refused = shelf.lacking.get(name).cloned();
            let refused = refused
                .or_else(|| shelf.refused.iter().find(|refusal| refusal.plugin == name).map(ToString::to_string));
            found.ok_or_else(|| refused.unwrap_or_else(|| format!("there is no extension `{name}`")))
        })
    }

    /// The extensions there are, and those of the command line that should be.
    pub fn extension_names(&self) -> Vec<String> {
        let running = self.registry();
        let running = running.plugins().iter().filter(|plugin| is_extension(plugin)).map(|plugin| plugin.name());
        let named = self.extensions.iter().map(|setting| setting.name.as_str());
        let names: BTreeSet<&str> = running.chain(named).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    /// An extension's tools, or what it listed before with the same bytes, grants and configuration: a start loads none.
    ///
    /// # Errors
    /// Those of [`Plugin::list_tools`].
    pub async fn tools_of(&self, extension: &Plugin, cancel: &Cancel) -> Result<Mapping, PluginError> {
        if let Some(accepted) = self.accepted_tools(extension) {
            return Ok(accepted);
        }
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

    /// Holds the tools an extension lists to those that were accepted.
    ///
    /// # Errors
    /// It fails, or lists others; in words.
    pub async fn try_tools(&self, extension: &Plugin, cancel: &Cancel) -> Result<(), String> {
        let listed = extension.list_tools(cancel).await.map_err(|error| error.to_string())?;
        let accepted = self.with_shelf(|shelf| shelf.tools.get(&accepted_as(extension)).cloned()).unwrap_or_default();
        let listed = definition::definitions(&listed);
        let same = listed.len() == accepted.len()
            && listed
                .iter()
                .zip(&accepted)
                .all(|((name, definition), tool)| *name == tool.name && *definition == tool.definition);
        if same { Ok(()) } else { Err("it lists other tools than were accepted".to_owned()) }
    }

    /// A configured extension's tools as they were accepted, so that a start asks it nothing.
    fn accepted_tools(&self, extension: &Plugin) -> Option<Mapping> {
        let locked = self.with_shelf(|shelf| shelf.tools.get(&accepted_as(extension)).cloned())?;
        let name = extension.name();
        let definitions: Vec<_> = locked.into_iter().map(|tool| (tool.name, tool.definition)).collect();
        let read = definition::tools(&definitions);
        read.inspect_err(|error| tracing::warn!("the accepted tools of `{name}` cannot be read: {error}")).ok()
    }

    /// Maps a manifest with `plugin`, or takes what it made of the same bytes before: `key` is of both.
    ///
    /// # Errors
    /// Those of [`Plugin::map`].
    pub async fn map(
        &self,
        plugin: &Plugin,
        manifest: Arc<[u8]>,
        key: MappingKey,
        cancel: &Cancel,
    ) -> Result<Mapping, PluginError> {
        let options = key.options;
        let Some(caches) = self.caches() else { return plugin.map(manifest, options, cancel).await };
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

    /// The first engine of a registry that reads a mapping's call-specs, with what it cannot run. Asks an engine only where
    /// no earlier process did, so that listing its tools does not load it.
    ///
    /// # Errors
    /// An engine that failed while it was asked, or whose file is not what was accepted.
    pub async fn engine_for(
        &self,
        registry: &Registry,
        ecosystem: &str,
        key: MappingKey,
        mapping: &Mapping,
        cancel: &Cancel,
    ) -> Result<EngineChoice, PluginError> {
        let (at, specs): (Vec<usize>, Vec<CallSpec>) =
            mapping.methods.iter().enumerate().filter_map(|(at, method)| Some((at, method.call_spec.clone()?))).unzip();
        let mut engines = Vec::new();
        for engine in registry.engines(ecosystem) {
            if let Some(lacking) = self.support(&engine, key, &specs, cancel).await? {
                // Its functions are about to be listed: from here on a call must not depend on a file that may change.
                engine.hold(cancel).await?;
                let unsupported = among_methods(&at, lacking, mapping.methods.len());
                return Ok(EngineChoice::Runs { engine, unsupported });
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
    let release = admit::release_of(&Digest::of(&bytes));
    Plugin::load(&name, release, Origin::Named, Cow::Owned(bytes), sandbox, cache)
}

fn is_extension(plugin: &Plugin) -> bool {
    matches!(plugin.origin(), Origin::Extension(_))
}

fn tell_new(before: &[Refusal], now: &[Refusal]) {
    for refusal in now.iter().filter(|refusal| !before.contains(refusal)) {
        tracing::error!(code = refusal.code(), "{refusal}");
    }
}

/// Tools as they were accepted, by the plugin's name and digest: another plugin of that name has other tools.
type AcceptedTools = BTreeMap<(String, Digest), Vec<LockedTool>>;

fn accepted_as(extension: &Plugin) -> (String, Digest) {
    (extension.name().to_owned(), *extension.digest())
}

/// The tools of each plugin that brings some.
fn locked_tools(lock: &Lock) -> AcceptedTools {
    let accepted = lock.names().filter_map(|name| Some((name, lock.get(name)?)));
    let with_tools = accepted.filter(|(_, locked)| !locked.tools.is_empty());
    with_tools.map(|(name, locked)| ((name.to_owned(), locked.digest), locked.tools.clone())).collect()
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
    use crate::artifact::lock::Lock;
    use crate::artifact::specimen::{hostile, marked};
    use crate::artifact::{SubjectRange, Wanted};
    use crate::model::{Grants, JsonObject};
    use std::sync::RwLock;

    /// Where a test keeps the operator's word.
    #[derive(Debug, Default)]
    struct Word {
        said: RwLock<Supplied>,
        file: PathBuf,
    }

    impl Supply for Word {
        fn read(&self) -> Result<Supplied, String> {
            Ok(self.said.read().unwrap().clone())
        }

        fn files(&self) -> Vec<PathBuf> {
            vec![self.file.clone()]
        }
    }

    impl Word {
        /// The hostile guest, pinned before whatever is bundled, and accepted.
        fn of(file: PathBuf) -> Arc<Self> {
            std::fs::write(&file, hostile()).unwrap();
            let pin = Pin {
                plugin: "guest".to_owned(),
                ecosystem: "testing".to_owned(),
                subjects: Some(SubjectRange::parse(">=0.10, <0.11")),
            };
            let wanted = Wanted {
                name: "guest".to_owned(),
                file: file.clone(),
                roles: None,
                ecosystems: BTreeSet::new(),
                pins: vec![pin],
                grants: Grants::default(),
                values: JsonObject::new(),
                variables: std::collections::BTreeMap::new(),
                state_folder: None,
            };
            let said = RwLock::new(Supplied { wanted: vec![wanted], lock: Lock::default() });
            let word = Arc::new(Self { said, file });
            word.accept();
            word
        }

        fn accept(&self) {
            let mut said = self.said.write().unwrap();
            let Supplied { wanted, lock } = &mut *said;
            lock.accept("guest", admit::offered(&wanted[0], 512 << 20).unwrap());
        }

        fn plugins(self: &Arc<Self>) -> Plugins {
            Plugins::supplied(None, Limits::default(), Vec::new(), Some(Arc::clone(self) as Arc<dyn Supply>))
        }
    }

    #[tokio::test]
    async fn a_pin_of_the_configuration_decides_for_its_subject_versions() {
        let folder = tempfile::tempdir().unwrap();
        let plugins = Word::of(folder.path().join("guest.wasm")).plugins();
        let select = async |subject: &str| {
            let manifest = format!("{{\"behave\":\"tidy\",\"subject\":\"{subject}\"}}").into_bytes().into();
            plugins.registry().select(&manifest, "testing", &Cancel::new()).await
        };
        assert!(select("0.10.2").await.unwrap().why.starts_with("pinned plugin `guest`"));
        assert_eq!(select("0.11.0").await.unwrap_err().code(), "select::not_recognised");
    }

    #[tokio::test]
    async fn what_changes_is_proposed_and_what_is_refused_stays_as_it_was_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let word = Word::of(folder.path().join("guest.wasm"));
        let plugins = word.plugins();
        let first = plugins.registry().third_party("guest").unwrap();
        let same = plugins.renewal().unwrap();
        assert!(same.proposals.is_empty() && same.refused.is_empty());
        assert!(Arc::ptr_eq(&same.registry.third_party("guest").unwrap(), &first), "its compiled code is kept");
        assert!(plugins.renewal().is_none(), "nothing has changed since");

        // Not accepted: whoever runs stays, whoever never ran does not begin.
        std::fs::write(&word.file, marked(hostile(), "new")).unwrap();
        let refused = plugins.renewal().unwrap();
        assert_eq!(refused.refused[0].code(), "lock::differs");
        assert!(refused.registry.third_party("guest").is_none());
        std::fs::write(&word.file, hostile()).unwrap();
        first.hold(&Cancel::new()).await.unwrap();
        std::fs::write(&word.file, marked(hostile(), "newer")).unwrap();
        assert!(plugins.renewal().unwrap().registry.third_party("guest").is_some());

        // Accepted: it waits to be tried, the old one stays until then.
        word.accept();
        plugins.try_again();
        let accepted = plugins.renewal().unwrap();
        assert_eq!(accepted.proposals.len(), 1);
        assert!(Arc::ptr_eq(&accepted.registry.third_party("guest").unwrap(), &first));
        assert_ne!(accepted.proposals[0].plugin.digest(), first.digest());

        // Taken back: it goes, and what it served is looked at again.
        word.said.write().unwrap().lock.remove("guest");
        plugins.try_again();
        let gone = plugins.renewal().unwrap();
        assert!(gone.registry.third_party("guest").is_none() && gone.proposals.is_empty());
        assert_eq!(gone.gone, ["testing".to_owned()].into());
    }

    #[test]
    fn positions_among_call_specs_become_positions_among_methods() {
        let lacking = vec![Unsupported { index: 1, reason: "old".to_owned() }];
        let all = among_methods(&[0, 2, 3], lacking, 4);
        let at: Vec<usize> = all.iter().map(|unsupported| unsupported.index).collect();
        assert_eq!(at, [2, 1]);
    }
}
