//! The one process-wide list of apps and their methods.
//!
//! Read from a source, mapped by components, named and narrowed for the model; the same for every connection. Knows
//! no protocol and no ecosystem.
//!
//! A read goes: source rows -> units -> manifest -> select a mapper -> [`mapped`] -> [`snapshot`] (names, budget,
//! descriptions) -> published if the [`fingerprint`] changed.

pub mod budget;
mod chosen;
mod describe;
mod fingerprint;
mod gaps;
mod listing;
mod load;
pub mod mapped;
mod naming;
mod read;
pub mod refresh;
mod renew;
pub mod search;
mod slug;
mod snapshot;

pub use chosen::Chosen;
pub(crate) use describe::full_text;
pub use gaps::reasons;
pub(crate) use listing::definition;
pub use load::LoadError;
pub use read::{Catalog, Settings};
pub use snapshot::{CatalogUnit, Snapshot};

/// The argument that carries the handle; never reaches the application.
pub const HANDLE_ARGUMENT: &str = "app_handle";

/// The argument that targets a context; never reaches the application, unless the method declares it itself.
pub const CONTEXT_ARGUMENT: &str = "_context";
