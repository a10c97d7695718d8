//! Settings from variables.

use crate::artifact::ExtensionSetting;
use crate::catalog::budget;
use crate::node::NodeSettings;
use crate::redact::{Redactor, Secret};
use crate::tools::{Modes, Toolsets};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const PASSWORD: &str = "CALIMERO_PASSWORD";
const PASSWORD_FILE: &str = "CALIMERO_PASSWORD_FILE";

/// A variable that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
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
    #[error("{variable} names {}, which {problem}", path.display())]
    BadFile {
        /// Which.
        variable: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

/// Everything the operator can set.
#[derive(Debug, Clone)]
pub struct Settings {
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
    /// `--extension`: plugins that bring tools of their own.
    pub extensions: Vec<ExtensionSetting>,
    /// `--node`: a node is served even though there are manifest files or extensions.
    pub node_too: bool,
    /// `ABI_MCP_CATEGORIES`: only methods of these categories become tools; all unless set.
    pub categories: Option<Vec<String>>,
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
        self.manifests.is_empty() && self.extensions.is_empty() || self.node_too
    }

    /// Reads the settings through `variable`. Values are trimmed; a blank one counts as unset.
    ///
    /// # Errors
    /// A number that is none, or a password file that cannot be read.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>, home: Option<PathBuf>) -> Result<Self, Error> {
        let get = |name: &str| {
            let value = variable(name)?;
            let value = value.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        let flag = |name| get(name).is_some_and(|value| matches!(value.as_str(), "1" | "true" | "yes"));
        let below_home = |path: &str| home.as_ref().map(|home| home.join(path));
        let password = match (get(PASSWORD), get(PASSWORD_FILE)) {
            (Some(password), _) => Some(Secret::new(password)),
            (None, Some(file)) => Some(password_in(Path::new(&file))?),
            (None, None) => None,
        };
        let state_dir = get("CALIMERO_MCP_STATE_DIR").map(PathBuf::from).or_else(|| below_home(".config/calimero/mcp"));
        let node = NodeSettings {
            node_url: get("CALIMERO_NODE_URL"),
            node_name: get("CALIMERO_NODE_NAME"),
            node_home: get("CALIMERO_NODE_HOME").map(PathBuf::from).or_else(|| below_home(".calimero")),
            auth_token: get("CALIMERO_AUTH_TOKEN").map(Secret::new),
            refresh_token: get("CALIMERO_REFRESH_TOKEN").map(Secret::new),
            username: get("CALIMERO_USERNAME"),
            password,
            state_dir: state_dir.clone(),
            allow_cleartext: flag("CALIMERO_ALLOW_CLEARTEXT"),
            redactor: Arc::new(Redactor::new(home.as_deref())),
            ..NodeSettings::default()
        };
        let cache_home = get("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| below_home(".cache"));
        node.learn_secrets();
        let (toolsets, unknown) = get("CALIMERO_MCP_TOOLSETS").map(|list| Toolsets::parse(&list)).unwrap_or_default();
        let words = |list: &str| -> Vec<String> {
            list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        let apps = get("CALIMERO_MCP_APPS").map(|list| words(&list));
        Ok(Self {
            node,
            state_dir,
            cache_dir: get("ABI_MCP_CACHE_DIR")
                .map(PathBuf::from)
                .or_else(|| cache_home.map(|home| home.join("abi-mcp"))),
            tool_budget: match get("ABI_MCP_TOOLS") {
                None => budget::DEFAULT_TOOLS,
                Some(value) => value.parse().map_err(|_| Error::BadNumber {
                    variable: "ABI_MCP_TOOLS",
                    value,
                    expected: "how many tools to list at most, for example 100",
                })?,
            },
            list_internal: flag("ABI_MCP_LIST_INTERNAL"),
            modes: Modes { toolsets, read_only: flag("CALIMERO_MCP_READ_ONLY"), ..Modes::default() },
            apps,
            manifests: Vec::new(),
            engines: Vec::new(),
            extensions: Vec::new(),
            node_too: false,
            categories: get("ABI_MCP_CATEGORIES").map(|list| words(&list)),
            warnings: unknown.iter().map(|name| unknown_toolset(name)).collect(),
        })
    }
}

/// The password in a file, without the newline that editors put at its end.
fn password_in(path: &Path) -> Result<Secret, Error> {
    let unusable = |problem: String| Error::BadFile { variable: PASSWORD_FILE, path: path.to_owned(), problem };
    let text = std::fs::read_to_string(path).map_err(|error| unusable(format!("cannot be read: {error}")))?;
    match text.trim() {
        "" => Err(unusable("is empty".to_owned())),
        password => Ok(Secret::new(password)),
    }
}

fn unknown_toolset(name: &str) -> String {
    format!("CALIMERO_MCP_TOOLSETS names `{name}`, which is no toolset; there are core, blobs, governance and all")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, Error> {
        let find = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Settings::from_variables(find, Some(PathBuf::from("/srv/someone")))
    }

    #[test]
    fn values_are_trimmed_and_blank_ones_count_as_unset() {
        let settings = read(&[("CALIMERO_NODE_URL", " http://127.0.0.1:2528 "), ("CALIMERO_NODE_NAME", "  ")]).unwrap();
        assert_eq!(settings.node.node_url.as_deref(), Some("http://127.0.0.1:2528"));
        assert_eq!(settings.node.node_name, None);
        assert_eq!(settings.node.node_home, Some(PathBuf::from("/srv/someone/.calimero")));
        assert_eq!(settings.state_dir, Some(PathBuf::from("/srv/someone/.config/calimero/mcp")));
        assert_eq!(settings.tool_budget, 100);
    }

    #[test]
    fn a_password_comes_from_its_variable_or_else_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, " FIXTURE-PASSWORD\n").unwrap();
        let file = file.to_str().unwrap();
        let settings = read(&[("CALIMERO_PASSWORD_FILE", file), ("CALIMERO_USERNAME", "admin")]).unwrap();
        assert_eq!(settings.node.password.as_ref().map(Secret::expose), Some("FIXTURE-PASSWORD"));
        assert_eq!(settings.node.redactor.redact("it is FIXTURE-PASSWORD"), "it is ***", "known from the start");
        let settings = read(&[("CALIMERO_PASSWORD_FILE", "/nowhere"), ("CALIMERO_PASSWORD", "other")]).unwrap();
        assert_eq!(settings.node.password.as_ref().map(Secret::expose), Some("other"));
        assert!(!format!("{settings:?}").contains("other"), "{settings:?}");
    }

    #[test]
    fn g03_a_password_file_that_cannot_be_read_is_fatal_by_its_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (empty, binary) = (folder.path().join("empty"), folder.path().join("binary"));
        std::fs::write(&empty, " \n").unwrap();
        std::fs::write(&binary, b"FIXTURE\xff\xfe").unwrap();
        for file in [folder.path().join("missing"), empty, binary] {
            let file = file.to_str().unwrap();
            let error = read(&[("CALIMERO_PASSWORD_FILE", file)]).unwrap_err().to_string();
            assert!(error.starts_with(&format!("CALIMERO_PASSWORD_FILE names {file}, which ")), "{error}");
            assert!(!error.contains("FIXTURE"), "{error}");
        }
    }

    #[test]
    fn an_unknown_toolset_is_told_and_the_others_count() {
        let settings =
            read(&[("CALIMERO_MCP_TOOLSETS", "blobs, storage"), ("CALIMERO_MCP_APPS", "kv, com.x.y,")]).unwrap();
        assert_eq!(settings.modes.toolsets, Toolsets::parse("blobs").0);
        assert_eq!(settings.warnings.len(), 1);
        assert!(settings.warnings[0].contains("`storage`"), "{:?}", settings.warnings);
        assert_eq!(settings.apps.unwrap(), ["kv", "com.x.y"]);
        let settings = read(&[]).unwrap();
        assert!(settings.modes == Modes::default() && settings.warnings.is_empty() && settings.apps.is_none());
    }

    #[test]
    fn a_budget_that_is_no_number_is_refused_by_name() {
        let error = read(&[("ABI_MCP_TOOLS", "many")]).unwrap_err().to_string();
        assert_eq!(error, "ABI_MCP_TOOLS is `many`; expected how many tools to list at most, for example 100");
    }
}
