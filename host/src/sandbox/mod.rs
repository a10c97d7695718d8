//! Runs guest code that nobody has to trust, within limits of time, memory and output.
//!
//! In comes a compiled component and a job for it, out comes the job's answer or one typed [`Error`]. A call takes
//! this way:
//!
//! ```text
//! Sandbox::run -> pool (a worker thread) -> store (fresh, limited) -> contract adapter -> guest
//!                                             ^ ticker wakes it every 10 ms: cancelled? past the deadline?
//! ```
//!
//! Components become machine code in a process of their own (`compiler`), within limits too.
//!
//! Every call gets a store of its own, dropped when the call ends, so nothing leaks from one call to the next and a
//! guest that trapped is gone. With `contract` this is the only user of `wasmtime`. It knows no contract, no plugin
//! name and no file format: which functions are called is the contract's business, whose guest it is the artifact's.

mod compiled;
mod compiler;
mod engine;
mod error;
mod limits;
mod pool;
mod reach;
mod store;
mod ticker;
mod waiting;

use crate::model::Cancel;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) use compiled::Compiled;
pub(crate) use compiler::child::serve as compile_for_parent;
pub(crate) use compiler::{Built, Compiler, VERB as COMPILE_VERB};
pub use error::Error;
pub use limits::{Bounds, CompileBounds, Counts, Limits, WebBounds, Work};
pub(crate) use pool::Lane;
pub(crate) use reach::{Allowance, Keeper, Level, Reach, Refusal, Refused, link as link_granted};
pub use reach::{Capability, is_host};
pub(crate) use store::{GuestStore, State};

/// The engine, the worker threads and the limits guests run under.
///
/// Made once and shared. Making one starts no thread: workers start with the first job, the engine with the first
/// component.
#[derive(Debug)]
pub struct Sandbox {
    limits: Limits,
    pool: pool::Pool,
    /// For extensions, which wait for the outside world most of the time: a slow network takes no worker from a mapper.
    waiting: pool::Pool,
    /// The program that compiles; without one, this process does.
    program: Option<PathBuf>,
}

/// Threads for extensions. They sleep more than they compute; those that only compute share the processors with the rest.
const WAITING: usize = 16;

impl Sandbox {
    /// A sandbox with these limits and as many workers as the machine has cores, three at least. Components are compiled in
    /// this process, where nothing bounds the compiler.
    #[must_use]
    pub fn new(limits: Limits) -> Arc<Self> {
        Self::compiling_with(limits, None)
    }

    /// The same with a number of workers; raised to three, so that one spinning plugin blocks neither a short job nor
    /// another plugin's long one.
    #[must_use]
    pub fn with_workers(limits: Limits, workers: usize) -> Arc<Self> {
        Self::make(limits, workers, None)
    }

    /// As [`Sandbox::new`], but components are compiled in processes of `program`, within [`Limits::compile`]: this very
    /// program, if whoever calls knows where it is.
    #[must_use]
    pub fn compiling_with(limits: Limits, program: Option<PathBuf>) -> Arc<Self> {
        Self::make(limits, std::thread::available_parallelism().map_or(3, usize::from), program)
    }

    fn make(limits: Limits, workers: usize, program: Option<PathBuf>) -> Arc<Self> {
        let (pool, waiting) = (pool::Pool::new(workers.max(3)), pool::Pool::new(WAITING));
        Arc::new(Self { limits, pool, waiting, program })
    }

    /// What compiles a component, one that comes with this program or another's.
    pub(crate) fn compiler(&self, is_ours: bool) -> Compiler {
        Compiler { program: self.program.clone(), bounds: self.limits.compile, is_ours }
    }

    /// The limits guests run under.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Runs `job` on a worker with a fresh store that is limited for this kind of work.
    ///
    /// The time limit starts when the job does, not while it queues. When `cancel` fires, the returned future is
    /// ready at once and the guest stops within two epochs (20 ms); a job still in the queue never runs. Dropping
    /// the future has the same effect.
    ///
    /// # Errors
    /// What `job` returns, [`Error::Cancelled`], or [`Error::Host`] when the job panicked or no thread could start.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: Work,
        cancel: &Cancel,
        job: impl FnOnce(&mut GuestStore) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.run_beside(work, cancel, || Ok(()), job).await
    }

    /// As [`Sandbox::run`], for a guest that may reach what `beside` makes; it is made on the worker too.
    ///
    /// # Errors
    /// As [`Sandbox::run`], and what `beside` returns.
    pub(crate) async fn run_beside<X: Send + 'static, T: Send + 'static>(
        &self,
        work: Work,
        cancel: &Cancel,
        beside: impl FnOnce() -> Result<X, Error> + Send + 'static,
        job: impl FnOnce(&mut GuestStore<X>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let bounds = self.limits.of(work);
        let counts = self.limits.counts;
        let token = cancel.clone();
        let run = move |abandoned: &pool::Abandoned| {
            let runtime = engine::runtime()?;
            let _ticking = runtime.ticker.tick();
            let mut store = GuestStore::new(&runtime.engine, bounds, counts, token, abandoned.clone(), beside()?);
            job(&mut store)
        };
        match Lane::of(work) {
            // A pool of its own has nothing that could be kept waiting behind it.
            Lane::Waiting => self.waiting.run(Lane::Short, cancel, run).await?,
            lane => self.pool.run(lane, cancel, run).await?,
        }
    }

    /// Whether no guest is running, so that the process sleeps.
    #[cfg(test)]
    pub(crate) fn is_idle() -> bool {
        engine::runtime().is_ok_and(|runtime| runtime.ticker.is_idle())
    }

    /// Runs host work that is too slow for an async thread (compiling) on a worker.
    ///
    /// # Errors
    /// As [`Sandbox::run`]. The work itself cannot be interrupted (compiling has bounds of its own): when `cancel` fires its
    /// result is dropped.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        cancel: &Cancel,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        self.pool.run(Lane::Long, cancel, move |_| job()).await
    }
}
