//! The component's answers, held to files; `BLESS=1 cargo test` writes what changed.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use abi_mcp_sdk::{Mapper, Options, golden};
use formulas::Formulas;

const README: &str = include_str!("../README.md");

#[test]
fn sheets_map_as_their_golden_files_say() {
    golden::check_mapper::<Formulas>("tests/golden");
}

#[test]
fn failures_read_as_their_golden_files_say() {
    golden::check_errors::<Formulas>("tests/golden");
}

#[test]
fn the_sheet_of_the_readme_is_mapped_whole() {
    let (_, after) = README.split_once("```json\n").unwrap();
    let (sheet, _) = after.split_once("```").unwrap();
    assert!(Formulas::recognise(sheet.as_bytes()).is_some());
    let mapping = Formulas::map(sheet.as_bytes(), &Options::default()).unwrap();
    let signatures: Vec<&str> = mapping.methods.iter().map(|method| method.signature.as_str()).collect();
    assert_eq!(
        signatures,
        ["body_mass_index(mass: kg, height: m) -> kg/m2", "weight(mass: kg, gravity: m/s2 = 9.80665) -> N"]
    );
    assert!(mapping.skipped.is_empty() && mapping.notes.is_empty(), "{:?} {:?}", mapping.skipped, mapping.notes);
}
