//! Resident memory of a running process, from the kernel's own account.

use anyhow::{Context, Result};
use std::time::Duration;

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

fn parse(status: &str) -> Option<Resident> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(Resident { kilobytes: value.trim().strip_suffix(" kB")?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn the_kernels_account_is_in_kilobytes() {
        let resident = parse("Name:\tx\nVmRSS:\t   25600 kB\nThreads:\t1\n").expect("a line of that name");
        assert!((resident.megabytes() - 25.0).abs() < f64::EPSILON);
        assert!(parse("Name:\tx\n").is_none());
    }
}
