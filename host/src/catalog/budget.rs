//! How many tools are listed at once.

use crate::catalog::snapshot::CatalogUnit;

/// Tools listed by default, fixed ones included. Clients stop at 128 over all servers and grow unreliable from 100.
pub const DEFAULT_TOOLS: usize = 100;

/// Folds whole units, the largest first, until the rest fits `room`. Ties fold the later unit, so that the choice
/// depends on nothing but the units.
pub(crate) fn fold(units: &mut [CatalogUnit], room: usize) {
    let sizes: Vec<usize> = units.iter().map(|unit| unit.tools().len()).collect();
    let mut listed: usize = sizes.iter().sum();
    let mut by_size: Vec<usize> = (0..units.len()).collect();
    by_size.sort_by_key(|&at| std::cmp::Reverse((sizes.get(at).copied().unwrap_or(0), at)));
    for at in by_size {
        if listed <= room {
            return;
        }
        if let (Some(unit), Some(size)) = (units.get_mut(at), sizes.get(at)) {
            unit.folded = *size > 0;
            listed -= size;
        }
    }
}
