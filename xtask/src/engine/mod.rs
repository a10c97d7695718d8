//! `cargo xtask engine`: builds the component that runs MEOS.
//!
//! Comes in: the package lists of `plugins/meos-engine/sources` and that plugin's code. Goes out: `components/engine/`
//! with the component, the catalog of the very headers it was compiled from, a manifest and the licences. It contains
//! GPL code: the host loads it from there and never embeds it.
//!
//! The way through: `fetch` → `prepare` (with `edits`) → `catalog` → `table`, `data`, `stubs` (generated C) → `recipe`,
//! `runtime` (what is compiled) → `compile` → `link` → `output`. Everything lies in `target/engine` and is done again
//! only where something changed, so an interrupted build goes on where it was.

mod catalog;
mod compile;
mod data;
mod digest;
mod edits;
mod fetch;
mod link;
mod output;
mod prepare;
mod recipe;
mod runtime;
mod stubs;
mod table;

use crate::guests;
use crate::tree::Tree;
use anyhow::{Context, Result, bail, ensure};
use compile::Compiler;
use fetch::Fetched;
use recipe::{Flavour, Unit};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The Rust half's package.
const GLUE: &str = "abi-mcp-meos-engine";

/// Builds the engine, or with `--check` only says whether it is current.
pub(crate) fn run(tree: &Tree, arguments: &[String]) -> Result<()> {
    let (mut check, mut flavour) = (false, Flavour { geos: true });
    for argument in arguments {
        match argument.as_str() {
            "--check" => check = true,
            "--without-geos" => flavour.geos = false,
            other => bail!("usage: cargo xtask engine [--check] [--without-geos], found `{other}`"),
        }
    }
    let inputs = inputs(tree, flavour)?;
    let current = output::is_current(tree, &inputs);
    if check {
        ensure!(current, "the MEOS engine is missing or stale: run `cargo xtask engine`");
    }
    if current {
        println!("the MEOS engine is current");
        return Ok(());
    }
    build(tree, flavour, &inputs)
}

/// Fetches what the engine is made of and compiles nothing: tells a registry out of reach, or a program that is not
/// installed, from a build that fails.
pub(crate) fn fetch(tree: &Tree) -> Result<()> {
    let work = tree.engine_work();
    std::fs::create_dir_all(&work).with_context(|| format!("cannot create `{}`", work.display()))?;
    fetch::all(&tree.root().join("plugins/meos-engine/sources"), &work).map(|_| ())
}

fn build(tree: &Tree, flavour: Flavour, inputs: &str) -> Result<()> {
    let started = Instant::now();
    let (plugin, work) = (tree.root().join("plugins/meos-engine"), tree.engine_work());
    std::fs::create_dir_all(&work).with_context(|| format!("cannot create `{}`", work.display()))?;
    println!("building MEOS for the sandbox; the first time takes {}", estimate(flavour));
    let fetched = fetch::all(&plugin.join("sources"), &work)?;
    let src = prepare::layout(&fetched, &plugin, &work)?;
    let described = describe(&src, &work)?;
    let (units, functions) = units(&fetched, &src, &work, &described, flavour)?;
    let compiler = Compiler { zig: fetched.zig.clone(), work: work.clone() };
    let libraries = link::c_library(&compiler)?;
    let compiled = compiler.compile(&units)?;
    println!("  {compiled} of {} compiler runs were needed", units.len());
    let glue = guests::static_library(tree, GLUE)?;
    let objects: Vec<PathBuf> = units.into_iter().map(|unit| unit.object).collect();
    let module = link::link(&compiler, &objects, &glue, &libraries)?;
    let module = link::optimise(&fetched, &work, &module)?;
    let component = link::componentise(&tree.wit().join("engine/0.1.0"), &module)?;
    let (release, catalog) = (described.release.as_str(), described.bytes.as_slice());
    output::write(tree, &work, &output::Built { component: &component, catalog, release, functions, flavour, inputs })?;
    let (size, seconds) = (component.len() / 1024, started.elapsed().as_secs());
    println!("  MEOS {release}, {functions} functions, {size} KB, {}", output::LICENCE);
    println!("the MEOS engine is in `{}` ({seconds} s)", output::folder(tree).display());
    Ok(())
}

/// Measured on two processors, idle and at a load of ten.
const fn estimate(flavour: Flavour) -> &'static str {
    if flavour.geos { "5 to 15 minutes and 130 MB of downloads" } else { "2 to 5 minutes and 130 MB of downloads" }
}

/// The catalog of the laid-out headers.
struct Described {
    bytes: Vec<u8>,
    catalog: Value,
    release: String,
}

fn describe(src: &Path, work: &Path) -> Result<Described> {
    let path = work.join("catalog.json");
    let helpers = src.join("engine/helpers.h");
    let helpers = std::fs::read_to_string(&helpers).with_context(|| format!("cannot read `{}`", helpers.display()))?;
    let package = Some("meos-src 0.2.0");
    let summary = catalog::write(&src.join("meos"), catalog::Additions { package, helpers: &helpers }, &path)?;
    let (all, tools) = (summary.functions, summary.exposable);
    println!("  MEOS' headers declare {all} functions, {tools} of them fit for tools");
    if !summary.undefined.is_empty() {
        println!("  declared and not defined: {}", summary.undefined.join(", "));
    }
    ensure!(
        summary.unreadable.is_empty(),
        "pieces of MEOS' headers cannot be read:\n{}",
        summary.unreadable.join("\n")
    );
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let catalog: Value = serde_json::from_slice(&bytes).context("the catalog is not JSON")?;
    let release = catalog.pointer("/meos/release").and_then(Value::as_str).context("the catalog names no release")?;
    Ok(Described { release: release.to_owned(), catalog, bytes })
}

/// What is to be compiled, and how many functions will be callable.
fn units(
    fetched: &Fetched,
    src: &Path,
    work: &Path,
    described: &Described,
    flavour: Flavour,
) -> Result<(Vec<Unit>, usize)> {
    let table = table::generate(&described.catalog, &described.release, flavour.geos)?;
    println!("  {} take a Datum or a callback and are left out", table.left_out.len());
    let systems = fetched.meos.join("meos/src/geo/spatial_ref_sys.csv");
    let mut generated = vec![
        ("table.c", table.text),
        ("zones.c", data::zones(&fetched.zones)?),
        ("systems.c", data::reference_systems(&systems, &fetched.proj.join("src/ellps.cpp"))?),
    ];
    if !flavour.geos {
        let header = std::fs::read_to_string(src.join("include/geos_c.h")).context("cannot read GEOS' header")?;
        generated.push(("stubs.c", stubs::generate(&header)?));
    }
    let mut units = recipe::units(work, flavour)?;
    let headers = recipe::headers(src, &["meos", "include", "engine"])?;
    for (name, text) in generated {
        recipe::write(&work.join("generated").join(name), &text)?;
        units.push(recipe::generated(name, &headers));
    }
    Ok((units, table.names.len()))
}

/// The digest of everything the engine is made from that lies in this repository.
fn inputs(tree: &Tree, flavour: Flavour) -> Result<String> {
    let mut digest = digest::Digest::new();
    digest.bytes(if flavour.geos { b"geos" } else { b"no geos" });
    digest.bytes(guests::compiler_identity()?.as_bytes());
    for folder in ["plugins/meos-engine", "plugins/meos-call", "wit/engine", "xtask/src/engine"] {
        digest.tree(&tree.root().join(folder), |path| !path.components().any(|part| part.as_os_str() == "tests"))?;
    }
    for file in ["plugins/Cargo.toml", "plugins/Cargo.lock"] {
        digest.file(&tree.root().join(file))?;
    }
    Ok(digest.finish())
}
