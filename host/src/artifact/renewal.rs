//! What changes among the plugins when the operator's word or a file has changed.
//!
//! In comes what runs and what is wanted now, out comes what can be put in place at once, what has to be tried first, what
//! goes and what is refused. Trying and putting in place are the catalog's, which knows what the plugins serve.

use super::loader::Loader;
use super::supply::Supplied;
use super::{Pin, Plugin, Refusal, Registry, Why};
use std::collections::BTreeSet;
use std::sync::Arc;

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

impl Renewal {
    /// Reads every wanted file and holds it to the lock. Blocks on the disk.
    ///
    /// A plugin that is refused stays in place as it was accepted if its code is held already; one whose acceptance was
    /// taken back or that is no longer wanted goes. `is_configured` tells plugins that come from `supplied` from others.
    pub(super) fn of(
        before: &Registry,
        supplied: &Supplied,
        loader: &Loader,
        is_configured: impl Fn(&Plugin) -> bool,
    ) -> Self {
        let mut kept: Vec<(Arc<Plugin>, Vec<Pin>)> = Vec::new();
        let (mut proposals, mut refused) = (Vec::new(), Vec::new());
        for wanted in &supplied.wanted {
            let running = before.third_party(&wanted.name);
            match (loader.verified(wanted, &supplied.lock), running) {
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
        let leaving = before.plugins().iter().filter(|plugin| is_configured(plugin) && !named.contains(plugin.name()));
        let gone = leaving.flat_map(|plugin| before.ecosystems_of(plugin).map(str::to_owned)).collect();
        let own = before.plugins().iter().filter(|plugin| !is_configured(plugin)).cloned();
        let plugins = own.chain(kept.iter().map(|(plugin, _)| Arc::clone(plugin))).collect();
        let registry = Registry::new(plugins, kept.into_iter().flat_map(|(_, pins)| pins).collect());
        Self { registry, proposals, gone, refused }
    }
}
