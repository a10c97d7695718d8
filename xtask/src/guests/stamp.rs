//! Remembers what the components were built from, so that a second run is over in milliseconds.
//!
//! The stamp (`target/guests/stamp.json`) holds a digest of every input and the digest of every output. Both are
//! compared: a changed source and a damaged component are noticed alike. Times of files are not looked at; a fresh
//! checkout has new ones.

use super::output::{self, Entry, digest};
use super::toolchain;
use crate::tree::Tree;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Raised when the stamp's own form changes.
const FORMAT: u32 = 1;

/// The digest of everything the components are made from.
pub(super) fn inputs(tree: &Tree) -> Result<String> {
    let mut files = Vec::new();
    // The builder itself is an input: another encoder or other flags make other bytes.
    for folder in ["plugins", "tests/frozen", "tests/guests", "wit", "xtask/src/guests"] {
        collect(&tree.root().join(folder), &mut files)?;
    }
    files.push(tree.root().join("Cargo.lock"));
    files.sort();
    let mut hash = Sha256::new();
    let mut feed = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    feed(toolchain::active_identity()?.as_bytes());
    for file in files.iter().filter(|file| file.is_file()) {
        let name = file.strip_prefix(tree.root()).unwrap_or(file);
        feed(name.as_os_str().as_encoded_bytes());
        feed(&std::fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))?);
    }
    Ok(hex::encode(hash.finalize()))
}

/// Whether the components were built from these inputs and are still what was built.
pub(super) fn is_current(tree: &Tree, inputs: &str) -> bool {
    let Some(stamp) = read(&path(tree)) else { return false };
    let same = stamp.get("format") == Some(&json!(FORMAT)) && stamp.get("inputs") == Some(&json!(inputs));
    let Some(outputs) = stamp.get("outputs").and_then(Value::as_object) else { return false };
    same && outputs.iter().all(|(file, expected)| {
        std::fs::read(tree.components().join(file)).is_ok_and(|bytes| *expected == json!(digest(&bytes)))
    })
}

/// Remembers a finished build.
///
/// Each folder of components is a prefix of the file names in it.
pub(super) fn write(tree: &Tree, inputs: &str, folders: &[(&str, &Vec<Entry>)]) -> Result<()> {
    let manifest = std::fs::read(tree.components().join("manifest.json")).context("the manifest just written")?;
    let mut outputs = serde_json::Map::new();
    outputs.insert("manifest.json".to_owned(), json!(digest(&manifest)));
    for (folder, entries) in folders {
        outputs.extend(entries.iter().map(|entry| (format!("{folder}{}", entry.file), json!(entry.sha256))));
    }
    let stamp = json!({"format": FORMAT, "inputs": inputs, "outputs": outputs});
    output::write_if_changed(&path(tree), stamp.to_string().as_bytes()).map(|_| ())
}

fn path(tree: &Tree) -> PathBuf {
    tree.guest_target().join("stamp.json")
}

fn read(path: &Path) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Every file below `folder`, without build folders and hidden ones.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list `{}`", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        if name == "target" || name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree_with_a_component() -> Result<(tempfile::TempDir, Tree)> {
        let folder = tempfile::tempdir()?;
        let tree = Tree::at(folder.path());
        for file in ["plugins/a/src/lib.rs", "wit/mapper/0.1.0/mapper.wit", "components/a.wasm", "plugins/target/x"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().context("in a folder")?)?;
            std::fs::write(path, file)?;
        }
        output::write_manifest(&tree.components(), &[])?;
        let sha256 = digest(b"components/a.wasm");
        let entry = Entry { name: "a".into(), release: "0.1.0".into(), file: "a.wasm".into(), sha256 };
        write(&tree, &inputs(&tree)?, &[("", &vec![entry])])?;
        Ok((folder, tree))
    }

    #[test]
    fn a_changed_source_or_contract_makes_components_stale_and_a_build_folder_does_not() -> Result<()> {
        let (folder, tree) = tree_with_a_component()?;
        assert!(is_current(&tree, &inputs(&tree)?));
        std::fs::write(folder.path().join("plugins/target/x"), "other")?;
        assert!(is_current(&tree, &inputs(&tree)?));
        for file in ["plugins/a/src/lib.rs", "wit/mapper/0.1.0/mapper.wit"] {
            std::fs::write(folder.path().join(file), "changed")?;
            assert!(!is_current(&tree, &inputs(&tree)?), "{file}");
            std::fs::write(folder.path().join(file), file)?;
        }
        std::fs::rename(folder.path().join("plugins/a"), folder.path().join("plugins/b"))?;
        assert!(!is_current(&tree, &inputs(&tree)?), "a renamed file");
        Ok(())
    }

    #[test]
    fn a_damaged_or_missing_component_is_built_again() -> Result<()> {
        let (folder, tree) = tree_with_a_component()?;
        std::fs::write(folder.path().join("components/a.wasm"), "damaged")?;
        assert!(!is_current(&tree, &inputs(&tree)?));
        std::fs::remove_file(folder.path().join("components/a.wasm"))?;
        assert!(!is_current(&tree, &inputs(&tree)?));
        Ok(())
    }
}
