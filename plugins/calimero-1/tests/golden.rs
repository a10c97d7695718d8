//! The component's answers, held to files; `BLESS=1 cargo test` writes what changed.

use abi_mcp_sdk::golden;
use calimero_1::Calimero1;

#[test]
fn manifests_map_and_calls_encode_as_their_golden_files_say() {
    golden::check_mapper::<Calimero1>("tests/golden");
}

#[test]
fn failures_read_as_their_golden_files_say() {
    golden::check_errors::<Calimero1>("tests/golden");
}
