//! Arguments in, exit code out.

use crate::cli::{demo, doctor, environment, plugin, serve};
use crate::report;
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Serves any application with a published ABI as MCP tools over stdio.
#[derive(Debug, Parser)]
#[command(name = "abi-mcp", version, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Speaks MCP on stdin and stdout; this is what a client starts.
    Serve {
        /// Serve the built-in development node instead of looking for one.
        #[arg(long)]
        embedded: bool,
    },
    /// Starts the development node, plays a whole session against the server and prints every step.
    Demo,
    /// Says what was found, what is wrong and what to do.
    Doctor,
    /// Mappers and error decoders.
    Plugin {
        #[command(subcommand)]
        command: PluginCommand,
    },
}

#[derive(Debug, Subcommand)]
enum PluginCommand {
    /// Lists the plugins, and which of them serves which installed app.
    List,
    /// Says what a component file is; runs nothing.
    Inspect {
        /// The `.wasm` file.
        file: PathBuf,
    },
}

/// Runs the command line and answers the exit code: 0 for success, 1 for a failure, 2 for wrong arguments.
#[must_use]
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version count as success and go to stdout; clap knows which is which.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let result = environment::settings().map_err(anyhow::Error::from).and_then(|settings| match arguments.command {
        Command::Serve { embedded } => serve::run(settings, embedded),
        Command::Demo => demo::run(),
        Command::Doctor => doctor::run(settings),
        Command::Plugin { command: PluginCommand::List } => plugin::list(settings),
        Command::Plugin { command: PluginCommand::Inspect { file } } => plugin::inspect(&file),
    });
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{}", report::failure(&error));
            ExitCode::FAILURE
        }
    }
}
