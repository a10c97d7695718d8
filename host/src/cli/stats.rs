//! `plugin list --stats`: what the calls of each plugin come to, from the operator's record.

use crate::audit::statistics::Statistics;
use crate::audit::totals::Totals;
use crate::cli::inspect::shown;
use crate::config::Settings;
use std::path::Path;

/// Prints the table, or what to write so that there can be one.
///
/// # Errors
/// The record cannot be read.
pub(super) fn print(settings: &Settings) -> anyhow::Result<()> {
    let Some(file) = &settings.audit else {
        println!("\nno calls are recorded. To have them recorded, write in {}:", configuration(settings));
        println!("  [audit]\n  file = \"audit.log\"");
        return Ok(());
    };
    let statistics = Statistics::read(file)
        .map_err(|error| anyhow::anyhow!("cannot read the record of calls `{}`: {error}", file.display()))?;
    print!("\n{}", table(&statistics, file));
    Ok(())
}

fn configuration(settings: &Settings) -> String {
    settings
        .place
        .as_ref()
        .map_or_else(|| "the file named by --config".to_owned(), |place| place.path.display().to_string())
}

fn table(statistics: &Statistics, file: &Path) -> String {
    let Statistics { plugins, strange, left_out } = statistics;
    let mut text = format!("calls recorded in {}:", file.display());
    if plugins.is_empty() {
        text.push_str(" none yet\n");
    } else {
        text.push_str(&format!(
            "\n{:<14} {:>8} {:>8} {:>9} {:>6} {:>6} {:>6} {:>9} {:>11} {:>10} {:>10} {:>10} {:>10}\n",
            "PLUGIN",
            "CALLS",
            "ERRORS",
            "DEADLINES",
            "TRAPS",
            "LIMITS",
            "OTHER",
            "CANCELLED",
            "TOTAL",
            "LONGEST",
            "MEMORY",
            "IN",
            "OUT"
        ));
    }
    for (name, totals) in plugins {
        text.push_str(&row(name, totals));
    }
    if *strange > 0 {
        text.push_str(&format!("{strange} lines are none of a call and were passed over\n"));
    }
    if *left_out > 0 {
        text.push_str(&format!("the record is long: its first {} were not read\n", bytes(*left_out)));
    }
    text
}

fn row(name: &str, totals: &Totals) -> String {
    let Totals { calls, errors, deadlines, traps, limits, others, cancelled, .. } = totals;
    let (total, longest) = (time(totals.milliseconds), time(totals.longest));
    let (memory, handed_in, handed_out) =
        (bytes(totals.peak_memory), bytes(totals.handed_in), bytes(totals.handed_out));
    format!(
        "{:<14} {calls:>8} {errors:>8} {deadlines:>9} {traps:>6} {limits:>6} {others:>6} {cancelled:>9} {total:>11} \
         {longest:>10} {memory:>10} {handed_in:>10} {handed_out:>10}\n",
        shown(name)
    )
}

/// Milliseconds, or seconds where those are many.
fn time(milliseconds: u64) -> String {
    match milliseconds {
        few @ 0..10_000 => format!("{few} ms"),
        many => format!("{} s", many / 1_000),
    }
}

/// Whole bytes, KiB or MiB, rounded up so that little is not nothing.
fn bytes(bytes: u64) -> String {
    match bytes {
        few @ 0..10_240 => format!("{few} B"),
        some if some < 10 << 20 => format!("{} KiB", some.div_ceil(1 << 10)),
        many => format!("{} MiB", many.div_ceil(1 << 20)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stands_under_its_headings_in_units_one_can_read_and_a_name_is_only_text() {
        let totals = Totals { calls: 3, traps: 1, milliseconds: 12_345, longest: 9_000, ..Totals::default() };
        let totals = Totals { peak_memory: 17 << 20, handed_in: 812, handed_out: 20_000, ..totals };
        let statistics =
            Statistics { plugins: [("b\u{1b}[2K".to_owned(), totals)].into(), strange: 2, left_out: 10_241 };
        let text = table(&statistics, Path::new("/var/audit.log"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1].chars().count(), lines[2].chars().count(), "{text}");
        for word in ["b[2K", "12 s", "9000 ms", "17 MiB", "812 B", "20 KiB"] {
            assert!(lines[2].contains(word), "{word}: {text}");
        }
        assert!(text.contains("2 lines are none of a call") && text.contains("first 11 KiB were not read"), "{text}");
    }
}
