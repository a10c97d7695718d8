//! Reads the files the rules are about: all that git tracks or would track.

use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// A file of the repository.
#[derive(Debug, Clone)]
pub(super) struct File {
    /// Relative to the root, with `/`.
    pub(super) path: String,
    /// `None` when it is not UTF-8 text.
    pub(super) text: Option<String>,
}

impl File {
    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it lies in one of these folders.
    pub(super) fn is_in(&self, folders: &[&str]) -> bool {
        folders.iter().any(|folder| self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    }
}

/// Every file of the tree. Outside a git checkout (an exported archive) all files count but build folders.
pub(super) fn all(root: &Path) -> Result<Vec<File>> {
    let mut paths = match tracked(root) {
        Some(paths) => paths,
        None => walked(root)?,
    };
    paths.sort();
    paths.dedup();
    let read = |path: String| {
        // A file that git tracks and somebody deleted is no file any more.
        let bytes = std::fs::read(root.join(&path)).ok()?;
        Some(File { path, text: String::from_utf8(bytes).ok() })
    };
    Ok(paths.into_iter().filter_map(read).collect())
}

fn tracked(root: &Path) -> Option<Vec<String>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root);
    let output = git.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let paths: Vec<String> = text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    // An export inside somebody else's checkout is ignored there and lists nothing.
    (!paths.is_empty()).then_some(paths)
}

fn walked(root: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot list `{}`", folder.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            if path.is_dir() {
                if !["target", "components", ".git"].iter().any(|skipped| name == *skipped) {
                    folders.push(path);
                }
            } else if let Ok(relative) = path.strip_prefix(root) {
                paths.push(relative.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    Ok(paths)
}
