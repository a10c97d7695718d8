//! The Rust crates, compiled together into one target folder.

use super::{ROLES, hold, host, quietly, write};
use crate::guests;
use crate::tree::Tree;
use anyhow::Result;
use std::process::Command;

/// Makes, builds and holds one crate a role.
pub(crate) fn run(tree: &Tree) -> Result<()> {
    let host = host(tree)?;
    let target = tree.templates().join("target");
    for role in ROLES {
        let name = format!("template-{role}");
        let folder = tree.templates().join(&name);
        // The lock of an earlier run: nothing is resolved twice.
        let lock = std::fs::read(folder.join("Cargo.lock")).ok();
        write(&host, &folder, &name, role, "rust")?;
        if let Some(lock) = lock {
            std::fs::write(folder.join("Cargo.lock"), lock)?;
        }
        let mut test = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        test.args(["test", "--target-dir"]).arg(&target).current_dir(&folder);
        quietly(&mut test, &format!("testing {name}"))?;
        let module = guests::template(tree, &folder.join("Cargo.toml"), &target)?;
        let mut encode = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        encode.args(["run", "--package", "component", "--target-dir"]).arg(&target).arg("--").arg(&module);
        encode.arg(folder.join(format!("{name}.wasm"))).current_dir(&folder);
        quietly(&mut encode, &format!("componentising {name}"))?;
        hold(&host, &folder, &name)?;
    }
    Ok(())
}
