//! `plugin`: what the plugins are and which of them serves what.

use crate::artifact::{Origin, Plugin, Plugins, inspect, locate};
use crate::cli::environment;
use crate::cli::serve::{plugins, runtime, setup, sources};
use crate::config::Settings;
use crate::model::Cancel;
use crate::sandbox::Limits;
use crate::text::clean_line;
use anyhow::Context;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Lists the plugins; compiles each, so that a later start finds its code in the cache.
pub(crate) fn list(settings: Settings) -> anyhow::Result<ExitCode> {
    environment::start_log(&settings)?;
    let runtime = runtime()?;
    let plugins = plugins(&settings);
    println!("{:<14} {:<9} {:<32} {:<10} {:<9} DIGEST", "PLUGIN", "RELEASE", "CONTRACTS", "ORIGIN", "STATE");
    let mut code = ExitCode::SUCCESS;
    for plugin in plugins.registry().plugins() {
        let state = match runtime.block_on(plugin.prepare(&Cancel::new())) {
            Ok(()) => "ready".to_owned(),
            Err(error) => {
                code = ExitCode::FAILURE;
                error.to_string()
            }
        };
        let digest: String = plugin.digest().to_string().chars().take(12).collect();
        let roles: Vec<String> = plugin.roles().map(|(role, version)| format!("{role} {version}")).collect();
        let (roles, origin) = (roles.join(", "), origin(plugin));
        let release = plugin.release().to_string();
        println!("{:<14} {release:<9} {roles:<32} {origin:<10} {state:<9} {digest}", plugin.name());
    }
    runtime.block_on(list_apps(&settings, &plugins));
    Ok(code)
}

/// Which plugin serves which app of the node, where there is one; its absence is no failure of this command.
async fn list_apps(settings: &Settings, plugins: &Arc<Plugins>) {
    let catalog = setup(settings).catalog(&sources(settings), plugins, &Cancel::new());
    // The catalog itself says why on stderr; what other sources have is listed all the same.
    let _ = catalog.refresh().await;
    if catalog.snapshot().units.is_empty() {
        return;
    }
    println!("\n{:<40} {:<10} {:<14} {:<12} WHY", "APP", "VERSION", "MAPPER", "SUBJECT");
    for unit in &catalog.snapshot().units {
        let subject = &unit.mapped.recognition.subject_version;
        let subject = subject.as_ref().map(|version| clean_line(&version.to_string())).unwrap_or_default();
        println!(
            "{:<40} {:<10} {:<14} {subject:<12} {}",
            unit.unit.label(),
            unit.unit.app.version_text(),
            unit.mapped.plugin.name(),
            clean_line(&unit.mapped.why)
        );
    }
}

fn origin(plugin: &Plugin) -> &'static str {
    match plugin.origin() {
        Origin::Bundled => "bundled",
        Origin::ThirdParty { .. } => "third",
        Origin::Extension(_) => "extension",
    }
}

/// Says what a file is, from its own interface names; compiles and runs nothing.
pub(crate) fn inspect(file: &Path) -> anyhow::Result<ExitCode> {
    let bytes = locate::read(file)?;
    let found = inspect::inspect(&bytes, Limits::default().largest_memory())
        .with_context(|| format!("cannot use `{}`", file.display()))?;
    println!("{}: {} bytes", file.display(), bytes.len());
    for stated in &found.contracts {
        println!("  {} {}", stated.contract.role, stated.version);
    }
    Ok(ExitCode::SUCCESS)
}
