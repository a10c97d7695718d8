//! The contracts this host speaks: one adapter for each contract version, all of them onto `model`.
//!
//! In comes a compiled component, out comes something that answers to [`Mapper`], [`Decoder`], [`Engine`] or [`Extension`],
//! whichever version of the contract it was built for. An adapter only converts; what a mapper must keep to besides its types is
//! checked once, in [`accept`]. With `sandbox` this is the only user of `wasmtime`.
//!
//! A component that states none of them is [`plain`]. A new contract version is one new adapter file (`mapper_0_2.rs`) and one new row in [`supported::CONTRACTS`].

mod accept;
mod engine_0_1;
mod errors_0_1;
mod mapper_0_1;
mod plain;
pub mod supported;
mod tool_0_1;

use crate::model::{
    CallSpec, Encoded, EngineAbout, EngineFailure, Explanation, ExtensionFailure, ExtensionReply, Failure, Fault,
    MapOptions, Method, Note, Problem, Recognition, Skipped, Unsupported,
};
use crate::sandbox::{Error, GuestStore, Reach};

pub use accept::Breach;
pub(crate) use accept::{
    accept_decoded, accept_encoded, accept_executed, accept_mapping, accept_recognition, accept_reply, accept_tools,
    accept_unsupported,
};
pub(crate) use plain::functions as plain_functions;

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

    /// The manifest's tools in a format of the ecosystem's own, where the mapper writes one.
    fn project(
        &self,
        store: &mut GuestStore,
        manifest: &[u8],
        format: &str,
        settings: &str,
    ) -> Result<Projected, Error>;
}

/// What came of asking for a tool manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projected {
    /// The file's bytes.
    Written(Vec<u8>),
    /// The mapper refused the manifest.
    Refused(Fault),
    /// The mapper writes other formats, which are these.
    UnknownFormat(Vec<String>),
    /// The mapper writes none.
    None,
}

/// An error decoder, linked and ready to be instantiated.
pub(crate) trait Decoder: Send + Sync {
    /// A failure in words; `None` when it knows nothing of it.
    fn explain(&self, store: &mut GuestStore, failure: &Failure) -> Result<Option<Explanation>, Error>;
}

/// An engine, linked and ready to be instantiated. Each function makes one fresh instance.
pub(crate) trait Engine: Send + Sync {
    /// What it is.
    fn describe(&self, store: &mut GuestStore) -> Result<EngineAbout, Error>;

    /// The call-specs it cannot run; `None` when one of them is of a format it does not read at all.
    fn supported(&self, store: &mut GuestStore, specs: &[CallSpec]) -> Result<Option<Vec<Unsupported>>, Error>;

    /// Runs one call; answers the result as JSON text, `None` for nothing.
    fn execute(
        &self,
        store: &mut GuestStore,
        spec: &CallSpec,
        arguments: &str,
    ) -> Result<Result<Option<String>, EngineFailure>, Error>;
}

/// A tool extension, linked with what it was granted and ready to be instantiated. Each function makes one fresh
/// instance and ends with the store's deadline even while the guest waits for the outside world.
pub(crate) trait Extension: Send + Sync {
    /// Its tools, their schemas still text.
    fn list(&self, store: &mut GuestStore<Reach>) -> Result<DraftTools, Error>;

    /// Calls one of them by its own name; `arguments` is JSON text.
    fn call(
        &self,
        store: &mut GuestStore<Reach>,
        name: &str,
        arguments: &str,
    ) -> Result<Result<ExtensionReply, ExtensionFailure>, Error>;
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

/// What an extension listed, before anyone has looked at its JSON.
#[derive(Debug)]
pub(crate) struct DraftTools {
    pub(crate) tools: Vec<DraftMethod>,
    /// What the adapter cannot make a tool of.
    pub(crate) skipped: Vec<Skipped>,
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
