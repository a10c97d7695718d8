//! Connections that can be broken on purpose.
//!
//! Each accepted socket is wrapped; a request gets a [`Handle`] to the one it came on and may arm it, so that the
//! next answer is cut before its first byte or in the middle of its body. No HTTP is understood here beyond the end
//! of an answer's head.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// What is to happen to the next bytes written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// Nothing.
    Whole,
    /// They fail.
    Now,
    /// The head and this many bytes of the body pass.
    AfterHead(usize),
    /// This many bytes pass.
    After(usize),
}

/// The way from a request to its connection.
#[derive(Clone, Debug)]
pub(crate) struct Handle(Arc<Mutex<Cut>>);

impl Handle {
    /// Ends the connection in place of the answer.
    pub(crate) fn close(&self) {
        self.arm(Cut::Now);
    }

    /// Lets `bytes` of the answer's body pass and then ends the connection.
    pub(crate) fn cut_body_after(&self, bytes: usize) {
        self.arm(Cut::AfterHead(bytes));
    }

    fn arm(&self, cut: Cut) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = cut;
    }

    /// How much of `buffer` may be written; `None` breaks the connection.
    fn allow(&self, buffer: &[u8]) -> Option<usize> {
        let cut = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match cut {
            Cut::Whole => Some(buffer.len()),
            Cut::Now | Cut::After(0) => None,
            Cut::After(left) => Some(left.min(buffer.len())),
            Cut::AfterHead(body) => match buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                Some(end) => {
                    self.arm(Cut::After(end + 4 + body));
                    self.allow(buffer)
                }
                None => Some(buffer.len()),
            },
        }
    }

    fn wrote(&self, count: usize) {
        let mut cut = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Cut::After(left) = &mut *cut {
            *left = left.saturating_sub(count);
        }
    }
}

/// A listener whose sockets can be broken.
pub(crate) struct Breakable(pub(crate) TcpListener);

/// One such socket.
pub(crate) struct Socket {
    stream: TcpStream,
    handle: Handle,
}

impl Listener for Breakable {
    type Io = Socket;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Socket, SocketAddr) {
        let (stream, peer) = Listener::accept(&mut self.0).await;
        // Answers are small and waited for.
        let _ = stream.set_nodelay(true);
        (Socket { stream, handle: Handle(Arc::new(Mutex::new(Cut::Whole))) }, peer)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, Breakable>> for Handle {
    fn connect_info(stream: IncomingStream<'_, Breakable>) -> Self {
        stream.io().handle.clone()
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let allowed = self.handle.allow(buf).and_then(|count| buf.get(..count));
        let Some(allowed) = allowed else {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        };
        let written = Pin::new(&mut self.stream).poll_write(cx, allowed);
        if let Poll::Ready(Ok(count)) = &written {
            self.handle.wrote(*count);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
