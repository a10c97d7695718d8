//! What the lists depend on, in one comparable value.

use crate::catalog::mapped::MappedUnit;
use crate::source::Unit;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Equal fingerprints mean equal lists, so a read that finds the same one announces nothing.
///
/// Over application id, content address, version, service and guide hash of each unit, and the plugin that mapped it:
/// a swapped mapper may map the same manifest otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fingerprint(Vec<u8>);

impl Fingerprint {
    /// The fingerprint of sorted units.
    #[must_use]
    pub fn of(units: &[(Unit, Arc<MappedUnit>)]) -> Self {
        let mut hash = Sha256::new();
        for (unit, mapped) in units {
            let app = &unit.app;
            let guide = app.guide_hash();
            let digest = mapped.plugin.digest().to_string();
            let fields = [
                app.id.as_str(),
                &app.content,
                app.version_text(),
                unit.service.as_deref().unwrap_or(""),
                &guide,
                &digest,
            ];
            for field in fields {
                // The length keeps neighbouring fields apart whatever characters they hold.
                hash.update((field.len() as u64).to_le_bytes());
                hash.update(field.as_bytes());
            }
        }
        Self(hash.finalize().to_vec())
    }
}
