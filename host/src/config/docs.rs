//! The operator's page of the configuration file, made of the schema itself.
//!
//! Out comes Markdown. A test holds `docs/configuration.md` to it, so the page cannot grow stale.

use crate::config::reader::{Key, Section, Value};
use crate::config::schema::Written;
use std::fmt::Write;

/// The page's hand-written beginning: where the file is, and what wins over what.
const HEAD: &str = include_str!("docs_head.md");

/// The whole page.
#[must_use]
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    for key in Written::section().iter().flat_map(|section| section.keys) {
        table(&mut page, key, "", 2);
    }
    page
}

fn table(page: &mut String, key: &Key, above: &str, level: usize) {
    let Some(section) = (key.section)() else { return };
    let name = format!("{above}{}", key.name);
    let header = if section.repeated { format!("[[{name}]]") } else { format!("[{name}]") };
    let _ = writeln!(page, "\n{} `{header}`\n\n{}", "#".repeat(level), prose(section.about));
    if section.repeated {
        let _ = writeln!(page, "May be given several times.");
    }
    rows(page, &section);
    for below in section.keys {
        // A row of limits has the same keys for every kind of a plugin's work; one table of them is enough.
        if key.name != "limits" || ["engine", "compile"].contains(&below.name) {
            table(page, below, &format!("{name}."), level + 1);
        }
    }
}

fn rows(page: &mut String, section: &Section) {
    let _ = writeln!(page, "\n| key | what for | example |\n| --- | --- | --- |");
    for key in section.keys {
        let about = prose(key.about).replace('\n', " ").replace('|', "\\|");
        let example = if key.example.is_empty() {
            "a table, see below".to_owned()
        } else {
            format!("`{}`", key.example.replace('|', "\\|"))
        };
        let _ =
            writeln!(page, "| `{}` | {about} Expected: {}. | {example} |", key.name, key.expected.replace('|', "\\|"));
    }
}

/// Doc comments as prose: without the space after the slashes.
fn prose(about: &str) -> String {
    about.lines().map(str::trim).collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::reader;
    use std::path::Path;

    /// `BLESS=1 cargo test -p abi-mcp the_page` writes it.
    #[test]
    fn the_page_of_the_configuration_is_current() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/configuration.md");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, page()).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(kept, page(), "docs/configuration.md is stale: run this test with BLESS=1");
    }

    #[test]
    fn every_example_in_the_schema_is_accepted() {
        let mut text = String::new();
        for key in Written::section().unwrap().keys {
            example(&mut text, key, "");
        }
        let (_, warnings) = reader::read::<Written>(&text).unwrap_or_else(|trouble| panic!("{trouble:?}\n{text}"));
        assert!(warnings.is_empty(), "{warnings:?}");
    }

    fn example(text: &mut String, key: &Key, above: &str) {
        let section = (key.section)().unwrap();
        let name = format!("{above}{}", key.name);
        text.push_str(&if section.repeated { format!("[[{name}]]\n") } else { format!("[{name}]\n") });
        for below in section.keys.iter().filter(|below| !below.example.is_empty()) {
            text.push_str(&format!("{} = {}\n", below.name, below.example));
        }
        for below in section.keys.iter().filter(|below| below.example.is_empty()) {
            example(text, below, &format!("{name}."));
        }
    }
}
