//! Finds the bundled components, or stops with the one line that says how to get them.
//!
//! In comes `components/manifest.json` at the workspace root (written by `cargo xtask guests`), or the folder named by
//! `ABI_MCP_COMPONENTS`; out comes `bundled.rs`, a table of names, releases and embedded bytes. Each file's checksum is
//! compared, so a half-built or foreign file never ends up in the program.

use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

/// One line of `components/manifest.json`.
#[derive(Deserialize)]
struct Row {
    name: String,
    release: String,
    file: String,
    sha256: String,
}

fn main() {
    println!("cargo::rerun-if-env-changed=ABI_MCP_COMPONENTS");
    if let Err(problem) = generate() {
        // Cargo prints this as one `error:` line and stops.
        println!("cargo::error={problem}");
    }
}

fn generate() -> Result<(), String> {
    let folder = folder()?;
    let list = folder.join("manifest.json");
    println!("cargo::rerun-if-changed={}", list.display());
    let Ok(text) = std::fs::read_to_string(&list) else {
        return Err("no built components: run `cargo xtask guests`".to_owned());
    };
    let rows: Vec<Row> = serde_json::from_str(&text).map_err(|error| format!("`{}`: {error}", list.display()))?;
    let mut table = "static BUNDLED: &[(&str, &str, &[u8])] = &[\n".to_owned();
    for row in &rows {
        let path = checked(&folder, row)?;
        println!("cargo::rerun-if-changed={}", path.display());
        let path = path.display().to_string();
        writeln!(table, "    ({:?}, {:?}, include_bytes!({path:?})),", row.name, row.release)
            .map_err(|error| error.to_string())?;
    }
    table.push_str("];\n");
    let out = std::env::var_os("OUT_DIR").ok_or("cargo sets no OUT_DIR")?;
    std::fs::write(PathBuf::from(out).join("bundled.rs"), table).map_err(|error| error.to_string())
}

fn folder() -> Result<PathBuf, String> {
    let folder = match std::env::var_os("ABI_MCP_COMPONENTS") {
        Some(folder) => PathBuf::from(folder),
        None => {
            let host = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo sets no CARGO_MANIFEST_DIR")?;
            PathBuf::from(host).join("..").join("components")
        }
    };
    std::path::absolute(&folder).map_err(|error| format!("`{}`: {error}", folder.display()))
}

/// The path of a row's file, if it is a plain name in the folder and holds what the row says.
fn checked(folder: &Path, row: &Row) -> Result<PathBuf, String> {
    let again = "run `cargo xtask guests`";
    let plain = Path::new(&row.file).components().all(|part| matches!(part, Component::Normal(_)));
    if !plain {
        return Err(format!("component `{}`: {:?} is no file name of the folder: {again}", row.name, row.file));
    }
    let path = folder.join(&row.file);
    let bytes = std::fs::read(&path).map_err(|error| format!("`{}`: {error}: {again}", path.display()))?;
    let found = hex::encode(Sha256::digest(&bytes));
    if found == row.sha256 {
        Ok(path)
    } else {
        Err(format!("`{}` has sha256 {found}, expected {}: {again}", path.display(), row.sha256))
    }
}
