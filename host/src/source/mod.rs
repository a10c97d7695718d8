//! Where manifests come from: the apps a node has installed, with their guides, metadata and contexts, manifest
//! files whose functions an engine runs, and plugins that bring tools of their own.
//!
//! A source knows its ecosystem's words (URIs, instructions, how a context is named); the stages behind it work on
//! the plain [`App`] and [`Unit`] it hands out. It reads no ABI: a manifest is bytes to it.

mod app;
mod contexts;
mod file;
mod guide;
mod node;
mod resolve;
mod sources;

pub use crate::node::Error;
pub use app::{App, Origin, Unit, units_of};
pub use contexts::{Context, ContextMatch, base58_of, is_id};
pub use file::{FileError, ManifestFile};
#[cfg(test)]
pub(crate) use guide::guide_hash;
pub use guide::{procedures, uri as guide_uri, uri_template as guide_uri_template};
pub use node::{Call, NodeSource};
pub use resolve::{ResolveError, resolve};
pub use sources::{Found, ManifestError, Sources};

/// The family of apps a node serves, as its mappers name it.
pub const ECOSYSTEM: &str = "calimero";

/// What the model is told before it does anything; both eras, under 2,048 characters because clients cut there.
pub const INSTRUCTIONS: &str = "Calimero apps describe themselves. Do not read app source. To use an app: \
     list_applications, then describe_app to plan or select_app to act, then pass the returned app_handle on every \
     app tool call.";

/// The same of manifest files; follows their names.
const FILE_INSTRUCTIONS: &str = "functions are reached by search: find_tools with a few plain words answers the best \
     ones with signatures and example values, call runs one by name (method, args). They compute on the values you \
     pass, keep nothing, and need no app_handle.";

/// The same of extensions; follows their names, which are the operator's. Nothing of a plugin's own text stands here.
const EXTENSION_INSTRUCTIONS: &str = "are plugins whose tools begin with their name; call them directly, without an \
     app_handle, or by `call` (method, args) where they are not listed.";
