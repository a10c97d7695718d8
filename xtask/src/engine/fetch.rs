//! Brings the sources and the compilers: crates by cargo, zig and zone data by pip, binaryen by npm.
//!
//! Comes in: the pinned lists in `plugins/meos-engine/sources`. Goes out: folders under the work folder. Each client
//! checks the digests its list states; what is there already for the same list is not fetched again. Knows nothing of
//! what the packages hold beyond where their main files lie.

use super::digest::Digest;
use crate::process;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// npm's program name; on Windows it is a script.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Where the fetched things lie.
#[derive(Debug, Clone)]
pub(super) struct Fetched {
    /// The sources of MEOS: the folder with `meos`, `postgis` and `postgres` in it.
    pub(super) meos: PathBuf,
    pub(super) json_c: PathBuf,
    pub(super) gsl: PathBuf,
    pub(super) geos: PathBuf,
    /// The unpacked part of PROJ.
    pub(super) proj: PathBuf,
    pub(super) zig: PathBuf,
    pub(super) wasm_opt: PathBuf,
    pub(super) zones: PathBuf,
}

/// Fetches what is missing into `work`.
pub(super) fn all(sources: &Path, work: &Path) -> Result<Fetched> {
    if ["crates", "python", "node"].iter().any(|folder| !work.join(folder).join("stamp").is_file()) {
        tools()?;
    }
    let vendor = crates(sources, &work.join("crates"))?;
    let python = python(sources, &work.join("python"))?;
    let node = node(sources, &work.join("node"))?;
    let meos = crate_folder(&vendor, "meos-src-")?;
    let proj = proj(&crate_folder(&vendor, "proj-sys-")?, &work.join("proj"))?;
    let zig = python.join("ziglang");
    Ok(Fetched {
        json_c: meos.join("json-c"),
        gsl: meos.join("gsl"),
        meos: meos.join("source"),
        geos: crate_folder(&vendor, "geos-src-")?.join("source"),
        proj,
        zig: zig.join(format!("zig{}", std::env::consts::EXE_SUFFIX)),
        wasm_opt: node.join("node_modules/binaryen/bin/wasm-opt"),
        zones: python.join("tzdata/zoneinfo"),
    })
}

/// Looks for every program before anything is fetched: 100 MB are not for nothing.
fn tools() -> Result<()> {
    python_program()?;
    need(NPM, "`npm` is needed to fetch binaryen: install Node.js 18 or newer, then run this again")?;
    need("node", "`node` is needed to run binaryen: install Node.js 18 or newer, then run this again")?;
    need("tar", "`tar` is needed to unpack a part of PROJ: install it, then run this again")
}

/// `cargo vendor` of a manifest that is never built.
fn crates(sources: &Path, folder: &Path) -> Result<PathBuf> {
    let lists = [("crates.toml", "Cargo.toml"), ("crates.lock", "Cargo.lock")];
    step(sources, folder, &lists, |folder| {
        std::fs::write(folder.join("lib.rs"), "")?;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["vendor", "--locked", "--versioned-dirs", "vendor"]).current_dir(folder);
        run(&mut command, "fetching the sources (about 15 MB)", "cargo could not fetch the source crates")
    })?;
    Ok(folder.join("vendor"))
}

fn python(sources: &Path, folder: &Path) -> Result<PathBuf> {
    step(sources, folder, &[("python.txt", "requirements.txt")], |folder| {
        let python = python_program()?;
        let mut command = Command::new(python);
        command.args(["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", "--upgrade"]);
        command.args(["--target", "packages", "--requirement", "requirements.txt"]).current_dir(folder);
        if !(cfg!(target_os = "linux") && cfg!(target_arch = "x86_64")) {
            // The list states one wheel's digest; another machine's wheel of the same release has another.
            let list = std::fs::read_to_string(folder.join("requirements.txt"))?;
            let plain: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
            std::fs::write(folder.join("requirements.txt"), plain.join("\n") + "\n")?;
        }
        run(&mut command, "fetching the C compiler (about 100 MB)", "pip could not fetch zig and the zone data")
    })?;
    Ok(folder.join("packages"))
}

fn node(sources: &Path, folder: &Path) -> Result<PathBuf> {
    let lists = [("node.json", "package.json"), ("node-lock.json", "package-lock.json")];
    step(sources, folder, &lists, |folder| {
        let mut command = Command::new(NPM);
        command.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(folder);
        run(&mut command, "fetching binaryen (about 10 MB)", "npm could not fetch binaryen")
    })?;
    Ok(folder.to_path_buf())
}

/// Unpacks the few files of PROJ that are used.
fn proj(crate_folder: &Path, folder: &Path) -> Result<PathBuf> {
    let archives = crate_folder.join("PROJSRC");
    let archive = first(&archives, |name| name.starts_with("proj-") && name.ends_with(".tar.gz"))?;
    let name = archive.file_name().and_then(|name| name.to_str()).context("an archive has a name")?;
    let release = name.trim_end_matches(".tar.gz").to_owned();
    let unpacked = folder.join(&release);
    if !unpacked.join("src/geodesic.c").is_file() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
        let mut command = Command::new("tar");
        command.arg("-xzf").arg(&archive).current_dir(folder);
        let files = ["COPYING", "src/geodesic.c", "src/geodesic.h", "src/proj.h", "src/ellps.cpp"];
        command.args(files.map(|file| format!("{release}/{file}")));
        run(&mut command, "unpacking PROJ", "the archive of PROJ cannot be unpacked")?;
    }
    Ok(unpacked)
}

/// Copies `lists` into `folder` and does `work` there, unless it was done with these very lists.
fn step(sources: &Path, folder: &Path, lists: &[(&str, &str)], work: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let mut digest = Digest::new();
    for (list, _) in lists {
        digest.file(&sources.join(list))?;
    }
    let (digest, stamp) = (digest.finish(), folder.join("stamp"));
    if std::fs::read_to_string(&stamp).is_ok_and(|text| text == digest) {
        return Ok(());
    }
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot empty `{}`", folder.display()))?;
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
    for (list, name) in lists {
        std::fs::copy(sources.join(list), folder.join(name)).with_context(|| format!("cannot copy `{list}`"))?;
    }
    work(folder)?;
    std::fs::write(&stamp, digest).with_context(|| format!("cannot write `{}`", stamp.display()))
}

fn run(command: &mut Command, what: &str, failed: &str) -> Result<()> {
    let done = process::quietly(command, what, None)?;
    ensure!(done.status.success(), "{failed}:\n{}", done.stderr.trim_end());
    Ok(())
}

/// A Python with pip.
fn python_program() -> Result<&'static str> {
    ["python3", "python"]
        .into_iter()
        .find(|program| process::answer(Command::new(program).args(["-m", "pip", "--version"])).is_some())
        .context("a Python 3 with pip is needed to fetch the C compiler: install python3 and python3-pip, then run this again")
}

fn need(program: &str, otherwise: &str) -> Result<()> {
    ensure!(process::answer(Command::new(program).arg("--version")).is_some(), "{otherwise}");
    Ok(())
}

fn crate_folder(vendor: &Path, prefix: &str) -> Result<PathBuf> {
    first(vendor, |name| name.starts_with(prefix))
}

fn first(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<PathBuf> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list `{}`", folder.display()))?;
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(&wanted))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found.into_iter().next().with_context(|| format!("`{}` lacks what should be in it", folder.display()))
}
