//! Compiled components: from WebAssembly, or from machine code this program wrote down earlier.
//!
//! Holds the program's only `unsafe`: machine code is run because of where it comes from, a file of ours or a process of
//! ours. Where the files are, who owns them and what they are called is
//! `artifact::cache`'s business.

use super::compiler::MachineCode;
use super::error::words;
use super::{Error, engine};
use std::path::Path;
use wasmtime::Engine;
use wasmtime::component::Component;

/// A component as machine code, ready to be linked.
#[derive(Debug, Clone)]
pub(crate) struct Compiled(Component);

impl Compiled {
    /// Compiles a component in this process, without bounds. Takes 50 ms for each 100 KB, so call it on a worker.
    ///
    /// # Errors
    /// [`Error::Compile`] when it is not valid, [`Error::Host`] when there is no engine.
    pub(crate) fn compile(wasm: &[u8]) -> Result<Self, Error> {
        let engine = &engine::runtime()?.engine;
        Component::from_binary(engine, wasm).map(Self).map_err(|error| Error::Compile { text: words(&error) })
    }

    /// The machine code, for [`Compiled::load`] to read back.
    ///
    /// # Errors
    /// [`Error::Host`] when the engine cannot write it.
    pub(crate) fn machine_code(&self) -> Result<Vec<u8>, Error> {
        self.0.serialize().map_err(|error| Error::Host { text: words(&error) })
    }

    /// Loads machine code that [`Compiled::machine_code`] made, by mapping the file.
    ///
    /// The caller answers for where the file comes from: a regular file in a folder only we can write, written by us,
    /// never changed in place (`artifact::cache` sees to all of it).
    ///
    /// # Errors
    /// [`Error::Host`] when the file was made by another engine, is damaged, or cannot be read.
    #[expect(unsafe_code, reason = "machine code is loaded from a file; see SAFETY for where it comes from")]
    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
        let engine = &engine::runtime()?.engine;
        // SAFETY: the engine runs what the file holds. Its own checks (ELF header, engine release, settings, processor
        // features) find accidents, not attacks. That the file is ours rests on `artifact::cache`: it opens the
        // file through a descriptor of a folder that belongs to this user, is closed to everyone else (mode 0700) and
        // is not a link; the file itself must be regular, ours, and writable by nobody else; it was written
        // beside its final name, flushed and renamed, so it is whole and is never changed afterwards. Whoever can
        // break this can already run programs as this user. What was written is what this process compiled itself, or the
        // answer of a compiler process of ours (see `of_child`). No other caller exists, and no file from a user, a
        // configuration or a registry ever gets here.
        let component = unsafe { Component::deserialize_file(engine, path) };
        component.map(Self).map_err(|error| Error::Host { text: words(&error) })
    }

    /// Takes over machine code that a compiler process of ours made.
    ///
    /// # Errors
    /// [`Error::Host`] when it was made by another engine or is damaged.
    #[expect(unsafe_code, reason = "machine code is taken from a process; see SAFETY for whose it is")]
    pub(crate) fn of_child(code: &MachineCode) -> Result<Self, Error> {
        let engine = &engine::runtime()?.engine;
        // SAFETY: the engine runs what these bytes hold; its own checks find accidents, not attacks. `MachineCode` is made
        // in one place, from the whole answer of a process that `sandbox::compiler` started: this very program (the file
        // this process runs from, as the command line names it, and never a word of a configuration), through a pipe
        // that only the two of us have. What a stranger contributes is the component, which that process compiles as this
        // one would; were the compiler itself to go wrong over it, the code it makes is no worse than what it would make
        // here. Nobody but this user (or root) can write into a process of this user.
        let component = unsafe { Component::deserialize(engine, code.bytes()) };
        component.map(Self).map_err(|error| Error::Host { text: words(&error) })
    }

    /// Differs between engines that cannot load each other's machine code.
    ///
    /// # Errors
    /// [`Error::Host`] when there is no engine.
    pub(crate) fn compatibility() -> Result<String, Error> {
        engine::compatibility()
    }

    /// The component and its engine, for a contract to link.
    pub(crate) fn parts(&self) -> (&Engine, &Component) {
        (self.0.engine(), &self.0)
    }
}
