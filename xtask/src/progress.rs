//! Says what is being waited for, once it takes longer than a second.
//!
//! On a terminal one line is rewritten each second. Elsewhere whole lines come at 1, 5, 15 seconds and then every half
//! minute, so that a log shows life without filling up.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A wait in progress; dropping it ends the line.
pub(crate) struct Progress {
    detail: Arc<Mutex<String>>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    started: Instant,
}

impl Progress {
    /// Starts counting; nothing is printed during the first second.
    pub(crate) fn start(what: impl Into<String>) -> Self {
        let (stop, stopped) = channel();
        let detail = Arc::new(Mutex::new(String::new()));
        let (what, started, shown) = (what.into(), Instant::now(), Arc::clone(&detail));
        let thread = std::thread::spawn(move || {
            let terminal = std::io::stderr().is_terminal();
            let mut printed = false;
            while stopped.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let seconds = started.elapsed().as_secs();
                if terminal || due(seconds) {
                    let detail = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    show(terminal, &what, seconds, &detail);
                    printed = true;
                }
            }
            if terminal && printed {
                eprint!("\r\x1b[K");
            }
        });
        Self { detail, stop: Some(stop), thread: Some(thread), started }
    }

    /// What it is busy with right now, in a few words.
    pub(crate) fn detail(&self) -> Arc<Mutex<String>> {
        Arc::clone(&self.detail)
    }

    /// Ends the line and says how long it took.
    pub(crate) fn finish(mut self) -> Duration {
        self.end();
        self.started.elapsed()
    }

    fn end(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread only prints; there is nothing to learn from how it ended.
            let _ = thread.join();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// The seconds at which a log gets a line.
fn due(seconds: u64) -> bool {
    matches!(seconds, 1 | 5 | 15) || (seconds > 0 && seconds.is_multiple_of(30))
}

fn show(terminal: bool, what: &str, seconds: u64, detail: &str) {
    let detail = if detail.is_empty() { String::new() } else { format!(" ({detail})") };
    let line = format!("{what}: {seconds} s{detail}");
    // A line that wraps cannot be rewritten in place: 100 characters fit nearly every terminal.
    let line: String = line.chars().take(100).collect();
    let mut stderr = std::io::stderr().lock();
    let written = if terminal { write!(stderr, "\r\x1b[K{line}") } else { writeln!(stderr, "{line}") };
    // Progress that nobody can read any more is no reason to stop the work.
    let _ = written.and_then(|()| stderr.flush());
}

#[cfg(test)]
mod tests {
    use super::due;

    #[test]
    fn a_log_gets_a_line_after_one_second_and_few_after_that() {
        let lines: Vec<u64> = (0..=90).filter(|second| due(*second)).collect();
        assert_eq!(lines, [1, 5, 15, 30, 60, 90]);
    }
}
