//! Resident memory and processor time of a running process, from the kernel's own account.

use anyhow::{Context, Result};
use std::time::Duration;

/// Clock ticks a second in `/proc/<pid>/stat`: 100 on every Linux since 2.6 (`USER_HZ`).
const TICK: Duration = Duration::from_millis(10);

/// A process's resident memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resident {
    kilobytes: u64,
}

impl Resident {
    pub(super) fn megabytes(self) -> f64 {
        // Exact up to 2^53 kB.
        #[expect(clippy::cast_precision_loss, reason = "no process has 8 EB")]
        let kilobytes = self.kilobytes as f64;
        kilobytes / 1024.0
    }
}

/// Resident memory of `process`, read after a moment of quiet. Linux only: elsewhere there is no `/proc`.
pub(super) fn resident(process: u32) -> Result<Resident> {
    // What a request left to do in the background is not idle yet.
    std::thread::sleep(Duration::from_millis(500));
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(&path).with_context(|| format!("cannot read `{path}`"))?;
    parse(&status).with_context(|| format!("`{path}` has no `VmRSS`"))
}

/// Processor time `process` has used, all threads together. Linux only.
pub(super) fn processor_time(process: u32) -> Result<Duration> {
    let path = format!("/proc/{process}/stat");
    let stat = std::fs::read_to_string(&path).with_context(|| format!("cannot read `{path}`"))?;
    ticks(&stat).map(|ticks| TICK * ticks).with_context(|| format!("`{path}` has no times"))
}

/// `utime` and `stime`, fields 14 and 15; before them stands the name, which may hold anything.
fn ticks(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).map(|field| field.parse::<u32>().ok());
    Some(times.next()?? + times.next()??)
}

fn parse(status: &str) -> Option<Resident> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(Resident { kilobytes: value.trim().strip_suffix(" kB")?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::{parse, ticks};

    #[test]
    fn the_kernels_account_is_in_kilobytes() {
        let resident = parse("Name:\tx\nVmRSS:\t   25600 kB\nThreads:\t1\n").expect("a line of that name");
        assert!((resident.megabytes() - 25.0).abs() < f64::EPSILON);
        assert!(parse("Name:\tx\n").is_none());
    }

    #[test]
    fn processor_time_is_that_of_the_program_and_of_the_kernel_for_it() {
        let stat = "42 (a ) b) S 1 42 42 0 -1 4194560 100 0 0 0 7 5 0 0 20 0 3 0 100 1 2";
        assert_eq!(ticks(stat), Some(12));
        assert_eq!(ticks("42 (a) S 1"), None);
    }
}
