//! Adds a `[[plugin]]` block to a configuration's text, and finds one again.
//!
//! Everything that is there stays as it is, comments and all: the block is written after it. The result is read before
//! it is given back, so what is written is always a good file.

use crate::config::reader::{self, Position, Problem, Trouble};
use crate::config::schema::Written;
use std::collections::BTreeSet;
use std::path::Path;

/// What a new block says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPlugin<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its file.
    pub file: &'a Path,
    /// Its roles.
    pub roles: &'a BTreeSet<String>,
    /// The ecosystems assigned to it.
    pub ecosystems: &'a BTreeSet<String>,
}

/// The text with the block at its end.
///
/// # Errors
/// The text is no good configuration, has a plugin of the name, or cannot take a block.
pub fn append(text: &str, plugin: &NewPlugin<'_>) -> Result<String, Trouble> {
    let (written, _) = reader::read::<Written>(text)?;
    if let Some(at) = position(&written, plugin.name) {
        return Err(Trouble { at, problem: Problem::Twice { key: "plugin.name" } });
    }
    let mut whole = text.to_owned();
    if !whole.is_empty() {
        whole.push_str(if whole.ends_with('\n') { "\n" } else { "\n\n" });
    }
    whole.push_str("[[plugin]]\n");
    whole.push_str(&format!("name = {}\n", quoted(plugin.name)));
    whole.push_str(&format!("file = {}\n", quoted(&plugin.file.to_string_lossy())));
    whole.push_str(&format!("roles = {}\n", list(plugin.roles)));
    whole.push_str(&format!("ecosystems = {}\n", list(plugin.ecosystems)));
    // `plugin = []` further up would make the block a second definition.
    reader::read::<Written>(&whole)?;
    Ok(whole)
}

/// Where a plugin's name stands in a configuration; `None` when it has no such plugin.
#[must_use]
pub fn position(written: &Written, name: &str) -> Option<Position> {
    written.plugin.iter().find(|plugin| plugin.name.value.0 == name).map(|plugin| plugin.name.at)
}

fn list(names: &BTreeSet<String>) -> String {
    format!("[{}]", names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "))
}

/// A TOML basic string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(text: &str) -> Result<String, Trouble> {
        let roles = BTreeSet::from(["mapper".to_owned()]);
        let ecosystems = BTreeSet::from(["weather".to_owned()]);
        let file = Path::new("/srv/a \"b\"\\c\u{7f}.wasm");
        append(text, &NewPlugin { name: "weather", file, roles: &roles, ecosystems: &ecosystems })
    }

    #[test]
    fn a_block_comes_after_whatever_is_there_and_reads_back() {
        for text in [
            "",
            "# mine\n[tools]\nbudget = 3 # few",
            "[[plugin]]\nname = \"a\"\nfile = \"b\"\n[plugin.config]\nx = 1\n",
        ] {
            let whole = add(text).unwrap();
            assert!(whole.starts_with(text));
            let (written, warnings) = reader::read::<Written>(&whole).unwrap();
            let last = written.plugin.last().unwrap();
            assert_eq!(last.file.as_ref().unwrap().0, Path::new("/srv/a \"b\"\\c\u{7f}.wasm"));
            assert_eq!((last.name.value.0.as_str(), warnings.len()), ("weather", 0));
        }
    }

    #[test]
    fn a_name_that_is_taken_and_a_file_that_is_no_good_are_refused() {
        let once = add("").unwrap();
        assert!(matches!(add(&once).unwrap_err().problem, Problem::Twice { .. }));
        assert!(add("tools = [").is_err());
        assert!(add("plugin = []").is_err());
    }
}
