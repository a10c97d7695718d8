//! Reading the source into a new snapshot, one read at a time.

use crate::artifact::{Plugins, Registry};
use crate::catalog::chosen::Chosen;
use crate::catalog::fingerprint::Fingerprint;
use crate::catalog::gaps::Gaps;
use crate::catalog::load::{self, LoadError};
use crate::catalog::mapped::MappedUnit;
use crate::catalog::snapshot::Snapshot;
use crate::model::{CallScope, Cancel, MapOptions};
use crate::source::{self, App, Origin, Sources, Unit, units_of};
use futures_util::StreamExt;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// When a read that still goes on publishes what it has. Shorter than a first list request waits, longer than honest
/// mappers take together with compiling them.
const EARLY: Duration = Duration::from_secs(6);

/// How often the operator's plugin files are looked at. The system is asked for each file's times, nothing is read.
const WATCH: Duration = Duration::from_secs(1);

/// How the catalog is built.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Names no generated tool may take.
    pub reserved: Vec<&'static str>,
    /// How many tools may be listed, fixed ones included.
    pub budget: usize,
    /// How many of the fixed tools are listed while no app is folded.
    pub fixed_listed: usize,
    /// How many of them are listed once an app is.
    pub fixed_folding: usize,
    /// Which methods become tools, beside what their roles say.
    pub chosen: Chosen,
    /// Passed to mappers.
    pub map: MapOptions,
}

type Loaded = Result<Arc<MappedUnit>, Arc<LoadError>>;

/// The catalog: the current [`Snapshot`] and how to renew it.
#[derive(Debug)]
pub struct Catalog {
    pub(super) sources: Arc<Sources>,
    pub(super) plugins: Arc<Plugins>,
    pub(super) settings: Settings,
    cancel: Cancel,
    current: Mutex<Arc<Snapshot>>,
    /// By content: what mapping it made, or why a mapper failed on it, which asking again would not change.
    pub(super) mapped: Mutex<HashMap<(String, String), Loaded>>,
    gaps: Gaps,
    reading: tokio::sync::Mutex<()>,
    begun: AtomicU64,
    /// Reads that ended, and early publications.
    ended: watch::Sender<u64>,
    /// Whether a read has got through all units.
    whole: watch::Sender<bool>,
    failed: Mutex<Option<source::Error>>,
    /// Why units of the last whole read have no methods, one sentence each.
    lacking: Mutex<Vec<String>>,
    /// The extensions that are not served, each with the reason.
    refused: Mutex<Vec<(String, String)>>,
    changes: watch::Sender<u64>,
}

impl Catalog {
    /// An empty catalog; nothing is read before [`Catalog::refresh`]. `cancel` ends reads under way.
    #[must_use]
    pub fn new(sources: Arc<Sources>, plugins: Arc<Plugins>, settings: Settings, cancel: Cancel) -> Self {
        Self {
            sources,
            plugins,
            settings,
            cancel,
            current: Mutex::default(),
            mapped: Mutex::default(),
            gaps: Gaps::default(),
            reading: tokio::sync::Mutex::default(),
            begun: AtomicU64::new(0),
            ended: watch::Sender::new(0),
            whole: watch::Sender::new(false),
            failed: Mutex::default(),
            lacking: Mutex::default(),
            refused: Mutex::default(),
            changes: watch::Sender::new(0),
        }
    }

    /// What is served now.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Why the last read failed, if it did.
    #[must_use]
    pub fn last_failure(&self) -> Option<source::Error> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Why a manifest file's functions cannot be called, if they cannot.
    #[must_use]
    pub fn unavailable(&self) -> Option<String> {
        self.lacking.lock().unwrap_or_else(PoisonError::into_inner).first().cloned()
    }

    /// The extensions that are not served, by name, each with the reason. The reason may quote the plugin; the name is
    /// the operator's.
    #[must_use]
    pub fn refused_extensions(&self) -> Vec<(String, String)> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts changes of what is served.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Waits until a first read has ended, well or not, or has published early, at most `limit`: many clients ask for
    /// the list once only.
    pub async fn first_read(&self, limit: Duration) {
        let mut ended = self.ended.subscribe();
        if tokio::time::timeout(limit, ended.wait_for(|ended| *ended > 0)).await.is_err() {
            tracing::info!("the first read of the apps takes longer than {limit:?}; listing what is there");
        }
    }

    /// Whether a read has got through all units, those that failed included.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        *self.whole.borrow()
    }

    /// Waits for that, at most `limit`: for calls that need a unit which takes long, such as one whose engine is being
    /// compiled.
    pub async fn whole_read(&self, limit: Duration) {
        let mut whole = self.whole.subscribe();
        let waited = tokio::time::timeout(limit, whole.wait_for(|whole| *whole)).await;
        if waited.is_err() {
            tracing::info!("the first read takes longer than {limit:?}; answering from what is there");
        }
    }

    /// Reads the source and publishes what it finds. Reads run one at a time, in order, so that an old slow one never
    /// replaces a newer one; callers that waited while a whole newer read went by share its outcome.
    ///
    /// A caller that no longer wants it drops the future. Until the last unit is there, only a read that takes longer
    /// than [`EARLY`] publishes anything.
    ///
    /// # Errors
    /// The source could not be read at all; what was served before stays.
    pub async fn refresh(&self) -> Result<(), source::Error> {
        let asked = self.begun.load(Ordering::SeqCst);
        let _turn = self.reading.lock().await;
        if self.begun.load(Ordering::SeqCst) > asked {
            return self.last_failure().map_or(Ok(()), Err);
        }
        self.begun.fetch_add(1, Ordering::SeqCst);
        let result = self.read().await;
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = result.as_ref().err().cloned();
        self.ended.send_modify(|ended| *ended += 1);
        result
    }

    /// Waits until a file of the operator's plugins has changed; for ever where there is none.
    pub(super) async fn plugins_changed(&self) {
        if !self.plugins.is_watched() {
            return std::future::pending().await;
        }
        loop {
            tokio::time::sleep(WATCH).await;
            let plugins = Arc::clone(&self.plugins);
            if tokio::task::spawn_blocking(move || plugins.has_changed()).await.unwrap_or_default() {
                return;
            }
        }
    }

    async fn read(&self) -> Result<(), source::Error> {
        let scope = CallScope { cancel: self.cancel.clone(), ..CallScope::default() };
        let extensions = self.extensions().await;
        self.sources.know_extensions(extensions.clone());
        let mut found = self.sources.look(&scope).await;
        let mut units = units_in(&found.apps);
        // Not with the first read: it takes reading every plugin's file, and a client waits for its list.
        if self.begun.load(Ordering::SeqCst) > 1 {
            self.renew(&units, &scope).await;
            let now = self.extensions().await;
            // An extension that came or went is a unit more or less, and nobody looks again before the next change.
            if now != extensions {
                self.sources.know_extensions(now);
                found = self.sources.look(&scope).await;
                units = units_in(&found.apps);
            }
        }
        if let Some(error) = &found.unreadable {
            // What was given up at shutdown says nothing of the apps.
            if !self.cancel.is_cancelled() {
                self.gaps.unreadable(error);
            }
            if found.apps.is_empty() {
                return Err(error.clone());
            }
        }
        self.forget_all_but(&units);
        self.load_and_publish(units, &scope).await;
        found.unreadable.map_or(Ok(()), Err)
    }

    /// The extensions of now. Looking at plugins for the first time reads files.
    async fn extensions(&self) -> Vec<String> {
        let plugins = Arc::clone(&self.plugins);
        tokio::task::spawn_blocking(move || plugins.extension_names()).await.unwrap_or_default()
    }

    /// Publishes all units once they are loaded; where that takes long, also what there is after [`EARLY`] and each
    /// one that comes later: one app takes its time, the others do not wait for it.
    async fn load_and_publish(&self, units: Vec<Unit>, scope: &CallScope) {
        let mut loading = pin!(load::each(self, units, scope));
        let mut loaded: BTreeMap<usize, (Unit, Loaded)> = BTreeMap::new();
        let mut late = pin!(tokio::time::sleep(EARLY));
        loop {
            tokio::select! {
                biased;
                next = loading.next() => match next {
                    Some((at, unit, result)) => {
                        loaded.insert(at, (unit, result));
                        if !late.is_elapsed() {
                            continue;
                        }
                    }
                    None => break,
                },
                () = &mut late, if !late.is_elapsed() => {}
            }
            self.publish(served(&loaded)).await;
            self.ended.send_modify(|ended| *ended += 1);
        }
        // What was given up at shutdown says nothing of the apps.
        if !self.cancel.is_cancelled() {
            self.gaps.report(loaded.values().map(|(unit, result)| (unit, result)));
            *self.lacking.lock().unwrap_or_else(PoisonError::into_inner) = lacking_files(&loaded);
            *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = refused_extensions(&loaded);
            self.publish(served(&loaded)).await;
            self.whole.send_replace(true);
        }
    }

    async fn publish(&self, units: Vec<(Unit, Arc<MappedUnit>)>) {
        let fingerprint = Fingerprint::of(&units);
        let before = self.snapshot();
        let same_lists = before.fingerprint == fingerprint;
        if same_lists && are_same(&before, &units) {
            return;
        }
        let settings = self.settings.clone();
        // Narrowing the schemas of many methods takes a while, and one app's can be hostile: not on the protocol loop.
        let built = tokio::task::spawn_blocking(move || Snapshot::build(units, fingerprint, &settings)).await;
        match built {
            Ok(next) => {
                if !same_lists {
                    report_folds(&next);
                }
                *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
                // Another plugin that lists the same is nothing to tell of.
                if !same_lists {
                    self.changes.send_modify(|changes| *changes += 1);
                }
            }
            Err(error) => tracing::error!("building the tool list failed, the last one stays: {error}"),
        }
    }

    /// Maps the manifest of one unit, or takes what an earlier call made of the same content.
    ///
    /// # Errors
    /// The manifest could not be fetched, no mapper took it, or the mapper failed.
    pub async fn load(&self, unit: &Unit, scope: &CallScope) -> Result<Arc<MappedUnit>, Arc<LoadError>> {
        let key = self.key_of(unit);
        if let Some(known) = self.mapped.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let registry = self.plugins.registry();
        let mapped = self.map(unit, &registry, scope).await.map(Arc::new).map_err(Arc::new);
        // A mapper fails on the same bytes again, at the cost of its whole time limit; a cancelled call says nothing.
        if mapped.as_ref().map_or_else(|error| error.is_lasting(), |_| true) {
            let mut kept = self.mapped.lock().unwrap_or_else(PoisonError::into_inner);
            // What plugins made that are no longer in place serves this call and no later one.
            if Arc::ptr_eq(&registry, &self.plugins.registry()) {
                kept.insert(key, mapped.clone());
            }
        }
        mapped
    }

    /// What the mapping of a unit depends on: the content its source gives it; of an extension, which is its own source,
    /// the very plugin that is in place.
    fn key_of(&self, unit: &Unit) -> (String, String) {
        if unit.app.origin != Origin::Extension {
            return unit.content_key();
        }
        let basis = self.plugins.extension(&unit.app.id).map_or_else(|_| String::new(), |plugin| plugin.basis());
        (unit.app.content.clone(), basis)
    }

    async fn map(&self, unit: &Unit, registry: &Registry, scope: &CallScope) -> Result<MappedUnit, LoadError> {
        if unit.app.origin == Origin::Extension {
            return load::extension(&self.plugins, &unit.app.id, scope).await;
        }
        let manifest = self.sources.manifest(unit, scope).await?;
        let ecosystem = self.sources.ecosystem_of(&unit.app);
        let work =
            load::Wanted { manifest, ecosystem, in_contexts: unit.app.has_contexts(), options: self.settings.map };
        load::map(&self.plugins, registry, work, scope).await
    }

    /// Drops what no installed app needs any more, so that a node of many upgrades does not fill the memory.
    pub(crate) fn forget_all_but(&self, units: &[Unit]) {
        let keys: HashSet<_> = units.iter().map(|unit| self.key_of(unit)).collect();
        self.mapped.lock().unwrap_or_else(PoisonError::into_inner).retain(|key, _| keys.contains(key));
    }
}

/// Whether a snapshot serves exactly these mappings, made by the very plugins that made them.
fn are_same(snapshot: &Snapshot, units: &[(Unit, Arc<MappedUnit>)]) -> bool {
    snapshot.units.len() == units.len()
        && snapshot.units.iter().zip(units).all(|(served, (_, mapped))| Arc::ptr_eq(&served.mapped, mapped))
}

fn lacking_files(loaded: &BTreeMap<usize, (Unit, Loaded)>) -> Vec<String> {
    let files = loaded.values().filter(|(unit, _)| unit.app.origin == Origin::File);
    files.filter_map(|(unit, result)| Some(format!("{}: {}", unit.label(), result.as_ref().err()?))).collect()
}

fn refused_extensions(loaded: &BTreeMap<usize, (Unit, Loaded)>) -> Vec<(String, String)> {
    let extensions = loaded.values().filter(|(unit, _)| unit.app.origin == Origin::Extension);
    extensions.filter_map(|(unit, result)| Some((unit.label(), result.as_ref().err()?.to_string()))).collect()
}

/// The units that can be served, in catalog order.
fn served(loaded: &BTreeMap<usize, (Unit, Loaded)>) -> Vec<(Unit, Arc<MappedUnit>)> {
    loaded.values().filter_map(|(unit, result)| Some((unit.clone(), Arc::clone(result.as_ref().ok()?)))).collect()
}

/// Every unit of some apps, in the catalog's order.
fn units_in(apps: &[Arc<App>]) -> Vec<Unit> {
    let mut units: Vec<Unit> = apps.iter().flat_map(units_of).collect();
    units.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
    units
}

fn sort_key(unit: &Unit) -> (&str, &str, Option<&str>) {
    (unit.app.label(), &unit.app.id, unit.service.as_deref())
}

fn report_folds(snapshot: &Snapshot) {
    let folded: Vec<String> = snapshot.units.iter().filter(|unit| unit.folded).map(|unit| unit.unit.label()).collect();
    if !folded.is_empty() {
        let all: usize = snapshot.units.iter().map(|unit| unit.tools().len()).sum();
        tracing::warn!(
            "{all} app tools are more than the list holds; {} listed, those of {} reached through find_tools",
            snapshot.listed.len(),
            folded.join(", ")
        );
    }
}
