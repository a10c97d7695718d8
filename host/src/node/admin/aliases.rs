//! Aliases: names this node gives to contexts and applications.

use crate::model::CallScope;
use crate::node::Error;
use crate::node::envelope::Wrap;
use crate::node::http::Request;
use crate::node::route::Route;
use crate::node::session::{Session, json_body};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What an alias stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AliasKind {
    /// A context.
    Context,
    /// An application.
    Application,
}

impl AliasKind {
    fn segment(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Application => "application",
        }
    }
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct CreateRequest<'a> {
    alias: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    application_id: Option<&'a str>,
}

#[derive(Deserialize)]
pub(crate) struct WireLookup {
    pub(crate) value: Option<String>,
}

impl Session {
    /// Gives `id` a name: 1 to 50 of `A-Z a-z 0-9 . _ -`.
    ///
    /// # Errors
    ///
    /// Those of an exchange; 409 when the alias is taken, 422 when it is not a name.
    pub async fn create_alias(&self, kind: AliasKind, alias: &str, id: &str, scope: &CallScope) -> Result<(), Error> {
        let body = match kind {
            AliasKind::Context => CreateRequest { alias, context_id: Some(id), ..CreateRequest::default() },
            AliasKind::Application => CreateRequest { alias, application_id: Some(id), ..CreateRequest::default() },
        };
        let route = Route::post(&["admin-api", "alias", "create", kind.segment()]);
        self.tell(Request::new(route).json(json_body(&body)), scope).await
    }

    /// The id an alias stands for; `None` when there is no such alias.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn lookup_alias(&self, kind: AliasKind, alias: &str, scope: &CallScope) -> Result<Option<String>, Error> {
        let route = Route::post(&["admin-api", "alias", "lookup", kind.segment(), alias]);
        let request = Request::new(route).json(b"{}".to_vec());
        let wire: Option<WireLookup> = self.ask(request, Wrap::Data, "an object with `value`", scope).await?;
        Ok(wire.and_then(|wire| wire.value))
    }

    /// Forgets an alias; one that does not exist is a success.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn delete_alias(&self, kind: AliasKind, alias: &str, scope: &CallScope) -> Result<(), Error> {
        self.tell(Request::new(Route::post(&["admin-api", "alias", "delete", kind.segment(), alias])), scope).await
    }

    /// Every alias with its id.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn aliases(&self, kind: AliasKind, scope: &CallScope) -> Result<BTreeMap<String, String>, Error> {
        let request = Request::new(Route::get(&["admin-api", "alias", "list", kind.segment()]));
        self.ask(request, Wrap::Data, "an object of ids by alias", scope).await
    }
}
