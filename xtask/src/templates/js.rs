//! The JavaScript folders: one `npm install` for all of them, and no component built twice of the same sources.
//!
//! Node.js finds packages in the folders above a script's, so the three share `node_modules` in the folder around them.
//! A build never makes the same bytes twice; a kept component also spares the host compiling 12 MB again.

use super::{ROLES, hold, host, quietly, write};
use crate::process;
use crate::tree::Tree;
use anyhow::{Context, Result};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A registry that has not answered by then is out of reach.
const INSTALLING: Duration = Duration::from_secs(300);

/// What each folder's package.json asks for, and nothing else.
const PACKAGE: &str = "@bytecodealliance/componentize-js";

/// Makes, builds and holds one folder a role; answers why it was left out, where a tool or the registry is missing.
pub(crate) fn run(tree: &Tree) -> Result<Option<String>> {
    let host = host(tree)?;
    for tool in ["node", "npm"] {
        if process::answer(Command::new(tool).arg("--version")).is_none() {
            return Ok(Some(format!("`{tool}` is not installed")));
        }
    }
    let around = tree.templates().join("js");
    for role in ROLES {
        let name = format!("template-js-{role}");
        let folder = around.join(&name);
        write(&host, &folder, &name, role, "js")?;
        if let Some(why) = installed(&around, &folder)? {
            return Ok(Some(why));
        }
        component(&around, &folder, &name)?;
        hold(&host, &folder, &name)?;
    }
    Ok(None)
}

/// Installs what a folder asks for into the folder around it, unless it is there; answers why it cannot.
fn installed(around: &Path, folder: &Path) -> Result<Option<String>> {
    let wanted = member(&folder.join("package.json"), &["dependencies", PACKAGE]).context("the template's package")?;
    let found = member(&around.join("node_modules").join(PACKAGE).join("package.json"), &["version"]);
    if found.as_ref() == Some(&wanted) {
        return Ok(None);
    }
    std::fs::copy(folder.join("package.json"), around.join("package.json"))?;
    let mut install = Command::new("npm");
    install.args(["install", "--no-audit", "--no-fund"]).current_dir(around);
    match process::quietly(&mut install, &format!("installing {PACKAGE} {wanted}"), Some(INSTALLING)) {
        Ok(done) if done.status.success() => Ok(None),
        Ok(done) => Ok(Some(format!("npm install: {}", done.stderr.lines().next().unwrap_or("no word why")))),
        Err(error) => Ok(Some(format!("npm install: {error:#}"))),
    }
}

fn member(file: &Path, path: &[&str]) -> Option<String> {
    let document: Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    path.iter().try_fold(&document, |value, name| value.get(name))?.as_str().map(str::to_owned)
}

/// Builds the component into its folder, or takes the one an earlier run built of the same files.
fn component(around: &Path, folder: &Path, name: &str) -> Result<()> {
    let digest = digest(folder)?;
    let (kept, of) = (around.join(format!("{name}.wasm")), around.join(format!("{name}.sha256")));
    if !kept.is_file() || std::fs::read_to_string(&of).ok().as_ref() != Some(&digest) {
        let mut build = Command::new("node");
        build.arg("build.mjs").arg(&kept).current_dir(folder);
        quietly(&mut build, &format!("building {name}"))?;
        std::fs::write(&of, digest)?;
    }
    std::fs::copy(&kept, folder.join(format!("{name}.wasm")))
        .with_context(|| format!("cannot copy `{}`", kept.display()))?;
    Ok(())
}

/// The digest of what a component is built from.
fn digest(folder: &Path) -> Result<String> {
    let mut files: Vec<PathBuf> = vec![folder.join("build.mjs"), folder.join("package.json")];
    for part in ["src", "wit"] {
        let entries = std::fs::read_dir(folder.join(part)).with_context(|| format!("a template has `{part}`"))?;
        files.extend(entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?);
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        hash.update(std::fs::read(&file).with_context(|| format!("cannot read `{}`", file.display()))?);
    }
    Ok(hex::encode(hash.finalize()))
}
