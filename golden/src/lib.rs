//! Golden cases: a folder of files holds a plugin's answers, whether the plugin runs as plain Rust or as a component.
//!
//! In come a folder of cases and a [`Subject`], out comes what differs, or with `bless` the files as they are now. The SDK
//! implements [`Subject`] over an author's own types, `abi-mcp plugin test` over a component in the sandbox; both read,
//! compare and write the same files here. It knows no component, no binding and no ecosystem.
//!
//! A case is a folder. In it, each optional:
//!
//! | file | who writes it | what it holds |
//! | --- | --- | --- |
//! | `manifest.json` | you | a manifest for a mapper |
//! | `expected.json` | blessing | what the mapper says of it: recognition, methods, skipped, notes |
//! | `calls.json` | you, completed by blessing | calls and their outcome, see below |
//! | `failures.json` | you, completed by blessing | failures for an error decoder, and their explanation |
//! | `settings.json` | you | what an extension finds: `config`, `environment`, `directories` |
//! | `tools.json` | blessing | the tools an extension lists under these settings |
//!
//! A call is `{"method", "arguments"}` or `{"method", "result"}` for a mapper, `{"tool", "arguments"}` for an extension. A
//! key that is none of these is an error that names its file.

mod calls;
mod case;
mod difference;
mod document;
mod failures;
mod print;
mod run;
mod settings;
mod subject;

pub use document::Document;
pub use run::{Outcome, run};
pub use settings::Settings;
pub use subject::{
    CallSpec, Called, Decoder, Encoded, Explanation, Extension, Failure, Fault, GuestFailure, HttpFailure, Mapper,
    Mapping, Method, Note, Parameter, Problem, Recognition, Skipped, Stopped, Subject, Tool, Tools,
};

#[cfg(test)]
mod tests;
