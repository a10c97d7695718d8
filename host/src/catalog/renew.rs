//! Putting changed plugins in place while the catalog is served.
//!
//! In comes what the artifact stage says has changed, out comes one new set of plugins, put in place at once with the
//! mappings its members made while they were tried. A candidate is tried on every manifest in use before anything of it
//! answers a call; one that fails leaves what was there. Calls under way keep the snapshot, and so the plugins, they began
//! with.

use crate::artifact::{Cause, Plugin, PluginError, Refusal, Registry, Renewal, Why};
use crate::catalog::load::{self, LoadError, Wanted};
use crate::catalog::mapped::MappedUnit;
use crate::catalog::read::Catalog;
use crate::contract::supported::Role;
use crate::model::CallScope;
use crate::sandbox;
use crate::source::{Origin, Unit};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError};

/// How trying a candidate out ended, where it did not end well.
enum Trial {
    /// It fails at what it would have to do.
    Fails(String),
    /// A manifest could not be had, or nobody waits any more: that says nothing of the candidate.
    Unclear,
}

/// Mappings by content, as the catalog keeps them.
type Made = HashMap<(String, String), Arc<MappedUnit>>;

impl Catalog {
    /// Looks whether the operator's plugins have changed, and puts those in place that pass. `units` is what was found
    /// just now.
    pub(super) async fn renew(&self, units: &[Unit], scope: &CallScope) {
        let plugins = Arc::clone(&self.plugins);
        let found = tokio::task::spawn_blocking(move || plugins.renewal()).await;
        let Ok(Some(Renewal { mut registry, proposals, gone: mut affected, mut refused })) = found else { return };
        let mut made = Made::new();
        for proposal in proposals {
            let name = proposal.plugin.name().to_owned();
            let trial = registry.with(Arc::clone(&proposal.plugin), proposal.pins);
            match self.try_out(&trial, &proposal.plugin, units, scope).await {
                Ok(mapped) => {
                    tracing::info!(plugin = name, digest = %proposal.plugin.digest(), "plugin put in place");
                    let mut its = ecosystems_of(&trial, &proposal.plugin);
                    // What the old one served and the new one may not any more goes to whoever else may.
                    its.extend(registry.third_party(&name).iter().flat_map(|old| ecosystems_of(&registry, old)));
                    // An earlier trial may have had the old one map for it.
                    self.in_ecosystems(units, &its).for_each(|unit| drop(made.remove(&unit.content_key())));
                    made.extend(mapped);
                    affected.extend(its);
                    registry = trial;
                }
                Err(Trial::Fails(problem)) => refused.push(Refusal { plugin: name, why: Why::Fails(problem) }),
                Err(Trial::Unclear) => self.plugins.try_again(),
            }
        }
        // One lock around both: whoever maps meanwhile sees at its end that the plugins are others.
        let mut mapped = self.mapped.lock().unwrap_or_else(PoisonError::into_inner);
        self.plugins.install(registry, refused);
        self.in_ecosystems(units, &affected).for_each(|unit| drop(mapped.remove(&unit.content_key())));
        mapped.extend(made.into_iter().map(|(key, unit)| (key, Ok(unit))));
    }

    fn in_ecosystems<'a>(
        &'a self,
        units: &'a [Unit],
        ecosystems: &'a BTreeSet<String>,
    ) -> impl Iterator<Item = &'a Unit> {
        let mapped = units.iter().filter(|unit| unit.app.origin != Origin::Extension);
        mapped.filter(|unit| ecosystems.contains(self.sources.ecosystem_of(&unit.app)))
    }

    /// Has a candidate do, among the other plugins, what it would have to do for everything of its ecosystems that is
    /// served now.
    async fn try_out(
        &self,
        trial: &Registry,
        candidate: &Plugin,
        units: &[Unit],
        scope: &CallScope,
    ) -> Result<Made, Trial> {
        candidate.prepare(&scope.cancel).await.map_err(|error| of_plugin(&error))?;
        if candidate.has(Role::Extension) {
            let same = self.plugins.lists_as_accepted(candidate, &scope.cancel).await;
            if !same.map_err(|error| of_plugin(&error))? {
                return Err(Trial::Fails("it lists other tools than were accepted".to_owned()));
            }
        }
        let ecosystems = ecosystems_of(trial, candidate);
        let mut made = Made::new();
        let served = self.snapshot();
        let is_served = |unit: &&Unit| served.unit(&unit.app.id, unit.service.as_deref()).is_some();
        for unit in self.in_ecosystems(units, &ecosystems).filter(is_served) {
            let ecosystem = self.sources.ecosystem_of(&unit.app);
            let manifest = self.sources.manifest(unit, scope).await.map_err(|_| Trial::Unclear)?;
            if candidate.has(Role::Mapper) {
                // Asked by itself first: selection passes over a plugin that fails, and takes another.
                candidate.recognise(Arc::clone(&manifest), &scope.cancel).await.map_err(|error| of_plugin(&error))?;
            }
            let in_contexts = unit.app.has_contexts();
            let wanted = Wanted { manifest, ecosystem, in_contexts, options: self.settings.map };
            let mapped = load::map(&self.plugins, trial, wanted, scope).await;
            let mapped = mapped.map_err(|error| match &error {
                LoadError::Plugin(error) if is_passing(error) => Trial::Unclear,
                error => Trial::Fails(format!("{}: {error}", unit.label())),
            })?;
            made.insert(unit.content_key(), Arc::new(mapped));
        }
        Ok(made)
    }
}

fn ecosystems_of(registry: &Registry, plugin: &Plugin) -> BTreeSet<String> {
    registry.ecosystems_of(plugin).map(str::to_owned).collect()
}

fn of_plugin(error: &PluginError) -> Trial {
    if is_passing(error) { Trial::Unclear } else { Trial::Fails(error.to_string()) }
}

/// Whether a failure is this machine's or this moment's, and not the plugin's.
fn is_passing(error: &PluginError) -> bool {
    matches!(error.cause, Cause::Sandbox(sandbox::Error::Cancelled | sandbox::Error::Host { .. }))
}
