//! Mappings on disk, so that a manifest is mapped once for each mapper and not once for each start.
//!
//! In comes a key (manifest, component, options) and a mapping, out comes the mapping again. What is stored has
//! types of its own with a format number; an entry that is damaged, of another format, or of another key is a miss. Of
//! the folder it asks the same as the compiled-code cache: whoever writes a mapping decides what a tool says and sends.

use super::cache_folder::CacheFolder;
use super::digest::Digest;
use super::folder::FolderError;
use super::recall::Cache;
use crate::model::{MapOptions, Mapping};
use std::io::Read;
use std::path::Path;

mod stored;

/// Raised whenever the meaning or shape of what is stored changes; other formats are misses.
const FORMAT: u32 = 2;

/// Largest entry read, in bytes: what a mapper may hand over (64 MiB), with room for escapes.
const MAX_ENTRY: u64 = 256 << 20;

/// What a mapping depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappingKey {
    /// The manifest's bytes.
    pub manifest: Digest,
    /// The mapper's bytes.
    pub component: Digest,
    /// What was asked of it.
    pub options: MapOptions,
}

impl MappingKey {
    fn name(&self) -> String {
        let key = format!("{}{}{}", self.manifest, self.component, self.options.list_internal);
        format!("{}.mapping", Digest::of(key.as_bytes()))
    }
}

/// The cache. It blocks on the disk, so use it where that is allowed.
#[derive(Debug)]
pub struct MappingCache {
    folder: CacheFolder,
}

impl MappingCache {
    /// Opens the cache in a folder, making it where it is missing.
    ///
    /// # Errors
    /// When the folder cannot be trusted or used; the caller then maps anew each time.
    pub fn open(folder: &Path) -> Result<Self, FolderError> {
        CacheFolder::open(folder).map(|folder| Self { folder })
    }
}

impl Cache for MappingCache {
    type Key = MappingKey;
    type Value = Mapping;

    /// A bad entry is removed.
    fn get(&self, key: &MappingKey) -> Option<Mapping> {
        let name = key.name();
        let mut bytes = Vec::new();
        self.folder.file(&name)?.take(MAX_ENTRY).read_to_end(&mut bytes).ok()?;
        let mapping = stored::read(&bytes, key);
        if mapping.is_none() {
            tracing::debug!(name, "a damaged mapping is removed from the cache");
            self.folder.remove(&name);
        }
        mapping
    }

    fn put(&self, key: &MappingKey, mapping: &Mapping) {
        let written = stored::write(key, mapping).and_then(|bytes| self.folder.write(&key.name(), &bytes));
        if let Err(error) = written {
            tracing::warn!(%error, "a mapping is not kept");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Access, CallSpec, Method, Note, Parameter, Role, Skipped};
    use serde_json::json;

    fn key(manifest: &[u8]) -> MappingKey {
        MappingKey { manifest: Digest::of(manifest), component: Digest::of(b"c"), options: MapOptions::default() }
    }

    fn mapping() -> Mapping {
        let object = |value: serde_json::Value| value.as_object().cloned().unwrap();
        let method = Method {
            name: "set".to_owned(),
            title: Some("Set".to_owned()),
            doc: None,
            signature: "set(key: string)".to_owned(),
            role: Role::Initialiser,
            access: Access::View,
            destructive: Some(true),
            idempotent: Some(false),
            open_world: None,
            category: Some("c".to_owned()),
            keywords: vec!["k".to_owned()],
            parameters: vec![Parameter { name: "key".to_owned(), required: true, doc: None }],
            input_schema: object(json!({"type": "object", "properties": {"b": {}, "a": {"maximum": u64::MAX}}})),
            output_schema: Some(json!(true)),
            plan: [0, 255, 7].into(),
            call_spec: Some(CallSpec { format: "f".to_owned(), bytes: [1].into() }),
            needs_encode: true,
            needs_decode: false,
            meta: Some(object(json!({"x": 1}))),
        };
        let skipped = vec![Skipped { method: "#3".to_owned(), reason: "r".to_owned() }];
        let notes = vec![Note { method: None, path: "p".to_owned(), text: "t".to_owned() }];
        Mapping { methods: vec![method], skipped, notes }
    }

    #[test]
    fn a_mapping_reads_back_as_it_was_stored() {
        let parent = tempfile::tempdir().unwrap();
        let cache = MappingCache::open(&parent.path().join("m")).unwrap();
        assert_eq!(cache.get(&key(b"m")), None);
        cache.put(&key(b"m"), &mapping());
        assert_eq!(cache.get(&key(b"m")), Some(mapping()));
        let order: Vec<String> = cache.get(&key(b"m")).unwrap().methods[0].input_schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        assert_eq!(order, ["b", "a"], "properties keep their order");
        assert_eq!(cache.get(&MappingKey { options: MapOptions { list_internal: true }, ..key(b"m") }), None);
    }

    #[test]
    fn a_damaged_entry_is_a_miss_and_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("m");
        let cache = MappingCache::open(&folder).unwrap();
        cache.put(&key(b"m"), &mapping());
        let path = folder.join(key(b"m").name());
        let good = std::fs::read(&path).unwrap();
        let other_format = String::from_utf8(good.clone()).unwrap().replacen("\"format\":2", "\"format\":1", 1);
        let half = good.len() / 2;
        for bad in [b"".as_slice(), &good[..half], b"null", other_format.as_bytes()] {
            std::fs::write(&path, bad).unwrap();
            assert_eq!(cache.get(&key(b"m")), None);
            assert!(!path.exists());
        }
        // Someone else's good entry under this name.
        cache.put(&key(b"other"), &mapping());
        std::fs::rename(folder.join(key(b"other").name()), &path).unwrap();
        assert_eq!(cache.get(&key(b"m")), None);
    }
}
