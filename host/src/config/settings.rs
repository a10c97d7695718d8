//! Settings: variables over the configuration file over what is usual.

use crate::artifact::ExtensionSetting;
use crate::catalog::budget;
use crate::config::file::{ConfigFile, FileError, Place};
use crate::config::reader::Trouble;
use crate::config::resolve;
use crate::config::schema;
use crate::config::secrets;
use crate::node::NodeSettings;
use crate::redact::{Redactor, Secret};
use crate::sandbox::Limits;
use crate::tools::{Modes, Toolsets};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const PASSWORD: &str = "CALIMERO_PASSWORD";
const PASSWORD_FILE: &str = "CALIMERO_PASSWORD_FILE";
const TOOLSETS: &str = "CALIMERO_MCP_TOOLSETS";

/// What the operator said and cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The configuration file.
    #[error(transparent)]
    File(#[from] FileError),
    /// Not the number it should be.
    #[error("{variable} is `{value}`; expected {expected}")]
    BadNumber {
        /// Which.
        variable: &'static str,
        /// What it holds.
        value: String,
        /// What it should hold.
        expected: &'static str,
    },
    /// A file it names cannot be used. Nothing of the file's content is shown.
    #[error("{setting} names {}, which {problem}", path.display())]
    BadFile {
        /// The variable, or the key of the configuration.
        setting: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A variable the configuration leads to is not set.
    #[error("{setting} names the environment variable `{variable}`, which is not set")]
    NoVariable {
        /// The key of the configuration.
        setting: &'static str,
        /// The variable.
        variable: String,
    },
}

/// Everything the operator can set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the configuration file is, or would be; absent where the user has no home and named none.
    pub place: Option<Place>,
    /// Whether it is there.
    pub configured: bool,
    /// How to find the node and who to be there.
    pub node: NodeSettings,
    /// `CALIMERO_MCP_STATE_DIR`, or `.config/calimero/mcp` in the user's home: the handle key, and tokens beside it.
    pub state_dir: Option<PathBuf>,
    /// `ABI_MCP_CACHE_DIR`, or `abi-mcp` in the user's cache folder: compiled components and mappings.
    pub cache_dir: Option<PathBuf>,
    /// `ABI_MCP_TOOLS`: how many tools are listed at once, fixed ones included.
    pub tool_budget: usize,
    /// `ABI_MCP_LIST_INTERNAL`: list methods that are meant for the node (event handlers, timers) as tools too.
    pub list_internal: bool,
    /// `CALIMERO_MCP_TOOLSETS` and `CALIMERO_MCP_READ_ONLY`.
    pub modes: Modes,
    /// `CALIMERO_MCP_APPS`: the apps whose methods become tools; all unless set.
    pub apps: Option<Vec<String>>,
    /// `--manifest` and `--overrides`: manifest files that are served.
    pub manifests: Vec<ManifestSetting>,
    /// `--engine`: components that run their functions.
    pub engines: Vec<PathBuf>,
    /// `--extension`: plugins that bring tools of their own and are granted nothing.
    pub extensions: Vec<ExtensionSetting>,
    /// Whether a node is served; unless said, only where nothing else is. `--node` says so.
    pub serve_node: Option<bool>,
    /// `ABI_MCP_CATEGORIES`: only methods of these categories become tools; all unless set.
    pub categories: Option<Vec<String>>,
    /// The folder for plugin files that are dropped in; it need not be there.
    pub plugin_folder: Option<PathBuf>,
    /// What one piece of a plugin's work may use.
    pub limits: Limits,
    /// Where calls are recorded.
    pub audit: Option<PathBuf>,
    /// What was set and means nothing, one sentence each.
    pub warnings: Vec<String>,
}

/// One manifest file to serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestSetting {
    /// The ecosystem.
    pub ecosystem: String,
    /// The file.
    pub path: PathBuf,
    /// Changes to it.
    pub overrides: Option<PathBuf>,
}

impl Settings {
    /// Whether a node is among the sources: where nothing else is named, or by name.
    #[must_use]
    pub fn serves_node(&self) -> bool {
        self.serve_node.unwrap_or(self.manifests.is_empty() && self.extensions.is_empty())
    }

    /// Where compiled components are kept, by every command: what one compiled no other compiles again.
    #[must_use]
    pub fn compiled_dir(&self) -> Option<PathBuf> {
        self.cache_dir.as_ref().map(|cache| cache.join("compiled"))
    }

    /// Reads the settings through `variable`, over those of the file. Values are trimmed; a blank one counts as unset.
    ///
    /// # Errors
    /// A number that is none, a file with a secret that cannot be read, or a file of the configuration that clashes with
    /// itself.
    pub fn resolve(
        file: ConfigFile,
        variable: impl Fn(&str) -> Option<String>,
        home: Option<PathBuf>,
    ) -> Result<Self, Error> {
        let ConfigFile { place, found, written, mut warnings } = file;
        let in_file = |trouble: Trouble| {
            let path = place.as_ref().map(|place| place.path.clone()).unwrap_or_default();
            Error::File(FileError::Content { path, trouble })
        };
        // Read again where they are used; here for what the log must not show from the first line on.
        let plugins = resolve::plugins(&written, place.as_ref()).map_err(in_file)?;
        let manifests = resolve::manifests(&written, place.as_ref()).map_err(in_file)?;
        let said = Said { variable, home, place: place.as_ref() };
        let tools = written.tools.as_ref();
        let state_dir = said.path("CALIMERO_MCP_STATE_DIR").or_else(|| said.below_home(".config/calimero/mcp"));
        let node = said.node(written.node.as_ref(), state_dir.clone())?;
        node.learn_secrets();
        plugins.iter().for_each(|wanted| secrets::learn(wanted, &node.redactor));
        let (toolsets, unknown) = said.toolsets(tools);
        warnings.extend(unknown);
        let audit = written.audit.as_ref().map(|audit| resolve::path(place.as_ref(), &audit.file.0));
        let list = |name, from: Option<&Option<Vec<String>>>| said.list(name).or_else(|| from.cloned().flatten());
        Ok(Self {
            node,
            state_dir,
            cache_dir: said.cache_dir(),
            tool_budget: said.budget(tools)?,
            list_internal: said.flag("ABI_MCP_LIST_INTERNAL", tools.and_then(|tools| tools.list_internal)),
            modes: Modes {
                toolsets,
                read_only: said.flag("CALIMERO_MCP_READ_ONLY", tools.and_then(|tools| tools.read_only)),
                ..Modes::default()
            },
            apps: list("CALIMERO_MCP_APPS", tools.map(|tools| &tools.apps)),
            categories: list("ABI_MCP_CATEGORIES", tools.map(|tools| &tools.categories)),
            manifests,
            engines: Vec::new(),
            extensions: Vec::new(),
            // A table about the node says that one is meant, unless it says otherwise itself.
            serve_node: written.node.as_ref().map(|node| node.serve.unwrap_or(true)),
            plugin_folder: resolve::plugin_folder(&written, place.as_ref()),
            limits: resolve::limits(written.limits.as_ref()),
            audit,
            warnings,
            configured: found,
            place,
        })
    }
}

/// What was said outside the file, and where the file's own paths start.
struct Said<'a, F> {
    variable: F,
    home: Option<PathBuf>,
    place: Option<&'a Place>,
}

impl<F: Fn(&str) -> Option<String>> Said<'_, F> {
    fn get(&self, name: &str) -> Option<String> {
        let value = (self.variable)(name)?;
        let value = value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }

    /// A variable that is set at all decides, also against the file.
    fn flag(&self, name: &str, file: Option<bool>) -> bool {
        match self.get(name) {
            Some(value) => matches!(value.as_str(), "1" | "true" | "yes"),
            None => file.unwrap_or(false),
        }
    }

    fn list(&self, name: &str) -> Option<Vec<String>> {
        let list = self.get(name)?;
        Some(list.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect())
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    fn below_home(&self, path: &str) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(path))
    }

    fn node(&self, file: Option<&schema::Node>, state_dir: Option<PathBuf>) -> Result<NodeSettings, Error> {
        let text = |name, from: fn(&schema::Node) -> &Option<String>| {
            self.get(name).or_else(|| file.and_then(|node| from(node).clone()))
        };
        let home = file.and_then(|node| node.home.as_ref()).map(|home| resolve::path(self.place, &home.0));
        Ok(NodeSettings {
            node_url: text("CALIMERO_NODE_URL", |node| &node.url),
            node_name: text("CALIMERO_NODE_NAME", |node| &node.name),
            node_home: self.path("CALIMERO_NODE_HOME").or(home).or_else(|| self.below_home(".calimero")),
            auth_token: self.token(file)?,
            refresh_token: self.get("CALIMERO_REFRESH_TOKEN").map(Secret::new),
            username: text("CALIMERO_USERNAME", |node| &node.username),
            password: self.password(file)?,
            state_dir,
            allow_cleartext: self.flag("CALIMERO_ALLOW_CLEARTEXT", file.and_then(|node| node.allow_cleartext)),
            redactor: Arc::new(Redactor::new(self.home.as_deref())),
            ..NodeSettings::default()
        })
    }

    fn password(&self, file: Option<&schema::Node>) -> Result<Option<Secret>, Error> {
        if let Some(password) = self.get(PASSWORD) {
            return Ok(Some(Secret::new(password)));
        }
        if let Some(path) = self.path(PASSWORD_FILE) {
            return secret_in(PASSWORD_FILE, &path).map(Some);
        }
        let Some(node) = file else { return Ok(None) };
        self.secret(
            ("node.password_file", node.password_file.as_ref().map(|path| path.0.as_path())),
            ("node.password_variable", node.password_variable.as_ref().map(|name| name.0.as_str())),
        )
    }

    fn token(&self, file: Option<&schema::Node>) -> Result<Option<Secret>, Error> {
        if let Some(token) = self.get("CALIMERO_AUTH_TOKEN") {
            return Ok(Some(Secret::new(token)));
        }
        let Some(node) = file else { return Ok(None) };
        self.secret(
            ("node.token_file", node.token_file.as_ref().map(|path| path.0.as_path())),
            ("node.token_variable", node.token_variable.as_ref().map(|name| name.0.as_str())),
        )
    }

    /// A secret the configuration leads to, by file or by variable.
    fn secret(
        &self,
        (file_key, file): (&'static str, Option<&Path>),
        (variable_key, variable): (&'static str, Option<&str>),
    ) -> Result<Option<Secret>, Error> {
        if let Some(path) = file {
            return secret_in(file_key, &resolve::path(self.place, path)).map(Some);
        }
        let Some(variable) = variable else { return Ok(None) };
        let unset = || Error::NoVariable { setting: variable_key, variable: variable.to_owned() };
        self.get(variable).map(|value| Some(Secret::new(value))).ok_or_else(unset)
    }

    fn cache_dir(&self) -> Option<PathBuf> {
        let cache_home = self.path("XDG_CACHE_HOME").or_else(|| self.below_home(".cache"));
        self.path("ABI_MCP_CACHE_DIR").or_else(|| cache_home.map(|home| home.join("abi-mcp")))
    }

    fn budget(&self, file: Option<&schema::Tools>) -> Result<usize, Error> {
        let Some(value) = self.get("ABI_MCP_TOOLS") else {
            let in_file = file.and_then(|tools| tools.budget).and_then(|budget| usize::try_from(budget.0).ok());
            return Ok(in_file.unwrap_or(budget::DEFAULT_TOOLS));
        };
        let expected = "how many tools to list at most, for example 100";
        value.parse().map_err(|_| Error::BadNumber { variable: "ABI_MCP_TOOLS", value, expected })
    }

    /// The toolsets, and a sentence for each word that is none.
    fn toolsets(&self, file: Option<&schema::Tools>) -> (Toolsets, Vec<String>) {
        let in_file =
            || file.and_then(|tools| tools.toolsets.as_ref()).map(|words| ("tools.toolsets", words.join(",")));
        let Some((setting, list)) = self.get(TOOLSETS).map(|list| (TOOLSETS, list)).or_else(in_file) else {
            return (Toolsets::default(), Vec::new());
        };
        let (toolsets, unknown) = Toolsets::parse(&list);
        (toolsets, unknown.iter().map(|name| unknown_toolset(setting, name)).collect())
    }
}

/// A secret in a file, without the newline that editors put at its end.
fn secret_in(setting: &'static str, path: &Path) -> Result<Secret, Error> {
    let unusable = |problem: String| Error::BadFile { setting, path: path.to_owned(), problem };
    let text = std::fs::read_to_string(path).map_err(|error| unusable(format!("cannot be read: {error}")))?;
    match text.trim() {
        "" => Err(unusable("is empty".to_owned())),
        secret => Ok(Secret::new(secret)),
    }
}

fn unknown_toolset(setting: &str, name: &str) -> String {
    format!("{setting} names `{name}`, which is no toolset; there are core, blobs, governance and all")
}

#[cfg(test)]
mod tests;
