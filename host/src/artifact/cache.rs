//! Compiled code on disk, so that a component is compiled once for each machine and not once for each start.
//!
//! In comes a component's bytes, out comes it compiled, from the cache where that works. The cache is a convenience: a
//! folder that cannot be trusted, a damaged entry, a full disk all end in compiling in memory. Entries are machine
//! code, so they come from files we wrote ourselves and from nowhere else; `folder` says how that is made sure.

use super::cache_folder::CacheFolder;
use super::compiling::Kept;
use super::digest::Digest;
use crate::sandbox::{Compiled, Error};
use std::path::Path;
use std::time::Instant;

/// Compiles a component, or loads what an earlier compilation left in `folder`. Blocks for as long as that takes.
///
/// # Errors
/// What the compiler says of the component. Never anything about the cache.
pub(crate) fn compiled(wasm: &[u8], digest: &Digest, folder: Option<&Path>) -> Result<Compiled, Error> {
    let Some(folder) = folder.and_then(open) else { return Compiled::compile(wasm) };
    let name = entry_name(digest)?;
    if let Some(found) = load(&folder, &name) {
        return Ok(found);
    }
    let started = Instant::now();
    let compiled = Compiled::compile(wasm)?;
    tracing::debug!(%digest, elapsed_ms = started.elapsed().as_millis() as u64, "component compiled");
    store(&folder, &name, &compiled);
    Ok(compiled)
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

fn store(folder: &CacheFolder, name: &str, compiled: &Compiled) {
    let written = compiled
        .machine_code()
        .map_err(|error| error.to_string())
        .and_then(|code| folder.write(name, &code).map_err(|error| error.to_string()));
    if let Err(error) = written {
        tracing::warn!(error, "compiled code is not kept");
    }
}
