//! What the record of calls comes to, by plugin.
//!
//! In comes the file the operator named, out come [`Totals`] for each plugin. The file may be of any length, end within a
//! line, hold lines of several processes in any order, and hold what nobody here has written: it is read line by line, its
//! end only where it is long, and what is no line of a call is counted and passed over.

use super::totals::{Outcome, Totals};
use crate::artifact::Used;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// Most bytes of the file that are read, from its end: about half a million calls, a few seconds.
const MOST: u64 = 256 << 20;

/// Longest line that can be one of ours; the rest of a longer one is passed over unread. A call's line has well below
/// 2 KiB but for what it was refused.
const LONGEST_LINE: usize = 64 << 10;

/// Most plugins told apart; a file with more names is no record of ours.
const PLUGINS: usize = 1_000;

/// What a record comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// By plugin.
    pub plugins: BTreeMap<String, Totals>,
    /// Lines that are none of a call or of totals.
    pub strange: u64,
    /// Bytes at the file's beginning that were not read.
    pub left_out: u64,
}

/// What is read of a call's line.
#[derive(Debug, Deserialize)]
struct Line {
    plugin: String,
    /// Absent in a process's totals, which its calls' lines already say.
    outcome: Option<String>,
    stopped_by: Option<String>,
    #[serde(default)]
    milliseconds: u64,
    #[serde(default)]
    peak_memory: u64,
    #[serde(default)]
    handed_in: u64,
    #[serde(default)]
    handed_out: u64,
}

impl Statistics {
    /// Reads a record; one that is not there yet has no calls. Blocks on the disk.
    ///
    /// # Errors
    /// It is no regular file, or cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        match std::fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            // Asked before opening, because opening a FIFO waits for a writer.
            Ok(metadata) if !metadata.is_file() => return Err(io::Error::other("it is no regular file")),
            _ => {}
        }
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        Self::of_end(&mut file, length, MOST)
    }

    /// Reads at most `most` bytes from the end.
    fn of_end(file: &mut (impl Read + Seek), length: u64, most: u64) -> io::Result<Self> {
        let left_out = length.saturating_sub(most);
        file.seek(SeekFrom::Start(left_out))?;
        let mut statistics = Self { left_out, ..Self::default() };
        // Of what is written meanwhile, nothing: it would be read for ever.
        let mut lines = BufReader::new(file.take(length - left_out));
        let mut line = Vec::new();
        let mut cut = left_out > 0;
        while let Some(whole) = next(&mut lines, &mut line)? {
            // The first is cut where reading began within it, the last where it is being written.
            if !std::mem::take(&mut cut) && whole {
                statistics.count(&line);
            }
        }
        Ok(statistics)
    }

    fn count(&mut self, line: &[u8]) {
        let read = serde_json::from_slice::<Line>(line).ok().filter(|_| line.len() <= LONGEST_LINE);
        let Some(line) = read else {
            self.strange += u64::from(!line.is_empty());
            return;
        };
        let Some(outcome) = &line.outcome else { return };
        let outcome = Outcome::read(outcome, line.stopped_by.as_deref());
        let has_room = self.plugins.len() < PLUGINS || self.plugins.contains_key(&line.plugin);
        let Some(outcome) = outcome.filter(|_| has_room) else {
            self.strange += 1;
            return;
        };
        let Line { peak_memory, handed_in, handed_out, .. } = line;
        let used = Used { peak_memory, handed_in, handed_out };
        self.plugins.entry(line.plugin).or_default().add(outcome, line.milliseconds, used);
    }
}

/// The next line without its end, the beginning of it where it is too long, and whether it has an end; `None` after the
/// last.
fn next(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    loop {
        let part = lines.fill_buf()?;
        if part.is_empty() {
            return Ok((!line.is_empty()).then_some(false));
        }
        let end = part.iter().position(|byte| *byte == b'\n');
        let content = part.get(..end.unwrap_or(part.len())).unwrap_or_default();
        // One byte beyond the longest tells that it is too long.
        let room = (LONGEST_LINE + 1).saturating_sub(line.len());
        line.extend(content.iter().take(room));
        let read = end.map_or(part.len(), |end| end + 1);
        lines.consume(read);
        if end.is_some() {
            return Ok(Some(true));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::io::Cursor;

    fn call(plugin: &str, outcome: &str, milliseconds: u64) -> String {
        let by = (outcome == "stopped").then_some("deadline");
        let line = json!({
            "time": 1, "plugin": plugin, "outcome": outcome, "stopped_by": by, "milliseconds": milliseconds,
            "peak_memory": 65_536, "handed_in": 10, "handed_out": 20, "refused": [], "of a later release": {},
        });
        format!("{line}\n")
    }

    fn read(text: &str, most: u64) -> Statistics {
        Statistics::of_end(&mut Cursor::new(text.as_bytes()), text.len() as u64, most).unwrap()
    }

    #[test]
    fn lines_of_several_processes_are_told_apart_by_plugin_and_totals_are_not_counted_twice() {
        let total = "{\"plugin\":\"a\",\"total\":{\"calls\":2}}\n";
        let text = [call("a", "ok", 5), call("b", "error", 7), call("a", "stopped", 90), total.to_owned()].concat();
        let statistics = read(&text, MOST);
        let (a, b) = (&statistics.plugins["a"], &statistics.plugins["b"]);
        assert_eq!((a.calls, a.deadlines, a.milliseconds, a.longest), (2, 1, 95, 90));
        assert_eq!((a.peak_memory, a.handed_in, a.handed_out), (65_536, 20, 40));
        assert_eq!((b.calls, b.errors, statistics.strange), (1, 1, 0));
    }

    #[test]
    fn a_line_of_an_earlier_release_counts_with_what_it_has() {
        let statistics = read("{\"plugin\":\"a\",\"outcome\":\"stopped\",\"milliseconds\":3}\n", MOST);
        assert_eq!((statistics.plugins["a"].others, statistics.plugins["a"].milliseconds), (1, 3));
    }

    #[test]
    fn a_last_line_that_is_being_written_and_lines_of_others_are_passed_over() {
        let whole = call("a", "ok", 5);
        for end in 0..whole.len() {
            let statistics = read(&format!("{whole}{}", &whole[..end]), MOST);
            assert_eq!((statistics.plugins["a"].calls, statistics.strange), (1, 0), "{end}");
        }
        let long = format!("{{\"plugin\":\"a\",\"outcome\":\"ok\",\"x\":\"{}\"}}\n", "x".repeat(LONGEST_LINE));
        let text = format!("not ours\n\n{}{whole}{long}{{\"plugin\":3}}\n", call("a", "paused", 1));
        let statistics = read(&text, MOST);
        assert_eq!((statistics.plugins["a"].calls, statistics.strange), (1, 4));
    }

    #[test]
    fn of_a_long_record_the_end_is_read_from_the_first_whole_line_on() {
        let one = call("a", "ok", 5);
        let statistics = read(&one.repeat(10), one.len() as u64 * 3 + 4);
        assert_eq!((statistics.plugins["a"].calls, statistics.strange), (3, 0));
        assert_eq!(statistics.left_out, one.len() as u64 * 7 - 4);
    }

    #[test]
    fn more_names_than_anybody_has_plugins_take_no_more_memory() {
        let text: String = (0..PLUGINS + 5).map(|at| call(&at.to_string(), "ok", 1)).collect();
        let statistics = read(&text, MOST);
        assert_eq!((statistics.plugins.len(), statistics.strange), (PLUGINS, 5));
    }

    #[test]
    fn a_record_that_is_not_there_has_no_calls_and_one_that_is_no_file_is_refused_without_blocking() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Statistics::read(&folder.path().join("none")).unwrap(), Statistics::default());
        assert!(Statistics::read(folder.path()).unwrap_err().to_string().contains("no regular file"));
        let fifo = folder.path().join("fifo");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(Statistics::read(&fifo).unwrap_err().to_string().contains("no regular file"));
    }
}
