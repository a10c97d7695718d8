//! The checked set: calls whose right answers were found without the engine.
//!
//! `checked/*.json` hold one call a line: the function, its arguments, what it `gives` (or is `about`, or its `sign`, or
//! the `error`), `by` what the answer is known and `why` it is that. `by` is one of:
//! * `reading`: follows from what the words mean, no more;
//! * `arithmetic`: computed by hand;
//! * `postgresql`: the entry's `sql` gives it, run on PostgreSQL 15 (zone UTC);
//! * `shapely`, `geographiclib`: computed with that library of the Python registry;
//! * `mobilitydb`: the manual of MobilityDB says so.
//!
//! Where MEOS itself is wrong the entry says so under `upstream`, with what that release answers: the right answer is
//! still what is wanted, the known wrong one is counted and shown and does not fail the test.

use crate::expect::Expected;
use crate::parts::{Parts, ready, run};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Debug, Deserialize)]
struct Check {
    function: String,
    args: Value,
    #[serde(flatten)]
    expected: Expected,
    upstream: Option<Upstream>,
    by: String,
    sql: Option<String>,
    why: String,
}

#[derive(Debug, Deserialize)]
struct Upstream {
    #[serde(flatten)]
    expected: Expected,
    fault: String,
}

/// By the name of the file, which is the category.
fn checks() -> BTreeMap<String, Vec<Check>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/meos/checked");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let checks = serde_json::from_slice(&std::fs::read(&path).unwrap());
            (name, checks.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        })
        .collect()
}

#[test]
fn every_category_has_checks_and_each_says_how_its_answer_is_known() {
    let checks = checks();
    assert!(checks.len() >= 8 && checks.values().map(Vec::len).sum::<usize>() >= 80);
    for check in checks.values().flatten() {
        let sources = ["reading", "arithmetic", "postgresql", "shapely", "geographiclib", "mobilitydb"];
        assert!(sources.contains(&check.by.as_str()) && !check.why.is_empty(), "{check:?}");
        assert_eq!(check.by == "postgresql", check.sql.is_some(), "{check:?}");
    }
}

#[test]
fn the_answers_of_the_checked_set_are_right() {
    let Some(parts) = Parts::find() else { return };
    let mut client = ready(&parts.serve());
    let (mut right, mut wrong, mut faults) = (0, Vec::new(), BTreeSet::new());
    for (category, checks) in checks() {
        let total = checks.len();
        let before = right;
        for check in checks {
            let reply = run(&mut client, &check.function, &check.args);
            let Some(problem) = check.expected.problem(&reply) else {
                right += 1;
                continue;
            };
            match check.upstream.filter(|upstream| upstream.expected.problem(&reply).is_none()) {
                Some(upstream) => drop(faults.insert(format!("{}: {}", check.function, upstream.fault))),
                None => wrong.push(format!("{} {}: {problem} ({})", check.function, check.args, check.why)),
            }
        }
        println!("{category:15} {:4} of {total:4} right", right - before);
    }
    println!("known faults of MEOS itself:\n  {}", faults.into_iter().collect::<Vec<_>>().join("\n  "));
    assert!(wrong.is_empty(), "{right} right, {} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
