//! Values an extension keeps from one call to the next: one file a key, in a folder of the plugin's own.
//!
//! In comes a key and a value, out comes the value again. Files are named by the digest of their key, so that no key is
//! ever a path (D08), and appear whole. The sum of all is bounded; two writers at once may pass the bound by one value.

use super::digest::Digest;
use super::folder::OwnedFolder;
use crate::sandbox::{Keeper, Refusal};
use std::io::Read;
use std::path::PathBuf;

/// Bytes of all values and keys together. Protects the disk; it is for notes and cursors, not for data.
const LIMIT: u64 = 1 << 20;

/// Files at most, empty values included.
const MOST: usize = 1_000;

/// Bytes of the longest key (`wit/tool`, `refusal.key`).
const LONGEST_KEY: usize = 256;

/// The end of a value's file name.
const SUFFIX: &str = ".value";

/// A store below one folder; the folder is made with the first value.
#[derive(Debug)]
pub(crate) struct FolderKeeper {
    path: PathBuf,
}

impl FolderKeeper {
    /// A store in this folder, which nothing else may use.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    fn open(&self) -> Result<OwnedFolder, Refusal> {
        OwnedFolder::open(&self.path).map_err(|error| Refusal::Unavailable(error.to_string()))
    }

    /// Every value's file name and size.
    fn files(&self) -> Result<Vec<(String, u64)>, Refusal> {
        let entries = match std::fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Refusal::Unavailable(error.to_string())),
        };
        let size = |entry: std::fs::DirEntry| {
            let name = entry.file_name().into_string().ok().filter(|name| name.ends_with(SUFFIX))?;
            Some((name, entry.metadata().ok()?.len()))
        };
        Ok(entries.flatten().filter_map(size).collect())
    }
}

impl Keeper for FolderKeeper {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Refusal> {
        let name = file_name(key)?;
        Ok(read(&self.open()?, &name).filter(|(found, _)| found == key).map(|(_, value)| value))
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<(), Refusal> {
        let name = file_name(key)?;
        let files = self.files()?;
        let others = files.iter().filter(|(other, _)| *other != name);
        let (count, used) = others.fold((0, 0), |(count, used), (_, size)| (count + 1, used + size));
        let bytes = entry(key, value);
        if used + bytes.len() as u64 > LIMIT || count >= MOST {
            return Err(Refusal::Full(LIMIT));
        }
        self.open()?.write(&name, &bytes).map_err(|error| Refusal::Unavailable(error.to_string()))
    }

    fn delete(&self, key: &str) -> Result<(), Refusal> {
        let name = file_name(key)?;
        self.open()?.remove(&name);
        Ok(())
    }

    fn keys(&self) -> Result<Vec<String>, Refusal> {
        let folder = self.open()?;
        let mut keys: Vec<String> =
            self.files()?.iter().filter_map(|(name, _)| read(&folder, name).map(|(key, _)| key)).collect();
        keys.sort();
        Ok(keys)
    }
}

fn file_name(key: &str) -> Result<String, Refusal> {
    if key.is_empty() || key.len() > LONGEST_KEY {
        return Err(Refusal::Key);
    }
    Ok(format!("{}{SUFFIX}", Digest::of(key.as_bytes())))
}

/// The key's length in two bytes, the key, the value.
fn entry(key: &str, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(key.len()).unwrap_or(u16::MAX);
    [&length.to_be_bytes(), key.as_bytes(), value].concat()
}

/// A key and its value; a damaged file is as if it were not there.
fn read(folder: &OwnedFolder, name: &str) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    folder.file(name)?.take(LIMIT).read_to_end(&mut bytes).ok()?;
    let (length, rest) = bytes.split_first_chunk::<2>()?;
    let (key, value) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    Some((String::from_utf8(key.to_vec()).ok()?, value.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d08_values_read_back_and_no_key_leaves_the_folder() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("plugin");
        let keeper = FolderKeeper::new(folder.clone());
        assert_eq!(keeper.get("a"), Ok(None));
        let keys = ["../../../x", "/x", "a/../../x", "C:\\x", "a\0b", "\u{202e}"];
        for key in keys {
            keeper.set(key, key.as_bytes()).unwrap();
        }
        for key in keys {
            assert_eq!(keeper.get(key), Ok(Some(key.as_bytes().to_vec())));
        }
        assert_eq!(keeper.keys().unwrap().len(), keys.len());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), keys.len());
        keeper.delete("/x").unwrap();
        keeper.delete("/x").unwrap();
        assert_eq!(keeper.get("/x"), Ok(None));
        assert_eq!(keeper.set("", b""), Err(Refusal::Key));
        assert_eq!(keeper.set(&"k".repeat(257), b""), Err(Refusal::Key));
    }

    #[test]
    fn a_store_is_full_before_it_fills_the_disk_and_a_value_can_be_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let keeper = FolderKeeper::new(parent.path().join("plugin"));
        let half = vec![b'x'; 600 << 10];
        keeper.set("a", &half).unwrap();
        keeper.set("a", &half).unwrap();
        assert_eq!(keeper.set("b", &half), Err(Refusal::Full(LIMIT)));
        assert_eq!(keeper.get("b"), Ok(None));
        keeper.delete("a").unwrap();
        keeper.set("b", &half).unwrap();
    }
}
