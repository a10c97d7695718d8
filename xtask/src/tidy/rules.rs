//! The rules about single files, one function each. DESIGN of the tree: see `docs/architecture.md`.
//!
//! Every rule names its reason, because a rule without one is switched off by the first who trips over it.

use super::Violation;
use super::code;
use super::files::File;

/// A file longer than this has two jobs.
const LONGEST: usize = 900;

/// From here on a file is worth a look.
const LONG: usize = 600;

/// The folders that know no ecosystem: names, URIs and instructions come from the source.
const NEUTRAL: [&str; 7] = [
    "host/src/mcp",
    "host/src/gate",
    "host/src/catalog",
    "host/src/artifact",
    "host/src/sandbox",
    "host/src/contract",
    "host/src/model",
];

/// The rules' own words and samples are no violations.
const OWN_FOLDER: &str = "xtask/src/tidy";

/// Every violation in one file.
pub(super) fn check(file: &File) -> Vec<Violation> {
    let mut found = binary_component(file);
    let Some(text) = file.text.as_deref() else { return found };
    if !file.is_in(&[OWN_FOLDER]) {
        found.extend(machine_words(file, text));
    }
    if file.is_rust() {
        let code = code::only(text);
        found.extend(file_head(file, text));
        found.extend(length(file, text));
        found.extend(owned_libraries(file, &code));
        found.extend(model_alone(file, &code));
        found.extend(printing(file, &code));
        found.extend(neutral_words(file, text));
    }
    found
}

/// A remark on a file that is getting long.
pub(super) fn long_file_warning(file: &File) -> Option<String> {
    let lines = file.text.as_deref().filter(|text| file.is_rust() && !is_generated(text))?.lines().count();
    (LONG..=LONGEST)
        .contains(&lines)
        .then(|| format!("{}: {lines} lines: is it two jobs? (the limit is {LONGEST})", file.path))
}

fn violation(file: &File, line: usize, rule: &'static str, text: impl Into<String>) -> Violation {
    Violation { file: file.path.clone(), line, rule, text: text.into() }
}

/// Violations at each line of `code` that has one of `words` as a whole word.
fn words(file: &File, code: &str, words: &[&str], rule: &'static str, reason: &str) -> Vec<Violation> {
    let hits = code.lines().enumerate().filter_map(|(index, line)| {
        let word = words.iter().find(|word| has_word(line, word))?;
        Some(violation(file, index + 1, rule, format!("`{word}`: {reason}")))
    });
    hits.collect()
}

/// Whether `line` has `word` with no letter, digit or `_` on either side.
fn has_word(line: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, found)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let after = line.get(at + found.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(joins) && !after.is_some_and(joins)
    })
}

/// One module owns each outside library, so that its next major release is an afternoon's work.
fn owned_libraries(file: &File, code: &str) -> Vec<Violation> {
    let owners: [(&str, &[&str]); 2] =
        [("wasmtime", &["host/src/sandbox", "host/src/contract"]), ("rmcp", &["host/src/mcp"])];
    let foreign = owners.iter().filter(|(_, folders)| !file.is_in(folders));
    foreign
        .flat_map(|(library, folders)| {
            let reason = format!("may be used in {} only, so that one place follows its releases", folders.join(", "));
            words(file, code, &[library], "library owner", &reason)
        })
        .collect()
}

/// `model` lies beneath all: it uses no sibling.
fn model_alone(file: &File, code: &str) -> Vec<Violation> {
    if !file.is_in(&["host/src/model"]) {
        return Vec::new();
    }
    let outside = |line: &str| {
        let siblings = line.match_indices("crate::").any(|(at, found)| {
            let rest = line.get(at + found.len()..).unwrap_or_default();
            !rest.starts_with("model::") && !rest.starts_with("model;")
        });
        // `mod.rs` is the model itself: its `super` is the crate.
        siblings || line.contains("super::super::") || (file.path.ends_with("/mod.rs") && line.contains("super::"))
    };
    // `super::` inside a `mod tests` of mod.rs is the model again.
    let end = code::tests_begin(code).unwrap_or(usize::MAX);
    let lines = code.lines().enumerate().filter(|(index, line)| outside(line) && index + 1 < end);
    let reason = "the model depends on nothing of this crate, every other folder depends on it";
    lines.map(|(index, _)| violation(file, index + 1, "model alone", reason)).collect()
}

/// Standard output belongs to the protocol: only the command line prints.
fn printing(file: &File, code: &str) -> Vec<Violation> {
    let ruled = file.is_in(&["host/src", "devnode/src"]);
    let free = file.path == "host/src/main.rs" || file.is_in(&["host/src/cli"]) || file.path.ends_with("/tests.rs");
    if !ruled || free || file.path.contains("/tests/") {
        return Vec::new();
    }
    let end = code::tests_begin(code).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    for name in ["println", "eprintln", "print", "eprint", "dbg"] {
        let reason = "only host/src/main.rs and host/src/cli print; elsewhere return a value or use `tracing`";
        let hits = words(file, code, &[name], "nothing prints", reason);
        let called = |hit: &Violation| {
            let line = code.lines().nth(hit.line.saturating_sub(1)).unwrap_or_default();
            hit.line < end && line.contains(&format!("{name}!"))
        };
        found.extend(hits.into_iter().filter(called));
    }
    found
}

/// The neutral folders name no ecosystem, not even in a comment: an example there becomes a special case next.
fn neutral_words(file: &File, text: &str) -> Vec<Violation> {
    if !file.is_in(&NEUTRAL) {
        return Vec::new();
    }
    let lines = text.lines().enumerate().filter_map(|(index, line)| {
        let lower = line.to_lowercase();
        let word = ["calimero", "meos"].into_iter().find(|word| lower.contains(word))?;
        let reason = format!("`{word}`: this folder knows no ecosystem; names, URIs and texts come from the source");
        Some(violation(file, index + 1, "neutral folder", reason))
    });
    lines.collect()
}

/// A reader learns what a file is for before reading it.
fn file_head(file: &File, text: &str) -> Vec<Violation> {
    if text.starts_with("//!") || is_generated(text) {
        return Vec::new();
    }
    let reason = "a file opens with `//!`: what it is for, what comes in and goes out, what it does not know";
    vec![violation(file, 1, "file head", reason)]
}

fn length(file: &File, text: &str) -> Vec<Violation> {
    let lines = text.lines().count();
    if lines <= LONGEST || is_generated(text) {
        return Vec::new();
    }
    vec![violation(file, LONGEST + 1, "file length", format!("{lines} lines, at most {LONGEST}: it has several jobs"))]
}

/// Written by a generator, which says so in the first line.
fn is_generated(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.contains("@generated") || first.starts_with("// Generated by")
}

/// Paths of one machine and addresses of registries: a checkout must work anywhere, and through any mirror.
fn machine_words(file: &File, text: &str) -> Vec<Violation> {
    const FOLDERS: [&str; 3] = ["/work/", "/root/", "/home/"];
    const HOSTS: [&str; 9] = [
        "index.crates.io",
        "static.crates.io",
        "static.rust-lang.org",
        "registry.npmjs.org",
        "registry.yarnpkg.com",
        "files.pythonhosted.org",
        "pypi.org",
        "proxy.golang.org",
        "deb.debian.org",
    ];
    let lines = text.lines().enumerate().filter_map(|(index, line)| {
        if let Some(folder) = FOLDERS.into_iter().find(|folder| has_absolute(line, folder)) {
            return Some(violation(file, index + 1, "machine path", format!("`{folder}` exists on one machine only")));
        }
        let host = HOSTS.into_iter().find(|host| line.contains(host))?;
        Some(violation(
            file,
            index + 1,
            "registry host",
            format!("`{host}`: which mirror is used is the machine's business"),
        ))
    });
    lines.collect()
}

/// Whether `line` has `folder` as the start of an absolute path, not in the middle of a longer one or of an address.
fn has_absolute(line: &str, folder: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '}' | '>' | ')');
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(inside)
    })
}

/// Components are built, never committed; those of `tests/frozen` are kept as text.
fn binary_component(file: &File) -> Vec<Violation> {
    let binary = file.path.ends_with(".wasm") || file.path.ends_with(".cwasm");
    if !binary {
        return Vec::new();
    }
    vec![violation(file, 0, "built file", "components are built by `cargo xtask guests`")]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules that `text` at `path` breaks, with their lines.
    fn broken(path: &str, text: &str) -> Vec<(&'static str, usize)> {
        let file = File { path: path.to_owned(), text: Some(text.to_owned()) };
        check(&file).into_iter().map(|violation| (violation.rule, violation.line)).collect()
    }

    #[test]
    fn wasmtime_and_the_sdk_stay_behind_their_walls() {
        let user = "//! Head.\nuse wasmtime::Engine;\nuse rmcp::model;\n";
        assert_eq!(broken("host/src/tools/a.rs", user), [("library owner", 2), ("library owner", 3)]);
        assert_eq!(broken("host/src/sandbox/a.rs", user), [("library owner", 3)]);
        assert_eq!(broken("host/src/contract/deep/a.rs", user), [("library owner", 3)]);
        assert_eq!(broken("host/src/mcp/a.rs", user), [("library owner", 2)]);
        assert_eq!(broken("host/src/sandboxed.rs", "//! H.\nwasmtime::X;\n"), [("library owner", 2)]);
        assert_eq!(broken("host/src/tools/a.rs", "//! No wasmtime here.\nlet a = \"rmcp\"; // rmcp\n"), []);
    }

    #[test]
    fn the_model_uses_no_sibling() {
        let bad = "//! H.\nuse crate::model::Tool;\nuse crate::mcp::X;\nuse super::super::gate::Y;\n";
        assert_eq!(broken("host/src/model/a.rs", bad), [("model alone", 3), ("model alone", 4)]);
        assert_eq!(broken("host/src/model/mod.rs", "//! H.\nuse super::gate::X;\n"), [("model alone", 2)]);
        assert_eq!(broken("host/src/gate/a.rs", bad), []);
        assert_eq!(broken("host/src/model/a.rs", "//! See [`crate::mcp`].\nuse super::Tool;\n"), []);
    }

    #[test]
    fn only_the_command_line_prints() {
        let bad = "//! H.\nfn a() { println!(); }\nfn b() { dbg!(1); }\n";
        assert_eq!(broken("host/src/gate/a.rs", bad), [("nothing prints", 2), ("nothing prints", 3)]);
        assert_eq!(broken("host/src/cli/a.rs", bad), []);
        assert_eq!(broken("host/src/main.rs", bad), []);
        let tested = "//! H.\n#[cfg(test)]\nmod tests {\n    fn a() { eprintln!(\"skipped\"); }\n}\n";
        assert_eq!(broken("host/src/gate/a.rs", tested), []);
        assert_eq!(broken("host/src/gate/a.rs", "//! H.\nfn print() {}\nwriteln!(out);\n"), []);
    }

    #[test]
    fn the_neutral_folders_name_no_ecosystem_not_even_in_a_comment() {
        let bad = "//! H.\n// A Calimero app.\nlet x = \"MEOS\";\n";
        assert_eq!(broken("host/src/gate/a.rs", bad), [("neutral folder", 2), ("neutral folder", 3)]);
        assert_eq!(broken("host/src/node/a.rs", bad), []);
    }

    #[test]
    fn every_source_file_opens_with_its_purpose_and_ends_before_it_has_two() {
        assert_eq!(broken("tests/src/a.rs", "// x\n"), [("file head", 1)]);
        assert_eq!(broken("tests/src/a.rs", ""), [("file head", 1)]);
        assert_eq!(broken("plugins/sdk/src/bindings.rs", "// Generated by `wit-bindgen` 0.61.1.\n"), []);
        let long = format!("//! H.\n{}", "x();\n".repeat(LONGEST));
        assert_eq!(broken("host/src/gate/a.rs", &long), [("file length", LONGEST + 1)]);
        let near = File { path: "a.rs".to_owned(), text: Some(format!("//! H.\n{}", "x();\n".repeat(LONG))) };
        assert!(long_file_warning(&near).is_some_and(|text| text.starts_with("a.rs: 601 lines")));
    }

    #[test]
    fn machine_paths_and_registry_hosts_stay_out_of_every_text_file() {
        let rule = |text: &str| broken("docs/a.md", text);
        assert_eq!(rule("see /work/shared/x"), [("machine path", 1)]);
        assert_eq!(rule("x\n\"/home/me/.cargo\""), [("machine path", 2)]);
        assert_eq!(rule("from https://index.crates.io/"), [("registry host", 1)]);
        assert_eq!(rule("target/work/x, https://a.b/work/x and {base}/home/"), []);
        assert_eq!(broken("xtask/src/tidy/rules.rs", "//! /work/x\n"), []);
    }

    #[test]
    fn built_files_are_not_committed() {
        assert_eq!(broken("components/a.wasm", ""), [("built file", 0)]);
        assert_eq!(broken("host/a.cwasm", ""), [("built file", 0)]);
        assert_eq!(broken("tests/frozen/mapper-0.1.0.wasm", ""), [("built file", 0)]);
    }
}
