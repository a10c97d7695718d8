//! All cases of a folder, one after the other, over one subject.

use crate::case::Case;
use crate::subject::{Stopped, Subject};
use crate::{calls, failures, print};
use std::fs;
use std::path::{Path, PathBuf};

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Cases that were looked at.
    pub cases: usize,
    /// Files that were held to answers.
    pub compared: usize,
    /// Files that blessing changed.
    pub written: Vec<PathBuf>,
    /// What is wrong, each with the file it is in.
    pub complaints: Vec<String>,
    /// The command that accepts the new answers, where accepting them is all it takes.
    pub accept: Option<String>,
}

impl Outcome {
    /// Every complaint, and the command that accepts what differs; `None` when there is none.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        if self.complaints.is_empty() {
            return None;
        }
        let accept =
            self.accept.as_ref().map(|command| format!("\n\nto accept the new answers, read them after: {command}"));
        Some(self.complaints.join("\n\n") + &accept.unwrap_or_default())
    }
}

/// Checks every case below `folder`, or with `bless` writes what is missing or differs.
pub fn run(folder: &Path, subject: &mut dyn Subject, bless: bool) -> Outcome {
    let mut outcome = Outcome::default();
    let folders = match case_folders(folder) {
        Ok(folders) if !folders.is_empty() => folders,
        Ok(_) => {
            let make = "make a folder with a manifest.json, calls.json or failures.json";
            outcome.complaints.push(format!("no case in `{}`: {make}", folder.display()));
            return outcome;
        }
        Err(error) => {
            outcome.complaints.push(format!("cannot read `{}`: {error}", folder.display()));
            return outcome;
        }
    };
    let mut differs = false;
    for folder in folders {
        let mut case = Case::new(folder, bless);
        case.check_names();
        check_mapping(&mut case, subject);
        calls::check(&mut case, subject);
        calls::check_list(&mut case, subject);
        check_failures(&mut case, subject);
        differs |= case.differs;
        outcome.cases += 1;
        outcome.compared += case.compared;
        outcome.written.append(&mut case.written);
        outcome.complaints.append(&mut case.complaints);
    }
    outcome.accept = differs.then(|| subject.accept());
    outcome
}

fn case_folders(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?;
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    Ok(folders)
}

/// Whether a file is to be answered; one that no role of a whole subject answers is a mistake.
pub(crate) fn held(case: &mut Case, file: &str, what: &str, whole: bool, has_role: bool) -> bool {
    if whole && !has_role {
        case.complain(file, &format!("is for {what}, and the plugin has no such role"));
    }
    has_role
}

/// `manifest.json` against `expected.json`.
fn check_mapping(case: &mut Case, subject: &mut dyn Subject) {
    if case.has("expected.json") && !case.has("manifest.json") {
        case.complain("expected.json", "has no manifest.json beside it");
    }
    if !case.has("manifest.json")
        || !held(case, "manifest.json", "a mapper", subject.is_whole(), subject.mapper().is_some())
    {
        return;
    }
    let (Some(manifest), Some(mapper)) = (case.read("manifest.json"), subject.mapper()) else { return };
    let answer = mapper.recognise(&manifest).and_then(|recognition| Ok((recognition, mapper.map(&manifest)?)));
    match answer {
        Ok((recognition, mapping)) => {
            case.compare("expected.json", &print::mapped(recognition.as_ref(), &mapping));
        }
        Err(Stopped(how)) => case.complain("manifest.json", &format!("the mapper {how}")),
    }
}

fn check_failures(case: &mut Case, subject: &mut dyn Subject) {
    let file = failures::FILE;
    if case.has(file)
        && held(case, file, "an error decoder", subject.is_whole(), subject.decoder().is_some())
        && let Some(decoder) = subject.decoder()
    {
        failures::check(case, decoder);
    }
}
