//! Arguments in, exit code out.

use crate::artifact::{Allowed, ExtensionSetting};
use crate::cli::{accept, check, compile, demo, doctor, environment, inspect, new, plugin, project, serve, test};
use crate::config::{ManifestSetting, Settings};
use crate::report;
use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Serves any application with a published ABI as MCP tools over stdio.
#[derive(Debug, Parser)]
#[command(name = "abi-mcp", version, propagate_version = true)]
struct Arguments {
    /// The configuration file; else ABI_MCP_CONFIG, else abi-mcp/abi-mcp.toml in your configuration folder.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
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
        #[command(flatten)]
        files: Files,
    },
    /// Starts the development node, plays a whole session against the server and prints every step; with --manifest and
    /// --engine, ten questions about trajectories after it.
    Demo {
        #[command(flatten)]
        files: Files,
    },
    /// Says what was found, what is wrong and what to do.
    Doctor {
        #[command(flatten)]
        files: Files,
    },
    /// Writes a manifest's tools as a file in a format of the ecosystem's own.
    Project(Project),
    /// Compiles the component on stdin for the server that started this.
    #[command(name = crate::sandbox::COMPILE_VERB, hide = true)]
    CompileComponent,
    /// What the plugins are, and which of them may run.
    Plugin {
        #[command(subcommand)]
        command: PluginCommand,
    },
}

#[derive(Debug, Subcommand)]
enum PluginCommand {
    /// Lists the plugins, and which of them serves which installed app.
    List {
        /// Also say what the recorded calls of each come to: failures, durations, memory and bytes.
        #[arg(long)]
        stats: bool,
        #[command(flatten)]
        files: Files,
    },
    /// Says what a component file is, asks for and may reach; runs nothing.
    Inspect {
        /// The `.wasm` file.
        file: PathBuf,
    },
    /// Runs a component file in the sandbox, with hostile input, and says whether it keeps its contract.
    Check(Check),
    /// Runs golden cases against a component file in the sandbox: calls and answers, one folder a case.
    Test(Test),
    /// Writes a folder to start a plugin from; needs nothing but packages of the language's registry.
    New {
        /// What to call it: lower-case letters, digits and hyphens.
        name: String,
        /// What it does.
        #[arg(long, value_enum)]
        role: new::Template,
        /// The language it is written in.
        #[arg(long, value_enum, default_value = "rust")]
        lang: new::Language,
        /// The folder to make; the name unless given.
        #[arg(long, value_name = "DIR")]
        path: Option<PathBuf>,
    },
    /// Adds a component to the configuration and accepts it as it is.
    Add {
        /// What to call it: lower-case letters, digits and hyphens.
        name: String,
        /// The `.wasm` file.
        file: PathBuf,
        /// An ecosystem whose manifests, failures and functions it may see. May be given several times.
        #[arg(long = "ecosystem", value_name = "NAME")]
        ecosystems: Vec<String>,
    },
    /// Accepts a configured or dropped-in plugin as it is now, and shows what has changed.
    Accept {
        /// Its name.
        name: String,
        /// Only show what would be accepted; ends with 1 where that is not what was accepted.
        #[arg(long)]
        dry_run: bool,
    },
    /// Takes a plugin's acceptance back; it is not run any more.
    Remove {
        /// Its name.
        name: String,
    },
}

/// What `plugin check` looks at.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// The `.wasm` file.
    pub(super) file: PathBuf,
    /// The role it must have; every role it states unless given. May be given several times.
    #[arg(long = "role", value_name = "ROLE", value_enum)]
    pub(super) roles: Vec<check::RoleName>,
    /// A manifest its mapper reads, which is also given to it damaged in many ways.
    #[arg(long, value_name = "FILE")]
    pub(super) manifest: Option<PathBuf>,
}

/// What `plugin test` runs.
#[derive(Debug, Args)]
pub(super) struct Test {
    /// The `.wasm` file.
    pub(super) file: PathBuf,
    /// The folder of cases.
    #[arg(long, value_name = "DIR", default_value = "tests/golden")]
    pub(super) cases: PathBuf,
    /// Write the answers that are missing or differ; BLESS=1 does the same.
    #[arg(long)]
    pub(super) bless: bool,
}

/// Sources from files, and what runs them.
#[derive(Debug, Args)]
struct Files {
    /// Serve the functions of a manifest file, for example meos=catalog.json. May be given several times.
    #[arg(long = "manifest", value_name = "ECOSYSTEM=FILE", value_parser = named_file)]
    manifests: Vec<(String, PathBuf)>,
    /// A file of changes to the manifest of that ecosystem: hidden functions, corrected categories, better words.
    #[arg(long, value_name = "ECOSYSTEM=FILE", value_parser = named_file)]
    overrides: Vec<(String, PathBuf)>,
    /// A component that runs such functions. May be given several times.
    #[arg(long = "engine", value_name = "FILE")]
    engines: Vec<PathBuf>,
    /// Serve the tools of a plugin, without any grant. May be given several times.
    #[arg(long = "extension", value_name = "NAME=FILE", value_parser = named_plugin)]
    extensions: Vec<(String, PathBuf)>,
    /// Serve a node as well, found as without --manifest.
    #[arg(long)]
    node: bool,
}

/// What `project` writes.
#[derive(Debug, Args)]
pub(super) struct Project {
    /// The ecosystem, for example meos.
    pub(super) ecosystem: String,
    /// The manifest.
    pub(super) manifest: PathBuf,
    /// Where to write it; standard output unless given.
    #[arg(short, long)]
    pub(super) output: Option<PathBuf>,
    /// Write byte for byte what the ecosystem's own generator writes.
    #[arg(long)]
    pub(super) compat: bool,
    /// Changes to the manifest.
    #[arg(long, value_name = "FILE")]
    pub(super) overrides: Option<PathBuf>,
    /// The format, where the mapper writes several.
    #[arg(long, default_value = "mcp-tools")]
    pub(super) format: String,
}

fn named_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok((name.to_owned(), PathBuf::from(path))),
        _ => Err("expected ECOSYSTEM=FILE, for example meos=catalog.json".to_owned()),
    }
}

fn named_plugin(text: &str) -> Result<(String, PathBuf), String> {
    named_file(text).map_err(|_| "expected NAME=FILE, for example notes=notes.wasm".to_owned())
}

impl Files {
    /// As the arguments of another process, with absolute paths.
    fn as_arguments(&self) -> anyhow::Result<Vec<OsString>> {
        let mut arguments: Vec<OsString> = Vec::new();
        let absolute = |path: &Path| path.canonicalize().with_context(|| format!("cannot find `{}`", path.display()));
        for (flag, files) in [("--manifest", &self.manifests), ("--overrides", &self.overrides)] {
            for (ecosystem, path) in files {
                let mut value = OsString::from(format!("{ecosystem}="));
                value.push(absolute(path)?);
                arguments.extend([flag.into(), value]);
            }
        }
        for path in &self.engines {
            arguments.extend(["--engine".into(), absolute(path)?.into_os_string()]);
        }
        Ok(arguments)
    }

    /// The settings with these sources beside or instead of a node.
    fn into_settings(self, mut settings: Settings) -> Settings {
        let Self { manifests, overrides, engines, extensions, node } = self;
        for (ecosystem, path) in manifests {
            settings.manifests.retain(|known| known.ecosystem != ecosystem);
            settings.manifests.push(ManifestSetting { ecosystem, path, overrides: None });
        }
        for (name, path) in overrides {
            match settings.manifests.iter_mut().find(|manifest| manifest.ecosystem == name) {
                Some(manifest) => manifest.overrides = Some(path),
                None => settings.warnings.push(format!("--overrides names `{name}`, of which there is no manifest")),
            }
        }
        settings.engines.extend(engines);
        let extension = |(name, path)| ExtensionSetting { name, path, allowed: Allowed::default() };
        settings.extensions.extend(extensions.into_iter().map(extension));
        if node {
            settings.serve_node = Some(true);
        }
        settings
    }
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
    if matches!(arguments.command, Command::CompileComponent) {
        return compile::run();
    }
    let may_be_new = matches!(arguments.command, Command::Plugin { command: PluginCommand::Add { .. } });
    let result =
        environment::settings(arguments.config, may_be_new).map_err(anyhow::Error::from).and_then(|settings| {
            match arguments.command {
                Command::Serve { embedded, files } => serve::run(files.into_settings(settings), embedded),
                Command::Demo { files } => demo::run(&files.as_arguments()?),
                // Served above: it reads no settings.
                Command::CompileComponent => Ok(ExitCode::SUCCESS),
                Command::Doctor { files } => doctor::run(files.into_settings(settings)),
                Command::Project(wanted) => project::run(settings, &wanted),
                Command::Plugin { command: PluginCommand::List { stats, files } } => {
                    plugin::list(files.into_settings(settings), stats)
                }
                Command::Plugin { command: PluginCommand::Inspect { file } } => inspect::run(&file),
                Command::Plugin { command: PluginCommand::Check(wanted) } => check::run(&settings, &wanted),
                Command::Plugin { command: PluginCommand::Test(wanted) } => test::run(&settings, &wanted),
                Command::Plugin { command: PluginCommand::New { name, role, lang, path } } => {
                    new::run(&name, role, lang, path)
                }
                Command::Plugin { command: PluginCommand::Add { name, file, ecosystems } } => {
                    accept::add(settings, &name, &file, &ecosystems)
                }
                Command::Plugin { command: PluginCommand::Accept { name, dry_run } } => {
                    accept::accept(settings, &name, dry_run)
                }
                Command::Plugin { command: PluginCommand::Remove { name } } => accept::remove(settings, &name),
            }
        });
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{}", report::failure(&error));
            ExitCode::FAILURE
        }
    }
}
