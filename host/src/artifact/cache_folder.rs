//! A folder of things that can be made again: what nobody uses any more goes.
//!
//! In come entries by name, as with [`OwnedFolder`], which does the work. Every reading is noted in the file's time of
//! change, at most once a day; whoever writes removes what was not read for [`UNUSED`]. So a new catalog or a new build of
//! a plugin does not leave the last one on the disk for ever.

use super::folder::{FolderError, OwnedFolder};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// An entry that was not read for so long is removed: long enough for whoever works with an app now and then, and the worst
/// it costs is making the entry again.
const UNUSED: Duration = Duration::from_hours(60 * 24);

/// How exact the time of the last reading is. A start must not write to the disk each time.
const EXACT: Duration = Duration::from_hours(24);

/// An open, checked folder of entries.
#[derive(Debug)]
pub(super) struct CacheFolder(OwnedFolder);

impl CacheFolder {
    /// As [`OwnedFolder::open`].
    pub(super) fn open(path: &Path) -> Result<Self, FolderError> {
        OwnedFolder::open(path).map(Self)
    }

    /// An entry, as [`OwnedFolder::file`]; from now on it counts as used.
    pub(super) fn file(&self, name: &str) -> Option<File> {
        let file = self.0.file(name)?;
        if age(&file).is_some_and(|age| age > EXACT) {
            // Failing to only makes it go earlier.
            let _ = file.set_modified(SystemTime::now());
        }
        Some(file)
    }

    /// As [`OwnedFolder::path_of`].
    pub(super) fn path_of(&self, file: &File, name: &str) -> PathBuf {
        self.0.path_of(file, name)
    }

    /// Puts a whole entry in place, and removes what is unused.
    ///
    /// # Errors
    /// Those of [`OwnedFolder::write`].
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.0.write(name, bytes)?;
        for unused in self.0.names().into_iter().filter(|name| self.is_unused(name)) {
            tracing::debug!(name = unused, "an unused cache entry is removed");
            self.0.remove(&unused);
        }
        Ok(())
    }

    /// As [`OwnedFolder::remove`].
    pub(super) fn remove(&self, name: &str) {
        self.0.remove(name);
    }

    /// What is not ours to read is not ours to remove either.
    fn is_unused(&self, name: &str) -> bool {
        self.0.file(name).and_then(|file| age(&file)).is_some_and(|age| age > UNUSED)
    }
}

/// Since when a file was neither written nor noted as read; absent where the clock was set back.
fn age(file: &File) -> Option<Duration> {
    file.metadata().ok()?.modified().ok()?.elapsed().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_read_for_long_goes_with_the_next_entry_and_what_was_read_stays() {
        let parent = tempfile::tempdir().unwrap();
        let folder = CacheFolder::open(&parent.path().join("cache")).unwrap();
        let outside = parent.path().join("elsewhere");
        std::fs::write(&outside, "mine").unwrap();
        let entries = ["old", "used", ".old.1.0"];
        for name in entries {
            folder.write(name, b"x").unwrap();
        }
        for name in entries {
            File::open(parent.path().join("cache").join(name)).unwrap().set_modified(long_ago()).unwrap();
        }
        File::open(&outside).unwrap().set_modified(long_ago()).unwrap();
        std::os::unix::fs::symlink(&outside, parent.path().join("cache/link")).unwrap();
        drop(folder.file("used").unwrap());
        folder.write("new", b"x").unwrap();

        let mut left: Vec<String> = folder.0.names();
        left.sort();
        assert_eq!(left, ["link", "new", "used"]);
        assert!(outside.exists());
    }

    fn long_ago() -> SystemTime {
        SystemTime::now() - UNUSED - EXACT
    }
}
