//! Makes plugins of what is named: bundled bytes, files on the command line, files of the configuration.
//!
//! In comes where the bytes are, out comes a [`Plugin`]; nothing is compiled or run. What the operator accepted is
//! `admit`'s to say.

use super::lock::Lock;
use super::{Allowed, Digest, Error, Origin, Plugin, Refusal, Wanted, admit, asks, bundled, locate};
use crate::model::PluginRelease;
use crate::sandbox::Sandbox;
use crate::text::clean_line;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One extension the operator added on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionSetting {
    /// What the operator calls it; its tools are named after it.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What it may reach, and what is set for it.
    pub allowed: Allowed,
}

/// The sandbox plugins run in, and the folder of what is found out about them.
#[derive(Debug, Clone)]
pub(super) struct Loader {
    pub(super) sandbox: Arc<Sandbox>,
    pub(super) cache: Option<PathBuf>,
}

impl Loader {
    /// The plugins that come with this program.
    pub(super) fn bundled(&self) -> impl Iterator<Item = Result<Plugin, Error>> {
        bundled().iter().map(|(name, release, bytes)| {
            self.load(name, PluginRelease((*release).to_owned()), Origin::Bundled, Cow::Borrowed(*bytes))
        })
    }

    /// An engine from a file; named by the file, its release is its digest's beginning.
    pub(super) fn engine(&self, path: &Path) -> Result<Plugin, Error> {
        let bytes = locate::read(path)?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
        self.load(&name, admit::release_of(&Digest::of(&bytes)), Origin::Named, Cow::Owned(bytes))
    }

    /// An extension from a file; its release is what its manifest states.
    pub(super) fn extension(&self, setting: &ExtensionSetting) -> Result<Plugin, Error> {
        let ExtensionSetting { name, path, allowed } = setting;
        locate::check_name(name)?;
        let bytes = locate::read(path)?;
        // A manifest that cannot be read is the next step's to refuse.
        let stated = asks(&bytes).ok().and_then(|asks| asks.release).map(|release| clean_line(&release));
        let release = stated
            .filter(|release| !release.is_empty())
            .map_or_else(|| admit::release_of(&Digest::of(&bytes)), PluginRelease);
        self.load(name, release, Origin::Extension(Box::new(allowed.clone())), Cow::Owned(bytes))
    }

    /// A plugin of the configuration as the lock has it; its file is not read.
    pub(super) fn configured(&self, wanted: &Wanted, lock: &Lock) -> Result<Plugin, Refusal> {
        admit::admit(wanted, lock, &self.sandbox, self.compiled())
    }

    /// The same, its file read and held to the lock. Blocks on the disk.
    pub(super) fn verified(&self, wanted: &Wanted, lock: &Lock) -> Result<Plugin, Refusal> {
        let plugin = self.configured(wanted, lock)?;
        let memory = self.sandbox.limits().largest_memory();
        admit::verify(wanted, lock, memory, self.cache.as_deref()).map(|()| plugin)
    }

    fn load(
        &self,
        name: &str,
        release: PluginRelease,
        origin: Origin,
        bytes: Cow<'static, [u8]>,
    ) -> Result<Plugin, Error> {
        Plugin::load(name, release, origin, bytes, &self.sandbox, self.compiled())
    }

    /// Where compiled code is kept.
    fn compiled(&self) -> Option<PathBuf> {
        self.cache.as_ref().map(|cache| cache.join("compiled"))
    }
}
