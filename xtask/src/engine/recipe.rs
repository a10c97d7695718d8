//! Which files are compiled, and with which flags.
//!
//! Comes in: the laid-out sources (`src/`). Goes out: one [`Unit`] for each compiler run. MEOS' own CMake lists say
//! which of its files belong to the library; GEOS' files are taken by folder, several to a unit, because its headers
//! cost more than its code.

use super::digest::{Digest, files};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// Which engine is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flavour {
    pub(super) geos: bool,
}

/// One compiler run. Paths are relative to the work folder, so that none of the machine's gets into the result.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// For progress: which file.
    pub(super) name: String,
    pub(super) source: PathBuf,
    pub(super) object: PathBuf,
    pub(super) arguments: Vec<String>,
    /// Changes with any header the unit may include.
    pub(super) headers: String,
}

/// For every file: a plain machine, sections the linker may drop, nothing of zig's debugging aids.
const BASE: &[&str] = &[
    "-target",
    "wasm32-wasi",
    "-w",
    "-g0",
    "-fno-sanitize=all",
    "-mbulk-memory",
    "-ffunction-sections",
    "-fdata-sections",
];

/// MEOS relies on reading one memory as two types.
const C: &[&str] = &["-std=gnu17", "-O2", "-fno-strict-aliasing", "-DNDEBUG", "-D_GNU_SOURCE"];

/// Exceptions in WebAssembly's own final encoding, which is what the host's runtime knows.
pub(super) const EXCEPTIONS: &[&str] =
    &["-mexception-handling", "-mllvm", "-wasm-enable-eh", "-mllvm", "-wasm-use-legacy-eh=false"];

/// The same for setjmp and longjmp.
const JUMPS: &[&str] = &["-mexception-handling", "-mllvm", "-wasm-enable-sjlj", "-mllvm", "-wasm-use-legacy-eh=false"];

const CXX: &[&str] = &["-std=c++17", "-O1", "-DNDEBUG", "-DUSE_UNSTABLE_GEOS_CPP_API", "-fwasm-exceptions"];

/// The folders of MEOS whose CMake lists are followed.
const MEOS_FOLDERS: &[&str] = &[
    "postgres/common",
    "postgres/port",
    "postgres/timezone",
    "postgres/utils",
    "postgis/liblwgeom",
    "postgis/ryu",
    "meos/src/temporal",
    "meos/src/geo",
    "meos/src/cbuffer",
    "meos/src/npoint",
    "meos/src/pose",
    "meos/src/rgeo",
];

const JSON_C: &[&str] = &[
    "arraylist",
    "debug",
    "json_c_version",
    "json_object",
    "json_object_iterator",
    "json_tokener",
    "json_util",
    "json_visit",
    "linkhash",
    "printbuf",
    "random_seed",
    "strerror_override",
];

/// GSL's random numbers and the two distributions MEOS draws from.
const GSL: &[&str] =
    &["randist/binomial_tpe", "randist/exponential", "err/error", "err/stream", "err/strerror", "sys/pow_int"];

/// Folders of GEOS whose files do not compile together: their `using` clauses meet.
const ALONE: &[&str] = &["src/geom", "src/geom/prep", "src/io", "src/operation/overlayng", "src/operation/valid"];

/// How many files of GEOS go into one unit.
const TOGETHER: usize = 16;

/// The units of a flavour.
pub(super) fn units(work: &Path, flavour: Flavour) -> Result<Vec<Unit>> {
    let src = work.join("src");
    let mut made = Vec::new();
    let meos = headers(&src, &["meos", "include", "engine"])?;
    for source in meos_sources(&src)? {
        let mut extra = strings(&["-include", "src/engine/config/meos_build.h"]);
        extra.extend(include(&["include", "include/json-c", "meos/postgres/timezone", "meos/postgres"]));
        extra.extend(include(&["meos/postgis/liblwgeom", "meos/postgis", "meos/meos/include"]));
        if source.ends_with("localtime.c") {
            extra.extend(strings(&["-Dread=abi_mcp_zone_read", "-Dclose=abi_mcp_zone_close"]));
        }
        made.push(unit(&source, C, extra, &meos));
    }
    for name in JSON_C {
        let folders = ["engine/config/json-c", "json-c", "include/json-c", "include"];
        made.push(unit(&format!("json-c/{name}.c"), C, include(&folders), &headers(&src, &["json-c", "engine"])?));
    }
    let gsl = headers(&src, &["gsl", "engine"])?;
    for name in gsl_sources(&src)? {
        made.push(unit(&name, C, include(&["engine/config/gsl", "include", "gsl"]), &gsl));
    }
    made.push(unit("proj/src/geodesic.c", C, include(&["include"]), &meos));
    for name in ["guard", "heap", "system", "zones", "proj"] {
        let mut extra = include(&["engine", "include"]);
        if name == "guard" {
            extra.extend(strings(JUMPS));
        }
        made.push(unit(&format!("engine/{name}.c"), C, extra, &meos));
    }
    made.push(beside_meos("engine/helpers.c", &meos));
    made.push(unit("engine/tags.S", &["-mexception-handling"], Vec::new(), ""));
    let mut jumps = unit(
        "../python/packages/ziglang/lib/libc/wasi/libc-top-half/musl/src/setjmp/wasm32/rt.c",
        C,
        strings(JUMPS),
        "",
    );
    jumps.name = "zig's setjmp".to_owned();
    jumps.object = PathBuf::from("objects/setjmp.o");
    made.push(jumps);
    if flavour.geos {
        made.extend(geos(work)?);
        made.extend(super::runtime::units());
    }
    Ok(made)
}

/// What the generated C is compiled with: it includes MEOS' headers as MEOS' own files do.
pub(super) fn generated(name: &str, headers: &str) -> Unit {
    let mut made = beside_meos(&format!("../generated/{name}"), headers);
    made.object = PathBuf::from(format!("objects/generated/{name}.o"));
    made
}

/// C of ours that includes MEOS' headers.
fn beside_meos(name: &str, headers: &str) -> Unit {
    let mut extra = strings(&["-include", "src/engine/config/meos_build.h"]);
    extra.extend(include(&["engine", "include", "include/json-c", "meos/postgres/timezone", "meos/postgres"]));
    extra.extend(include(&["meos/postgis/liblwgeom", "meos/postgis", "meos/meos/include"]));
    unit(name, C, extra, headers)
}

/// The digest of the headers in those folders of `src/`.
pub(super) fn headers(src: &Path, folders: &[&str]) -> Result<String> {
    let mut digest = Digest::new();
    for folder in folders {
        digest.tree(&src.join(folder), |path| path.extension().is_some_and(|end| end == "h" || end == "hpp"))?;
    }
    Ok(digest.finish())
}

pub(super) fn unit(source: &str, language: &[&str], extra: Vec<String>, headers: &str) -> Unit {
    let mut arguments = strings(BASE);
    arguments.extend(strings(language));
    arguments.extend(extra);
    Unit {
        name: source.to_owned(),
        source: Path::new("src").join(source),
        object: Path::new("objects").join(format!("{source}.o")),
        arguments,
        headers: headers.to_owned(),
    }
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|&each| each.to_owned()).collect()
}

fn include(folders: &[&str]) -> Vec<String> {
    folders.iter().map(|folder| format!("-Isrc/{folder}")).collect()
}

fn meos_sources(src: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in MEOS_FOLDERS {
        let list = src.join("meos").join(folder).join("CMakeLists.txt");
        let text = std::fs::read_to_string(&list).with_context(|| format!("cannot read `{}`", list.display()))?;
        // `ways.c` is the database extension's half of a pair, named under `if(NOT MEOS)`.
        let names = listed(&text).into_iter().filter(|name| name != "ways.c");
        found.extend(names.map(|name| format!("meos/{folder}/{name}")));
    }
    ensure!(found.len() > 150, "MEOS' CMake lists name {} files, expected about 215", found.len());
    Ok(found)
}

/// The C files a CMake list names outside comments.
fn listed(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines
        .flat_map(|line| line.split(|byte: char| byte.is_whitespace() || byte == '(' || byte == ')'))
        .filter(|word| word.ends_with(".c"))
        .map(str::to_owned)
        .collect()
}

fn gsl_sources(src: &Path) -> Result<Vec<String>> {
    let mut found: Vec<String> = GSL.iter().map(|name| format!("gsl/{name}.c")).collect();
    for path in files(&src.join("gsl/rng"))? {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".c") && name != "test.c" {
            found.push(format!("gsl/rng/{name}"));
        }
    }
    Ok(found)
}

fn geos(work: &Path) -> Result<Vec<Unit>> {
    let src = work.join("src");
    let headers = headers(&src, &["geos", "include"])?;
    let flags = || {
        let mut flags = strings(EXCEPTIONS);
        flags.extend(include(&["geos/include", "geos/src/deps", "include", "geos"]));
        flags
    };
    let mut made = vec![
        unit("geos/capi/geos_ts_c.cpp", CXX, flags(), &headers),
        unit("geos/capi/geos_c.cpp", CXX, flags(), &headers),
    ];
    // GEOS' own copy of ryu: its functions have names of their own.
    made.push(unit("geos/src/deps/ryu/d2s.c", C, include(&["geos/src/deps"]), &headers));
    for (folder, sources) in geos_folders(&src)? {
        let size = if ALONE.contains(&folder.as_str()) { 1 } else { TOGETHER };
        for (number, batch) in sources.chunks(size).enumerate() {
            let name = format!("{}_{number}.cpp", folder.replace('/', "_"));
            let text: String = batch.iter().map(|source| format!("#include \"{source}\"\n")).collect();
            let path = work.join("generated/geos").join(&name);
            write(&path, &text)?;
            let mut one =
                unit(&format!("../generated/geos/{name}"), CXX, flags(), &sources_digest(&src, &headers, batch)?);
            one.name = format!("geos/{folder} ({} files)", batch.len());
            one.object = PathBuf::from(format!("objects/geos/{name}.o"));
            made.push(one);
        }
    }
    Ok(made)
}

/// A unit of several files changes with each of them.
fn sources_digest(src: &Path, headers: &str, batch: &[String]) -> Result<String> {
    let mut digest = Digest::new();
    digest.bytes(headers.as_bytes());
    for source in batch {
        digest.file(&src.join("geos").join(source))?;
    }
    Ok(digest.finish())
}

/// GEOS' folders and their files, without the reader of text files: there are none.
fn geos_folders(src: &Path) -> Result<Vec<(String, Vec<String>)>> {
    let root = src.join("geos");
    let mut folders: Vec<(String, Vec<String>)> = Vec::new();
    for path in files(&root.join("src"))? {
        let name = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if !name.ends_with(".cpp") || name.starts_with("src/deps") || name == "src/io/WKTFileReader.cpp" {
            continue;
        }
        let folder = name.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
        match folders.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, sources)) => sources.push(name),
            None => folders.push((folder, vec![name])),
        }
    }
    Ok(folders)
}

/// Writes a file unless it holds that already.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cmake_list_is_read_without_its_comments() {
        let text = "set(A_SRCS\n  a.c\n  # b.c\n  c_meos.c)\nlist(APPEND A_SRCS\n  d.c # e.c\n)";
        assert_eq!(listed(text), ["a.c", "c_meos.c", "d.c"]);
    }
}
