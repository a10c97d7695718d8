//! Reads a plugin's file, whatever the path turns out to be.
//!
//! In comes a path someone configured, out come its bytes or why not. Never blocks on a FIFO, never reads more than the
//! cap. What the bytes are is `inspect`'s business.

use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Largest plugin file read, in bytes. A JavaScript component has 12 MB, a Python one 18; what is larger is no plugin,
/// and it would be read into memory whole.
pub const MAX_FILE: u64 = 64 << 20;

/// Names a system gives to devices, on some file systems with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Why a plugin could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// The name would not do as a name; the operator's mistake.
    #[error("{name:?} cannot name a plugin: expected `[a-z][a-z0-9-]*`, at most 64 characters, not a device's name")]
    Name {
        /// The name, cut short.
        name: String,
    },
    /// The file cannot be opened or read.
    #[error("cannot read the plugin file `{}`", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The path leads to something else.
    #[error("`{}` is {found}, not a plugin file", .path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// `a directory`, `a FIFO` and so on.
        found: &'static str,
    },
    /// The file is over the cap.
    #[error("the plugin file `{}` has more than {limit} bytes, the most that is read", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The cap in bytes.
        limit: u64,
    },
}

impl LocateError {
    /// A stable name for this kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Name { .. } => "artifact::name",
            Self::Read { .. } => "artifact::read",
            Self::NotAFile { .. } => "artifact::not_a_file",
            Self::TooLarge { .. } => "artifact::too_large",
        }
    }
}

/// Checks a plugin's name. It appears in messages, logs and the lock file, never in a path; the form keeps it harmless
/// in all of them.
///
/// # Errors
/// [`LocateError::Name`].
pub fn check_name(name: &str) -> Result<(), LocateError> {
    let device = DEVICES.contains(&name)
        || ["com", "lpt"].iter().any(|port| {
            name.strip_prefix(port)
                .is_some_and(|number| number.len() == 1 && number.chars().all(|c| c.is_ascii_digit()))
        });
    let well_formed = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if well_formed && !device { Ok(()) } else { Err(LocateError::Name { name: name.chars().take(80).collect() }) }
}

/// Reads a plugin's file, following symbolic links.
///
/// # Errors
/// When the path leads to no readable regular file of at most [`MAX_FILE`] bytes.
pub fn read(path: &Path) -> Result<Vec<u8>, LocateError> {
    let failed = |source: io::Error| LocateError::Read { path: path.to_owned(), source };
    let file = open(path)?;
    let mut bytes = Vec::new();
    // One byte beyond the cap tells a file at the cap from one over it, also while it grows.
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(LocateError::TooLarge { path: path.to_owned(), limit: MAX_FILE });
    }
    Ok(bytes)
}

/// Opens a regular file to read it, following symbolic links; of any length.
pub(super) fn open(path: &Path) -> Result<File, LocateError> {
    let failed = |source: io::Error| LocateError::Read { path: path.to_owned(), source };
    // Without `NONBLOCK`, opening a FIFO waits until someone writes to it.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        // A socket cannot be opened at all; the reason given for it would puzzle.
        Err(error) => return Err(special(path).unwrap_or_else(|| failed(error.into()))),
    };
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(LocateError::NotAFile { path: path.to_owned(), found: kind(metadata.file_type()) });
    }
    Ok(file)
}

fn special(path: &Path) -> Option<LocateError> {
    let file_type = std::fs::metadata(path).ok()?.file_type();
    (!file_type.is_file()).then(|| LocateError::NotAFile { path: path.to_owned(), found: kind(file_type) })
}

/// What something that is no regular file is, with its article.
pub(crate) fn kind(file_type: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if file_type.is_dir() {
        "a directory"
    } else if file_type.is_fifo() {
        "a FIFO"
    } else if file_type.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::time::{Duration, Instant};

    #[test]
    fn d09_names_that_could_be_paths_are_refused_with_the_allowed_pattern() {
        let long = "n".repeat(300);
        for name in ["../../../etc/x", "a/b", "", ".", "con", "com1", "A", "a_b", "a\u{202e}b", "a\0", long.as_str()] {
            let error = check_name(name).unwrap_err();
            assert!(error.to_string().contains("[a-z][a-z0-9-]*"), "{error}");
            assert!(error.to_string().len() < 250, "{error}");
        }
        for name in ["chess-1", "go", "contoso", "com10"] {
            check_name(name).unwrap();
        }
    }

    #[test]
    fn d09_special_files_are_refused_without_blocking() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let socket = folder.path().join("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        let started = Instant::now();
        for (path, found) in [(folder.path(), "a directory"), (&*fifo, "a FIFO"), (&*socket, "a socket")] {
            let error = read(path).unwrap_err();
            assert!(error.to_string().contains(found), "{error}");
        }
        assert!(started.elapsed() < Duration::from_secs(1));
    }

    #[test]
    fn d03_a_missing_file_is_named() {
        let error = read(Path::new("/nowhere/plugin.wasm")).unwrap_err();
        assert_eq!(error.code(), "artifact::read");
        assert!(error.to_string().contains("/nowhere/plugin.wasm"), "{error}");
    }

    #[test]
    fn a_file_over_the_cap_is_not_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(MAX_FILE + 1).unwrap();
        assert_eq!(read(file.path()).unwrap_err().code(), "artifact::too_large");
    }
}
