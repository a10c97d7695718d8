//! Golden tests: a folder of cases holds a plugin's answers to files, on the author's own machine.
//!
//! The harness, the files of a case and their form are `abi-mcp-golden`'s (`golden/` of this repository);
//! `abi-mcp plugin test` holds the built component to the very same files. Here the subject is the author's own code.
//!
//! `BLESS=1 cargo test` writes what is missing or differs; read the diff before committing it. Without it a
//! difference fails the test and prints the command. Adding a case adds no code.

mod subject;

use crate::{ErrorDecoder, Mapper};
use abi_mcp_golden::{Subject, run};
use std::path::Path;
use subject::{OfDecoder, OfMapper};

/// Checks every case below `folder` against the mapper `M`, or rewrites the answers when `BLESS=1` is set.
///
/// Give the folder relative to the crate, as `cargo test` runs there.
///
/// # Panics
///
/// When an answer differs from its file, a file is missing or unreadable, or there is no case at all: the message
/// lists each case and ends with the command that accepts the new answers.
pub fn check_mapper<M: Mapper>(folder: impl AsRef<Path>) {
    check(folder.as_ref(), &mut OfMapper::<M>::new(), blessing());
}

/// Checks the `failures.json` of every case below `folder` against the decoder `D`, as [`check_mapper`] does.
///
/// # Panics
///
/// As [`check_mapper`].
pub fn check_errors<D: ErrorDecoder>(folder: impl AsRef<Path>) {
    check(folder.as_ref(), &mut OfDecoder::<D>::new(), blessing());
}

#[expect(clippy::panic, reason = "a test harness speaks by panicking")]
fn check(folder: &Path, subject: &mut dyn Subject, bless: bool) {
    if let Some(failure) = run(folder, subject, bless).failure() {
        panic!("{failure}\n");
    }
}

fn blessing() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

#[cfg(test)]
mod tests;
