//! The names of SQL functions, as the manual of MobilityDB writes them.
//!
//! The sources of MEOS name for each C function the C function of the database extension that calls it
//! (`Temporal_start_value`); the SQL name (`startValue`) stands in SQL files that are not part of MEOS' sources. The manual
//! that comes with them lists every SQL function by name: where one of those is spelled by the words of the C name, it
//! is the one.

use super::kinds;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// SQL names by their lower-case form.
#[derive(Debug, Default)]
pub(super) struct Manual(BTreeMap<String, String>);

/// Reads the chapters in `doc/` of the sources; without that folder no name is known.
pub(super) fn read(root: &Path) -> Result<Manual> {
    let folder = root.join("doc");
    let mut manual = Manual::default();
    let Ok(entries) = std::fs::read_dir(&folder) else { return Ok(manual) };
    let mut chapters: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    chapters.sort();
    for chapter in chapters.iter().filter(|path| path.extension().is_some_and(|extension| extension == "xml")) {
        let bytes =
            std::fs::read(chapter).with_context(|| format!("cannot read the manual's `{}`", chapter.display()))?;
        manual.add(&String::from_utf8_lossy(&bytes));
    }
    Ok(manual)
}

impl Manual {
    /// Collects `name` of every `<varname>name(`.
    fn add(&mut self, chapter: &str) {
        for piece in chapter.split("<varname>").skip(1) {
            let name = piece.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
            let called = piece.get(name.len()..).is_some_and(|rest| rest.starts_with('('));
            if called && name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                self.0.entry(name.to_ascii_lowercase()).or_insert_with(|| name.to_owned());
            }
        }
    }

    /// The SQL function behind a C function of the extension; `None` when the manual lists none of its words.
    pub(super) fn sql_name(&self, wrapper: &str) -> Option<&str> {
        let words: Vec<String> = wrapper.split('_').map(str::to_ascii_lowercase).collect();
        let is_type =
            |word: &String| kinds::of_word(word).is_some() || matches!(word.as_str(), "base" | "value" | "number");
        let without_last = words.iter().rposition(|word| !is_type(word)).map_or(0, |last| last + 1);
        let without_first = usize::from(words.first().is_some_and(|word| is_type(word) || word.ends_with("set")));
        let pieces = [
            words.get(without_first..),
            words.get(..without_last),
            words.get(without_first..without_last),
            words.get(..),
        ];
        pieces
            .into_iter()
            .flatten()
            .filter(|piece| !piece.is_empty())
            .find_map(|piece| Some(self.0.get(&piece.concat())?.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_the_manual_lists() {
        let mut manual = Manual::default();
        manual.add("<para><varname>startValue(ttype) -> base</varname></para> <varname>eTouches(a,b)</varname> <varname>tint</varname>");
        assert_eq!(manual.sql_name("Temporal_start_value"), Some("startValue"));
        assert_eq!(manual.sql_name("Etouches_tgeo_geo"), Some("eTouches"));
        assert_eq!(manual.sql_name("Temporal_unheard_of"), None);
        assert_eq!(manual.sql_name("Tint"), None);
    }
}
