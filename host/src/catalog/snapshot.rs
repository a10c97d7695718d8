//! The list of apps and their tools at one moment; immutable, shared by every request that started with it.

use crate::catalog::budget;
use crate::catalog::chosen::Chosen;
use crate::catalog::fingerprint::Fingerprint;
use crate::catalog::listing;
use crate::catalog::mapped::{MappedMethod, MappedUnit};
use crate::catalog::read::Settings;
use crate::catalog::search::{Hit, SearchIndex};
use crate::model::{Access, Role, ToolDefinition};
use crate::source::Unit;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// One unit as it is served.
#[derive(Debug, Clone)]
pub struct CatalogUnit {
    /// The app and service.
    pub unit: Unit,
    /// Its methods.
    pub mapped: Arc<MappedUnit>,
    /// The tool name of each method, by position; `None` for one that gets no tool.
    pub tool_names: Vec<Option<String>>,
    /// Whether its tools are left out of the list to keep it within the budget. They stay callable.
    pub folded: bool,
    /// Whether the operator leaves its methods to `call`.
    pub left_out: bool,
    read_only: bool,
}

impl CatalogUnit {
    /// The method behind one of the unit's tools, or behind one that this mode does not list: a refusal explains more
    /// than a name nobody knows.
    #[must_use]
    pub fn method_of(&self, tool: &str) -> Option<&Arc<MappedMethod>> {
        let at = self.tool_names.iter().position(|name| name.as_deref() == Some(tool))?;
        self.mapped.methods.get(at)
    }

    /// The unit's tools with their methods, sorted by name; in read-only mode those that read.
    #[must_use]
    pub fn tools(&self) -> Vec<(&str, &Arc<MappedMethod>)> {
        let mut tools: Vec<_> = self.tools_in_order().collect();
        tools.sort_by_key(|(name, _)| *name);
        tools
    }

    /// The same in the manifest's order.
    pub(crate) fn tools_in_order(&self) -> impl Iterator<Item = (&str, &Arc<MappedMethod>)> {
        let shown = |method: &MappedMethod| !self.read_only || method.method.access == Access::View;
        let named = self.tool_names.iter().zip(&self.mapped.methods).filter(move |(_, method)| shown(method));
        named.filter_map(|(name, method)| Some((name.as_deref()?, method)))
    }
}

/// Everything the lists are built from.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Sorted by package (or id), id, service.
    pub units: Vec<Arc<CatalogUnit>>,
    /// The generated tools that are listed, in list order.
    pub listed: Vec<ToolDefinition>,
    /// What the lists depend on; equal fingerprints mean equal lists.
    pub fingerprint: Fingerprint,
    index: HashMap<String, (usize, usize)>,
    search: OnceLock<SearchIndex>,
}

impl Snapshot {
    /// Names, budgets and describes the tools of `units`, which must be sorted and have this fingerprint.
    #[must_use]
    pub(crate) fn build(units: Vec<(Unit, Arc<MappedUnit>)>, fingerprint: Fingerprint, settings: &Settings) -> Self {
        let names = listing::tool_names(&units, &settings.reserved, settings.map.list_internal);
        let mut units: Vec<CatalogUnit> = units
            .into_iter()
            .zip(names)
            .map(|((unit, mapped), tool_names)| served(unit, mapped, tool_names, &settings.chosen))
            .collect();
        budget::fold(&mut units, settings);
        let listed = units.iter().filter(|unit| !unit.folded).flat_map(listing::definitions).collect();
        let index = index_of(&units);
        Self { units: units.into_iter().map(Arc::new).collect(), listed, fingerprint, index, search: OnceLock::new() }
    }

    /// The unit and method behind a generated tool's name, listed or folded.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<(&Arc<CatalogUnit>, &Arc<MappedMethod>)> {
        let (unit, method) = self.index.get(name)?;
        let unit = self.units.get(*unit)?;
        Some((unit, unit.mapped.methods.get(*method)?))
    }

    /// The unit of an app and service.
    #[must_use]
    pub fn unit(&self, app_id: &str, service: Option<&str>) -> Option<&Arc<CatalogUnit>> {
        self.units.iter().find(|unit| unit.unit.app.id == app_id && unit.unit.service.as_deref() == service)
    }

    /// The tools that fit a query in plain words, best first; the index is made with the first search.
    #[must_use]
    pub fn search(&self, query: &str) -> Vec<Hit<'_>> {
        self.search.get_or_init(|| SearchIndex::of(&self.units)).find(query)
    }

    /// Whether any unit's tools are left out of the list.
    #[must_use]
    pub fn folds(&self) -> bool {
        self.units.iter().any(|unit| unit.folded)
    }
}

/// Every method is named before any is left out, so that a name does not depend on the mode.
fn served(unit: Unit, mapped: Arc<MappedUnit>, names: Vec<Option<String>>, chosen: &Chosen) -> CatalogUnit {
    let left_out = !chosen.has(&unit.app);
    let chosen_only = |(name, method): (Option<String>, &Arc<MappedMethod>)| {
        name.filter(|_| !left_out && chosen.has_category(method.method.category.as_deref()))
    };
    let tool_names = names.into_iter().zip(&mapped.methods).map(chosen_only).collect();
    CatalogUnit { unit, mapped, tool_names, folded: false, left_out, read_only: chosen.read_only }
}

fn index_of(units: &[CatalogUnit]) -> HashMap<String, (usize, usize)> {
    let mut index = HashMap::new();
    for (at, unit) in units.iter().enumerate() {
        for (method, name) in unit.tool_names.iter().enumerate() {
            if let Some(name) = name {
                index.insert(name.clone(), (at, method));
            }
        }
    }
    index
}

/// Whether a method of this role becomes a tool.
#[must_use]
pub(crate) fn is_tool(role: Role, list_internal: bool) -> bool {
    match role {
        Role::Ordinary => true,
        Role::Initialiser => false,
        Role::Handler | Role::Timer => list_internal,
    }
}
