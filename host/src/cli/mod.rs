//! The command line: the only part besides `main` that prints, reads the environment, or decides an exit code.
//!
//! stdout belongs to one owner a command: `serve` writes protocol frames there, every other command its data. All
//! else goes to stderr.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the command line is what prints")]

mod accept;
mod args;
mod check;
mod compile;
mod demo;
mod doctor;
mod environment;
mod exit;
mod inspect;
mod new;
mod plugin;
mod project;
mod serve;
mod stats;
mod test;

pub use args::run;
