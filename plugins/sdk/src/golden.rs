//! Golden tests: a folder of cases holds a mapper's answers to files.
//!
//! A case is a folder. In it, each optional:
//!
//! | file | who writes it | what it holds |
//! | --- | --- | --- |
//! | `manifest.json` | you | a manifest |
//! | `expected.json` | `BLESS=1` | what the mapper says of it: recognition, methods, skipped, notes |
//! | `calls.json` | you, completed by `BLESS=1` | calls: `{"method", "arguments"}` or `{"method", "result"}`, and their outcome |
//! | `failures.json` | you, completed by `BLESS=1` | failures for an error decoder, and their explanation |
//!
//! `BLESS=1 cargo test` writes what is missing or differs; read the diff before committing it. Without it a
//! difference fails the test and prints the command. Adding a case adds no code.

mod case;
mod print;

use crate::{ErrorDecoder, Mapper};
use std::path::Path;

/// Checks every case below `folder` against the mapper `M`, or rewrites the answers when `BLESS=1` is set.
///
/// Give the folder relative to the crate, as `cargo test` runs there.
///
/// # Panics
///
/// When an answer differs from its file, a file is missing or unreadable, or there is no case at all: the message
/// lists each case and ends with the command that accepts the new answers.
pub fn check_mapper<M: Mapper>(folder: impl AsRef<Path>) {
    case::run(folder.as_ref(), blessing(), |case| {
        case.check_mapping::<M>();
        case.check_calls::<M>();
    });
}

/// Checks the `failures.json` of every case below `folder` against the decoder `D`, as [`check_mapper`] does.
///
/// # Panics
///
/// As [`check_mapper`].
pub fn check_errors<D: ErrorDecoder>(folder: impl AsRef<Path>) {
    case::run(folder.as_ref(), blessing(), |case| case.check_failures::<D>());
}

fn blessing() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

#[cfg(test)]
mod tests;
