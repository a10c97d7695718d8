//! How many tools are listed at once.

use crate::catalog::read::Settings;
use crate::catalog::snapshot::CatalogUnit;
use std::collections::HashMap;

/// Tools listed by default, fixed ones included. Clients stop at 128 over all servers and grow unreliable from 100.
pub const DEFAULT_TOOLS: usize = 100;

/// Folds whole apps, the largest first, until the rest fits. Ties fold the later app, so that the choice depends on
/// nothing but what is installed. Folding lists the rest of the fixed tools, those that search.
pub(crate) fn fold(units: &mut [CatalogUnit], settings: &Settings) {
    let mut sizes: Vec<(String, usize)> = Vec::new();
    for unit in units.iter() {
        let size = unit.tools().len();
        match sizes.iter_mut().find(|(app, _)| *app == unit.unit.app.id) {
            Some((_, sum)) => *sum += size,
            None => sizes.push((unit.unit.app.id.clone(), size)),
        }
    }
    let mut listed: usize = sizes.iter().map(|(_, size)| size).sum();
    if listed + settings.fixed_listed <= settings.budget {
        return;
    }
    let room = settings.budget.saturating_sub(settings.fixed_folding);
    let position: HashMap<String, usize> = sizes.iter().enumerate().map(|(at, (app, _))| (app.clone(), at)).collect();
    sizes.sort_by_key(|(app, size)| std::cmp::Reverse((*size, position.get(app).copied())));
    for (app, size) in sizes {
        if listed <= room {
            return;
        }
        for unit in units.iter_mut().filter(|unit| unit.unit.app.id == app) {
            unit.folded = size > 0;
        }
        listed -= size;
    }
}
