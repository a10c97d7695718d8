//! One case: reads its files, asks the plugin, compares or blesses.

#![expect(clippy::panic, reason = "a test harness speaks by panicking")]

use super::print;
use crate::{ErrorDecoder, Mapper, Mapping, Options};
use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};

/// How to accept what a plugin now answers.
const ACCEPT: &str = "to accept the new answers, read them after: BLESS=1 cargo test";

/// Runs `check` on every case below `folder`.
pub(super) fn run(folder: &Path, bless: bool, check: impl Fn(&mut Case)) {
    let mut complaints = Vec::new();
    let folders = case_folders(folder);
    assert!(!folders.is_empty(), "no case in `{}`: make a folder with a manifest.json", folder.display());
    for folder in folders {
        let mut case = Case { folder, bless, complaints: Vec::new() };
        check(&mut case);
        complaints.append(&mut case.complaints);
    }
    assert!(complaints.is_empty(), "{}\n\n{ACCEPT}\n", complaints.join("\n\n"));
}

fn case_folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("cannot read `{}`: {error}", folder.display()));
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// One folder and what was found wrong in it.
pub(super) struct Case {
    folder: PathBuf,
    bless: bool,
    complaints: Vec<String>,
}

impl Case {
    /// `manifest.json` against `expected.json`.
    pub(super) fn check_mapping<M: Mapper>(&mut self) {
        let Some(manifest) = self.read("manifest.json") else { return };
        let recognition = M::recognise(manifest.as_bytes());
        let mapping = M::map(manifest.as_bytes(), &Options::default());
        self.compare("expected.json", &print::answer(recognition.as_ref(), &mapping));
    }

    /// `calls.json`: each call against the outcome written beside it.
    pub(super) fn check_calls<M: Mapper>(&mut self) {
        let Some(calls) = self.read_list("calls.json") else { return };
        let manifest = self.read("manifest.json").unwrap_or_default();
        let mapping = match M::map(manifest.as_bytes(), &Options::default()) {
            Ok(mapping) => mapping,
            Err(fault) => return self.complain("calls.json", &format!("its manifest does not map: {fault:?}")),
        };
        let answered = calls.into_iter().map(|call| answer_call::<M>(&mapping, call)).collect();
        self.compare("calls.json", &Value::Array(answered));
    }

    /// `failures.json`: each failure against the explanation written beside it.
    pub(super) fn check_failures<D: ErrorDecoder>(&mut self) {
        let Some(failures) = self.read_list("failures.json") else { return };
        let mut answered = Vec::new();
        for mut failure in failures {
            let Some(read) = print::read_failure(&failure) else {
                return self.complain(
                    "failures.json",
                    &format!("not a guest, http or transport failure: {}", Value::Object(failure)),
                );
            };
            let explanation = D::decode(&read).map_or(Value::Null, |explanation| print::explanation(&explanation));
            failure.shift_remove("explanation");
            failure.insert("explanation".to_owned(), explanation);
            answered.push(Value::Object(failure));
        }
        self.compare("failures.json", &Value::Array(answered));
    }

    fn compare(&mut self, file: &str, answer: &Value) {
        let answer = print::pretty(answer);
        let written = self.read(file);
        if written.as_deref() == Some(&answer) {
            return;
        }
        if self.bless {
            let path = self.folder.join(file);
            fs::write(&path, answer).unwrap_or_else(|error| panic!("cannot write `{}`: {error}", path.display()));
            return;
        }
        match written {
            None => self.complain(file, "is missing"),
            Some(written) => self.complain(file, &first_difference(&written, &answer)),
        }
    }

    fn read(&mut self, file: &str) -> Option<String> {
        let path = self.folder.join(file);
        if !path.exists() {
            return None;
        }
        match fs::read_to_string(&path) {
            // A checkout may have changed the line ends; they carry no meaning in JSON.
            Ok(text) => Some(text.replace("\r\n", "\n")),
            Err(error) => {
                self.complain(file, &error.to_string());
                None
            }
        }
    }

    fn read_list(&mut self, file: &str) -> Option<Vec<Map<String, Value>>> {
        let text = self.read(file)?;
        match serde_json::from_str(&text) {
            Ok(list) => Some(list),
            Err(error) => {
                self.complain(file, &format!("expected a JSON array of objects: {error}"));
                None
            }
        }
    }

    fn complain(&mut self, file: &str, what: &str) {
        self.complaints.push(format!("{}: {what}", self.folder.join(file).display()));
    }
}

fn answer_call<M: Mapper>(mapping: &Mapping, mut call: Map<String, Value>) -> Value {
    for outcome in ["encoded", "alternatives", "decoded", "problems"] {
        call.shift_remove(outcome);
    }
    let name = call.get("method").and_then(Value::as_str).unwrap_or_default();
    let Some(method) = mapping.methods.iter().find(|method| method.name == name) else {
        call.insert("problems".to_owned(), Value::from(format!("no method `{name}`")));
        return Value::Object(call);
    };
    if let Some(arguments) = call.get("arguments").cloned() {
        match M::encode(&method.plan, arguments) {
            Ok(encoded) => {
                call.insert("encoded".to_owned(), print::json(&encoded.json));
                call.insert("alternatives".to_owned(), encoded.alternatives.iter().map(|it| print::json(it)).collect());
            }
            Err(problems) => drop(call.insert("problems".to_owned(), print::problems(&problems))),
        }
    } else if let Some(result) = call.get("result").cloned() {
        match M::decode(&method.plan, result) {
            Ok(value) => drop(call.insert("decoded".to_owned(), value)),
            Err(problems) => drop(call.insert("problems".to_owned(), print::problems(&problems))),
        }
    }
    Value::Object(call)
}

fn first_difference(written: &str, answer: &str) -> String {
    let mut written_lines = written.lines();
    for (index, new) in answer.lines().enumerate() {
        let old = written_lines.next().unwrap_or("(end of file)");
        if old != new {
            return format!("line {}:\n  written: {old}\n  now:     {new}", index + 1);
        }
    }
    let old = written_lines.next().unwrap_or("(a line end)");
    format!("line {}:\n  written: {old}\n  now:     (end of file)", answer.lines().count() + 1)
}
