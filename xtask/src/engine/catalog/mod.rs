//! Makes a catalog of MEOS from the C sources that are compiled: what every function takes, gives and means.
//!
//! Comes in: the folder of MEOS' sources. Goes out: one JSON document in the form that MobilityDB's own tools write (the
//! mapper `plugins/meos` reads either), so that nobody needs those tools, and one that is true to the library at hand.
//!
//! The way through: `lexer` → `conditional` → `header` (with `declarator`, `ctype`, `expression`) → `library` for what is
//! declared; the same and `comment` → `definition` for what the sources say of it; then `codecs`, `kinds`, `accepts`,
//! `category`, `forms`, `roles` and `wire` for what it means, `record` for one function and `json` for the document.
//! None of it knows the engine that calls the functions or the tools that are made of them.

mod accepts;
mod category;
mod codecs;
mod comment;
mod conditional;
mod ctype;
mod declarator;
mod definition;
mod expression;
mod forms;
mod header;
mod json;
mod kinds;
mod lexer;
mod library;
mod manual;
mod record;
mod roles;
#[cfg(test)]
mod tests;
mod wire;

use anyhow::{Context, Result};
use std::path::Path;

/// What a catalog holds, for the person who made it.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) functions: usize,
    /// Functions that can be offered as tools.
    pub(crate) exposable: usize,
    /// Pieces of the headers that could not be read; each is a function that may be missing.
    pub(crate) unreadable: Vec<String>,
    /// Functions that a header announces and no source defines: whoever links them gets nothing.
    pub(crate) undefined: Vec<String>,
}

/// What the maker of a catalog knows beyond the sources.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Additions<'a> {
    /// The package the sources came in, as `meos-src 0.2.0`; when absent, the manifest beside them says it.
    pub(crate) package: Option<&'a str>,
    /// C prototypes of functions that are linked beside the library, such as a reader it lacks. They are listed as
    /// internal ones, and a reader `<type>_in` among them is the one that arguments of its type get.
    pub(crate) helpers: &'a str,
}

/// Writes the catalog of the sources in `meos_source` to the file `out`.
///
/// The folder is that of the crate `meos-src` or its `source`. The same sources give the same bytes.
///
/// # Errors
///
/// The folder holds no MEOS sources, one of them cannot be read, or `out` cannot be written.
pub(crate) fn write(meos_source: &Path, additions: Additions<'_>, out: &Path) -> Result<Summary> {
    let (document, summary) = make(meos_source, additions)?;
    let text = serde_json::to_string(&document).context("the catalog cannot be written as JSON")?;
    std::fs::write(out, text).with_context(|| format!("cannot write the catalog `{}`", out.display()))?;
    Ok(summary)
}

/// Makes the catalog.
fn make(meos_source: &Path, additions: Additions<'_>) -> Result<(serde_json::Value, Summary)> {
    let root = library::root(meos_source)?;
    let mut library = library::read(&root)?;
    let mut definitions = library::definitions(&root)?;
    for helper in library.add_helpers(additions.helpers) {
        definitions.insert(helper.name.clone(), helper);
    }
    let manual = manual::read(&root)?;
    let release = library::release(&root)?;
    let source = additions.package.map_or_else(|| library::package(&root), str::to_owned);
    let origin = json::Origin { release: &release, source: &source };
    let document = json::document(&library, &definitions, &manual, &origin);
    let names = library.functions.iter().map(|each| &each.item.name);
    let summary = Summary {
        functions: library.functions.len(),
        exposable: exposable(&document),
        undefined: names.filter(|name| !definitions.contains_key(*name)).cloned().collect(),
        unreadable: library.unreadable,
    };
    Ok((document, summary))
}

fn exposable(document: &serde_json::Value) -> usize {
    let functions = document.get("functions").and_then(serde_json::Value::as_array).into_iter().flatten();
    functions.filter(|function| function.pointer("/network/exposable") == Some(&serde_json::Value::Bool(true))).count()
}
