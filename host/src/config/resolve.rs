//! From the file as written to what the stages work with: paths made whole, rows laid over defaults, lists held
//! against each other.

use crate::artifact::{Pin, Wanted};
use crate::config::dropped;
use crate::config::file::Place;
use crate::config::reader::{Located, Problem, Trouble};
use crate::config::schema::{self, CompileRow, GrantTable, LimitRow, LimitRows, Written};
use crate::config::settings::ManifestSetting;
use crate::model::{DirectoryGrant, Grants};
use crate::sandbox::{Bounds, CompileBounds, Limits};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

const MIB: usize = 1 << 20;

/// The plugin folder unless the file names another, beside the file.
const PLUGIN_FOLDER: &str = "plugins";

/// Makes a path of the file whole.
#[must_use]
pub(super) fn path(place: Option<&Place>, path: &Path) -> PathBuf {
    place.map_or_else(|| path.to_owned(), |place| place.folder().join(path))
}

/// The folder for plugin files that are dropped in; none where there is no place for a configuration.
#[must_use]
pub(super) fn plugin_folder(written: &Written, place: Option<&Place>) -> Option<PathBuf> {
    let named = written.plugin_folder.as_ref().map_or(Path::new(PLUGIN_FOLDER), |folder| &folder.path.0);
    place.map(|place| path(Some(place), named))
}

/// The plugins that have a block, in the file's order.
///
/// # Errors
/// Two of one name.
pub(super) fn plugins(written: &Written, place: Option<&Place>) -> Result<Vec<Wanted>, Trouble> {
    unique(written.plugin.iter().map(|plugin| (&plugin.name, plugin.name.value.0.as_str())), "plugin.name")?;
    let folder = plugin_folder(written, place).unwrap_or_default();
    Ok(written.plugin.iter().map(|plugin| wanted(plugin, place, &folder)).collect())
}

fn wanted(plugin: &schema::Plugin, place: Option<&Place>, folder: &Path) -> Wanted {
    let name = plugin.name.value.0.clone();
    let file = plugin.file.as_ref().map_or_else(|| dropped::file(folder, &name), |file| path(place, &file.0));
    let pin = |row: &schema::PinRow| Pin {
        plugin: name.clone(),
        ecosystem: row.ecosystem.0.clone(),
        subjects: row.subjects.as_ref().map(|subjects| subjects.0.clone()),
    };
    Wanted {
        file,
        roles: plugin.roles.as_ref().map(|roles| roles.iter().map(|role| role.0.clone()).collect::<BTreeSet<_>>()),
        ecosystems: plugin.ecosystems.iter().map(|ecosystem| ecosystem.0.clone()).collect(),
        pins: plugin.pins.iter().map(pin).collect(),
        grants: plugin.grants.as_ref().map(|grants| granted(grants, place)).unwrap_or_default(),
        values: plugin.config.clone(),
        variables: BTreeMap::new(),
        state_folder: None,
        name,
    }
}

/// Sorted and without repetition, so that the same grants are equal however they were written.
fn granted(table: &GrantTable, place: Option<&Place>) -> Grants {
    let sorted = |names: Vec<String>| names.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let mut directories: Vec<DirectoryGrant> = table
        .directories
        .iter()
        .map(|directory| DirectoryGrant {
            guest: directory.guest.0.clone(),
            host: Some(path(place, &directory.host.0)),
            writable: directory.writable.unwrap_or(false),
        })
        .collect();
    directories.sort_by(|a, b| (&a.guest, &a.host).cmp(&(&b.guest, &b.host)));
    Grants {
        http: sorted(table.http.iter().map(|host| host.0.clone()).collect()),
        directories,
        environment: sorted(table.environment.iter().map(|name| name.0.clone()).collect()),
        clocks: table.clocks.unwrap_or(false),
        random: table.random.unwrap_or(false),
        state: table.state.unwrap_or(false),
    }
}

/// The manifest files, in the file's order.
///
/// # Errors
/// Two of one ecosystem.
pub(super) fn manifests(written: &Written, place: Option<&Place>) -> Result<Vec<ManifestSetting>, Trouble> {
    let ecosystems = written.manifest.iter().map(|row| (&row.ecosystem, row.ecosystem.value.0.as_str()));
    unique(ecosystems, "manifest.ecosystem")?;
    let manifest = |row: &schema::Manifest| ManifestSetting {
        ecosystem: row.ecosystem.value.0.clone(),
        path: path(place, &row.file.0),
        overrides: row.overrides.as_ref().map(|overrides| path(place, &overrides.0)),
    };
    Ok(written.manifest.iter().map(manifest).collect())
}

/// The sandbox's table with the operator's rows laid over it.
#[must_use]
pub(super) fn limits(rows: Option<&LimitRows>) -> Limits {
    let mut limits = Limits::default();
    let Some(rows) = rows else { return limits };
    lay(&mut limits.manifest, rows.manifest.as_ref());
    lay(&mut limits.codec, rows.codec.as_ref());
    lay(&mut limits.explain, rows.explain.as_ref());
    lay(&mut limits.engine, rows.engine.as_ref());
    lay(&mut limits.extension, rows.extension.as_ref());
    lay_compile(&mut limits.compile, rows.compile.as_ref());
    limits
}

/// Where the operator says how long, that is how long, whatever the file's length.
fn lay_compile(bounds: &mut CompileBounds, row: Option<&CompileRow>) {
    let Some(row) = row else { return };
    if let Some(time) = row.time_ms {
        (bounds.time, bounds.time_per_mib) = (Duration::from_millis(time.0), Duration::ZERO);
    }
    if let Some(memory) = row.memory_mib {
        bounds.memory = mib(memory.0);
    }
}

/// The schema caps the numbers far below what a `usize` holds.
fn mib(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX).saturating_mul(MIB)
}

fn lay(bounds: &mut Bounds, row: Option<&LimitRow>) {
    let Some(row) = row else { return };
    if let Some(time) = row.time_ms {
        bounds.time = Duration::from_millis(time.0);
    }
    if let Some(memory) = row.memory_mib {
        bounds.memory = mib(memory.0);
    }
    if let Some(handed_over) = row.handed_over_mib {
        bounds.handed_over = mib(handed_over.0);
    }
}

fn unique<'a, T: 'a>(rows: impl Iterator<Item = (&'a Located<T>, &'a str)>, key: &'static str) -> Result<(), Trouble> {
    let mut seen = BTreeSet::new();
    for (located, name) in rows {
        if !seen.insert(name) {
            return Err(Trouble { at: located.at, problem: Problem::Twice { key } });
        }
    }
    Ok(())
}
