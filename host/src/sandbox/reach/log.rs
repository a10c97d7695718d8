//! What an extension says to the operator: its log lines, standard output and standard error, labelled and bounded.
//!
//! Nothing of it reaches this process's standard output, which belongs to the protocol (D14). Lines are cleaned, cut,
//! and dropped beyond a budget for each call, once with a word that they are.

use crate::text::{clean_line, cut};
use hyper::body::Bytes;
use std::io;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::io::AsyncWrite;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// Bytes one call may write in all. Protects the operator's disk; an honest call writes some lines.
const BUDGET: usize = 64 << 10;

/// Characters of one line that are kept.
const LINE: usize = 1_000;

/// Bytes taken from a stream at once. The host holds no more than this of a line without an end.
const CHUNK: usize = 8 << 10;

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// For whoever debugs the extension.
    Trace,
    /// For whoever debugs what it does.
    Debug,
    /// Of interest.
    Info,
    /// Something is wrong.
    Warn,
    /// Something failed.
    Error,
}

/// One call's lines.
#[derive(Debug, Clone)]
pub(crate) struct Log(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    plugin: String,
    left: Mutex<Option<usize>>,
}

impl Log {
    /// The log of one call of a plugin.
    pub(crate) fn of(plugin: &str) -> Self {
        Self(Arc::new(Shared { plugin: plugin.to_owned(), left: Mutex::new(Some(BUDGET)) }))
    }

    /// Writes a line, if there is room for it.
    pub(crate) fn line(&self, level: Level, stream: &'static str, line: &str) {
        if !self.pays(line.len()) {
            return;
        }
        let (plugin, line) = (self.0.plugin.as_str(), cut(&clean_line(line), LINE));
        if line.is_empty() {
            return;
        }
        match level {
            Level::Trace => tracing::trace!(plugin, stream, "{line}"),
            Level::Debug => tracing::debug!(plugin, stream, "{line}"),
            Level::Info => tracing::info!(plugin, stream, "{line}"),
            Level::Warn => tracing::warn!(plugin, stream, "{line}"),
            Level::Error => tracing::error!(plugin, stream, "{line}"),
        }
    }

    /// A stream whose lines go here.
    pub(super) fn stream(&self, name: &'static str) -> Captured {
        Captured { log: self.clone(), name }
    }

    /// Takes a line and a little for its label from the budget.
    fn pays(&self, bytes: usize) -> bool {
        let mut left = self.0.left.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = left.and_then(|rest| rest.checked_sub(bytes.min(LINE * 4) + 16));
        if rest.is_none() && left.is_some() {
            tracing::warn!(plugin = self.0.plugin, "what it writes beyond {BUDGET} bytes in one call is dropped");
        }
        *left = rest;
        rest.is_some()
    }
}

/// Standard output or standard error of one call; every handle on it writes to the same lines.
#[derive(Debug, Clone)]
pub(super) struct Captured {
    log: Log,
    name: &'static str,
}

/// One open handle.
struct Writer {
    captured: Captured,
    line: Mutex<Vec<u8>>,
}

impl Writer {
    fn line(&self) -> MutexGuard<'_, Vec<u8>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, bytes: &[u8]) {
        let mut line = self.line();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = CHUNK.saturating_sub(line.len());
            line.extend(part.iter().take(room));
            if part.ends_with(b"\n") {
                self.tell(mem::take(&mut line));
            }
        }
    }

    fn tell(&self, line: Vec<u8>) {
        let level = if self.captured.name == "stderr" { Level::Warn } else { Level::Info };
        self.captured.log.line(level, self.captured.name, &String::from_utf8_lossy(&line));
    }
}

impl Drop for Writer {
    /// A last line without an end is a line.
    fn drop(&mut self) {
        let rest = mem::take(&mut *self.line());
        if !rest.is_empty() {
            self.tell(rest);
        }
    }
}

#[async_trait]
impl Pollable for Writer {
    async fn ready(&mut self) {}
}

impl OutputStream for Writer {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.take(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(CHUNK)
    }
}

impl AsyncWrite for Writer {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.take(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl IsTerminal for Captured {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Captured {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(Writer { captured: self.clone(), line: Mutex::default() })
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(Writer { captured: self.clone(), line: Mutex::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_writes_without_end_is_heard_for_its_budget_and_no_longer() {
        let log = Log::of("loud");
        let line = "x".repeat(500);
        let heard = (0..10_000).filter(|_| log.pays(line.len())).count();
        assert!((100..=BUDGET / 500).contains(&heard), "{heard}");
        assert!(!log.pays(0));
    }

    #[test]
    fn a_line_without_an_end_takes_no_more_than_a_chunk() {
        let captured = Log::of("endless").stream("stdout");
        let writer = Writer { captured, line: Mutex::default() };
        for _ in 0..100 {
            writer.take(&[b'x'; 4096]);
        }
        assert_eq!(writer.line().len(), CHUNK);
        writer.take(b"\nnext");
        assert_eq!(writer.line().as_slice(), b"next");
    }
}
