//! Serves a [`Service`] on a pair of byte streams until the client, the operator or the other end stops it.
//!
//! Knows when to start and when to stop; the process's exit is the caller's.

use super::guarded::Guarded;
use super::lines;
use super::server::Server;
use super::service::Service;
use super::shutdown::Shutdown;
use super::transport::Connection;
use super::writer::Writer;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::unix::pipe;

/// Where requests come from and answers go to.
pub struct Io {
    /// Read on a thread of its own; a pipe, a socket or a file.
    pub input: Box<dyn Read + Send>,
    /// Written on a thread of its own.
    pub output: Box<dyn Write + Send>,
    /// The output's descriptor, if the system can tell by it that the reader has gone. Without one, or where it is
    /// no pipe, that shows with the next write only.
    pub watched: Option<OwnedFd>,
}

impl Io {
    /// The process's own stdin and stdout. Nobody else may use them from here on.
    #[must_use]
    pub fn stdio() -> Self {
        let output = std::io::stdout();
        let watched = output.as_fd().try_clone_to_owned().ok();
        Self { input: Box::new(std::io::stdin()), output: Box::new(output), watched }
    }
}

/// What bounds a connection.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest line read, in bytes without its end. 16 MiB: a call with 10 MB of arguments passes, and a line
    /// that never ends cannot fill the memory.
    pub line_bytes: usize,
    /// Calls that run at once; the rest wait. 256: far more than a client asks for, few enough to bound memory.
    pub calls: usize,
    /// How often a client that asks for progress is told that a call still runs. 5 s: clients give up after 60 s
    /// without a word, and most calls are answered before the first.
    pub progress: Duration,
    /// How long calls may go on after the end of the input, before they are cancelled. 1.5 s: clients send SIGTERM
    /// after 2 s.
    pub answer_grace: Duration,
    /// How long cancelled calls may take to end.
    pub cancel_grace: Duration,
    /// How long the client may take no byte of the last answers before they are dropped.
    pub write_stall: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_bytes: 16 * 1024 * 1024,
            calls: 256,
            progress: Duration::from_secs(5),
            answer_grace: Duration::from_millis(1500),
            cancel_grace: Duration::from_millis(300),
            write_stall: Duration::from_secs(1),
        }
    }
}

/// A wish of the operator's to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

/// Why serving ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The client closed its end; everything it asked was answered or given up after the grace periods.
    InputClosed,
    /// Nobody reads the answers any longer.
    OutputClosed,
    /// The operator stopped it.
    Stopped(Stop),
    /// The system refused the threads that read and write.
    NotStarted(std::io::Error),
}

/// Waits for SIGTERM or SIGINT, heard from the moment this is called, which must be within a runtime. If the system
/// refuses to tell, waits for ever and they keep their usual effect.
pub fn signals() -> impl Future<Output = Stop> {
    use tokio::signal::unix::{SignalKind, signal};
    let heard = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    async move {
        let (Ok(mut interrupt), Ok(mut terminate)) = heard else { return std::future::pending().await };
        tokio::select! {
            _ = interrupt.recv() => Stop::Interrupt,
            _ = terminate.recv() => Stop::Terminate,
        }
    }
}

/// Completes when nobody can read the output any more although nothing is written (E20): an idle server would outlive
/// its client for as long as someone else holds its input open.
async fn unread(watched: Option<OwnedFd>) {
    // A file or a device cannot be watched; neither has a reader that leaves. Unchecked, since nothing is written
    // through it: the descriptor stays blocking for the writer's thread.
    let watched = watched.and_then(|output| pipe::Sender::from_owned_fd_unchecked(output).ok());
    let gone = match &watched {
        Some(output) => output.ready(Interest::ERROR).await.is_ok(),
        None => false,
    };
    if !gone {
        std::future::pending().await
    }
}

/// Serves one client and returns within 2 s of the end of its input, or of `stop`, or of its last read.
///
/// Writes nothing before the first request. The threads that read and write are left behind where they are blocked;
/// the caller ends the process without waiting for them.
pub async fn serve<S: Service>(service: Arc<S>, io: Io, limits: Limits, stop: impl Future<Output = Stop>) -> Outcome {
    let started = lines::spawn(io.input, limits.line_bytes).and_then(|input| Ok((input, Writer::spawn(io.output)?)));
    let (mut input, writer) = match started {
        Ok(started) => started,
        Err(error) => return Outcome::NotStarted(error),
    };
    let unread = unread(io.watched);
    tokio::pin!(stop, unread);
    let first = tokio::select! {
        first = input.recv() => first,
        stop = &mut stop => return Outcome::Stopped(stop),
        () = &mut unread => return Outcome::OutputClosed,
    };
    let Some(first) = first else { return Outcome::InputClosed };
    service.opened();

    let shutdown = Shutdown::default();
    let connection = Connection::new(first, input, writer.sender(), shutdown.clone(), limits);
    let server = Guarded(Server::new(service, shutdown.clone(), limits.calls, limits.progress));
    let running = rmcp::service::serve_directly(server, connection, None).waiting();
    tokio::pin!(running);
    let mut ended = false;
    let mut nobody_reads = false;
    let mut stopped = None;
    tokio::select! {
        _ = &mut running => ended = true,
        () = shutdown.abandoned.cancelled() => {}
        () = writer.gone() => {}
        () = &mut unread => nobody_reads = true,
        stop = &mut stop => stopped = Some(stop),
    }
    if !ended {
        shutdown.now();
        tokio::select! {
            _ = &mut running => {}
            () = shutdown.abandoned.cancelled() => {}
        }
    }
    if let Some(stop) = stopped {
        let _ = tokio::time::timeout(limits.write_stall, writer.finish(limits.write_stall)).await;
        return Outcome::Stopped(stop);
    }
    if nobody_reads || writer.is_gone() {
        return Outcome::OutputClosed;
    }
    // A client that reads slowly gets everything, as long as it reads (E19).
    tokio::select! {
        () = writer.finish(limits.write_stall) => Outcome::InputClosed,
        stop = stop => Outcome::Stopped(stop),
    }
}
