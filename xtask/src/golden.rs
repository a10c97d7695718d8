//! The built components, held to the golden cases of their own crates: what `cargo test` holds the code to, the very same
//! files hold the component to.
//!
//! Comes in: the built host and components. Goes out: nothing, or which component answers otherwise. A crate takes part by
//! having `tests/golden`; its component has the name of its folder.

use crate::process;
use crate::tree::Tree;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs `plugin test` over each component that has cases.
pub(crate) fn run(tree: &Tree) -> Result<()> {
    let host = tree.host_binary("debug");
    ensure!(host.is_file(), "`{}` is missing: run `cargo xtask build`", host.display());
    let plugins = tree.root().join("plugins");
    let places = [(plugins.clone(), tree.components()), (plugins.join("examples"), tree.components().join("examples"))];
    let mut tested = 0;
    for (crates, components) in &places {
        for (name, cases) in with_cases(crates)? {
            test(&host, &components.join(format!("{name}.wasm")), &cases, &name)?;
            tested += 1;
        }
    }
    ensure!(tested > 0, "no crate of `plugins/` has `tests/golden`");
    Ok(())
}

fn test(host: &Path, component: &Path, cases: &Path, name: &str) -> Result<()> {
    ensure!(component.is_file(), "`{name}` has golden cases and no component `{}`", component.display());
    let mut command = Command::new(host);
    command.args(["plugin", "test"]).arg(component).arg("--cases").arg(cases).env_remove("BLESS");
    let done = process::quietly(&mut command, &format!("testing {name}"), None)?;
    ensure!(done.status.success(), "`{name}` does not answer as its golden cases say:\n{}{}", done.stdout, done.stderr);
    println!("  {name}: {}", done.stdout.lines().next_back().unwrap_or_default());
    Ok(())
}

/// The crates in a folder that have cases, by name.
fn with_cases(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list `{}`", folder.display()))?;
    let case = |entry: std::fs::DirEntry| {
        let cases = entry.path().join("tests/golden");
        cases.is_dir().then(|| (entry.file_name().to_string_lossy().into_owned(), cases))
    };
    let mut found: Vec<_> = entries.flatten().filter_map(case).collect();
    found.sort();
    Ok(found)
}
