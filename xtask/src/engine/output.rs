//! Writes the finished engine: the component, what it is, and the licences of everything in it.

use super::recipe::Flavour;
use crate::tree::Tree;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// GSL is GPL-3.0-or-later and PostGIS' liblwgeom GPL-2.0-or-later; the rest may be passed on under either.
pub(super) const LICENCE: &str = "GPL-3.0-or-later";

const COMPONENT: &str = "meos-engine.wasm";
const CATALOG: &str = "meos-catalog.json";
const MANIFEST: &str = "manifest.json";
const LICENCES: &str = "LICENSES.txt";

/// What is in the component, with the files that say under which terms; paths are below the work folder.
const PARTS: &[(&str, &str, &str)] = &[
    ("MEOS (MobilityDB), with code of PostgreSQL", "PostgreSQL", "src/meos/LICENSE.txt"),
    ("PostGIS' liblwgeom, part of MEOS", "GPL-2.0-or-later", ""),
    ("ryu, part of MEOS and of GEOS", "Apache-2.0 OR BSL-1.0", "src/meos/postgis/ryu/LICENSE-Boost"),
    ("GNU Scientific Library", "GPL-3.0-or-later", "src/gsl/COPYING"),
    ("json-c", "MIT", "src/json-c/COPYING"),
    ("PROJ's geodesics and list of ellipsoids", "MIT", "src/proj/COPYING"),
    ("time zone database", "LicenseRef-public-domain; its package Apache-2.0", ""),
    ("wasi-libc", "MIT OR Apache-2.0 WITH LLVM-exception", "python/packages/ziglang/lib/libc/wasi/LICENSE"),
    ("musl, in wasi-libc", "MIT", "python/packages/ziglang/lib/libc/musl/COPYRIGHT"),
    ("zig's C and compiler runtime", "MIT", "python/packages/ziglang/LICENSE"),
    ("abi-mcp's glue and the Rust crates in it", "MIT OR Apache-2.0", ""),
];

const GEOS_PARTS: &[(&str, &str, &str)] = &[
    ("GEOS", "LGPL-2.1-or-later", "src/geos/COPYING"),
    (
        "LLVM's libc++, libc++abi, libunwind",
        "Apache-2.0 WITH LLVM-exception",
        "python/packages/ziglang/lib/libcxx/LICENSE.TXT",
    ),
];

/// The folder beside the embedded components that is never embedded.
pub(super) fn folder(tree: &Tree) -> PathBuf {
    tree.components().join("engine")
}

/// Whether the folder holds what was built from `inputs`.
pub(super) fn is_current(tree: &Tree, inputs: &str) -> bool {
    let folder = folder(tree);
    let Some(manifest) =
        std::fs::read(folder.join(MANIFEST)).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
    else {
        return false;
    };
    let sha256 =
        |file: &str| std::fs::read(folder.join(file)).ok().map(|bytes| json!(hex::encode(Sha256::digest(bytes))));
    manifest.get("inputs") == Some(&json!(inputs))
        && manifest.get("sha256").is_some_and(|known| Some(known) == sha256(COMPONENT).as_ref())
        && manifest.get("catalog_sha256").is_some_and(|known| Some(known) == sha256(CATALOG).as_ref())
}

/// What was built, for the manifest.
pub(super) struct Built<'a> {
    pub(super) component: &'a [u8],
    pub(super) catalog: &'a [u8],
    pub(super) release: &'a str,
    pub(super) functions: usize,
    pub(super) flavour: Flavour,
    pub(super) inputs: &'a str,
}

/// Writes it all; the manifest last, so that a broken write is never current.
pub(super) fn write(tree: &Tree, work: &Path, built: &Built<'_>) -> Result<()> {
    let folder = folder(tree);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
    let put = |name: &str, bytes: &[u8]| {
        let (path, part) = (folder.join(name), folder.join(format!("{name}.part")));
        std::fs::write(&part, bytes).with_context(|| format!("cannot write `{}`", part.display()))?;
        std::fs::rename(&part, &path).with_context(|| format!("cannot write `{}`", path.display()))
    };
    put(COMPONENT, built.component)?;
    put(CATALOG, built.catalog)?;
    put(LICENCES, licences(work, built.flavour)?.as_bytes())?;
    let manifest = json!({
        "name": "meos-engine",
        "file": COMPONENT,
        "sha256": hex::encode(Sha256::digest(built.component)),
        "runs": "MEOS",
        "release": built.release,
        "geos": built.flavour.geos,
        "functions": built.functions,
        "licence": LICENCE,
        "licences": LICENCES,
        "catalog": CATALOG,
        "catalog_sha256": hex::encode(Sha256::digest(built.catalog)),
        "inputs": built.inputs,
    });
    put(MANIFEST, (serde_json::to_string_pretty(&manifest)? + "\n").as_bytes())
}

fn licences(work: &Path, flavour: Flavour) -> Result<String> {
    let parts: Vec<_> = PARTS.iter().chain(GEOS_PARTS.iter().filter(|_| flavour.geos)).collect();
    let mut text = format!("The component `{COMPONENT}` as a whole: {LICENCE}.\nIt is made of:\n\n");
    for (name, licence, _) in &parts {
        text.push_str(&format!("  {name}: {licence}\n"));
    }
    text.push_str("\nIts complete sources are the packages pinned in `plugins/meos-engine/sources`, the edits in\n`xtask/src/engine/edits.rs` and `plugins/meos-engine`; `cargo xtask engine` builds it from them.\n");
    for (name, _, file) in parts.iter().filter(|(_, _, file)| !file.is_empty()) {
        let path = work.join(file);
        let terms = std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        ensure!(!terms.trim().is_empty(), "`{}` is empty", path.display());
        text.push_str(&format!("\n{}\n{name}\n\n{}\n", "=".repeat(80), terms.trim_end()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(inputs: &str) -> Built<'_> {
        let flavour = Flavour { geos: false };
        Built { component: b"component", catalog: b"{}", release: "1.3.0", functions: 2, flavour, inputs }
    }

    #[test]
    fn an_engine_is_current_for_its_inputs_and_whole() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let (tree, work) = (Tree::at(folder.path()), folder.path().join("work"));
        for (_, _, file) in PARTS.iter().filter(|(_, _, file)| !file.is_empty()) {
            let path = work.join(file);
            std::fs::create_dir_all(path.parent().context("in a folder")?)?;
            std::fs::write(path, format!("terms of {file}"))?;
        }
        assert!(!is_current(&tree, "a"));
        write(&tree, &work, &built("a"))?;
        assert!(is_current(&tree, "a") && !is_current(&tree, "b"));
        let licences = std::fs::read_to_string(super::folder(&tree).join(LICENCES))?;
        assert!(licences.contains("terms of src/gsl/COPYING") && !licences.contains("LGPL"), "{licences}");
        std::fs::write(super::folder(&tree).join(COMPONENT), "damaged")?;
        assert!(!is_current(&tree, "a"));
        Ok(())
    }
}
