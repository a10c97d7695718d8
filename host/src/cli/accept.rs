//! `plugin add`, `accept` and `remove`: the only commands that write the lock.
//!
//! What is accepted was inspected, held to what the configuration expects of it, and compiled. Only an
//! extension runs, to list its tools, with nothing but its configuration.

use crate::artifact::admit::{differences, offered};
use crate::artifact::lock::{LockedTool, Turn, replace};
use crate::artifact::{Lock, Locked, Supplied, Wanted, admit, bundled, definition, locate, role_word};
use crate::cli::inspect::shown;
use crate::cli::{environment, serve};
use crate::config::append::{self, NewPlugin};
use crate::config::file::text_of;
use crate::config::{ConfigFile, FileError, Odd, Place, Settings};
use crate::contract::supported::{PLAIN, Role};
use crate::model::{Cancel, Skipped};
use crate::sandbox::Sandbox;
use anyhow::{Context, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
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
    let mut wanted = Wanted::bare(name, whole_path(file)?);
    wanted.ecosystems = ecosystems.iter().cloned().collect();
    let (offer, skipped) = tried(&settings, &wanted)?;
    let roles = roles(&offer);
    let _turn = Turn::take(&place.lock());
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
    describe_skipped(&skipped);
    if is_idle(&wanted, &offer) {
        println!(
            "it is assigned no ecosystem, so no mapper, error decoder or engine of it is asked anything: name one in \
             `ecosystems` of its `[[plugin]]` block and accept it again"
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Accepts a configured or dropped-in plugin as it is now; with `only_show`, says what that would be, and fails where it
/// is not what was accepted.
pub(crate) fn accept(settings: Settings, name: &str, only_show: bool) -> anyhow::Result<ExitCode> {
    environment::start_log(&settings)?;
    let place = place(&settings)?;
    let wanted = find(&settings, &place, name)?;
    let (offer, skipped) = tried(&settings, &wanted)?;
    let _turn = Turn::take(&place.lock());
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
    describe_skipped(&skipped);
    if is_idle(&wanted, &offer) {
        println!(
            "it is assigned no ecosystem, so no mapper, error decoder or engine of it is asked anything: give it a \
             `[[plugin]]` block with `ecosystems` in {}",
            place.path.display()
        );
    }
    if only_show {
        println!("nothing was changed; `abi-mcp plugin accept {name}` accepts it");
        return Ok(ExitCode::FAILURE);
    }
    lock.accept(name, offer);
    lock.write(&place.lock())?;
    println!("accepted `{name}` in {}; a server that runs puts it in place within seconds", place.lock().display());
    Ok(ExitCode::SUCCESS)
}

/// Takes a plugin's acceptance back. Its block stays in the configuration, which is the operator's own text, and its file
/// where it is.
pub(crate) fn remove(settings: Settings, name: &str) -> anyhow::Result<ExitCode> {
    environment::start_log(&settings)?;
    let place = place(&settings)?;
    let _turn = Turn::take(&place.lock());
    let mut lock = Lock::read(&place.lock())?;
    let accepted = lock.remove(name);
    let block = append::position(&ConfigFile::read(Some(place.clone()))?.written, name);
    let dropped = look(&settings)?.0.wanted.into_iter().find(|wanted| wanted.name == name && block.is_none());
    if !accepted && block.is_none() && dropped.is_none() {
        bail!("there is no plugin `{name}` in {}, its plugin folder or its lock", place.path.display());
    }
    if accepted {
        lock.write(&place.lock())?;
        println!("`{name}` is no longer accepted and not run from now on");
    }
    if let Some(at) = block {
        println!("its block is still there: delete the `[[plugin]]` of {}:{}", place.path.display(), at.line);
    }
    if let Some(dropped) = dropped {
        println!("its file stays where it is, and is not run unless it is accepted: {}", dropped.file.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// What the operator wants now, and what is odd in the plugin folder.
fn look(settings: &Settings) -> anyhow::Result<(Supplied, Vec<Odd>)> {
    let Some(configured) = serve::configured(settings) else { return Ok((Supplied::default(), Vec::new())) };
    configured.look().map_err(anyhow::Error::msg)
}

/// The plugin of a name.
fn find(settings: &Settings, place: &Place, name: &str) -> anyhow::Result<Wanted> {
    let (supplied, odd) = look(settings)?;
    if let Some(wanted) = supplied.wanted.into_iter().find(|wanted| wanted.name == name) {
        return Ok(wanted);
    }
    let odd = odd.iter().find(|odd| odd.path.file_stem().is_some_and(|stem| stem == name));
    let path = place.path.display();
    match odd {
        Some(odd) => bail!("{path} has no plugin `{name}`, and {odd}"),
        None => bail!(
            "{path} has no plugin `{name}`, and its plugin folder no file for it\n\
             hint: `abi-mcp plugin add {name} FILE` adds one"
        ),
    }
}

fn whole_path(file: &Path) -> anyhow::Result<PathBuf> {
    std::path::absolute(file).with_context(|| format!("cannot use `{}`", file.display()))
}

fn place(settings: &Settings) -> anyhow::Result<Place> {
    settings.place.clone().context("there is no folder for a configuration; name a file with --config")
}

/// What there is to accept, after it was compiled, and what of it is no tool: what cannot run is not worth accepting.
fn tried(settings: &Settings, wanted: &Wanted) -> anyhow::Result<(Locked, Vec<Skipped>)> {
    let sandbox = Sandbox::compiling_with(settings.limits, environment::own_program());
    let mut offer = offered(wanted, settings.limits.largest_memory())?;
    let mut lock = Lock::default();
    lock.accept(&wanted.name, offer.clone());
    let plugin = admit::admit(wanted, &lock, &sandbox, settings.compiled_dir())?;
    let runtime = serve::runtime()?;
    runtime.block_on(plugin.prepare(&Cancel::new()))?;
    let mut skipped = Vec::new();
    if plugin.has(Role::Extension) {
        // Listing runs the plugin, with nothing but clocks and random numbers, and those only where granted.
        let tools = runtime.block_on(plugin.list_tools(&Cancel::new()))?;
        let locked = |(name, definition)| LockedTool { name, definition };
        offer.tools = definition::definitions(&tools).into_iter().map(locked).collect();
        skipped = tools.skipped;
    }
    Ok((offer, skipped))
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
        println!("  tool: {}", shown(&tool.name));
    }
}

/// What of it the model never sees, so that nobody misses it without knowing why.
fn describe_skipped(skipped: &[Skipped]) {
    for Skipped { method, reason } in skipped {
        println!("  no tool: {}: {}", shown(method), shown(reason));
    }
}

/// Whether it has roles that serve ecosystems, and no ecosystem to serve.
fn is_idle(wanted: &Wanted, offer: &Locked) -> bool {
    let only_tools = roles(offer).iter().all(|role| role == role_word(&PLAIN));
    wanted.ecosystems.is_empty() && wanted.pins.is_empty() && !only_tools
}
