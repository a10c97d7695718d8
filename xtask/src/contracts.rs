//! `cargo xtask wit`: every contract parses, a mapper, error decoder or engine imports nothing, and a released one never
//! changes.
//!
//! `wit/FROZEN` has one line a released contract: the SHA-256 of its folder and `name/version`. A folder that is not
//! listed is a draft and may change. Wishes that would break a released one are collected in `wit/PENDING.md`.

use crate::tree::Tree;
use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use wit_parser::Resolve;

/// Contracts whose components may do nothing but compute.
const PURE: [&str; 3] = ["mapper", "errors", "engine"];

/// Checks the contracts, or with `--release NAME/VERSION` freezes one.
pub(crate) fn run(tree: &Tree, arguments: &[String]) -> Result<()> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => {
            for line in check(&tree.wit())? {
                println!("{line}");
            }
            Ok(())
        }
        ["--release", contract] => release(&tree.wit(), contract),
        other => bail!("usage: cargo xtask wit [--release NAME/VERSION], found `{}`", other.join(" ")),
    }
}

/// One line a contract; the first that is broken or changed after its release is an error.
fn check(wit: &Path) -> Result<Vec<String>> {
    let contracts = contracts(wit)?;
    let frozen = frozen(wit)?;
    ensure!(!contracts.is_empty(), "`{}` holds no contract", wit.display());
    if let Some(missing) = frozen.keys().find(|name| !contracts.contains(name)) {
        bail!("the released contract `wit/{missing}` is gone; components built for it exist, so it has to stay");
    }
    let mut lines = Vec::new();
    for contract in &contracts {
        parse(wit, contract)?;
        let digest = digest(&wit.join(contract))?;
        let state = match frozen.get(contract) {
            None => "draft",
            Some(expected) if *expected == digest => "released",
            Some(expected) => bail!(
                "the released contract `wit/{contract}` was changed (sha256 {digest}, released as {expected})\n\
                 hint: take the change back; collect it in `wit/PENDING.md` and release it as a new version"
            ),
        };
        lines.push(format!("wit: {contract}: {state}"));
    }
    Ok(lines)
}

/// Adds a contract to `wit/FROZEN`.
fn release(wit: &Path, contract: &str) -> Result<()> {
    let known = contracts(wit)?;
    ensure!(
        known.iter().any(|name| name == contract),
        "there is no contract `{contract}`, only {}",
        known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    );
    ensure!(!frozen(wit)?.contains_key(contract), "`{contract}` is released already and stays as it is");
    parse(wit, contract)?;
    let digest = digest(&wit.join(contract))?;
    let path = wit.join("FROZEN");
    let mut text = std::fs::read_to_string(&path).unwrap_or_default();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("{digest}  {contract}\n"));
    std::fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    println!("wit: {contract} is released; it never changes from here on");
    Ok(())
}

/// The contracts as `name/version`, sorted.
pub(crate) fn contracts(wit: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for name in folders(wit)? {
        names.extend(folders(&wit.join(&name))?.into_iter().map(|version| format!("{name}/{version}")));
    }
    names.sort();
    Ok(names)
}

fn folders(parent: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(parent).with_context(|| format!("cannot list `{}`", parent.display()))?;
    let folders = entries.flatten().filter(|entry| entry.path().is_dir());
    Ok(folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

/// The released contracts with the digests they were released with.
fn frozen(wit: &Path) -> Result<BTreeMap<String, String>> {
    let path = wit.join("FROZEN");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", path.display())),
    };
    let mut frozen = BTreeMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let entry = line.split_once("  ").filter(|(digest, _)| digest.len() == 64);
        let (digest, name) =
            entry.with_context(|| format!("wit/FROZEN:{}: expected `<sha256>  name/version`", index + 1))?;
        ensure!(
            frozen.insert(name.to_owned(), digest.to_owned()).is_none(),
            "wit/FROZEN:{}: `{name}` is listed twice",
            index + 1
        );
    }
    Ok(frozen)
}

/// Parses a contract and compares it with the folder it lies in.
fn parse(wit: &Path, contract: &str) -> Result<()> {
    let mut resolve = Resolve::default();
    let (package, _) =
        resolve.push_dir(wit.join(contract)).with_context(|| format!("`wit/{contract}` does not parse"))?;
    let package = resolve.packages.get(package).context("the parsed package is missing")?;
    let expected = format!("abi-mcp:{}", contract.replace('/', "@"));
    let found = package.name.to_string();
    ensure!(found == expected, "`wit/{contract}` declares package `{found}`, expected `{expected}`");
    let pure = PURE.iter().any(|name| contract.split('/').next() == Some(*name));
    for (name, id) in package.worlds.iter().filter(|_| pure) {
        let world = resolve.worlds.get(*id).context("the parsed world is missing")?;
        // Types that an export uses show up as imports of the interface that declares them; functions would be a capability.
        for (key, item) in &world.imports {
            let harmless = match item {
                wit_parser::WorldItem::Interface { id, .. } => {
                    resolve.interfaces.get(*id).is_some_and(|interface| interface.functions.is_empty())
                }
                wit_parser::WorldItem::Type { .. } => true,
                wit_parser::WorldItem::Function(_) => false,
            };
            let import = resolve.name_world_key(key);
            ensure!(harmless, "`wit/{contract}`: world `{name}` imports `{import}`; this contract is pure computation");
        }
    }
    Ok(())
}

/// SHA-256 over the files of a folder, in the order of their names; names and lengths are part of it.
fn digest(folder: &Path) -> Result<String> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list `{}`", folder.display()))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let bytes = std::fs::read(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let name = file.file_name().unwrap_or_default().as_encoded_bytes();
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name);
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
    }
    Ok(hex::encode(hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPPER: &str = "package abi-mcp:mapper@0.1.0; interface a { f: func(); } world mapper { export a; }";

    fn wit_with(text: &str) -> Result<tempfile::TempDir> {
        let folder = tempfile::tempdir()?;
        let contract = folder.path().join("mapper/0.1.0");
        std::fs::create_dir_all(&contract)?;
        std::fs::write(contract.join("mapper.wit"), text)?;
        Ok(folder)
    }

    fn refusal(wit: &Path) -> String {
        check(wit).map_or_else(|error| format!("{error:#}"), |lines| lines.join("\n"))
    }

    #[test]
    fn the_contracts_of_this_tree_parse_and_the_released_ones_are_unchanged() -> Result<()> {
        let lines = check(&Tree::find()?.wit())?;
        assert!(lines.iter().any(|line| line.starts_with("wit: mapper/0.1.0")), "{lines:?}");
        Ok(())
    }

    #[test]
    fn a_draft_may_change_and_a_released_contract_may_not() -> Result<()> {
        let folder = wit_with(MAPPER)?;
        let wit = folder.path();
        assert_eq!(refusal(wit), "wit: mapper/0.1.0: draft");
        release(wit, "mapper/0.1.0")?;
        assert_eq!(refusal(wit), "wit: mapper/0.1.0: released");
        std::fs::write(wit.join("mapper/0.1.0/mapper.wit"), MAPPER.replace("f:", "g:"))?;
        let message = refusal(wit);
        assert!(message.contains("`wit/mapper/0.1.0` was changed") && message.contains("wit/PENDING.md"), "{message}");
        assert!(release(wit, "mapper/0.1.0").is_err(), "a line in FROZEN is never replaced");
        std::fs::remove_dir_all(wit.join("mapper/0.1.0"))?;
        assert!(refusal(wit).contains("no contract"));
        Ok(())
    }

    #[test]
    fn a_contract_that_does_not_parse_or_lies_in_the_wrong_folder_is_named() -> Result<()> {
        let broken = refusal(wit_with("package abi-mcp:mapper@0.1.0; world {")?.path());
        assert!(broken.contains("`wit/mapper/0.1.0` does not parse"), "{broken}");
        let moved = refusal(wit_with(&MAPPER.replace("0.1.0", "0.2.0"))?.path());
        assert!(moved.contains("expected `abi-mcp:mapper@0.1.0`"), "{moved}");
        Ok(())
    }

    #[test]
    fn a_pure_contract_that_grows_an_import_is_refused() -> Result<()> {
        let impure = refusal(wit_with(&MAPPER.replace("export a;", "import a;"))?.path());
        assert!(impure.contains("imports") && impure.contains("pure computation"), "{impure}");
        Ok(())
    }
}
