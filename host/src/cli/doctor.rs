//! `doctor`: what was found, what is wrong, what to do.

use crate::artifact::Plugins;
use crate::cli::environment;
use crate::cli::serve::{catalog, runtime};
use crate::config::Settings;
use crate::model::{CallScope, Cancel};
use crate::node::{AuthMode, Session};
use crate::source::NodeSource;
use std::process::ExitCode;
use std::sync::Arc;

/// Looks at everything a session needs, in the order it needs it, and stops at the first thing that is missing.
pub(crate) fn run(settings: Settings) -> anyhow::Result<ExitCode> {
    environment::start_log(&settings)?;
    let runtime = runtime()?;
    let code = runtime.block_on(examine(&settings));
    runtime.shutdown_background();
    Ok(code)
}

async fn examine(settings: &Settings) -> ExitCode {
    let plugins = Arc::new(Plugins::bundled(settings.cache_dir.clone()));
    if !plugins_work(&plugins).await {
        return ExitCode::FAILURE;
    }
    let session = Session::new(settings.node.clone());
    if !node_answers(&session).await {
        return ExitCode::FAILURE;
    }
    let source = Arc::new(NodeSource::new(session));
    let catalog = catalog(settings, &source, &plugins, &Cancel::new());
    if let Err(error) = catalog.refresh().await {
        say(false, &format!("the node's applications cannot be read: {error}"));
        return next(error.hint().unwrap_or_else(|| "see the message above".to_owned()));
    }
    apps_are_usable(&source, &catalog).await
}

async fn plugins_work(plugins: &Plugins) -> bool {
    let mut good = true;
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

async fn apps_are_usable(source: &NodeSource, catalog: &crate::catalog::Catalog) -> ExitCode {
    let snapshot = catalog.snapshot();
    let mut usable = false;
    for unit in &snapshot.units {
        let mapper = format!("{} {}", unit.mapped.plugin.name(), unit.mapped.plugin.release());
        let contexts = source
            .contexts(&unit.unit.app.id, &CallScope::default())
            .await
            .map_or(0, |contexts| contexts.iter().filter(|context| context.serves(&unit.unit)).count());
        usable |= contexts > 0;
        say(
            contexts > 0,
            &format!("{}: {} tools by {mapper}, {contexts} contexts", unit.unit.label(), unit.tools().len()),
        );
    }
    if snapshot.units.is_empty() {
        say(false, "no application with a usable ABI is installed");
        return next("install an application on the node; its tools appear within 30 seconds".to_owned());
    }
    if !usable {
        return next("create a context: create_namespace, then create_context".to_owned());
    }
    ExitCode::SUCCESS
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
