//! `plugin new`: a crate to start from, which builds with packages of the registry alone and passes `plugin check`.
//!
//! In come a name and a role, out comes a folder. The files lie in `template/` and are part of this binary, so a stranger
//! needs nothing of this repository; what they mean is said in the crate's own README.

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
}

/// Names cargo or the template itself uses.
const TAKEN: [&str; 8] = ["component", "test", "core", "std", "alloc", "serde-json", "wit-bindgen", "wit-component"];

impl Template {
    /// Its code, and its contract with the file that one goes to.
    fn sources(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Mapper => (
                include_str!("template/mapper.rs"),
                "wit/mapper.wit",
                include_str!("../../../../wit/mapper/0.1.0/mapper.wit"),
            ),
            Self::Errors => (
                include_str!("template/errors.rs"),
                "wit/errors.wit",
                include_str!("../../../../wit/errors/0.1.0/errors.wit"),
            ),
            Self::Tool => {
                (include_str!("template/tool.rs"), "wit/tool.wit", include_str!("../../../../wit/tool/0.1.0/tool.wit"))
            }
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Mapper => "A mapper",
            Self::Errors => "An error decoder",
            Self::Tool => "A tool extension",
        }
    }

    /// How it is tried after it was built.
    fn trial(self) -> &'static str {
        match self {
            Self::Tool => "abi-mcp serve --extension {{name}}={{name}}.wasm",
            Self::Mapper | Self::Errors => "abi-mcp plugin add {{name}} {{name}}.wasm --ecosystem {{name}}",
        }
    }

    /// Every file, by its path in the crate.
    fn files(self, name: &str) -> Vec<(&'static str, String)> {
        let (code, wit, contract) = self.sources();
        let filled = |text: &str| {
            text.replace("{{try}}", self.trial())
                .replace("{{about}}", self.about())
                .replace("{{module}}", &name.replace('-', "_"))
                .replace("{{name}}", name)
        };
        vec![
            ("Cargo.toml", filled(include_str!("template/Cargo.toml.template"))),
            ("README.md", filled(include_str!("template/README.md.template"))),
            (".gitignore", "/target\n/*.wasm\n".to_owned()),
            ("src/lib.rs", filled(code)),
            (wit, contract.to_owned()),
            ("component/Cargo.toml", filled(include_str!("template/component.toml.template"))),
            ("component/src/main.rs", filled(include_str!("template/component.rs"))),
        ]
    }
}

/// Writes the crate into a folder that does not exist yet.
///
/// # Errors
/// The name would not do for a plugin and a crate, the folder is there, or a file cannot be written.
pub(super) fn run(
    name: &str,
    template: Template,
    Language::Rust: Language,
    path: Option<PathBuf>,
) -> anyhow::Result<ExitCode> {
    locate::check_name(name)?;
    if TAKEN.contains(&name) {
        bail!("a crate cannot be called `{name}` here; choose another name");
    }
    let folder = path.unwrap_or_else(|| PathBuf::from(name));
    if folder.exists() {
        bail!(
            "`{}` is there already; nothing was written\nhint: choose another name, or a folder with --path",
            folder.display()
        );
    }
    for (file, text) in template.files(name) {
        write(&folder.join(file), &text)?;
    }
    println!("wrote {} into `{}`; next:", template.about().to_lowercase(), folder.display());
    println!("  cd {}", folder.display());
    println!("  cargo build --release --target wasm32-unknown-unknown");
    println!("  cargo run --package component");
    println!("  abi-mcp plugin check {name}.wasm");
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
            for (file, text) in template.files("bird-song") {
                assert!(!text.contains("{{"), "{file}: {text}");
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
