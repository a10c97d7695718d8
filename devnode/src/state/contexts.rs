//! Contexts: one running instance of an application in a group.

use std::sync::Arc;

use super::{Group, Identity, World};
use crate::app::{App, GuestState, Service};
use crate::guest;
use crate::ids::Id;
use crate::setup::GuestErrorText;

/// One context.
pub(crate) struct Context {
    /// The group it lives in.
    pub(crate) group: Id,
    /// Its application.
    pub(crate) application: Id,
    /// The version it runs; outlives an uninstallation.
    pub(crate) app: Arc<App>,
    /// The service, for an application with several.
    pub(crate) service: Option<String>,
    /// A name for people.
    pub(crate) name: Option<String>,
    /// Keys of its members.
    pub(crate) members: Vec<Id>,
    /// What the guest keeps.
    pub(crate) state: GuestState,
    /// Counts the changes of `state`.
    pub(crate) revision: u64,
}

/// A request for a context.
pub(crate) struct NewContext {
    /// The application.
    pub(crate) application: Id,
    /// The group.
    pub(crate) group: Id,
    /// The service, for an application with several.
    pub(crate) service: Option<String>,
    /// The bytes for the initialiser.
    pub(crate) init: Vec<u8>,
    /// A name.
    pub(crate) name: Option<String>,
    /// What the id is made from instead of a counter.
    pub(crate) seed: Option<Id>,
}

/// Why no context was made.
#[derive(Debug)]
pub(crate) enum CreateFault {
    /// Unknown application, group or service: the real node says nothing of it.
    Masked,
    /// The guest refused, in its words.
    Refused(String),
}

impl Context {
    /// The module it runs.
    pub(crate) fn module(&self) -> Option<&Service> {
        self.app.service(self.service.as_deref())
    }

    /// The hash of the state; zero for an empty one.
    pub(crate) fn state_hash(&self) -> Id {
        if self.state.is_empty() {
            return Id::ZERO;
        }
        Id::of(&[b"state", serde_json::Value::Object(self.state.clone()).to_string().as_bytes()])
    }

    /// The one head of its history.
    pub(crate) fn head(&self) -> Id {
        Id::of(&[b"head", self.state_hash().bytes(), &self.revision.to_be_bytes()])
    }

    /// Changes the state and counts the change if there was one.
    pub(crate) fn change<T>(&mut self, change: impl FnOnce(&Service, &mut GuestState) -> T) -> Option<T> {
        let app = Arc::clone(&self.app);
        let service = app.service(self.service.as_deref())?;
        let before = self.state.clone();
        let outcome = change(service, &mut self.state);
        if self.state != before {
            self.revision += 1;
        }
        Some(outcome)
    }
}

impl World {
    /// Makes a context and runs its initialiser.
    pub(crate) fn create_context(&mut self, new: NewContext, text: GuestErrorText) -> Result<Id, CreateFault> {
        let group: &Group = self.groups.get(&new.group).ok_or(CreateFault::Masked)?;
        if !self.applications.contains_key(&new.application) {
            return Err(CreateFault::Masked);
        }
        // The group decides what runs.
        let application = group.application;
        let app = Arc::clone(&self.applications.get(&application).ok_or(CreateFault::Masked)?.current);
        let service = app.service(new.service.as_deref()).ok_or(CreateFault::Masked)?;
        let mut state = GuestState::new();
        guest::initialise(service, &crate_name(&app), &mut state, &new.init, text).map_err(CreateFault::Refused)?;
        let id = match new.seed {
            Some(seed) => Id::of(&[b"seeded context", seed.bytes()]),
            None => self.fresh("context"),
        };
        let context = Context {
            group: new.group,
            application,
            app,
            service: new.service,
            name: new.name,
            members: vec![Identity::key()],
            state,
            revision: 1,
        };
        self.contexts.insert(id, context);
        Ok(id)
    }

    /// Removes a context and its aliases; tells whether it was there.
    pub(crate) fn delete_context(&mut self, id: &Id) -> bool {
        self.context_aliases.retain(|_, target| target != id);
        self.contexts.remove(id).is_some()
    }

    /// The contexts of a group.
    pub(crate) fn contexts_of(&self, group: &Id) -> impl Iterator<Item = (&Id, &Context)> {
        self.contexts.iter().filter(move |(_, context)| context.group == *group)
    }
}

/// The folder name in a guest's panic texts: the last part of the package.
pub(crate) fn crate_name(app: &App) -> String {
    let package = app.package.as_deref().unwrap_or("app");
    package.rsplit('.').next().unwrap_or(package).to_owned()
}
