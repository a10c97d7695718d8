//! Finds the crates that become components: those whose manifest says so.
//!
//! ```toml
//! [package.metadata.abi-mcp]
//! component = true
//! name = "calimero-0"              # the file's name; the package's name when absent
//! imports = ["wasi:clocks/"]       # prefixes of interfaces it may import; none when absent
//! example = true                   # goes to `components/examples` and is never embedded; false when absent
//! ```
//!
//! In `tests/guests` every `cdylib` is a component, said or not: there is nothing else to keep there.

use crate::process;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A crate that becomes a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guest {
    /// Cargo's own identifier, which its build messages repeat.
    pub(super) id: String,
    pub(super) package: String,
    /// The component's name, `[a-z0-9-]+`.
    pub(super) name: String,
    /// The plugin's release, from the crate's version.
    pub(super) release: String,
    /// Prefixes of the interfaces it may import; `None` lifts the check and is for hostile test guests only.
    pub(super) imports: Option<Vec<String>>,
    /// Whether it is an example, which the host does not embed.
    pub(super) example: bool,
    /// The oldest compiler that builds it, as (major, minor).
    pub(super) rust_version: Option<(u32, u32)>,
}

/// The plugins of a workspace, sorted by name.
pub(super) fn plugins(manifest: &Path) -> Result<Vec<Guest>> {
    from_metadata(&metadata(manifest)?, |_| false)
}

/// The test guests of a workspace, sorted by name. What they import is their test's business.
pub(super) fn test_guests(manifest: &Path) -> Result<Vec<Guest>> {
    let guests = from_metadata(&metadata(manifest)?, is_cdylib)?;
    Ok(guests.into_iter().map(|guest| Guest { imports: None, ..guest }).collect())
}

fn metadata(manifest: &Path) -> Result<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let folder = manifest.parent().context("a manifest lies in a folder")?;
    let mut command = Command::new(cargo);
    // Nothing is resolved with `--no-deps`, so the registry has nothing to add.
    command.args(["metadata", "--no-deps", "--format-version=1", "--offline", "--manifest-path"]).arg(manifest);
    let done = process::quietly(command.current_dir(folder), "reading the guests' manifests", None)?;
    ensure!(done.status.success(), "`{}` cannot be read:\n{}", manifest.display(), done.stderr.trim());
    serde_json::from_str(&done.stdout).context("cargo metadata's answer")
}

fn is_cdylib(package: &Value) -> bool {
    let targets = package.get("targets").and_then(Value::as_array).into_iter().flatten();
    let mut kinds = targets.filter_map(|target| target.get("crate_types")?.as_array()).flatten();
    kinds.any(|kind| kind == "cdylib")
}

/// The packages that are guests; `implied` says it of a package that is silent about it.
fn from_metadata(metadata: &Value, implied: fn(&Value) -> bool) -> Result<Vec<Guest>> {
    let packages = metadata.get("packages").and_then(Value::as_array).context("cargo metadata lists no packages")?;
    let mut guests =
        packages.iter().filter_map(|package| guest(package, implied).transpose()).collect::<Result<Vec<_>>>()?;
    guests.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(guests)
}

/// Reads one package; `None` when it is an ordinary crate.
fn guest(package: &Value, implied: fn(&Value) -> bool) -> Result<Option<Guest>> {
    let text = |key: &str| package.get(key).and_then(Value::as_str).map(str::to_owned);
    let name = text("name").context("a package without a name")?;
    let ours = package.pointer("/metadata/abi-mcp").unwrap_or(&Value::Null);
    let is_component = match ours.get("component") {
        Some(Value::Bool(said)) => *said,
        None => implied(package),
        Some(other) => bail!("`{name}`: `component` is {other}, expected true or false"),
    };
    if !is_component {
        return Ok(None);
    }
    let component = match ours.get("name") {
        None => name.clone(),
        Some(Value::String(component)) => component.clone(),
        Some(other) => bail!("`{name}`: the component's `name` is {other}, expected a string"),
    };
    ensure!(
        !component.is_empty() && component.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
        "`{name}`: the component's name `{component}` must consist of a-z, 0-9 and `-`"
    );
    let imports = match ours.get("imports") {
        None => Vec::new(),
        Some(list) => serde_json::from_value(list.clone()).with_context(|| format!("`{name}`: `imports`"))?,
    };
    Ok(Some(Guest {
        id: text("id").context("a package without an id")?,
        release: text("version").context("a package without a version")?,
        rust_version: text("rust_version").as_deref().and_then(super::toolchain::release_pair),
        package: name,
        name: component,
        imports: Some(imports),
        example: ours.get("example") == Some(&Value::Bool(true)),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(metadata: Value) -> Value {
        json!({"packages": [{
            "name": "calimero-zero", "version": "0.3.1", "id": "path+file:///x#0.3.1", "rust_version": "1.95",
            "metadata": metadata,
        }]})
    }

    #[test]
    fn a_crate_that_says_component_is_a_guest_and_no_other() -> Result<()> {
        let found = from_metadata(&package(json!({"abi-mcp": {"component": true, "name": "calimero-0"}})), |_| false)?;
        let [guest] = found.as_slice() else { bail!("one guest, found {found:?}") };
        assert_eq!((guest.name.as_str(), guest.release.as_str()), ("calimero-0", "0.3.1"));
        assert_eq!((guest.imports.as_deref(), guest.rust_version), (Some(&[][..]), Some((1, 95))));
        for other in [json!(null), json!({"other": {}}), json!({"abi-mcp": {"component": false}})] {
            assert_eq!(from_metadata(&package(other), |_| false)?, []);
        }
        Ok(())
    }

    #[test]
    fn among_the_test_guests_every_cdylib_counts_unless_it_says_no() -> Result<()> {
        let mut metadata = package(json!(null));
        let found = |metadata: &Value| from_metadata(metadata, is_cdylib).map(|guests| guests.len());
        assert_eq!(found(&metadata)?, 0);
        metadata["packages"][0]["targets"] = json!([{"crate_types": ["cdylib", "rlib"]}]);
        assert_eq!(found(&metadata)?, 1);
        metadata["packages"][0]["metadata"] = json!({"abi-mcp": {"component": false}});
        assert_eq!(found(&metadata)?, 0);
        Ok(())
    }

    #[test]
    fn a_name_that_would_leave_the_folder_is_refused() {
        let found = from_metadata(&package(json!({"abi-mcp": {"component": true, "name": "../evil"}})), |_| false);
        assert!(found.is_err_and(|error| error.to_string().contains("../evil")));
    }
}
