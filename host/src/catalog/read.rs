//! Reading the source into a new snapshot, one read at a time.

use crate::artifact::Plugins;
use crate::catalog::clean_line;
use crate::catalog::load::{self, LoadError};
use crate::catalog::mapped::MappedUnit;
use crate::catalog::snapshot::Snapshot;
use crate::model::{CallScope, MapOptions};
use crate::source::{self, App, NodeSource, Unit, units_of};
use futures_util::StreamExt;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// When a read that still goes on publishes what it has. Shorter than a first list request waits, longer than honest
/// mappers take together with compiling them.
const EARLY: Duration = Duration::from_secs(6);

/// How the catalog is built.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Names no generated tool may take.
    pub reserved: Vec<&'static str>,
    /// How many tools may be listed, fixed ones included.
    pub budget: usize,
    /// Passed to mappers.
    pub map: MapOptions,
}

/// The catalog: the current [`Snapshot`] and how to renew it.
#[derive(Debug)]
pub struct Catalog {
    source: Arc<NodeSource>,
    plugins: Arc<Plugins>,
    settings: Settings,
    current: Mutex<Arc<Snapshot>>,
    mapped: Mutex<HashMap<(String, String), Arc<MappedUnit>>>,
    /// Contents whose mapping failed for good; see [`Catalog::is_hopeless`].
    hopeless: Mutex<HashSet<(String, String)>>,
    /// One line per thing that is wrong with the apps as they are; each is said once.
    said: Mutex<HashSet<String>>,
    reading: tokio::sync::Mutex<()>,
    attempts: watch::Sender<u64>,
    changes: watch::Sender<u64>,
}

impl Catalog {
    /// An empty catalog; nothing is read before [`Catalog::refresh`].
    #[must_use]
    pub fn new(source: Arc<NodeSource>, plugins: Arc<Plugins>, settings: Settings) -> Self {
        Self {
            source,
            plugins,
            settings,
            current: Mutex::default(),
            mapped: Mutex::default(),
            hopeless: Mutex::default(),
            said: Mutex::default(),
            reading: tokio::sync::Mutex::default(),
            attempts: watch::Sender::new(0),
            changes: watch::Sender::new(0),
        }
    }

    /// What is served now.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Counts changes of what is served.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Waits until a first read has ended, well or not, at most `limit`: many clients ask for the list once only.
    pub async fn first_read(&self, limit: Duration) {
        let mut attempts = self.attempts.subscribe();
        let ended = attempts.wait_for(|attempts| *attempts > 0);
        if tokio::time::timeout(limit, ended).await.is_err() {
            tracing::info!("the first read of the apps takes longer than {limit:?}; listing what is there");
        }
    }

    /// Reads the source and publishes what it finds. Reads run one at a time, in order, so that an old slow one never
    /// replaces a newer one.
    ///
    /// # Errors
    /// The source could not be read at all; what was served before stays.
    pub async fn refresh(&self, scope: &CallScope) -> Result<(), source::Error> {
        let _turn = self.reading.lock().await;
        let result = self.read(scope).await;
        if let Err(error) = &result
            && !scope.cancel.is_cancelled()
        {
            self.say_once(format!("app list unavailable: {error}"));
        }
        self.attempts.send_modify(|attempts| *attempts += 1);
        result
    }

    async fn read(&self, scope: &CallScope) -> Result<(), source::Error> {
        let apps = self.source.apps(scope).await?;
        self.said
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|line| !line.starts_with("app list unavailable"));
        let mut units: Vec<Unit> = apps.iter().flat_map(units_of).collect();
        units.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
        self.forget_all_but(&units);
        units.retain(|unit| !self.is_hopeless(unit));
        self.map_and_publish(units, scope).await;
        Ok(())
    }

    /// Publishes all units once they are mapped; where that takes long, also what there is after [`EARLY`] and each
    /// one that comes later: one app takes its time, the others do not wait for it (D01).
    async fn map_and_publish(&self, units: Vec<Unit>, scope: &CallScope) {
        let mut loading = pin!(load::each(self, units, scope));
        let mut served = BTreeMap::new();
        let mut late = pin!(tokio::time::sleep(EARLY));
        loop {
            tokio::select! {
                biased;
                loaded = loading.next() => match loaded {
                    Some((at, unit, Ok(mapped))) => {
                        self.report_gaps(&unit, &mapped);
                        served.insert(at, (unit, mapped));
                        if !late.is_elapsed() {
                            continue;
                        }
                    }
                    // What was given up says nothing of the apps: the list stays as it is.
                    Some((_, _, Err(_))) if scope.cancel.is_cancelled() => return,
                    Some((_, unit, Err(error))) => {
                        self.say_once(format!("skipping {}: {error}", unit.label()));
                        continue;
                    }
                    None => break,
                },
                () = &mut late, if !late.is_elapsed() => {}
            }
            if served.is_empty() {
                continue;
            }
            self.publish(served.values().cloned().collect());
            self.attempts.send_modify(|attempts| *attempts += 1);
        }
        self.publish(served.into_values().collect());
    }

    /// Whether mapping this content failed before in a way that will not change by itself. Such a unit is tried again
    /// only when someone asks for it by name, or a plugin that loops would be run anew with every read.
    fn is_hopeless(&self, unit: &Unit) -> bool {
        self.hopeless.lock().unwrap_or_else(PoisonError::into_inner).contains(&unit.content_key())
    }

    fn publish(&self, units: Vec<(Unit, Arc<MappedUnit>)>) {
        let settings = &self.settings;
        let next = Snapshot::build(units, &settings.reserved, settings.budget, settings.map.list_internal);
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.fingerprint == next.fingerprint {
            return;
        }
        report_folds(&next);
        *current = Arc::new(next);
        drop(current);
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Maps the manifest of one unit, or takes what an earlier read made of the same content.
    ///
    /// # Errors
    /// The manifest could not be fetched, no mapper took it, or the mapper failed.
    pub async fn load(&self, unit: &Unit, scope: &CallScope) -> Result<Arc<MappedUnit>, LoadError> {
        let key = unit.content_key();
        if let Some(known) = self.mapped.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Arc::clone(known));
        }
        let manifest = self.source.manifest(unit, scope).await?;
        let mapped = load::map(&self.plugins, manifest, self.settings.map, scope).await;
        let mut hopeless = self.hopeless.lock().unwrap_or_else(PoisonError::into_inner);
        if mapped.as_ref().is_err_and(LoadError::is_lasting) {
            hopeless.insert(key.clone());
        } else {
            hopeless.remove(&key);
        }
        drop(hopeless);
        let mapped = Arc::new(mapped?);
        self.mapped.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&mapped));
        Ok(mapped)
    }

    /// Drops what no installed app needs any more, so that a node of many upgrades does not fill the memory.
    fn forget_all_but(&self, installed: &[Unit]) {
        let keys: HashSet<_> = installed.iter().map(Unit::content_key).collect();
        self.mapped.lock().unwrap_or_else(PoisonError::into_inner).retain(|key, _| keys.contains(key));
        self.hopeless.lock().unwrap_or_else(PoisonError::into_inner).retain(|key| keys.contains(key));
    }

    fn report_gaps(&self, unit: &Unit, mapped: &MappedUnit) {
        let label = unit.label();
        for skipped in &mapped.skipped {
            self.say_once(format!("no tool for {label} {}: {}", skipped.method, skipped.reason));
        }
        for note in &mapped.notes {
            let method = note.method.as_deref().unwrap_or("the manifest");
            self.say_once(format!("{label} {method}: `{}` is not checked: {}", note.path, note.text));
        }
    }

    fn say_once(&self, line: String) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        // Much of it is in a plugin's or an application's words.
        let line = clean_line(&line);
        if !said.contains(&line) {
            tracing::warn!("{line}");
            said.insert(line);
        }
    }
}

fn sort_key(unit: &Unit) -> (&str, &str, Option<&str>) {
    let App { id, .. } = &*unit.app;
    (unit.app.label(), id, unit.service.as_deref())
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
