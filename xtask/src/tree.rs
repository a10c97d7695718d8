//! Where things lie in this repository.
//!
//! Paths only: nothing here reads or writes a file's content.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The repository's root and its build folder.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    root: PathBuf,
    target: PathBuf,
}

impl Tree {
    /// Finds the repository: from cargo's own word where cargo started us, else upwards from the current folder.
    ///
    /// Not from a path baked in at compile time: a moved or copied checkout must work on its own files.
    pub(crate) fn find() -> Result<Self> {
        let started_by_cargo = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let start = match started_by_cargo {
            Some(folder) => folder,
            None => std::env::current_dir().context("the current folder cannot be read")?,
        };
        let root = start
            .ancestors()
            .find(|folder| folder.join("xtask/Cargo.toml").is_file() && folder.join("wit").is_dir())
            .with_context(|| format!("`{}` is not inside the abi-mcp repository", start.display()))?
            .to_path_buf();
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => std::path::absolute(folder).context("`CARGO_TARGET_DIR` is not a usable path")?,
            None => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// A tree somewhere else, for tests.
    #[cfg(test)]
    pub(crate) fn at(root: &Path) -> Self {
        Self { root: root.to_path_buf(), target: root.join("target") }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The guests' build folder, apart from the host's: they never wait for each other's lock.
    pub(crate) fn guest_target(&self) -> PathBuf {
        self.target.join("guests")
    }

    /// The build folder of the plugins' native tests.
    pub(crate) fn plugin_target(&self) -> PathBuf {
        self.target.join("plugins")
    }

    /// Where the crates of `plugin new` are made and built.
    pub(crate) fn templates(&self) -> PathBuf {
        self.target.join("templates")
    }

    /// Where benchmarks keep configurations of their own.
    pub(crate) fn bench(&self) -> PathBuf {
        self.target.join("bench")
    }

    /// Where the MEOS engine is fetched and compiled.
    pub(crate) fn engine_work(&self) -> PathBuf {
        self.target.join("engine")
    }

    pub(crate) fn wit(&self) -> PathBuf {
        self.root.join("wit")
    }

    /// The built components, which the host's build script embeds.
    pub(crate) fn components(&self) -> PathBuf {
        self.root.join("components")
    }

    /// The plugins' workspace.
    pub(crate) fn plugins_manifest(&self) -> PathBuf {
        self.root.join("plugins/Cargo.toml")
    }

    /// The hostile guests' workspaces, sorted: `tests/guests` itself, or each folder in it. None in a trimmed checkout.
    pub(crate) fn test_guest_manifests(&self) -> Vec<PathBuf> {
        let folder = self.root.join("tests/guests");
        let inside = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut manifests: Vec<PathBuf> = inside.map(|path| path.join("Cargo.toml")).collect();
        manifests.sort();
        manifests.retain(|manifest| manifest.is_file());
        let whole = folder.join("Cargo.toml");
        if whole.is_file() { vec![whole] } else { manifests }
    }

    /// The frozen guests' texts.
    pub(crate) fn frozen(&self) -> PathBuf {
        self.root.join("tests/frozen")
    }

    /// The host's binary of a profile's folder (`debug`, `release`).
    pub(crate) fn host_binary(&self, profile: &str) -> PathBuf {
        self.target.join(profile).join(format!("abi-mcp{}", std::env::consts::EXE_SUFFIX))
    }
}
