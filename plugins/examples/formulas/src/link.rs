//! Ties a sheet's functions together: which formula calls which, and which of them can be computed at all.
//!
//! In comes a sheet, out comes for each of its functions the compiled formula with the functions it reaches, or why it
//! is left out: it is badly written, comes back to itself, or calls one that is left out.

use crate::formula::{Does, Names, Step, compile};
use crate::sheet::{Function, Sheet};
use std::collections::{BTreeMap, BTreeSet};

/// Most other functions one may reach: its call-spec carries them all.
const MOST_REACHED: usize = 32;

/// Most names shown of a circle.
const MOST_SHOWN: usize = 8;

/// A function that can be computed.
#[derive(Debug)]
pub(crate) struct Linked<'a> {
    pub(crate) function: &'a Function,
    pub(crate) steps: Vec<Step>,
    /// The positions of all functions it calls, and of those that they call.
    pub(crate) reaches: BTreeSet<usize>,
}

/// What is known of a function, by position: what it reaches, or why it is left out.
type Settled = BTreeMap<usize, Result<BTreeSet<usize>, String>>;

/// One answer for each entry of the sheet.
pub(crate) fn link(sheet: &Sheet) -> Vec<Result<Linked<'_>, String>> {
    let mut functions = BTreeMap::new();
    for (position, entry) in sheet.entries.iter().enumerate() {
        if let Ok(function) = &entry.function {
            functions.insert(function.name.as_str(), (position, function));
        }
    }
    let compiled = sheet.entries.iter().map(|entry| {
        let function = entry.function.as_ref().map_err(Clone::clone)?;
        let steps = compile(&Names { function, constants: &sheet.constants, functions: &functions })?;
        Ok((function, steps))
    });
    let compiled: Vec<_> = compiled.collect();
    let mut settled = settle(sheet, &compiled);
    let link = |(position, compiled): (usize, Result<_, String>)| {
        let (function, steps) = compiled?;
        let reaches = settled.remove(&position).unwrap_or_else(|| Ok(BTreeSet::new()))?;
        Ok(Linked { function, steps, reaches })
    };
    compiled.into_iter().enumerate().map(link).collect()
}

/// Settles a function once all it calls are settled, until nothing more can be; what is left goes in circles.
fn settle(sheet: &Sheet, compiled: &[Result<(&Function, Vec<Step>), String>]) -> Settled {
    let mut settled = Settled::new();
    let mut open: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (position, compiled) in compiled.iter().enumerate() {
        match compiled {
            Ok((_, steps)) => drop(open.insert(position, calls(steps))),
            Err(reason) => drop(settled.insert(position, Err(reason.clone()))),
        }
    }
    loop {
        let before = open.len();
        open.retain(|position, calls| {
            let outcome = reach(sheet, calls, &settled);
            let stays = outcome.is_none();
            settled.extend(outcome.map(|outcome| (*position, outcome)));
            stays
        });
        if open.len() == before {
            break;
        }
    }
    settled.extend(open.keys().map(|position| (*position, Err(circle(sheet, &open, *position)))));
    settled
}

fn calls(steps: &[Step]) -> BTreeSet<usize> {
    steps.iter().filter_map(|step| if let Does::Call(callee, _) = step.does { Some(callee) } else { None }).collect()
}

/// What is reached through these calls; `None` while one of them is not settled.
fn reach(sheet: &Sheet, calls: &BTreeSet<usize>, settled: &Settled) -> Option<Result<BTreeSet<usize>, String>> {
    let mut reached = calls.clone();
    for callee in calls {
        match settled.get(callee)? {
            Ok(further) => reached.extend(further),
            Err(_) => return Some(Err(format!("calls `{}`, which is left out", label(sheet, *callee)))),
        }
    }
    let many = reached.len() > MOST_REACHED;
    Some(if many { Err(format!("needs more than {MOST_REACHED} other functions")) } else { Ok(reached) })
}

/// The way from an open function into a circle: whatever stays open calls another that does.
fn circle(sheet: &Sheet, open: &BTreeMap<usize, BTreeSet<usize>>, from: usize) -> String {
    let (mut way, mut seen, mut here) = (vec![from], BTreeSet::new(), from);
    while seen.insert(here) {
        let next = open.get(&here).and_then(|calls| calls.iter().find(|callee| open.contains_key(callee)));
        here = next.copied().unwrap_or(here);
        way.push(here);
    }
    let mut names: Vec<&str> = way.into_iter().map(|position| label(sheet, position)).collect();
    if names.len() > MOST_SHOWN {
        names.splice(MOST_SHOWN / 2..names.len() - MOST_SHOWN / 2, ["…"]);
    }
    format!("calls go in a circle: {}", names.join(" -> "))
}

fn label(sheet: &Sheet, position: usize) -> &str {
    sheet.entries.get(position).map_or("", |entry| &entry.label)
}
