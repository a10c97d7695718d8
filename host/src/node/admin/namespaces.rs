//! Namespaces: root groups, the homes of contexts.
//!
//! Answers that tools show whole are given as the node wrote them.

use super::paging::{Paged, all};
use crate::model::{CallScope, JsonObject};
use crate::node::Error;
use crate::node::envelope::Wrap;
use crate::node::http::Request;
use crate::node::route::Route;
use crate::node::session::{Session, json_body};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// Nodes before mid-2026 want a policy; newer ones ignore it.
pub(super) const UPGRADE_POLICY: &str = "LazyOnAccess";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CreateRequest<'a> {
    upgrade_policy: &'static str,
    application_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JoinRequest<'a> {
    invitation: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    group_name: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireNamespaceId {
    pub(crate) namespace_id: String,
}

impl Session {
    /// Every namespace of this node, or of one application, rows as they came; all pages.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn namespaces(&self, application: Option<&str>, scope: &CallScope) -> Result<Vec<JsonObject>, Error> {
        let route = match application {
            Some(id) => Route::get(&["admin-api", "namespaces", "for-application", id]),
            None => Route::get(&["admin-api", "namespaces"]),
        };
        let expected = "a list of namespaces";
        all(self, Paged { route, expected, rows: |page: Vec<JsonObject>| page, key: "namespaceId" }, scope).await
    }

    /// One namespace as it came.
    ///
    /// # Errors
    ///
    /// Those of an exchange; 404 for an unknown id.
    pub async fn namespace(&self, id: &str, scope: &CallScope) -> Result<JsonObject, Error> {
        self.ask(Request::new(Route::get(&["admin-api", "namespaces", id])), Wrap::Data, "a namespace", scope).await
    }

    /// Makes a namespace for an application; gives its id.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn create_namespace(
        &self,
        application_id: &str,
        name: Option<&str>,
        scope: &CallScope,
    ) -> Result<String, Error> {
        let body = CreateRequest { upgrade_policy: UPGRADE_POLICY, application_id, name };
        let request = Request::new(Route::post(&["admin-api", "namespaces"])).json(json_body(&body));
        let wire: WireNamespaceId = self.ask(request, Wrap::Data, "an object with `namespaceId`", scope).await?;
        Ok(wire.namespace_id)
    }

    /// Deletes a namespace; its contexts survive and cannot be called. Gives the node's answer.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn delete_namespace(&self, id: &str, scope: &CallScope) -> Result<Value, Error> {
        // The node insists on a body and its content type, on DELETE too.
        let request = Request::new(Route::delete(&["admin-api", "namespaces", id])).json(b"{}".to_vec());
        self.ask(request, Wrap::Data, "JSON", scope).await
    }

    /// Makes an invitation, given as the node wrote it: it is signed, so not a byte of it may change.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn invite_to_namespace(&self, id: &str, scope: &CallScope) -> Result<Box<RawValue>, Error> {
        let request = Request::new(Route::post(&["admin-api", "namespaces", id, "invite"])).json(b"{}".to_vec());
        self.ask(request, Wrap::Data, "an invitation", scope).await
    }

    /// Joins a namespace with an invitation, sent byte for byte; waits up to [`Limits::long`](crate::node::Limits).
    ///
    /// # Errors
    ///
    /// Those of an exchange; 504 when no member of the namespace can be reached.
    pub async fn join_namespace(
        &self,
        id: &str,
        invitation: &RawValue,
        group_name: Option<&str>,
        scope: &CallScope,
    ) -> Result<Value, Error> {
        let body = json_body(&JoinRequest { invitation, group_name });
        let request = Request::new(Route::post(&["admin-api", "namespaces", id, "join"])).json(body).taking_long();
        self.ask(request, Wrap::Data, "a membership", scope).await
    }

    /// Leaves a namespace.
    ///
    /// # Errors
    ///
    /// Those of an exchange; a masked 500 for its last admin.
    pub async fn leave_namespace(&self, id: &str, scope: &CallScope) -> Result<(), Error> {
        let request = Request::new(Route::post(&["admin-api", "namespaces", id, "leave"])).json(b"{}".to_vec());
        self.tell(request, scope).await
    }
}
