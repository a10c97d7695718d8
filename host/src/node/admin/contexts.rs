//! Contexts: running instances of an application with their own state.

use super::paging::{Paged, all};
use super::row;
use crate::model::{CallScope, JsonObject};
use crate::node::Error;
use crate::node::envelope::{Wrap, read};
use crate::node::http::Request;
use crate::node::route::Route;
use crate::node::session::{Session, json_body};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One context.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// Its id: base58 on nodes of August 2026, 64 hex digits on newer ones.
    pub id: String,
    /// The application it runs.
    pub application_id: Option<String>,
    /// The service it runs, of an application with several.
    pub service: Option<String>,
    /// Its human name.
    pub name: Option<String>,
    /// The row as it came, every field in its place.
    pub row: JsonObject,
}

/// What a context is made of.
#[derive(Debug, Clone, Default)]
pub struct NewContext<'a> {
    /// The application to run.
    pub application_id: &'a str,
    /// The namespace or group it belongs to, 64 hex digits.
    pub group_id: &'a str,
    /// Its human name.
    pub name: Option<&'a str>,
    /// The service to run, of an application with several.
    pub service: Option<&'a str>,
    /// The JSON text of the initialiser's arguments, or nothing.
    pub init: &'a [u8],
}

/// A context that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextCreated {
    /// Its id.
    pub context_id: String,
    /// This node's key in it.
    pub member_public_key: Option<String>,
}

/// A context that was joined.
pub type ContextJoined = ContextCreated;

#[derive(Deserialize)]
pub(crate) struct WireContexts {
    pub(crate) contexts: Vec<JsonObject>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireMembership {
    pub(crate) context_id: String,
    #[serde(default)]
    pub(crate) member_public_key: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CreateRequest<'a> {
    application_id: &'a str,
    group_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_name: Option<&'a str>,
    initialization_params: &'a [u8],
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireDeleted {
    pub(crate) is_deleted: bool,
}

impl Context {
    /// Reads a row; `None` without an id.
    pub(crate) fn from_row(row: JsonObject) -> Option<Self> {
        Some(Self {
            id: row::text(&row, "id")?,
            application_id: row::text(&row, "applicationId"),
            service: row::text(&row, "serviceName"),
            name: row::text(&row, "name"),
            row,
        })
    }

    /// The heads of its history as hex, in the node's order; the node sends each as an array of 32 numbers. Heads of
    /// another form are left out.
    #[must_use]
    pub fn dag_heads(&self) -> Vec<String> {
        let heads = self.row.get("dagHeads").and_then(Value::as_array);
        heads.into_iter().flatten().filter_map(row::bytes).map(hex::encode).collect()
    }
}

impl From<WireMembership> for ContextCreated {
    fn from(wire: WireMembership) -> Self {
        Self { context_id: wire.context_id, member_public_key: wire.member_public_key }
    }
}

impl Session {
    /// Every context of the node, or of one application; all pages.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn contexts(&self, application: Option<&str>, scope: &CallScope) -> Result<Vec<Context>, Error> {
        let route = match application {
            Some(id) => Route::get(&["admin-api", "contexts", "for-application", id]),
            None => Route::get(&["admin-api", "contexts"]),
        };
        let expected = "an object with a list `contexts`";
        let list = Paged { route, expected, rows: |page: WireContexts| page.contexts, key: "id" };
        Ok(all(self, list, scope).await?.into_iter().filter_map(Context::from_row).collect())
    }

    /// One context by its id.
    ///
    /// # Errors
    ///
    /// Those of an exchange; 404 for an unknown id, 400 for one that is none.
    pub async fn context(&self, id: &str, scope: &CallScope) -> Result<Context, Error> {
        const EXPECTED: &str = "a context, which has an `id`";
        let answer = self.send(Request::new(Route::get(&["admin-api", "contexts", id])), scope).await?;
        Context::from_row(read(&answer, Wrap::Data, EXPECTED)?).ok_or_else(|| Error::UnexpectedShape {
            route: answer.route,
            expected: EXPECTED,
            detail: "it has no id".to_owned(),
        })
    }

    /// Makes a context and runs the application's initialiser; waits up to [`Limits::long`](crate::node::Limits).
    ///
    /// # Errors
    ///
    /// Those of an exchange. 400 carries the initialiser's own words; a masked 500 stands for an unknown group, an
    /// unknown or missing service, and on older nodes for the initialiser as well.
    pub async fn create_context(&self, new: &NewContext<'_>, scope: &CallScope) -> Result<ContextCreated, Error> {
        let body = CreateRequest {
            application_id: new.application_id,
            group_id: new.group_id,
            name: new.name,
            service_name: new.service,
            initialization_params: new.init,
        };
        let request = Request::new(Route::post(&["admin-api", "contexts"])).json(json_body(&body)).taking_long();
        let wire: WireMembership = self.ask(request, Wrap::Data, "an object with `contextId`", scope).await?;
        Ok(wire.into())
    }

    /// Joins a context of a namespace or group this node is a member of.
    ///
    /// # Errors
    ///
    /// Those of an exchange; a masked 500 for an unknown context.
    pub async fn join_context(&self, id: &str, scope: &CallScope) -> Result<ContextJoined, Error> {
        let request = Request::new(Route::post(&["admin-api", "contexts", id, "join"])).json(b"{}".to_vec());
        let wire: WireMembership = self.ask(request, Wrap::Data, "an object with `contextId`", scope).await?;
        Ok(wire.into())
    }

    /// Deletes a context and its data; `false` when the node knows no such context. An empty success counts as done.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn delete_context(&self, id: &str, scope: &CallScope) -> Result<bool, Error> {
        let request = Request::new(Route::delete(&["admin-api", "contexts", id]));
        let wire: Option<WireDeleted> = self.ask(request, Wrap::Data, "an object with `isDeleted`", scope).await?;
        Ok(wire.is_none_or(|wire| wire.is_deleted))
    }

    /// Asks the node to synchronise a context with its peers now.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn sync_context(&self, id: &str, scope: &CallScope) -> Result<(), Error> {
        self.tell(Request::new(Route::post(&["admin-api", "contexts", "sync", id])), scope).await
    }
}
