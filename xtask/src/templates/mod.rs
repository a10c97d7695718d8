//! What `abi-mcp plugin new` writes, built as its README says and held to `plugin check` and `plugin test`.
//!
//! Comes in: the built host. Goes out: nothing, or which template does not build or does not pass. The folders lie in the
//! target folder and are written anew each time; what they compile to stays there, so that a second run takes seconds.

mod js;
mod rust;

use crate::process;
use crate::tree::Tree;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use js::run as js;
pub(crate) use rust::run as rust;

/// Each role a plugin can be made for.
const ROLES: [&str; 3] = ["tool", "mapper", "errors"];

/// A manifest a mapper's template can read; the other roles have none.
const MANIFEST: &str = "tests/golden/hello/manifest.json";

/// The host's binary, which must be there.
fn host(tree: &Tree) -> Result<PathBuf> {
    let host = tree.host_binary("debug");
    ensure!(host.is_file(), "`{}` is missing: run `cargo xtask build`", host.display());
    Ok(host)
}

/// Has `plugin new` write a folder, in place of the one an earlier run left.
fn write(host: &Path, folder: &Path, name: &str, role: &str, language: &str) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove `{}`", folder.display()))?;
    }
    let mut new = Command::new(host);
    new.args(["plugin", "new", name, "--role", role, "--lang", language, "--path"]).arg(folder);
    quietly(&mut new, &format!("writing {name}")).map(drop)
}

/// Holds a component in its folder to `plugin check` and to its golden cases.
fn hold(host: &Path, folder: &Path, name: &str) -> Result<()> {
    let plugin = |verb: &str, more: &[&str]| {
        let mut command = Command::new(host);
        command.args(["plugin", verb, &format!("{name}.wasm")]).args(more).current_dir(folder).env_remove("BLESS");
        quietly(&mut command, &format!("plugin {verb} of {name}"))
    };
    let manifest: &[&str] = if folder.join(MANIFEST).is_file() { &["--manifest", MANIFEST] } else { &[] };
    let (checked, tested) = (plugin("check", manifest)?, plugin("test", &[])?);
    for told in [checked, tested] {
        println!("  {name}: {}", told.lines().next_back().unwrap_or_default());
    }
    Ok(())
}

/// Runs a command; answers its standard output.
fn quietly(command: &mut Command, what: &str) -> Result<String> {
    let done = process::quietly(command, what, None)?;
    ensure!(done.status.success(), "{what} failed:\n{}{}", done.stdout, done.stderr);
    Ok(done.stdout)
}
