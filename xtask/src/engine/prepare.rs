//! Lays out the sources as the compiler will see them: copied, edited, with configured headers.
//!
//! Comes in: the fetched folders. Goes out: `src/` in the work folder with one folder a library and `src/include`, plus
//! a digest of it all. The originals are never touched. Done again only when an edit or a source list changed.

use super::digest::{Digest, files};
use super::edits::{self, EDITS};
use super::fetch::Fetched;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// What MEOS, PostGIS and GEOS call themselves, for the headers that CMake would have made.
const NAMES: &[(&str, &str)] = &[
    ("HAVE_STRCHRNUL", "1"),
    ("POSTGRESQL_SHARE_DIR", "\"\""),
    ("POSTGIS_GEOS_VERSION", "31501"),
    ("POSTGIS_LIB_VERSION", "3.5.0"),
    ("POSTGIS_VERSION", "3.5.0"),
    ("POSTGIS_MAJOR_VERSION", "3"),
    ("POSTGIS_MINOR_VERSION", "5"),
    ("POSTGIS_VERSION_MAJOR", "3"),
    ("POSTGIS_VERSION_MINOR", "5"),
    ("POSTGIS_VERSION_MICRO", "0"),
    ("POSTGIS_PGSQL_VERSION", "140"),
    ("POSTGIS_PROJ_VERSION", "96"),
    ("SRID_MAX", "999999"),
    ("SRID_USR_MAX", "998999"),
    ("JSON_H_JSON_PATCH", ""),
    ("JSON_H_JSON_POINTER", ""),
    ("VERSION_MAJOR", "3"),
    ("VERSION_MINOR", "15"),
    ("VERSION_PATCH", "1"),
    ("VERSION", "3.15.1dev"),
    ("JTS_PORT", "1.20.0"),
    ("CAPI_VERSION_MAJOR", "1"),
    ("CAPI_VERSION_MINOR", "22"),
    ("CAPI_VERSION_PATCH", "1"),
    ("CAPI_VERSION", "1.22.1"),
];

/// The templates of configured headers: from, to, both below `src/`.
const TEMPLATES: &[(&str, &str)] = &[
    ("meos/postgres/pg_config.h.in", "meos/postgres/pg_config.h"),
    ("meos/postgis/postgis_config.h.in", "meos/postgis/postgis_config.h"),
    ("meos/postgis/liblwgeom/liblwgeom.h.in", "meos/postgis/liblwgeom/liblwgeom.h"),
    ("json-c/json.h.cmakein", "include/json-c/json.h"),
    ("geos/capi/geos_c.h.in", "include/geos_c.h"),
    ("geos/include/geos/version.h.in", "geos/include/geos/version.h"),
];

/// Makes `src/` in `work` and answers with its folder.
pub(super) fn layout(fetched: &Fetched, plugin: &Path, work: &Path) -> Result<PathBuf> {
    let src = work.join("src");
    let (stamp, key) = (work.join("src.stamp"), key(fetched, plugin)?);
    if std::fs::read_to_string(&stamp).is_ok_and(|text| text == key) {
        return Ok(src);
    }
    if src.exists() {
        std::fs::remove_dir_all(&src).with_context(|| format!("cannot empty `{}`", src.display()))?;
    }
    copy(&fetched.meos, &src.join("meos"), |path| !path.starts_with("meos/test") && !path.starts_with("doc"))?;
    copy(&fetched.json_c, &src.join("json-c"), |path| path.components().count() == 1)?;
    copy(&fetched.gsl, &src.join("gsl"), is_source)?;
    copy(&fetched.proj, &src.join("proj"), |_| true)?;
    copy(&fetched.geos, &src.join("geos"), |path| {
        ["src", "include", "capi"].iter().any(|folder| path.starts_with(folder)) || path == Path::new("COPYING")
    })?;
    copy(&plugin.join("c"), &src.join("engine"), |_| true)?;
    headers(&src)?;
    for (from, to) in TEMPLATES {
        edits::fill(&src.join(from), &src.join(to), NAMES)?;
    }
    edits::apply(&src, "", EDITS)?;
    std::fs::write(&stamp, key).with_context(|| format!("cannot write `{}`", stamp.display()))?;
    Ok(src)
}

/// Changes with the fetched packages (their folders carry the release), the edits and our own C.
fn key(fetched: &Fetched, plugin: &Path) -> Result<String> {
    let mut digest = Digest::new();
    for folder in [&fetched.meos, &fetched.geos, &fetched.proj] {
        digest.bytes(folder.as_os_str().as_encoded_bytes());
    }
    for edit in EDITS {
        for text in [edit.file, edit.from, edit.to] {
            digest.bytes(text.as_bytes());
        }
    }
    for (name, value) in NAMES.iter().chain(TEMPLATES) {
        digest.bytes(name.as_bytes());
        digest.bytes(value.as_bytes());
    }
    digest.tree(&plugin.join("c"), |_| true)?;
    Ok(digest.finish())
}

/// Headers that are installed into one folder and included from there: GSL's, json-c's, GEOS' and PROJ's.
fn headers(src: &Path) -> Result<()> {
    let include = src.join("include");
    for path in files(&src.join("gsl"))? {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("gsl_") && name.ends_with(".h") {
            put(&path, &include.join("gsl").join(name))?;
        }
    }
    for path in files(&src.join("json-c"))?.iter().filter(|path| path.extension().is_some_and(|end| end == "h")) {
        put(path, &include.join("json-c").join(path.file_name().context("a header has a name")?))?;
    }
    put(&src.join("engine/config/json-c/json_config.h"), &include.join("json-c/json_config.h"))?;
    put(&src.join("geos/include/geos/export.h"), &include.join("geos/export.h"))?;
    for name in ["geodesic.h", "proj.h"] {
        put(&src.join("proj/src").join(name), &include.join(name))?;
    }
    Ok(())
}

fn put(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
    }
    // Not `fs::copy`: vendored files are read-only, and a copied permission would make the next edit fail.
    let bytes = std::fs::read(from).with_context(|| format!("cannot read `{}`", from.display()))?;
    std::fs::write(to, bytes).with_context(|| format!("cannot write `{}`", to.display()))
}

fn copy(from: &Path, to: &Path, wanted: impl Fn(&Path) -> bool) -> Result<()> {
    for path in files(from)? {
        let name = path.strip_prefix(from).unwrap_or(&path);
        if wanted(name) {
            put(&path, &to.join(name))?;
        }
    }
    Ok(())
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "c" || end == "h") || path == Path::new("COPYING")
}
