//! Puts the granted interfaces into a linker, so that the list of imports is the list of permissions.

use super::{Capability, Reach};
use crate::model::Grants;
use crate::sandbox::State;
use wasmtime::component::{HasData, Linker, ResourceTable};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::cli::{WasiCli, WasiCliView};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView};
use wasmtime_wasi::p2::bindings::{cli, clocks, filesystem, io, random};
use wasmtime_wasi::random::{WasiRandom, WasiRandomView};

type Guest = State<Reach>;

/// Streams and their like own nothing but the table.
struct Streams;

impl HasData for Streams {
    type Data<'a> = &'a mut ResourceTable;
}

/// Adds what needs no grant, and what these grants allow.
pub(crate) fn link(linker: &mut Linker<Guest>, grants: &Grants) -> wasmtime::Result<()> {
    harmless(linker)?;
    if Capability::Clocks.is_in(grants) {
        clocks::wall_clock::add_to_linker::<Guest, WasiClocks>(linker, Guest::clocks)?;
        clocks::monotonic_clock::add_to_linker::<Guest, WasiClocks>(linker, Guest::clocks)?;
    }
    if Capability::Random.is_in(grants) {
        random::random::add_to_linker::<Guest, WasiRandom>(linker, Guest::random)?;
        random::insecure::add_to_linker::<Guest, WasiRandom>(linker, Guest::random)?;
        random::insecure_seed::add_to_linker::<Guest, WasiRandom>(linker, Guest::random)?;
    }
    if Capability::Directories.is_in(grants) {
        filesystem::types::add_to_linker::<Guest, WasiFilesystem>(linker, Guest::filesystem)?;
        filesystem::preopens::add_to_linker::<Guest, WasiFilesystem>(linker, Guest::filesystem)?;
    }
    if Capability::Http.is_in(grants) {
        wasmtime_wasi_http::p2::add_only_http_to_linker_async(linker)?;
    }
    Ok(())
}

/// Standard input is at its end, standard output is the log, the environment has only listed variables.
fn harmless(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    io::error::add_to_linker::<Guest, Streams>(linker, |state| state.ctx().table)?;
    io::poll::add_to_linker::<Guest, Streams>(linker, |state| state.ctx().table)?;
    io::streams::add_to_linker::<Guest, Streams>(linker, |state| state.ctx().table)?;
    cli::exit::add_to_linker::<Guest, WasiCli>(linker, Guest::cli)?;
    cli::environment::add_to_linker::<Guest, WasiCli>(linker, Guest::cli)?;
    cli::stdin::add_to_linker::<Guest, WasiCli>(linker, Guest::cli)?;
    cli::stdout::add_to_linker::<Guest, WasiCli>(linker, Guest::cli)?;
    cli::stderr::add_to_linker::<Guest, WasiCli>(linker, Guest::cli)?;
    cli::terminal_input::add_to_linker::<Guest, WasiCli>(linker, Guest::cli)?;
    cli::terminal_output::add_to_linker::<Guest, WasiCli>(linker, Guest::cli)?;
    cli::terminal_stdin::add_to_linker::<Guest, WasiCli>(linker, Guest::cli)?;
    cli::terminal_stdout::add_to_linker::<Guest, WasiCli>(linker, Guest::cli)?;
    cli::terminal_stderr::add_to_linker::<Guest, WasiCli>(linker, Guest::cli)
}
