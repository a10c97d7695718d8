//! Blobs: content-addressed bytes the node keeps.

use crate::model::CallScope;
use crate::node::Error;
use crate::node::envelope::Wrap;
use crate::node::http::Request;
use crate::node::route::Route;
use crate::node::session::Session;
use serde::Deserialize;

/// One blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Its id, base58.
    pub id: String,
    /// Its size in bytes.
    pub size: u64,
}

#[derive(Deserialize)]
pub(crate) struct WireBlob {
    pub(crate) blob_id: String,
    pub(crate) size: u64,
}

#[derive(Deserialize)]
pub(crate) struct WireBlobs {
    pub(crate) blobs: Vec<WireBlob>,
}

#[derive(Deserialize)]
pub(crate) struct WireBlobDeleted {
    pub(crate) deleted: bool,
}

impl From<WireBlob> for Blob {
    fn from(wire: WireBlob) -> Self {
        Self { id: wire.blob_id, size: wire.size }
    }
}

impl Session {
    /// Stores bytes; the node refuses them when `hash` (base58) is given and differs.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn upload_blob(
        &self,
        bytes: Vec<u8>,
        hash: Option<&str>,
        context: Option<&str>,
        scope: &CallScope,
    ) -> Result<Blob, Error> {
        let route = Route::put(&["admin-api", "blobs"]).query("hash", hash).query("context_id", context);
        let request = Request::new(route).bytes(bytes);
        let wire: WireBlob = self.ask(request, Wrap::Data, "an object with `blob_id` and `size`", scope).await?;
        Ok(wire.into())
    }

    /// Every blob of the node.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn blobs(&self, scope: &CallScope) -> Result<Vec<Blob>, Error> {
        let request = Request::new(Route::get(&["admin-api", "blobs"]));
        let wire: WireBlobs = self.ask(request, Wrap::Data, "an object with a list `blobs`", scope).await?;
        Ok(wire.blobs.into_iter().map(Blob::from).collect())
    }

    /// A blob's bytes, at most so many; `context` lets the node look for it on its network.
    ///
    /// # Errors
    ///
    /// Those of an exchange; 404 when nobody has it, [`Error::BodyTooLarge`] beyond the limit.
    pub async fn blob(
        &self,
        id: &str,
        context: Option<&str>,
        at_most: usize,
        scope: &CallScope,
    ) -> Result<Vec<u8>, Error> {
        let route = Route::get(&["admin-api", "blobs", id]).query("context_id", context);
        Ok(self.send(Request::new(route).at_most(at_most), scope).await?.body)
    }

    /// Deletes a blob; whether the node did.
    ///
    /// # Errors
    ///
    /// Those of an exchange; 403 while an application uses it, 500 with a sentence when there is none.
    pub async fn delete_blob(&self, id: &str, scope: &CallScope) -> Result<bool, Error> {
        let request = Request::new(Route::delete(&["admin-api", "blobs", id]));
        let wire: Option<WireBlobDeleted> = self.ask(request, Wrap::Flat, "an object with `deleted`", scope).await?;
        Ok(wire.is_none_or(|wire| wire.deleted))
    }
}
