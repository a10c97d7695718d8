//! The mapper and error decoder for apps built with Calimero toolchains 0.x (generations G0 to G4).
//!
//! A component of two roles and no imports; everything it does is `abi_mcp_calimero`.

use abi_mcp_calimero::{Toolchain, encode, explain};
use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{
    Encoded, ErrorDecoder, Explanation, Failure, Fault, Mapper, Mapping, Options, Problem, Recognition, export_errors,
    export_mapper,
};

/// Toolchains 0.x.
pub struct Calimero0;

impl Mapper for Calimero0 {
    fn recognise(manifest: &[u8]) -> Option<Recognition> {
        Toolchain::V0.recognise(manifest)
    }

    // Handlers and timers are mapped either way: the host lists by role.
    fn map(manifest: &[u8], _options: &Options) -> Result<Mapping, Fault> {
        Toolchain::V0.map(manifest)
    }

    fn encode(plan: &[u8], arguments: Value) -> Result<Encoded, Vec<Problem>> {
        encode(plan, &arguments)
    }
}

impl ErrorDecoder for Calimero0 {
    fn decode(failure: &Failure) -> Option<Explanation> {
        explain(failure)
    }
}

export_mapper!(Calimero0);
export_errors!(Calimero0);
