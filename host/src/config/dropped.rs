//! The plugin folder: which of the files that were dropped into it are plugins, by their names alone.
//!
//! In comes a folder, out come the plugins its files are, and what looks like a plugin file and is none, in words. No
//! file is opened: a FIFO cannot hold the start up, and what a file holds is the lock's business. Hidden files and files
//! that do not end in `.wasm` are somebody's notes or a copy that is under way, and are passed over in silence.

use crate::artifact::{Wanted, locate};
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// How a plugin file ends.
const ENDING: &str = "wasm";

/// Most entries of a folder that are looked at; a folder with more is another folder than was meant. It is listed at
/// every change.
const MOST: usize = 1_000;

/// Most characters of a file's name in a message.
const SHOWN: usize = 80;

/// Something in the plugin folder, or the folder itself, that is not run, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Odd {
    /// What it is: a path.
    pub path: PathBuf,
    /// Why it is not run, as a verb phrase.
    pub problem: String,
}

impl fmt::Display for Odd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Whoever dropped it chose the name: control characters and bidirectional marks are escaped.
        let shown: String = self.path.to_string_lossy().escape_debug().collect();
        let name = self.path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
        match name.chars().count() > SHOWN {
            true => write!(f, "a file in the plugin folder {}", self.problem),
            false => write!(f, "`{shown}` {}", self.problem),
        }
    }
}

/// The file of a plugin in the folder.
#[must_use]
pub(super) fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.{ENDING}"))
}

/// Adds the plugins of a folder to those that have a block. A block has the last word about its name and its file.
pub(super) fn add(wanted: &mut Vec<Wanted>, folder: &Path) -> Vec<Odd> {
    let mut odd = Vec::new();
    let entries = match entries(folder) {
        Ok(entries) => entries,
        // Most people have none.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return odd,
        Err(error) => return vec![Odd { path: folder.to_owned(), problem: format!("cannot be looked into: {error}") }],
    };
    for path in entries {
        if wanted.iter().any(|wanted| wanted.file == path) {
            continue;
        }
        match plugin(folder, &path) {
            Ok(name) if wanted.iter().any(|wanted| wanted.name == name) => {
                let problem = format!("is not run: the configuration has another file for the plugin `{name}`");
                odd.push(Odd { path, problem });
            }
            Ok(name) => wanted.push(Wanted::bare(&name, path)),
            Err(problem) => odd.push(Odd { path, problem: format!("is not run: {problem}") }),
        }
    }
    odd
}

/// Everything in the folder that looks like a plugin file, by name.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for (count, entry) in std::fs::read_dir(folder)?.enumerate() {
        if count >= MOST {
            return Err(io::Error::other(format!("it has more than {MOST} entries, and nothing in it is run")));
        }
        let path = entry?.path();
        let ends = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING));
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if ends && !hidden {
            found.push(path);
        }
    }
    // The order of a folder is nobody's choice.
    found.sort();
    Ok(found)
}

/// The name of the plugin that a file is, or why it is none.
fn plugin(folder: &Path, path: &Path) -> Result<String, String> {
    let stem = path.file_stem().map(OsStr::to_string_lossy).unwrap_or_default();
    locate::check_name(&stem).map_err(|error| error.to_string())?;
    if path.extension() != Some(OsStr::new(ENDING)) {
        return Err(format!("its name ends otherwise than in `.{ENDING}`"));
    }
    let metadata = std::fs::symlink_metadata(path).map_err(|error| error.to_string())?;
    let metadata = if metadata.is_symlink() { behind(folder, path)? } else { metadata };
    match metadata.is_file() {
        true => Ok(stem.into_owned()),
        false => Err(format!("it is {}", locate::kind(metadata.file_type()))),
    }
}

/// What a link leads to, if it stays in the folder: what lies elsewhere was not dropped in.
fn behind(folder: &Path, path: &Path) -> Result<std::fs::Metadata, String> {
    let nowhere = |error: io::Error| format!("it is a link that leads nowhere: {error}");
    let (folder, target) = (folder.canonicalize(), path.canonicalize());
    let (folder, target) = (folder.map_err(nowhere)?, target.map_err(nowhere)?);
    if !target.starts_with(folder) {
        return Err("it is a link out of the folder\n\
             hint: copy the file into the folder, or name it as the `file` of a `[[plugin]]` block"
            .to_owned());
    }
    std::fs::metadata(target).map_err(nowhere)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::fs::symlink;
    use std::time::{Duration, Instant};

    fn look(folder: &Path, mut wanted: Vec<Wanted>) -> (Vec<String>, Vec<String>) {
        let odd = add(&mut wanted, folder).iter().map(ToString::to_string).collect();
        (wanted.into_iter().map(|wanted| wanted.name).collect(), odd)
    }

    fn folder_with(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    #[test]
    fn files_are_plugins_by_name_in_order_with_nothing_allowed_and_notes_and_copies_under_way_are_passed_over() {
        let folder = folder_with(&["b.wasm", "a-1.wasm", "README.md", ".c.wasm", ".d.wasm.Xq2", "e.wasm.part", "f"]);
        std::fs::create_dir(folder.path().join("more")).unwrap();
        let mut wanted = Vec::new();
        assert_eq!(add(&mut wanted, folder.path()), []);
        assert_eq!(wanted.iter().map(|wanted| wanted.name.as_str()).collect::<Vec<_>>(), ["a-1", "b"]);
        assert!(wanted[0].grants.is_empty() && wanted[0].ecosystems.is_empty() && wanted[0].pins.is_empty());
    }

    #[test]
    fn a_folder_that_is_not_there_has_nothing_and_one_that_is_a_file_or_too_full_says_so() {
        let folder = folder_with(&["a.wasm"]);
        assert_eq!(look(&folder.path().join("none"), Vec::new()), (vec![], vec![]));
        let (names, odd) = look(&folder.path().join("a.wasm"), Vec::new());
        assert!(names.is_empty() && odd[0].contains("cannot be looked into"), "{odd:?}");
        for at in 0..MOST {
            std::fs::write(folder.path().join(format!("{at}.txt")), "").unwrap();
        }
        let (names, odd) = look(folder.path(), Vec::new());
        assert!(names.is_empty() && odd[0].contains("more than 1000 entries"), "{odd:?}");
    }

    #[test]
    fn d09_names_that_could_be_paths_or_hide_characters_name_no_plugin_and_no_message_shows_them_raw() {
        let long = format!("{}.wasm", "n".repeat(200));
        let names = ["A.wasm", "con.wasm", "a b.wasm", "a\u{202e}b.wasm", "a\nb.wasm", "a.WASM", "a.b.wasm", &long];
        let folder = folder_with(&names);
        let (found, odd) = look(folder.path(), Vec::new());
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(odd.len(), names.len());
        for text in odd {
            assert!(text.contains("is not run: ") && !text.contains(['\u{202e}', '\n']), "{text:?}");
            assert!(text.len() < 500, "{text}");
        }
    }

    #[test]
    fn d09_special_files_and_links_out_of_the_folder_are_told_and_never_opened() {
        let folder = folder_with(&["real.wasm"]);
        let at = |name: &str| folder.path().join(name);
        mknodat(CWD, at("fifo.wasm"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        std::fs::create_dir(at("folder.wasm")).unwrap();
        symlink("real.wasm", at("inside.wasm")).unwrap();
        symlink("/dev/zero", at("outside.wasm")).unwrap();
        symlink("nothing.wasm", at("nowhere.wasm")).unwrap();
        symlink("round.wasm", at("round.wasm")).unwrap();
        let started = Instant::now();
        let (found, odd) = look(folder.path(), Vec::new());
        assert!(started.elapsed() < Duration::from_secs(1));
        assert_eq!(found, ["inside", "real"]);
        for (at, says) in ["is a FIFO", "is a directory", "leads nowhere", "link out of the folder", "leads nowhere"]
            .iter()
            .enumerate()
        {
            assert!(odd[at].contains(says), "{odd:?}");
        }
    }

    #[test]
    fn a_block_has_the_last_word_about_its_name_and_its_file() {
        let folder = folder_with(&["mine.wasm", "theirs.wasm"]);
        let wanted = vec![
            Wanted::bare("theirs", PathBuf::from("/srv/elsewhere.wasm")),
            Wanted::bare("called-otherwise", folder.path().join("mine.wasm")),
        ];
        let (found, odd) = look(folder.path(), wanted);
        assert_eq!(found, ["theirs", "called-otherwise"]);
        assert!(odd.len() == 1 && odd[0].contains("theirs.wasm") && odd[0].contains("has another file"), "{odd:?}");
    }
}
