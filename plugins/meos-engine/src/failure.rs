//! Why a call failed, as the engine contract says it.

use crate::machine::{Machine, Refusal};

/// The longest message, in characters: a line to read, not a document.
const LONGEST: usize = 500;

/// Which part of a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// An argument could not be read; the function was not run.
    Arguments,
    /// The function itself refused or failed.
    Execution,
    /// The function ran, and its result could not be written down.
    Outcome,
}

/// A failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which part failed.
    pub stage: Stage,
    /// The argument to blame.
    pub argument: Option<String>,
    /// The name of MEOS' error code.
    pub code: Option<String>,
    /// One line.
    pub message: String,
}

impl Failure {
    /// An argument that is not what its place wants.
    pub(crate) fn argument(name: &str, message: impl Into<String>) -> Self {
        Self {
            stage: Stage::Arguments,
            argument: Some(name.to_owned()),
            code: None,
            message: one_line(&message.into()),
        }
    }

    /// A failure no argument is to blame for.
    pub(crate) fn at(stage: Stage, message: impl Into<String>) -> Self {
        Self { stage, argument: None, code: None, message: one_line(&message.into()) }
    }

    /// What the library said; `function` speaks where it said nothing.
    pub(crate) fn refused(machine: &impl Machine, stage: Stage, function: &str, refusal: &Refusal) -> Self {
        let said = one_line(&refusal.text);
        let message = if said.is_empty() { format!("`{function}` failed without a message") } else { said };
        let code = refusal.code.and_then(|code| machine.error_name(code));
        Self { stage, argument: None, code, message }
    }

    pub(crate) fn blame(self, name: &str) -> Self {
        Self { argument: Some(name.to_owned()), ..self }
    }
}

/// Words on one line, without control characters, of bearable length.
fn one_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", line.get(..cut).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_of_bearable_length() {
        assert_eq!(one_line("  a\n\tb\u{0}c \r\n"), "a b c");
        let long = one_line(&"é".repeat(2000));
        assert_eq!(long.chars().count(), LONGEST + 1);
    }
}
