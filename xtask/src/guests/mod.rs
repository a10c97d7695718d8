//! `cargo xtask guests`: builds every plugin component, whatever toolchain is at hand.
//!
//! Comes in: the `plugins/` workspace, `tests/guests` and `tests/frozen`. Goes out: `components/<name>.wasm` with
//! `components/manifest.json` (which the host's build script reads), and `components/{examples,tests,frozen}/<name>.wasm`,
//! which nothing embeds. Files are written only when their bytes change, so an unchanged guest does not rebuild the host.

mod cargo;
mod component;
mod discover;
mod frozen;
mod install;
mod output;
mod stamp;
mod toolchain;

use crate::tree::Tree;
use anyhow::{Context, Result, bail, ensure};
use discover::Guest;
use output::Entry;
use std::path::Path;
use std::time::Instant;

/// The target every guest compiles to: `std` works there and nothing is imported from the outside.
const TARGET: &str = "wasm32-unknown-unknown";

/// The oldest compiler for what `plugin new` writes, as its `rust-version` says.
const TEMPLATE_RUST: (u32, u32) = (1, 87);

/// Builds the components, or with `--check` only says whether they are current.
pub(crate) fn run(tree: &Tree, arguments: &[String]) -> Result<()> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => build(tree),
        ["--check"] => check(tree),
        other => bail!("usage: cargo xtask guests [--check], found `{}`", other.join(" ")),
    }
}

/// Builds the components unless nothing they depend on has changed.
pub(crate) fn build(tree: &Tree) -> Result<()> {
    let started = Instant::now();
    let inputs = stamp::inputs(tree)?;
    if stamp::is_current(tree, &inputs) {
        println!("components are current ({} ms)", started.elapsed().as_millis());
        return Ok(());
    }
    let manifest = tree.plugins_manifest();
    let plugins = discover::plugins(&manifest)?;
    ensure!(!plugins.is_empty(), "no crate of `plugins/` says `component = true` in `[package.metadata.abi-mcp]`");
    let mut tests = Vec::new();
    for manifest in tree.test_guest_manifests() {
        tests.push((discover::test_guests(&manifest)?, manifest));
    }
    let all: Vec<&Guest> = plugins.iter().chain(tests.iter().flat_map(|(guests, _)| guests)).collect();
    let toolchain = toolchain::find(all.iter().filter_map(|guest| guest.rust_version).max())?;
    println!("building {} components with {}", all.len(), toolchain.description());

    let (examples, bundled): (Vec<Guest>, Vec<Guest>) = plugins.into_iter().partition(|guest| guest.example);
    let entries = sorted(compile(tree, &toolchain, &manifest, &bundled, &tree.components())?)?;
    output::write_manifest(&tree.components(), &entries)?;
    let example_folder = tree.components().join("examples");
    let example_entries = sorted(compile(tree, &toolchain, &manifest, &examples, &example_folder)?)?;
    output::remove_strangers(&example_folder, &example_entries)?;
    let test_folder = tree.components().join("tests");
    let mut test_entries = Vec::new();
    for (guests, manifest) in &tests {
        test_entries.extend(compile(tree, &toolchain, manifest, guests, &test_folder)?);
    }
    let test_entries = sorted(test_entries)?;
    let frozen_entries = write_frozen(tree)?;
    output::remove_strangers(&tree.components(), &entries)?;
    output::remove_strangers(&test_folder, &test_entries)?;
    let folders =
        [("", &entries), ("examples/", &example_entries), ("tests/", &test_entries), ("frozen/", &frozen_entries)];
    stamp::write(tree, &inputs, &folders)?;
    println!("components built in {:.1} s", started.elapsed().as_secs_f32());
    Ok(())
}

/// Compiles one package of the plugins' workspace to a static library for the guests' target.
pub(crate) fn static_library(tree: &Tree, package: &str) -> Result<std::path::PathBuf> {
    let manifest = tree.plugins_manifest();
    let toolchain = toolchain::find(None)?;
    cargo::static_library(tree, &toolchain, &manifest, package)
}

/// Compiles a crate that `plugin new` wrote to a core module in `target`; answers the module.
pub(crate) fn template(tree: &Tree, manifest: &Path, target: &Path) -> Result<std::path::PathBuf> {
    cargo::template(tree, &toolchain::find(Some(TEMPLATE_RUST))?, manifest, target)
}

/// Wraps a module as a component that imports nothing.
pub(crate) fn without_imports(module: &[u8]) -> Result<Vec<u8>> {
    component::encode(module, Some(&[]))
}

/// What identifies the active compiler.
pub(crate) fn compiler_identity() -> Result<String> {
    toolchain::active_identity()
}

fn check(tree: &Tree) -> Result<()> {
    let inputs = stamp::inputs(tree)?;
    ensure!(stamp::is_current(tree, &inputs), "the components are missing or stale: run `cargo xtask guests`");
    println!("components are current");
    Ok(())
}

/// Wraps the frozen guests and writes their components.
fn write_frozen(tree: &Tree) -> Result<Vec<Entry>> {
    let folder = tree.components().join("frozen");
    let components = frozen::components(tree)?;
    let written = components.iter().map(|(name, component)| {
        let (entry, changed) = output::write_component(&folder, name, "frozen", component)?;
        println!("  {name} frozen{}", if changed { "" } else { ", unchanged" });
        Ok(entry)
    });
    let entries = written.collect::<Result<Vec<_>>>()?;
    output::remove_strangers(&folder, &entries)?;
    Ok(entries)
}

/// Compiles the guests of one workspace and writes their components into `folder`.
fn compile(
    tree: &Tree,
    toolchain: &toolchain::Toolchain,
    manifest: &Path,
    guests: &[Guest],
    folder: &Path,
) -> Result<Vec<Entry>> {
    if guests.is_empty() {
        return Ok(Vec::new());
    }
    let modules = cargo::modules(tree, toolchain, manifest, guests)?;
    let mut entries = Vec::with_capacity(modules.len());
    for module in modules {
        let bytes = std::fs::read(&module.path).with_context(|| format!("cannot read `{}`", module.path.display()))?;
        let component = component::encode(&bytes, module.guest.imports.as_deref())
            .with_context(|| format!("the component of `{}`", module.guest.package))?;
        let (entry, changed) = output::write_component(folder, &module.guest.name, &module.guest.release, &component)?;
        let note = if changed { "" } else { ", unchanged" };
        println!("  {} {} ({} KB{note})", entry.name, entry.release, component.len() / 1024);
        entries.push(entry);
    }
    Ok(entries)
}

/// Sorted by name; two of one name are an error.
fn sorted(mut entries: Vec<Entry>) -> Result<Vec<Entry>> {
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some([a, _]) = entries.array_windows().find(|[a, b]| a.name == b.name) {
        bail!("two crates want to be the component `{}`", a.name);
    }
    Ok(entries)
}
