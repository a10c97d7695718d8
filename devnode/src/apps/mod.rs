//! The applications we bring.
//!
//! Each file is one application: its manifest lies in `manifests/`, its behaviour here. [`sample`] gives any manifest
//! a life.

mod kv_store;
mod notes;
mod sample;
mod types_lab;

use std::sync::Arc;

use serde_json::Value;

pub use sample::Sample;

use crate::app::{App, Hints, Service};

/// A key-value store with a guide; no initialiser arguments. ABI of the 1.0 generation (G5).
#[must_use]
pub fn kv_store() -> App {
    kv_store::app()
}

/// The version after [`kv_store`]: `rename` is new, `get_unchecked` is gone.
#[must_use]
pub fn kv_store_next() -> App {
    kv_store::next()
}

/// One method for every kind of ABI type and every way to fail; its initialiser wants `title` and `limit?`. G5.
#[must_use]
pub fn types_lab() -> App {
    types_lab::app()
}

/// A list of notes, without any docs. ABI of mid-2026 (G3), with the positional records of that time.
#[must_use]
pub fn notes() -> App {
    notes::app()
}

/// kv-store and notes as two services (`store` and `notes`) of one application.
#[must_use]
pub fn two_services() -> App {
    let service =
        |name: &str, app: App| app.services.into_iter().next().map(|service| Service { name: name.into(), ..service });
    let services = [service("store", kv_store()), service("notes", notes())];
    App::with_services("com.abi-mcp.two-services", "1.0.0", services.into_iter().flatten().collect())
        .titled("Two Services", "A key-value store and a list of notes in one bundle.")
}

/// Any manifest with [`Sample`] behind it.
#[must_use]
pub fn from_manifest(package: &str, version: &str, manifest: Value) -> App {
    let behaviour = Sample::new(&manifest);
    App::new(package, version, manifest, Arc::new(behaviour)).hinted(Hints::new())
}

/// A manifest of this crate.
fn manifest(text: &str) -> Value {
    // The files are checked by a test; a broken one would be an application without methods.
    serde_json::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_manifest_of_ours_is_one_a_node_would_take() {
        for app in [kv_store(), kv_store_next(), types_lab(), notes(), two_services()] {
            for service in &app.services {
                let manifest = service.manifest.as_deref().unwrap();
                assert!(crate::manifest::is_usable(manifest), "{:?} {}", app.package, service.name);
                assert!(manifest["methods"].as_array().is_some_and(|methods| methods.len() > 5));
            }
        }
    }
}
