//! The rule that every test named in `SECURITY.md` exists, and that no row of its tables goes without one.
//!
//! A claim about safety that nothing shows any more is worse than none. A test is named as `` `path/of/file.rs::name` ``,
//! from the root; a table whose last column is called `shown by` has one in each row. Whether a test shows what its row
//! says is for people to read.

use super::Violation;
use super::code;
use super::files::File;

const PAGE: &str = "SECURITY.md";
const RULE: &str = "shown by a test";

/// The heading of the column that names tests.
const COLUMN: &str = "shown by";

/// Violations in the page, if the tree has one.
pub(super) fn check(files: &[File]) -> Vec<Violation> {
    let page = files.iter().find(|file| file.path == PAGE);
    let Some(text) = page.and_then(|page| page.text.as_deref()) else { return Vec::new() };
    let mut found = Vec::new();
    let mut in_table = false;
    for (index, line) in text.lines().enumerate() {
        let mut tell = |text| found.push(Violation { file: PAGE.to_owned(), line: index + 1, rule: RULE, text });
        let named: Vec<(&str, &str)> = named(line).collect();
        let row = line.starts_with('|');
        let heading = row && !in_table;
        in_table = row && (in_table || last_cell(line) == COLUMN);
        if in_table && !heading && !is_separator(line) && named.is_empty() {
            tell("no test is named; what none shows belongs to the list of what is not covered".to_owned());
        }
        for (path, name) in named {
            match files.iter().find(|file| file.path == path).and_then(|file| file.text.as_deref()) {
                None => tell(format!("`{path}` is no file of this tree")),
                Some(source) if !has_test(source, name) => tell(format!("`{path}` has no test `{name}` that is run")),
                Some(_) => {}
            }
        }
    }
    found
}

/// The tests a line names: what stands between backquotes and has `.rs::` in it.
fn named(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter_map(|text| text.split_once("::").filter(|(path, _)| path.ends_with(".rs")))
}

fn last_cell(row: &str) -> &str {
    row.trim().trim_end_matches('|').rsplit('|').next().unwrap_or_default().trim()
}

fn is_separator(row: &str) -> bool {
    row.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Whether a source has a test function of this name that is not ignored.
fn has_test(source: &str, name: &str) -> bool {
    let code = code::only(source);
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let is_it = |line: &str| {
        let function = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        function.and_then(|rest| rest.strip_prefix(name)).is_some_and(|rest| rest.starts_with('('))
    };
    let Some(before) = lines.iter().position(|line| is_it(line)).and_then(|at| lines.get(..at)) else { return false };
    // A comment between the attributes is blank by now.
    let attributes = || before.iter().rev().take_while(|line| line.is_empty() || line.starts_with("#["));
    attributes().any(|line| attribute(line) == "test" || attribute(line).ends_with("::test"))
        && !attributes().any(|line| attribute(line) == "ignore")
}

/// `tokio::test` of `#[tokio::test(flavor = "multi_thread")]`.
fn attribute(line: &str) -> &str {
    let inner = line.strip_prefix("#[").unwrap_or_default();
    inner.split([']', '(', ' ', '=']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! H.\n#[test]\nfn it_holds() {}\n\n#[tokio::test(flavor = \"x\")]\n// Slow.\n\
        async fn it_waits() {}\n\nfn it_helps() {}\n\n#[test]\n#[ignore = \"x\"]\nfn it_sleeps() {}\n// #[test]\n\
        // fn it_was() {}\n";

    const NONE: [usize; 0] = [];

    /// The lines of a page that break the rule.
    fn lines(page: &str) -> Vec<usize> {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: Some(text.to_owned()) };
        let files = [file("SECURITY.md", page), file("tests/a.rs", SOURCE)];
        check(&files).into_iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn a_test_that_is_named_must_be_there_and_be_run() {
        assert_eq!(lines("See `tests/a.rs::it_holds` and `tests/a.rs::it_waits`, `a::b` and `tests/a.rs`.\n"), NONE);
        for gone in ["a.rs::it_hold", "a.rs::it_helps", "a.rs::it_sleeps", "a.rs::it_was", "b.rs::it_holds"] {
            assert_eq!(lines(&format!("\n`tests/{gone}`\n")), [2], "{gone}");
        }
    }

    #[test]
    fn a_row_without_a_test_is_found_and_other_tables_are_free() {
        let table = "| what | shown by |\n| --- | --- |\n| a | `tests/a.rs::it_holds` |\n| b | surely |\n\n| c | d |\n";
        assert_eq!(lines(table), [4]);
        assert_eq!(lines("| what | who |\n| --- | --- |\n| a | b |\n"), NONE);
    }

    #[test]
    fn a_tree_without_the_page_has_nothing_to_show() {
        assert_eq!(check(&[]), []);
    }
}
