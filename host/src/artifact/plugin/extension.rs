//! The extension's side of a plugin: what it may reach, which tools it has, and running one of them.

use super::{Origin, Plugin, PluginError, Stated, metered};
use crate::artifact::asks::{Asks, AsksError, asks, asks_or_imports};
use crate::artifact::inspect::{Inspection, inspect_extension};
use crate::artifact::keeper::FolderKeeper;
use crate::artifact::usage::Meter;
use crate::artifact::{Cause, Digest, Error};
use crate::contract::supported::Role;
use crate::contract::{accept_reply, accept_tools};
use crate::model::{CallScope, Cancel, ExtensionFailure, ExtensionReply, Extent, Grants, Mapping, PluginRelease};
use crate::sandbox::{self, Allowance, GuestStore, Keeper, Reach, Refused, Work, is_host};
use crate::text::clean_line;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Calls of one extension that run at once; more wait for their turn. One that keeps all of its calls asleep for their
/// whole time leaves the threads of the others alone.
pub(super) const AT_ONCE: usize = 4;

/// Why a call that would change something is refused whatever was granted.
const READ_ONLY: &str =
    "this server is in read-only mode (`read_only` under `[tools]` of the configuration, or the variable for it)";

/// What the operator allows and sets for an extension.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// What it may reach, as far as it asks for it.
    pub grants: Grants,
    /// The values of the environment variables among the grants, read by whoever may read the environment.
    pub variables: BTreeMap<String, String>,
    /// Values of its own, by key.
    pub config: BTreeMap<String, Value>,
    /// The folder below which it keeps values, in a folder of its own; needed for the grant `state`.
    pub state_folder: Option<PathBuf>,
}

impl fmt::Debug for Allowed {
    /// Variables and configuration may hold secrets; their names do not.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allowed")
            .field("grants", &self.grants)
            .field("variables", &self.variables.keys())
            .field("config", &self.config.keys())
            .finish_non_exhaustive()
    }
}

/// How a call of an extension's tool ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extended {
    /// Its answer, or its own words for why there is none.
    pub answer: Result<ExtensionReply, ExtensionFailure>,
    /// What the call was refused, one line each, for whoever could allow it.
    pub refused: Vec<String>,
}

/// Holds a component to what it asks for and the operator allows; answers its origin with the grants both agree on.
///
/// # Errors
/// It brings no tools though it was added for them, its manifest cannot be read, or it imports what it was not granted.
pub(super) fn admitted(
    name: &str,
    release: &PluginRelease,
    origin: Origin,
    bytes: &[u8],
    contracts: &[Stated],
    imports: &[String],
) -> Result<Origin, Error> {
    let is_extension = contracts.iter().any(|stated| stated.contract.role == Role::Extension);
    let plugin = || name.to_owned();
    // Under any other origin nobody runs its tools; linked without a grant, it does not link where it would need one.
    let Origin::Extension(mut allowed) = origin else { return Ok(origin) };
    if !is_extension {
        return Err(Error::NoTools { plugin: plugin(), release: release.clone() });
    }
    let Asks { wants, .. } = asked(bytes, contracts, imports).map_err(|cause| Error::Asks {
        plugin: plugin(),
        release: release.clone(),
        cause,
    })?;
    let effective = wants.effective(&allowed.grants);
    let unasked = wants.unasked(&allowed.grants);
    if !unasked.is_empty() {
        tracing::warn!("plugin `{name}` {release} is allowed what it never asks for: {}", unasked.join(", "));
    }
    for host in effective.http.iter().filter(|host| !is_host(host)) {
        tracing::warn!("plugin `{name}` {release}: {host:?} names no host and grants nothing; expected `host:port`");
    }
    wants.check(name, imports, &effective).map_err(|cause| Error::Ungranted { release: release.clone(), cause })?;
    allowed.grants = effective;
    Ok(Origin::Extension(allowed))
}

/// What a component asks for; one that states no contract may not know that there is anything to ask.
fn asked(bytes: &[u8], contracts: &[Stated], imports: &[String]) -> Result<Asks, AsksError> {
    if contracts.iter().any(|stated| stated.contract.is_plain()) {
        asks_or_imports(bytes, imports)
    } else {
        asks(bytes)
    }
}

/// What a plugin may reach: for an extension the grants of its origin, which were held to what it asks for when it was
/// [`admitted`]; for everything else nothing.
pub(super) fn allowance(name: &str, origin: &Origin) -> Allowance {
    let Origin::Extension(allowed) = origin else { return Allowance::default() };
    let keeper = allowed.state_folder.as_ref().filter(|_| allowed.grants.state);
    Allowance {
        plugin: name.to_owned(),
        grants: allowed.grants.clone(),
        variables: allowed.variables.clone(),
        config: allowed.config.iter().map(|(key, value)| (key.clone(), value.to_string())).collect(),
        keeper: keeper.map(|folder| Arc::new(FolderKeeper::new(folder.join(name))) as Arc<dyn Keeper>),
    }
}

/// What of an allowance the very bytes that will run ask for, looked at when they are linked: whatever was checked before
/// was checked on a file that may have changed.
pub(super) fn effective(allowed: &Allowance, bytes: &[u8]) -> Result<Allowance, sandbox::Error> {
    let ungranted = |text: String| sandbox::Error::Ungranted { text };
    let Inspection { contracts, imports } =
        inspect_extension(bytes, usize::MAX).map_err(|error| ungranted(error.to_string()))?;
    let Asks { wants, .. } = asked(bytes, &contracts, &imports).map_err(|error| ungranted(error.to_string()))?;
    let grants = wants.effective(&allowed.grants);
    wants.check(&allowed.plugin, &imports, &grants).map_err(|missing| ungranted(missing.to_string()))?;
    let keeper = allowed.keeper.clone().filter(|_| grants.state);
    Ok(Allowance { grants, keeper, ..allowed.clone() })
}

impl Plugin {
    /// What it may reach, as far as it asks for it.
    #[must_use]
    pub fn grants(&self) -> &Grants {
        &self.code.allowance.grants
    }

    /// Everything that its list of tools depends on, as one digest: its bytes, its grants and its configuration.
    #[must_use]
    pub fn basis(&self) -> String {
        let allowance = &self.code.allowance;
        Digest::of(format!("{}{:?}{:?}", self.digest, allowance.grants, allowance.config).as_bytes()).to_string()
    }

    /// An extension's tools. One that breaks a rule of the contract is skipped with its reason.
    ///
    /// # Errors
    /// When it is stopped, or is no extension.
    pub async fn list_tools(&self, cancel: &Cancel) -> Result<Mapping, PluginError> {
        let work = Work::List;
        let failed = |error| self.error(work, Cause::Sandbox(error));
        let linked = self.linked(cancel).await.map_err(|cause| self.error(work, cause))?;
        let none = || self.error(work, Cause::NoRole(Role::Extension));
        let (extension, allowance) = linked.extension.ok_or_else(none)?;
        let (limits, token) = (*self.sandbox.limits(), cancel.clone());
        let reach = move || Reach::of_list(&allowance, limits.web, limits.counts, token);
        let list = move |store: &mut _| extension.list(store).map(accept_tools);
        self.sandbox.run_beside(work, cancel, reach, list).await.map_err(failed)
    }

    /// Runs one of an extension's tools by its own name, with so much of its grants; `arguments` is JSON text.
    ///
    /// # Errors
    /// When it is stopped (a trap, the deadline, memory), is no extension, a granted directory cannot be opened, or the
    /// answer is not what the contract says.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: &str,
        extent: Extent,
        scope: &CallScope,
    ) -> Result<Extended, PluginError> {
        let work = Work::Extend;
        let failed = |error| self.error(work, Cause::Sandbox(error));
        let linked = self.linked(&scope.cancel).await.map_err(|cause| self.error(work, cause))?;
        let none = || self.error(work, Cause::NoRole(Role::Extension));
        let (extension, allowance) = linked.extension.ok_or_else(none)?;
        let _turn = tokio::select! {
            turn = self.turns.acquire() => turn,
            () = scope.cancel.cancelled() => return Err(failed(sandbox::Error::Cancelled)),
        };
        let limits = *self.sandbox.limits();
        let (progress, token) = (scope.progress.clone(), scope.cancel.clone());
        let reach = move || Reach::of_call(&allowance, extent, limits.web, limits.counts, progress, token);
        let (name, arguments) = (name.to_owned(), arguments.to_owned());
        let meter = Meter::of(&self.name);
        meter.handed_in(arguments.len());
        let call = move |store: &mut GuestStore<Reach>| {
            let answer = extension.call(store, &name, &arguments)?;
            // Checked on the worker: a large value takes a while to read.
            Ok((answer.map(accept_reply), store.beside().refused_hosts(), store.beside().refused_to_keep()))
        };
        let (answer, hosts, keeping) =
            self.sandbox.run_beside(work, &scope.cancel, reach, metered(meter.clone(), call)).await.map_err(failed)?;
        let answer = match answer {
            Ok(Ok(reply)) => {
                meter.handed_out([&reply.text, &reply.structured].into_iter().flatten().map(String::len).sum());
                Ok(reply)
            }
            Ok(Err(breach)) => return Err(self.error(work, Cause::Breach(breach))),
            Err(failure) => Err(failure),
        };
        let mut refused: Vec<String> = hosts.iter().map(|(host, why)| self.refusal(host, why)).collect();
        if keeping {
            refused.push(format!("`{}` kept no value with `state`: {READ_ONLY}", self.name));
        }
        // A guest that may not write is told so by its file system alone; where its call failed, that may be why.
        let writable = || self.grants().directories.iter().any(|directory| directory.writable);
        if extent == Extent::Reading && answer.is_err() && writable() {
            refused.push(format!("`{}` can write in none of its `directories`: {READ_ONLY}", self.name));
        }
        Ok(Extended { answer, refused })
    }

    /// One refused host, with the line that would allow it where a line could.
    fn refusal(&self, host: &str, why: &Refused) -> String {
        let wanted = match why {
            Refused::NotListed => host.to_owned(),
            Refused::NotPublic(address) => address.to_string(),
            Refused::NotReading(method) => {
                let method = clean_line(method);
                return format!("`{}` sent no {method} to `{host}` with `http`: {READ_ONLY}", self.name);
            }
            Refused::TooMany(_) => return format!("`{host}` was not asked: {why}"),
        };
        let table = crate::artifact::asks::grants_table(&self.name);
        format!("`{host}` was not asked: {why}; only the operator can allow it, in {table}: http = [\"{wanted}\"]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::specimen::guest;
    use serde_json::json;

    #[test]
    fn what_was_allowed_is_held_to_the_very_bytes_that_run() {
        let generous = Grants {
            http: vec!["a.example".to_owned()],
            environment: vec!["GRANTED".to_owned(), "OTHER".to_owned()],
            clocks: true,
            random: true,
            ..Grants::default()
        };
        let allowed = |grants| Allowance { plugin: "x".to_owned(), grants, ..Allowance::default() };
        let greeter = effective(&allowed(generous.clone()), &guest("greeter")).unwrap();
        assert!(greeter.grants.is_empty(), "it asks for nothing: {:?}", greeter.grants);
        let missing = effective(&allowed(generous), &guest("rogue")).unwrap_err().to_string();
        assert!(missing.contains("`directories`") && missing.contains("`state`"), "{missing}");
        assert!(!missing.contains("`http`") && missing.contains("\nhint: to allow it"), "{missing}");
    }

    #[test]
    fn g07_the_debug_form_of_what_is_allowed_shows_names_and_no_values() {
        let allowed = Allowed {
            variables: [("TOKEN".to_owned(), "FIXTURE".to_owned())].into(),
            config: [("key".to_owned(), json!("FIXTURE"))].into(),
            ..Allowed::default()
        };
        let origin = Origin::Extension(Box::new(allowed));
        let text = format!("{origin:?}");
        assert!(text.contains("TOKEN") && !text.contains("FIXTURE"), "{text}");
        let allowance =
            Allowance { variables: [("TOKEN".to_owned(), "FIXTURE".to_owned())].into(), ..Allowance::default() };
        assert!(!format!("{allowance:?}").contains("FIXTURE"));
    }
}
