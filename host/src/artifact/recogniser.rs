//! Asks mappers whether a manifest is theirs, each once for each manifest and not once for each start.
//!
//! In comes a manifest, out comes what one plugin says of it; which plugins are asked is `select`'s.

use super::answer_cache::{AnswerCache, AnswerKey, Recognised};
use super::recall::recall;
use super::{Digest, Plugin, PluginError};
use crate::model::{Cancel, Recognition};
use std::sync::Arc;

/// A manifest, and what earlier processes heard of manifests.
#[derive(Debug)]
pub struct Recogniser {
    manifest: Arc<[u8]>,
    /// Where answers are kept, and the manifest's digest, which none else needs.
    heard: Option<(Arc<AnswerCache<Recognised>>, Digest)>,
}

impl Recogniser {
    /// Asks anew each time.
    #[must_use]
    pub fn new(manifest: Arc<[u8]>) -> Self {
        Self { manifest, heard: None }
    }

    /// Asks where no earlier process did; `digest` is the manifest's.
    pub(super) fn recalling(manifest: Arc<[u8]>, digest: Digest, cache: Option<Arc<AnswerCache<Recognised>>>) -> Self {
        Self { manifest, heard: cache.map(|cache| (cache, digest)) }
    }

    /// What a plugin says of the manifest.
    ///
    /// # Errors
    /// Those of [`Plugin::recognise`].
    pub(super) async fn ask(&self, plugin: &Plugin, cancel: &Cancel) -> Result<Option<Recognition>, PluginError> {
        let ask = plugin.recognise(Arc::clone(&self.manifest), cancel);
        match &self.heard {
            None => ask.await,
            Some((cache, manifest)) => {
                recall(Some(Arc::clone(cache)), AnswerKey::recognition(manifest, plugin.digest()), ask).await
            }
        }
    }
}
