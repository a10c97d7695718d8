//! One SHA-256 over several pieces, none of which can run into the next.

use anyhow::{Context, Result};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

/// A digest being made.
pub(super) struct Digest(Sha256);

impl Digest {
    pub(super) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// A file's bytes, not its name.
    pub(super) fn file(&mut self, path: &Path) -> Result<()> {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        self.bytes(&bytes);
        Ok(())
    }

    /// Every file under `folder` that `wanted` picks, with its name below `folder`.
    pub(super) fn tree(&mut self, folder: &Path, wanted: impl Fn(&Path) -> bool) -> Result<()> {
        for path in files(folder)?.into_iter().filter(|path| wanted(path)) {
            let name = path.strip_prefix(folder).unwrap_or(&path);
            self.bytes(name.as_os_str().as_encoded_bytes());
            self.file(&path)?;
        }
        Ok(())
    }

    /// As hexadecimal digits.
    pub(super) fn finish(self) -> String {
        hex::encode(self.0.finalize())
    }
}

/// Every file under `folder`, sorted; nothing of hidden folders.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        let entries = std::fs::read_dir(&next).with_context(|| format!("cannot list `{}`", next.display()))?;
        for entry in entries {
            let entry = entry?;
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() { folders.push(entry.path()) } else { found.push(entry.path()) }
        }
    }
    found.sort();
    Ok(found)
}
