//! An extension in one case: with the case's configuration, variables and copies of its folders, and nothing else real.

use super::component::{Component, stopped};
use super::convert;
use crate::artifact::asks::Wants;
use crate::artifact::{Allowed, Origin, Plugin};
use crate::cli::check::everything;
use crate::model::{CallScope, Cancel, DirectoryGrant, Extent, Grants, Method};
use crate::schema::portable;
use abi_mcp_golden::{Called, Settings, Skipped, Stopped, Tool, Tools};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;
use tokio::runtime::Handle;

/// An extension that is being called.
pub(super) struct Session {
    plugin: Plugin,
    runtime: Handle,
    /// The tools by name, once they were listed.
    tools: Vec<Method>,
    /// Copies of the case's folders; they go with the case.
    _folder: TempDir,
}

impl Session {
    /// The extension as the case finds it.
    ///
    /// # Errors
    /// The case sets what the component does not ask for, or a copy cannot be made.
    pub(super) fn open(component: &Component, settings: &Settings) -> Result<Self, Stopped> {
        let folder = tempfile::tempdir().map_err(|error| Stopped(format!("no temporary folder: {error}")))?;
        let grants = granted(&component.wants, settings, &folder)?;
        let config = settings.config.iter().map(|(key, text)| {
            let value = serde_json::from_str(text).map_err(|error| Stopped(format!("`config`, `{key}`: {error}")))?;
            Ok((key.clone(), value))
        });
        let allowed = Allowed {
            grants,
            variables: settings.environment.iter().cloned().collect(),
            config: config.collect::<Result<BTreeMap<String, Value>, Stopped>>()?,
            state_folder: Some(folder.path().join("state")),
        };
        let (origin, bytes) = (Origin::Extension(Box::new(allowed)), component.bytes.to_vec());
        let cache = Some(component.cache.clone());
        let release = component.release.clone();
        let plugin = Plugin::load(&component.name, release, origin, bytes.into(), &component.sandbox, cache)
            .map_err(|error| Stopped(error.to_string()))?;
        Ok(Self { plugin, runtime: component.runtime.clone(), tools: Vec::new(), _folder: folder })
    }
}

/// All that is asked for, with the case's variables and copies of its folders behind it.
pub(super) fn granted(wants: &Wants, settings: &Settings, folder: &TempDir) -> Result<Grants, Stopped> {
    let mut grants = everything(wants, folder).map_err(|error| Stopped(format!("{error:#}")))?;
    if wants.unnamed {
        grants.directories = unnamed(settings, folder)?;
    }
    for (guest, from) in &settings.directories {
        let granted = grants.directories.iter().find(|directory| directory.guest == *guest);
        let to = granted.and_then(|directory| directory.host.as_deref()).ok_or_else(|| unasked("directory", guest))?;
        copy(from, to).map_err(|error| Stopped(format!("cannot copy `{}`: {error}", from.display())))?;
    }
    let names = settings.environment.iter().map(|(name, _)| name);
    if let Some(name) = names.clone().find(|name| !wants.unnamed && !wants.environment.contains(name)) {
        return Err(unasked("environment variable", name));
    }
    grants.environment = names.cloned().collect();
    Ok(grants)
}

/// The directories of a component that was made for another host and can name none: whichever the case has, or an empty one.
fn unnamed(settings: &Settings, folder: &TempDir) -> Result<Vec<DirectoryGrant>, Stopped> {
    let guests = settings.directories.iter().map(|(guest, _)| guest.clone());
    let guests: Vec<String> = if settings.directories.is_empty() { vec!["/".to_owned()] } else { guests.collect() };
    let directory = |(index, guest): (usize, String)| {
        let host = folder.path().join(format!("directory-{index}"));
        std::fs::create_dir(&host).map_err(|error| Stopped(format!("no temporary folder: {error}")))?;
        Ok(DirectoryGrant { guest, host: Some(host), writable: true })
    };
    guests.into_iter().enumerate().map(directory).collect()
}

fn unasked(what: &str, name: &str) -> Stopped {
    Stopped(format!("the {what} `{name}` is set, and the component's manifest does not ask for it"))
}

impl Tools for Session {
    fn list(&mut self) -> Result<(Vec<Tool>, Vec<Skipped>), Stopped> {
        let listed = self.runtime.block_on(self.plugin.list_tools(&Cancel::new()));
        let listed = listed.map_err(|error| stopped(&error))?;
        self.tools = listed.methods;
        Ok((self.tools.iter().map(convert::tool).collect(), listed.skipped.into_iter().map(convert::skipped).collect()))
    }

    fn call(&mut self, tool: &str, arguments: &str) -> Result<Called, Stopped> {
        let Some(method) = self.tools.iter().find(|method| method.name == tool) else {
            return Err(Stopped("is not among the tools it lists".to_owned()));
        };
        let schema = Value::Object(method.input_schema.clone());
        if let Some(problem) = misfit(&schema, arguments) {
            let never = "is given arguments that do not fit its input schema, so that no call gets there";
            return Err(Stopped(format!("{never}: {problem}")));
        }
        let ended =
            self.runtime.block_on(self.plugin.call_tool(tool, arguments, Extent::Granted, &CallScope::default()));
        let called = convert::called(ended.map_err(|error| stopped(&error))?.answer);
        match (&method.output_schema, &called) {
            (Some(schema), Called::Reply { structured: Some(value), .. }) => match misfit(schema, value) {
                Some(problem) => Err(Stopped(format!("answers with a value its output schema refuses: {problem}"))),
                None => Ok(called),
            },
            (Some(_), Called::Reply { structured: None, .. }) => {
                Err(Stopped("answers without the value its output schema announces".to_owned()))
            }
            _ => Ok(called),
        }
    }
}

/// The first thing about a value, JSON text, that a schema refuses.
fn misfit(schema: &Value, text: &str) -> Option<String> {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return Some(error.to_string()),
    };
    let validator = match portable::compile(schema) {
        Ok(validator) => validator,
        Err(error) => return Some(error.to_string()),
    };
    let error = validator.iter_errors(&value).next()?;
    let at = error.instance_path().as_str().trim_start_matches('/').replace('/', ".");
    Some(format!("`{at}`: {error}"))
}

/// Copies a folder's files and folders into one that is there. A link is refused: where it leads is not the case's.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            std::fs::create_dir(&to)?;
            copy(&entry.path(), &to)?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), &to)?;
        } else {
            let problem = format!("`{}` is neither a file nor a folder", entry.path().display());
            return Err(std::io::Error::other(problem));
        }
    }
    Ok(())
}
