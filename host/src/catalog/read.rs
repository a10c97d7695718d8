//! Reading the source into a new snapshot, one read at a time.

use crate::artifact::Plugins;
use crate::catalog::HANDLE_ARGUMENT;
use crate::catalog::listing::collides;
use crate::catalog::load::{self, LoadError};
use crate::catalog::mapped::MappedUnit;
use crate::catalog::snapshot::Snapshot;
use crate::model::{CallScope, MapOptions};
use crate::source::{self, App, NodeSource, Unit, units_of};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

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
        if let Err(error) = &result {
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
        let mapped = load::all(self, &units, scope).await;
        let mut served = Vec::with_capacity(units.len());
        for (unit, mapped) in units.into_iter().zip(mapped) {
            match mapped {
                Ok(mapped) => {
                    self.report_gaps(&unit, &mapped);
                    served.push((unit, mapped));
                }
                Err(error) => self.say_once(format!("skipping {}: {error}", unit.label())),
            }
        }
        self.forget_all_but(&served);
        self.publish(served);
        Ok(())
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
        let mapped = Arc::new(load::map(&self.plugins, manifest, self.settings.map, scope).await?);
        self.mapped.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&mapped));
        Ok(mapped)
    }

    /// Drops what no installed app needs any more, so that a node of many upgrades does not fill the memory.
    fn forget_all_but(&self, served: &[(Unit, Arc<MappedUnit>)]) {
        let keys: HashSet<_> = served.iter().map(|(unit, _)| unit.content_key()).collect();
        self.mapped.lock().unwrap_or_else(PoisonError::into_inner).retain(|key, _| keys.contains(key));
    }

    fn report_gaps(&self, unit: &Unit, mapped: &MappedUnit) {
        let label = unit.label();
        for skipped in &mapped.skipped {
            self.say_once(format!("no tool for {label} {}: {}", skipped.method, skipped.reason));
        }
        for method in mapped.methods.iter().filter(|method| collides(method)) {
            let name = &method.method.name;
            self.say_once(format!(
                "no tool for {label} {name}: its {HANDLE_ARGUMENT} parameter would collide; use call"
            ));
        }
        for note in &mapped.notes {
            let method = note.method.as_deref().unwrap_or("the manifest");
            self.say_once(format!("{label} {method}: `{}` is not checked: {}", note.path, note.text));
        }
    }

    fn say_once(&self, line: String) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.insert(line.clone()) {
            tracing::warn!("{line}");
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
