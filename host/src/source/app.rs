//! An installed app, and the units it is served as.

use crate::model::JsonObject;
use crate::source::guide::guide_hash;
use std::sync::Arc;

/// An app as its source lists it. An upgrade keeps `id` and changes `content`.
#[derive(Debug, Clone, PartialEq)]
pub struct App {
    /// The source's own id; binds package and signer.
    pub id: String,
    /// For example `com.example.notes`; absent for apps installed without one.
    pub package: Option<String>,
    /// The app's release, as its author numbers it.
    pub version: Option<String>,
    /// The author's display name.
    pub name: Option<String>,
    /// Who signed it.
    pub signer: Option<String>,
    /// The author's Markdown, unless empty.
    pub guide: Option<String>,
    /// Content address of the app's code: the manifest behind one address never changes.
    pub content: String,
    /// Named services, sorted; empty for an app without.
    pub services: Vec<String>,
    /// The row as the source gave it, every key kept.
    pub record: JsonObject,
    /// The row's metadata, decoded; absent when there is none or it cannot be read.
    pub metadata: Option<serde_json::Value>,
    /// Which kind of source it comes from.
    pub origin: Origin,
}

/// Which kind of source an app comes from, and so what its methods run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A node: methods run in a context, calls pass the gate.
    Node,
    /// A manifest file: methods run on an engine, which keeps nothing, so there is nothing to select.
    File,
    /// A plugin's own tools: they run in the plugin, which keeps nothing between calls, so there is nothing to select.
    Extension,
}

impl App {
    /// The tools of the plugin of this name, as an app. `content` says when they may have changed.
    #[must_use]
    pub fn of_extension(name: &str, content: String) -> Self {
        Self::named(name, content, Origin::Extension)
    }

    /// An app of which nothing is known but its name and content.
    pub(super) fn named(name: &str, content: String, origin: Origin) -> Self {
        Self {
            id: name.to_owned(),
            package: Some(name.to_owned()),
            version: None,
            name: None,
            signer: None,
            guide: None,
            content,
            services: Vec::new(),
            record: JsonObject::new(),
            metadata: None,
            origin,
        }
    }

    /// Whether its methods run in contexts, so that calls need a handle.
    #[must_use]
    pub fn has_contexts(&self) -> bool {
        self.origin == Origin::Node
    }

    /// What messages call it: the package, else the id.
    #[must_use]
    pub fn label(&self) -> &str {
        self.package.as_deref().unwrap_or(&self.id)
    }

    /// What titles call it: the display name, else [`App::label`].
    #[must_use]
    pub fn display_name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.label())
    }

    /// The version as handles carry it; empty when there is none.
    #[must_use]
    pub fn version_text(&self) -> &str {
        self.version.as_deref().unwrap_or("")
    }

    /// First 16 hex digits of the guide's SHA-256 (of nothing when there is no guide).
    #[must_use]
    pub fn guide_hash(&self) -> String {
        guide_hash(self.guide.as_deref())
    }
}

/// One thing that has a manifest: an app, or one service of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// The app.
    pub app: Arc<App>,
    /// The service, for an app with several.
    pub service: Option<String>,
}

impl Unit {
    /// The service the manifest is asked for: the unit's own, or the only one of a one-service bundle.
    #[must_use]
    pub fn manifest_service(&self) -> Option<&str> {
        self.service.as_deref().or_else(|| self.sole_service())
    }

    /// The one service of a one-service bundle. It is no part of names and handles.
    #[must_use]
    pub fn sole_service(&self) -> Option<&str> {
        match self.app.services.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// For messages and logs: `package` or `package/service`.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.service {
            Some(service) => format!("{}/{service}", self.app.label()),
            None => self.app.label().to_owned(),
        }
    }

    /// What [`App::content`] and the service say together: the key of everything derived from the manifest.
    #[must_use]
    pub fn content_key(&self) -> (String, String) {
        (self.app.content.clone(), self.manifest_service().unwrap_or("").to_owned())
    }
}

/// The units of an app: one a service, or one for an app with at most one service.
#[must_use]
pub fn units_of(app: &Arc<App>) -> Vec<Unit> {
    if app.services.len() < 2 {
        return vec![Unit { app: Arc::clone(app), service: None }];
    }
    app.services.iter().map(|service| Unit { app: Arc::clone(app), service: Some(service.clone()) }).collect()
}
