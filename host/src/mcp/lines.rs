//! Reads stdin on a thread of its own: bytes to lines, lines to JSON values.
//!
//! In: any `Read` (pipe, socket, file). Out: one [`Incoming`] per line that is not blank, through a bounded queue. A
//! line ends at LF; a CR before it is white space to JSON. Knows JSON but not JSON-RPC.
//!
//! The thread is never joined: a read that nobody can interrupt must not hold up the end of the process (E04).

use super::lenient::{IdScanner, request_id};
use serde_json::Value;
use std::io::{ErrorKind, Read};
use std::time::Duration;
use tokio::sync::mpsc;

/// Bytes asked for at once; a pipe holds as much by default.
const READ_BYTES: usize = 64 * 1024;

/// Lines parsed ahead of the loop. Few, because one may be megabytes long.
const QUEUE_LINES: usize = 8;

/// How long to rest when a client has made our end of a socket non-blocking.
const NOT_READY: Duration = Duration::from_millis(2);

/// One line of input.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A JSON value.
    Json(Value),
    /// Not JSON, or JSON beyond what can be represented (lone surrogates, `1e400`, over 127 levels).
    Unreadable {
        /// The id of the request it was, if it can be made out.
        id: Option<Value>,
        /// What the parser said; quotes nothing of the line.
        reason: String,
    },
    /// Longer than the limit; dropped while it was read.
    TooLong {
        /// The id of the request it was, if it can be made out.
        id: Option<Value>,
    },
}

/// Starts the thread. The queue closes at the end of the input or at a read error.
///
/// # Errors
///
/// When the system refuses a thread.
pub(super) fn spawn(input: Box<dyn Read + Send>, line_bytes: usize) -> std::io::Result<mpsc::Receiver<Incoming>> {
    let (sender, receiver) = mpsc::channel(QUEUE_LINES);
    std::thread::Builder::new()
        .name("mcp-stdin".to_owned())
        .spawn(move || read(input, LineSplitter::new(line_bytes), &sender))?;
    Ok(receiver)
}

fn read(mut input: Box<dyn Read + Send>, mut splitter: LineSplitter, sender: &mpsc::Sender<Incoming>) {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                let bytes = buffer.get(..count).unwrap_or_default();
                if !splitter.split(bytes, |incoming| sender.blocking_send(incoming).is_ok()) {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(NOT_READY),
            Err(error) => {
                tracing::warn!(%error, "stdin cannot be read any longer");
                break;
            }
        }
    }
    // A last line without LF is a line.
    if let Some(incoming) = splitter.end_line() {
        let _ = sender.blocking_send(incoming);
    }
}

/// Cuts a byte stream into lines, holding at most one and at most `limit` bytes of it.
#[derive(Debug)]
struct LineSplitter {
    limit: usize,
    line: Vec<u8>,
    /// Set while the rest of an over-long line is dropped.
    dropped: Option<IdScanner>,
}

impl LineSplitter {
    fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), dropped: None }
    }

    /// Takes bytes and hands out the lines that end in them; stops and says `false` when `emit` does.
    fn split(&mut self, mut bytes: &[u8], mut emit: impl FnMut(Incoming) -> bool) -> bool {
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            let (line, rest) = bytes.split_at(end);
            self.push(line);
            if let Some(incoming) = self.end_line()
                && !emit(incoming)
            {
                return false;
            }
            bytes = rest.get(1..).unwrap_or_default();
        }
        self.push(bytes);
        true
    }

    fn push(&mut self, bytes: &[u8]) {
        if let Some(scanner) = &mut self.dropped {
            scanner.feed(bytes);
        } else if self.line.len().saturating_add(bytes.len()) <= self.limit {
            self.line.extend_from_slice(bytes);
        } else {
            let mut scanner = IdScanner::default();
            scanner.feed(&std::mem::take(&mut self.line));
            scanner.feed(bytes);
            self.dropped = Some(scanner);
        }
    }

    fn end_line(&mut self) -> Option<Incoming> {
        let line = std::mem::take(&mut self.line);
        if let Some(scanner) = self.dropped.take() {
            return Some(Incoming::TooLong { id: scanner.finish() });
        }
        if line.iter().all(u8::is_ascii_whitespace) { None } else { Some(parse(&line)) }
    }
}

fn parse(line: &[u8]) -> Incoming {
    // Some Windows clients open with a byte order mark.
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    match serde_json::from_slice(line) {
        Ok(value) => Incoming::Json(value),
        Err(error) => Incoming::Unreadable { id: request_id(line), reason: error.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn split(limit: usize, pieces: &[&[u8]]) -> Vec<Incoming> {
        let mut splitter = LineSplitter::new(limit);
        let mut lines = Vec::new();
        for piece in pieces {
            splitter.split(piece, |incoming| {
                lines.push(incoming);
                true
            });
        }
        lines.extend(splitter.end_line());
        lines
    }

    #[test]
    fn lines_survive_any_cut_and_any_line_end() {
        let text = b"{\"a\":1}\r\n\n  \r\n{\"b\":2}\n\xEF\xBB\xBF3";
        for size in 1..text.len() {
            let pieces: Vec<&[u8]> = text.chunks(size).collect();
            let values: Vec<Value> = split(64, &pieces)
                .into_iter()
                .map(|line| match line {
                    Incoming::Json(value) => value,
                    other => panic!("{other:?}"),
                })
                .collect();
            assert_eq!(values, [json!({"a": 1}), json!({"b": 2}), json!(3)], "pieces of {size}");
        }
    }

    #[test]
    fn a_line_at_the_limit_is_read_and_one_byte_more_is_dropped() {
        assert!(matches!(split(5, &[b"\"abc\"\n"]).as_slice(), [Incoming::Json(_)]));
        assert!(matches!(split(5, &[b"\"abcd\"\n1"]).as_slice(), [Incoming::TooLong { id: None }, Incoming::Json(_)]));
    }

    #[test]
    fn e09_a_dropped_line_holds_no_memory_and_keeps_its_id() {
        let mut splitter = LineSplitter::new(1024);
        splitter.push(br#"{"method":"x","params":{"a":""#);
        for _ in 0..100 {
            splitter.push(&[b'a'; 1000]);
        }
        assert_eq!(splitter.line.capacity(), 0);
        splitter.push(br#""},"id":7}"#);
        let Some(Incoming::TooLong { id }) = splitter.end_line() else { panic!("not dropped") };
        assert_eq!(id, Some(json!(7)));
    }
}
