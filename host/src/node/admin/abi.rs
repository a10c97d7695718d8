//! An application's ABI, byte for byte.
//!
//! The manifest belongs to a mapper component: this file does not look inside.

use crate::model::CallScope;
use crate::node::Error;
use crate::node::envelope::{Wrap, payload};
use crate::node::http::Request;
use crate::node::route::Route;
use crate::node::session::Session;
use std::sync::Arc;

impl Session {
    /// The manifest of an application, or of one of its services, exactly as the node wrote it.
    ///
    /// # Errors
    ///
    /// [`Error::AbiRouteMissing`] for a node that does not know the route (404 without a word);
    /// [`Error::UnexpectedShape`] when there is no manifest in the answer; otherwise those of an exchange, among them
    /// the node's own sentence for an application without an ABI or with several services.
    pub async fn abi(&self, application: &str, service: Option<&str>, scope: &CallScope) -> Result<Arc<[u8]>, Error> {
        let route = Route::get(&["admin-api", "applications", application, "abi"]).query("service_name", service);
        let answer = self.send(Request::new(route), scope).await.map_err(|error| match error.http_failure() {
            Some(http) if http.status == 404 && http.body.trim().is_empty() => Error::AbiRouteMissing,
            _ => error,
        })?;
        match payload(&answer, Wrap::Data)? {
            "null" => Err(Error::UnexpectedShape {
                route: answer.route,
                expected: "an object whose `data` is the manifest",
                detail: "it is empty".to_owned(),
            }),
            manifest => Ok(manifest.as_bytes().into()),
        }
    }
}
