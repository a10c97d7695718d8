//! What the system knows of a server's process, and signals to it. Linux only, as `/proc` is.

use rustix::process::{Pid, kill_process};
use std::time::Duration;

pub use rustix::process::Signal;

/// Clock ticks a second in `/proc/<pid>/stat`: 100 on every Linux since 2.6 (`USER_HZ`).
const TICK: Duration = Duration::from_millis(10);

/// Sends a signal.
///
/// # Panics
/// When there is no such process.
pub fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, signal).expect("the process exists");
}

/// Bytes of memory that are resident now.
///
/// # Panics
/// When there is no such process.
#[must_use]
pub fn resident(pid: u32) -> u64 {
    status(pid, "VmRSS:")
}

/// The most bytes of memory that were ever resident.
///
/// # Panics
/// When there is no such process.
#[must_use]
pub fn peak(pid: u32) -> u64 {
    status(pid, "VmHWM:")
}

/// Whether the process runs. One that ended and was not waited for does not.
#[must_use]
pub fn runs(pid: u32) -> bool {
    stat(pid).is_some_and(|fields| fields[0] != "Z")
}

/// Processor time used so far, by all threads; `None` when there is no such process.
#[must_use]
pub fn processor_time(pid: u32) -> Option<Duration> {
    let fields = stat(pid)?;
    let ticks = |at: usize| fields[at].parse::<u32>().unwrap_or_default();
    Some(TICK * (ticks(11) + ticks(12)))
}

/// The processes started by one, by whichever of its threads.
#[must_use]
pub fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let of_thread = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("children")).ok();
    let lists = threads.flatten().filter_map(of_thread);
    lists.flat_map(|list| list.split_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<_>>()).collect()
}

fn status(pid: u32, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process exists");
    let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("the kernel counts memory");
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number of KiB");
    kib * 1024
}

/// The fields of `stat` from the state on; before it stands the name, which may hold anything.
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    Some(fields.split_whitespace().map(str::to_owned).collect())
}
