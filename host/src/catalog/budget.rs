//! How many tools are listed at once.

use crate::catalog::read::Settings;
use crate::catalog::snapshot::CatalogUnit;

/// Tools listed by default, fixed ones included. Clients stop at 128 over all servers and grow unreliable from 100.
pub const DEFAULT_TOOLS: usize = 100;

/// Folds whole apps, the largest first, until the rest fits. Ties fold the later app, so that the choice depends on
/// nothing but what is installed. Folding lists the rest of the fixed tools, those that search.
pub(crate) fn fold(units: &mut [CatalogUnit], settings: &Settings) {
    // Size, place in the catalog, application id.
    let mut apps: Vec<(usize, usize, String)> = Vec::new();
    for unit in units.iter() {
        let size = unit.tools().len();
        match apps.iter_mut().find(|(.., app)| *app == unit.unit.app.id) {
            Some((sum, ..)) => *sum += size,
            None => apps.push((size, apps.len(), unit.unit.app.id.clone())),
        }
    }
    let mut listed: usize = apps.iter().map(|(size, ..)| size).sum();
    if listed + settings.fixed_listed <= settings.budget {
        return;
    }
    let room = settings.budget.saturating_sub(settings.fixed_folding);
    apps.sort_by(|a, b| b.cmp(a));
    for (size, _, app) in apps {
        if listed <= room {
            return;
        }
        for unit in units.iter_mut().filter(|unit| unit.unit.app.id == app) {
            unit.folded = size > 0;
        }
        listed -= size;
    }
}
