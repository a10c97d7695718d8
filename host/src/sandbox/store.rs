//! One call's store: the guest's memory, the limits it lives under, and what it may reach beside them.
//!
//! Made for a call and dropped with it. The limits are our own types all the way, so that an error says which of
//! them was met without reading the engine's words. What a guest may reach ([`State::beside`]) is nothing for a pure
//! contract and [`super::Reach`] for an extension; only the latter's calls can wait for the outside world.

use super::error::{Stage, classify};
use super::pool::Abandoned;
use super::waiting;
use super::{Bounds, Counts, Error};
use crate::model::Cancel;
use std::time::{Duration, Instant};
use wasmtime::{Engine, ResourceLimiter, Store, UpdateDeadline};

/// How often a guest that waits for the outside world is looked at: as often as a computing one is.
const LOOK: Duration = Duration::from_millis(10);

/// A store with its limits set.
#[derive(Debug)]
pub(crate) struct GuestStore<X: 'static = ()> {
    inner: Store<State<X>>,
    handed_over: usize,
    stack: usize,
    patience: Patience,
}

/// What the host keeps beside a guest: the limits, and what it may reach.
#[derive(Debug)]
pub(crate) struct State<X = ()> {
    limiter: Limiter,
    pub(crate) beside: X,
}

/// Carried through `wasmtime` by an error that one of our own limits raised.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) struct Stopped(pub(super) Error);

/// How long a call is let go on.
#[derive(Debug, Clone)]
struct Patience {
    cancel: Cancel,
    abandoned: Abandoned,
    deadline: Instant,
    limit: Duration,
}

impl Patience {
    /// Why the call must end now, if it must.
    fn spent(&self) -> Option<Error> {
        if self.cancel.is_cancelled() || self.abandoned.is_set() {
            return Some(Error::Cancelled);
        }
        (Instant::now() >= self.deadline).then_some(Error::Deadline { limit: self.limit })
    }

    /// Ready once the call must end.
    async fn wait(&self) -> Error {
        loop {
            if let Some(error) = self.spent() {
                return error;
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

impl<X: Send> GuestStore<X> {
    pub(super) fn new(
        engine: &Engine,
        bounds: Bounds,
        counts: Counts,
        cancel: Cancel,
        abandoned: Abandoned,
        beside: X,
    ) -> Self {
        let limiter = Limiter { memory: bounds.memory, used: 0, counts };
        let mut inner = Store::new(engine, State { limiter, beside });
        inner.limiter(|state| &mut state.limiter);
        inner.set_hostcall_fuel(bounds.handed_over);
        inner.set_max_component_handles(counts.handles);
        let deadline = Instant::now() + bounds.time;
        let patience = Patience { cancel, abandoned, deadline, limit: bounds.time };
        inner.set_epoch_deadline(1);
        let watched = patience.clone();
        inner.epoch_deadline_callback(move |_| match watched.spent() {
            Some(error) => Err(Stopped(error).into()),
            None => Ok(UpdateDeadline::Continue(1)),
        });
        Self { inner, handed_over: bounds.handed_over, stack: counts.stack, patience }
    }

    /// Makes an instance with `instantiate`.
    pub(crate) fn start<T>(
        &mut self,
        instantiate: impl FnOnce(&mut Store<State<X>>) -> wasmtime::Result<T>,
    ) -> Result<T, Error> {
        instantiate(&mut self.inner).map_err(|error| self.classify(&error, Stage::Start))
    }

    /// Calls one of the instance's functions with `call`. After an error the instance is dead.
    pub(crate) fn call<T>(
        &mut self,
        call: impl FnOnce(&mut Store<State<X>>) -> wasmtime::Result<T>,
    ) -> Result<T, Error> {
        call(&mut self.inner).map_err(|error| self.classify(&error, Stage::Call))
    }

    /// Makes an instance and calls its functions in one go, for guests whose imports may wait. Ends at the deadline and
    /// with the caller's cancellation even while the guest sleeps in an import.
    pub(crate) fn wait<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut Store<State<X>>) -> wasmtime::Result<T>,
    ) -> Result<T, Error> {
        let (patience, inner) = (&self.patience, &mut self.inner);
        let outcome = waiting::runtime()?.block_on(async {
            tokio::select! {
                biased;
                outcome = work(inner) => Ok(outcome),
                // The guest is dropped where it waits; its store is of no more use, and goes with this call.
                error = patience.wait() => Err(error),
            }
        })?;
        outcome.map_err(|error| self.classify(&error, Stage::Call))
    }

    /// Bytes of linear memory of the call so far, all memories together; memory never shrinks.
    pub(crate) fn peak_memory(&self) -> usize {
        self.inner.data().limiter.used
    }

    /// What it may reach, to be read after its call.
    pub(crate) fn beside(&self) -> &X {
        &self.inner.data().beside
    }

    fn classify(&self, error: &wasmtime::Error, stage: Stage) -> Error {
        classify(error, stage, self.handed_over, self.stack)
    }
}

/// Says no to growth beyond the limits, by an error that ends the guest. (A mere refusal would reach the guest's
/// allocator, which aborts with a trap that no longer says why.)
#[derive(Debug)]
struct Limiter {
    /// Bytes allowed, all memories together.
    memory: usize,
    /// Bytes in use.
    used: usize,
    counts: Counts,
}

impl ResourceLimiter for Limiter {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        let asked = self.used.saturating_add(desired.saturating_sub(current));
        if asked > self.memory {
            return Err(Stopped(Error::Memory { limit: self.memory, asked }).into());
        }
        self.used = asked;
        Ok(true)
    }

    fn table_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        let limit = self.counts.table_elements;
        if desired > limit {
            return Err(Stopped(Error::Table { limit, asked: desired }).into());
        }
        Ok(true)
    }

    fn instances(&self) -> usize {
        self.counts.instances
    }

    fn tables(&self) -> usize {
        self.counts.tables
    }

    fn memories(&self) -> usize {
        self.counts.memories
    }
}
