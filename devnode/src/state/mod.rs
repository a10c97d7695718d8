//! Everything the node remembers.
//!
//! One [`World`] behind one lock: applications, groups (a namespace is a group without a parent), contexts, blobs and
//! aliases. Rules that several routes share live here; shapes of answers and HTTP do not.

mod applications;
mod contexts;
mod groups;

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) use applications::Installed;
pub(crate) use contexts::{Context, CreateFault, NewContext, crate_name};
pub(crate) use groups::{Group, Member, Metadata, Role};

use crate::app::App;
use crate::ids::Id;

/// All state of a node.
#[derive(Default)]
pub(crate) struct World {
    /// Installed applications.
    pub(crate) applications: BTreeMap<Id, Installed>,
    /// What can be installed.
    pub(crate) registry: Vec<App>,
    /// Namespaces and their subgroups.
    pub(crate) groups: BTreeMap<Id, Group>,
    /// Contexts.
    pub(crate) contexts: BTreeMap<Id, Context>,
    /// Blobs that clients put; those of applications are made from the applications.
    pub(crate) blobs: BTreeMap<Id, Vec<u8>>,
    /// Aliases of contexts.
    pub(crate) context_aliases: BTreeMap<String, Id>,
    /// Aliases of applications.
    pub(crate) application_aliases: BTreeMap<String, Id>,
    serial: u64,
}

/// Which kind of thing an alias stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AliasKind {
    /// A context.
    Context,
    /// An application.
    Application,
}

impl World {
    /// An empty node that can install these.
    pub(crate) fn with_registry(registry: Vec<App>) -> Self {
        Self { registry, ..Self::default() }
    }

    /// The aliases of one kind.
    pub(crate) fn aliases(&mut self, kind: AliasKind) -> &mut BTreeMap<String, Id> {
        match kind {
            AliasKind::Context => &mut self.context_aliases,
            AliasKind::Application => &mut self.application_aliases,
        }
    }

    /// A new id, the same in every run that does the same things in the same order.
    fn fresh(&mut self, what: &str) -> Id {
        self.serial += 1;
        Id::of(&[what.as_bytes(), &self.serial.to_be_bytes()])
    }

    /// The next key for `POST /identity/context`.
    pub(crate) fn fresh_key(&mut self) -> Id {
        self.fresh("context key")
    }
}

/// Who this node is. All nodes started here are the same one.
pub(crate) struct Identity;

impl Identity {
    /// The signing key, shown as a context's member.
    pub(crate) fn key() -> Id {
        Id::digest(b"development node signing key")
    }

    /// The account, shown as a group's member.
    pub(crate) fn account() -> Id {
        Id::digest(b"development node account")
    }

    /// The device of the account.
    pub(crate) fn device() -> Id {
        Id::digest(b"development node device")
    }

    /// The root key of the account.
    pub(crate) fn root() -> Id {
        Id::digest(b"development node account root")
    }
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}
