//! Small answers of components, on disk: what a mapper recognised in a manifest, what an engine cannot run. So a start
//! loads no engine to list its functions, and copies no manifest into mappers that looked at it before.
//!
//! In comes the digest of everything an answer depends on, and an answer; out comes the answer again. An entry that is
//! damaged, of another format or of another key is a miss. Lives in the mapping cache's folder and asks the same of it.

use super::cache_folder::CacheFolder;
use super::digest::Digest;
use super::folder::FolderError;
use super::mapping_cache::MappingKey;
use super::recall::Cache;
use crate::model::{Fit, Recognition, SubjectVersion, Unsupported};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::marker::PhantomData;
use std::path::Path;

/// Largest entry read, in bytes: a line for each of a hundred thousand functions.
const MAX_ENTRY: u64 = 16 << 20;

/// An answer that can be kept.
pub(super) trait Answer: Clone + Send + Sync + 'static {
    /// The shape it has on disk.
    type Stored: Serialize + DeserializeOwned;
    /// The end of its entries' names.
    const KIND: &str;
    /// Raised whenever the meaning or shape of what is stored changes.
    const FORMAT: u32;

    fn to_stored(&self) -> Self::Stored;
    fn from_stored(stored: Self::Stored) -> Self;
}

/// What an answer depends on, all of it in one digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AnswerKey(Digest);

impl AnswerKey {
    /// What a component recognises in a manifest.
    pub(super) fn recognition(manifest: &Digest, component: &Digest) -> Self {
        Self::of(&[manifest, component], "")
    }

    /// What an engine says of the call-specs of a mapping.
    pub(super) fn support(mapping: &MappingKey, engine: &Digest) -> Self {
        let MappingKey { manifest, component, options } = mapping;
        Self::of(&[manifest, component, engine], if options.list_internal { "internal" } else { "" })
    }

    fn of(parts: &[&Digest], settings: &str) -> Self {
        let parts: String = parts.iter().map(|part| format!("{part} ")).collect();
        Self(Digest::of(format!("{parts}{settings}").as_bytes()))
    }
}

/// Recognised as what; `None`: not at all.
pub(super) type Recognised = Option<Recognition>;

/// `None`: it does not read the format of these call-specs. Else those it cannot run.
pub(super) type Support = Option<Vec<Unsupported>>;

/// The cache of one kind of answer. It blocks on the disk.
#[derive(Debug)]
pub(super) struct AnswerCache<A> {
    folder: CacheFolder,
    answers: PhantomData<fn() -> A>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<S> {
    format: u32,
    key: String,
    answer: S,
}

impl<A: Answer> AnswerCache<A> {
    pub(super) fn open(folder: &Path) -> Result<Self, FolderError> {
        CacheFolder::open(folder).map(|folder| Self { folder, answers: PhantomData })
    }

    fn name(key: &AnswerKey) -> String {
        format!("{}.{}", key.0, A::KIND)
    }
}

impl<A: Answer> Cache for AnswerCache<A> {
    type Key = AnswerKey;
    type Value = A;

    fn get(&self, key: &AnswerKey) -> Option<A> {
        let mut bytes = Vec::new();
        self.folder.file(&Self::name(key))?.take(MAX_ENTRY).read_to_end(&mut bytes).ok()?;
        let entry: Entry<A::Stored> = serde_json::from_slice(&bytes).ok()?;
        (entry.format == A::FORMAT && entry.key == key.0.to_string()).then(|| A::from_stored(entry.answer))
    }

    /// Failing to store is no error: the component is asked again next time.
    fn put(&self, key: &AnswerKey, answer: &A) {
        let entry = Entry { format: A::FORMAT, key: key.0.to_string(), answer: answer.to_stored() };
        let written = serde_json::to_vec(&entry)
            .map_err(std::io::Error::from)
            .and_then(|bytes| self.folder.write(&Self::name(key), &bytes));
        if let Err(error) = written {
            tracing::warn!(%error, "an answer of a component is not kept");
        }
    }
}

impl Answer for Support {
    /// Position and reason of each.
    type Stored = Option<Vec<(usize, String)>>;
    const KIND: &str = "support";
    const FORMAT: u32 = 2;

    fn to_stored(&self) -> Self::Stored {
        let rows = |all: &Vec<Unsupported>| all.iter().map(|one| (one.index, one.reason.clone())).collect();
        self.as_ref().map(rows)
    }

    fn from_stored(stored: Self::Stored) -> Self {
        stored.map(|rows| rows.into_iter().map(|(index, reason)| Unsupported { index, reason }).collect())
    }
}

/// A recognition on disk.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredRecognition {
    ecosystem: String,
    format: String,
    subject_version: Option<String>,
    exact: bool,
    reasons: Vec<String>,
}

impl Answer for Recognised {
    type Stored = Option<StoredRecognition>;
    const KIND: &str = "recognition";
    const FORMAT: u32 = 1;

    fn to_stored(&self) -> Self::Stored {
        self.as_ref().map(|recognition| StoredRecognition {
            ecosystem: recognition.ecosystem.clone(),
            format: recognition.format.clone(),
            subject_version: recognition.subject_version.as_ref().map(|version| version.0.clone()),
            exact: recognition.fit == Fit::Exact,
            reasons: recognition.reasons.clone(),
        })
    }

    fn from_stored(stored: Self::Stored) -> Self {
        stored.map(|stored| Recognition {
            ecosystem: stored.ecosystem,
            format: stored.format,
            subject_version: stored.subject_version.map(SubjectVersion),
            fit: if stored.exact { Fit::Exact } else { Fit::Compatible },
            reasons: stored.reasons,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MapOptions;
    use std::fmt::Debug;

    fn key(engine: &[u8]) -> AnswerKey {
        let mapping = MappingKey {
            manifest: Digest::of(b"m"),
            component: Digest::of(b"c"),
            options: MapOptions { list_internal: true },
        };
        AnswerKey::support(&mapping, &Digest::of(engine))
    }

    fn reads_back_for_its_own_key_only<A: Answer + PartialEq + Debug>(some: A, none: A) {
        let parent = tempfile::tempdir().unwrap();
        let cache = AnswerCache::<A>::open(&parent.path().join("m")).unwrap();
        cache.put(&key(b"a"), &some);
        cache.put(&key(b"b"), &none);
        assert_eq!(cache.get(&key(b"a")), Some(some));
        assert_eq!(cache.get(&key(b"b")), Some(none));
        assert_eq!(cache.get(&key(b"c")), None);
        std::fs::write(parent.path().join("m").join(AnswerCache::<A>::name(&key(b"a"))), "{").unwrap();
        assert_eq!(cache.get(&key(b"a")), None);
    }

    #[test]
    fn what_an_engine_cannot_run_reads_back_for_its_own_key_only() {
        let some = vec![Unsupported { index: 3, reason: "not there".to_owned() }];
        reads_back_for_its_own_key_only::<Support>(Some(some), None);
    }

    #[test]
    fn what_a_mapper_recognises_reads_back_for_its_own_key_only() {
        let some = Recognition {
            ecosystem: "e".to_owned(),
            format: "f/1".to_owned(),
            subject_version: Some(SubjectVersion("1.2".to_owned())),
            fit: Fit::Compatible,
            reasons: vec!["r".to_owned()],
        };
        reads_back_for_its_own_key_only::<Recognised>(Some(some), None);
    }

    #[test]
    fn each_part_of_a_key_counts() {
        let (a, b) = (Digest::of(b"a"), Digest::of(b"b"));
        assert_ne!(AnswerKey::recognition(&a, &b), AnswerKey::recognition(&b, &a));
        let mapping = |list_internal| MappingKey { manifest: a, component: b, options: MapOptions { list_internal } };
        assert_ne!(AnswerKey::support(&mapping(true), &a), AnswerKey::support(&mapping(false), &a));
    }
}
