//! Writes components and their manifest, whole or not at all, and only when the bytes differ.
//!
//! `components/manifest.json` is an array of `{"name", "release", "file", "sha256"}` sorted by name; `file` is relative
//! to the manifest. The host's build script reads exactly this.

use anyhow::{Context, Result};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::path::Path;

/// One written component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) release: String,
    pub(super) file: String,
    pub(super) sha256: String,
}

/// Writes a component; the flag says whether its bytes are new.
pub(super) fn write_component(folder: &Path, name: &str, release: &str, component: &[u8]) -> Result<(Entry, bool)> {
    let file = format!("{name}.wasm");
    let changed = write_if_changed(&folder.join(&file), component)?;
    let sha256 = digest(component);
    Ok((Entry { name: name.to_owned(), release: release.to_owned(), file, sha256 }, changed))
}

/// Writes `manifest.json` for entries that are sorted by name.
pub(super) fn write_manifest(folder: &Path, entries: &[Entry]) -> Result<()> {
    let list: Vec<_> = entries
        .iter()
        .map(|entry| json!({"name": entry.name, "release": entry.release, "file": entry.file, "sha256": entry.sha256}))
        .collect();
    let text = serde_json::to_string_pretty(&list)? + "\n";
    write_if_changed(&folder.join("manifest.json"), text.as_bytes()).map(|_| ())
}

/// Removes components that no guest makes any more: a renamed plugin must not be embedded or tested twice.
pub(super) fn remove_strangers(folder: &Path, entries: &[Entry]) -> Result<()> {
    let Ok(files) = std::fs::read_dir(folder) else { return Ok(()) };
    for path in files.flatten().map(|file| file.path()) {
        let ours = entries.iter().any(|entry| path.file_name() == Some(OsStr::new(&entry.file)));
        if path.extension() == Some(OsStr::new("wasm")) && !ours {
            std::fs::remove_file(&path).with_context(|| format!("cannot remove `{}`", path.display()))?;
        }
    }
    Ok(())
}

/// SHA-256 in lower-case hexadecimal.
pub(super) fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Writes by rename, so that a reader never sees half a file; true when something was written.
pub(super) fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<bool> {
    if std::fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(false);
    }
    let folder = path.parent().context("a file lies in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}.new", std::process::id()));
    std::fs::write(&draft, bytes)
        .and_then(|()| std::fs::rename(&draft, path))
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str) -> Entry {
        Entry {
            name: name.to_owned(),
            release: "0.1.0".to_owned(),
            file: format!("{name}.wasm"),
            sha256: digest(name.as_bytes()),
        }
    }

    #[test]
    fn unchanged_bytes_leave_the_file_alone() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("a/b.wasm");
        assert!(write_if_changed(&file, b"one")?);
        let written = std::fs::metadata(&file)?.modified()?;
        assert!(!write_if_changed(&file, b"one")?);
        assert_eq!(std::fs::metadata(&file)?.modified()?, written);
        assert!(write_if_changed(&file, b"two")?);
        assert_eq!(std::fs::read(&file)?, b"two");
        assert_eq!(std::fs::read_dir(folder.path().join("a"))?.count(), 1, "no draft is left behind");
        Ok(())
    }

    #[test]
    fn the_manifest_is_the_array_the_hosts_build_script_reads() -> Result<()> {
        let folder = tempfile::tempdir()?;
        write_manifest(folder.path(), &[entry("a"), entry("b")])?;
        let text = std::fs::read_to_string(folder.path().join("manifest.json"))?;
        let read: serde_json::Value = serde_json::from_str(&text)?;
        assert_eq!(read.pointer("/1/file"), Some(&json!("b.wasm")));
        assert_eq!(read.pointer("/0/sha256"), Some(&json!(digest(b"a"))));
        Ok(())
    }

    #[test]
    fn a_component_nobody_makes_any_more_is_removed() -> Result<()> {
        let folder = tempfile::tempdir()?;
        for file in ["a.wasm", "old.wasm", "manifest.json"] {
            std::fs::write(folder.path().join(file), "x")?;
        }
        remove_strangers(folder.path(), &[entry("a")])?;
        assert!(folder.path().join("a.wasm").is_file() && folder.path().join("manifest.json").is_file());
        assert!(!folder.path().join("old.wasm").exists());
        Ok(())
    }
}
