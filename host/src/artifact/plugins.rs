//! The plugins of this process, looked at when they are first needed, and put in place as a whole when they change.
//!
//! In come the operator's files and a folder for caches, out come a [`Registry`] for a call and what its plugins made of
//! a manifest. What is on the shelf is `shelf`'s and `renewal`'s to say, what was found out earlier is `recall`'s.

use crate::artifact::accepted::AcceptedTools;
use crate::artifact::answer_cache::{AnswerCache, AnswerKey, Recognised, Support};
use crate::artifact::folder::FolderError;
use crate::artifact::loader::{ExtensionSetting, Loader};
use crate::artifact::mapping_cache::MappingKey;
use crate::artifact::recall::recall;
use crate::artifact::renewal::Renewal;
use crate::artifact::shelf::{Shelf, is_extension};
use crate::artifact::supply::{Beside, Stamps, Supply};
use crate::artifact::{
    Digest, MappingCache, Origin, Plugin, PluginError, Recogniser, Refusal, Registry, SelectError, Selected,
};
use crate::model::{CallSpec, Cancel, MapOptions, Mapping, Unsupported};
use crate::sandbox::{Limits, Sandbox};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Every plugin, the sandbox they run in, and the caches of what they made.
///
/// Making one costs nothing: a client's first answer must not wait for components.
#[derive(Debug)]
pub struct Plugins {
    loader: Loader,
    /// Where mappings, and what engines said of them, are kept.
    memory: Option<PathBuf>,
    engines: Vec<PathBuf>,
    extensions: Vec<ExtensionSetting>,
    supply: Option<Arc<dyn Supply>>,
    /// What is run now; absent until something asks.
    shelf: Mutex<Option<Shelf>>,
    mappings: OnceLock<Option<Arc<MappingCache>>>,
    recognitions: OnceLock<Option<Arc<AnswerCache<Recognised>>>>,
    support: OnceLock<Option<Arc<AnswerCache<Support>>>>,
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
        Self {
            memory: cache.as_ref().map(|cache| cache.join("mappings")),
            loader: Loader { sandbox: Sandbox::new(limits), cache },
            engines,
            extensions: Vec::new(),
            supply,
            shelf: Mutex::default(),
            mappings: OnceLock::new(),
            recognitions: OnceLock::new(),
            support: OnceLock::new(),
        }
    }

    /// These plugins, compiled in processes of `program` ([`Sandbox::compiling_with`]).
    #[must_use]
    pub fn compiling_with(self, program: Option<PathBuf>) -> Self {
        let sandbox = Sandbox::compiling_with(*self.loader.sandbox.limits(), program);
        Self { loader: Loader { sandbox, ..self.loader }, ..self }
    }

    /// These plugins, and extensions from files the operator named, which go before configured plugins of their names; read
    /// when first needed.
    #[must_use]
    pub fn and_extensions(self, extensions: Vec<ExtensionSetting>) -> Self {
        let named = || extensions.iter().map(|setting| setting.name.clone()).collect();
        let supply = self.supply.map(|supply| Arc::new(Beside::new(supply, named())) as Arc<dyn Supply>);
        Self { supply, extensions, ..self }
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
            shelf.tools = AcceptedTools::of(&supplied.lock);
        });
        Some(Renewal::of(&before, &supplied, &self.loader, |plugin| self.is_configured(plugin)))
    }

    /// Puts plugins in place of those there are: new calls get these, calls under way keep what they have. What is refused
    /// is told if it was not told before.
    pub fn install(&self, registry: Registry, refused: Vec<Refusal>) {
        self.with_shelf(|shelf| shelf.replace(registry, refused));
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
        let first = || Shelf::first(&self.loader, &self.engines, &self.extensions, self.supply.as_deref());
        job(shelf.get_or_insert_with(first))
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
        let basis = Digest::of(extension.basis().as_bytes());
        let key = MappingKey { manifest: basis, component: *extension.digest(), options: MapOptions::default() };
        recall(self.mappings(), key, extension.list_tools(cancel)).await
    }

    /// Whether an extension lists the tools that were accepted.
    ///
    /// # Errors
    /// Those of [`Plugin::list_tools`].
    pub async fn lists_as_accepted(&self, extension: &Plugin, cancel: &Cancel) -> Result<bool, PluginError> {
        let listed = extension.list_tools(cancel).await?;
        Ok(self.with_shelf(|shelf| shelf.tools.are(extension, &listed)))
    }

    /// A configured extension's tools as they were accepted, so that a start asks it nothing. What was accepted with the
    /// grants of the configuration says nothing of a plugin the command line names, which has none.
    fn accepted_tools(&self, extension: &Plugin) -> Option<Mapping> {
        let accepted = self.is_configured(extension).then(|| self.with_shelf(|shelf| shelf.tools.clone()))?;
        accepted.tools(extension)
    }

    /// The plugin of a registry that serves a manifest. Asks mappers only where no earlier process did; `digest` is the
    /// manifest's.
    ///
    /// # Errors
    /// Those of [`Registry::select`].
    pub async fn select(
        &self,
        registry: &Registry,
        manifest: &Arc<[u8]>,
        digest: Digest,
        ecosystem: &str,
        cancel: &Cancel,
    ) -> Result<Selected, SelectError> {
        let recogniser = Recogniser::recalling(Arc::clone(manifest), digest, self.recognitions());
        registry.select(&recogniser, ecosystem, cancel).await
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
        recall(self.mappings(), key, plugin.map(manifest, key.options, cancel)).await
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
            let about = AnswerKey::support(&key, engine.digest());
            let ask = async { engine.supported(specs.clone(), cancel).await };
            if let Some(lacking) = recall(self.support(), about, ask).await? {
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

    fn mappings(&self) -> Option<Arc<MappingCache>> {
        open_once(&self.mappings, self.memory.as_deref(), MappingCache::open)
    }

    fn recognitions(&self) -> Option<Arc<AnswerCache<Recognised>>> {
        open_once(&self.recognitions, self.memory.as_deref(), AnswerCache::open)
    }

    fn support(&self) -> Option<Arc<AnswerCache<Support>>> {
        open_once(&self.support, self.memory.as_deref(), AnswerCache::open)
    }
}

/// A cache of a folder, opened when it is first needed; absent where there is no folder or it cannot be trusted.
fn open_once<C>(
    cache: &OnceLock<Option<Arc<C>>>,
    folder: Option<&Path>,
    open: impl FnOnce(&Path) -> Result<C, FolderError>,
) -> Option<Arc<C>> {
    let opened =
        || open(folder?).inspect_err(|error| tracing::warn!("mappings are not kept: {error}")).ok().map(Arc::new);
    cache.get_or_init(opened).clone()
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
    use crate::artifact::admit;
    use crate::artifact::lock::Lock;
    use crate::artifact::specimen::{hostile, marked};
    use crate::artifact::{Allowed, Pin, SubjectRange, Supplied, Wanted};
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
            plugins.registry().select(&Recogniser::new(manifest), "testing", &Cancel::new()).await
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
    fn a_name_of_the_command_line_is_not_also_that_of_a_configured_plugin() {
        let folder = tempfile::tempdir().unwrap();
        let word = Word::of(folder.path().join("guest.wasm"));
        let named = ExtensionSetting {
            name: "guest".to_owned(),
            path: folder.path().join("missing.wasm"),
            allowed: Allowed::default(),
        };
        let plugins = word.plugins().and_extensions(vec![named]);
        assert!(plugins.registry().third_party("guest").is_none(), "what was typed goes before");
        assert!(plugins.extension("guest").unwrap_err().contains("missing.wasm"));
        let renewed = plugins.renewal().unwrap();
        assert!(renewed.proposals.is_empty() && renewed.registry.third_party("guest").is_none());
    }

    #[test]
    fn positions_among_call_specs_become_positions_among_methods() {
        let lacking = vec![Unsupported { index: 1, reason: "old".to_owned() }];
        let all = among_methods(&[0, 2, 3], lacking, 4);
        let at: Vec<usize> = all.iter().map(|unsupported| unsupported.index).collect();
        assert_eq!(at, [2, 1]);
    }
}
