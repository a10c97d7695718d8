//! A bounded number of threads for guest code, apart from the threads that speak the protocol.
//!
//! A job goes in with its caller's cancellation, its result comes out of a future. Two lanes: short jobs (one
//! call's arguments) go first, and long ones (mapping, compiling, engines) never take the last worker, so a plugin that
//! spins for its whole 20 s delays nobody's call. Knows nothing of guests.

use super::{Error, Work};
use crate::model::Cancel;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Bytes of stack for each worker: 512 KiB of guest code, and the compiler, which recurses on strangers' functions.
/// Reserved, not used.
const STACK: usize = 8 << 20;

/// Which queue a job waits in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Someone waits for one call.
    Short,
    /// May take seconds by design.
    Long,
    /// May wait for the outside world; runs on a pool of its own, as [`Lane::Short`] there.
    Waiting,
}

impl Lane {
    pub(super) fn of(work: Work) -> Self {
        match work {
            Work::Encode | Work::Decode | Work::Explain => Self::Short,
            Work::Prepare | Work::Recognise | Work::Map | Work::Support | Work::Project | Work::Execute => Self::Long,
            Work::List | Work::Extend => Self::Waiting,
        }
    }
}

/// Says that nobody waits for a job's result any more.
#[derive(Debug, Clone, Default)]
pub(super) struct Abandoned(Arc<AtomicBool>);

impl Abandoned {
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Abandons its job when dropped: the waiting future holds it.
struct Waiter(Abandoned);

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::SeqCst);
    }
}

/// The workers. They start with the first job and end when the pool is dropped.
#[derive(Debug)]
pub(super) struct Pool {
    workers: usize,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Queue {
    short: VecDeque<Job>,
    long: VecDeque<Job>,
    /// Threads alive, and how many of them run a long job.
    workers: usize,
    busy: usize,
    busy_long: usize,
    closed: bool,
}

type Job = Box<dyn FnOnce() + Send>;

impl Pool {
    pub(super) fn new(workers: usize) -> Self {
        Self { workers, shared: Arc::default() }
    }

    /// Runs a job on a worker and waits for it, for `cancel`, or for the caller to drop the future.
    ///
    /// A job nobody waits for any more when its turn comes is not run; a running one can look at [`Abandoned`].
    pub(super) async fn run<T: Send + 'static>(
        &self,
        lane: Lane,
        cancel: &Cancel,
        job: impl FnOnce(&Abandoned) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let waiter = Waiter(Abandoned::default());
        let abandoned = waiter.0.clone();
        let (sender, receiver) = oneshot::channel();
        let wanted = cancel.clone();
        let job = Box::new(move || {
            let result = if wanted.is_cancelled() || abandoned.is_set() {
                Err(Error::Cancelled)
            } else {
                // Whatever the job left half-done belongs to the job and is dropped with it.
                catch_unwind(AssertUnwindSafe(|| job(&abandoned)))
                    .map_err(|panic| Error::Host { text: format!("a panic in the host: {}", panic_text(&*panic)) })
            };
            // Nobody may be waiting any more; then the result has no use.
            let _ = sender.send(result);
        });
        self.submit(lane, job)?;
        tokio::select! {
            biased;
            result = receiver => {
                result.unwrap_or_else(|_| Err(Error::Host { text: "the worker pool is shut down".to_owned() }))
            }
            () = cancel.cancelled() => Err(Error::Cancelled),
        }
    }

    fn submit(&self, lane: Lane, job: Job) -> Result<(), Error> {
        let mut queue = self.shared.lock();
        if queue.busy + queue.short.len() + queue.long.len() >= queue.workers && queue.workers < self.workers {
            self.start_worker(&mut queue)?;
        }
        match lane {
            Lane::Short => queue.short.push_back(job),
            Lane::Long | Lane::Waiting => queue.long.push_back(job),
        }
        drop(queue);
        // All of them: the one woken might be the one that must not take a long job.
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Starts one more worker. Too few threads are no error as long as there are two.
    fn start_worker(&self, queue: &mut Queue) -> Result<(), Error> {
        let shared = self.shared.clone();
        let workers = self.workers;
        let thread = std::thread::Builder::new().name("guest".to_owned()).stack_size(STACK);
        match thread.spawn(move || shared.work(workers)) {
            Ok(_) => queue.workers += 1,
            Err(error) if queue.workers < 2 => {
                return Err(Error::Host { text: format!("no thread for a worker: {error}") });
            }
            Err(error) => tracing::debug!(%error, workers = queue.workers, "no thread for one more worker"),
        }
        Ok(())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.closed = true;
        queue.short.clear();
        queue.long.clear();
        drop(queue);
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Jobs run outside the lock and are caught, so the queue is never left half-changed.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker's life.
    fn work(&self, workers: usize) {
        let mut queue = self.lock();
        loop {
            let Some((lane, job)) = queue.next(workers) else {
                if queue.closed {
                    return;
                }
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            queue.take(lane);
            drop(queue);
            job();
            queue = self.lock();
            queue.give_back(lane);
            // A long job may have waited for this one to end.
            if lane == Lane::Long && !queue.long.is_empty() {
                self.changed.notify_all();
            }
        }
    }
}

impl Queue {
    fn next(&mut self, workers: usize) -> Option<(Lane, Job)> {
        if let Some(job) = self.short.pop_front() {
            return Some((Lane::Short, job));
        }
        // The last worker is kept for short jobs.
        if self.busy_long + 1 < workers {
            return self.long.pop_front().map(|job| (Lane::Long, job));
        }
        None
    }

    fn take(&mut self, lane: Lane) {
        self.busy += 1;
        self.busy_long += usize::from(lane == Lane::Long);
    }

    fn give_back(&mut self, lane: Lane) {
        self.busy -= 1;
        self.busy_long -= usize::from(lane == Lane::Long);
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests;
