//! `plugin add`, `accept` and `remove`: the only commands that write the lock.
//!
//! What is accepted was inspected, held to what the configuration expects of it, and compiled. Only an
//! extension runs, to list its tools, with nothing but its configuration.

use crate::artifact::admit::{differences, offered};
use crate::artifact::lock::{LockedTool, replace};
use crate::artifact::{Lock, Locked, Wanted, admit, bundled, definition, locate};
use crate::cli::environment;
use crate::cli::serve::runtime;
use crate::config::append::{self, NewPlugin};
use crate::config::file::text_of;
use crate::config::{ConfigFile, FileError, Place, Settings};
use crate::contract::supported::Role;
use crate::model::{Cancel, Grants, JsonObject};
use crate::sandbox::Sandbox;
use anyhow::{Context, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

/// Adds a plugin to the configuration and accepts it.
pub(crate) fn add(settings: Settings, name: &str, file: &Path, ecosystems: &[String]) -> anyhow::Result<ExitCode> {
    environment::start_log(&settings)?;
    locate::check_name(name)?;
    if bundled().iter().any(|(bundled, ..)| *bundled == name) {
        bail!("a plugin that comes with this program is called `{name}`; choose another name");
    }
    if let Some(wrong) = ecosystems.iter().find(|name| !crate::artifact::check_ecosystem(name)) {
        bail!("`{wrong}` cannot be an ecosystem's name; expected `[a-z][a-z0-9-]*`, at most 32 characters");
    }
    let place = place(&settings)?;
    let wanted = Wanted {
        name: name.to_owned(),
        file: std::path::absolute(file).with_context(|| format!("cannot use `{}`", file.display()))?,
        roles: None,
        ecosystems: ecosystems.iter().cloned().collect(),
        pins: Vec::new(),
        grants: Grants::default(),
        values: JsonObject::new(),
        variables: BTreeMap::new(),
        state_folder: None,
    };
    let offer = tried(&settings, &wanted)?;
    let roles = roles(&offer);
    let text = text_of(&place.path)?.unwrap_or_default();
    let block = NewPlugin { name, file: &wanted.file, roles: &roles, ecosystems: &wanted.ecosystems };
    let in_file = |trouble| FileError::Content { path: place.path.clone(), trouble };
    let whole = append::append(&text, &block).map_err(in_file)?;
    let mut lock = Lock::read(&place.lock())?;
    // The lock first: a plugin that is accepted and not wanted does nothing, the other way round is an error message.
    lock.accept(name, offer.clone());
    lock.write(&place.lock())?;
    replace(&place.path, whole.as_bytes()).with_context(|| format!("cannot write `{}`", place.path.display()))?;
    println!("added `{name}` to {} and accepted it in {}", place.path.display(), place.lock().display());
    describe(&offer);
    if wanted.ecosystems.is_empty() {
        println!(
            "it is assigned no ecosystem, so no mapper, error decoder or engine of it is asked anything: name one in \
             `ecosystems` of its `[[plugin]]` block and accept it again"
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Accepts a configured plugin as it is now.
pub(crate) fn accept(settings: Settings, name: &str) -> anyhow::Result<ExitCode> {
    environment::start_log(&settings)?;
    let place = place(&settings)?;
    let Some(wanted) = settings.plugins.iter().find(|wanted| wanted.name == name) else {
        bail!("{} has no plugin `{name}`\nhint: `abi-mcp plugin add {name} FILE` adds one", place.path.display());
    };
    let offer = tried(&settings, wanted)?;
    let mut lock = Lock::read(&place.lock())?;
    match lock.get(name) {
        Some(accepted) if *accepted == offer => {
            println!("`{name}` is what was accepted; nothing to do");
            return Ok(ExitCode::SUCCESS);
        }
        Some(accepted) => {
            for difference in differences(accepted, &offer) {
                println!("  {difference}");
            }
        }
        None => describe(&offer),
    }
    lock.accept(name, offer);
    lock.write(&place.lock())?;
    println!("accepted `{name}` in {}; a server that runs puts it in place within seconds", place.lock().display());
    Ok(ExitCode::SUCCESS)
}

/// Takes a plugin's acceptance back. Its block stays in the configuration, which is the operator's own text.
pub(crate) fn remove(settings: Settings, name: &str) -> anyhow::Result<ExitCode> {
    environment::start_log(&settings)?;
    let place = place(&settings)?;
    let mut lock = Lock::read(&place.lock())?;
    let accepted = lock.remove(name);
    let block = append::position(&ConfigFile::read(Some(place.clone()))?.written, name);
    if !accepted && block.is_none() {
        bail!("there is no plugin `{name}` in {} or its lock", place.path.display());
    }
    if accepted {
        lock.write(&place.lock())?;
        println!("`{name}` is no longer accepted and not run from now on");
    }
    if let Some(at) = block {
        println!("its block is still there: delete the `[[plugin]]` of {}:{}", place.path.display(), at.line);
    }
    Ok(ExitCode::SUCCESS)
}

fn place(settings: &Settings) -> anyhow::Result<Place> {
    settings.place.clone().context("there is no folder for a configuration; name a file with --config")
}

/// What there is to accept, after it was compiled: what cannot run is not worth accepting.
fn tried(settings: &Settings, wanted: &Wanted) -> anyhow::Result<Locked> {
    let sandbox = Sandbox::new(settings.limits);
    let mut offer = offered(wanted, settings.limits.largest_memory())?;
    let mut lock = Lock::default();
    lock.accept(&wanted.name, offer.clone());
    let compiled = settings.cache_dir.as_ref().map(|cache| cache.join("compiled"));
    let plugin = admit::admit(wanted, &lock, &sandbox, compiled)?;
    let runtime = runtime()?;
    runtime.block_on(plugin.prepare(&Cancel::new()))?;
    if plugin.has(Role::Extension) {
        // Listing runs the plugin, with nothing but clocks and random numbers, and those only where granted.
        let tools = runtime.block_on(plugin.list_tools(&Cancel::new()))?;
        let locked = |(name, definition)| LockedTool { name, definition };
        offer.tools = definition::definitions(&tools).into_iter().map(locked).collect();
    }
    Ok(offer)
}

fn roles(offer: &Locked) -> BTreeSet<String> {
    let package = |contract: &String| contract.split('@').next().unwrap_or_default().to_owned();
    offer.contracts.iter().map(package).filter_map(|name| name.rsplit(':').next().map(str::to_owned)).collect()
}

fn describe(offer: &Locked) {
    println!("  digest: sha256:{}", offer.digest);
    println!("  contracts: {}", offer.contracts.iter().cloned().collect::<Vec<_>>().join(", "));
    if !offer.ecosystems.is_empty() {
        println!("  ecosystems: {}", offer.ecosystems.iter().cloned().collect::<Vec<_>>().join(", "));
    }
    for tool in &offer.tools {
        println!("  tool: {}", tool.name);
    }
}
