//! Installed applications.
//!
//! A row may lack nearly everything: raw wasm has no package, a stub that waits for its blob has no bytecode. Only the
//! id is insisted on.

use super::row;
use crate::model::{CallScope, JsonObject};
use crate::node::Error;
use crate::node::envelope::Wrap;
use crate::node::http::Request;
use crate::node::route::Route;
use crate::node::session::{Session, json_body};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One installed application.
#[derive(Debug, Clone, PartialEq)]
pub struct Application {
    /// Its id; stable across versions of a bundle.
    pub id: String,
    /// Its package, for example `com.example.chat`; absent for raw wasm.
    pub package: Option<String>,
    /// The release installed.
    pub version: Option<String>,
    /// Who signed the bundle.
    pub signer_id: Option<String>,
    /// The bytecode's blob id, which changes with every build; absent until the blob has arrived.
    pub bytecode: Option<String>,
    /// The services of a bundle, in the node's order; empty for an application that is its own only service. The
    /// names come from a stranger's manifest: opaque text.
    pub services: Vec<String>,
    /// What the author says about it.
    pub metadata: Metadata,
    /// The row as it came, every field in its place.
    pub row: JsonObject,
}

/// An application's metadata, decoded from its bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Metadata {
    /// None given, or bytes that are no text.
    #[default]
    None,
    /// JSON, as bundles have it.
    Json(Value),
    /// Any other text.
    Text(String),
}

impl Metadata {
    /// Empty bytes are none, JSON is JSON, other UTF-8 is text, anything else is none.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(bytes) else { return Self::None };
        if text.is_empty() {
            return Self::None;
        }
        serde_json::from_str(text).map_or_else(|_| Self::Text(text.to_owned()), Self::Json)
    }

    /// A non-blank string member of JSON metadata, such as `name` or `guide`.
    #[must_use]
    pub fn text(&self, member: &str) -> Option<&str> {
        let Self::Json(json) = self else { return None };
        json.get(member)?.as_str().filter(|text| !text.trim().is_empty())
    }
}

#[derive(Deserialize)]
pub(crate) struct WireApplications {
    pub(crate) apps: Vec<JsonObject>,
}

#[derive(Deserialize)]
pub(crate) struct WireApplication {
    pub(crate) application: JsonObject,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireApplicationId {
    pub(crate) application_id: String,
}

/// The request of `install-application`. Newer nodes resolve package and version themselves, older ones want a URL
/// and metadata.
#[derive(Serialize)]
struct InstallRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<[u8; 0]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
}

impl Application {
    /// Reads a row; `None` without an id.
    pub(crate) fn from_row(row: JsonObject) -> Option<Self> {
        let services = row.get("services").and_then(Value::as_object);
        Some(Self {
            id: row::text(&row, "id")?,
            package: row::text(&row, "package"),
            version: row::text(&row, "version"),
            signer_id: row::text(&row, "signer_id"),
            bytecode: row.get("blob").and_then(Value::as_object).and_then(|blob| row::text(blob, "bytecode")),
            services: services.map(|services| services.keys().cloned().collect()).unwrap_or_default(),
            metadata: row.get("metadata").and_then(row::bytes).map_or(Metadata::None, |bytes| Metadata::decode(&bytes)),
            row,
        })
    }
}

impl Session {
    /// Every installed application, in the node's order. A row without an id is left out with a warning.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn applications(&self, scope: &CallScope) -> Result<Vec<Application>, Error> {
        let request = Request::new(Route::get(&["admin-api", "applications"]));
        let list: WireApplications = self.ask(request, Wrap::Data, "an object with a list `apps`", scope).await?;
        let apps = list.apps.into_iter().filter_map(|row| {
            let app = Application::from_row(row);
            if app.is_none() {
                tracing::warn!("the node lists an application without an id; it is left out");
            }
            app
        });
        Ok(apps.collect())
    }

    /// One application by its id.
    ///
    /// # Errors
    ///
    /// Those of an exchange; 404 for an unknown id, 400 for one that is none.
    pub async fn application(&self, id: &str, scope: &CallScope) -> Result<Application, Error> {
        const EXPECTED: &str = "an object with `application`, which has an `id`";
        let answer = self.send(Request::new(Route::get(&["admin-api", "applications", id])), scope).await?;
        let wire: WireApplication = crate::node::envelope::read(&answer, Wrap::Data, EXPECTED)?;
        Application::from_row(wire.application).ok_or_else(|| Error::UnexpectedShape {
            route: answer.route,
            expected: EXPECTED,
            detail: "it has no id".to_owned(),
        })
    }

    /// Installs a published application by its coordinates, or from a public URL; gives its id.
    ///
    /// # Errors
    ///
    /// Those of an exchange. Nodes before the registry refuse a request without a URL, all refuse a private URL.
    pub async fn install_application(
        &self,
        package: Option<&str>,
        version: Option<&str>,
        url: Option<&str>,
        scope: &CallScope,
    ) -> Result<String, Error> {
        let body = InstallRequest { url, metadata: url.map(|_| []), package, version };
        let request =
            Request::new(Route::post(&["admin-api", "install-application"])).json(json_body(&body)).taking_long();
        let wire: WireApplicationId = self.ask(request, Wrap::Data, "an object with `applicationId`", scope).await?;
        Ok(wire.application_id)
    }

    /// Removes an application; an unknown id is a success, and contexts that run it keep running.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn uninstall_application(&self, id: &str, scope: &CallScope) -> Result<(), Error> {
        self.tell(Request::new(Route::delete(&["admin-api", "applications", id])), scope).await
    }
}
