//! `project`: a manifest's tools as a file, written by the manifest's own mapper in its sandbox.

use crate::artifact::Digest;
use crate::cli::args::Project;
use crate::cli::environment;
use crate::cli::serve::{plugins, runtime};
use crate::config::Settings;
use crate::contract::Projected;
use crate::model::Cancel;
use crate::source::ManifestFile;
use anyhow::{Context, bail};
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// Writes the file.
///
/// # Errors
/// A manifest that cannot be read or understood, a mapper that writes no such format, or a file that cannot be written.
pub(crate) fn run(settings: Settings, wanted: &Project) -> anyhow::Result<ExitCode> {
    environment::start_log(&settings)?;
    let bytes = runtime()?.block_on(project(&settings, wanted))?;
    match &wanted.output {
        Some(path) => {
            std::fs::write(path, &bytes).with_context(|| format!("cannot write `{}`", path.display()))?;
            eprintln!("wrote {} bytes to {}", bytes.len(), path.display());
        }
        None => std::io::stdout().lock().write_all(&bytes).context("cannot write to standard output")?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn project(settings: &Settings, wanted: &Project) -> anyhow::Result<Vec<u8>> {
    let file = ManifestFile::new(wanted.ecosystem.clone(), wanted.manifest.clone(), wanted.overrides.clone());
    let manifest: Arc<[u8]> = file.manifest()?.into();
    let (plugins, cancel) = (plugins(settings), Cancel::new());
    let selected = plugins
        .select(&plugins.registry(), &manifest, Digest::of(&manifest), &wanted.ecosystem, &cancel)
        .await
        .with_context(|| format!("cannot use `{}`", wanted.manifest.display()))?;
    let how = json!({"compat": wanted.compat}).to_string();
    match selected.plugin.project(manifest, &wanted.format, &how, &cancel).await? {
        Projected::Written(bytes) => Ok(bytes),
        Projected::Refused(fault) => bail!("`{}`: {fault}", wanted.manifest.display()),
        Projected::UnknownFormat(formats) => {
            bail!("the mapper `{}` writes {}, not `{}`", selected.plugin.name(), formats.join(", "), wanted.format)
        }
        Projected::None => bail!("the mapper `{}` writes no tool manifests", selected.plugin.name()),
    }
}
