//! Whether a plugin is what the operator accepted.
//!
//! In come a [`Wanted`] plugin and the [`Lock`], out comes a [`Plugin`] that may run, or a [`Refusal`] that says what
//! differs and which command accepts it. [`admit`] reads no plugin file: the lock says what there is, and the bytes are
//! held to it when they are first needed, so a start costs the same however many plugins are configured. [`verify`]
//! reads the file and says the same of its content at once.

use crate::artifact::inspect::{self, Stated, inspect, inspect_extension};
use crate::artifact::lock::{Lock, Locked, LockedTool};
use crate::artifact::{Allowed, Digest, Error, LocateError, Origin, Plugin, Wanted, locate, role_word, seen};
use crate::contract::supported::{PLAIN, Role};
use crate::model::{DirectoryGrant, Grants, PluginRelease};
use crate::sandbox::Sandbox;
use crate::text::clean_line;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a plugin is not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("plugin `{plugin}` {}", why.of(plugin))]
pub struct Refusal {
    /// The plugin.
    pub plugin: String,
    /// Why.
    pub why: Why,
}

/// Why one plugin is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// Nobody accepted it.
    NotAccepted,
    /// It is another than was accepted, or is to be used otherwise.
    Differs(Vec<Difference>),
    /// Its roles are not those the configuration expects.
    Roles {
        /// Expected.
        expected: BTreeSet<String>,
        /// What the file has.
        found: BTreeSet<String>,
    },
    /// A plugin that comes with this program has its name.
    NameTaken,
    /// The file cannot be read or is no plugin.
    File(String),
    /// It was accepted, and fails at what it would have to do; what served before does so still.
    Fails(String),
}

/// One thing that is not as it was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What: `digest`, `grants` and so on.
    pub what: &'static str,
    /// What was accepted and is gone.
    pub gone: Vec<String>,
    /// What is new.
    pub new: Vec<String>,
}

impl Refusal {
    /// A stable name for this kind of refusal.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.why {
            Why::NotAccepted => "lock::not_accepted",
            Why::Differs(_) => "lock::differs",
            Why::Roles { .. } => "plugin::roles",
            Why::NameTaken => "plugin::name_taken",
            Why::File(_) => "plugin::file",
            Why::Fails(_) => "plugin::fails",
        }
    }
}

impl Why {
    /// The reason in words, for the plugin of this name.
    fn of(&self, plugin: &str) -> String {
        let accept = format!("`abi-mcp plugin accept {plugin}` accepts it");
        let listed = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
        match self {
            Self::NotAccepted => format!("was not accepted and is not run\nhint: {accept}"),
            Self::Differs(differences) => {
                let lines: String = differences.iter().map(|difference| format!("\n  {difference}")).collect();
                format!("is not what was accepted and is not run{lines}\nhint: if that is meant, {accept}")
            }
            Self::Roles { expected, found } => {
                format!("is {}; the configuration expects {} and does not run it", listed(found), listed(expected))
            }
            Self::NameTaken => {
                "has the name of a plugin that comes with this program and is not run\nhint: give it another name"
                    .to_owned()
            }
            Self::File(problem) => format!("is not run: {problem}"),
            Self::Fails(problem) => format!("is not put in place, what was there stays: {problem}"),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gone = self.gone.iter().map(|text| format!("- {text}"));
        let new = self.new.iter().map(|text| format!("+ {text}"));
        write!(f, "{}: {}", self.what, gone.chain(new).collect::<Vec<_>>().join(", "))
    }
}

/// The plugin as it was accepted, if the operator wants it as it was accepted. Reads nothing.
///
/// # Errors
/// It was not accepted, or not like this.
pub fn admit(wanted: &Wanted, lock: &Lock, sandbox: &Arc<Sandbox>, cache: Option<PathBuf>) -> Result<Plugin, Refusal> {
    let refuse = |why| Refusal { plugin: wanted.name.clone(), why };
    if super::bundled().iter().any(|(name, ..)| *name == wanted.name) {
        return Err(refuse(Why::NameTaken));
    }
    let accepted = lock.get(&wanted.name).ok_or_else(|| refuse(Why::NotAccepted))?;
    let asked = Locked::of(wanted, accepted.digest, accepted.contracts.clone(), accepted.tools.clone());
    let differences = differences(accepted, &asked);
    if !differences.is_empty() {
        return Err(refuse(Why::Differs(differences)));
    }
    let contracts: Option<Vec<Stated>> =
        accepted.contracts.iter().map(|contract| inspect::of_contract(contract)).collect();
    let unknown = || {
        let contracts = accepted.contracts.iter().cloned().collect::<Vec<_>>().join(", ");
        Why::File(format!("it was accepted for {contracts}, which this release does not speak"))
    };
    let mut contracts = contracts.ok_or_else(|| refuse(unknown()))?;
    contracts.sort_by_key(|stated| stated.contract.role);
    expected_roles(wanted, &contracts).map_err(refuse)?;
    let origin = match contracts.iter().any(|stated| stated.contract.role == Role::Extension) {
        true => Origin::Extension(Box::new(allowed(wanted))),
        false => Origin::ThirdParty { ecosystems: wanted.ecosystems.clone() },
    };
    let release = release_of(&accepted.digest);
    let file = wanted.file.clone();
    Ok(Plugin::accepted(&wanted.name, release, origin, (accepted.digest, file), contracts, sandbox, cache))
}

fn allowed(wanted: &Wanted) -> Allowed {
    Allowed {
        grants: wanted.grants.clone(),
        variables: wanted.variables.clone(),
        config: wanted.values.clone().into_iter().collect(),
        state_folder: wanted.state_folder.clone(),
    }
}

/// What there is to accept of a plugin now. Reads the file; blocks on the disk.
///
/// # Errors
/// The file cannot be read, is no plugin, or has other roles than expected.
pub fn offered(wanted: &Wanted, largest_memory: usize) -> Result<Locked, Refusal> {
    let refuse = |why| Refusal { plugin: wanted.name.clone(), why };
    let file = |error: Error| refuse(Why::File(crate::report::failure(&error.into())));
    let bytes = locate::read(&wanted.file).map_err(|error| file(error.into()))?;
    let digest = Digest::of(&bytes);
    let inspect = if may_be_plain(wanted) { inspect_extension } else { inspect };
    let contracts = inspect(&bytes, largest_memory).map_err(|cause| refuse(Why::File(cause.to_string())))?.contracts;
    expected_roles(wanted, &contracts).map_err(refuse)?;
    let names = contracts.iter().map(|stated| format!("{}@{}", stated.contract.package, stated.version)).collect();
    Ok(Locked::of(wanted, digest, names, Vec::new()))
}

/// Whether a component without a contract is what the operator means: one that is wanted for its tools, or for whatever it
/// has. One that is to serve an ecosystem is a mapper, and without its contract a broken one.
fn may_be_plain(wanted: &Wanted) -> bool {
    match &wanted.roles {
        Some(roles) => roles.contains(role_word(&PLAIN)),
        None => wanted.ecosystems.is_empty() && wanted.pins.is_empty(),
    }
}

/// Whether the file is what was accepted. Reads it only where it may have changed since it was last looked at (`cache` is
/// where that is remembered); blocks on the disk.
///
/// # Errors
/// As [`admit`] and [`offered`].
pub fn verify(wanted: &Wanted, lock: &Lock, largest_memory: usize, cache: Option<&Path>) -> Result<(), Refusal> {
    let refuse = |why| Refusal { plugin: wanted.name.clone(), why };
    let accepted = lock.get(&wanted.name).ok_or_else(|| refuse(Why::NotAccepted))?;
    let unreadable = |error: LocateError| refuse(Why::File(crate::report::failure(&error.into())));
    let digest = seen::digest(&wanted.file, cache).map_err(unreadable)?;
    // The bytes being the same, so is what they bring.
    let found = match digest == accepted.digest {
        true => Locked::of(wanted, digest, accepted.contracts.clone(), accepted.tools.clone()),
        false => Locked { tools: accepted.tools.clone(), ..offered(wanted, largest_memory)? },
    };
    let differences = differences(accepted, &found);
    if differences.is_empty() { Ok(()) } else { Err(refuse(Why::Differs(differences))) }
}

/// A third party's release: nobody numbers it in a way that could be checked, so it is its digest's beginning.
pub(super) fn release_of(digest: &Digest) -> PluginRelease {
    PluginRelease(digest.to_string().chars().take(12).collect())
}

fn expected_roles(wanted: &Wanted, contracts: &[Stated]) -> Result<(), Why> {
    let Some(expected) = &wanted.roles else { return Ok(()) };
    let found: BTreeSet<String> = contracts.iter().map(|stated| role_word(stated.contract).to_owned()).collect();
    if *expected == found { Ok(()) } else { Err(Why::Roles { expected: expected.clone(), found }) }
}

/// What of `found` is not as it was accepted.
#[must_use]
pub fn differences(accepted: &Locked, found: &Locked) -> Vec<Difference> {
    let digest = |locked: &Locked| BTreeSet::from([format!("sha256:{}", locked.digest)]);
    let pairs = [
        ("digest", digest(accepted), digest(found)),
        ("contracts", accepted.contracts.clone(), found.contracts.clone()),
        ("ecosystems", accepted.ecosystems.clone(), found.ecosystems.clone()),
        ("pins", accepted.pins.clone(), found.pins.clone()),
        ("grants", grant_lines(&accepted.grants), grant_lines(&found.grants)),
    ];
    let differing = pairs.into_iter().filter(|(_, accepted, found)| accepted != found);
    let mut all: Vec<Difference> = differing
        .map(|(what, accepted, found)| Difference {
            what,
            gone: accepted.difference(&found).cloned().collect(),
            new: found.difference(&accepted).cloned().collect(),
        })
        .collect();
    all.extend(tools(&accepted.tools, &found.tools));
    all
}

/// Each capability as a line of its own.
#[must_use]
pub fn grant_lines(grants: &Grants) -> BTreeSet<String> {
    let Grants { http, directories, environment, clocks, random, state } = grants;
    let directory = |DirectoryGrant { guest, host, writable }: &DirectoryGrant| {
        let host = host.as_ref().map(|host| format!(" = {}", host.display())).unwrap_or_default();
        format!("directory {guest}{host} {}", if *writable { "read-write" } else { "read-only" })
    };
    let flags = [("clocks", clocks), ("random", random), ("state", state)];
    let flags = flags.into_iter().filter(|(_, on)| **on).map(|(name, _)| name.to_owned());
    http.iter()
        .map(|host| format!("http {host}"))
        .chain(directories.iter().map(directory))
        .chain(environment.iter().map(|name| format!("environment {name}")))
        .chain(flags)
        .collect()
}

fn tools(accepted: &[LockedTool], found: &[LockedTool]) -> Option<Difference> {
    let of = |tools: &[LockedTool], name: &str| tools.iter().find(|tool| tool.name == name).cloned();
    // An author chose the names, and an operator decides by what is printed here.
    let shown = |tool: &LockedTool| clean_line(&tool.name);
    let gone = accepted.iter().filter(|tool| of(found, &tool.name).is_none()).map(shown);
    let new = found.iter().filter_map(|tool| match of(accepted, &tool.name) {
        None => Some(shown(tool)),
        Some(before) => (before != *tool).then(|| format!("{} (another {})", shown(tool), changed(&before, tool))),
    });
    let mut difference = Difference { what: "tools", gone: gone.collect(), new: new.collect() };
    if difference.gone.is_empty() && difference.new.is_empty() && accepted != found {
        difference.new.push("another order".to_owned());
    }
    (!difference.gone.is_empty() || !difference.new.is_empty()).then_some(difference)
}

/// Which parts of a tool's definition are others.
fn changed(before: &LockedTool, now: &LockedTool) -> String {
    let (Some(old), Some(new)) = (before.definition.as_object(), now.definition.as_object()) else {
        return "definition".to_owned();
    };
    let parts: BTreeSet<&str> = old.keys().chain(new.keys()).map(String::as_str).collect();
    parts.into_iter().filter(|part| old.get(*part) != new.get(*part)).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests;
