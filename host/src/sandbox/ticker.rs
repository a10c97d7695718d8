//! Advances the engine's epoch while guests run, and sleeps otherwise.
//!
//! A running guest looks at its deadline and its caller's cancellation once each epoch. An idle process has no
//! epochs, so it has no wake-ups either.

use super::Error;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wasmtime::Engine;

/// How long an epoch lasts: a cancelled guest runs on for two of them at most, and 100 wake-ups a second while guests
/// run cost nothing that can be measured.
const EPOCH: Duration = Duration::from_millis(10);

/// The thread that ticks. It lives as long as the process.
#[derive(Debug)]
pub(super) struct Ticker {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Guests running now.
    running: Mutex<usize>,
    /// Signalled when the first one starts.
    started: Condvar,
}

impl Shared {
    fn running(&self) -> MutexGuard<'_, usize> {
        // A counter cannot be left half-changed, so a panic elsewhere does not spoil it.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Epochs pass while one of these lives.
#[derive(Debug)]
pub(super) struct Ticking<'a>(&'a Shared);

impl Ticker {
    /// Starts the thread, asleep.
    pub(super) fn start(engine: Engine) -> Result<Self, Error> {
        let shared = Arc::new(Shared::default());
        let for_thread = shared.clone();
        std::thread::Builder::new()
            .name("guest-ticker".to_owned())
            .spawn(move || advance(&engine, &for_thread))
            .map_err(|error| Error::Host { text: format!("no thread for the ticker: {error}") })?;
        Ok(Self { shared })
    }

    /// Lets epochs pass until the answer is dropped.
    pub(super) fn tick(&self) -> Ticking<'_> {
        let mut running = self.shared.running();
        *running += 1;
        if *running == 1 {
            self.shared.started.notify_one();
        }
        Ticking(&self.shared)
    }

    #[cfg(test)]
    pub(super) fn is_idle(&self) -> bool {
        *self.shared.running() == 0
    }
}

impl Drop for Ticking<'_> {
    fn drop(&mut self) {
        *self.0.running() -= 1;
    }
}

fn advance(engine: &Engine, shared: &Shared) {
    loop {
        let idle = shared.running();
        let busy = shared.started.wait_while(idle, |running| *running == 0).unwrap_or_else(PoisonError::into_inner);
        drop(busy);
        std::thread::sleep(EPOCH);
        engine.increment_epoch();
    }
}
