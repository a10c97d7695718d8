//! Digests of files that have not changed since they were hashed, so that looking through all plugins reads none of them.
//!
//! In comes a path, out comes its file's digest: the one written down when the system says the file is the same (the
//! rules of [`super::supply`]), else a new one. What is written down decides only whether a change is told early: the bytes
//! that run are hashed themselves, whatever stands here. A folder that cannot be used is done without.

use super::cache_folder::CacheFolder;
use super::digest::{Digest, Hasher};
use super::locate::{self, LocateError};
use super::supply::{Stamp, stamp_of};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Raised whenever the meaning or shape of an entry changes.
const FORMAT: u32 = 1;

/// Largest entry read, in bytes; one has a few hundred.
const MAX_ENTRY: u64 = 4 << 10;

/// The folder below the cache.
const FOLDER: &str = "digests";

/// A file younger than this is hashed again next time: a file system's clock has steps, and within one a file can
/// change and look the same. Two seconds is the coarsest step there is.
const SETTLED: Duration = Duration::from_secs(2);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    format: u32,
    stamp: Stamp,
    digest: String,
}

/// A plugin file's digest; `cache` is this program's folder for what can be made again. Blocks on the disk.
///
/// # Errors
/// Those of [`locate::read`].
pub(super) fn digest(path: &Path, cache: Option<&Path>) -> Result<Digest, LocateError> {
    let file = locate::open(path)?;
    let folder = cache.and_then(|cache| CacheFolder::open(&cache.join(FOLDER)).ok());
    let name = format!("{}.seen", Digest::of(path.as_os_str().as_encoded_bytes()));
    let before = file.metadata().ok().map(|metadata| stamp_of(&metadata));
    if let Some(known) = folder.as_ref().zip(before).and_then(|(folder, stamp)| get(folder, &name, stamp)) {
        return Ok(known);
    }
    let digest = hash(&file, path)?;
    let after = file.metadata().ok().map(|metadata| stamp_of(&metadata));
    if let (Some(folder), Some(stamp)) = (folder, after.filter(|after| before == Some(*after) && is_settled(*after))) {
        let entry = Entry { format: FORMAT, stamp, digest: digest.to_string() };
        // Without it the file is hashed again.
        let _ = folder.write(&name, &serde_json::to_vec(&entry).unwrap_or_default());
    }
    Ok(digest)
}

fn get(folder: &CacheFolder, name: &str, stamp: Stamp) -> Option<Digest> {
    let mut bytes = Vec::new();
    folder.file(name)?.take(MAX_ENTRY).read_to_end(&mut bytes).ok()?;
    let entry: Entry = serde_json::from_slice(&bytes).ok()?;
    (entry.format == FORMAT && entry.stamp == stamp).then(|| Digest::parse(&entry.digest)).flatten()
}

/// Whether neither content nor anything else of a file has changed lately; a time to come is no time that has passed.
fn is_settled(stamp: Stamp) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let limit = i64::try_from(now.saturating_sub(SETTLED).as_secs()).unwrap_or_default();
    let (_, _, _, (changed, _), (touched, _)) = stamp;
    changed < limit && touched < limit
}

/// The digest of a file's content, which is never in memory whole.
fn hash(file: &File, path: &Path) -> Result<Digest, LocateError> {
    let failed = |source| LocateError::Read { path: path.to_owned(), source };
    let mut hasher = Hasher::default();
    let read = std::io::copy(&mut file.take(locate::MAX_FILE + 1), &mut hasher).map_err(failed)?;
    if read > locate::MAX_FILE {
        return Err(LocateError::TooLarge { path: path.to_owned(), limit: locate::MAX_FILE });
    }
    Ok(hasher.digest())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::FileTimes;
    use std::path::PathBuf;

    /// A file that was last written an hour ago, as far as its own times can say so.
    fn file(folder: &Path, content: &str) -> PathBuf {
        let path = folder.join("p.wasm");
        std::fs::write(&path, content).unwrap();
        let hour_ago = SystemTime::now() - Duration::from_secs(3_600);
        File::options().write(true).open(&path).unwrap().set_times(FileTimes::new().set_modified(hour_ago)).unwrap();
        path
    }

    fn put(cache: &Path, path: &Path, digest: Digest) {
        let folder = CacheFolder::open(&cache.join(FOLDER)).unwrap();
        let stamp = stamp_of(&std::fs::metadata(path).unwrap());
        let entry = Entry { format: FORMAT, stamp, digest: digest.to_string() };
        let name = format!("{}.seen", Digest::of(path.as_os_str().as_encoded_bytes()));
        folder.write(&name, &serde_json::to_vec(&entry).unwrap()).unwrap();
    }

    #[test]
    fn a_file_that_has_not_changed_is_not_hashed_again_and_one_that_has_is() {
        let folder = tempfile::tempdir().unwrap();
        let (path, cache) = (file(folder.path(), "one"), folder.path().join("cache"));
        let written_down = Digest::of(b"what was written down");
        assert_eq!(digest(&path, Some(&cache)).unwrap(), Digest::of(b"one"));
        put(&cache, &path, written_down);
        assert_eq!(digest(&path, Some(&cache)).unwrap(), written_down);
        assert_eq!(digest(&path, None).unwrap(), Digest::of(b"one"), "without a cache it is always hashed");
        // As long, and as old as far as the time of its content says.
        let path = file(folder.path(), "two");
        assert_eq!(digest(&path, Some(&cache)).unwrap(), Digest::of(b"two"));
    }

    #[test]
    fn a_file_that_was_just_written_is_not_written_down() {
        let folder = tempfile::tempdir().unwrap();
        let (path, cache) = (file(folder.path(), "one"), folder.path().join("cache"));
        digest(&path, Some(&cache)).unwrap();
        assert_eq!(std::fs::read_dir(cache.join(FOLDER)).unwrap().count(), 0, "its inode changed a moment ago");
        let stamp = stamp_of(&std::fs::metadata(&path).unwrap());
        let old = |seconds| (seconds, 0);
        assert!(!is_settled(stamp));
        assert!(is_settled((stamp.0, stamp.1, stamp.2, old(1_000), old(1_000))));
        assert!(!is_settled((stamp.0, stamp.1, stamp.2, old(1_000), old(i64::MAX))), "a clock that was set back");
    }

    #[test]
    fn d09_a_file_over_the_cap_and_one_that_is_none_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let large = file(folder.path(), "");
        File::options().write(true).open(&large).unwrap().set_len(locate::MAX_FILE + 1).unwrap();
        assert_eq!(digest(&large, None).unwrap_err().code(), "artifact::too_large");
        assert_eq!(digest(folder.path(), None).unwrap_err().code(), "artifact::not_a_file");
    }
}
