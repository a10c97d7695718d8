//! Compiled code on disk, so that a component is compiled once for each machine and not once for each start.
//!
//! In comes a component's bytes, out comes it compiled, from the cache where that works. The cache is a convenience: a
//! folder that cannot be trusted, a damaged entry, a full disk all end in compiled code that is not kept. Entries are
//! machine code, so they come from files we wrote ourselves and from nowhere else; `folder` says how that is made sure.

use super::cache_folder::CacheFolder;
use super::compiling::Kept;
use super::digest::Digest;
use crate::sandbox::{Built, Compiled, Compiler, Error};
use std::path::Path;
use std::time::Instant;

/// Compiles a component, or loads what an earlier compilation left in `folder`. Blocks for as long as that takes.
///
/// # Errors
/// What the compiler says of the component, or which of its bounds was met. Never anything about the cache.
pub(crate) fn compiled(
    wasm: &[u8],
    digest: &Digest,
    folder: Option<&Path>,
    compiler: &Compiler,
) -> Result<Compiled, Error> {
    let name = entry_name(digest)?;
    let folder = folder.and_then(open);
    if let Some(found) = folder.as_ref().and_then(|folder| load(folder, &name)) {
        return Ok(found);
    }
    let started = Instant::now();
    let built = compiler.compile(wasm)?;
    tracing::debug!(%digest, elapsed_ms = started.elapsed().as_millis() as u64, "component compiled");
    let folder = folder.as_ref();
    match built {
        Built::Here(compiled) => {
            if let Some(folder) = folder {
                let code = compiled.machine_code().map_err(|error| error.to_string());
                is_written(code.and_then(|code| folder.write(&name, &code).map_err(|error| error.to_string())));
            }
            Ok(compiled)
        }
        Built::There(code) => {
            // From the file rather than from here: the system can give its pages back, and no second copy is made.
            let written = folder
                .filter(|folder| is_written(folder.write(&name, code.bytes()).map_err(|error| error.to_string())));
            written.and_then(|folder| load(folder, &name)).map_or_else(|| Compiled::of_child(&code), Ok)
        }
    }
}

/// What becomes of a component's compiled code in a folder; whether what is there loads, only loading shows.
pub(crate) fn kept(digest: &Digest, folder: Option<&Path>) -> Kept {
    let Some(folder) = folder else { return Kept::Never };
    let there = entry_name(digest).is_ok_and(|name| folder.join(name).is_file());
    if there { Kept::Already } else { Kept::Afterwards }
}

/// The content's digest, then what distinguishes engines that cannot load each other's code.
fn entry_name(digest: &Digest) -> Result<String, Error> {
    Ok(format!("{digest}-{}.cwasm", Compiled::compatibility()?))
}

fn open(path: &Path) -> Option<CacheFolder> {
    CacheFolder::open(path).inspect_err(|error| tracing::warn!(%error, "compiled code is not kept")).ok()
}

fn load(folder: &CacheFolder, name: &str) -> Option<Compiled> {
    let file = folder.file(name)?;
    match Compiled::load(&folder.path_of(&file, name)) {
        Ok(compiled) => Some(compiled),
        Err(error) => {
            tracing::debug!(name, %error, "a damaged cache entry is removed");
            folder.remove(name);
            None
        }
    }
}

/// Whether an entry was written; a failure costs the next start its time, and nothing else.
fn is_written(written: Result<(), String>) -> bool {
    written.inspect_err(|error| tracing::warn!(error, "compiled code is not kept")).is_ok()
}
