//! Exit codes.

use crate::mcp::{Outcome, Stop};
use std::process::ExitCode;

/// The code a served session ends with: 0 when either side closed it, 128 and the signal's number when the operator
/// stopped it, as shells report it, 1 when it never began.
pub(crate) fn code(outcome: &Outcome) -> ExitCode {
    match outcome {
        Outcome::Stopped(Stop::Interrupt) => ExitCode::from(130),
        Outcome::Stopped(Stop::Terminate) => ExitCode::from(143),
        Outcome::NotStarted(error) => {
            eprintln!("error: cannot start the threads that read and write: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
