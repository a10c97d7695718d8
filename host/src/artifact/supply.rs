//! What the operator wants now, read again whenever its files change.
//!
//! In comes whoever knows where the configuration is, out come [`Wanted`] plugins and the [`Lock`]. A file is known by
//! what the system says of it, so looking whether anything has changed costs no reading.

use crate::artifact::Wanted;
use crate::artifact::lock::Lock;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the operator wants, and what of it was accepted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Supplied {
    /// The plugins, in the configuration's order.
    pub wanted: Vec<Wanted>,
    /// What was accepted.
    pub lock: Lock,
}

/// Knows where the operator's word is kept.
pub trait Supply: Debug + Send + Sync {
    /// Reads it. Blocks on the disk.
    ///
    /// # Errors
    /// Why it cannot be used, in words; what held before then still does.
    fn read(&self) -> Result<Supplied, String>;

    /// The files it is kept in.
    fn files(&self) -> Vec<PathBuf>;
}

/// What the operator wants, without plugins whose names the command line gives to others: what is typed for one start goes
/// before what is written down for all.
#[derive(Debug)]
pub(super) struct Beside {
    supply: Arc<dyn Supply>,
    named: BTreeSet<String>,
}

impl Beside {
    pub(super) fn new(supply: Arc<dyn Supply>, named: BTreeSet<String>) -> Self {
        Self { supply, named }
    }
}

impl Supply for Beside {
    fn read(&self) -> Result<Supplied, String> {
        let mut supplied = self.supply.read()?;
        for name in &self.named {
            supplied.wanted.retain(|wanted| wanted.name != *name);
            supplied.lock.remove(name);
        }
        Ok(supplied)
    }

    fn files(&self) -> Vec<PathBuf> {
        self.supply.files()
    }
}

/// Tells files that changed from the same ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Stamps(Vec<(PathBuf, Option<Stamp>)>);

/// Device, inode, length, and the times of the last change of content and of anything, to the nanosecond: a file that
/// was put in another's place has another inode even where it is as long and as old.
pub(super) type Stamp = (u64, u64, u64, (i64, i64), (i64, i64));

impl Stamps {
    /// The files as they are now.
    pub(super) fn of(files: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(files.into_iter().map(|file| (stamp(&file), file)).map(|(stamp, file)| (file, stamp)).collect())
    }

    /// Whether they are still as they were.
    pub(super) fn hold(&self) -> bool {
        self.0.iter().all(|(file, known)| stamp(file) == *known)
    }
}

fn stamp(file: &Path) -> Option<Stamp> {
    std::fs::metadata(file).ok().map(|metadata| stamp_of(&metadata))
}

/// What the system says of a file.
pub(super) fn stamp_of(metadata: &Metadata) -> Stamp {
    let changed = (metadata.mtime(), metadata.mtime_nsec());
    (metadata.dev(), metadata.ino(), metadata.len(), changed, (metadata.ctime(), metadata.ctime_nsec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_comes_changes_is_replaced_or_goes_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("plugin.wasm");
        let look = || Stamps::of([file.clone()]);
        let missing = look();
        std::fs::write(&file, "one").unwrap();
        assert!(missing.hold().then_some(()).is_none());
        let first = look();
        assert!(first.hold());
        let other = folder.path().join("other");
        std::fs::write(&other, "two").unwrap();
        std::fs::rename(&other, &file).unwrap();
        assert!(!first.hold(), "as long and as old, but another file");
        let second = look();
        std::fs::remove_file(&file).unwrap();
        assert!(!second.hold());
    }
}
