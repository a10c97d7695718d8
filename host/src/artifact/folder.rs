//! A folder that only its owner can reach, for files this program writes and later trusts.
//!
//! Checked when it is opened and then held by descriptor, so nobody can put another folder in its place between the
//! check and the use. Files appear whole (written beside, flushed, renamed) and are never changed. It knows nothing of
//! what the files hold.

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawMode};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Write permission for anyone but the owner.
const OTHERS_WRITE: Mode = Mode::WGRP.union(Mode::WOTH);

/// Any permission for anyone but the owner.
const OTHERS: Mode = Mode::RWXG.union(Mode::RWXO);

/// Why a folder cannot be trusted or used. The cache then does without it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The system refuses.
    #[error("cannot use the cache folder `{}`", .path.display())]
    Unusable {
        /// The folder.
        path: PathBuf,
        /// What the system says; a symbolic link or a plain file shows here as `not a directory`.
        source: io::Error,
    },
    /// It belongs to someone else.
    #[error("the cache folder `{}` belongs to user {owner}, not to user {expected}", .path.display())]
    Owner {
        /// The folder.
        path: PathBuf,
        /// Its owner's id.
        owner: u32,
        /// Our id.
        expected: u32,
    },
    /// Others can reach into it.
    #[error("the cache folder `{}` is open to others (mode {mode:03o}); run `chmod 700` on it", .path.display())]
    Mode {
        /// The folder.
        path: PathBuf,
        /// Its permission bits.
        mode: RawMode,
    },
}

/// An open, checked folder.
#[derive(Debug)]
pub struct OwnedFolder {
    path: PathBuf,
    folder: OwnedFd,
}

impl OwnedFolder {
    /// Opens a folder, making it (mode 0700) where it is missing.
    ///
    /// # Errors
    /// When it is a symbolic link, is not ours, or lets others in; or the system refuses.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        use std::os::unix::fs::DirBuilderExt;
        let unusable = |source: io::Error| FolderError::Unusable { path: path.to_owned(), source };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(unusable)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| unusable(error.into()))?;
        let stat = rustix::fs::fstat(&folder).map_err(|error| unusable(error.into()))?;
        let expected = rustix::process::geteuid().as_raw();
        if stat.st_uid != expected {
            return Err(FolderError::Owner { path: path.to_owned(), owner: stat.st_uid, expected });
        }
        let mode = permissions(&stat);
        if mode.intersects(OTHERS) {
            return Err(FolderError::Mode { path: path.to_owned(), mode: mode.bits() });
        }
        Ok(Self { path: path.to_owned(), folder })
    }

    /// Opens one of its files; `None` when there is none, or it is not one we could have written (a link, a special
    /// file, another owner's, or writable by others).
    #[must_use]
    pub fn file(&self, name: &str) -> Option<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.folder, name, flags, Mode::empty()).ok()?;
        let stat = rustix::fs::fstat(&file).ok()?;
        let ours = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
            && stat.st_uid == rustix::process::geteuid().as_raw()
            && !permissions(&stat).intersects(OTHERS_WRITE);
        ours.then(|| File::from(file))
    }

    /// A path that leads to the very file that was opened, for functions that only take paths.
    #[must_use]
    pub fn path_of(&self, file: &File, name: &str) -> PathBuf {
        let by_descriptor = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        // Without `/proc` (a bare container) the name has to do; the folder is ours alone either way.
        if by_descriptor.exists() { by_descriptor } else { self.path.join(name) }
    }

    /// Puts a whole file in place, replacing one of that name.
    ///
    /// # Errors
    /// What the system says; no file of that name is then changed.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Unique among the processes and threads that may write at the same time.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = format!(".{name}.{}.{number}", std::process::id());
        let written = self
            .write_temporary(&temporary, bytes)
            .and_then(|()| rustix::fs::renameat(&self.folder, &temporary, &self.folder, name).map_err(io::Error::from));
        if written.is_err() {
            self.remove(&temporary);
        }
        written
    }

    /// The names in it, whatever they name; none where the system does not tell.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let Ok(entries) = rustix::fs::Dir::read_from(&self.folder) else { return Vec::new() };
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name != "." && name != "..").collect()
    }

    /// Removes one of its files, if it is there and the system allows.
    pub fn remove(&self, name: &str) {
        if let Err(error) = rustix::fs::unlinkat(&self.folder, name, AtFlags::empty())
            && error != rustix::io::Errno::NOENT
        {
            tracing::debug!(folder = %self.path.display(), name, %error, "a cache file stays");
        }
    }

    fn write_temporary(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&self.folder, name, flags, Mode::RUSR | Mode::WUSR)?);
        file.write_all(bytes)?;
        // The name must not become visible before the bytes are on the disk: a half-written file of machine code
        // after a power cut would still have a good header.
        file.sync_data()
    }
}

fn permissions(stat: &rustix::fs::Stat) -> Mode {
    Mode::from_raw_mode(stat.st_mode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_new_folder_is_closed_to_others_and_gives_back_what_was_written() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        let folder = OwnedFolder::open(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        folder.write("x", b"one").unwrap();
        folder.write("x", b"two").unwrap();
        let file = folder.file("x").unwrap();
        assert_eq!(std::fs::read(folder.path_of(&file, "x")).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(&path).unwrap().count(), 1, "no temporary file stays");
        folder.remove("x");
        assert!(folder.file("x").is_none());
    }

    #[test]
    fn a_folder_open_to_others_a_link_and_a_file_are_refused() {
        let parent = tempfile::tempdir().unwrap();
        let open = parent.path().join("open");
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, PermissionsExt::from_mode(0o750)).unwrap();
        assert!(matches!(OwnedFolder::open(&open), Err(FolderError::Mode { mode: 0o750, .. })));
        let link = parent.path().join("link");
        std::os::unix::fs::symlink(parent.path(), &link).unwrap();
        assert!(matches!(OwnedFolder::open(&link), Err(FolderError::Unusable { .. })));
        let file = parent.path().join("file");
        std::fs::write(&file, b"").unwrap();
        assert!(matches!(OwnedFolder::open(&file), Err(FolderError::Unusable { .. })));
    }

    #[test]
    fn a_file_that_we_did_not_write_is_not_opened() {
        let parent = tempfile::tempdir().unwrap();
        let folder = OwnedFolder::open(&parent.path().join("cache")).unwrap();
        let path = |name: &str| parent.path().join("cache").join(name);
        std::fs::write(parent.path().join("elsewhere"), b"machine code").unwrap();
        std::os::unix::fs::symlink(parent.path().join("elsewhere"), path("link")).unwrap();
        assert!(folder.file("link").is_none());
        std::fs::write(path("loose"), b"machine code").unwrap();
        std::fs::set_permissions(path("loose"), PermissionsExt::from_mode(0o666)).unwrap();
        assert!(folder.file("loose").is_none());
        std::fs::create_dir(path("folder")).unwrap();
        assert!(folder.file("folder").is_none());
    }
}
