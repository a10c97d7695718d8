//! A server with the tests' fake service on stdin and stdout, to drive the protocol edge with real clients.
//!
//! `cargo run --example mcp_fake`, then speak MCP to it. Not part of the product.

use abi_mcp::{mcp, model};
use std::process::ExitCode;
use std::sync::Arc;

#[path = "../src/mcp/tests/fake.rs"]
#[allow(dead_code, missing_docs, unreachable_pub, clippy::panic)]
mod fake;

fn main() -> ExitCode {
    let Ok(runtime) = tokio::runtime::Builder::new_multi_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    let service = Arc::new(fake::Fake::default());
    let outcome = runtime.block_on(mcp::serve(service, mcp::Io::stdio(), mcp::Limits::default(), mcp::signals()));
    // Tasks that ignore the end must not hold it up.
    runtime.shutdown_background();
    match outcome {
        mcp::Outcome::InputClosed | mcp::Outcome::OutputClosed => ExitCode::SUCCESS,
        mcp::Outcome::Stopped(mcp::Stop::Interrupt) => ExitCode::from(130),
        mcp::Outcome::Stopped(mcp::Stop::Terminate) => ExitCode::from(143),
        _ => ExitCode::FAILURE,
    }
}
