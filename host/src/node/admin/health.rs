//! Health and identity of the node itself.

use crate::model::CallScope;
use crate::node::Error;
use crate::node::envelope::Wrap;
use crate::node::http::Request;
use crate::node::route::Route;
use crate::node::session::Session;
use serde::Deserialize;
use serde_json::Value;

/// The node's word on itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// `alive` on a healthy node.
    pub status: String,
}

#[derive(Deserialize)]
pub(crate) struct WireHealth {
    pub(crate) status: String,
}

impl Session {
    /// Asks for the node's health; open to everyone, so a success says nothing about the credential.
    ///
    /// # Errors
    ///
    /// Those of an exchange; 503 while the node's store is unavailable.
    pub async fn health(&self, scope: &CallScope) -> Result<Health, Error> {
        let request = Request::new(Route::get(&["admin-api", "health"]));
        let health: WireHealth = self.ask(request, Wrap::Data, "an object with `status`", scope).await?;
        Ok(Health { status: health.status })
    }

    /// Asks who the node is, as it says it; a node that has joined no namespace answers 404.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn identity(&self, scope: &CallScope) -> Result<Value, Error> {
        self.ask(Request::new(Route::get(&["admin-api", "identity"])), Wrap::Data, "an identity", scope).await
    }
}
