//! The key that signs handles, kept so that handles survive a restart.
//!
//! Thirty-two random bytes in `handle.key` of the state folder, shared by every server of that folder. Made when the
//! first handle is minted, never at start: a server that only lists tools leaves no trace. What goes wrong with the
//! file costs persistence, never a call. Does not know what is signed.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Bytes of a key; a file of any other length is replaced.
const LENGTH: usize = 32;

/// The block of the hash under the signature, which the key fills with zeros behind it (RFC 2104).
const BLOCK: usize = 64;

/// The file's name in the state folder.
const FILE: &str = "handle.key";

/// How often, and how far apart, a file that is too short is looked at again: a server that creates the file and
/// then writes it may be between the two.
const PATIENCE: (u32, Duration) = (3, Duration::from_millis(10));

/// A signing key. Prints nothing of itself.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key([u8; LENGTH]);

impl Key {
    /// A key of known bytes.
    #[cfg(test)]
    pub(crate) const fn from_bytes(bytes: [u8; LENGTH]) -> Self {
        Self(bytes)
    }

    /// The key as HMAC takes it: filled up with zeros to the block of its hash.
    pub(crate) fn block(&self) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        block.iter_mut().zip(self.0).for_each(|(to, from)| *to = from);
        block
    }

    fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(..)")
    }
}

/// A key that could not be made or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeyError {
    /// The system has no randomness; no handle can be signed.
    #[error("cannot make a handle key: the system gives no random bytes")]
    NoRandomness(#[source] getrandom::Error),
}

/// A key to sign with, and what to tell the operator, once.
#[derive(Debug, Clone)]
pub(crate) struct SigningKey {
    /// The key.
    pub(crate) key: Key,
    /// Why the key is not kept; only with the first handle.
    pub(crate) warning: Option<String>,
}

/// The key of one state folder.
#[derive(Debug)]
pub(crate) struct KeyStore {
    folder: Option<PathBuf>,
    known: Mutex<Option<Key>>,
}

impl KeyStore {
    /// A store that touches `folder` only when a key is asked for; without one the key ends with the process.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, known: Mutex::new(None) }
    }

    /// The key to mint with: the folder's, made now if there is none; else one for this process, with a warning.
    ///
    /// # Errors
    ///
    /// Only where the system has no random bytes.
    pub(crate) fn for_minting(&self) -> Result<SigningKey, KeyError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = &*known {
            return Ok(SigningKey { key: key.clone(), warning: None });
        }
        let fresh = Key::random().map_err(KeyError::NoRandomness)?;
        let (key, warning) = match &self.folder {
            None => (fresh, Some("no state folder, so handles will not survive a restart".to_owned())),
            Some(folder) => match keep(folder, &fresh) {
                Ok(key) => (key, None),
                Err(error) => (fresh, Some(not_kept(folder, &error))),
            },
        };
        *known = Some(key.clone());
        Ok(SigningKey { key, warning })
    }

    /// The key to check a handle with, if there is one yet; makes none, since no handle can fit a new key.
    pub(crate) fn for_reading(&self) -> Option<Key> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            *known = self.folder.as_ref().and_then(|folder| read(&folder.join(FILE)).ok().flatten());
        }
        known.clone()
    }
}

fn not_kept(folder: &Path, error: &io::Error) -> String {
    format!("cannot keep a handle key in {}, so handles will not survive a restart: {error}", folder.display())
}

/// The key in the folder, which is `fresh` unless another process was first.
fn keep(folder: &Path, fresh: &Key) -> io::Result<Key> {
    let file = folder.join(FILE);
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    for _ in 0..PATIENCE.0 {
        match read(&file) {
            Ok(Some(key)) => return Ok(key),
            Ok(None) => std::thread::sleep(PATIENCE.1),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // The whole file appears at once or not at all, so that two processes agree.
                match written(folder, fresh)?.persist_noclobber(&file) {
                    Ok(_) => return Ok(fresh.clone()),
                    Err(lost) if lost.error.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(lost) => return Err(lost.error),
                }
            }
            Err(error) => return Err(error),
        }
    }
    written(folder, fresh)?.persist(&file).map_err(|lost| lost.error)?;
    // Another process may have replaced it as well; the later one wins for both.
    Ok(read(&file)?.unwrap_or_else(|| fresh.clone()))
}

/// A file beside the real one, owner-only, holding the key.
fn written(folder: &Path, key: &Key) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix(".handle.key.")
        .permissions(Permissions::from_mode(0o600))
        .tempfile_in(folder)?;
    file.write_all(&key.0)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// The key in a file; `None` where the file is not one of ours: a link, another length.
fn read(path: &Path) -> io::Result<Option<Key>> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => return Ok(None),
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other(format!("{} is not a file", path.display())));
    }
    if metadata.len() != LENGTH as u64 {
        return Ok(None);
    }
    tighten(&file, metadata.permissions().mode());
    let mut bytes = [0; LENGTH];
    (&file).read_exact(&mut bytes)?;
    Ok(Some(Key(bytes)))
}

/// Takes the file from everyone but its owner. A failure leaves it as it was: the key is still the right one.
fn tighten(file: &File, mode: u32) {
    if mode & 0o077 != 0 {
        let _ = file.set_permissions(Permissions::from_mode(0o600));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn nothing_is_written_before_the_first_handle() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("state");
        let store = KeyStore::new(Some(folder.clone()));
        assert_eq!(store.for_reading(), None);
        assert!(!folder.exists());
        let signing = store.for_minting().unwrap();
        assert!(signing.warning.is_none());
        assert_eq!(fs::read(folder.join(FILE)).unwrap(), signing.key.0);
        assert_eq!(mode(&folder.join(FILE)), 0o600);
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_second_server_and_a_restart_use_the_same_key() {
        let root = tempfile::tempdir().unwrap();
        let first = KeyStore::new(Some(root.path().into())).for_minting().unwrap().key;
        assert_eq!(KeyStore::new(Some(root.path().into())).for_minting().unwrap().key, first);
        assert_eq!(KeyStore::new(Some(root.path().into())).for_reading(), Some(first));
    }

    #[test]
    fn many_at_once_agree_on_one_key() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("state");
        let keys: Vec<Key> = std::thread::scope(|scope| {
            let each: Vec<_> = (0..16)
                .map(|_| scope.spawn(|| KeyStore::new(Some(folder.clone())).for_minting().unwrap().key))
                .collect();
            each.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(keys.windows(2).all(|pair| pair[0] == pair[1]));
    }

    #[test]
    fn a_file_of_the_wrong_length_is_replaced() {
        for length in [0, 31, 33, 5000] {
            let root = tempfile::tempdir().unwrap();
            fs::write(root.path().join(FILE), vec![1; length]).unwrap();
            assert_eq!(KeyStore::new(Some(root.path().into())).for_reading(), None);
            let signing = KeyStore::new(Some(root.path().into())).for_minting().unwrap();
            assert!(signing.warning.is_none());
            assert_eq!(fs::read(root.path().join(FILE)).unwrap(), signing.key.0);
            assert_eq!(mode(&root.path().join(FILE)), 0o600);
        }
    }

    #[test]
    fn a_link_is_replaced_and_what_it_names_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("target");
        fs::write(&target, [9; LENGTH]).unwrap();
        std::os::unix::fs::symlink(&target, root.path().join(FILE)).unwrap();
        let signing = KeyStore::new(Some(root.path().into())).for_minting().unwrap();
        assert_ne!(signing.key.0, [9; LENGTH]);
        assert_eq!(fs::read(&target).unwrap(), [9; LENGTH]);
        assert!(!fs::symlink_metadata(root.path().join(FILE)).unwrap().is_symlink());
    }

    #[test]
    fn a_key_others_can_read_is_taken_from_them() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join(FILE);
        fs::write(&file, [9; LENGTH]).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(KeyStore::new(Some(root.path().into())).for_reading(), Some(Key([9; LENGTH])));
        assert_eq!(mode(&file), 0o600);
    }

    #[test]
    fn a_folder_that_cannot_be_used_gives_a_key_for_this_process_and_one_warning() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "x").unwrap();
        let in_the_way = root.path().join("in-the-way");
        fs::create_dir_all(in_the_way.join(FILE)).unwrap();
        for folder in [file.join("state"), in_the_way] {
            let store = KeyStore::new(Some(folder.clone()));
            let signing = store.for_minting().unwrap();
            let warning = signing.warning.unwrap();
            assert!(warning.contains(&folder.display().to_string()), "{warning}");
            assert!(warning.contains("will not survive a restart"), "{warning}");
            let again = store.for_minting().unwrap();
            assert_eq!(again.key, signing.key);
            assert!(again.warning.is_none());
            assert_eq!(store.for_reading(), Some(signing.key));
        }
    }

    #[test]
    fn a_key_does_not_print_itself() {
        assert_eq!(format!("{:?}", Key([0xab; LENGTH])), "Key(..)");
    }
}
