//! The component's answers, held to files; `BLESS=1 cargo test` writes what changed.

use abi_mcp_sdk::golden;
use meos::Meos;

#[test]
fn catalogs_map_as_their_golden_files_say() {
    golden::check_mapper::<Meos>("tests/golden");
}

#[test]
fn failures_read_as_their_golden_files_say() {
    golden::check_errors::<Meos>("tests/golden");
}
