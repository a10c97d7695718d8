//! One plugin: a component with a name, a release and an origin, that answers in `model` types.
//!
//! In comes what a call needs, out comes the checked answer or a [`PluginError`] that names the plugin. The component
//! is compiled when first called, once, on a sandbox worker; making a [`Plugin`] only inspects its bytes. It knows
//! no MCP and no ecosystem, and keeps nothing between calls but the compiled code.

use super::digest::Digest;
use super::inspect::{Inspection, Stated, inspect, inspect_extension};
use super::usage::Meter;
use super::{Error, cache, compiling, locate};
use crate::contract::supported::Role;
use crate::contract::{
    Breach, Decoder, Engine, Extension, Mapper, Projected, accept_decoded, accept_encoded, accept_executed,
    accept_mapping, accept_recognition, accept_unsupported,
};
use crate::model::{
    CallSpec, Cancel, ContractVersion, Encoded, EngineAbout, EngineFailure, Explanation, Failure, Fault, MapOptions,
    Mapping, PluginRelease, Problem, Recognition, Unsupported,
};
use crate::sandbox::{self, Allowance, Compiler, GuestStore, Sandbox, Work};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::Semaphore;

mod extension;

pub use extension::{Allowed, Extended};

/// Where a plugin comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// It comes with this program.
    Bundled,
    /// The operator named its file on the command line, as an engine: it runs functions of every ecosystem and is listened
    /// to about nothing else.
    Named,
    /// The operator added it.
    ThirdParty {
        /// The ecosystems the operator assigned to it; it is never listened to about others.
        ecosystems: BTreeSet<String>,
    },
    /// The operator added it for the tools it brings, and allows it this.
    Extension(Box<Allowed>),
}

/// A plugin that passed inspection.
#[derive(Debug)]
pub struct Plugin {
    name: String,
    release: PluginRelease,
    digest: Digest,
    origin: Origin,
    contracts: Vec<Stated>,
    sandbox: Arc<Sandbox>,
    code: Arc<Code>,
    /// How many calls of an extension may run at once.
    turns: Semaphore,
}

/// Why a plugin gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginError {
    /// The plugin's name.
    pub plugin: String,
    /// Its release.
    pub release: PluginRelease,
    /// What it was doing.
    pub work: Work,
    /// What went wrong.
    pub cause: Cause,
}

/// What went wrong in or around a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// It was stopped, or could not be run.
    Sandbox(sandbox::Error),
    /// Its file cannot be read.
    File {
        /// Why, with the file.
        problem: String,
    },
    /// Its file is no longer what was accepted.
    Changed {
        /// What the file is.
        found: Digest,
    },
    /// It refused the manifest, in its own words.
    Fault(Fault),
    /// It broke its contract.
    Breach(Breach),
    /// It has no such role.
    NoRole(Role),
}

impl PluginError {
    /// A stable name for this kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match &self.cause {
            Cause::Sandbox(error) => error.code(),
            Cause::File { .. } => "plugin::file",
            Cause::Changed { .. } => "lock::differs",
            Cause::Fault(Fault::NotRecognised(_)) => "plugin::not_recognised",
            Cause::Fault(Fault::Malformed { .. }) => "plugin::malformed",
            Cause::Fault(Fault::TooLarge(_)) => "plugin::too_large",
            Cause::Breach(breach) => breach.code(),
            Cause::NoRole(_) => "plugin::no_role",
        }
    }

    /// Whether the caller asked for the end, so that there is nothing to report.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cause == Cause::Sandbox(sandbox::Error::Cancelled)
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plugin, release, work, cause } = self;
        let work = work.doing();
        write!(f, "plugin `{plugin}` {release} ")?;
        match cause {
            // Not what it did, but what it may: its own hint says the rest.
            Cause::Sandbox(error @ sandbox::Error::Ungranted { .. }) => write!(f, "{error}"),
            Cause::Sandbox(error) => {
                write!(f, "{error} while {work}")?;
                error.hint().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
            }
            Cause::File { problem } => write!(f, "is not run: {problem}"),
            Cause::Changed { found } => write!(
                f,
                "is not what was accepted and is not run: its file is sha256:{found}\n\
                 hint: if that is meant, `abi-mcp plugin accept {plugin}` accepts it"
            ),
            Cause::Fault(fault) => write!(f, "refused: {fault}"),
            Cause::Breach(breach) => write!(f, "broke its contract while {work}: it {breach}"),
            Cause::NoRole(role) => write!(f, "is no {role}"),
        }
    }
}

impl std::error::Error for PluginError {}

impl Plugin {
    /// Inspects a component and makes a plugin of it; compiles and runs nothing.
    ///
    /// `cache` is the folder for compiled code, owner-only; without it (or when it is unusable) the code is compiled
    /// anew in each process.
    ///
    /// # Errors
    /// When the name would not do, or the bytes are no plugin this host can run.
    pub fn load(
        name: &str,
        release: PluginRelease,
        origin: Origin,
        bytes: Cow<'static, [u8]>,
        sandbox: &Arc<Sandbox>,
        cache: Option<PathBuf>,
    ) -> Result<Self, Error> {
        locate::check_name(name)?;
        let inspect = if matches!(origin, Origin::Extension(_)) { inspect_extension } else { inspect };
        let Inspection { contracts, imports } = match inspect(&bytes, sandbox.limits().largest_memory()) {
            Ok(inspection) => inspection,
            Err(cause) => return Err(Error::Inspect { plugin: name.to_owned(), release, cause }),
        };
        let origin = extension::admitted(name, &release, origin, &bytes, &contracts, &imports)?;
        let digest = Digest::of(&bytes);
        Ok(Self::new(name, release, origin, (digest, Bytes::Here(bytes)), contracts, sandbox, cache))
    }

    /// A plugin that was inspected when it was accepted; its file is read when it is first needed, and held to the digest
    /// then.
    pub(super) fn accepted(
        name: &str,
        release: PluginRelease,
        origin: Origin,
        (digest, file): (Digest, PathBuf),
        contracts: Vec<Stated>,
        sandbox: &Arc<Sandbox>,
        cache: Option<PathBuf>,
    ) -> Self {
        let bytes = Bytes::InFile { path: file, held: Mutex::default() };
        Self::new(name, release, origin, (digest, bytes), contracts, sandbox, cache)
    }

    fn new(
        name: &str,
        release: PluginRelease,
        origin: Origin,
        (digest, bytes): (Digest, Bytes),
        contracts: Vec<Stated>,
        sandbox: &Arc<Sandbox>,
        cache: Option<PathBuf>,
    ) -> Self {
        let code = Arc::new(Code {
            plugin: name.to_owned(),
            bytes,
            digest,
            cache,
            compiler: sandbox.compiler(origin == Origin::Bundled),
            contracts: contracts.clone(),
            allowance: extension::allowance(name, &origin),
            linked: OnceLock::new(),
            compiling: Mutex::new(()),
        });
        Self {
            name: name.to_owned(),
            release,
            digest,
            origin,
            contracts,
            sandbox: sandbox.clone(),
            code,
            turns: Semaphore::new(extension::AT_ONCE),
        }
    }

    /// The name it was configured or bundled under.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its release, as its author numbers it.
    #[must_use]
    pub fn release(&self) -> &PluginRelease {
        &self.release
    }

    /// The digest of its bytes.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Where it comes from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether another is the same content under the same name, trusted with the same.
    #[must_use]
    pub fn is_as(&self, other: &Self) -> bool {
        self.name == other.name
            && self.digest == other.digest
            && self.origin == other.origin
            && self.contracts == other.contracts
    }

    /// Its roles, each with the contract version it states.
    pub fn roles(&self) -> impl Iterator<Item = (Role, ContractVersion)> + '_ {
        self.contracts.iter().map(|stated| (stated.contract.role, stated.version))
    }

    /// Whether it has a role.
    #[must_use]
    pub fn has(&self, role: Role) -> bool {
        self.roles().any(|(found, _)| found == role)
    }

    /// Compiles it now (or loads it from the cache), so that the first call need not wait.
    ///
    /// # Errors
    /// When it does not compile, lacks a function of its contract, or `cancel` fires first.
    pub async fn prepare(&self, cancel: &Cancel) -> Result<(), PluginError> {
        self.linked(cancel).await.map(|_| ()).map_err(|cause| self.error(Work::Prepare, cause))
    }

    /// Reads its file now, so that replacing the file later takes nothing from calls of this plugin.
    ///
    /// # Errors
    /// When the file is not what was accepted, cannot be read, or `cancel` fires first.
    pub async fn hold(&self, cancel: &Cancel) -> Result<(), PluginError> {
        if self.is_held() {
            return Ok(());
        }
        let code = self.code.clone();
        let held = self.sandbox.compute(cancel, move || code.bytes.with(&code.digest, |_| ())).await;
        held.map_err(Cause::Sandbox).and_then(|held| held).map_err(|cause| self.error(Work::Prepare, cause))
    }

    /// Whether it can run without its file.
    #[must_use]
    pub fn is_held(&self) -> bool {
        matches!(self.code.linked.get(), Some(Ok(_))) || self.code.bytes.is_held()
    }

    /// Whether it understands a manifest.
    ///
    /// # Errors
    /// When it is stopped, is no mapper, or names an ecosystem in a wrong form.
    pub async fn recognise(&self, manifest: Arc<[u8]>, cancel: &Cancel) -> Result<Option<Recognition>, PluginError> {
        let work = Work::Recognise;
        let answer = self.ask_mapper(work, cancel, move |mapper, store| mapper.recognise(store, &manifest)).await?;
        answer.map(accept_recognition).transpose().map_err(|breach| self.error(work, Cause::Breach(breach)))
    }

    /// A manifest's methods with their signatures. A method that breaks a rule of the contract is skipped.
    ///
    /// # Errors
    /// When it is stopped, is no mapper, or refuses the manifest as a whole.
    pub async fn map(&self, manifest: Arc<[u8]>, options: MapOptions, cancel: &Cancel) -> Result<Mapping, PluginError> {
        let work = Work::Map;
        // Checked on the worker too: parsing thousands of schemas is no work for the protocol's threads.
        let map = move |mapper: &dyn Mapper, store: &mut GuestStore| {
            Ok(mapper.map(store, &manifest, options)?.map(accept_mapping))
        };
        let answer = self.ask_mapper(work, cancel, map).await?;
        answer.map_err(|fault| self.error(work, Cause::Fault(fault)))
    }

    /// One call's arguments (JSON text) as the backend takes them; the inner error is the arguments' fault.
    ///
    /// # Errors
    /// When it is stopped, is no mapper, or answers with something that is not JSON.
    pub async fn encode(
        &self,
        plan: Arc<[u8]>,
        arguments: &str,
        cancel: &Cancel,
    ) -> Result<Result<Encoded, Vec<Problem>>, PluginError> {
        let (work, arguments) = (Work::Encode, arguments.to_owned());
        let meter = Meter::of(&self.name);
        meter.handed_in(plan.len() + arguments.len());
        let encode = move |mapper: &dyn Mapper, store: &mut GuestStore| {
            Ok(mapper.encode(store, &plan, arguments)?.map(accept_encoded))
        };
        let encoded = self.unbreached(work, self.ask_mapper(work, cancel, encode).await?);
        if let Ok(Ok(Encoded { json, alternatives })) = &encoded {
            meter.handed_out(json.len() + alternatives.iter().map(String::len).sum::<usize>());
        }
        encoded
    }

    /// One call's raw result (JSON text) as the output schema describes it; the inner error is the result's fault.
    ///
    /// # Errors
    /// When it is stopped, is no mapper, or answers with something that is not JSON.
    pub async fn decode_result(
        &self,
        plan: Arc<[u8]>,
        value: &str,
        cancel: &Cancel,
    ) -> Result<Result<String, Vec<Problem>>, PluginError> {
        let (work, value) = (Work::Decode, value.to_owned());
        let meter = Meter::of(&self.name);
        meter.handed_in(plan.len() + value.len());
        let decode = move |mapper: &dyn Mapper, store: &mut GuestStore| {
            Ok(mapper.decode(store, &plan, value)?.map(accept_decoded))
        };
        let decoded = self.unbreached(work, self.ask_mapper(work, cancel, decode).await?);
        if let Ok(Ok(value)) = &decoded {
            meter.handed_out(value.len());
        }
        decoded
    }

    /// A failure in words; `None` when it knows nothing of it.
    ///
    /// # Errors
    /// When it is stopped, or is no error decoder.
    pub async fn explain(&self, failure: &Failure, cancel: &Cancel) -> Result<Option<Explanation>, PluginError> {
        let work = Work::Explain;
        let failed = |error| self.error(work, Cause::Sandbox(error));
        let linked = self.linked(cancel).await.map_err(|cause| self.error(work, cause))?;
        let decoder = linked.decoder.ok_or_else(|| self.error(work, Cause::NoRole(Role::Decoder)))?;
        let failure = failure.clone();
        self.sandbox.run(work, cancel, move |store| decoder.explain(store, &failure)).await.map_err(failed)
    }

    /// A manifest's tools in a format of the ecosystem's own; `settings` is a JSON object.
    ///
    /// # Errors
    /// When it is stopped, or is no mapper.
    pub async fn project(
        &self,
        manifest: Arc<[u8]>,
        format: &str,
        settings: &str,
        cancel: &Cancel,
    ) -> Result<Projected, PluginError> {
        let (format, settings) = (format.to_owned(), settings.to_owned());
        let project =
            move |mapper: &dyn Mapper, store: &mut GuestStore| mapper.project(store, &manifest, &format, &settings);
        self.ask_mapper(Work::Project, cancel, project).await
    }

    /// What an engine says it is.
    ///
    /// # Errors
    /// When it is stopped, or is no engine.
    pub async fn about(&self, cancel: &Cancel) -> Result<EngineAbout, PluginError> {
        self.ask_engine(Work::Execute, cancel, |engine, store| engine.describe(store)).await
    }

    /// Which of these call-specs it cannot run, in order; `None` when it does not read their format at all.
    ///
    /// # Errors
    /// When it is stopped, is no engine, or names a call-spec nobody asked about.
    pub async fn supported(
        &self,
        specs: Vec<CallSpec>,
        cancel: &Cancel,
    ) -> Result<Option<Vec<Unsupported>>, PluginError> {
        let (work, count) = (Work::Support, specs.len());
        let answer = self.ask_engine(work, cancel, move |engine, store| engine.supported(store, &specs)).await?;
        let checked = answer.map(|unsupported| accept_unsupported(unsupported, count)).transpose();
        checked.map_err(|breach| self.error(work, Cause::Breach(breach)))
    }

    /// Runs one call in an engine; the inner error is the ecosystem's own. The result is JSON text, `None` for nothing.
    ///
    /// # Errors
    /// When it is stopped (a trap, the deadline, memory), is no engine, or answers with something that is not JSON.
    pub async fn execute(
        &self,
        spec: &CallSpec,
        arguments: &str,
        cancel: &Cancel,
    ) -> Result<Result<Option<String>, EngineFailure>, PluginError> {
        let (work, spec, arguments) = (Work::Execute, spec.clone(), arguments.to_owned());
        let meter = Meter::of(&self.name);
        meter.handed_in(spec.bytes.len() + arguments.len());
        let execute = move |engine: &dyn Engine, store: &mut GuestStore| {
            Ok(engine.execute(store, &spec, &arguments)?.map(accept_executed))
        };
        match self.ask_engine(work, cancel, execute).await? {
            Ok(Ok(result)) => {
                meter.handed_out(result.as_ref().map_or(0, String::len));
                Ok(Ok(result))
            }
            Ok(Err(breach)) => Err(self.error(work, Cause::Breach(breach))),
            Err(failure) => Ok(Err(failure)),
        }
    }

    async fn ask_engine<T: Send + 'static>(
        &self,
        work: Work,
        cancel: &Cancel,
        job: impl FnOnce(&dyn Engine, &mut GuestStore) -> Result<T, sandbox::Error> + Send + 'static,
    ) -> Result<T, PluginError> {
        let failed = |error| self.error(work, Cause::Sandbox(error));
        let linked = self.linked(cancel).await.map_err(|cause| self.error(work, cause))?;
        let engine = linked.engine.ok_or_else(|| self.error(work, Cause::NoRole(Role::Engine)))?;
        let job = metered(Meter::of(&self.name), move |store: &mut GuestStore| job(&*engine, store));
        self.sandbox.run(work, cancel, job).await.map_err(failed)
    }

    async fn ask_mapper<T: Send + 'static>(
        &self,
        work: Work,
        cancel: &Cancel,
        job: impl FnOnce(&dyn Mapper, &mut GuestStore) -> Result<T, sandbox::Error> + Send + 'static,
    ) -> Result<T, PluginError> {
        let failed = |error| self.error(work, Cause::Sandbox(error));
        let linked = self.linked(cancel).await.map_err(|cause| self.error(work, cause))?;
        let mapper = linked.mapper.ok_or_else(|| self.error(work, Cause::NoRole(Role::Mapper)))?;
        let job = metered(Meter::of(&self.name), move |store: &mut GuestStore| job(&*mapper, store));
        self.sandbox.run(work, cancel, job).await.map_err(failed)
    }

    /// Turns a breach within an answer into this plugin's error.
    fn unbreached<T>(
        &self,
        work: Work,
        answer: Result<Result<T, Breach>, Vec<Problem>>,
    ) -> Result<Result<T, Vec<Problem>>, PluginError> {
        match answer {
            Ok(Ok(accepted)) => Ok(Ok(accepted)),
            Ok(Err(breach)) => Err(self.error(work, Cause::Breach(breach))),
            Err(problems) => Ok(Err(problems)),
        }
    }

    /// The compiled code, linked. Compiles it the first time, on a worker.
    async fn linked(&self, cancel: &Cancel) -> Result<Linked, Cause> {
        if let Some(linked) = self.code.linked.get() {
            return linked.clone().map_err(Cause::Sandbox);
        }
        let code = self.code.clone();
        self.sandbox.compute(cancel, move || code.linked()).await.map_err(Cause::Sandbox)?
    }

    fn error(&self, work: Work, cause: Cause) -> PluginError {
        PluginError { plugin: self.name.clone(), release: self.release.clone(), work, cause }
    }
}

/// A job whose instance's memory is counted, however it ends.
fn metered<X: Send, T>(
    meter: Meter,
    job: impl FnOnce(&mut GuestStore<X>) -> Result<T, sandbox::Error>,
) -> impl FnOnce(&mut GuestStore<X>) -> Result<T, sandbox::Error> {
    move |store| {
        let answer = job(store);
        meter.saw(store);
        answer
    }
}

/// A plugin's bytes and what was made of them.
struct Code {
    /// Whose it is, for whoever waits while it is compiled.
    plugin: String,
    bytes: Bytes,
    digest: Digest,
    cache: Option<PathBuf>,
    compiler: Compiler,
    contracts: Vec<Stated>,
    /// What the operator allows its calls to reach; nothing for everything but extensions.
    allowance: Allowance,
    /// A failure of the bytes is kept too: they fail the same way again.
    linked: OnceLock<Result<Linked, sandbox::Error>>,
    /// Held while compiling.
    compiling: Mutex<()>,
}

/// Where a plugin's bytes are.
enum Bytes {
    /// In memory.
    Here(Cow<'static, [u8]>),
    /// In a file, until they are first needed; kept from then until they are compiled.
    InFile { path: PathBuf, held: Mutex<Option<Arc<[u8]>>> },
}

impl Bytes {
    /// Does something with the bytes of this digest.
    fn with<T>(&self, accepted: &Digest, job: impl FnOnce(&[u8]) -> T) -> Result<T, Cause> {
        match self {
            Self::Here(bytes) => Ok(job(bytes)),
            Self::InFile { path, held } => Ok(job(&Self::held(path, held, accepted)?)),
        }
    }

    fn held(path: &Path, held: &Mutex<Option<Arc<[u8]>>>, accepted: &Digest) -> Result<Arc<[u8]>, Cause> {
        let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = &*held {
            return Ok(Arc::clone(bytes));
        }
        let failed = |error: locate::LocateError| Cause::File { problem: crate::report::failure(&error.into()) };
        let bytes: Arc<[u8]> = locate::read(path).map_err(failed)?.into();
        // The digest of the very bytes that will run: the file can change again.
        let found = Digest::of(&bytes);
        if found != *accepted {
            return Err(Cause::Changed { found });
        }
        *held = Some(Arc::clone(&bytes));
        Ok(bytes)
    }

    fn is_held(&self) -> bool {
        match self {
            Self::Here(_) => true,
            Self::InFile { held, .. } => held.lock().unwrap_or_else(PoisonError::into_inner).is_some(),
        }
    }

    /// Gives the memory back, once there is compiled code.
    fn let_go(&self) {
        if let Self::InFile { held, .. } = self {
            held.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }
}

/// The roles of a component, ready to be instantiated.
#[derive(Clone, Default)]
struct Linked {
    mapper: Option<Arc<dyn Mapper>>,
    decoder: Option<Arc<dyn Decoder>>,
    engine: Option<Arc<dyn Engine>>,
    /// With what its calls may reach: both asked for and allowed.
    extension: Option<(Arc<dyn Extension>, Arc<Allowance>)>,
}

impl Code {
    fn linked(&self) -> Result<Linked, Cause> {
        // Two first calls at once: the second waits and takes what the first made.
        let _alone = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(linked) = self.linked.get() {
            return linked.clone().map_err(Cause::Sandbox);
        }
        // A file that is not there, or another, passes.
        match self.bytes.with(&self.digest, |bytes| self.link(bytes))? {
            // This machine's own trouble (no memory, no thread) passes; what the bytes are does not.
            Err(error @ sandbox::Error::Host { .. }) => Err(Cause::Sandbox(error)),
            lasting => {
                let kept = self.linked.get_or_init(|| lasting).clone().map_err(Cause::Sandbox);
                self.bytes.let_go();
                kept
            }
        }
    }

    fn link(&self, bytes: &[u8]) -> Result<Linked, sandbox::Error> {
        let cache = self.cache.as_deref();
        let compile = || cache::compiled(bytes, &self.digest, cache, &self.compiler);
        let compiled = compiling::told(&self.plugin, bytes.len(), cache::kept(&self.digest, cache), compile)?;
        let mut linked = Linked::default();
        for Stated { contract, .. } in &self.contracts {
            linked.mapper = contract.link_mapper(&compiled).transpose()?.or(linked.mapper);
            linked.decoder = contract.link_decoder(&compiled).transpose()?.or(linked.decoder);
            linked.engine = contract.link_engine(&compiled).transpose()?.or(linked.engine);
            if contract.role == Role::Extension {
                let allowance = extension::effective(&self.allowance, bytes)?;
                let extension = contract.link_extension(&compiled, &allowance.grants).transpose()?;
                linked.extension = extension.map(|extension| (extension, Arc::new(allowance)));
            }
        }
        Ok(linked)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code").field("digest", &self.digest).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
