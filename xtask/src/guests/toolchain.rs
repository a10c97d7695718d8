//! Finds a Rust toolchain that can build the guests, from what is installed to what may be installed.
//!
//! Order: `ABI_MCP_GUEST_CARGO` alone, when set; else any installed toolchain with the target's std (the active one
//! first); `rustup target add`; an installed toolchain with the sources of std; Debian's packages; and at last an error
//! that says what to type. Asking the sysroot is exact and takes milliseconds; building a dummy crate to find out would not.

use super::{TARGET, install};
use crate::process::answer;
use anyhow::{Context, Result, anyhow};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names one cargo, with `rustc` beside it, to build guests with.
pub(super) const OVERRIDE: &str = "ABI_MCP_GUEST_CARGO";

/// A toolchain on this machine.
#[derive(Debug, Clone)]
pub(super) struct Toolchain {
    pub(super) cargo: PathBuf,
    pub(super) rustc: PathBuf,
    pub(super) sysroot: PathBuf,
    /// The compiler's own version line.
    version: String,
    /// How it was found, for people.
    how: &'static str,
    /// std has to be compiled from its sources.
    pub(super) build_std: bool,
    /// The linker, where the sysroot brings none.
    pub(super) linker: Option<PathBuf>,
}

impl Toolchain {
    /// One line: which compiler, where from, how std comes about.
    pub(super) fn description(&self) -> String {
        let std = if self.build_std { ", std built from source" } else { "" };
        format!("{} ({}{std})", self.version, self.how)
    }

    /// The toolchain whose programs lie in `folder`.
    fn in_folder(folder: &Path, how: &'static str) -> Option<Self> {
        let (cargo, rustc) = (folder.join(executable("cargo")), folder.join(executable("rustc")));
        if !cargo.is_file() || !rustc.is_file() {
            return None;
        }
        let sysroot = PathBuf::from(answer(Command::new(&rustc).args(["--print", "sysroot"]))?);
        let version = answer(Command::new(&rustc).arg("--version"))?;
        Some(Self { cargo, rustc, sysroot, version, how, build_std: false, linker: None })
    }

    /// Whether std for the target is installed.
    fn has_std(&self) -> bool {
        let folder = self.sysroot.join("lib/rustlib").join(TARGET).join("lib");
        std::fs::read_dir(folder).is_ok_and(|files| {
            files.flatten().any(|file| {
                let name = file.file_name().to_string_lossy().into_owned();
                name.starts_with("libstd-") && name.ends_with(".rlib")
            })
        })
    }

    /// Whether the sources of std are installed.
    fn has_sources(&self) -> bool {
        self.sysroot.join("lib/rustlib/src/rust/library/std/Cargo.toml").is_file()
    }

    fn is_new_enough(&self, minimum: Option<(u32, u32)>) -> bool {
        let found = self.version.split_whitespace().nth(1).and_then(release_pair);
        found.is_some() && found >= minimum
    }

    /// The name rustup knows it by; `None` for a toolchain rustup did not install.
    pub(super) fn rustup_name(&self) -> Option<&str> {
        self.sysroot.parent().filter(|parent| parent.ends_with("toolchains"))?;
        self.sysroot.file_name()?.to_str()
    }

    /// Adds the linker: rustup's toolchains bring `rust-lld`, Debian's need LLVM's `wasm-ld`.
    fn with_linker(mut self) -> Option<Self> {
        let about = answer(Command::new(&self.rustc).arg("-vV"))?;
        let host = about.lines().find_map(|line| line.strip_prefix("host: "))?;
        let bundled = self.sysroot.join("lib/rustlib").join(host).join("bin").join(executable("rust-lld"));
        if !bundled.is_file() {
            let versioned = (14..=40).rev().map(|version| format!("wasm-ld-{version}"));
            let names = std::iter::once("wasm-ld".to_owned()).chain(versioned);
            self.linker = Some(names.map(|name| executable(&name)).find_map(|name| on_path(&name))?);
        }
        Some(self)
    }
}

/// What was found and tried, for the error that ends a search in vain.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    lines: Vec<String>,
    linker_missing: bool,
}

impl Attempts {
    pub(super) fn note(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }
}

/// Finds a toolchain not older than `minimum`, installing what it needs where that is allowed.
pub(super) fn find(minimum: Option<(u32, u32)>) -> Result<Toolchain> {
    let mut attempts = Attempts::default();
    let pinned = std::env::var_os(OVERRIDE).map(PathBuf::from);
    let mut known = match &pinned {
        Some(cargo) => vec![pinned_toolchain(cargo)?],
        None => installed(),
    };
    note_all(&known, minimum, &mut attempts);
    known.retain(|toolchain| toolchain.is_new_enough(minimum));

    if let Some(ready) = pick(&known, Toolchain::has_std, &mut attempts) {
        return Ok(ready);
    }
    if let Some(first) = known.first()
        && install::add_target(first, &mut attempts)
        && let Some(ready) = pick(std::slice::from_ref(first), Toolchain::has_std, &mut attempts)
    {
        return Ok(Toolchain { how: "rustup target add", ..ready });
    }
    if let Some(from_source) = pick(&known, Toolchain::has_sources, &mut attempts) {
        return Ok(Toolchain { build_std: true, ..from_source });
    }
    if pinned.is_none() && install::debian_packages(&mut attempts) {
        let system = system_toolchains().into_iter().filter(|t| t.is_new_enough(minimum)).collect::<Vec<_>>();
        note_all(&system, minimum, &mut attempts);
        if let Some(from_source) = pick(&system, Toolchain::has_sources, &mut attempts) {
            return Ok(Toolchain { build_std: true, ..from_source });
        }
    }
    Err(nothing_found(&attempts))
}

/// The active compiler's full description: a change of it makes built components stale.
pub(super) fn active_identity() -> Result<String> {
    if let Some(cargo) = std::env::var_os(OVERRIDE).map(PathBuf::from) {
        let pinned = pinned_toolchain(&cargo)?;
        return Ok(format!("{} at {}", pinned.version, pinned.sysroot.display()));
    }
    let rustc = active_folder().map_or_else(|| PathBuf::from("rustc"), |folder| folder.join(executable("rustc")));
    answer(Command::new(rustc).arg("-vV")).context("`rustc -vV` gives no answer: is Rust installed?")
}

/// `1.95.0-nightly` to (1, 95).
pub(super) fn release_pair(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// The first file of that name in the search path.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// A program's file name on this machine.
pub(super) fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

fn pinned_toolchain(cargo: &Path) -> Result<Toolchain> {
    let found = cargo.parent().and_then(|folder| Toolchain::in_folder(folder, OVERRIDE));
    found.with_context(|| format!("`{OVERRIDE}={}` is not a cargo with a working rustc beside it", cargo.display()))
}

/// Every toolchain of this machine, the active one first, each once.
fn installed() -> Vec<Toolchain> {
    let active = active_folder().and_then(|folder| Toolchain::in_folder(&folder, "active toolchain"));
    let mut all: Vec<Toolchain> = active.into_iter().collect();
    let others = rustup_folders();
    all.extend(others.iter().filter_map(|folder| Toolchain::in_folder(folder, "other rustup toolchain")));
    all.extend(system_toolchains());
    let mut seen = HashSet::new();
    all.retain(|toolchain| seen.insert(toolchain.sysroot.clone()));
    all
}

fn system_toolchains() -> Vec<Toolchain> {
    let folders = ["/usr/bin", "/usr/local/bin"];
    folders.iter().filter_map(|folder| Toolchain::in_folder(Path::new(folder), "system toolchain")).collect()
}

/// Where the active toolchain's programs lie. Cargo names itself in `CARGO`, past rustup's proxy.
fn active_folder() -> Option<PathBuf> {
    if let Some(cargo) = std::env::var_os("CARGO").map(PathBuf::from) {
        return cargo.parent().map(Path::to_path_buf);
    }
    let sysroot = PathBuf::from(answer(Command::new("rustc").args(["--print", "sysroot"]))?);
    Some(sysroot.join("bin"))
}

fn rustup_folders() -> Vec<PathBuf> {
    let home = std::env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".rustup")));
    let entries = home.and_then(|home| std::fs::read_dir(home.join("toolchains")).ok());
    let mut folders: Vec<PathBuf> = entries.into_iter().flatten().flatten().map(|e| e.path().join("bin")).collect();
    folders.sort();
    folders
}

fn note_all(toolchains: &[Toolchain], minimum: Option<(u32, u32)>, attempts: &mut Attempts) {
    for toolchain in toolchains {
        let age = if toolchain.is_new_enough(minimum) { "" } else { " (too old)" };
        let yes_no = |yes: bool| if yes { "yes" } else { "no" };
        attempts.note(format!(
            "{}: {}{age} in {}: std for {TARGET}: {}, sources of std: {}",
            toolchain.how,
            toolchain.version,
            toolchain.sysroot.display(),
            yes_no(toolchain.has_std()),
            yes_no(toolchain.has_sources()),
        ));
    }
}

/// The first toolchain that has what is asked for and a linker for it.
fn pick(known: &[Toolchain], has: fn(&Toolchain) -> bool, attempts: &mut Attempts) -> Option<Toolchain> {
    let able: Vec<&Toolchain> = known.iter().filter(|toolchain| has(toolchain)).collect();
    let picked = able.iter().find_map(|toolchain| (*toolchain).clone().with_linker());
    attempts.linker_missing |= picked.is_none() && !able.is_empty();
    picked
}

/// Names every way out, the usual one first.
fn nothing_found(attempts: &Attempts) -> anyhow::Error {
    let mut lines = vec![format!("no toolchain can build for {TARGET}; do one of these and run the command again:")];
    if on_path(&executable("rustup")).is_some() {
        lines.push(format!("  rustup target add {TARGET}"));
        lines.push("  rustup component add rust-src          (std is then built from source)".to_owned());
    }
    match install::Debian::here() {
        Some(debian) => lines.push(format!("  {}", debian.command_line())),
        None => lines
            .push("  install Rust with rustup, or your distribution's Rust with its std sources and lld".to_owned()),
    }
    if attempts.linker_missing {
        lines.push("  install lld: a toolchain was found, but no `wasm-ld` to link with".to_owned());
    }
    lines.push(format!("  {OVERRIDE}=<path of a cargo whose toolchain has the target> cargo xtask guests"));
    lines.push("tried:".to_owned());
    lines.extend(attempts.lines.iter().map(|line| format!("  - {line}")));
    anyhow!(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain(version: &str, sysroot: &str) -> Toolchain {
        Toolchain {
            cargo: PathBuf::new(),
            rustc: PathBuf::new(),
            sysroot: PathBuf::from(sysroot),
            version: version.to_owned(),
            how: "test",
            build_std: false,
            linker: None,
        }
    }

    #[test]
    fn a_compiler_older_than_the_plugins_ask_for_is_left_out() {
        assert!(!toolchain("rustc 1.63.0 (Debian)", "/usr").is_new_enough(Some((1, 95))));
        assert!(toolchain("rustc 1.95.0 (abc 2026-04-14)", "/usr").is_new_enough(Some((1, 95))));
        assert!(toolchain("rustc 1.97.0-nightly (abc)", "/usr").is_new_enough(Some((1, 95))));
        assert!(toolchain("rustc 1.63.0", "/usr").is_new_enough(None));
    }

    #[test]
    fn only_a_toolchain_of_rustup_gets_a_target_from_rustup() {
        assert_eq!(toolchain("rustc 1.95.0", "/x/toolchains/stable-x86").rustup_name(), Some("stable-x86"));
        assert_eq!(toolchain("rustc 1.96.0", "/usr").rustup_name(), None);
    }

    #[test]
    fn a_search_in_vain_says_what_to_type_and_what_was_tried() {
        let mut attempts = Attempts::default();
        attempts.note("rustup: offline");
        let message = nothing_found(&attempts).to_string();
        assert!(message.contains(OVERRIDE) && message.ends_with("tried:\n  - rustup: offline"), "{message}");
    }
}
