//! `plugin list`: what the plugins are, which may run, and which of them serves what.

use crate::artifact::{Lock, Origin, Plugin, Plugins, Refusal, Supplied, Wanted, Why, admit};
use crate::catalog::Snapshot;
use crate::cli::serve::{configured, plugins, runtime, setup, sources};
use crate::cli::{environment, stats};
use crate::config::Settings;
use crate::model::Cancel;
use crate::sandbox::Sandbox;
use crate::text::clean_line;
use std::process::ExitCode;
use std::sync::Arc;

/// Lists the plugins and whether each may run; compiles those that may, so that a later start finds their code in the
/// cache. With `stats`, what their recorded calls come to as well.
pub(crate) fn list(settings: Settings, with_stats: bool) -> anyhow::Result<ExitCode> {
    environment::start_log(&settings)?;
    let runtime = runtime()?;
    let plugins = plugins(&settings);
    let registry = plugins.registry();
    println!(
        "{:<14} {:<12} {:<33} {:<10} {:<13} {:<9} DIGEST",
        "PLUGIN", "RELEASE", "CONTRACTS", "ORIGIN", "LOCK", "STATE"
    );
    let mut code = ExitCode::SUCCESS;
    // One that cannot be looked at now was told of on stderr, and nothing of it runs.
    let (supplied, odd) = configured(&settings).and_then(|configured| configured.look().ok()).unwrap_or_default();
    let refused: Vec<Refusal> =
        supplied.wanted.iter().filter_map(|wanted| refusal(&settings, wanted, &supplied.lock)).collect();
    for plugin in registry.plugins() {
        let is_wanted = is_configured(plugin, &settings, &supplied);
        // What a changed file says of itself is told below, once.
        if is_wanted && refused.iter().any(|refusal| refusal.plugin == plugin.name()) {
            continue;
        }
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
        let lock = if is_wanted { "accepted" } else { "-" };
        let release = plugin.release().to_string();
        println!("{:<14} {release:<12} {roles:<33} {origin:<10} {lock:<13} {state:<9} {digest}", plugin.name());
    }
    for refusal in &refused {
        code = ExitCode::FAILURE;
        let lock = if refusal.why == Why::NotAccepted { "not accepted" } else { "differs" };
        println!("{:<14} {:<12} {:<33} {:<10} {lock:<13} not run", refusal.plugin, "", "", "third");
        println!("{}", indented(&refusal.to_string()));
    }
    for odd in &odd {
        println!("{}", indented(&odd.to_string()));
    }
    runtime.block_on(list_apps(&settings, &plugins));
    if with_stats {
        stats::print(&settings)?;
    }
    Ok(code)
}

/// Whether a plugin runs because of the configuration or the plugin folder, and so by the lock.
fn is_configured(plugin: &Plugin, settings: &Settings, supplied: &Supplied) -> bool {
    let is_named = settings.extensions.iter().any(|setting| setting.name == plugin.name());
    let is_ours = match plugin.origin() {
        Origin::ThirdParty { .. } => true,
        Origin::Extension(_) => !is_named,
        Origin::Bundled | Origin::Named => false,
    };
    is_ours && supplied.wanted.iter().any(|wanted| wanted.name == plugin.name())
}

/// Why a plugin the operator wants is not run, if it is not. Reads its file.
fn refusal(settings: &Settings, wanted: &Wanted, lock: &Lock) -> Option<Refusal> {
    let sandbox = Sandbox::new(settings.limits);
    let admitted = admit::admit(wanted, lock, &sandbox, None)
        .and_then(|_| admit::verify(wanted, lock, settings.limits.largest_memory(), settings.cache_dir.as_deref()));
    admitted.err()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Which plugin serves which app of the node, where there is one; its absence is no failure of this command.
async fn list_apps(settings: &Settings, plugins: &Arc<Plugins>) {
    let catalog = setup(settings).catalog(&sources(settings), plugins, &Cancel::new());
    // The catalog itself says why on stderr; what other sources have is listed all the same.
    let _ = catalog.refresh().await;
    let snapshot = catalog.snapshot();
    if !snapshot.units.is_empty() {
        print_apps(&snapshot);
    }
    if let Some(why) = catalog.unavailable() {
        println!("\nnot served: {}", clean_line(&why));
    }
}

fn print_apps(snapshot: &Snapshot) {
    println!("\n{:<40} {:<10} {:<14} {:<12} WHY", "APP", "VERSION", "MAPPER", "SUBJECT");
    for unit in &snapshot.units {
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
        Origin::Named => "named",
        Origin::ThirdParty { .. } => "third",
        Origin::Extension(_) => "extension",
    }
}
