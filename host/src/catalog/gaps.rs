//! What a read could not serve, told once on stderr and again only after it had gone.

use crate::catalog::load::LoadError;
use crate::catalog::mapped::MappedUnit;
use crate::model::Skipped;
use crate::source::{self, Unit};
use crate::text::clean_line;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Methods without a tool that are told one by one; of more, the reasons are counted.
const MOST_LINES: usize = 20;

/// Reasons told of many.
const MOST_REASONS: usize = 3;

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
    let without_tool = mapped.methods.iter().filter(|method| method.collides()).map(|method| {
        let name = clean_line(&method.method.name);
        format!("no tool for {label} {version} {name}: its app_handle parameter would collide; use call")
    });
    let skipped: Vec<String> = match mapped.skipped.len() {
        0..=MOST_LINES => {
            mapped.skipped.iter().map(|one| format!("no tool for {label} {}", skipped_line(one))).collect()
        }
        many => vec![format!(
            "no tool for {many} methods of {label}: {}; `abi-mcp doctor` counts all",
            common(&mapped.skipped)
        )],
    };
    let notes = mapped.notes.iter().map(|note| {
        let method = clean_line(note.method.as_deref().unwrap_or("the manifest"));
        format!("{label} {method}: `{}` is not checked: {}", clean_line(&note.path), clean_line(&note.text))
    });
    without_tool.chain(skipped).chain(notes).collect()
}

fn skipped_line(skipped: &Skipped) -> String {
    format!("{}: {}", clean_line(&skipped.method), clean_line(&skipped.reason))
}

fn common(skipped: &[Skipped]) -> String {
    let shown: Vec<String> =
        reasons(skipped).into_iter().take(MOST_REASONS).map(|(reason, count)| format!("{count} x {reason}")).collect();
    shown.join(", ")
}

/// The reasons for what was left out with how often each holds, the commonest first. Names in backticks and what follows
/// a colon tell single cases of one reason apart and are left away.
#[must_use]
pub fn reasons(skipped: &[Skipped]) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for one in skipped {
        *counts.entry(kind(&clean_line(&one.reason))).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

fn kind(reason: &str) -> String {
    // `wkb: raw bytes` is about a parameter, `needs a table: ways` about a reason.
    let words = match reason.split_once(": ") {
        Some((head, rest)) if head.contains(' ') || rest.is_empty() => head,
        Some((_, rest)) => rest,
        None => reason,
    };
    words.split('`').enumerate().map(|(at, part)| if at % 2 == 1 { "…" } else { part }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_by_kind() {
        let skipped = |reason: &str| Skipped { method: "m".to_owned(), reason: reason.to_owned() };
        let all = [
            skipped("`a` is not in 1.3"),
            skipped("`b` is not in 1.3"),
            skipped("needs a table: ways"),
            skipped("wkb: raw bytes"),
        ];
        let counted = [("… is not in 1.3", 2), ("needs a table", 1), ("raw bytes", 1)];
        assert_eq!(reasons(&all), counted.map(|(reason, count)| (reason.to_owned(), count)));
    }
}
