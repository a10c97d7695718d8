//! The crates that `abi-mcp plugin new` writes, built as their README says and held to `plugin check`.
//!
//! Comes in: the built host. Goes out: nothing, or which template does not build or does not pass. The crates lie in the
//! target folder and are written anew each time; what they compile to stays there, so that a second run takes seconds.

use crate::tree::Tree;
use crate::{guests, process};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

/// Each role a crate can be made for.
const ROLES: [&str; 3] = ["tool", "mapper", "errors"];

/// Makes, builds and checks one crate a role.
pub(crate) fn run(tree: &Tree) -> Result<()> {
    let host = tree.host_binary("debug");
    ensure!(host.is_file(), "`{}` is missing: run `cargo xtask build`", host.display());
    let folder = tree.templates();
    for role in ROLES {
        let (name, target) = (format!("template-{role}"), folder.join("target"));
        let crate_folder = folder.join(&name);
        let lock = keep_lock(&crate_folder)?;
        quietly(
            Command::new(&host).args(["plugin", "new", &name, "--role", role, "--path"]).arg(&crate_folder),
            &format!("writing {name}"),
        )?;
        if let Some(lock) = lock {
            std::fs::write(crate_folder.join("Cargo.lock"), lock)?;
        }
        let module = guests::template(tree, &crate_folder.join("Cargo.toml"), &target)?;
        let component = crate_folder.join(format!("{name}.wasm"));
        let mut encode = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        encode.args(["run", "--package", "component", "--target-dir"]).arg(&target).arg("--");
        quietly(encode.arg(&module).arg(&component).current_dir(&crate_folder), &format!("componentising {name}"))?;
        let checked =
            quietly(Command::new(&host).args(["plugin", "check"]).arg(&component), &format!("checking {name}"))?;
        println!("  {name}: {}", checked.lines().next_back().unwrap_or_default());
    }
    Ok(())
}

/// Removes the crate of an earlier run; answers its lock, so that nothing is resolved twice.
fn keep_lock(folder: &Path) -> Result<Option<Vec<u8>>> {
    if !folder.exists() {
        return Ok(None);
    }
    let lock = std::fs::read(folder.join("Cargo.lock")).ok();
    std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove `{}`", folder.display()))?;
    Ok(lock)
}

/// Runs a command; answers its standard output.
fn quietly(command: &mut Command, what: &str) -> Result<String> {
    let done = process::quietly(command, what, None)?;
    ensure!(done.status.success(), "{what} failed:\n{}{}", done.stdout, done.stderr);
    Ok(done.stdout)
}
