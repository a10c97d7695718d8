//! `plugin check`: an author's last look before an operator's first. Runs a component in the sandbox, with everything it
//! asks for and nothing real behind it, and says line by line whether it keeps its contract.
//!
//! In comes a file, out come `ok` and `BAD` lines and an exit code. It reads no configuration but the cache's folder and
//! the limits, and writes nothing: directories a component asks for are empty temporary ones, no request is sent.

mod engine;
mod extension;
mod mapper;
mod odd;
mod report;

use crate::artifact::asks::{Asks, Wants, asks, asks_or_imports};
use crate::artifact::inspect::{Inspection, inspect_extension};
use crate::artifact::{Allowed, Origin, Plugin, PluginError, locate};
use crate::cli::args::Check;
use crate::cli::environment;
use crate::cli::inspect::shown;
use crate::cli::serve::runtime;
use crate::config::Settings;
use crate::contract::supported::Role;
use crate::model::{Cancel, DirectoryGrant, Grants, PluginRelease};
use crate::sandbox::{Capability, Limits, Sandbox, WebBounds, is_host};
use anyhow::Context;
use report::Report;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tempfile::TempDir;

/// A role as it is written on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum RoleName {
    /// Manifests to methods.
    Mapper,
    /// Failures to words.
    Errors,
    /// Tools of its own.
    Tool,
    /// Functions that run here.
    Engine,
}

impl RoleName {
    fn role(self) -> Role {
        match self {
            Self::Mapper => Role::Mapper,
            Self::Errors => Role::Decoder,
            Self::Tool => Role::Extension,
            Self::Engine => Role::Engine,
        }
    }
}

/// A component that is being checked.
struct Subject {
    plugin: Plugin,
    /// Whether it was made for another host: what cannot be a tool of it is then no slip of its author's.
    is_plain: bool,
    cancel: Cancel,
}

/// Checks a file; answers 1 when anything is BAD.
///
/// # Errors
/// The file, or the manifest named beside it, cannot be read.
pub(super) fn run(settings: &Settings, wanted: &Check) -> anyhow::Result<ExitCode> {
    environment::start_log(settings)?;
    let bytes = locate::read(&wanted.file)?;
    let manifest = wanted.manifest.as_deref().map(read_manifest).transpose()?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder for what the component asks for")?;
    let mut report = Report::default();
    if let Some(subject) = admitted(settings, wanted, bytes, &folder, &mut report)? {
        runtime()?.block_on(subject.check(&wanted.roles, manifest.as_deref(), &mut report));
    }
    Ok(if report.finish() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read_manifest(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read the manifest `{}`", path.display()))
}

/// Everything that can be said before anything runs; `None` when it is so bad that nothing can run.
fn admitted(
    settings: &Settings,
    wanted: &Check,
    bytes: Vec<u8>,
    folder: &TempDir,
    report: &mut Report,
) -> anyhow::Result<Option<Subject>> {
    let limits = Limits { web: WebBounds { requests: 0, ..settings.limits.web }, ..settings.limits };
    let found = match inspect_extension(&bytes, limits.largest_memory()) {
        Ok(found) => found,
        Err(error) => {
            let text = error.to_string();
            let (problem, hint) = text.split_once("\nhint: ").unwrap_or((&text, "see `docs/plugins.md`"));
            report.bad(problem, hint);
            return Ok(None);
        }
    };
    report.ok(format!("contract: {}; memory within {} MiB", contracts(&found), limits.largest_memory() >> 20));
    for role in wanted.roles.iter().map(|name| name.role()).filter(|role| !states(&found, *role)) {
        report.bad(format!("it is no {role}"), "export the interfaces of that contract, or leave the role out");
    }
    let asked = if is_plain(&found) { asks_or_imports(&bytes, &found.imports) } else { asks(&bytes) };
    let Asks { name, release, wants } = match asked {
        Ok(asked) => asked,
        Err(error) => {
            report.bad(error, "write the manifest as the head of `wit/tool` says");
            return Ok(None);
        }
    };
    check_wishes(&found, &wants, report);
    let allowed = Allowed { grants: everything(&wants, folder)?, ..Allowed::default() };
    let allowed = Allowed { state_folder: Some(folder.path().join("state")), ..allowed };
    if let Err(missing) = wants.check("it", &found.imports, &wants.effective(&allowed.grants)) {
        let needs = missing.missing.keys().map(|capability| format!("`{capability}`")).collect::<Vec<_>>().join(", ");
        report.bad(
            format!("imports: it imports what needs {needs}, and its manifest does not ask for that"),
            "ask for it in the manifest, or do not import it: nothing undeclared is ever granted",
        );
        return Ok(None);
    }
    report.ok(format!("imports: {} interfaces with functions, all of them asked for or free", found.imports.len()));

    let name = name.filter(|name| locate::check_name(name).is_ok()).unwrap_or_else(|| "checked".to_owned());
    let release = PluginRelease(release.map_or_else(|| "(no release)".to_owned(), |release| shown(&release)));
    let origin = if states(&found, Role::Extension) {
        Origin::Extension(Box::new(allowed))
    } else {
        Origin::ThirdParty { ecosystems: BTreeSet::new() }
    };
    let sandbox: Arc<Sandbox> = Sandbox::compiling_with(limits, environment::own_program());
    match Plugin::load(&name, release, origin, bytes.into(), &sandbox, settings.compiled_dir()) {
        Ok(plugin) => Ok(Some(Subject { plugin, is_plain: is_plain(&found), cancel: Cancel::new() })),
        Err(error) => {
            report.bad(error, "mend what the message says and build it again");
            Ok(None)
        }
    }
}

/// Whether it was made for another host.
fn is_plain(found: &Inspection) -> bool {
    found.contracts.iter().any(|stated| stated.contract.is_plain())
}

fn contracts(found: &Inspection) -> String {
    if is_plain(found) {
        return "none of ours, so its functions with plain types are its tools".to_owned();
    }
    let stated = found.contracts.iter().map(|stated| format!("{}@{}", stated.contract.package, stated.version));
    format!("{}, complete", stated.collect::<Vec<_>>().join(", "))
}

fn states(found: &Inspection, role: Role) -> bool {
    found.contracts.iter().any(|stated| stated.contract.role == role)
}

/// What is asked for and cannot be of use: an operator would be asked to allow it all the same.
fn check_wishes(found: &Inspection, wants: &Wants, report: &mut Report) {
    let before = report.count();
    let imports = |capability| found.imports.iter().any(|import| Capability::needed_by(import) == Some(capability));
    let reads_environment = found.imports.iter().any(|import| import.starts_with("wasi:cli/environment"));
    for (wanted, used, name) in [
        (!wants.http.is_empty(), imports(Capability::Http), "http"),
        (!wants.directories.is_empty(), imports(Capability::Directories), "directories"),
        (!wants.environment.is_empty(), reads_environment, "environment"),
        (wants.clocks, imports(Capability::Clocks), "clocks"),
        (wants.random, imports(Capability::Random), "random"),
        (wants.state, imports(Capability::State), "state"),
    ] {
        if wanted && !used {
            report.bad(
                format!("manifest: it asks for `{name}` and imports nothing that needs it"),
                "take it out of the manifest: operators are asked to allow what stands there",
            );
        }
    }
    for host in wants.http.iter().filter(|host| *host != "*" && !is_host(host)) {
        report.bad(
            format!("manifest: `{host}` under `http` names no host"),
            "write `example.org` or `example.org:8443`, without scheme and path",
        );
    }
    report.ok_since(before, "manifest: it asks for nothing it does not use");
}

/// All that is asked for, with nothing real behind it.
pub(super) fn everything(wants: &Wants, folder: &TempDir) -> anyhow::Result<Grants> {
    let mut directories = Vec::new();
    for (index, wanted) in wants.directories.iter().enumerate() {
        let host = folder.path().join(format!("directory-{index}"));
        std::fs::create_dir(&host).with_context(|| format!("cannot make `{}`", host.display()))?;
        directories.push(DirectoryGrant { guest: wanted.guest.clone(), host: Some(host), writable: wanted.writable });
    }
    let hosts = wants.http.iter().map(|host| if host == "*" { "example.invalid".to_owned() } else { host.clone() });
    Ok(Grants {
        http: hosts.collect(),
        directories,
        environment: wants.environment.clone(),
        clocks: wants.clocks,
        random: wants.random,
        state: wants.state,
    })
}

impl Subject {
    /// Compiles it and runs each role.
    async fn check(&self, roles: &[RoleName], manifest: Option<&[u8]>, report: &mut Report) {
        let started = std::time::Instant::now();
        if let Err(error) = self.plugin.prepare(&self.cancel).await {
            let text = error.to_string();
            let usual = "build it again with bindings of the contract it states";
            let (problem, hint) = text.split_once("\nhint: ").unwrap_or((&text, usual));
            report.bad(problem, hint);
            return;
        }
        report.ok(format!("compiles and links ({} ms)", started.elapsed().as_millis()));
        let is_wanted =
            |role: Role| self.plugin.has(role) && (roles.is_empty() || roles.iter().any(|name| name.role() == role));
        if is_wanted(Role::Mapper) {
            self.check_mapper(manifest, report).await;
        }
        if is_wanted(Role::Decoder) {
            self.check_decoder(report).await;
        }
        if is_wanted(Role::Extension) {
            self.check_extension(report).await;
        }
        if is_wanted(Role::Engine) {
            self.check_engine(report).await;
        }
    }
}

/// What a plugin's own error says, without the name the author knows.
pub(super) fn cause(error: &PluginError) -> String {
    let text = error.to_string();
    let name = format!("plugin `{}` {} ", error.plugin, error.release);
    text.strip_prefix(&name).unwrap_or(&text).to_owned()
}

/// What to do about input that was not survived.
const SURVIVE: &str = "feed your code this input in a test: it must return, never panic, overflow or run on";

/// What to do about an answer that should have been a refusal.
const REFUSE: &str = "look for a mark of your own format first, and answer `none` (or a fault) without it";
