//! The tools of configured extensions as the operator accepted them, so that a start asks no extension anything.
//!
//! In comes the lock, out come tools for a list, and whether what an extension lists now is what was accepted.

use super::lock::{Lock, LockedTool};
use super::{Digest, Plugin, definition};
use crate::model::Mapping;
use std::collections::BTreeMap;

/// Accepted tools by the plugin's name and digest: another build of that name may have others.
#[derive(Debug, Clone, Default)]
pub(super) struct AcceptedTools(BTreeMap<(String, Digest), Vec<LockedTool>>);

impl AcceptedTools {
    /// Those of each plugin that brings some.
    pub(super) fn of(lock: &Lock) -> Self {
        let accepted = lock.names().filter_map(|name| Some((name, lock.get(name)?)));
        let with_tools = accepted.filter(|(_, locked)| !locked.tools.is_empty());
        Self(with_tools.map(|(name, locked)| ((name.to_owned(), locked.digest), locked.tools.clone())).collect())
    }

    /// An extension's tools; absent where it was not accepted with any, or they cannot be read.
    pub(super) fn tools(&self, extension: &Plugin) -> Option<Mapping> {
        let locked = self.get(extension)?.iter();
        let definitions: Vec<_> = locked.map(|tool| (tool.name.clone(), tool.definition.clone())).collect();
        let name = extension.name();
        let read = definition::tools(&definitions);
        read.inspect_err(|error| tracing::warn!("the accepted tools of `{name}` cannot be read: {error}")).ok()
    }

    /// Whether an extension lists exactly what was accepted, in the same order.
    pub(super) fn are(&self, extension: &Plugin, listed: &Mapping) -> bool {
        let accepted = self.get(extension).map_or(&[][..], Vec::as_slice);
        let accepted = accepted.iter().map(|tool| (tool.name.as_str(), &tool.definition));
        let listed = definition::definitions(listed);
        listed.iter().map(|(name, definition)| (name.as_str(), definition)).eq(accepted)
    }

    fn get(&self, extension: &Plugin) -> Option<&Vec<LockedTool>> {
        self.0.get(&(extension.name().to_owned(), *extension.digest()))
    }
}
