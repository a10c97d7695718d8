//! What an engine said of a mapping's call-specs, on disk: so that a start need not load the engine to list its tools.
//!
//! In comes a key (mapping and engine) and an answer, out comes the answer again. An entry that is damaged, of another
//! format or of another key is a miss. Lives in the mapping cache's folder and asks the same of it.

use super::digest::Digest;
use super::folder::{FolderError, OwnedFolder};
use super::mapping_cache::MappingKey;
use super::recall::Cache;
use crate::model::Unsupported;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

/// Raised whenever the meaning or shape of what is stored changes.
const FORMAT: u32 = 1;

/// Largest entry read, in bytes: a line for each of a hundred thousand functions.
const MAX_ENTRY: u64 = 16 << 20;

/// What an answer depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SupportKey {
    pub(super) mapping: MappingKey,
    pub(super) engine: Digest,
}

/// `None`: it does not read the format of these call-specs. Else those it cannot run.
pub(super) type Support = Option<Vec<Unsupported>>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    format: u32,
    key: String,
    unsupported: Option<Vec<(usize, String)>>,
}

impl SupportKey {
    fn digest(&self) -> Digest {
        let MappingKey { manifest, component, options } = self.mapping;
        Digest::of(format!("{manifest}{component}{}{}", options.list_internal, self.engine).as_bytes())
    }

    fn name(&self) -> String {
        format!("{}.support", self.digest())
    }
}

/// The cache. It blocks on the disk.
#[derive(Debug)]
pub(super) struct SupportCache(OwnedFolder);

impl SupportCache {
    pub(super) fn open(folder: &Path) -> Result<Self, FolderError> {
        OwnedFolder::open(folder).map(Self)
    }
}

impl Cache for SupportCache {
    type Key = SupportKey;
    type Value = Support;

    fn get(&self, key: &SupportKey) -> Option<Support> {
        let mut bytes = Vec::new();
        self.0.file(&key.name())?.take(MAX_ENTRY).read_to_end(&mut bytes).ok()?;
        let entry: Entry = serde_json::from_slice(&bytes).ok()?;
        let same = entry.format == FORMAT && entry.key == key.digest().to_string();
        let unsupported = |(index, reason)| Unsupported { index, reason };
        same.then(|| entry.unsupported.map(|rows| rows.into_iter().map(unsupported).collect()))
    }

    fn put(&self, key: &SupportKey, support: &Support) {
        let rows = |all: &Vec<Unsupported>| all.iter().map(|one| (one.index, one.reason.clone())).collect();
        let entry = Entry { format: FORMAT, key: key.digest().to_string(), unsupported: support.as_ref().map(rows) };
        let written = serde_json::to_vec(&entry)
            .map_err(std::io::Error::from)
            .and_then(|bytes| self.0.write(&key.name(), &bytes));
        if let Err(error) = written {
            tracing::warn!(%error, "what the engine supports is not kept");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MapOptions;

    #[test]
    fn an_answer_reads_back_for_its_own_key_only() {
        let parent = tempfile::tempdir().unwrap();
        let cache = SupportCache::open(&parent.path().join("m")).unwrap();
        let key = |engine: &[u8]| SupportKey {
            mapping: MappingKey {
                manifest: Digest::of(b"m"),
                component: Digest::of(b"c"),
                options: MapOptions::default(),
            },
            engine: Digest::of(engine),
        };
        let some = Some(vec![Unsupported { index: 3, reason: "not there".to_owned() }]);
        cache.put(&key(b"a"), &some);
        cache.put(&key(b"b"), &None);
        assert_eq!(cache.get(&key(b"a")), Some(some));
        assert_eq!(cache.get(&key(b"b")), Some(None));
        assert_eq!(cache.get(&key(b"c")), None);
        std::fs::write(parent.path().join("m").join(key(b"a").name()), "{").unwrap();
        assert_eq!(cache.get(&key(b"a")), None);
    }
}
