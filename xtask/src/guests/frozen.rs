//! The frozen guests: one component of each released contract, and one of a contract to come, written as WebAssembly text.
//!
//! Comes in: `tests/frozen/NAME-VERSION.wat`, which names its world in a line `;; world: …`, and that world's WIT: the
//! `.wit` beside it, else the released contract's own folder. Goes out: components. No compiler has a part in them, so
//! what they hand over is what was written down when the contract was released.

use super::component;
use crate::tree::Tree;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use wit_component::{StringEncoding, embed_component_metadata};
use wit_parser::{PackageId, Resolve};

/// How a text names the world its module is made for.
const WORLD: &str = ";; world: ";

/// Each frozen guest's name (`mapper-0.1.0`) and component, sorted by name.
pub(super) fn components(tree: &Tree) -> Result<Vec<(String, Vec<u8>)>> {
    // A trimmed checkout has none.
    let mut texts: Vec<PathBuf> = std::fs::read_dir(tree.frozen())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "wat"))
        .collect();
    texts.sort();
    texts.iter().map(|text| assemble(tree, text).with_context(|| format!("`{}`", text.display()))).collect()
}

fn assemble(tree: &Tree, path: &Path) -> Result<(String, Vec<u8>)> {
    let name = path.file_stem().and_then(|stem| stem.to_str()).context("its name is no text")?;
    let (contract, version) = name.rsplit_once('-').context("expected a name such as `mapper-0.1.0.wat`")?;
    let text = std::fs::read_to_string(path)?;
    let world = text.lines().find_map(|line| line.strip_prefix(WORLD)).context("it has no line `;; world: …`")?;

    let mut resolve = Resolve::default();
    let package = contract_package(&mut resolve, path, &tree.wit().join(contract).join(version))?;
    let world = resolve.select_world(&[package], Some(world.trim()))?;
    let mut module = wat::parse_str(&text)?;
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
    Ok((name.to_owned(), component::encode(&module, None)?))
}

/// The WIT beside a text, else the contract's own.
fn contract_package(resolve: &mut Resolve, text: &Path, released: &Path) -> Result<PackageId> {
    let beside = text.with_extension("wit");
    if beside.is_file() {
        ensure!(!released.exists(), "`{}` is released: the WIT beside this text is to go", released.display());
        return resolve.push_str(&beside, &std::fs::read_to_string(&beside)?);
    }
    Ok(resolve.push_dir(released)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_contract_has_a_frozen_guest() -> Result<()> {
        let tree = Tree::find()?;
        let components = components(&tree)?;
        let names: BTreeSet<&str> = components.iter().map(|(name, _)| name.as_str()).collect();
        for contract in crate::contracts::contracts(&tree.wit())? {
            let guest = contract.replace('/', "-");
            ensure!(names.contains(guest.as_str()), "`tests/frozen/{guest}.wat` is missing: every contract needs one");
        }
        Ok(())
    }
}
