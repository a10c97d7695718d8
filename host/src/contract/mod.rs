//! The contracts this host speaks: one adapter for each contract version, all of them onto `model`.
//!
//! In comes a compiled component, out comes something that answers to [`Mapper`] or [`Decoder`], whichever version
//! of the contract it was built for. An adapter only converts; what a mapper must keep to besides its types is
//! checked once, in [`accept`]. With `sandbox` this is the only user of `wasmtime`.
//!
//! A new contract version is one new adapter file (`mapper_0_2.rs`) and one new row in [`supported::CONTRACTS`].

mod accept;
mod errors_0_1;
mod mapper_0_1;
pub mod supported;

use crate::model::{Encoded, Explanation, Failure, Fault, MapOptions, Method, Note, Problem, Recognition, Skipped};
use crate::sandbox::{Error, GuestStore};

pub use accept::Breach;
pub(crate) use accept::{accept_decoded, accept_encoded, accept_mapping, accept_recognition};

/// A mapper, linked and ready to be instantiated; the contract version is behind it.
///
/// Each function makes one fresh instance in the store it is given. They block, so they run on a sandbox worker.
pub(crate) trait Mapper: Send + Sync {
    /// Whether it understands a manifest.
    fn recognise(&self, store: &mut GuestStore, manifest: &[u8]) -> Result<Option<Recognition>, Error>;

    /// The manifest's methods, then their signatures from the same instance.
    fn map(
        &self,
        store: &mut GuestStore,
        manifest: &[u8],
        options: MapOptions,
    ) -> Result<Result<DraftMapping, Fault>, Error>;

    /// One call's arguments as the backend takes them.
    fn encode(
        &self,
        store: &mut GuestStore,
        plan: &[u8],
        arguments: String,
    ) -> Result<Result<Encoded, Vec<Problem>>, Error>;

    /// One call's result as the output schema describes it.
    fn decode(&self, store: &mut GuestStore, plan: &[u8], value: String)
    -> Result<Result<String, Vec<Problem>>, Error>;
}

/// An error decoder, linked and ready to be instantiated.
pub(crate) trait Decoder: Send + Sync {
    /// A failure in words; `None` when it knows nothing of it.
    fn explain(&self, store: &mut GuestStore, failure: &Failure) -> Result<Option<Explanation>, Error>;
}

/// What a mapper handed over, before anyone has looked at its JSON.
#[derive(Debug)]
pub(crate) struct DraftMapping {
    pub(crate) methods: Vec<DraftMethod>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) notes: Vec<Note>,
    /// One for each method, if the mapper kept its word.
    pub(crate) signatures: Result<Vec<String>, Fault>,
}

/// One method whose schemas and metadata are still text.
#[derive(Debug)]
pub(crate) struct DraftMethod {
    /// Everything that needs no reading; its schemas, metadata and signature are empty.
    pub(crate) method: Method,
    pub(crate) input_schema: String,
    pub(crate) output_schema: Option<String>,
    pub(crate) meta: Option<String>,
}
