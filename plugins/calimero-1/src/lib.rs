//! The mapper and error decoder for apps built with Calimero toolchains 1.x (generation G5).
//!
//! A component of two roles and no imports; everything it does is `abi_mcp_calimero`.

use abi_mcp_calimero::{Toolchain, encode, explain};
use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{
    Encoded, ErrorDecoder, Explanation, Failure, Fault, Mapper, Mapping, Options, Problem, Recognition, export_errors,
    export_mapper,
};

/// Toolchains 1.x.
pub struct Calimero1;

impl Mapper for Calimero1 {
    fn recognise(manifest: &[u8]) -> Option<Recognition> {
        Toolchain::V1.recognise(manifest)
    }

    // Handlers and timers are mapped either way: the host lists by role.
    fn map(manifest: &[u8], _options: &Options) -> Result<Mapping, Fault> {
        Toolchain::V1.map(manifest)
    }

    fn encode(plan: &[u8], arguments: Value) -> Result<Encoded, Vec<Problem>> {
        encode(plan, &arguments)
    }
}

impl ErrorDecoder for Calimero1 {
    fn decode(failure: &Failure) -> Option<Explanation> {
        explain(failure)
    }
}

export_mapper!(Calimero1);
export_errors!(Calimero1);
