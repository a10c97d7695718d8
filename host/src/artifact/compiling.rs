//! What a person is told while a large component is compiled: that it takes a while, and that it happens once.
//!
//! In comes what is about to be compiled, out come two lines of the log, or none for what is over at once. It compiles
//! nothing itself and knows no cache.

use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// Bytes of a component that one idle processor compiles in a second. Measured with a JavaScript component of 12 MB, which
/// two processors compile in 6 to 7 s; an unoptimised build of this program takes about twice as long.
const PACE: usize = if cfg!(debug_assertions) { 512 << 10 } else { 1 << 20 };

/// More processors than this help one compilation little.
const MOST_HELPERS: usize = 4;

/// What takes less is not worth a line.
const WORTH_TELLING: Duration = Duration::from_secs(2);

/// The lines' own target, shown whatever else the log leaves out.
const TARGET: &str = "abi_mcp::compiling";

/// What becomes of compiled code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// It is there, to be loaded.
    Already,
    /// It will be there from now on.
    Afterwards,
    /// It goes with the process.
    Never,
}

/// Tells of a long compilation before and after it.
pub(super) fn told<T>(plugin: &str, bytes: usize, kept: Kept, compile: impl FnOnce() -> T) -> T {
    let expected = expected(bytes, available_parallelism().map_or(1, usize::from));
    let often = match kept {
        Kept::Already => return compile(),
        _ if expected < WORTH_TELLING => return compile(),
        Kept::Afterwards => "once; later starts load what is kept",
        Kept::Never => "at each start, because there is no cache folder to keep it in",
    };
    let (size, seconds) = (shown(bytes), expected.as_secs());
    tracing::info!(
        target: TARGET,
        "compiling plugin `{plugin}` ({size}): about {seconds} s on an idle machine, {often}"
    );
    let started = Instant::now();
    let compiled = compile();
    tracing::info!(target: TARGET, "compiling plugin `{plugin}` ended after {:.1} s", started.elapsed().as_secs_f32());
    compiled
}

fn expected(bytes: usize, processors: usize) -> Duration {
    let pace = PACE * processors.clamp(1, MOST_HELPERS);
    Duration::from_millis((bytes as u64).saturating_mul(1000) / pace as u64)
}

fn shown(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::DEFAULT_FILTER;
    use crate::trace::tests::logged;

    #[test]
    fn the_lines_are_shown_by_default() {
        assert!(DEFAULT_FILTER.contains(&format!("{TARGET}=info")));
    }

    /// What the log says by default of a compilation.
    fn said(bytes: usize, kept: Kept) -> String {
        logged(None, || told("birds", bytes, kept, || ()))
    }

    #[test]
    fn a_long_compilation_is_told_of_before_and_after_it_and_no_other_is() {
        let lines = said(12 << 20, Kept::Afterwards);
        let (before, after) = lines.trim_end().split_once('\n').unwrap();
        assert!(before.contains("`birds` (12.0 MiB): about ") && before.ends_with("later starts load what is kept"));
        assert!(after.contains("`birds` ended after 0.0 s"), "{lines}");
        assert!(said(12 << 20, Kept::Never).contains("at each start"));
        assert_eq!(said(12 << 20, Kept::Already) + &said(500 << 10, Kept::Afterwards), "");
    }

    #[test]
    fn a_component_of_another_language_is_worth_a_line_and_a_mapper_is_not() {
        assert_eq!(expected(12 * PACE, 2), Duration::from_secs(6));
        assert_eq!(expected(12 << 20, 64), expected(12 << 20, MOST_HELPERS));
        assert!(expected(500 << 10, 1) < WORTH_TELLING && expected(12 << 20, 64) > WORTH_TELLING);
        assert_eq!(shown(12_020_263), "11.5 MiB");
    }
}
