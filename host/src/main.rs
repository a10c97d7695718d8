//! The binary: arguments in, exit code out.

fn main() -> std::process::ExitCode {
    abi_mcp::cli::run()
}
