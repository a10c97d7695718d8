//! The rule that host and plugins share no code, read from the `Cargo.toml` files and from path attributes.
//!
//! What the host's node client and the Calimero plugins both know about an app must meet in the contract alone:
//! shared code would let the host grow knowledge of an ABI unseen. `golden/` alone may be used by both: it is the harness
//! that holds either's answers to files, and itself uses neither.

use super::Violation;
use super::code;
use super::files::File;

const RULE: &str = "host and plugins apart";
const REASON: &str = "host and plugins share no code, they meet in the contracts of wit/ only";

/// The folder either side may use.
const HARNESS: &str = "golden";

/// Violations in one file: a manifest's path dependencies, or a source file's borrowed sources.
pub(super) fn check(file: &File) -> Vec<Violation> {
    let Some(text) = file.text.as_deref() else { return Vec::new() };
    let borrowed: Vec<Option<&str>> = if file.path.ends_with("Cargo.toml") {
        text.lines().map(path_dependency).collect()
    } else if file.is_rust() {
        text.lines().zip(code::only(text).lines()).map(|(line, code)| included_source(line, code)).collect()
    } else {
        return Vec::new();
    };
    let crossing = borrowed.into_iter().enumerate().filter_map(|(index, path)| {
        let path = path?;
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let reached = resolve(folder, path)?;
        let crosses = reached != HARNESS && side(&file.path) != side(&reached);
        crosses.then(|| Violation {
            file: file.path.clone(),
            line: index + 1,
            rule: RULE,
            text: format!("`{path}`: {REASON}"),
        })
    });
    crossing.collect()
}

/// Guests of every kind on one side (a test guest may be written with the SDK), what runs natively on the other.
fn side(path: &str) -> &'static str {
    let guests = path == "plugins" || path.starts_with("plugins/") || path.starts_with("tests/guests/");
    if guests { "plugins" } else { "host" }
}

/// The path of a `path = "…"` on a manifest's line.
fn path_dependency(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("path").filter(|_| !line.trim_start().starts_with('#'))?;
    let alone = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
    alone.then(|| quoted(after.trim_start().strip_prefix('=')?)).flatten()
}

/// The path of an `include!("…")` or `#[path = "…"]`. (`include_str!` takes data, which may be shared.) `code` is the
/// line without what is in comments and strings.
fn included_source<'a>(line: &'a str, code: &str) -> Option<&'a str> {
    let opening = ["include!(", "#[path"].into_iter().find(|opening| code.contains(opening))?;
    quoted(line.split_once(opening)?.1)
}

fn quoted(text: &str) -> Option<&str> {
    let (_, inner) = text.split_once('"')?;
    inner.split_once('"').map(|(path, _)| path)
}

/// `folder/path` without `.` and `..`; `None` when it leaves the repository.
fn resolve(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [usize; 0] = [];

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let file = File { path: path.to_owned(), text: Some(text.to_owned()) };
        check(&file).into_iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn a_path_dependency_across_the_wall_is_found_in_both_directions() {
        assert_eq!(lines("host/Cargo.toml", "[dependencies]\nx = { path = \"../plugins/calimero\" }\n"), [2]);
        assert_eq!(lines("plugins/sdk/Cargo.toml", "x = { version = \"1\", path = \"../../host\" }\n"), [1]);
        assert_eq!(
            lines("plugins/Cargo.toml", "abi-mcp-sdk = { path = \"sdk\" }\n[lib]\npath = \"src/lib.rs\"\n"),
            NONE
        );
        assert_eq!(lines("plugins/sdk/Cargo.toml", "g = { path = \"../../golden\", optional = true }\n"), NONE);
        assert_eq!(lines("golden/Cargo.toml", "s = { path = \"../plugins/sdk\" }\n"), [1]);
        assert_eq!(lines("tests/guests/a/Cargo.toml", "s = { path = \"../../../plugins/sdk\" }\n"), NONE);
        assert_eq!(lines("tests/Cargo.toml", "s = { path = \"../plugins/sdk\" }\n"), [1]);
        assert_eq!(
            lines("host/Cargo.toml", "d = { path = \"../devnode\" }\n# x = { path = \"../plugins/a\" }\n"),
            NONE
        );
    }

    #[test]
    fn borrowed_sources_are_found_and_shared_data_is_not() {
        assert_eq!(lines("host/src/node/a.rs", "include!(\"../../../plugins/calimero/src/abi.rs\");\n"), [1]);
        assert_eq!(lines("plugins/sdk/src/a.rs", "#[path = \"../../../host/src/model/mod.rs\"]\nmod model;\n"), [1]);
        assert_eq!(lines("host/src/node/a.rs", "// include!(\"../../../plugins/calimero/src/abi.rs\")\n"), NONE);
        assert_eq!(lines("host/src/a.rs", "include_str!(\"../../plugins/x.json\");\n"), NONE);
    }
}
