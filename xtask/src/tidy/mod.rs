//! `cargo xtask tidy`: the rules of the tree that no compiler holds.
//!
//! Comes in: the files of the repository. Goes out: one line a violation with file, line, rule and the reason for the
//! rule. `cargo test` runs the same check (see the tests below), so nobody has to remember it.

mod code;
mod files;
mod manifests;
mod rules;
mod shown;

use crate::tree::Tree;
use anyhow::{Result, bail};
use std::fmt;

/// One place that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Violation {
    /// Relative to the root, with `/`.
    file: String,
    /// From 1; 0 for the file as a whole.
    line: usize,
    /// The rule's short name.
    rule: &'static str,
    /// What was found, and why the rule is there.
    text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.file, self.line.max(1), self.rule, self.text)
    }
}

/// Checks every file; prints the violations and fails if there are any.
pub(crate) fn run(tree: &Tree) -> Result<()> {
    let files = files::all(tree.root())?;
    let violations = check(&files);
    for warning in files.iter().filter_map(rules::long_file_warning) {
        println!("warning: {warning}");
    }
    for violation in &violations {
        eprintln!("{violation}");
    }
    if !violations.is_empty() {
        bail!("{} places break the tree's rules", violations.len());
    }
    println!("tidy: {} files keep the rules", files.len());
    Ok(())
}

fn check(files: &[files::File]) -> Vec<Violation> {
    let mut violations: Vec<Violation> = files.iter().flat_map(rules::check).collect();
    violations.extend(files.iter().flat_map(manifests::check));
    violations.extend(shown::check(files));
    violations.sort();
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_tree_keeps_its_rules() -> Result<()> {
        let files = files::all(Tree::find()?.root())?;
        assert!(files.len() > 20, "the tree was found");
        let found = check(&files).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(found.is_empty(), "\n{}", found.join("\n"));
        Ok(())
    }
}
