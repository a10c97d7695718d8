//! The findings as one text for the model.

use super::ArgumentProblem;
use std::fmt::Write;

/// One line a problem, then the signature, so that the next call can be right without another look-up.
///
/// ```text
/// The arguments do not fit, and nothing was called:
/// - `p.inner[3]`: expected an integer, 0 or more; found the string "x"
/// - `valeu`: expected one of the arguments `key`, `value` (did you mean `value`?); found another name
///
/// [mut] set(key: string, value?: string) -> unit
/// ```
pub(crate) fn render(problems: &[ArgumentProblem], signature: &str) -> String {
    let mut text = "The arguments do not fit, and nothing was called:".to_owned();
    for problem in problems {
        let at = if problem.at.is_empty() { "arguments" } else { &problem.at };
        // Writing to a text cannot fail.
        let _ = write!(text, "\n- `{at}`: expected {}; found {}", problem.expected, problem.found);
    }
    if !signature.is_empty() {
        let _ = write!(text, "\n\n{signature}");
    }
    text
}
