//! What a read could not serve, told once on stderr and again only after it had gone.

use crate::catalog::listing::collides;
use crate::catalog::load::LoadError;
use crate::catalog::mapped::MappedUnit;
use crate::source::{self, Unit};
use crate::text::clean_line;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The lines that hold now.
#[derive(Debug, Default)]
pub(crate) struct Gaps(Mutex<HashSet<String>>);

impl Gaps {
    /// Tells that the source could not be read; what else holds is not known then and stays.
    pub(crate) fn unreadable(&self, error: &source::Error) {
        let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = format!("app list unavailable: {error}{hint}");
        if !held.contains(&line) {
            tracing::warn!("{line}");
            held.insert(line);
        }
    }

    /// Tells what a whole read found lacking that the one before did not.
    pub(crate) fn report<'a>(
        &self,
        loaded: impl Iterator<Item = (&'a Unit, &'a Result<Arc<MappedUnit>, Arc<LoadError>>)>,
    ) {
        let mut now = HashSet::new();
        for (unit, loaded) in loaded {
            match loaded {
                Ok(mapped) => now.extend(of_unit(unit, mapped)),
                Err(error) => drop(now.insert(format!("skipping {}: {error}", unit.label()))),
            }
        }
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new: Vec<&String> = now.difference(&held).collect();
        new.sort();
        for line in new {
            tracing::warn!("{line}");
        }
        *held = now;
    }
}

/// The gaps of a unit that is served: methods without a tool, and constructs that are not checked.
fn of_unit(unit: &Unit, mapped: &MappedUnit) -> Vec<String> {
    let label = unit.label();
    let version = unit.app.version_text();
    let without_tool = mapped.methods.iter().filter(|method| collides(method)).map(|method| {
        let name = clean_line(&method.method.name);
        format!("no tool for {label} {version} {name}: its app_handle parameter would collide; use call")
    });
    let skipped = mapped
        .skipped
        .iter()
        .map(|skipped| format!("no tool for {label} {}: {}", clean_line(&skipped.method), clean_line(&skipped.reason)));
    let notes = mapped.notes.iter().map(|note| {
        let method = clean_line(note.method.as_deref().unwrap_or("the manifest"));
        format!("{label} {method}: `{}` is not checked: {}", clean_line(&note.path), clean_line(&note.text))
    });
    without_tool.chain(skipped).chain(notes).collect()
}
