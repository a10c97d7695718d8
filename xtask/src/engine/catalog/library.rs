//! Which headers make up the library, and what they declare together.
//!
//! Comes in: the folder of MEOS' sources. Goes out: every function, enumeration, typedef and constant of the headers that
//! an installed library offers, in their order, and the pieces that could not be read.

use super::ctype::Typedefs;
use super::definition::{self, Definition};
use super::header::{self, Enumeration, Prototype};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One header: where it lies in the sources, what it is installed as, and the part of the library it belongs to.
struct Origin {
    path: &'static str,
    file: &'static str,
    family: &'static str,
}

const fn origin(path: &'static str, file: &'static str, family: &'static str) -> Origin {
    Origin { path, file, family }
}

/// In the order of the catalog. The two `.in.h` are pasted into the installed headers by MEOS' own build files.
const HEADERS: [Origin; 11] = [
    origin("postgres_ext_defs.in.h", "meos.h", "CORE"),
    origin("meos.h", "meos.h", "CORE"),
    origin("temporal/meos_catalog.h", "meos_catalog.h", "CORE"),
    origin("postgis_ext_defs.in.h", "meos_geo.h", "CORE"),
    origin("meos_geo.h", "meos_geo.h", "CORE"),
    origin("meos_internal.h", "meos_internal.h", "CORE"),
    origin("meos_internal_geo.h", "meos_internal_geo.h", "CORE"),
    origin("meos_cbuffer.h", "meos_cbuffer.h", "CBUFFER"),
    origin("meos_npoint.h", "meos_npoint.h", "NPOINT"),
    origin("meos_pose.h", "meos_pose.h", "POSE"),
    origin("meos_rgeo.h", "meos_rgeo.h", "RGEO"),
];

/// Where the functions are declared that are linked beside the library.
const HELPERS: Origin = origin("", "engine.h", "CORE");

/// Something and the installed header that declares it.
#[derive(Clone, Debug)]
pub(super) struct Declared<T> {
    pub(super) file: &'static str,
    pub(super) family: &'static str,
    pub(super) item: T,
}

/// Everything the headers declare.
#[derive(Debug, Default)]
pub(super) struct Library {
    pub(super) functions: Vec<Declared<Prototype>>,
    pub(super) enumerations: Vec<Declared<Enumeration>>,
    pub(super) structures: Vec<Declared<String>>,
    pub(super) typedefs: Typedefs,
    pub(super) constants: Vec<Declared<(String, i64)>>,
    /// `header:line: beginning` of what could not be read.
    pub(super) unreadable: Vec<String>,
}

/// The folder that holds `meos/include`: the one given, or its `source` when the crate's own folder is given.
pub(super) fn root(given: &Path) -> Result<PathBuf> {
    let found = [given.to_owned(), given.join("source")]
        .into_iter()
        .find(|folder| folder.join("meos/include/meos.h").is_file());
    found.with_context(|| format!("`{}` holds no MEOS sources: expected `meos/include/meos.h` in it", given.display()))
}

/// Reads the headers below [`root`].
pub(super) fn read(root: &Path) -> Result<Library> {
    let mut library = Library::default();
    let mut seen = BTreeMap::new();
    for origin in &HEADERS {
        let path = root.join("meos/include").join(origin.path);
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read the header `{}`", path.display()))?;
        library.add(origin, header::read(&text), &mut seen);
    }
    ensure!(!library.functions.is_empty(), "the headers below `{}` declare no function", root.display());
    Ok(library)
}

/// The release of the library, from its own version file: `1.3.0rc1`.
pub(super) fn release(root: &Path) -> Result<String> {
    let path = root.join("mobdb_version.txt");
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("cannot read the release in `{}`", path.display()))?;
    let part = |name: &str| {
        text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix("_VERSION=")).unwrap_or("0")
    };
    Ok(["MOBILITYDB_MAJOR", "MOBILITYDB_MINOR", "MOBILITYDB_MICRO"].map(part).join("."))
}

/// The package the sources came in, from the manifest beside them: `meos-src 0.2.0`. Without one they are just sources.
pub(super) fn package(root: &Path) -> String {
    let manifest =
        root.parent().and_then(|folder| std::fs::read_to_string(folder.join("Cargo.toml")).ok()).unwrap_or_default();
    let value = |key: &str| {
        let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='))?;
        Some(line.trim().trim_matches('"').to_owned())
    };
    match (value("name"), value("version")) {
        (Some(name), Some(version)) => format!("{name} {version}"),
        _ => "sources".to_owned(),
    }
}

/// Folders of sources below [`root`]: MEOS' own, and the parts of PostgreSQL and PostGIS it carries.
const SOURCES: [&str; 3] = ["meos/src", "postgres", "postgis"];

/// Every function the sources define, by name. MEOS' own definition wins over one of a carried part.
pub(super) fn definitions(root: &Path) -> Result<BTreeMap<String, Definition>> {
    let mut found = BTreeMap::new();
    for folder in SOURCES {
        for path in c_files(&root.join(folder))? {
            let bytes = std::fs::read(&path).with_context(|| format!("cannot read the source `{}`", path.display()))?;
            for definition in definition::read(&String::from_utf8_lossy(&bytes)) {
                found.entry(definition.name.clone()).or_insert(definition);
            }
        }
    }
    Ok(found)
}

/// All `.c` files below a folder, sorted.
fn c_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot list the sources in `{}`", folder.display()))?;
    let mut paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(c_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
    Ok(found)
}

impl Library {
    /// Adds functions that are linked beside the library; returns their definitions, about which no source speaks.
    pub(super) fn add_helpers(&mut self, prototypes: &str) -> Vec<Definition> {
        let header = header::read(prototypes);
        self.unreadable.extend(header.unreadable.into_iter().map(|(line, text)| format!("helpers:{line}: {text}")));
        let mut definitions = Vec::new();
        for item in header.functions {
            let parameters = item.parameters.list.iter().map(|parameter| parameter.name.clone()).collect();
            definitions.push(Definition { name: item.name.clone(), parameters, ..Definition::default() });
            self.functions.push(declared(&HELPERS, item));
        }
        definitions
    }

    fn add(&mut self, origin: &Origin, header: header::Header, seen: &mut BTreeMap<String, Prototype>) {
        for prototype in header.functions {
            match seen.get(&prototype.name) {
                None => {
                    seen.insert(prototype.name.clone(), prototype.clone());
                    self.functions.push(declared(origin, prototype));
                }
                // Declared twice alike is usual; parameter names may differ.
                Some(first) if same_types(first, &prototype) => {}
                Some(_) => self
                    .unreadable
                    .push(format!("{}: `{}` is declared twice, differently", origin.path, prototype.name)),
            }
        }
        self.enumerations.extend(header.enumerations.into_iter().map(|item| declared(origin, item)));
        for structure in header.structures {
            if !self.structures.iter().any(|known| known.item == structure) {
                self.structures.push(declared(origin, structure));
            }
        }
        self.constants.extend(header.constants.into_iter().map(|item| declared(origin, item)));
        for (name, target) in header.typedefs {
            self.typedefs.0.entry(name).or_insert(target);
        }
        let told = header.unreadable.into_iter().map(|(line, text)| format!("{}:{line}: {text}", origin.path));
        self.unreadable.extend(told);
    }
}

fn declared<T>(origin: &Origin, item: T) -> Declared<T> {
    Declared { file: origin.file, family: origin.family, item }
}

fn same_types(a: &Prototype, b: &Prototype) -> bool {
    let types = |prototype: &Prototype| {
        let parameters = prototype.parameters.list.iter().map(|parameter| parameter.ctype.clone());
        (prototype.returns.clone(), parameters.collect::<Vec<_>>())
    };
    types(a) == types(b)
}
