//! One case: a folder, its files, and what was found wrong in it.
//!
//! In come answers, out come complaints, or with blessing changed files. Which answers a file holds is not known here.

use crate::Document;
use crate::difference::difference;
use std::fs;
use std::path::{Path, PathBuf};

/// Every file a case can have.
const FILES: [&str; 6] =
    ["manifest.json", "expected.json", "calls.json", "failures.json", "settings.json", "tools.json"];

/// A case that is being checked.
pub(crate) struct Case {
    folder: PathBuf,
    bless: bool,
    pub(crate) complaints: Vec<String>,
    /// Whether blessing would make one of the complaints go away.
    pub(crate) differs: bool,
    pub(crate) written: Vec<PathBuf>,
    /// Files held to answers.
    pub(crate) compared: usize,
}

impl Case {
    pub(crate) fn new(folder: PathBuf, bless: bool) -> Self {
        Self { folder, bless, complaints: Vec::new(), differs: false, written: Vec::new(), compared: 0 }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn has(&self, file: &str) -> bool {
        self.folder.join(file).exists()
    }

    /// A slip in a file's name would leave it unread for ever.
    pub(crate) fn check_names(&mut self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter(|entry| entry.path().is_file()).map(|entry| entry.file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        for name in names.iter().filter(|name| name.ends_with(".json") && !FILES.contains(&name.as_str())) {
            self.complain(name, &format!("is no file of a case; those are {}", FILES.join(", ")));
        }
        if !names.iter().any(|name| FILES.contains(&name.as_str())) {
            self.complaints.push(format!(
                "{}: no file of a case; those are {}",
                self.folder.display(),
                FILES.join(", ")
            ));
        }
    }

    /// Holds a file to an answer, or writes it.
    pub(crate) fn compare(&mut self, file: &str, answer: &Document) {
        self.compared += 1;
        let answer = answer.pretty();
        let path = self.folder.join(file);
        let written = if path.exists() { self.read(file) } else { None };
        if written.as_deref() == Some(&answer) {
            return;
        }
        if self.bless {
            match fs::write(&path, answer) {
                Ok(()) => self.written.push(path),
                Err(error) => self.complain(file, &format!("cannot be written: {error}")),
            }
            return;
        }
        self.differs = true;
        match written {
            None => self.complain(file, "is missing"),
            Some(written) => self.complain(file, &format!("differs\n{}", difference(&written, &answer))),
        }
    }

    /// A file's text; `None` when it is not there, or cannot be read, which is a complaint.
    pub(crate) fn read(&mut self, file: &str) -> Option<String> {
        if !self.has(file) {
            return None;
        }
        match fs::read_to_string(self.folder.join(file)) {
            // A checkout may have changed the line ends; they carry no meaning in JSON.
            Ok(text) => Some(text.replace("\r\n", "\n")),
            Err(error) => {
                self.complain(file, &format!("cannot be read: {error}"));
                None
            }
        }
    }

    /// A file's JSON; as [`Case::read`].
    pub(crate) fn document(&mut self, file: &str) -> Option<Document> {
        let text = self.read(file)?;
        Document::parse(&text).map_err(|error| self.complain(file, &format!("is not JSON: {error}"))).ok()
    }

    /// A file's list of objects; as [`Case::read`].
    pub(crate) fn list(&mut self, file: &str) -> Option<Vec<Document>> {
        match self.document(file)? {
            Document::Array(entries) if entries.iter().all(|entry| entry.members().is_some()) => Some(entries),
            _ => {
                self.complain(file, "expected a JSON array of objects");
                None
            }
        }
    }

    pub(crate) fn complain(&mut self, file: &str, what: &str) {
        self.complaints.push(format!("{}: {what}", self.folder.join(file).display()));
    }
}

/// Says which member of an object is none of `known`.
pub(crate) fn unknown(object: &Document, known: &[&str]) -> Option<String> {
    let Some(members) = object.members() else { return Some("expected an object".to_owned()) };
    let (name, _) = members.iter().find(|(name, _)| !known.contains(&name.as_str()))?;
    Some(format!("there is no key `{name}` here; there are {}", known.join(", ")))
}
