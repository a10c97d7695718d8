//! The checks a call passes before its arguments are looked at: the app as installed now, the handle, the context.
//!
//! Order and outcome are fixed by the design (§6): a missing, forged or stale handle is refused with the app's guide
//! even when the arguments are wrong too. Knows apps and contexts, no protocol and no ABI.

mod context;
pub(crate) mod handle;
pub(crate) mod key;
mod refusal;

pub(crate) use context::choose;
pub use context::{Aliases, find};
pub(crate) use handle::Handle;
pub use refusal::Refusal;

use crate::gate::key::Key;
use crate::source::Unit;

/// Checks a presented handle against the unit as installed now.
///
/// # Errors
/// No handle, one this server did not make, or one for another app, version, guide or service.
pub(crate) fn check_handle(unit: &Unit, key: Option<&Key>, presented: Option<&str>) -> Result<Handle, Refusal> {
    presented
        .and_then(|text| Handle::read(text, key?))
        .filter(|handle| is_for(handle, unit))
        .ok_or_else(|| Refusal::select_first(unit))
}

/// The handle of a unit as it is now; without a context it is one to plan with.
#[must_use]
pub(crate) fn bind(unit: &Unit, context: Option<String>) -> Handle {
    let app = &unit.app;
    Handle {
        application: app.id.clone(),
        package: app.label().to_owned(),
        version: app.version_text().to_owned(),
        guide: app.guide_hash(),
        context,
        service: unit.service.clone(),
    }
}

/// Whether a handle was made for exactly this release, guide and service.
fn is_for(handle: &Handle, unit: &Unit) -> bool {
    *handle == Handle { context: handle.context.clone(), ..bind(unit, None) }
}
