//! A plugin as the operator wants it, before its file was looked at.

use crate::artifact::Pin;
use crate::contract::supported::Contract;
use crate::model::{Grants, JsonObject};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Most characters of an ecosystem's name (`wit/mapper`, `recognition.ecosystem`).
const LONGEST_ECOSYSTEM: usize = 32;

/// One plugin that does not come with this program.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// What it is called here.
    pub name: String,
    /// The component.
    pub file: PathBuf,
    /// What it is for, as [`role_word`] says it; whatever the file says when absent.
    pub roles: Option<BTreeSet<String>>,
    /// The ecosystems assigned to it.
    pub ecosystems: BTreeSet<String>,
    /// Ecosystems it serves before every other plugin.
    pub pins: Vec<Pin>,
    /// What the operator lets it reach.
    pub grants: Grants,
    /// The operator's values for it.
    pub values: JsonObject,
    /// The values of the environment variables among the grants, from whoever may read the environment.
    pub variables: BTreeMap<String, String>,
    /// The folder below which it keeps values where it is granted `state`.
    pub state_folder: Option<PathBuf>,
}

impl Wanted {
    /// A plugin of which nothing is said but its name and file: it may reach nothing and serves no ecosystem.
    #[must_use]
    pub fn bare(name: &str, file: PathBuf) -> Self {
        Self {
            name: name.to_owned(),
            file,
            roles: None,
            ecosystems: BTreeSet::new(),
            pins: Vec::new(),
            grants: Grants::default(),
            values: JsonObject::new(),
            variables: BTreeMap::new(),
            state_folder: None,
        }
    }
}

/// A contract's role in one word, which is its package's: `mapper` of `abi-mcp:mapper`.
#[must_use]
pub fn role_word(contract: &Contract) -> &'static str {
    contract.package.rsplit(':').next().unwrap_or(contract.package)
}

/// Whether a text can be an ecosystem's name.
#[must_use]
pub fn check_ecosystem(name: &str) -> bool {
    name.len() <= LONGEST_ECOSYSTEM
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}
