//! `doctor`: what was found, what is wrong, what to do.

use crate::artifact::Plugins;
use crate::catalog::{Catalog, reasons};
use crate::cli::environment;
use crate::cli::serve::{configured, plugins, runtime, setup, sources};
use crate::config::Settings;
use crate::model::{CallScope, Cancel};
use crate::node::{AuthMode, Session};
use crate::source::{App, NodeSource, Sources, Unit, units_of};
use crate::text::clean_line;
use std::process::ExitCode;
use std::sync::Arc;

/// Reasons shown, the commonest first.
const MOST_REASONS: usize = 12;

/// Looks at everything a session needs, in the order it needs it, and stops at the first thing that is missing.
pub(crate) fn run(settings: Settings) -> anyhow::Result<ExitCode> {
    environment::start_log(&settings)?;
    let runtime = runtime()?;
    let code = runtime.block_on(examine(&settings));
    runtime.shutdown_background();
    Ok(code)
}

async fn examine(settings: &Settings) -> ExitCode {
    if let Some(place) = settings.place.as_ref().filter(|_| settings.configured) {
        say(true, &format!("configuration: {}", place.path.display()));
    }
    if let Some(folder) = settings.plugin_folder.as_ref().filter(|folder| folder.is_dir()) {
        say(true, &format!("plugin folder: {}", folder.display()));
    }
    if let Some((_, odd)) = configured(settings).and_then(|configured| configured.look().ok()) {
        odd.iter().for_each(|odd| say(false, &odd.to_string()));
    }
    let plugins = plugins(settings);
    if !plugins_work(&plugins).await {
        return ExitCode::FAILURE;
    }
    let sources = sources(settings);
    let catalog = setup(settings).catalog(&sources, &plugins, &Cancel::new());
    let functions = files_are_usable(&sources, &catalog).await;
    if !sources.serves_node() {
        return functions;
    }
    if !node_answers(sources.node().session()).await {
        return ExitCode::FAILURE;
    }
    if let Err(error) = catalog.refresh().await {
        say(false, &format!("the node's applications cannot be read: {error}"));
        return next(error.hint().unwrap_or_else(|| "see the message above".to_owned()));
    }
    match apps_are_usable(settings, sources.node(), &catalog).await {
        ExitCode::SUCCESS => functions,
        failure => failure,
    }
}

/// Every manifest file with the mapper and the engine that serve it, and what of it cannot be called.
async fn files_are_usable(sources: &Sources, catalog: &Catalog) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for unit in sources.file_apps().await.iter().flat_map(units_of) {
        match catalog.load(&unit, &CallScope::default()).await {
            Ok(mapped) => {
                let engine =
                    mapped.engine.as_ref().map(|engine| format!(", run by {} {}", engine.name(), engine.release()));
                let about = format!(
                    "{} functions{}; mapped by {}",
                    mapped.methods.len(),
                    engine.unwrap_or_default(),
                    mapped.plugin.name()
                );
                say(true, &clean_line(&format!("{}: {about} ({})", unit.label(), mapped.why)));
                let skipped = mapped.skipped.len();
                detail(&format!("{skipped} functions cannot be called, by reason:"));
                for (reason, count) in reasons(&mapped.skipped).into_iter().take(MOST_REASONS) {
                    detail(&format!("  {count} x {reason}"));
                }
            }
            Err(error) => {
                code = ExitCode::FAILURE;
                say(false, &clean_line(&format!("{}: no functions: {error}", unit.label())));
            }
        }
    }
    code
}

async fn plugins_work(plugins: &Plugins) -> bool {
    let mut good = true;
    for refusal in plugins.refused() {
        good = false;
        say(false, &refusal.to_string());
    }
    for plugin in plugins.registry().plugins() {
        match plugin.prepare(&Cancel::new()).await {
            Ok(()) => say(true, &format!("plugin {} {}: compiles", plugin.name(), plugin.release())),
            Err(error) => {
                good = false;
                say(false, &error.to_string());
            }
        }
    }
    good
}

async fn node_answers(session: &Session) -> bool {
    match session.connect(&CallScope::default()).await {
        Ok(connection) => {
            say(
                true,
                &format!(
                    "node at {} (found by: {}, auth: {})",
                    connection.url(),
                    connection.source(),
                    connection.auth_mode()
                ),
            );
            say(true, &format!("credential: {}", credential(connection.auth_mode())));
        }
        Err(error) => {
            say(false, &error.to_string());
            next(error.hint().unwrap_or_else(|| "see the message above".to_owned()));
            return false;
        }
    }
    match session.health(&CallScope::default()).await {
        Ok(health) => {
            say(true, &format!("the node is {}", health.status));
            true
        }
        Err(error) => {
            say(false, &error.to_string());
            next(error.hint().unwrap_or_else(|| "see the message above".to_owned()));
            false
        }
    }
}

/// Every app with the mapper that serves it, what of it is missing, and its contexts. Whoever has one app that works
/// has a working server; what is wrong with the others is said all the same.
async fn apps_are_usable(settings: &Settings, source: &NodeSource, catalog: &Catalog) -> ExitCode {
    let scope = CallScope::default();
    let apps = match source.apps(&scope).await {
        Ok(apps) => apps,
        Err(error) => {
            say(false, &format!("the node's applications cannot be read: {error}"));
            return next(error.hint().unwrap_or_else(|| "see the message above".to_owned()));
        }
    };
    modes(settings, &apps);
    let mut steps = Steps::default();
    for unit in apps.iter().flat_map(units_of) {
        examine_unit(source, catalog, &unit, &scope, &mut steps).await;
    }
    match steps.next(apps.is_empty()) {
        Some(step) => next(step),
        None => ExitCode::SUCCESS,
    }
}

/// What the operator chose that makes tools be missing.
fn modes(settings: &Settings, apps: &[Arc<App>]) {
    for warning in &settings.warnings {
        say(false, warning);
    }
    if settings.modes.read_only {
        say(true, "read-only mode: only what reads is listed and callable (CALIMERO_MCP_READ_ONLY or tools.read_only)");
    }
    for name in setup(settings).chosen.unmatched(apps) {
        say(
            false,
            &format!(
                "the choice of apps (CALIMERO_MCP_APPS or tools.apps) names `{name}`, which is no installed application"
            ),
        );
    }
}

/// What is to be done, as far as the apps have shown.
#[derive(Default)]
struct Steps {
    usable: bool,
    without_context: Option<String>,
    broken: Option<String>,
}

impl Steps {
    fn next(self, nothing_installed: bool) -> Option<String> {
        if self.usable {
            return None;
        }
        if nothing_installed {
            say(false, "no application is installed");
            return Some(
                "install one: the tool install_application, or the desktop app; its tools appear at once".into(),
            );
        }
        if let Some(label) = self.without_context {
            return Some(format!(
                "create a context for {label}: call select_app, whose answer holds the calls that make one, or use the \
                 desktop app"
            ));
        }
        let label = self.broken.unwrap_or_default();
        Some(format!(
            "no application can be used; rebuild {label} with an embedded ABI, or add a plugin that reads its ABI"
        ))
    }
}

async fn examine_unit(source: &NodeSource, catalog: &Catalog, unit: &Unit, scope: &CallScope, steps: &mut Steps) {
    let name = format!("{} {}", unit.label(), unit.app.version_text());
    let mapped = match catalog.load(unit, scope).await {
        Ok(mapped) => mapped,
        Err(error) => {
            steps.broken.get_or_insert_with(|| unit.label());
            return say(false, &clean_line(&format!("{name}: no tools: {error}")));
        }
    };
    let contexts = match source.contexts(&unit.app.id, scope).await {
        Ok(contexts) => contexts.iter().filter(|context| context.serves(unit)).count(),
        Err(error) => return say(false, &clean_line(&format!("{name}: its contexts cannot be read: {error}"))),
    };
    let snapshot = catalog.snapshot();
    let tools = snapshot.unit(&unit.app.id, unit.service.as_deref()).map_or(0, |served| served.tools().len());
    let subject = mapped.recognition.subject_version.as_ref().map(|version| format!(" for {version}"));
    say(
        contexts > 0,
        &clean_line(&format!(
            "{name}: {} methods, {tools} tools, {contexts} contexts; mapped by {} {}{} ({})",
            mapped.methods.len(),
            mapped.plugin.name(),
            mapped.plugin.release(),
            subject.unwrap_or_default(),
            mapped.why
        )),
    );
    if !mapped.skipped.is_empty() {
        let first = mapped.skipped.first().map(|skipped| format!("{}: {}", skipped.method, skipped.reason));
        detail(&format!("{} methods left out; first {}", mapped.skipped.len(), first.unwrap_or_default()));
    }
    if !mapped.notes.is_empty() {
        let first = mapped.notes.first().map(|note| format!("{}: {}", note.path, note.text));
        detail(&format!("{} constructs accepted unchecked; first {}", mapped.notes.len(), first.unwrap_or_default()));
    }
    if contexts == 0 {
        detail("installed, but no context to call it in");
        steps.without_context.get_or_insert_with(|| unit.label());
    }
    steps.usable |= contexts > 0;
}

fn detail(text: &str) {
    println!("       {}", clean_line(text));
}

/// Where the credential comes from, in words.
fn credential(mode: AuthMode) -> &'static str {
    match mode {
        AuthMode::Handoff => "the desktop app's handoff file, agent.json in the state folder",
        AuthMode::Token => "CALIMERO_AUTH_TOKEN",
        AuthMode::Credentials => "a login as CALIMERO_USERNAME",
        AuthMode::None => "none is set; only a node without authentication answers",
    }
}

fn say(good: bool, what: &str) {
    println!("{} {what}", if good { "ok  " } else { "BAD " });
}

fn next(step: String) -> ExitCode {
    println!("next: {step}");
    ExitCode::FAILURE
}
