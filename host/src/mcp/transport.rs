//! The SDK's transport: admits what it receives, answers refusals itself, and runs the end of the connection.
//!
//! In: [`Incoming`] lines and the SDK's outgoing messages. Out: admitted messages and frames. Knows which requests
//! are unanswered; knows no byte of stdin and no thread.

use super::admit::{Admission, Refusal, admit};
use super::lines::Incoming;
use super::serve::Limits;
use super::shutdown::Shutdown;
use super::writer::{FrameSender, OutputClosed};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};
use std::collections::HashSet;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// A connection.
///
/// The SDK's loop polls [`receive`](Transport::receive) anew after each message it sends. So `receive` may wait for
/// an answer to go out by never completing, and looks at the state afresh each time.
pub(super) struct Connection {
    input: mpsc::Receiver<Incoming>,
    output: FrameSender,
    shutdown: Shutdown,
    limits: Limits,
    /// Read before the loop started.
    first: Option<Incoming>,
    /// Answers of our own that wait for room in the queue.
    refusal: Option<Vec<u8>>,
    /// Requests without an answer so far.
    unanswered: HashSet<RequestId>,
    handshake: Handshake,
    /// Since when the input has been over.
    drained_from: Option<Instant>,
    /// Since when the calls under way have been cancelled.
    hurried_from: Option<Instant>,
}

#[derive(Debug, PartialEq)]
enum Handshake {
    /// No `initialize` so far.
    None,
    /// Not answered yet; nothing else is read, so that its answer comes first.
    Pending(RequestId),
    /// Answered.
    Done,
}

impl Connection {
    /// A connection whose first line has been read already.
    pub(super) fn new(
        first: Incoming,
        input: mpsc::Receiver<Incoming>,
        output: FrameSender,
        shutdown: Shutdown,
        limits: Limits,
    ) -> Self {
        Self {
            input,
            output,
            shutdown,
            limits,
            first: Some(first),
            refusal: None,
            unanswered: HashSet::new(),
            handshake: Handshake::None,
            drained_from: None,
            hurried_from: None,
        }
    }

    /// The next line, or `None` when there will be none or none is wanted. Safe to cancel.
    async fn next(&mut self) -> Option<Incoming> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        tokio::select! {
            biased;
            () = self.shutdown.closing.cancelled() => None,
            incoming = self.input.recv() => incoming,
        }
    }

    /// Takes one line; returns what the SDK has to see.
    fn take(&mut self, incoming: Incoming) -> Option<ClientJsonRpcMessage> {
        let admission = match incoming {
            Incoming::Json(value) => admit(value, self.handshake != Handshake::None),
            Incoming::Unreadable { id: Some(id), reason } => Admission::Refuse(Refusal::new(
                Some(id),
                ErrorData::parse_error(format!("the line is not readable JSON: {reason}"), None),
            )),
            // Whoever writes garbage is no client that waits for an answer; an answer to each line would only add to
            // the noise.
            Incoming::Unreadable { id: None, reason } => {
                tracing::debug!(reason, "ignored a line that is not JSON");
                Admission::Ignore
            }
            Incoming::TooLong { id } => Admission::Refuse(Refusal::new(id, too_long(self.limits.line_bytes))),
        };
        match admission {
            Admission::Request(id, request) => self.take_request(id, *request),
            Admission::Notify(notification) => self.take_notification(notification),
            Admission::Refuse(refusal) => {
                self.refusal = Some(refusal.frame());
                None
            }
            Admission::Ignore => None,
        }
    }

    fn take_request(&mut self, id: RequestId, request: ClientRequest) -> Option<ClientJsonRpcMessage> {
        if !self.unanswered.insert(id.clone()) {
            let error = ErrorData::invalid_request("`id` is in use by a request that is not answered yet", None);
            self.refusal = Some(Refusal::new(Some(id.into_json_value()), error).frame());
            return None;
        }
        if matches!(request, ClientRequest::InitializeRequest(_)) {
            self.handshake = Handshake::Pending(id.clone());
        }
        Some(ClientJsonRpcMessage::request(request, id))
    }

    fn take_notification(&mut self, notification: ClientNotification) -> Option<ClientJsonRpcMessage> {
        if let ClientNotification::CancelledNotification(cancelled) = &notification {
            // An id that is unknown or answered is ignored.
            let known = cancelled.params.request_id.as_ref().is_some_and(|id| self.unanswered.remove(id));
            if !known {
                return None;
            }
        }
        Some(ClientJsonRpcMessage::notification(notification))
    }

    /// Waits until all requests are answered, first patiently, then with all calls cancelled, then not at all.
    /// Completes only at the end. Safe to cancel.
    async fn drain(&mut self) {
        let since = *self.drained_from.get_or_insert_with(Instant::now);
        self.shutdown.closing.cancel();
        if self.unanswered.is_empty() {
            return;
        }
        if self.hurried_from.is_none() {
            tokio::select! {
                () = tokio::time::sleep_until(since + self.limits.answer_grace) => self.shutdown.hurry.cancel(),
                () = self.shutdown.hurry.cancelled() => {}
            }
        }
        let hurried = *self.hurried_from.get_or_insert_with(Instant::now);
        tokio::time::sleep_until(hurried + self.limits.cancel_grace).await;
        self.shutdown.abandoned.cancel();
    }

    /// Notes an answer; only a result ends the handshake it answers, a refusal leaves it to be tried again.
    fn answered(&mut self, id: &RequestId, refused: bool) {
        self.unanswered.remove(id);
        if self.handshake == Handshake::Pending(id.clone()) {
            self.handshake = if refused { Handshake::None } else { Handshake::Done };
        }
    }
}

impl Transport<RoleServer> for Connection {
    type Error = OutputClosed;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = Result<(), OutputClosed>> + Send + 'static {
        match &item {
            JsonRpcMessage::Response(response) => self.answered(&response.id, false),
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.answered(id, true);
                }
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        let output = self.output.clone();
        // Queued here if there is room, so that frames leave in the order in which they were sent.
        let left = self.output.try_send(frame(item));
        async move {
            match left {
                Ok(()) => Ok(()),
                Err(frame) => output.send(frame).await,
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if matches!(self.handshake, Handshake::Pending(_)) && self.drained_from.is_none() {
                self.shutdown.closing.cancelled().await;
            }
            if self.drained_from.is_some() {
                self.drain().await;
                return None;
            }
            // More is read only while the client takes our answers.
            if self.output.ready().await.is_err() {
                self.shutdown.now();
                self.drained_from = Some(Instant::now());
                continue;
            }
            if let Some(refusal) = self.refusal.take()
                && let Err(refusal) = self.output.try_send(refusal)
            {
                self.refusal = Some(refusal);
                continue;
            }
            match self.next().await {
                Some(incoming) => {
                    if let Some(message) = self.take(incoming) {
                        return Some(message);
                    }
                }
                None => self.drained_from = Some(Instant::now()),
            }
        }
    }

    async fn close(&mut self) -> Result<(), OutputClosed> {
        self.input.close();
        Ok(())
    }
}

fn frame(message: ServerJsonRpcMessage) -> Vec<u8> {
    serde_json::to_vec(&message).unwrap_or_else(|error| {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(response.id.into_json_value()),
            _ => None,
        };
        Refusal::new(id, ErrorData::internal_error(format!("the answer cannot be written: {error}"), None)).frame()
    })
}

fn too_long(limit: usize) -> ErrorData {
    ErrorData::invalid_request(format!("the line is longer than {limit} bytes and was dropped"), None)
}
