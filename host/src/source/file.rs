//! A manifest file as a source of one app: a catalog whose functions an engine runs.
//!
//! In comes a path, out come an [`App`] whose content is the file's digest, and the file's bytes. The file is looked at
//! with every read of the catalog, and read again only when it has changed.

use crate::model::JsonObject;
use crate::source::{App, Origin};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Largest manifest read, in bytes: what a mapper may be handed (64 MiB), less room for the envelope.
const MAX_MANIFEST: u64 = 60 << 20;

/// One `--manifest ECOSYSTEM=FILE`.
#[derive(Debug)]
pub struct ManifestFile {
    ecosystem: String,
    path: PathBuf,
    overrides: Option<PathBuf>,
    /// What the files were when their digest was taken.
    known: Mutex<Option<(Stamp, String)>>,
}

/// Tells a changed file from the same one without reading it.
type Stamp = Vec<(u64, Option<SystemTime>)>;

/// Why a manifest file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It cannot be opened or read.
    #[error("cannot read the manifest `{}`: {problem}\nhint: check the path given to --manifest or --overrides", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// It is over the cap.
    #[error("the manifest `{}` has more than {MAX_MANIFEST} bytes, the most that is read", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Overrides that are not JSON would spoil the whole document they are put into.
    #[error("the overrides `{}` are not a JSON object: {problem}", path.display())]
    Overrides {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl ManifestFile {
    /// A manifest of an ecosystem, and changes to it where the operator has some. Reads nothing yet.
    #[must_use]
    pub fn new(ecosystem: String, path: PathBuf, overrides: Option<PathBuf>) -> Self {
        Self { ecosystem, path, overrides, known: Mutex::default() }
    }

    /// The ecosystem the operator says it is of.
    #[must_use]
    pub fn ecosystem(&self) -> &str {
        &self.ecosystem
    }

    /// The app it describes. A file that cannot be read is an app all the same: what is wrong shows where its manifest
    /// is asked for.
    #[must_use]
    pub fn app(&self) -> App {
        let content = self.content().unwrap_or_else(|error| self.content_before(&error));
        App::named(&self.ecosystem, content, Origin::File)
    }

    /// The manifest: the file's bytes, or with overrides `{"catalog": .., "overrides": ..}`, which a mapper that knows
    /// overrides takes apart again. Blocks on the disk.
    ///
    /// # Errors
    /// A file that cannot be read, is too large, or overrides that are no JSON object.
    pub fn manifest(&self) -> Result<Vec<u8>, FileError> {
        let catalog = read(&self.path)?;
        let Some(path) = &self.overrides else { return Ok(catalog) };
        let overrides = read(path)?;
        let checked: Result<JsonObject, _> = serde_json::from_slice(&overrides);
        checked.map_err(|error| FileError::Overrides { path: path.clone(), problem: error.to_string() })?;
        let mut whole = Vec::with_capacity(catalog.len() + overrides.len() + 40);
        for part in [b"{\"catalog\":".as_slice(), &catalog, b",\"overrides\":", &overrides, b"}"] {
            whole.extend_from_slice(part);
        }
        Ok(whole)
    }

    /// While a file that was good is being replaced or has gone, what it held is served on.
    fn content_before(&self, error: &FileError) -> String {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((_, digest)) => {
                tracing::debug!("{error}; its last content stays");
                digest.clone()
            }
            None => "unreadable".to_owned(),
        }
    }

    /// The digest of what [`ManifestFile::manifest`] returns, taken anew only when a file's size or time has changed.
    fn content(&self) -> Result<String, FileError> {
        let stamp =
            std::iter::once(&self.path).chain(&self.overrides).map(|path| stamp(path)).collect::<Result<_, _>>()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, digest)) = &*known
            && *at == stamp
        {
            return Ok(digest.clone());
        }
        let digest = hex::encode(Sha256::digest(self.manifest()?));
        *known = Some((stamp, digest.clone()));
        Ok(digest)
    }
}

fn stamp(path: &Path) -> Result<(u64, Option<SystemTime>), FileError> {
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    Ok((metadata.len(), metadata.modified().ok()))
}

fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(FileError::Read { path: path.to_owned(), problem: "it is no regular file".to_owned() });
    }
    let mut bytes = Vec::new();
    file.take(MAX_MANIFEST + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > MAX_MANIFEST {
        return Err(FileError::TooLarge { path: path.to_owned() });
    }
    Ok(bytes)
}

fn unreadable(path: &Path, error: &io::Error) -> FileError {
    FileError::Read { path: path.to_owned(), problem: error.to_string() }
}

/// As a task of its own, away from the protocol's threads.
pub(super) async fn manifest_of(file: &Arc<ManifestFile>) -> Result<Arc<[u8]>, FileError> {
    let file = Arc::clone(file);
    let path = file.path.clone();
    let read = tokio::task::spawn_blocking(move || file.manifest()).await;
    read.unwrap_or_else(|error| Err(FileError::Read { path, problem: error.to_string() })).map(Arc::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_stand_beside_the_catalog_and_change_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let (catalog, overrides) = (folder.path().join("c.json"), folder.path().join("o.json"));
        std::fs::write(&catalog, "{\"functions\":[]}").unwrap();
        let plain = ManifestFile::new("geo".to_owned(), catalog.clone(), None);
        assert_eq!(plain.manifest().unwrap(), b"{\"functions\":[]}");

        std::fs::write(&overrides, "{\"functions\":{\"f\":{}}}").unwrap();
        let both = ManifestFile::new("geo".to_owned(), catalog, Some(overrides.clone()));
        let whole: serde_json::Value = serde_json::from_slice(&both.manifest().unwrap()).unwrap();
        assert_eq!(whole["overrides"]["functions"]["f"], serde_json::json!({}));
        assert_ne!(plain.app().content, both.app().content);

        let before = both.app().content;
        std::fs::write(&overrides, "{\"functions\":{\"longer\":{}}}").unwrap();
        assert_ne!(both.app().content, before, "a changed file is another content");
        std::fs::write(&overrides, "[]").unwrap();
        assert!(both.manifest().unwrap_err().to_string().contains("not a JSON object"));
    }

    #[test]
    fn a_missing_file_is_an_app_whose_manifest_says_what_is_wrong() {
        let file = ManifestFile::new("geo".to_owned(), PathBuf::from("nowhere.json"), None);
        assert_eq!(file.app().id, "geo");
        let error = file.manifest().unwrap_err().to_string();
        assert!(error.contains("nowhere.json") && error.contains("hint"), "{error}");
    }
}
