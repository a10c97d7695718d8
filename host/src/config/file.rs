//! Finds and reads `abi-mcp.toml`.
//!
//! In: where the operator says it is, or the user's configuration folder. Out: the file as written and what it warns of,
//! or one error with the place in the file. The current directory is never looked at: a file that comes with somebody
//! else's project must not configure this program.

use crate::config::reader::{self, Trouble};
use crate::config::schema::Written;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Below the user's configuration folder.
const USUAL_PLACE: &str = "abi-mcp/abi-mcp.toml";

/// Most bytes read: beyond it is no configuration, and it would be kept in memory whole.
const LONGEST: u64 = 1 << 20;

/// Why the configuration cannot be used. No variant holds a value of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It cannot be opened or read.
    #[error("cannot read the configuration `{}`: {problem}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// It is over the cap.
    #[error("the configuration `{}` has more than {LONGEST} bytes, the most that is read", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Something in it is wrong.
    #[error("{}:{}: {}", path.display(), trouble.at, trouble.problem)]
    Content {
        /// The file.
        path: PathBuf,
        /// What and where.
        trouble: Trouble,
    },
}

/// Where the configuration is, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// Whether the operator named it; then it has to be there.
    pub named: bool,
}

/// The configuration as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigFile {
    /// Where it is, or would be; absent where the user has no home and named none.
    pub place: Option<Place>,
    /// Whether there is a file.
    pub found: bool,
    /// What it says.
    pub written: Written,
    /// What in it means nothing, one sentence each.
    pub warnings: Vec<String>,
}

impl Place {
    /// The file the operator names, else the one in the user's configuration folder.
    #[must_use]
    pub fn choose(named: Option<PathBuf>, config_home: Option<&Path>) -> Option<Self> {
        match named {
            Some(path) => Some(Self { path, named: true }),
            // The specification has relative folders ignored; one would lead to the current directory.
            None => config_home
                .filter(|home| home.is_absolute())
                .map(|home| Self { path: home.join(USUAL_PLACE), named: false }),
        }
    }

    /// The folder that relative paths in the file start at.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The lock file that belongs to it.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.path.with_extension("lock")
    }
}

impl ConfigFile {
    /// Reads the file at a place.
    ///
    /// # Errors
    /// It was named and is not there, cannot be read, or something in it is wrong.
    pub fn read(place: Option<Place>) -> Result<Self, FileError> {
        let Some(place) = place else { return Ok(Self::nothing(None)) };
        match text_of(&place.path)? {
            None if place.named => {
                let problem = "there is no such file".to_owned();
                Err(FileError::Read { path: place.path, problem })
            }
            None => Ok(Self::nothing(Some(place))),
            Some(text) => {
                let content = |trouble| FileError::Content { path: place.path.clone(), trouble };
                let (written, warnings) = reader::read(&text).map_err(content)?;
                let warnings = warnings.iter().map(|text| format!("{}:{text}", place.path.display())).collect();
                Ok(Self { place: Some(place), found: true, written, warnings })
            }
        }
    }

    fn nothing(place: Option<Place>) -> Self {
        Self { place, found: false, written: Written::empty(), warnings: Vec::new() }
    }
}

/// The file's text; `None` when there is no file.
///
/// # Errors
/// It is something else than a text file of reasonable size, or cannot be read.
pub fn text_of(path: &Path) -> Result<Option<String>, FileError> {
    let unreadable = |problem: String| FileError::Read { path: path.to_owned(), problem };
    // Asked before opening, because opening a FIFO waits for a writer.
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(unreadable("it is no regular file".to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() as u64 > LONGEST {
        return Err(FileError::TooLarge { path: path.to_owned() });
    }
    String::from_utf8(bytes).map(Some).map_err(|_| unreadable("it is no UTF-8 text".to_owned()))
}
