//! `abi-mcp.lock`: what the operator accepted of each plugin.
//!
//! In comes the file or nothing, out come [`Locked`] entries to hold plugins against, and the file again, written whole
//! and in one order whatever order things were done in. Only the commands `plugin add`, `accept` and `remove` write it.
//! It knows no plugin's bytes; `admit` compares.

use crate::artifact::{Digest, Pin, Wanted};
use crate::model::{DirectoryGrant, Grants};
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Raised whenever the meaning or shape of the file changes. A reader refuses every other number: what it does not
/// know of may be what a plugin was refused for.
const FORMAT: u32 = 1;

/// Most bytes read: definitions of some ten thousand tools.
const LONGEST: u64 = 64 << 20;

/// How a digest begins in the file, so that a later release can use another.
const ALGORITHM: &str = "sha256:";

/// Why a lock cannot be used; nothing it would have pinned is run then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// It cannot be read or written.
    #[error("cannot use the lock `{}`: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// It is no lock.
    #[error(
        "the lock `{}` cannot be read: {problem}\n\
         hint: it is written by `abi-mcp plugin`; delete it and run `abi-mcp plugin accept NAME` for each plugin",
        path.display()
    )]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Another release wrote it.
    #[error("the lock `{}` has format {found}, this release reads {FORMAT}\nhint: update abi-mcp", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The number in it.
        found: u32,
    },
}

impl LockError {
    /// A stable name for this kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::File { .. } => "lock::file",
            Self::Content { .. } => "lock::content",
            Self::Format { .. } => "lock::format",
        }
    }
}

/// What was accepted, by plugin name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lock(BTreeMap<String, Locked>);

/// What was accepted of one plugin.
#[derive(Debug, Clone, PartialEq)]
pub struct Locked {
    /// The digest of its bytes.
    pub digest: Digest,
    /// Its contracts, as `abi-mcp:mapper@0.1.0`. A contract says the role.
    pub contracts: BTreeSet<String>,
    /// The ecosystems assigned to it.
    pub ecosystems: BTreeSet<String>,
    /// What it is pinned to, as `weather` or `weather >=0.9, <1`.
    pub pins: BTreeSet<String>,
    /// What it may reach.
    pub grants: Grants,
    /// The tools it brings, in its order; none unless it is a tool extension. Lists are served from here.
    pub tools: Vec<LockedTool>,
}

/// One tool as it was accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedTool {
    /// Its name, as the plugin says it.
    pub name: String,
    /// Everything else of its definition.
    pub definition: Value,
}

impl Lock {
    /// Reads a lock; a missing file accepts nothing. Blocks on the disk.
    ///
    /// # Errors
    /// The file cannot be read, or is no lock this release knows.
    pub fn read(path: &Path) -> Result<Self, LockError> {
        let failed = |error: io::Error| LockError::File { path: path.to_owned(), problem: error.to_string() };
        match std::fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(failed(error)),
            Ok(metadata) if !metadata.is_file() => return Err(failed(io::Error::other("it is no regular file"))),
            Ok(_) => {}
        }
        let mut bytes = Vec::new();
        File::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut bytes)).map_err(failed)?;
        let content = |problem: String| LockError::Content { path: path.to_owned(), problem };
        let Versioned { format } = serde_json::from_slice(&bytes).map_err(|error| content(error.to_string()))?;
        if format != FORMAT {
            return Err(LockError::Format { path: path.to_owned(), found: format });
        }
        let file: Content = serde_json::from_slice(&bytes).map_err(|error| content(error.to_string()))?;
        let entry = |(name, entry): (String, Entry)| {
            let locked = Locked::try_from(entry).map_err(|problem| content(format!("`{name}`: {problem}")))?;
            Ok((name, locked))
        };
        file.plugins.into_iter().map(entry).collect::<Result<_, _>>().map(Self)
    }

    /// Writes it in one piece: a reader sees the old file or the new one. Blocks on the disk.
    ///
    /// # Errors
    /// What the system says; the old file then stays.
    pub fn write(&self, path: &Path) -> Result<(), LockError> {
        let failed = |error: io::Error| LockError::File { path: path.to_owned(), problem: error.to_string() };
        let plugins = self.0.iter().map(|(name, locked)| (name.clone(), Entry::from(locked))).collect();
        let mut text =
            serde_json::to_string_pretty(&Content { format: FORMAT, plugins }).map_err(|error| failed(error.into()))?;
        text.push('\n');
        replace(path, text.as_bytes()).map_err(failed)
    }

    /// What was accepted of a plugin.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Locked> {
        self.0.get(name)
    }

    /// Accepts a plugin as it is described.
    pub fn accept(&mut self, name: &str, locked: Locked) {
        self.0.insert(name.to_owned(), locked);
    }

    /// Takes a plugin's acceptance back; whether there was one.
    pub fn remove(&mut self, name: &str) -> bool {
        self.0.remove(name).is_some()
    }

    /// The names of everything accepted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// Somebody's turn to read the lock, change it and write it again; over when dropped.
#[derive(Debug)]
pub struct Turn {
    /// Locked by the system for as long as it is open.
    _folder: Option<File>,
}

impl Turn {
    /// Waits until nobody else changes the lock at a path, so that of two commands at once neither undoes what the other
    /// did. The folder is what is locked: the file itself is replaced. Where there is no folder yet, or its file system
    /// cannot do that, nothing is waited for. Blocks on the disk.
    #[must_use]
    pub fn take(path: &Path) -> Self {
        let folder = File::open(folder_of(path)).ok();
        Self { _folder: folder.filter(|folder| rustix::fs::flock(folder, FlockOperation::LockExclusive).is_ok()) }
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Puts a file in place by renaming one that was written beside it; a link at that place stays a link. The two are in one
/// folder, because a rename across file systems fails.
///
/// # Errors
/// What the system says; the file is then as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = folder_of(&target);
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".abi-mcp-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Ok(metadata) = std::fs::metadata(&target) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.as_file().sync_data()?;
    file.persist(&target).map(|_| ()).map_err(|error| error.error)
}

impl Locked {
    /// What there would be to accept of a plugin with these bytes and contracts.
    #[must_use]
    pub fn of(wanted: &Wanted, digest: Digest, contracts: BTreeSet<String>, tools: Vec<LockedTool>) -> Self {
        Self {
            digest,
            contracts,
            ecosystems: wanted.ecosystems.clone(),
            pins: wanted.pins.iter().map(pin_text).collect(),
            grants: wanted.grants.clone(),
            tools,
        }
    }
}

fn pin_text(pin: &Pin) -> String {
    match &pin.subjects {
        Some(subjects) => format!("{} {subjects}", pin.ecosystem),
        None => pin.ecosystem.clone(),
    }
}

#[derive(Deserialize)]
struct Versioned {
    format: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    format: u32,
    plugins: BTreeMap<String, Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    digest: String,
    contracts: BTreeSet<String>,
    roles: BTreeSet<String>,
    ecosystems: BTreeSet<String>,
    pins: BTreeSet<String>,
    grants: GrantEntry,
    tools: Vec<LockedTool>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantEntry {
    http: Vec<String>,
    directories: Vec<DirectoryEntry>,
    environment: Vec<String>,
    clocks: bool,
    random: bool,
    state: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DirectoryEntry {
    guest: String,
    host: Option<PathBuf>,
    writable: bool,
}

impl From<&Locked> for Entry {
    fn from(locked: &Locked) -> Self {
        let Grants { http, directories, environment, clocks, random, state } = locked.grants.clone();
        let directory =
            |DirectoryGrant { guest, host, writable }: DirectoryGrant| DirectoryEntry { guest, host, writable };
        Self {
            digest: format!("{ALGORITHM}{}", locked.digest),
            contracts: locked.contracts.clone(),
            roles: locked.contracts.iter().map(|contract| role_of(contract)).collect(),
            ecosystems: locked.ecosystems.clone(),
            pins: locked.pins.clone(),
            grants: GrantEntry {
                http,
                directories: directories.into_iter().map(directory).collect(),
                environment,
                clocks,
                random,
                state,
            },
            tools: locked.tools.clone(),
        }
    }
}

impl TryFrom<Entry> for Locked {
    type Error = String;

    /// The roles are for people; the contracts say them already.
    fn try_from(entry: Entry) -> Result<Self, String> {
        let digest = entry.digest.strip_prefix(ALGORITHM).and_then(Digest::parse);
        let GrantEntry { http, directories, environment, clocks, random, state } = entry.grants;
        let directory =
            |DirectoryEntry { guest, host, writable }: DirectoryEntry| DirectoryGrant { guest, host, writable };
        let directories = directories.into_iter().map(directory).collect();
        Ok(Self {
            digest: digest.ok_or_else(|| format!("its digest is not `{ALGORITHM}` and 64 hex digits"))?,
            contracts: entry.contracts,
            ecosystems: entry.ecosystems,
            pins: entry.pins,
            grants: Grants { http, directories, environment, clocks, random, state },
            tools: entry.tools,
        })
    }
}

/// `mapper` of `abi-mcp:mapper@0.1.0`.
fn role_of(contract: &str) -> String {
    let package = contract.split('@').next().unwrap_or_default();
    package.rsplit(':').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked() -> Locked {
        Locked {
            digest: Digest::of(b"x"),
            contracts: ["abi-mcp:mapper@0.1.0".to_owned()].into(),
            ecosystems: ["weather".to_owned()].into(),
            pins: ["weather >=0.9".to_owned()].into(),
            grants: Grants {
                http: vec!["example.org".to_owned()],
                directories: vec![DirectoryGrant {
                    guest: "/n".to_owned(),
                    host: Some(PathBuf::from("/srv/n")),
                    writable: true,
                }],
                clocks: true,
                ..Grants::default()
            },
            tools: vec![LockedTool { name: "get".to_owned(), definition: serde_json::json!({"description": "d"}) }],
        }
    }

    #[test]
    fn a_lock_reads_back_and_is_the_same_file_in_whatever_order_it_was_made() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one/abi-mcp.lock"), folder.path().join("other.lock"));
        for (path, names) in [(&one, ["a", "b"]), (&other, ["b", "a"])] {
            let mut lock = Lock::read(path).unwrap();
            names.iter().for_each(|name| lock.accept(name, locked()));
            lock.write(path).unwrap();
            assert_eq!(Lock::read(path).unwrap(), lock);
        }
        assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&other).unwrap());
        assert_eq!(std::fs::read_dir(folder.path().join("one")).unwrap().count(), 1, "no temporary file stays");
        let mut lock = Lock::read(&one).unwrap();
        assert!(lock.remove("a") && !lock.remove("a"));
        assert_eq!(lock.names().collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn of_many_that_accept_at_once_none_undoes_what_another_did() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abi-mcp.lock");
        std::thread::scope(|scope| {
            for one in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for at in 0..5 {
                        let _turn = Turn::take(path);
                        let mut lock = Lock::read(path).unwrap();
                        lock.accept(&format!("p{one}-{at}"), locked());
                        lock.write(path).unwrap();
                    }
                });
            }
        });
        assert_eq!(Lock::read(&path).unwrap().names().count(), 20);
        let _nobodys = Turn::take(&folder.path().join("nowhere/abi-mcp.lock"));
    }

    #[test]
    fn a_lock_of_another_release_or_of_nobody_accepts_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abi-mcp.lock");
        let code = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Lock::read(&path).unwrap_err().code()
        };
        assert_eq!(code("{\"format\": 2, \"plugins\": []}"), "lock::format");
        assert_eq!(code("not json"), "lock::content");
        assert_eq!(code("{\"format\": 1, \"plugins\": {}, \"trust_all\": true}"), "lock::content");
        let mut lock = Lock::default();
        lock.accept("a", locked());
        lock.write(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(code(&text.replace("sha256:", "md5:")), "lock::content");
        assert_eq!(Lock::read(folder.path()).unwrap_err().code(), "lock::file");
    }

    #[test]
    fn a_link_to_the_file_stays_a_link_and_the_files_mode_stays() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
