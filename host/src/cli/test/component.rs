//! A component as a subject of the golden harness: each role it has, asked in the sandbox.

use super::convert;
use super::session::{Session, granted};
use crate::artifact::asks::{Asks, Wants, asks_or_imports};
use crate::artifact::inspect::inspect_extension;
use crate::artifact::{Allowed, Cause, Origin, Plugin, PluginError, locate};
use crate::cli::environment;
use crate::cli::inspect::shown;
use crate::config::Settings;
use crate::contract::supported::Role;
use crate::model::{Cancel, MapOptions, PluginRelease};
use crate::sandbox::{Limits, Sandbox, WebBounds};
use abi_mcp_golden::{self as golden, Stopped, Subject};
use anyhow::{Context, anyhow};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::runtime::Handle;

/// What it is called where it does not say.
const NAMELESS: &str = "tested";

/// A component whose answers are held to files.
pub(super) struct Component {
    pub(super) bytes: Arc<[u8]>,
    pub(super) name: String,
    pub(super) release: PluginRelease,
    pub(super) wants: Wants,
    pub(super) sandbox: Arc<Sandbox>,
    /// Compiled code: every case of an extension is a plugin of its own, and none should compile it again.
    pub(super) cache: PathBuf,
    pub(super) runtime: Handle,
    accept: String,
    /// Nothing fires it: each call has its own deadline.
    cancel: Cancel,
    /// What answers for the roles that reach nothing.
    plugin: Plugin,
    has_tools: bool,
    _own_cache: Option<TempDir>,
}

impl Component {
    /// Inspects and compiles a component. `accept` is the command that accepts new answers.
    ///
    /// # Errors
    /// It is no plugin this host can run, or does not compile.
    pub(super) fn load(settings: &Settings, bytes: Vec<u8>, accept: String, runtime: Handle) -> anyhow::Result<Self> {
        // No case reaches a network: whatever it is granted, its first request is one too many.
        let limits = Limits { web: WebBounds { requests: 0, ..settings.limits.web }, ..settings.limits };
        let found = inspect_extension(&bytes, limits.largest_memory())?;
        let Asks { name, release, wants } = asks_or_imports(&bytes, &found.imports)?;
        let name = name.filter(|name| locate::check_name(name).is_ok()).unwrap_or_else(|| NAMELESS.to_owned());
        let release = PluginRelease(release.map_or_else(|| "(no release)".to_owned(), |release| shown(&release)));
        let own_cache = match &settings.cache_dir {
            Some(_) => None,
            None => Some(tempfile::tempdir().context("cannot make a temporary folder for compiled code")?),
        };
        let own_path = own_cache.as_ref().map(|folder| folder.path().to_owned());
        let cache = settings.compiled_dir().or(own_path).context("there is no folder for compiled code")?;
        let has_tools = found.contracts.iter().any(|stated| stated.contract.role == Role::Extension);
        let (bytes, sandbox): (Arc<[u8]>, _) =
            (bytes.into(), Sandbox::compiling_with(limits, environment::own_program()));
        let folder = tempfile::tempdir().context("cannot make a temporary folder for what the component asks for")?;
        let origin = match has_tools {
            // Its pure roles are asked as what they are, and grants change nothing about them; its imports must link.
            true => Origin::Extension(Box::new(Allowed {
                grants: granted(&wants, &golden::Settings::default(), &folder).map_err(|error| anyhow!(error.0))?,
                state_folder: Some(folder.path().join("state")),
                ..Allowed::default()
            })),
            false => Origin::ThirdParty { ecosystems: BTreeSet::new() },
        };
        let plugin =
            Plugin::load(&name, release.clone(), origin, bytes.to_vec().into(), &sandbox, Some(cache.clone()))?;
        runtime.block_on(plugin.prepare(&Cancel::new()))?;
        Ok(Self {
            bytes,
            name,
            release,
            wants,
            sandbox,
            cache,
            runtime,
            accept,
            cancel: Cancel::new(),
            plugin,
            has_tools,
            _own_cache: own_cache,
        })
    }
}

/// What a plugin's error says, without the name its author knows.
pub(super) fn stopped(error: &PluginError) -> Stopped {
    Stopped(crate::cli::check::cause(error))
}

impl Subject for Component {
    fn mapper(&mut self) -> Option<&mut dyn golden::Mapper> {
        if self.plugin.has(Role::Mapper) { Some(self) } else { None }
    }

    fn decoder(&mut self) -> Option<&mut dyn golden::Decoder> {
        if self.plugin.has(Role::Decoder) { Some(self) } else { None }
    }

    fn extension(&mut self) -> Option<&mut dyn golden::Extension> {
        if self.has_tools { Some(self) } else { None }
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn accept(&self) -> String {
        self.accept.clone()
    }
}

impl golden::Mapper for Component {
    fn recognise(&mut self, manifest: &str) -> Result<Option<golden::Recognition>, Stopped> {
        let asked = self.plugin.recognise(manifest.as_bytes().into(), &self.cancel);
        let answer = self.runtime.block_on(asked).map_err(|error| stopped(&error))?;
        Ok(answer.map(convert::recognition))
    }

    fn map(&mut self, manifest: &str) -> Result<Result<golden::Mapping, golden::Fault>, Stopped> {
        let asked = self.plugin.map(manifest.as_bytes().into(), MapOptions::default(), &self.cancel);
        match self.runtime.block_on(asked) {
            Ok(mapping) => Ok(Ok(convert::mapping(mapping))),
            Err(PluginError { cause: Cause::Fault(fault), .. }) => Ok(Err(convert::fault(fault))),
            Err(error) => Err(stopped(&error)),
        }
    }

    fn encode(
        &mut self,
        plan: &[u8],
        arguments: &str,
    ) -> Result<Result<golden::Encoded, Vec<golden::Problem>>, Stopped> {
        let asked = self.plugin.encode(plan.into(), arguments, &self.cancel);
        let answer = self.runtime.block_on(asked).map_err(|error| stopped(&error))?;
        let encoded = answer.map(|it| golden::Encoded { json: it.json, alternatives: it.alternatives });
        Ok(encoded.map_err(convert::problems))
    }

    fn decode(&mut self, plan: &[u8], value: &str) -> Result<Result<String, Vec<golden::Problem>>, Stopped> {
        let asked = self.plugin.decode_result(plan.into(), value, &self.cancel);
        let answer = self.runtime.block_on(asked).map_err(|error| stopped(&error))?;
        Ok(answer.map_err(convert::problems))
    }
}

impl golden::Decoder for Component {
    fn explain(&mut self, failure: &golden::Failure) -> Result<Option<golden::Explanation>, Stopped> {
        let failure = convert::failure(failure);
        let answer = self.runtime.block_on(self.plugin.explain(&failure, &self.cancel));
        Ok(answer.map_err(|error| stopped(&error))?.map(convert::explanation))
    }
}

impl golden::Extension for Component {
    fn open(&mut self, _: &Path, settings: &golden::Settings) -> Result<Box<dyn golden::Tools + '_>, Stopped> {
        Ok(Box::new(Session::open(self, settings)?))
    }
}
