//! One call's store: the guest's memory, and the limits it lives under.
//!
//! Made for a call and dropped with it. The limits are our own types all the way, so that an error says which of
//! them was met without reading the engine's words.

use super::error::{Stage, classify};
use super::pool::Abandoned;
use super::{Bounds, Counts, Error};
use crate::model::Cancel;
use std::time::Instant;
use wasmtime::{Engine, ResourceLimiter, Store, UpdateDeadline};

/// A store with its limits set.
#[derive(Debug)]
pub(crate) struct GuestStore {
    inner: Store<State>,
    handed_over: usize,
    stack: usize,
}

/// What the host keeps beside a guest. Pure contracts import nothing, so it is the limits and nothing else.
#[derive(Debug)]
pub(crate) struct State {
    limiter: Limiter,
}

/// Carried through `wasmtime` by an error that one of our own limits raised.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) struct Stopped(pub(super) Error);

impl GuestStore {
    pub(super) fn new(engine: &Engine, bounds: Bounds, counts: Counts, cancel: Cancel, abandoned: Abandoned) -> Self {
        let limiter = Limiter { memory: bounds.memory, used: 0, counts };
        let mut inner = Store::new(engine, State { limiter });
        inner.limiter(|state| &mut state.limiter);
        inner.set_hostcall_fuel(bounds.handed_over);
        inner.set_max_component_handles(counts.handles);
        let deadline = Instant::now() + bounds.time;
        inner.set_epoch_deadline(1);
        inner.epoch_deadline_callback(move |_| {
            if cancel.is_cancelled() || abandoned.is_set() {
                return Err(Stopped(Error::Cancelled).into());
            }
            if Instant::now() >= deadline {
                return Err(Stopped(Error::Deadline { limit: bounds.time }).into());
            }
            Ok(UpdateDeadline::Continue(1))
        });
        Self { inner, handed_over: bounds.handed_over, stack: counts.stack }
    }

    /// Makes an instance with `instantiate`.
    pub(crate) fn start<T>(
        &mut self,
        instantiate: impl FnOnce(&mut Store<State>) -> wasmtime::Result<T>,
    ) -> Result<T, Error> {
        instantiate(&mut self.inner).map_err(|error| self.classify(&error, Stage::Start))
    }

    /// Calls one of the instance's functions with `call`. After an error the instance is dead.
    pub(crate) fn call<T>(&mut self, call: impl FnOnce(&mut Store<State>) -> wasmtime::Result<T>) -> Result<T, Error> {
        call(&mut self.inner).map_err(|error| self.classify(&error, Stage::Call))
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
