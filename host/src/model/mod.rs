//! Plain types the stages hand to each other; needs no sibling, only `serde_json` and two small crates.
//!
//! Nothing here knows MCP, WebAssembly, files or an ecosystem: whatever crosses a wire, a disk or a component's
//! boundary has types of its own there and is converted at the border.

mod call;
mod engine;
mod extension;
mod failure;
mod grants;
mod mapping;
mod tool;
mod version;

pub use call::{CallScope, Cancel, Cancelled, ProgressReport, ProgressSink};
pub use engine::{EngineAbout, EngineFailure, Stage, Unsupported};
pub use extension::{ExtensionClass, ExtensionFailure, ExtensionReply};
pub use failure::{Class, Explanation, Failure, GuestFailure, HttpFailure, Retry};
pub use grants::{DirectoryGrant, Extent, Grants};
pub use mapping::{
    Access, CallSpec, Encoded, Fault, Fit, MapOptions, Mapping, Method, Note, Parameter, Problem, Recognition, Role,
    Skipped,
};
pub use tool::{Annotations, Content, Resource, ResourceContents, ResourceTemplate, ToolDefinition, ToolReply};
pub use version::{ContractVersion, PluginRelease, ProtocolRevision, SubjectVersion};

/// A JSON object; members keep the order they were written in.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
