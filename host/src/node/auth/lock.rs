//! The lock that lets one process at a time use a single-use refresh token.
//!
//! A contract with other programs on this machine: the file `<tokens file>.lock`, created exclusively, holds its
//! owner's process id as text and is removed after the work. Waiters look every 50 ms. A lock is broken when it is older
//! than 30 s, whoever owns it, or when its owner is gone. An id that cannot be read is one being written.
//!
//! Removing a lock is where such schemes fail: between the look and the removal the file may have become another's. So
//! owner and breaker remove only the very file they looked at, and do so under an advisory lock on it.

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::process::{Pid, test_kill_process};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a waiter looks.
const POLL: Duration = Duration::from_millis(50);

/// How old a lock may become before it is broken. Guarded work must be shorter: one bounded request.
const STALE: Duration = Duration::from_secs(30);

/// How long to wait at all: long enough to outlive a stale lock, short enough that a call gets an answer.
const PATIENCE: Duration = Duration::from_secs(45);

/// A held lock; released when dropped, so also when the guarded work fails.
#[derive(Debug)]
pub(crate) struct FileLock {
    path: PathBuf,
    file: File,
}

impl FileLock {
    /// Waits for the lock without blocking the thread.
    ///
    /// # Errors
    ///
    /// The file cannot be created, or others held the lock for 45 s.
    pub(crate) async fn acquire(path: PathBuf) -> io::Result<Self> {
        let until = Instant::now() + PATIENCE;
        loop {
            match create(&path) {
                Ok(file) => return Ok(Self { path, file }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            if remove_if(&path, is_abandoned) {
                continue;
            }
            if Instant::now() >= until {
                let text = format!("{} is held by another process", path.display());
                return Err(io::Error::new(io::ErrorKind::TimedOut, text));
            }
            tokio::time::sleep(POLL).await;
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Broken in the meantime and perhaps another's: then it is not ours to remove.
        if let Ok(own) = self.file.metadata() {
            remove_if(&self.path, |_, found| is_same(found, &own));
        }
    }
}

fn create(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    // A lock without an id is still a lock; it only takes longer to be found abandoned.
    let _ = write!(file, "{}", std::process::id());
    Ok(file)
}

/// Removes the lock file if `condition` holds for it; whether it did.
fn remove_if(path: &Path, condition: impl FnOnce(&File, &Metadata) -> bool) -> bool {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let Ok(file) = OpenOptions::new().read(true).custom_flags(flags).open(path) else {
        return remove_link(path);
    };
    // Whoever else holds it is about to remove the file.
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return false;
    }
    let (Ok(opened), Ok(named)) = (file.metadata(), std::fs::symlink_metadata(path)) else { return false };
    is_same(&opened, &named) && condition(&file, &opened) && std::fs::remove_file(path).is_ok()
}

/// Removes a symbolic link in the lock's place: no owner makes one, and following it would touch another's file.
fn remove_link(path: &Path) -> bool {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    is_link && std::fs::remove_file(path).is_ok()
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

fn is_abandoned(file: &File, metadata: &Metadata) -> bool {
    let age = metadata.modified().ok().and_then(|modified| modified.elapsed().ok()).unwrap_or_default();
    if age > STALE {
        return true;
    }
    let mut text = String::new();
    if file.take(32).read_to_string(&mut text).is_err() {
        return false;
    }
    let owner = text.trim().parse().ok().filter(|id| *id > 0).and_then(Pid::from_raw);
    // Any other refusal, such as a lack of permission, means that the process is there.
    owner.is_some_and(|id| test_kill_process(id) == Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::SystemTime;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens-0.json.lock");
        (folder, path)
    }

    async fn waits(path: &Path, time: Duration) -> bool {
        tokio::time::timeout(time, FileLock::acquire(path.to_owned())).await.is_err()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn there_is_one_holder_at_a_time_and_the_file_is_gone_afterwards() {
        let (_folder, path) = place();
        let (holders, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let (path, holders, most) = (path.clone(), Arc::clone(&holders), Arc::clone(&most));
                tokio::spawn(async move {
                    let _lock = FileLock::acquire(path).await.unwrap();
                    most.fetch_max(holders.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    holders.fetch_sub(1, Ordering::SeqCst);
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(most.load(Ordering::SeqCst), 1);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn the_file_names_its_owner_and_only_its_owner_may_read_it() {
        let (_folder, path) = place();
        let lock = FileLock::acquire(path.clone()).await.unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), std::process::id().to_string());
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        drop(lock);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn f03_a_live_owner_is_waited_for() {
        let (_folder, path) = place();
        std::fs::write(&path, std::process::id().to_string()).unwrap();
        assert!(waits(&path, Duration::from_millis(150)).await);
        assert!(path.exists());
        let unlock = path.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(60)).await;
            std::fs::remove_file(unlock).unwrap();
        });
        assert!(!waits(&path, Duration::from_secs(5)).await);
    }

    #[tokio::test]
    async fn f03_the_lock_of_a_dead_owner_is_broken_at_once() {
        let (_folder, path) = place();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        std::fs::write(&path, child.id().to_string()).unwrap();
        assert!(!waits(&path, Duration::from_secs(5)).await);
    }

    #[tokio::test]
    async fn f03_an_old_lock_is_broken_even_if_its_owner_lives() {
        let (_folder, path) = place();
        std::fs::write(&path, std::process::id().to_string()).unwrap();
        let old = SystemTime::now() - STALE - Duration::from_secs(1);
        File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        assert!(!waits(&path, Duration::from_secs(5)).await);
    }

    #[tokio::test]
    async fn a_lock_that_is_being_written_is_waited_for() {
        let (_folder, path) = place();
        for text in ["", "x", "-1", "0"] {
            std::fs::write(&path, text).unwrap();
            assert!(waits(&path, Duration::from_millis(120)).await, "{text}");
        }
    }

    #[tokio::test]
    async fn f03_an_owner_whose_lock_was_broken_leaves_the_new_owners_file_alone() {
        let (_folder, path) = place();
        let lock = FileLock::acquire(path.clone()).await.unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "1").unwrap();
        drop(lock);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "1");
    }

    #[tokio::test]
    async fn f07_a_link_in_the_locks_place_is_removed_and_not_followed() {
        let (folder, path) = place();
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "FIXTURE").unwrap();
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        drop(FileLock::acquire(path.clone()).await.unwrap());
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "FIXTURE");
        assert!(!path.exists());
    }
}
