//! The process's one engine: how guest code is compiled and interrupted.
//!
//! Made on first use, because compiling is the first thing that needs it and a server that lists cached tools
//! compiles nothing. Settings that change compiled code change the engine's compatibility hash, so the compiled-code
//! cache needs no version of its own.

use super::Error;
use super::ticker::Ticker;
use rustix::process::{Resource, getrlimit};
use sha2::{Digest, Sha256};
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;
use wasmtime::{Config, Engine};

/// Bytes of stack guest code may use: the engine's default, which deep but honest recursion (a JSON parser's 128
/// levels) fits many times. Worker threads have room for it, see [`super::pool`].
pub(super) const WASM_STACK: usize = 512 << 10;

/// Address space below which the engine's usual reservation of 4 GiB for each memory is not affordable: eight
/// memories for each of a few workers.
const ROOMY: u64 = 256 << 30;

/// The engine and what interrupts it.
#[derive(Debug)]
pub(super) struct Runtime {
    pub(super) engine: Engine,
    pub(super) ticker: Ticker,
}

/// The process's engine, made on first use.
///
/// # Errors
/// [`Error::Host`] when this machine has no engine (an unsupported processor) or no thread to spare.
pub(super) fn runtime() -> Result<&'static Runtime, Error> {
    static RUNTIME: OnceLock<Result<Runtime, Error>> = OnceLock::new();
    RUNTIME.get_or_init(make).as_ref().map_err(Clone::clone)
}

/// A text that two engines share only if they can load each other's compiled code. Differs between releases of the
/// engine, its settings and the processor's features.
///
/// # Errors
/// As [`runtime`].
pub(super) fn compatibility() -> Result<String, Error> {
    let mut hasher = Sha256Hasher(Sha256::new());
    runtime()?.engine.precompile_compatibility_hash().hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}

fn make() -> Result<Runtime, Error> {
    let engine = Engine::new(&settings()).map_err(|error| Error::Host { text: format!("no engine: {error}") })?;
    let ticker = Ticker::start(engine.clone())?;
    Ok(Runtime { engine, ticker })
}

fn settings() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .max_wasm_stack(WASM_STACK)
        // Exceptions are what an engine's C++ needs; the rest of garbage collection is attack surface nobody asked for.
        .wasm_exceptions(true)
        .wasm_gc(false)
        .collector(wasmtime::Collector::Null)
        // A stranger's stack is no use to whoever reads the message, and collecting it costs time.
        .wasm_backtrace_max_frames(None);
    let address_space = getrlimit(Resource::As).current;
    if address_space.is_some_and(|bytes| bytes < ROOMY) {
        // Explicit bounds checks instead: a fifth slower, but it runs under `ulimit -v` and in strict containers.
        config.memory_reservation(64 << 20).memory_guard_size(64 << 10);
    }
    config
}

/// Collects what is hashed. Unlike the standard library's hasher it gives one answer in every Rust release, so a cache
/// outlives a rebuild of the host.
struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let digest = self.0.clone().finalize();
        digest.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
    }
}
