//! Ends a compiler process that takes too long or too much memory.
//!
//! The kernel's own bound on a process's memory (`setrlimit`, which the process sets itself) makes an allocation fail
//! and says nothing of why the process died; so it is the backstop, and what is met first is this: resident memory, looked
//! at from outside. Where there is no `/proc`, the backstop is alone.

use super::Error;
use rustix::process::{Pid, Signal, kill_process};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the process is looked at: a compiler touches less than 100 MiB in that time.
const LOOK: Duration = Duration::from_millis(20);

/// Watches one process, which must not be waited for before [`Watch::end`]: until then its id is its own.
pub(super) struct Watch {
    over: Sender<()>,
    thread: JoinHandle<Option<Error>>,
}

impl Watch {
    /// Watches a process from now on.
    ///
    /// # Errors
    /// [`Error::Host`] when there is no thread to spare.
    pub(super) fn start(process: u32, time: Duration, memory: usize) -> Result<Self, Error> {
        let (over, is_over) = mpsc::channel();
        let deadline = Instant::now() + time;
        let watching = move || {
            while is_over.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let stopped = match resident(process) {
                    _ if Instant::now() >= deadline => Error::CompileTime { limit: time },
                    Some(bytes) if bytes > memory => Error::CompileMemory { limit: memory },
                    _ => continue,
                };
                kill(process);
                return Some(stopped);
            }
            None
        };
        let thread = std::thread::Builder::new().name("compile-watch".to_owned()).spawn(watching);
        let thread = thread.map_err(|error| Error::Host { text: format!("no thread to watch a compiler: {error}") })?;
        Ok(Self { over, thread })
    }

    /// Stops watching; why the process was ended, if it was.
    pub(super) fn end(self) -> Option<Error> {
        drop(self.over);
        self.thread.join().ok().flatten()
    }
}

fn kill(process: u32) {
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // It may have ended by itself meanwhile.
        let _ = kill_process(process, Signal::KILL);
    }
}

/// Bytes of memory a process has in use, where the system says.
fn resident(process: u32) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse::<usize>().ok()?.checked_mul(1 << 10)
}
