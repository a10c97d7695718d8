//! Field cases of the transport (kind E), against the real binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use abi_mcp_tests::{FakeNode, Spawn};
use std::time::Duration;

#[test]
fn e02_a_closed_stdin_ends_an_idle_server() {
    let node = FakeNode::with(Vec::new());
    let mut client = Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp")).node(node.url()).connect();
    client.close_stdin();
    let (status, _) = client.wait(Duration::from_secs(10));
    assert!(status.success(), "{status}");
}
