//! What the lists depend on, in one comparable value.

use crate::catalog::mapped::MappedUnit;
use crate::source::Unit;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Equal fingerprints mean equal lists, so a read that finds the same one announces nothing.
///
/// Over application id, content address, version, service, guide hash, name and signer of each unit, and the digest of
/// its mapping: a swapped mapper changes the lists only if it maps otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fingerprint(Vec<u8>);

impl Fingerprint {
    /// The fingerprint of sorted units.
    #[must_use]
    pub fn of(units: &[(Unit, Arc<MappedUnit>)]) -> Self {
        let mut hash = Sha256::new();
        for (unit, mapped) in units {
            let app = &unit.app;
            let or_nothing = |text: &Option<String>| text.clone().unwrap_or_default();
            for field in [
                app.id.clone(),
                app.content.clone(),
                or_nothing(&app.version),
                or_nothing(&unit.service),
                app.guide_hash(),
                or_nothing(&app.name),
                or_nothing(&app.signer),
                mapped.digest().to_string(),
            ] {
                // The length keeps neighbouring fields apart whatever characters they hold.
                hash.update((field.len() as u64).to_le_bytes());
                hash.update(field.as_bytes());
            }
        }
        Self(hash.finalize().to_vec())
    }
}
