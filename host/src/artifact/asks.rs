//! What a component asks for in its own manifest, and what of it comes true.
//!
//! In come a component's bytes and what the operator allows, out comes what both agree on, or what is missing in words
//! that name the plugin, the capability and the line that would allow it. The manifest is a custom section, read without
//! compiling anything; a component that has none asks for nothing, unless it was not made for this host: then it asks for
//! what it imports.

use crate::model::{DirectoryGrant, Grants};
use crate::sandbox::Capability;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use wasmparser::{Parser, Payload};

/// The custom section the manifest lies in, of the component or of a module in it.
pub const SECTION: &str = "abi-mcp-manifest";

/// Largest manifest read, in bytes (`wit/tool`).
const MAX_MANIFEST: usize = 64 << 10;

/// The file and table the operator writes grants into, for messages.
const FILE: &str = "abi-mcp.toml";

/// A component's own manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Asks {
    /// What its author calls it.
    #[serde(default)]
    pub name: Option<String>,
    /// Its release, as its author numbers it.
    #[serde(default)]
    pub release: Option<String>,
    /// What it wants to reach.
    #[serde(default, rename = "asks")]
    pub wants: Wants,
}

/// What a component wants to reach. A member nobody knows is an error: a wish that is not understood must not be taken
/// for one that is granted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Wants {
    /// Hosts, exactly; `*` for whichever the operator lists.
    pub http: Vec<String>,
    /// Directories, as it sees them.
    pub directories: Vec<WantedDirectory>,
    /// Environment variables, by name.
    pub environment: Vec<String>,
    /// Whether it wants clocks.
    pub clocks: bool,
    /// Whether it wants random numbers.
    pub random: bool,
    /// Whether it wants to keep values from one call to the next.
    pub state: bool,
    /// Whether directories and variables are whichever the operator lists. No manifest can say so: it is how a component
    /// is read that was not made for this host and names none.
    #[serde(skip)]
    pub unnamed: bool,
}

/// One directory a component wants.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WantedDirectory {
    /// Where it looks for it.
    pub guest: String,
    /// Whether it wants to write there.
    #[serde(default)]
    pub writable: bool,
}

/// Why a manifest cannot be read. The author's fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AsksError {
    /// It is over the cap.
    #[error("its manifest has {found} bytes, over the limit of {MAX_MANIFEST}")]
    TooLarge {
        /// Its size.
        found: usize,
    },
    /// There are several, which differ.
    #[error("it has two manifests that differ")]
    Several,
    /// It is not what `wit/tool` says.
    #[error("its manifest (`{SECTION}`) cannot be read: {problem}")]
    Malformed {
        /// What the parser says.
        problem: String,
    },
    /// The file is damaged.
    #[error("it is damaged: {problem}")]
    Damaged {
        /// What the parser says.
        problem: String,
    },
}

impl AsksError {
    /// A stable name for this kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "asks::too_large",
            Self::Several => "asks::several",
            Self::Malformed { .. } => "asks::malformed",
            Self::Damaged { .. } => "asks::damaged",
        }
    }
}

/// A component imports what it was not granted; it is not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ungranted {
    /// The plugin's name.
    pub plugin: String,
    /// What is missing, with the imports that need it.
    pub missing: BTreeMap<Capability, Missing>,
}

/// One missing capability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The interfaces it imports.
    pub imports: Vec<String>,
    /// Whether its own manifest asks for it; if not, no operator can allow it.
    pub asked: bool,
}

/// Reads a component's manifest; without one it asks for nothing. Compiles and runs nothing.
///
/// # Errors
/// A manifest that is there and cannot be read.
pub fn asks(bytes: &[u8]) -> Result<Asks, AsksError> {
    manifest(bytes).map(Option::unwrap_or_default)
}

/// The same for a component that states no contract: without a manifest it asks for what it imports.
///
/// # Errors
/// Those of [`asks`].
pub fn asks_or_imports(bytes: &[u8], imports: &[String]) -> Result<Asks, AsksError> {
    let of_imports = || Asks { wants: Wants::of_imports(imports), ..Asks::default() };
    manifest(bytes).map(|manifest| manifest.unwrap_or_else(of_imports))
}

fn manifest(bytes: &[u8]) -> Result<Option<Asks>, AsksError> {
    let mut found: Option<&[u8]> = None;
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(|error| AsksError::Damaged { problem: error.message().to_owned() })?;
        let Payload::CustomSection(section) = payload else { continue };
        if section.name() != SECTION {
            continue;
        }
        if found.is_some_and(|first| first != section.data()) {
            return Err(AsksError::Several);
        }
        found = Some(section.data());
    }
    let Some(manifest) = found else { return Ok(None) };
    if manifest.len() > MAX_MANIFEST {
        return Err(AsksError::TooLarge { found: manifest.len() });
    }
    serde_json::from_slice(manifest).map(Some).map_err(|error| AsksError::Malformed { problem: error.to_string() })
}

impl Wants {
    /// What these imports need, of whichever hosts, directories and variables there are.
    fn of_imports(imports: &[String]) -> Self {
        let needs = |capability| imports.iter().any(|import| Capability::needed_by(import) == Some(capability));
        let http = needs(Capability::Http).then(|| "*".to_owned());
        Self {
            http: http.into_iter().collect(),
            clocks: needs(Capability::Clocks),
            random: needs(Capability::Random),
            state: needs(Capability::State),
            unnamed: true,
            ..Self::default()
        }
    }

    /// What it asks for and the operator allows.
    #[must_use]
    pub fn effective(&self, allowed: &Grants) -> Grants {
        let any_host = self.http.iter().any(|host| host == "*");
        let wants_host = |host: &&String| any_host || self.http.iter().any(|wanted| wanted.eq_ignore_ascii_case(host));
        let wants_variable = |name: &&String| self.unnamed || self.environment.contains(name);
        let directory = |allowed: &DirectoryGrant| {
            if self.unnamed {
                return Some(allowed.clone());
            }
            let wanted = self.directories.iter().find(|wanted| wanted.guest == allowed.guest)?;
            Some(DirectoryGrant { writable: allowed.writable && wanted.writable, ..allowed.clone() })
        };
        Grants {
            http: allowed.http.iter().filter(wants_host).cloned().collect(),
            directories: allowed.directories.iter().filter_map(directory).collect(),
            environment: allowed.environment.iter().filter(wants_variable).cloned().collect(),
            clocks: self.clocks && allowed.clocks,
            random: self.random && allowed.random,
            state: self.state && allowed.state,
        }
    }

    /// What the operator allows and it never asks for, one phrase each: most likely a slip, or meant for another plugin.
    #[must_use]
    pub fn unasked(&self, allowed: &Grants) -> Vec<String> {
        let effective = self.effective(allowed);
        let mut unasked: Vec<String> = Vec::new();
        unasked.extend(
            allowed.http.iter().filter(|host| !effective.http.contains(host)).map(|host| format!("http `{host}`")),
        );
        let directories = allowed.directories.iter();
        unasked.extend(
            directories
                .filter(|given| !effective.directories.iter().any(|kept| kept.guest == given.guest))
                .map(|given| format!("directory `{}`", given.guest)),
        );
        let names = allowed.environment.iter();
        unasked.extend(
            names.filter(|name| !effective.environment.contains(name)).map(|name| format!("environment `{name}`")),
        );
        for (given, wanted, name) in [
            (allowed.clocks, self.clocks, "clocks"),
            (allowed.random, self.random, "random"),
            (allowed.state, self.state, "state"),
        ] {
            if given && !wanted {
                unasked.push(name.to_owned());
            }
        }
        unasked
    }

    /// Holds a component's imports to what it was granted.
    ///
    /// # Errors
    /// Everything that is missing, at once.
    pub fn check(&self, plugin: &str, imports: &[String], effective: &Grants) -> Result<(), Ungranted> {
        let mut missing: BTreeMap<Capability, Missing> = BTreeMap::new();
        for import in imports {
            let Some(capability) = Capability::needed_by(import) else { continue };
            if !capability.is_in(effective) {
                let none = || Missing { imports: Vec::new(), asked: self.asks_for(capability) };
                missing.entry(capability).or_insert_with(none).imports.push(import.clone());
            }
        }
        if missing.is_empty() { Ok(()) } else { Err(Ungranted { plugin: plugin.to_owned(), missing }) }
    }

    fn asks_for(&self, capability: Capability) -> bool {
        match capability {
            Capability::Http => !self.http.is_empty(),
            Capability::Directories => self.unnamed || !self.directories.is_empty(),
            Capability::Clocks => self.clocks,
            Capability::Random => self.random,
            Capability::State => self.state,
        }
    }
}

/// Where the operator writes a plugin's grants, for messages: the file and its table.
#[must_use]
pub fn grants_table(plugin: &str) -> String {
    format!("{FILE}, plugin \"{plugin}\", [plugin.grants]")
}

impl fmt::Display for Ungranted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (asked, unasked): (Vec<_>, Vec<_>) = self.missing.iter().partition(|(_, missing)| missing.asked);
        let mut parts = Vec::new();
        for (capability, missing) in &self.missing {
            let imports: Vec<String> = missing.imports.iter().map(|import| format!("`{import}`")).collect();
            let why = if missing.asked { "is not granted" } else { "its own manifest does not ask for" };
            parts.push(format!("`{capability}`, which {why} (it imports {})", imports.join(", ")));
        }
        write!(f, "it needs {}", parts.join(" and "))?;
        if !unasked.is_empty() {
            f.write_str(
                "\nhint: its author has to declare what it needs in its manifest; nothing undeclared is granted",
            )?;
        }
        if !asked.is_empty() {
            let lines: Vec<&str> = asked.iter().map(|(capability, _)| capability.example()).collect();
            write!(f, "\nhint: to allow it, write in {}: {}", grants_table(&self.plugin), lines.join("; "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Ungranted {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn component_with(manifests: &[&str]) -> Vec<u8> {
        let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
        for manifest in manifests {
            let mut section = vec![u8::try_from(SECTION.len()).unwrap()];
            section.extend_from_slice(SECTION.as_bytes());
            section.extend_from_slice(manifest.as_bytes());
            bytes.push(0);
            let mut length = section.len();
            while length >= 0x80 {
                bytes.push((length & 0x7f) as u8 | 0x80);
                length >>= 7;
            }
            bytes.push(length as u8);
            bytes.extend(section);
        }
        bytes
    }

    fn allowed() -> Grants {
        let directory =
            |guest: &str| DirectoryGrant { guest: guest.to_owned(), host: Some(PathBuf::from("here")), writable: true };
        Grants {
            http: vec!["a.example".to_owned(), "b.example:8443".to_owned()],
            directories: vec![directory("/notes"), directory("/more")],
            environment: vec!["LANG".to_owned(), "SECRET".to_owned()],
            clocks: true,
            random: true,
            state: false,
        }
    }

    #[test]
    fn only_what_is_asked_for_and_allowed_comes_true() {
        let manifest = r#"{"name":"x","release":"1.2.0","asks":{"http":["a.example","c.example"],
            "directories":[{"guest":"/notes"}],"environment":["LANG"],"clocks":true,"state":true}}"#;
        let asks = asks(&component_with(&[manifest])).unwrap();
        assert_eq!((asks.name.as_deref(), asks.release.as_deref()), (Some("x"), Some("1.2.0")));
        let effective = asks.wants.effective(&allowed());
        assert_eq!(effective.http, ["a.example"]);
        assert_eq!(effective.directories.len(), 1);
        assert!(!effective.directories[0].writable, "it asked to read");
        assert_eq!(effective.environment, ["LANG"]);
        assert!(effective.clocks && !effective.random && !effective.state);
        let unasked = asks.wants.unasked(&allowed());
        assert_eq!(unasked, ["http `b.example:8443`", "directory `/more`", "environment `SECRET`", "random"]);
        let any = Wants { http: vec!["*".to_owned()], ..Wants::default() };
        assert_eq!(any.effective(&allowed()).http, allowed().http);
        assert!(any.effective(&Grants::default()).http.is_empty(), "asking for any grants none");
    }

    #[test]
    fn a_component_without_a_manifest_asks_for_nothing_and_a_bad_one_is_refused() {
        assert_eq!(asks(&component_with(&[])), Ok(Asks::default()));
        assert_eq!(asks(&component_with(&["{}", "{}"])), Ok(Asks::default()));
        assert_eq!(asks(&component_with(&["{}", "{\"name\":\"y\"}"])), Err(AsksError::Several));
        for bad in ["", "[1]", "{\"asks\":{\"sockets\":true}}", "{\"asks\":{\"http\":\"*\"}}"] {
            assert!(matches!(asks(&component_with(&[bad])), Err(AsksError::Malformed { .. })), "{bad}");
        }
        let large = format!("{{\"name\":\"{}\"}}", "x".repeat(MAX_MANIFEST));
        assert!(matches!(asks(&component_with(&[&large])), Err(AsksError::TooLarge { .. })));
    }

    #[test]
    fn a_component_made_for_other_hosts_asks_for_what_it_imports_and_gets_what_the_operator_lists() {
        let imports = ["wasi:filesystem/types@0.2.0", "wasi:clocks/wall-clock@0.2.0", "wasi:cli/environment@0.2.0"];
        let imports: Vec<String> = imports.iter().map(|import| (*import).to_owned()).collect();
        let wants = asks_or_imports(&component_with(&[]), &imports).unwrap().wants;
        let effective = wants.effective(&allowed());
        assert_eq!((effective.directories, effective.environment), (allowed().directories, allowed().environment));
        assert!(effective.clocks && !effective.random && effective.http.is_empty(), "it imports neither");
        let text = wants.check("clock", &imports, &Grants::default()).unwrap_err().to_string();
        assert!(text.contains("`directories`, which is not granted") && text.contains("clocks = true"), "{text}");
        assert!(!text.contains("its author"), "the operator can allow it: {text}");
        let stated = asks_or_imports(&component_with(&["{}"]), &imports).unwrap().wants;
        assert_eq!(stated, Wants::default(), "a manifest is all it asks for");
        let claimed = asks(&component_with(&[r#"{"asks":{"unnamed":true}}"#]));
        assert!(matches!(claimed, Err(AsksError::Malformed { .. })), "no manifest can say so: {claimed:?}");
    }

    #[test]
    fn d07_a_refusal_names_plugin_capability_and_the_line_that_would_allow_it() {
        let wants = Wants { http: vec!["*".to_owned()], ..Wants::default() };
        let imports = ["wasi:http/outgoing-handler@0.2.12", "wasi:random/random@0.2.3", "wasi:io/poll@0.2.12"];
        let imports: Vec<String> = imports.iter().map(|import| (*import).to_owned()).collect();
        let text = wants.check("weather", &imports, &Grants::default()).unwrap_err().to_string();
        assert!(
            text.contains("`http`, which is not granted (it imports `wasi:http/outgoing-handler@0.2.12`)"),
            "{text}"
        );
        assert!(text.contains("abi-mcp.toml, plugin \"weather\", [plugin.grants]: http = ["), "{text}");
        assert!(text.contains("`random`, which its own manifest does not ask for"), "{text}");
        assert!(!text.contains("poll"), "{text}");
        let granted = Grants { http: vec!["a.example".to_owned()], random: true, ..Grants::default() };
        assert_eq!(wants.check("weather", &imports, &granted), Ok(()));
    }
}
