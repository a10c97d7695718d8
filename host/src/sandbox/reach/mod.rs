//! What an extension may reach beside its own memory, for one call: nothing but what it was granted.
//!
//! In comes an [`Allowance`], out come a linker with the granted interfaces ([`link`]) and, for each call, a [`Reach`]:
//! its directories, variables and hosts, its lines in the log, its progress. Grants are enforced twice: an interface
//! that is not granted is not linked, and what is linked still reaches only what the grant names. It knows no plugin
//! file and no manifest; that asking and allowing agree is `artifact::asks`' business.

mod address;
mod capability;
mod http;
mod link;
mod log;

pub use capability::Capability;
pub(crate) use http::Refused;
pub use http::is_host;
pub(crate) use link::link;
pub(crate) use log::{Level, Log};

use super::{Counts, Error, State, WebBounds};
use crate::model::{Cancel, Extent, Grants, ProgressReport, ProgressSink};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

/// What one extension may reach, whichever of its calls it is.
#[derive(Clone, Default)]
pub(crate) struct Allowance {
    /// The plugin's name, for labels in the log.
    pub(crate) plugin: String,
    /// What its manifest asks for and the operator allows.
    pub(crate) grants: Grants,
    /// The values of the environment variables among them.
    pub(crate) variables: BTreeMap<String, String>,
    /// What the operator set for it: JSON text by key.
    pub(crate) config: BTreeMap<String, String>,
    /// Where it keeps values from one call to the next, if it may.
    pub(crate) keeper: Option<Arc<dyn Keeper>>,
}

impl fmt::Debug for Allowance {
    /// Variables and configuration may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allowance").field("plugin", &self.plugin).field("grants", &self.grants).finish_non_exhaustive()
    }
}

/// A small store of values by key; bounded by whoever implements it. It may block on the disk for a moment.
pub(crate) trait Keeper: Send + Sync + fmt::Debug {
    /// The value of a key.
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Refusal>;
    /// Keeps a value.
    fn set(&self, key: &str, value: &[u8]) -> Result<(), Refusal>;
    /// Forgets a key.
    fn delete(&self, key: &str) -> Result<(), Refusal>;
    /// The keys, sorted.
    fn keys(&self) -> Result<Vec<String>, Refusal>;
}

/// Why a store refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The key is empty or too long.
    Key,
    /// It would hold more than this many bytes.
    Full(u64),
    /// The system's words.
    Unavailable(String),
}

/// What one call may reach.
pub(crate) struct Reach {
    wasi: WasiCtx,
    table: ResourceTable,
    http: WasiHttpCtx,
    web: http::Web,
    allowance: Arc<Allowance>,
    extent: Extent,
    /// Whether it wanted to keep or forget a value and may only read.
    refused_to_keep: AtomicBool,
    log: Log,
    progress: ProgressSink,
    cancel: Cancel,
}

impl Reach {
    /// What a call of an extension may reach: its grants, or what of them reads. Opens its directories, so it belongs on a worker.
    ///
    /// # Errors
    /// [`Error::Grant`] when a granted directory cannot be opened.
    pub(crate) fn of_call(
        allowance: &Arc<Allowance>,
        extent: Extent,
        bounds: WebBounds,
        counts: Counts,
        progress: ProgressSink,
        cancel: Cancel,
    ) -> Result<Self, Error> {
        Self::new(allowance, (&allowance.grants, extent), bounds, counts, progress, cancel)
    }

    /// What an extension may reach while it lists its tools: the log and its configuration. A list that depended on a
    /// network or a folder would change under the client that read it.
    ///
    /// # Errors
    /// None that a caller need expect.
    pub(crate) fn of_list(
        allowance: &Arc<Allowance>,
        bounds: WebBounds,
        counts: Counts,
        cancel: Cancel,
    ) -> Result<Self, Error> {
        let listing = Arc::new(Allowance { keeper: None, ..(**allowance).clone() });
        Self::new(&listing, (&Grants::default(), Extent::Reading), bounds, counts, ProgressSink::default(), cancel)
    }

    fn new(
        allowance: &Arc<Allowance>,
        (grants, extent): (&Grants, Extent),
        bounds: WebBounds,
        counts: Counts,
        progress: ProgressSink,
        cancel: Cancel,
    ) -> Result<Self, Error> {
        let log = Log::of(&allowance.plugin);
        let mut table = ResourceTable::new();
        table.set_max_capacity(counts.handles);
        Ok(Self {
            wasi: context(allowance, grants, extent, &log)?,
            table,
            http: WasiHttpCtx::new(),
            web: http::Web::new(&grants.http, extent, bounds),
            allowance: Arc::clone(allowance),
            extent,
            refused_to_keep: AtomicBool::new(false),
            log,
            progress,
            cancel,
        })
    }

    /// Writes a line of its own to the log.
    pub(crate) fn log(&self, level: Level, line: &str) {
        self.log.line(level, "log", line);
    }

    /// The value the operator set for a key, as JSON text.
    pub(crate) fn config(&self, key: &str) -> Option<String> {
        self.allowance.config.get(key).cloned()
    }

    /// The keys the operator set.
    pub(crate) fn config_keys(&self) -> Vec<String> {
        self.allowance.config.keys().cloned().collect()
    }

    /// Passes on how far the call is.
    pub(crate) fn report(&self, report: ProgressReport) {
        self.progress.report(report);
    }

    /// Whether nobody wants the answer any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Its store, where it has one.
    pub(crate) fn keeper(&self) -> Result<&dyn Keeper, Refusal> {
        let none = || Refusal::Unavailable("there is no folder for this plugin's values".to_owned());
        self.allowance.keeper.as_deref().ok_or_else(none)
    }

    /// Its store, to change it.
    pub(crate) fn keeper_to_write(&self) -> Result<&dyn Keeper, Refusal> {
        let keeper = self.keeper()?;
        match self.extent {
            Extent::Granted => Ok(keeper),
            Extent::Reading => {
                self.refused_to_keep.store(true, Ordering::Relaxed);
                Err(Refusal::Unavailable(
                    "this server is in read-only mode, and a call only reads its values".to_owned(),
                ))
            }
        }
    }

    /// Whether it was refused to keep or forget a value, because it may only read.
    pub(crate) fn refused_to_keep(&self) -> bool {
        self.refused_to_keep.load(Ordering::Relaxed)
    }

    /// Hosts it was refused in this call, as it named them, with the reason.
    pub(crate) fn refused_hosts(&self) -> Vec<(String, Refused)> {
        self.web.refused()
    }
}

/// The WASI context: what is not named here is not there. No argument, no standard input, no socket.
fn context(allowance: &Allowance, grants: &Grants, extent: Extent, log: &Log) -> Result<WasiCtx, Error> {
    let mut builder = WasiCtx::builder();
    builder.stdout(log.stream("stdout")).stderr(log.stream("stderr"));
    for name in &grants.environment {
        if let Some(value) = allowance.variables.get(name) {
            builder.env(name, value);
        }
    }
    for directory in &grants.directories {
        let Some(host) = &directory.host else { continue };
        let writes = directory.writable && extent == Extent::Granted;
        let permissions = if writes { FsPerms::ReadWrite } else { FsPerms::ReadOnly };
        // Opened anew for each call: a directory that was moved or replaced meanwhile is the one the operator means now.
        builder
            .preopened_dir(host, &directory.guest, permissions)
            .map_err(|error| Error::Grant { path: host.clone(), text: super::error::words(&error) })?;
    }
    Ok(builder.build())
}

impl WasiView for State<Reach> {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.beside.wasi, table: &mut self.beside.table }
    }
}

impl WasiHttpView for State<Reach> {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        let Reach { http, web, table, .. } = &mut self.beside;
        WasiHttpCtxView { ctx: http, table, hooks: web }
    }
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reach").field("plugin", &self.allowance.plugin).finish_non_exhaustive()
    }
}
