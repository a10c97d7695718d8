//! Groups: a namespace is a group without a parent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Identity, World, now_ms};
use crate::ids::Id;

/// One group.
pub(crate) struct Group {
    /// The namespace or group above; none for a namespace.
    pub(crate) parent: Option<Id>,
    /// What its contexts run.
    pub(crate) application: Id,
    /// The key of the application's version.
    pub(crate) app_key: Id,
    /// The version of that key.
    pub(crate) app_version: Option<String>,
    /// Seconds since 1970.
    pub(crate) created_at: u64,
    /// By account.
    pub(crate) members: BTreeMap<Id, Member>,
    /// The capability bits of new members.
    pub(crate) default_capabilities: u32,
    /// `open` or `restricted`.
    pub(crate) visibility: String,
    /// Name and free data.
    pub(crate) metadata: Option<Metadata>,
    /// The same for contexts of the group.
    pub(crate) context_metadata: BTreeMap<Id, Metadata>,
}

/// One member of a group.
pub(crate) struct Member {
    /// What it may do.
    pub(crate) role: Role,
    /// Capability bits.
    pub(crate) capabilities: u32,
    /// Name and free data.
    pub(crate) metadata: Option<Metadata>,
}

/// The role of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Role {
    /// Everything.
    Admin,
    /// Reads and writes.
    Member,
    /// Reads.
    ReadOnly,
    /// Reads, in an enclave.
    ReadOnlyTee,
}

/// Name and free data of a group, member or context.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Metadata {
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Pairs of text.
    pub(crate) data: BTreeMap<String, String>,
    /// Milliseconds since 1970.
    pub(crate) updated_at: u64,
    /// The key of the writer.
    pub(crate) updated_by: String,
}

impl Metadata {
    /// Written now, by this node.
    pub(crate) fn new(name: Option<String>, data: BTreeMap<String, String>) -> Self {
        Self { name, data, updated_at: now_ms(), updated_by: Identity::key().base58() }
    }
}

impl Group {
    /// The name, if it has one.
    pub(crate) fn name(&self) -> Option<&str> {
        self.metadata.as_ref().and_then(|metadata| metadata.name.as_deref())
    }

    /// Whether `account` is the only admin.
    pub(crate) fn is_last_admin(&self, account: &Id) -> bool {
        let admins = self.members.iter().filter(|(_, member)| member.role == Role::Admin);
        self.members.get(account).is_some_and(|member| member.role == Role::Admin) && admins.count() == 1
    }
}

impl World {
    /// Makes a namespace, or a group below `parent`; `None` for an unknown application or parent.
    pub(crate) fn create_group(&mut self, application: Id, parent: Option<Id>, name: Option<String>) -> Option<Id> {
        let current = &self.applications.get(&application)?.current;
        if parent.is_some_and(|parent| !self.groups.contains_key(&parent)) {
            return None;
        }
        let app_key = Id::of(&[b"app key", current.bytecode().bytes()]);
        let app_version = current.version.clone();
        let admin = Member { role: Role::Admin, capabilities: 0, metadata: None };
        let group = Group {
            parent,
            application,
            app_key,
            app_version,
            created_at: now_ms() / 1000,
            members: BTreeMap::from([(Identity::account(), admin)]),
            default_capabilities: if parent.is_none() { 4 } else { 0 },
            visibility: "restricted".into(),
            metadata: name.map(|name| Metadata::new(Some(name), BTreeMap::new())),
            context_metadata: BTreeMap::new(),
        };
        let id = self.fresh("group");
        self.groups.insert(id, group);
        Some(id)
    }

    /// The groups directly below `parent`.
    pub(crate) fn subgroups(&self, parent: &Id) -> impl Iterator<Item = (&Id, &Group)> {
        self.groups.iter().filter(move |(_, group)| group.parent == Some(*parent))
    }

    /// Removes a group with everything below and in it; tells whether it was there.
    pub(crate) fn delete_group(&mut self, id: &Id) -> bool {
        let below: Vec<Id> = self.subgroups(id).map(|(id, _)| *id).collect();
        for group in below {
            self.delete_group(&group);
        }
        let inside: Vec<Id> = self.contexts_of(id).map(|(id, _)| *id).collect();
        for context in inside {
            self.delete_context(&context);
        }
        self.groups.remove(id).is_some()
    }

    /// Moves a group and its contexts to what `application` is now; `None` for an unknown group or application.
    pub(crate) fn upgrade_group(&mut self, id: &Id, application: Id) -> Option<()> {
        let current = std::sync::Arc::clone(&self.applications.get(&application)?.current);
        let group = self.groups.get_mut(id)?;
        group.application = application;
        group.app_key = Id::of(&[b"app key", current.bytecode().bytes()]);
        group.app_version.clone_from(&current.version);
        for context in self.contexts.values_mut().filter(|context| context.group == *id) {
            context.application = application;
            context.app = std::sync::Arc::clone(&current);
        }
        Some(())
    }
}
