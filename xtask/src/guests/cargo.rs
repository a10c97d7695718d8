//! Compiles guests to core modules: one cargo run for a whole workspace, the same bytes wherever it lies.
//!
//! Comes in: a toolchain and the guests. Goes out: the path of each module, as cargo itself names it.

use super::TARGET;
use super::discover::Guest;
use super::toolchain::Toolchain;
use crate::process;
use crate::tree::Tree;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A compiled guest.
#[derive(Debug)]
pub(super) struct Module<'a> {
    pub(super) guest: &'a Guest,
    pub(super) path: PathBuf,
}

/// Compiles the guests of the workspace at `manifest`.
pub(super) fn modules<'a>(
    tree: &Tree,
    toolchain: &Toolchain,
    manifest: &Path,
    guests: &'a [Guest],
) -> Result<Vec<Module<'a>>> {
    let mut command = build(tree, toolchain, manifest, &tree.guest_target())?;
    command.arg("--locked").args(guests.iter().flat_map(|guest| ["--package", guest.package.as_str()]));
    let what = format!("compiling {} guests of {}", guests.len(), shown(tree, manifest));
    let done = process::quietly(&mut command, &what, None)?;
    ensure!(done.status.success(), "the guests of `{}` do not compile:\n{}", shown(tree, manifest), done.stderr);
    let warnings = done.stderr.lines().any(|line| line.starts_with("warning: `"));
    if warnings {
        eprint!("{}", done.stderr);
    }
    find_modules(&done.stdout, guests)
}

/// `cargo build` for the guests' target, with nothing of the host's build leaking in.
fn build(tree: &Tree, toolchain: &Toolchain, manifest: &Path, target: &Path) -> Result<Command> {
    let mut command = Command::new(&toolchain.cargo);
    for name in std::env::vars_os().map(|(name, _)| name).filter(|name| is_the_hosts(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command
        .args(["build", "--release", "--target", TARGET, "--message-format=json-render-diagnostics"])
        .arg("--manifest-path")
        .arg(manifest)
        .arg("--target-dir")
        .arg(target)
        .current_dir(manifest.parent().context("a manifest lies in a folder")?)
        .env("RUSTC", &toolchain.rustc)
        .env("CARGO_ENCODED_RUSTFLAGS", flags(tree, toolchain, target));
    if let Some(linker) = &toolchain.linker {
        command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    if toolchain.build_std {
        // For this child only: std from source is a nightly feature, which Debian's stable compiler has under this name.
        command.env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=std,panic_abort");
    }
    Ok(command)
}

/// Compiles one package of the workspace at `manifest` to a static library, whose path cargo names.
pub(super) fn static_library(tree: &Tree, toolchain: &Toolchain, manifest: &Path, package: &str) -> Result<PathBuf> {
    let mut command = build(tree, toolchain, manifest, &tree.guest_target())?;
    command.args(["--locked", "--package", package]);
    let done = process::quietly(&mut command, &format!("compiling {package}"), None)?;
    ensure!(done.status.success(), "`{package}` does not compile:\n{}", done.stderr);
    let library = last_file(&done.stdout, "a");
    library.with_context(|| format!("cargo made no library of `{package}`: is its crate-type `staticlib`?"))
}

/// Compiles the one crate of a workspace that has no lock file yet; answers its module.
pub(super) fn template(tree: &Tree, toolchain: &Toolchain, manifest: &Path, target: &Path) -> Result<PathBuf> {
    let mut command = build(tree, toolchain, manifest, target)?;
    let done = process::quietly(&mut command, &format!("compiling {}", shown(tree, manifest)), None)?;
    ensure!(done.status.success(), "`{}` does not compile:\n{}", shown(tree, manifest), done.stderr);
    last_file(&done.stdout, "wasm").context("cargo made no module: is its crate-type `cdylib`?")
}

/// The last file with this extension that cargo's messages name.
fn last_file(messages: &str, extension: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let files =
        messages.flat_map(|message| message.get("filenames").and_then(Value::as_array).cloned().unwrap_or_default());
    files
        .filter_map(|file| file.as_str().map(PathBuf::from))
        .rfind(|file| file.extension().is_some_and(|end| end == extension))
}

fn shown(tree: &Tree, manifest: &Path) -> String {
    let folder = manifest.parent().unwrap_or(manifest);
    folder.strip_prefix(tree.root()).unwrap_or(folder).display().to_string()
}

/// Whether a variable steers the *host's* build and must not leak into the guests'. What tells cargo how to reach a
/// registry stays.
fn is_the_hosts(name: &str) -> bool {
    const KEPT: [&str; 6] =
        ["CARGO_HOME", "CARGO_HTTP_", "CARGO_NET_", "CARGO_REGISTRIES_", "CARGO_REGISTRY_", "CARGO_SOURCE_"];
    const DROPPED: [&str; 4] = ["CARGO", "RUSTC", "RUSTFLAGS", "DEP_"];
    const DROPPED_EXACTLY: [&str; 8] =
        ["RUSTUP_TOOLCHAIN", "TARGET", "HOST", "PROFILE", "OPT_LEVEL", "DEBUG", "NUM_JOBS", "OUT_DIR"];
    let dropped = DROPPED.iter().any(|prefix| name.starts_with(prefix)) || DROPPED_EXACTLY.contains(&name);
    dropped && !KEPT.iter().any(|prefix| name.starts_with(prefix))
}

/// Compiler flags under which the bytes do not depend on where sources, registry and build folder lie.
///
/// Encoded as cargo wants it, separated by 0x1f, so that spaces in paths survive. The last matching prefix wins, hence
/// the folders inside others come later.
fn flags(tree: &Tree, toolchain: &Toolchain, target: &Path) -> OsString {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| home.map(|home| home.join(".cargo")));
    let mut flags = OsString::from("-Cstrip=symbols");
    let mut remap = |from: &Path, to: &str| {
        flags.push("\x1f--remap-path-prefix=");
        flags.push(from);
        flags.push("=");
        flags.push(to);
    };
    if let Some(cargo_home) = cargo_home {
        remap(&cargo_home, "/cargo");
    }
    remap(tree.root(), "/abi-mcp");
    remap(target, "/target");
    remap(&toolchain.sysroot.join("lib/rustlib/src/rust"), "/rust");
    flags
}

/// Reads cargo's messages: it names each artifact itself, so nothing is guessed.
fn find_modules<'a>(messages: &str, guests: &'a [Guest]) -> Result<Vec<Module<'a>>> {
    let mut modules: Vec<Module<'a>> = Vec::new();
    for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let id = message.get("package_id").and_then(Value::as_str);
        let Some(guest) = guests.iter().find(|guest| Some(guest.id.as_str()) == id) else { continue };
        let files = message.get("filenames").and_then(Value::as_array).into_iter().flatten();
        let wasm = files.filter_map(Value::as_str).find(|file| file.ends_with(".wasm"));
        let Some(path) = wasm.map(PathBuf::from) else { continue };
        modules.push(Module { guest, path });
    }
    for guest in guests {
        let built = modules.iter().filter(|module| module.guest.id == guest.id).count();
        ensure!(built > 0, "cargo made no .wasm of `{}`: is its crate-type `cdylib`?", guest.package);
        ensure!(built == 1, "cargo made {built} .wasm files of `{}`, expected one", guest.package);
    }
    Ok(modules)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guest() -> Guest {
        Guest {
            id: "path+file:///p#echo@0.1.0".to_owned(),
            package: "echo".to_owned(),
            name: "echo".to_owned(),
            release: "0.1.0".to_owned(),
            imports: Some(Vec::new()),
            example: false,
            rust_version: None,
        }
    }

    #[test]
    fn the_hosts_flags_do_not_leak_into_the_guests() {
        for leaks in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR", "RUSTC_WRAPPER", "RUSTUP_TOOLCHAIN"] {
            assert!(is_the_hosts(leaks), "{leaks}");
        }
        for kept in ["CARGO_HOME", "CARGO_HTTP_PROXY", "CARGO_NET_OFFLINE", "PATH", "HOME", "RUSTUP_HOME"] {
            assert!(!is_the_hosts(kept), "{kept}");
        }
    }

    #[test]
    fn the_module_is_the_one_cargo_names() -> Result<()> {
        let guests = [guest()];
        let line = r#"{"reason":"compiler-artifact","package_id":"path+file:///p#echo@0.1.0","filenames":["/t/e.rlib","/t/e.wasm"]}"#;
        let found = find_modules(&format!("noise\n{line}\n"), &guests)?;
        assert_eq!(found.iter().map(|module| module.path.as_path()).collect::<Vec<_>>(), [Path::new("/t/e.wasm")]);
        Ok(())
    }

    #[test]
    fn a_guest_that_is_no_cdylib_is_named() {
        let error = find_modules("", &[guest()]).map(|_| ()).map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.contains("`echo`") && text.contains("cdylib")));
    }
}
