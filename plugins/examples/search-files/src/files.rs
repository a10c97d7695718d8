//! Files below the granted directories, over `wasi:filesystem`.

#[allow(missing_docs, unreachable_pub, unsafe_code, clippy::all, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({ path: "../wit", world: "reads-files", generate_all });
}

use crate::lines::matching;
use abi_mcp_sdk_tool::serde_json::{Value, json};
use abi_mcp_sdk_tool::{Class, Failure, host};
use bindings::wasi::filesystem::preopens::get_directories;
use bindings::wasi::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorType, DirectoryEntry, ErrorCode, OpenFlags, PathFlags,
};

/// Bytes of one file read; larger ones are no text for a model.
const LARGEST: u64 = 4 << 20;

/// Files one search looks into, and matches it answers.
const MOST_FILES: usize = 5_000;
const MOST_MATCHES: usize = 100;

/// How deep below the start a search goes.
const DEEPEST: usize = 32;

/// A directory's entries, one a line, sorted.
pub(crate) fn list(path: &str) -> Result<String, Failure> {
    let (root, rest) = root_of(path)?;
    let directory = open(&root, rest, true).map_err(|code| explain(path, code))?;
    let mut lines = Vec::new();
    for entry in entries(&directory).map_err(|code| explain(path, code))? {
        let size = directory.stat_at(PathFlags::empty(), &entry.name).map(|stat| stat.size);
        lines.push(match entry.type_ {
            DescriptorType::Directory => format!("{}/", entry.name),
            DescriptorType::SymbolicLink => format!("{} (a link, not followed)", entry.name),
            _ => format!("{} ({} bytes)", entry.name, size.unwrap_or_default()),
        });
    }
    Ok(if lines.is_empty() { "(nothing)".to_owned() } else { lines.join("\n") })
}

/// A text file.
pub(crate) fn read(path: &str) -> Result<String, Failure> {
    let (root, rest) = root_of(path)?;
    let file = open(&root, rest, false).map_err(|code| explain(path, code))?;
    let bytes = contents(&file).map_err(|code| explain(path, code))?;
    text_in(bytes)
        .ok_or_else(|| Failure::new(Class::Failed, format!("`{path}` is not text, or larger than {LARGEST} bytes")))
}

/// The lines that hold `wanted` below a directory.
pub(crate) fn search(path: &str, wanted: &str) -> Result<Value, Failure> {
    let (root, rest) = root_of(path)?;
    let start = open(&root, rest, true).map_err(|code| explain(path, code))?;
    let mut found = Search { wanted, matches: Vec::new(), files: 0, complete: true };
    found.below(&start, path.trim_end_matches('/'), 0);
    Ok(json!({"matches": found.matches, "files": found.files, "complete": found.complete}))
}

struct Search<'a> {
    wanted: &'a str,
    matches: Vec<Value>,
    files: usize,
    complete: bool,
}

impl Search<'_> {
    /// Looks into every file of a directory and below it; what cannot be read is passed over.
    fn below(&mut self, directory: &Descriptor, path: &str, depth: usize) {
        if depth > DEEPEST {
            self.complete = false;
            return;
        }
        for entry in entries(directory).unwrap_or_default() {
            if self.matches.len() >= MOST_MATCHES || self.files >= MOST_FILES || host::cancelled() {
                self.complete = false;
                return;
            }
            let at = format!("{path}/{}", entry.name);
            match entry.type_ {
                DescriptorType::Directory => {
                    if let Ok(inner) = open(directory, &entry.name, true) {
                        self.below(&inner, &at, depth + 1);
                    }
                }
                DescriptorType::RegularFile => self.file(directory, &entry.name, &at),
                _ => {}
            }
        }
    }

    fn file(&mut self, directory: &Descriptor, name: &str, path: &str) {
        self.files += 1;
        if self.files.is_multiple_of(100) {
            #[allow(clippy::cast_precision_loss, reason = "a count of files")]
            host::progress(self.files as f64, None, Some(path));
        }
        let Some(text) = open(directory, name, false).and_then(|file| contents(&file)).ok().and_then(text_in) else {
            return;
        };
        let room = MOST_MATCHES - self.matches.len();
        let lines = matching(&text, self.wanted, room);
        self.matches.extend(lines.into_iter().map(|(line, text)| json!({"path": path, "line": line, "text": text})));
    }
}

/// The granted directory a path lies in, and the rest of the path.
fn root_of(path: &str) -> Result<(Descriptor, &str), Failure> {
    for (directory, name) in get_directories() {
        let rest =
            path.strip_prefix(name.trim_end_matches('/')).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        if let Some(rest) = rest {
            let rest = rest.trim_start_matches('/');
            return Ok((directory, if rest.is_empty() { "." } else { rest }));
        }
    }
    Err(Failure::new(Class::NotAllowed, format!("`{path}` is in no granted directory")).hint("paths begin with /files"))
}

/// Links are followed only where the host finds that they stay inside.
fn open(directory: &Descriptor, path: &str, is_directory: bool) -> Result<Descriptor, ErrorCode> {
    let flags = if is_directory { OpenFlags::DIRECTORY } else { OpenFlags::empty() };
    directory.open_at(PathFlags::SYMLINK_FOLLOW, path, flags, DescriptorFlags::READ)
}

fn entries(directory: &Descriptor) -> Result<Vec<DirectoryEntry>, ErrorCode> {
    let stream = directory.read_directory()?;
    let mut entries = Vec::new();
    while let Some(entry) = stream.read_directory_entry()? {
        entries.push(entry);
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

fn contents(file: &Descriptor) -> Result<Vec<u8>, ErrorCode> {
    let mut bytes = Vec::new();
    loop {
        let (chunk, end) = file.read(256 << 10, bytes.len() as u64)?;
        let nothing = chunk.is_empty();
        bytes.extend(chunk);
        if end || nothing || bytes.len() as u64 > LARGEST {
            return Ok(bytes);
        }
    }
}

fn text_in(bytes: Vec<u8>) -> Option<String> {
    let small = bytes.len() as u64 <= LARGEST;
    String::from_utf8(bytes).ok().filter(|text| small && !text.contains('\0'))
}

fn explain(path: &str, code: ErrorCode) -> Failure {
    match code {
        ErrorCode::NoEntry => {
            Failure::new(Class::Arguments, format!("there is no `{path}`")).hint("`list` says what there is")
        }
        ErrorCode::NotDirectory => Failure::new(Class::Arguments, format!("`{path}` is a file; `read` reads it")),
        ErrorCode::IsDirectory => Failure::new(Class::Arguments, format!("`{path}` is a directory; `list` lists it")),
        ErrorCode::NotPermitted | ErrorCode::Access => {
            Failure::new(Class::NotAllowed, format!("`{path}` leads out of the granted directory, or may not be read"))
        }
        other => Failure::new(Class::Failed, format!("`{path}` cannot be read ({other:?})")),
    }
}
