//! Guides in replies and as resources.

use crate::catalog::CatalogUnit;
use crate::model::{Content, JsonObject, Resource, ResourceContents, ResourceTemplate};
use crate::source::{App, guide_uri, guide_uri_template};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

const MARKDOWN: &str = "text/markdown";

/// Which guides this process has shown; a new version of an app is a new guide.
#[derive(Debug, Default)]
pub(crate) struct Shown(Mutex<HashSet<String>>);

impl Shown {
    /// Notes that a guide is shown now; true when it was before.
    fn again(&self, uri: &str) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(uri.to_owned())
    }
}

/// The guide in full, labelled as its author's; empty for an app without.
pub(crate) fn blocks(app: &App) -> Vec<Content> {
    let Some(text) = &app.guide else { return Vec::new() };
    let signer = app.signer.as_deref().unwrap_or("unknown");
    let label = format!("App guide, provided by the app's author (package {}, signer {signer}):", app.label());
    let guide = contents(app).map_or_else(|| Content::Text(text.clone()), Content::Resource);
    vec![Content::Text(label), guide]
}

/// As [`blocks`], noting it as shown.
pub(crate) fn blocks_noted(app: &App, shown: &Shown) -> Vec<Content> {
    if let (Some(uri), true) = (address(app), app.guide.is_some()) {
        shown.again(&uri);
    }
    blocks(app)
}

/// The guide the first time, a pointer to it afterwards.
pub(crate) fn blocks_once(app: &App, shown: &Shown) -> Vec<Content> {
    match address(app) {
        Some(uri) if app.guide.is_some() && shown.again(&uri) => vec![Content::Text(format!(
            "This app's guide was shown earlier this session; read {uri} if it is not in your context."
        ))],
        _ => blocks(app),
    }
}

/// Where an app's guide is; an app without a version has no address.
pub(crate) fn address(app: &App) -> Option<String> {
    guide_uri(&app.id, app.version.as_deref())
}

/// Whether an app's guide is at this address.
pub(crate) fn is_at(app: &App, uri: &str) -> bool {
    app.guide.is_some() && address(app).as_deref() == Some(uri)
}

/// The guide as a resource.
pub(crate) fn contents(app: &App) -> Option<ResourceContents> {
    let mut meta = JsonObject::new();
    meta.insert("package".to_owned(), json!(app.label()));
    meta.insert("appVersion".to_owned(), json!(app.version));
    meta.insert("signerId".to_owned(), json!(app.signer));
    Some(ResourceContents {
        uri: address(app)?,
        mime_type: MARKDOWN.to_owned(),
        text: app.guide.clone()?,
        meta: Some(meta),
    })
}

/// One entry a guide, in catalog order; the services of one app share one.
pub(crate) fn resources(units: &[Arc<CatalogUnit>]) -> Vec<Resource> {
    let mut seen = HashSet::new();
    let guided = units.iter().map(|unit| &unit.unit.app).filter(|app| app.guide.is_some());
    guided
        .filter_map(|app| {
            let uri = address(app)?;
            seen.insert(uri.clone()).then(|| Resource {
                uri,
                name: format!("{} guide", app.display_name()),
                mime_type: MARKDOWN.to_owned(),
            })
        })
        .collect()
}

/// The one template.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate {
        uri_template: guide_uri_template().to_owned(),
        name: "app-guide".to_owned(),
        description: "The guide an app's author ships with it: what it is for and how to use its methods.".to_owned(),
        mime_type: MARKDOWN.to_owned(),
    }
}

/// Values of one of the template's variables that start with what was typed.
pub(crate) fn complete(units: &[Arc<CatalogUnit>], variable: &str, typed: &str) -> Vec<String> {
    let guided = units.iter().map(|unit| &unit.unit.app).filter(|app| app.guide.is_some());
    let by_id: BTreeMap<&str, &str> = guided.map(|app| (app.id.as_str(), app.version_text())).collect();
    let values: BTreeSet<&str> = match variable {
        "applicationId" => by_id.into_keys().collect(),
        "version" => by_id.into_values().filter(|version| !version.is_empty()).collect(),
        _ => BTreeSet::new(),
    };
    values.into_iter().filter(|value| value.starts_with(typed)).map(str::to_owned).collect()
}
