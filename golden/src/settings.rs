//! `settings.json` of a case: what an extension finds when it is run.

use crate::Document;
use crate::case::{Case, unknown};
use std::path::{Component, Path, PathBuf};

/// What the operator would have set and granted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Values by key, JSON text.
    pub config: Vec<(String, String)>,
    /// Environment variables.
    pub environment: Vec<(String, String)>,
    /// Where the extension finds a directory, and the folder of the case whose copy it is.
    pub directories: Vec<(String, PathBuf)>,
}

/// The file.
pub(crate) const FILE: &str = "settings.json";

/// The settings of a case; none where it has no such file, `None` when the file cannot be used, which the case is told.
pub(crate) fn read(case: &mut Case) -> Option<Settings> {
    let folder = case.folder().to_owned();
    match case.document(FILE).map(|document| understood(&folder, document)) {
        None if case.has(FILE) => None,
        None => Some(Settings::default()),
        Some(Ok(settings)) => Some(settings),
        Some(Err(problem)) => {
            case.complain(FILE, &problem);
            None
        }
    }
}

fn understood(folder: &Path, document: Document) -> Result<Settings, String> {
    if let Some(problem) = unknown(&document, &["config", "environment", "directories"]) {
        return Err(problem);
    }
    let table = |name: &str| match document.get(name) {
        None => Ok(Vec::new()),
        Some(Document::Object(members)) => Ok(members.clone()),
        Some(_) => Err(format!("`{name}`: expected an object")),
    };
    let texts = |name: &str| -> Result<Vec<(String, String)>, String> {
        let text = |(key, value): (String, Document)| match value {
            Document::Text(text) => Ok((key, text)),
            _ => Err(format!("`{name}`, `{key}`: expected a string")),
        };
        table(name)?.into_iter().map(text).collect()
    };
    let directory = |(guest, inside): (String, String)| {
        let relative = Path::new(&inside).components().all(|part| matches!(part, Component::Normal(_)));
        let path = folder.join(&inside);
        if !relative || inside.is_empty() || !path.is_dir() {
            return Err(format!("`directories`, `{guest}`: expected a folder of the case, found `{inside}`"));
        }
        Ok((guest, path))
    };
    Ok(Settings {
        config: table("config")?.into_iter().map(|(key, value)| (key, value.compact())).collect(),
        environment: texts("environment")?,
        directories: texts("directories")?.into_iter().map(directory).collect::<Result<_, _>>()?,
    })
}
