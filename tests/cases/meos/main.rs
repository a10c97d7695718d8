//! MEOS through the real binary: the real engine, a catalog, and answers that are known to be right.
//!
//! The engine and the catalog are built by `cargo xtask engine`; where they are not there each test says so and passes.
//! Tests named `bNN_` or `cNN_` are the field cases of that number.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]
#![allow(clippy::print_stdout, reason = "figures are shown, and what was skipped")]

mod checked;
mod expect;
mod field_cases;
mod parts;
mod questions;
mod samples;
mod start;
mod sweep;
