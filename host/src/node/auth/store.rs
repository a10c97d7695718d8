//! The file that keeps tokens from one process to the next.
//!
//! `tokens-<h>.json` in the state folder, one for each node and account, in a form other programs share (see
//! `tokens`). The folder is 0700, the file 0600 from its first byte; a write is whole or not there. A symbolic link in
//! the file's place is not followed: reading refuses it with a line, writing replaces it. A damaged file is never
//! taken for tokens, and moved aside before anything is written in its place.

use super::lock::FileLock;
use super::tokens::Tokens;
use crate::node::NodeUrl;
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Two tokens and a number; a longer file is not one of ours.
const LONGEST_FILE: u64 = 1 << 20;

/// How often a write begins anew because another process took its temporary file away.
const WRITES: u32 = 5;

/// The tokens of one node and account.
#[derive(Debug, Clone)]
pub(crate) struct TokenStore {
    folder: PathBuf,
    path: PathBuf,
}

/// What lies in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stored {
    /// No file.
    Nothing,
    /// A file that cannot be used, and why: one line without any of its content.
    Unusable(String),
    /// A pair.
    Tokens(Tokens),
}

impl Stored {
    /// The pair, if there is one.
    pub(crate) fn tokens(self) -> Option<Tokens> {
        match self {
            Self::Tokens(tokens) => Some(tokens),
            Self::Nothing | Self::Unusable(_) => None,
        }
    }
}

impl TokenStore {
    /// The store of a node and an account; touches nothing yet. The file's name hides both and tells them apart.
    pub(crate) fn new(folder: &Path, url: &NodeUrl, account: &str) -> Self {
        let digest = hex::encode(Sha256::digest(format!("{url}\0{account}")));
        let name = format!("tokens-{}.json", digest.get(..16).unwrap_or_default());
        Self { folder: folder.to_owned(), path: folder.join(name) }
    }

    /// The file, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for the right to use the refresh token and to write the file.
    ///
    /// # Errors
    ///
    /// The folder or the lock file cannot be made, or others held the lock for too long.
    pub(crate) async fn lock(&self) -> io::Result<FileLock> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        FileLock::acquire(self.beside(".lock")).await
    }

    /// Reads the file.
    pub(crate) fn load(&self) -> Stored {
        match read(&self.path) {
            Ok(None) => Stored::Nothing,
            Ok(Some(text)) => match Tokens::from_stored(&text) {
                Some(tokens) => Stored::Tokens(tokens),
                None => Stored::Unusable(format!("{} is damaged; ignoring it.", self.path.display())),
            },
            Err(error) => Stored::Unusable(format!("{} cannot be read ({error}); ignoring it.", self.path.display())),
        }
    }

    /// Replaces the file, whole or not at all. For the holder of the lock.
    ///
    /// # Errors
    ///
    /// The file cannot be written; the old content is then still there.
    pub(crate) fn save(&self, tokens: &Tokens) -> io::Result<()> {
        if matches!(self.load(), Stored::Unusable(_)) {
            // Somebody may want to look at it. A link is not worth keeping, and is replaced by the rename below.
            let is_file = std::fs::symlink_metadata(&self.path).is_ok_and(|metadata| metadata.is_file());
            if is_file {
                std::fs::rename(&self.path, self.beside(".damaged"))?;
            }
        }
        let text = tokens.to_stored();
        let temporary = self.beside(".tmp");
        let mut tries = 1;
        loop {
            let written = write_new(&temporary, text.as_bytes()).and_then(|()| std::fs::rename(&temporary, &self.path));
            match written {
                // Another program writes without the lock; its file is whole, too.
                Err(error) if tries < WRITES && is_collision(&error) => tries += 1,
                Err(error) => {
                    let _ = std::fs::remove_file(&temporary);
                    return Err(error);
                }
                Ok(()) => return Ok(()),
            }
        }
    }

    /// Removes the file. For the holder of the lock.
    ///
    /// # Errors
    ///
    /// The file is there and cannot be removed.
    pub(crate) fn clear(&self) -> io::Result<()> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(suffix);
        name.into()
    }
}

fn is_collision(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound)
}

/// Writes a file that was not there. One left behind by a killed process, or planted as a link, is removed first.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let _ = std::fs::remove_file(path);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn read(path: &Path) -> io::Result<Option<String>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return Err(io::Error::other("a symbolic link is not followed"));
        }
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > LONGEST_FILE {
        return Err(io::Error::other("not a file of a few kilobytes"));
    }
    tighten(&file, metadata.mode());
    let mut text = String::new();
    file.take(LONGEST_FILE).read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Takes the file from everyone but its owner. A failure leaves it as it was: the tokens are still the right ones.
fn tighten(file: &File, mode: u32) {
    if mode & 0o077 != 0 {
        let _ = file.set_permissions(std::fs::Permissions::from_mode(0o600));
    }
}

#[cfg(test)]
mod tests;
