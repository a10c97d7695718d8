//! `plugin new`: a folder to start from, which builds with packages of its language's registry alone and passes
//! `plugin check` and `plugin test`.
//!
//! In come a name, a role and a language, out comes a folder. The files lie in `template/` and are part of this binary, so
//! a stranger needs nothing of this repository; what they mean is said in the folder's own README.

mod files;

use crate::artifact::locate;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the new plugin does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Template {
    /// Manifests to methods.
    Mapper,
    /// Failures to words.
    Errors,
    /// Tools of its own.
    Tool,
}

/// The language it is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Language {
    /// Compiled to a small component.
    Rust,
    /// A component of 12 MB that holds a JavaScript engine.
    Js,
}

/// Names cargo or the template itself uses.
const TAKEN: [&str; 8] = ["component", "test", "core", "std", "alloc", "serde-json", "wit-bindgen", "wit-component"];

impl Language {
    /// What makes the component, step by step.
    fn building(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &["cargo build --release --target wasm32-unknown-unknown", "cargo run --package component"],
            Self::Js => &["npm install", "node build.mjs"],
        }
    }
}

/// Writes a plugin into a folder that does not exist yet.
///
/// # Errors
/// The name would not do for a plugin or a crate, the folder is there, or a file cannot be written.
pub(super) fn run(
    name: &str,
    template: Template,
    language: Language,
    path: Option<PathBuf>,
) -> anyhow::Result<ExitCode> {
    locate::check_name(name)?;
    if language == Language::Rust && TAKEN.contains(&name) {
        bail!("a crate cannot be called `{name}` here; choose another name");
    }
    let folder = path.unwrap_or_else(|| PathBuf::from(name));
    if folder.exists() {
        bail!(
            "`{}` is there already; nothing was written\nhint: choose another name, or a folder with --path",
            folder.display()
        );
    }
    for (file, text) in template.files(language, name) {
        write(&folder.join(file), &text)?;
    }
    println!("wrote {} into `{}`; next:", template.about().to_lowercase(), folder.display());
    println!("  cd {}", folder.display());
    for command in language.building() {
        println!("  {command}");
    }
    println!("  abi-mcp plugin check {name}.wasm");
    println!("  abi-mcp plugin test {name}.wasm");
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let cannot = || format!("cannot write `{}`", path.display());
    path.parent().map_or(Ok(()), std::fs::create_dir_all).with_context(cannot)?;
    std::fs::write(path, text).with_context(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_place_of_a_template_stays_empty() {
        for template in [Template::Mapper, Template::Errors, Template::Tool] {
            for (file, text) in
                [Language::Rust, Language::Js].map(|language| template.files(language, "bird-song")).concat()
            {
                assert!(!text.contains("{{") && !file.contains("{{"), "{file}: {text}");
                assert!(!file.ends_with("main.rs") || text.contains("/bird_song.wasm"), "{text}");
            }
        }
    }

    #[test]
    fn a_folder_that_is_there_is_not_touched_and_a_bad_name_makes_none() {
        let folder = tempfile::tempdir().unwrap();
        let there = run("x", Template::Tool, Language::Rust, Some(folder.path().to_owned())).unwrap_err();
        assert!(there.to_string().contains("is there already"), "{there}");
        for name in ["../x", "component", "A"] {
            let path = folder.path().join("new");
            assert!(run(name, Template::Tool, Language::Rust, Some(path.clone())).is_err());
            assert!(!path.exists());
        }
    }
}
