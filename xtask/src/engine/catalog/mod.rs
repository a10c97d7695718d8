//! Makes a catalog of MEOS from the C sources that are compiled: what every function takes, gives and means.
//!
//! Comes in: the folder of MEOS' sources. Goes out: one JSON document in the form that MobilityDB's own tools write (the
//! mapper `plugins/meos` reads either), so that nobody needs those tools, and one that is true to the library at hand.
//!
//! The way through: `lexer` → `conditional` → `header` (with `declarator`, `ctype`, `expression`) → `library`.
//! None of it knows the engine that calls the functions or the tools that are made of them.

mod conditional;
mod ctype;
mod declarator;
mod expression;
mod header;
mod json;
mod lexer;
mod library;

use anyhow::{Context, Result};
use std::path::Path;

/// What a catalog holds, for the person who made it.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) functions: usize,
    /// Pieces of the headers that could not be read; each is a function that may be missing.
    pub(crate) unreadable: Vec<String>,
}

/// Writes the catalog of the sources in `meos_source` to the file `out`.
///
/// # Errors
///
/// The folder holds no MEOS sources, a header cannot be read, or `out` cannot be written.
pub(crate) fn write(meos_source: &Path, out: &Path) -> Result<Summary> {
    let root = library::root(meos_source)?;
    let library = library::read(&root)?;
    let document = json::document(&library);
    let text = serde_json::to_string(&document).context("the catalog cannot be written as JSON")?;
    std::fs::write(out, text).with_context(|| format!("cannot write the catalog `{}`", out.display()))?;
    Ok(Summary { functions: library.functions.len(), unreadable: library.unreadable })
}
