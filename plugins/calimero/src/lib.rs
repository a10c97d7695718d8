//! The Calimero application ABI, for the mappers of all its toolchains.
//!
//! `wasm-abi/1` has kept its name through six generations of emitters that differ in what they say and, in one
//! quirk, in what they mean. Everything they share is here; `calimero-0` and `calimero-1` are thin components that
//! say which [`Toolchain`] they stand for. Data flows `manifest` → `types`, `table` → `schema`, `signature`, `plan`
//! on the way out, and `plan` → `encode` on the way back in; `errors` turns a node's failures into words.
//!
//! It knows nothing of MCP, of tool names or of how a node is reached.

mod bytes;
mod encode;
mod errors;
mod generation;
mod manifest;
mod map;
mod plan;
mod schema;
mod signature;
mod table;
mod types;

use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{Encoded, Explanation, Failure, Fault, Mapping, Problem, Recognition};
pub use generation::Generation;

/// A major release of Calimero's toolchain, which a mapper stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolchain {
    /// 0.x, generations G0 to G4.
    V0,
    /// 1.x, generation G5.
    V1,
}

impl Toolchain {
    /// Whether a manifest of this generation was written by this toolchain.
    #[must_use]
    pub fn wrote(self, generation: Generation) -> bool {
        (generation == Generation::G5) == (self == Self::V1)
    }

    /// Whether `{Enum}_{Variant}` records with numbered fields stand for tuples.
    ///
    /// Toolchain 0.x has no other way to say it. 1.x writes a tuple, and there such a record is what it says.
    fn writes_tuple_variants_as_records(self, generation: Generation) -> bool {
        self == Self::V0 || generation < Generation::G5
    }

    /// [`abi_mcp_sdk::Mapper::recognise`] for this toolchain.
    #[must_use]
    pub fn recognise(self, manifest: &[u8]) -> Option<Recognition> {
        map::recognise(manifest, self)
    }

    /// [`abi_mcp_sdk::Mapper::map`] for this toolchain.
    ///
    /// # Errors
    ///
    /// When this is no `wasm-abi/1` manifest, one without methods, or one over 4 MiB.
    pub fn map(self, manifest: &[u8]) -> Result<Mapping, Fault> {
        map::map(manifest, self)
    }
}

/// [`abi_mcp_sdk::Mapper::encode`]: text forms of bytes become what a node takes.
///
/// # Errors
///
/// Up to twenty problems with their paths.
pub fn encode(plan: &[u8], arguments: &Value) -> Result<Encoded, Vec<Problem>> {
    encode::encode(plan, arguments)
}

/// [`abi_mcp_sdk::ErrorDecoder::decode`] for a node of any release.
#[must_use]
pub fn explain(failure: &Failure) -> Option<Explanation> {
    errors::explain(failure)
}
