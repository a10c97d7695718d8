//! Packages as this node knows them: names and versions of what is installed.

use crate::model::CallScope;
use crate::node::Error;
use crate::node::envelope::Wrap;
use crate::node::http::Request;
use crate::node::route::Route;
use crate::node::session::Session;
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct WirePackages {
    pub(crate) packages: Vec<String>,
}

#[derive(Deserialize)]
pub(crate) struct WireVersions {
    pub(crate) versions: Vec<String>,
}

impl Session {
    /// The installed packages.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn packages(&self, scope: &CallScope) -> Result<Vec<String>, Error> {
        let request = Request::new(Route::get(&["admin-api", "packages"]));
        let wire: WirePackages = self.ask(request, Wrap::Flat, "an object with a list `packages`", scope).await?;
        Ok(wire.packages)
    }

    /// The versions of a package this node holds; none for an unknown package.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn package_versions(&self, package: &str, scope: &CallScope) -> Result<Vec<String>, Error> {
        let request = Request::new(Route::get(&["admin-api", "packages", package, "versions"]));
        let wire: WireVersions = self.ask(request, Wrap::Flat, "an object with a list `versions`", scope).await?;
        Ok(wire.versions)
    }
}
