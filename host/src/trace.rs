//! Sets up the log: `tracing` to stderr, one line an event, every line through the redactor.
//!
//! In: a filter in the usual directive syntax. It reads no environment itself, knows
//! no secret, and never writes to stdout, which belongs to the protocol.

use crate::redact::Redactor;
use std::io::{self, Write};
use std::sync::Arc;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// What is logged when nothing else is asked for.
///
/// The MCP SDK warns of every error answer, which the client has already been given.
/// A compilation of many seconds is no warning, and whoever waits for it has to know.
pub const DEFAULT_FILTER: &str = "warn,rmcp=error,abi_mcp::compiling=info";

/// Why the log could not be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The filter is not in the directive syntax.
    #[error("the log filter `{filter}` is not understood; expected directives such as `warn` or `abi_mcp=debug`")]
    Filter {
        /// As given.
        filter: String,
    },
    /// Another subscriber is there already.
    #[error("the log is already set up")]
    AlreadySet,
}

impl Error {
    /// A stable code for the kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Filter { .. } => "trace::filter",
            Self::AlreadySet => "trace::already_set",
        }
    }
}

/// How to log.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Directives such as `warn,abi_mcp=debug`; [`DEFAULT_FILTER`] when absent or blank.
    pub filter: Option<String>,
}

/// Installs the subscriber for the whole process; at most once.
///
/// # Errors
///
/// [`Error::Filter`] for a filter that cannot be read, [`Error::AlreadySet`] the second time.
pub fn init(options: &Options, redactor: Arc<Redactor>) -> Result<(), Error> {
    let subscriber = subscriber(options, Redacting { redactor, sink: io::stderr })?;
    tracing::subscriber::set_global_default(subscriber).map_err(|_| Error::AlreadySet)
}

fn subscriber<W, S>(options: &Options, writer: Redacting<S>) -> Result<impl tracing::Subscriber + Send + Sync, Error>
where
    W: Write,
    S: Fn() -> W + Send + Sync + 'static,
{
    let filter = options.filter.as_deref().map(str::trim).filter(|text| !text.is_empty()).unwrap_or(DEFAULT_FILTER);
    let filter = EnvFilter::try_new(filter).map_err(|_| Error::Filter { filter: filter.to_owned() })?;
    Ok(tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        // Colours need a feature that is not compiled in; asking for them without it is a panic.
        .with_ansi(false)
        .without_time()
        .finish())
}

/// Makes a writer per event that redacts before it writes.
struct Redacting<S> {
    redactor: Arc<Redactor>,
    sink: S,
}

impl<'a, W: Write, S: Fn() -> W> MakeWriter<'a> for Redacting<S> {
    type Writer = Line<'a, W>;

    fn make_writer(&'a self) -> Self::Writer {
        Line { redactor: &self.redactor, sink: (self.sink)(), text: Vec::new() }
    }
}

/// One event's text, collected whole: a secret split over two writes would otherwise slip through.
struct Line<'a, W: Write> {
    redactor: &'a Redactor,
    sink: W,
    text: Vec<u8>,
}

impl<W: Write> Write for Line<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8_lossy(&self.text);
        self.sink.write_all(one_line(&self.redactor.redact(&text)).as_bytes())?;
        self.text.clear();
        self.sink.flush()
    }
}

/// The event on one line: a line break in an app's name or a node's answer must not forge an entry of the log.
fn one_line(event: &str) -> String {
    let mut line = String::with_capacity(event.len() + 1);
    for letter in event.trim_end_matches('\n').chars() {
        match letter {
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                line.extend(letter.escape_default())
            }
            _ => line.push(letter),
        }
    }
    line.push('\n');
    line
}

impl<W: Write> Drop for Line<'_, W> {
    fn drop(&mut self) {
        if !self.text.is_empty() {
            // Nobody is left to tell when stderr itself is gone.
            let _ = self.flush();
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::redact::Secret;
    use std::sync::Mutex;

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The lines that work logs under a filter.
    pub(crate) fn logged(filter: Option<&str>, work: impl FnOnce()) -> String {
        let redactor = Arc::new(Redactor::new(None));
        redactor.learn(&Secret::new("FIXTURE-TOKEN"));
        let sink = Sink::default();
        let made = sink.clone();
        let options = Options { filter: filter.map(str::to_owned) };
        let subscriber = subscriber(&options, Redacting { redactor, sink: move || made.clone() }).unwrap();
        tracing::subscriber::with_default(subscriber, work);
        let bytes = sink.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn g04_no_log_line_shows_a_secret_at_any_level() {
        let text = logged(Some("trace"), || {
            tracing::trace!(url = "http://u:FIXTURE@h/x?token=FIXTURE", "sent FIXTURE-TOKEN");
            tracing::error!(header = ?"Bearer FIXTURE-TOKEN", "refused");
        });
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(!text.contains("FIXTURE") && text.contains("http://h/x") && text.contains("refused"), "{text}");
    }

    #[test]
    fn an_event_is_one_line_whatever_it_quotes() {
        let text = logged(None, || tracing::warn!("skipping {}", "org.bad\nWARN forged\r\u{2028}x"));
        assert_eq!(text.trim_start(), "WARN abi_mcp::trace::tests: skipping org.bad\\nWARN forged\\r\\u{2028}x\n");
    }

    #[test]
    fn only_warnings_and_errors_are_logged_by_default_and_without_colour_codes() {
        let text = logged(Some("  "), || {
            tracing::info!("quiet");
            tracing::warn!("loud");
        });
        assert!(text.contains("loud") && !text.contains("quiet") && !text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn a_filter_that_cannot_be_read_is_an_error_that_shows_it() {
        let options = Options { filter: Some("abi_mcp=shouting".to_owned()) };
        let error = init(&options, Arc::default()).unwrap_err();
        assert!(error.to_string().contains("abi_mcp=shouting"), "{error}");
        assert_eq!(error.code(), "trace::filter");
    }
}
