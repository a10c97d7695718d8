//! The component's answers, held to files; `BLESS=1 cargo test` writes what changed.

use abi_mcp_sdk::golden;
use formulas::Formulas;

#[test]
fn sheets_map_as_their_golden_files_say() {
    golden::check_mapper::<Formulas>("tests/golden");
}

#[test]
fn failures_read_as_their_golden_files_say() {
    golden::check_errors::<Formulas>("tests/golden");
}
