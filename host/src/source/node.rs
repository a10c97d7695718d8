//! A Calimero node as a source of apps, and as what their calls run on.

use crate::model::CallScope;
use crate::node::{AliasKind, Application, Error, Metadata, NewContext, Session};
use crate::source::{App, Context, Origin, Unit};
use std::sync::Arc;

/// The apps of one node.
#[derive(Debug)]
pub struct NodeSource {
    session: Session,
}

/// One call as it goes out.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The context's id, as the node writes it.
    pub context: &'a str,
    /// The application's own name of the method.
    pub method: &'a str,
    /// JSON text of the arguments object; sent byte for byte.
    pub arguments: &'a str,
}

impl NodeSource {
    /// The apps behind a session; connects on first use.
    #[must_use]
    pub fn new(session: Session) -> Self {
        Self { session }
    }

    /// The node's own API, for tools that manage it.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What is installed now.
    ///
    /// # Errors
    /// The node could not be found, reached, or read.
    pub async fn apps(&self, scope: &CallScope) -> Result<Vec<Arc<App>>, Error> {
        let applications = self.session.applications(scope).await?;
        Ok(applications.into_iter().map(|application| Arc::new(App::from(application))).collect())
    }

    /// A unit's manifest, as the node sends it.
    ///
    /// # Errors
    /// The node refused or could not be reached.
    pub async fn manifest(&self, unit: &Unit, scope: &CallScope) -> Result<Arc<[u8]>, Error> {
        self.session.abi(&unit.app.id, unit.manifest_service(), scope).await
    }

    /// An app's contexts, of all its services.
    ///
    /// # Errors
    /// The node refused or could not be reached.
    pub async fn contexts(&self, app_id: &str, scope: &CallScope) -> Result<Vec<Context>, Error> {
        let contexts = self.session.contexts(Some(app_id), scope).await?;
        Ok(contexts.into_iter().map(|context| Context { id: context.id, service: context.service }).collect())
    }

    /// The context a name was given to.
    ///
    /// # Errors
    /// The node refused or could not be reached.
    pub async fn alias(&self, alias: &str, scope: &CallScope) -> Result<Option<String>, Error> {
        self.session.lookup_alias(AliasKind::Context, alias, scope).await
    }

    /// Runs a method; answers its result as JSON text with every digit, `None` for nothing and for null.
    ///
    /// # Errors
    /// The application, its runtime or the node refused, or there was no answer.
    pub async fn execute(&self, call: Call<'_>, scope: &CallScope) -> Result<Option<String>, Error> {
        let output = self.session.execute(call.context, call.method, call.arguments, scope).await?;
        Ok(output.map(|output| output.get().to_owned()))
    }

    /// Creates a context; answers its id and the member's key in it.
    ///
    /// # Errors
    /// The node or the application's initialiser refused.
    pub async fn create_context(
        &self,
        new: &NewContext<'_>,
        scope: &CallScope,
    ) -> Result<(String, Option<String>), Error> {
        let created = self.session.create_context(new, scope).await?;
        Ok((created.context_id, created.member_public_key))
    }
}

impl From<Application> for App {
    fn from(application: Application) -> Self {
        let Application { id, package, version, signer_id, bytecode, mut services, metadata, row } = application;
        services.sort();
        Self {
            name: metadata.text("name").map(str::to_owned),
            guide: metadata.text("guide").map(str::to_owned),
            // Without a bytecode id there is nothing that says when the code changes but the version.
            content: bytecode.unwrap_or_else(|| format!("{id}:{}", version.as_deref().unwrap_or(""))),
            metadata: match metadata {
                Metadata::None => None,
                Metadata::Json(json) => Some(json),
                Metadata::Text(text) => Some(text.into()),
            },
            id,
            package,
            version,
            signer: signer_id,
            services,
            record: row,
            origin: Origin::Node,
        }
    }
}
