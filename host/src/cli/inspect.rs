//! `plugin inspect`: what a file is, by its own interface names and manifest; runs nothing.
//!
//! In comes a path, out come its contracts, what it imports and which grant each import needs, what its manifest asks
//! for, and what it exports. A component without a contract is compiled, because its functions' types say which of them
//! are tools. Which tools an extension has only the extension itself can say: `plugin check` asks it.

use crate::artifact::asks::{Asks, Wants, asks};
use crate::artifact::{Digest, inspect, locate, plain};
use crate::cli::environment;
use crate::contract::supported::{Range, Role};
use crate::sandbox::{Capability, Limits, Sandbox};
use crate::text::{clean_line, cut};
use anyhow::Context;
use std::path::Path;
use std::process::ExitCode;

/// Longest text of the component's own that is printed on one line, in UTF-16 units.
const SHOWN: usize = 200;

/// Prints what a file is.
///
/// # Errors
/// It cannot be read, is no plugin this host can run, or its manifest cannot be read.
pub(super) fn run(file: &Path) -> anyhow::Result<ExitCode> {
    let bytes = locate::read(file)?;
    let cannot = || format!("cannot use `{}`", file.display());
    let found = inspect::inspect_extension(&bytes, Limits::default().largest_memory()).with_context(cannot)?;
    let asked = asks(&bytes).with_context(cannot)?;
    println!("{}: {} bytes", file.display(), bytes.len());
    println!("  digest    sha256:{}", Digest::of(&bytes));
    for stated in &found.contracts {
        let package = stated.contract.package;
        let spoken = Range::of(package).map(|range| format!("  (this host speaks {range})")).unwrap_or_default();
        match stated.contract.is_plain() {
            true => println!(
                "  contract  it states no contract; as an extension, its functions with plain types are its tools"
            ),
            false => println!("  contract  {} {} of {package}{spoken}", stated.contract.role, stated.version),
        }
    }
    print_list(
        "imports",
        found.imports.iter().map(|import| imported(import)),
        "nothing: it can compute, and that is all",
    );
    print_list("asks", asked_for(&asked).into_iter(), "nothing");
    print_list("exports", inspect::exports(&bytes)?.iter().map(|export| shown(export)), "nothing");
    if found.contracts.iter().any(|stated| stated.contract.is_plain()) {
        let sandbox = Sandbox::compiling_with(Limits::default(), environment::own_program());
        let (tools, skipped) = plain::functions(&bytes, &sandbox).with_context(cannot)?;
        print_list("tools", tools.iter().map(|tool| shown(tool)), "none");
        let skipped = skipped.iter().map(|skipped| format!("{}: {}", shown(&skipped.method), shown(&skipped.reason)));
        print_list("no tools", skipped, "every function is one");
    }
    let extends = found.contracts.iter().any(|stated| stated.contract.role == Role::Extension);
    let tools = if extends { " and lists its tools" } else { "" };
    println!("  next      `abi-mcp plugin check {}` runs it in the sandbox{tools}", file.display());
    Ok(ExitCode::SUCCESS)
}

fn print_list(label: &str, lines: impl Iterator<Item = String>, none: &str) {
    let mut label = label;
    for line in lines {
        println!("  {label:<9} {line}");
        label = "";
    }
    if !label.is_empty() {
        println!("  {label:<9} {none}");
    }
}

/// An import with the grant it needs.
fn imported(import: &str) -> String {
    match Capability::needed_by(import) {
        Some(capability) => format!("{:<42} needs the grant `{capability}`", shown(import)),
        None => shown(import),
    }
}

/// What a manifest says, one line each; the first is who says it, where that is said.
fn asked_for(Asks { name, release, wants }: &Asks) -> Vec<String> {
    // What a component without a manifest asks for is what it imports, which is listed above.
    let Wants { http, directories, environment, clocks, random, state, unnamed: _ } = wants;
    let mut lines = Vec::new();
    let who: Vec<String> = name.iter().chain(release).map(|text| shown(text)).collect();
    let mut add = |capability: &str, what: String| lines.push(format!("{capability:<12} {}", shown(&what)));
    if !http.is_empty() {
        add("http", http.join(", "));
    }
    for directory in directories {
        let mode = if directory.writable { "read and write" } else { "read" };
        add("directory", format!("{} ({mode})", directory.guest));
    }
    if !environment.is_empty() {
        add("environment", environment.join(", "));
    }
    for (asked, capability) in [(clocks, "clocks"), (random, "random"), (state, "state")] {
        if *asked {
            add(capability, "yes".to_owned());
        }
    }
    if lines.is_empty() && !who.is_empty() {
        lines.push("nothing".to_owned());
    }
    if !who.is_empty() {
        lines.insert(0, format!("as {}", who.join(" ")));
    }
    lines
}

/// A stranger's text on one line.
pub(super) fn shown(text: &str) -> String {
    cut(&clean_line(text), SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::asks::WantedDirectory;

    #[test]
    fn every_wish_has_a_line_and_no_character_that_hides_another() {
        let wants = Wants {
            http: vec!["a.example".to_owned(), "b\u{202e}.example".to_owned()],
            directories: vec![WantedDirectory { guest: "/notes\n".to_owned(), writable: true }],
            environment: vec!["LANG".to_owned()],
            random: true,
            ..Wants::default()
        };
        let lines = asked_for(&Asks { name: Some("x".to_owned()), release: Some("1.0.0".to_owned()), wants });
        assert_eq!(
            lines,
            [
                "as x 1.0.0",
                "http         a.example, b.example",
                "directory    /notes (read and write)",
                "environment  LANG",
                "random       yes",
            ]
        );
        assert_eq!(asked_for(&Asks::default()), Vec::<String>::new());
    }

    #[test]
    fn an_import_says_which_grant_it_needs() {
        assert!(imported("wasi:http/outgoing-handler@0.2.12").ends_with("needs the grant `http`"));
        assert_eq!(imported("abi-mcp:tool/log@0.1.0"), "abi-mcp:tool/log@0.1.0");
    }
}
