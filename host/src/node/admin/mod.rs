//! The node's admin API, one file per area.
//!
//! Each file holds its area's wire types (private) and the methods of [`Session`](super::Session) that send them.
//! Rows that a tool shows whole keep every field as it came, known or not; the fields this program acts on are read
//! out beside them, leniently, because older nodes and raw-wasm apps leave many of them out.

pub(super) mod abi;
pub(super) mod aliases;
pub(super) mod applications;
pub(super) mod blobs;
pub(super) mod contexts;
pub(super) mod groups;
pub(super) mod health;
pub(super) mod namespaces;
pub(super) mod packages;
mod paging;
mod row;
