//! Writes frames to stdout on a thread of its own, one line each.
//!
//! In: finished frames through a bounded queue. Out: bytes, flushed after each frame. One thread writes, so
//! frames never mix (E19), and a client that reads slowly blocks only this thread.

use crate::model::Cancel;
use std::io::{ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// Frames that may wait for a client that does not read; more input is read only when there is room again.
const QUEUE_FRAMES: usize = 1024;

/// Bytes handed to the system at once, so that progress shows while a long frame is written.
const WRITE_BYTES: usize = 64 * 1024;

/// How long to rest when a client has made our end of a socket non-blocking.
const NOT_READY: Duration = Duration::from_millis(2);

enum Job {
    /// One frame without its line end.
    Frame(Vec<u8>),
    /// Write what came before, then stop.
    End,
}

/// A handle for those who send; clones write to the same thread.
#[derive(Clone)]
pub(super) struct FrameSender(mpsc::Sender<Job>);

/// Nobody reads any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the client no longer reads")]
pub(super) struct OutputClosed;

impl FrameSender {
    /// Queues a frame; waits while the queue is full.
    pub(super) async fn send(&self, frame: Vec<u8>) -> Result<(), OutputClosed> {
        self.0.send(Job::Frame(frame)).await.map_err(|_| OutputClosed)
    }

    /// Queues a frame now, or gives it back when the queue is full or closed. Frames queued this way keep the order
    /// of the calls.
    pub(super) fn try_send(&self, frame: Vec<u8>) -> Result<(), Vec<u8>> {
        self.0.try_send(Job::Frame(frame)).map_err(|error| match error.into_inner() {
            Job::Frame(frame) => frame,
            Job::End => Vec::new(),
        })
    }

    /// Waits until the queue has room. Safe to cancel.
    pub(super) async fn ready(&self) -> Result<(), OutputClosed> {
        self.0.reserve().await.map(drop).map_err(|_| OutputClosed)
    }
}

/// The writing thread, seen from outside.
pub(super) struct Writer {
    sender: mpsc::Sender<Job>,
    state: State,
}

#[derive(Clone, Default)]
struct State {
    /// Bytes the system has taken.
    written: Arc<AtomicU64>,
    /// The reader has gone; nothing can be written any more.
    gone: Cancel,
    /// The thread has ended.
    ended: Cancel,
}

impl Writer {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// When the system refuses a thread.
    pub(super) fn spawn(output: Box<dyn Write + Send>) -> std::io::Result<Self> {
        let (sender, receiver) = mpsc::channel(QUEUE_FRAMES);
        let state = State::default();
        let inner = state.clone();
        std::thread::Builder::new().name("mcp-stdout".to_owned()).spawn(move || run(output, receiver, &inner))?;
        Ok(Self { sender, state })
    }

    /// A handle to send with.
    pub(super) fn sender(&self) -> FrameSender {
        FrameSender(self.sender.clone())
    }

    /// Waits until the client no longer reads (E20).
    pub(super) async fn gone(&self) {
        self.state.gone.cancelled().await;
    }

    /// Whether nothing can be written any more.
    pub(super) fn is_gone(&self) -> bool {
        self.state.gone.is_cancelled()
    }

    /// Writes what is queued and stops. Gives up when no byte was taken for `stall`.
    pub(super) async fn finish(self, stall: Duration) {
        let end = async {
            let _ = self.sender.send(Job::End).await;
            self.state.ended.cancelled().await;
        };
        let stalled = async {
            let mut before = self.state.written.load(Ordering::Relaxed);
            loop {
                tokio::time::sleep(stall).await;
                let now = self.state.written.load(Ordering::Relaxed);
                if now == before {
                    tracing::debug!("the client stopped reading; answers were dropped");
                    return;
                }
                before = now;
            }
        };
        tokio::select! {
            () = end => {}
            () = stalled => {}
        }
    }
}

fn run(mut output: Box<dyn Write + Send>, mut jobs: mpsc::Receiver<Job>, state: &State) {
    while let Some(Job::Frame(mut frame)) = jobs.blocking_recv() {
        frame.push(b'\n');
        if let Err(error) = write(&mut output, &frame, &state.written).and_then(|()| flush(&mut output)) {
            tracing::debug!(%error, "stdout cannot be written any longer");
            state.gone.cancel();
            break;
        }
    }
    state.ended.cancel();
}

fn write(output: &mut dyn Write, frame: &[u8], written: &AtomicU64) -> std::io::Result<()> {
    let mut rest = frame;
    while !rest.is_empty() {
        let piece = rest.get(..WRITE_BYTES).unwrap_or(rest);
        match output.write(piece) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => {
                written.fetch_add(count as u64, Ordering::Relaxed);
                rest = rest.get(count..).unwrap_or_default();
            }
            Err(error) => pause(error)?,
        }
    }
    Ok(())
}

fn flush(output: &mut dyn Write) -> std::io::Result<()> {
    while let Err(error) = output.flush() {
        pause(error)?;
    }
    Ok(())
}

/// Rests after an error that passes by itself; returns any other.
fn pause(error: std::io::Error) -> std::io::Result<()> {
    match error.kind() {
        ErrorKind::Interrupted => Ok(()),
        ErrorKind::WouldBlock => {
            std::thread::sleep(NOT_READY);
            Ok(())
        }
        _ => Err(error),
    }
}
