//! Mapper, tool-manifest writer and error decoder for MEOS, the library behind MobilityDB.
//!
//! A manifest is a catalog of MEOS' C functions, enriched by MEOS-API or written by `cargo xtask engine`. Every
//! function that can be called without state becomes a method with a call-spec for the MEOS engine; the others are
//! skipped with a reason each. It knows MEOS' types and names; it does not run anything.
//!
//! The way through: [`catalog`] reads the document and [`function`] one entry of it; [`shape`] finds out what each C
//! parameter is for, [`choose`] which MEOS types its operands have; [`operand`] and [`outcome`] turn that into codecs,
//! schemas and words, with what [`codecs`] finds in the catalog and [`types`] knows; [`method`] puts one function
//! together and [`map`] all of them. [`original`] and [`manifest`] write tool manifests, [`explain`] reads errors.

mod catalog;
mod choose;
mod codecs;
mod ctype;
mod explain;
mod function;
mod hints;
mod keywords;
mod manifest;
mod map;
mod method;
mod names;
mod operand;
mod original;
mod outcome;
mod shape;
mod text;
mod types;
mod words;

use abi_mcp_sdk::json::Object;
use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{
    ErrorDecoder, Explanation, Failure, Fault, Mapper, Mapping, Options, Projection, Recognition, export_errors,
    export_mapper, export_projection,
};
use catalog::Catalog;

/// The whole plugin.
pub struct Meos;

/// The one format of tool manifest this writes.
const TOOLS: &str = "mcp-tools";

impl Mapper for Meos {
    fn recognise(manifest: &[u8]) -> Option<Recognition> {
        Catalog::read(manifest).ok()?.recognition()
    }

    fn map(manifest: &[u8], _options: &Options) -> Result<Mapping, Fault> {
        Ok(map::map(&Catalog::enriched(manifest)?))
    }
}

impl Projection for Meos {
    fn formats() -> &'static [&'static str] {
        &[TOOLS]
    }

    fn project(manifest: &[u8], format: &str, settings: &Object) -> Result<Vec<u8>, Fault> {
        if format != TOOLS {
            return Err(Fault::NotRecognised(format!("no output format `{format}`; this mapper writes `{TOOLS}`")));
        }
        let settings = Settings::read(settings)?;
        let catalog = Catalog::enriched(manifest)?;
        let manifest = match settings.compat {
            true => original::manifest(&catalog, &settings.server),
            false => manifest::manifest(&catalog, &settings.server),
        };
        let failed = |error: std::io::Error| Fault::TooLarge(format!("the manifest could not be written: {error}"));
        text::python_json(&manifest).map_err(failed)
    }
}

/// Settings of the format `mcp-tools`.
struct Settings {
    /// `compat`: byte for byte what the original generator writes.
    compat: bool,
    /// `server`: the name the manifest gives its server.
    server: String,
}

impl Settings {
    fn read(settings: &Object) -> Result<Self, Fault> {
        let mut read = Self { compat: false, server: "meos".to_owned() };
        for (name, value) in settings {
            match (name.as_str(), value) {
                ("compat", Value::Bool(compat)) => read.compat = *compat,
                ("server", Value::String(server)) => read.server.clone_from(server),
                _ => {
                    let problem =
                        format!("`{name}` is not understood; expected `compat` (a boolean) or `server` (a string)");
                    return Err(Fault::Malformed { at: "settings".to_owned(), problem });
                }
            }
        }
        Ok(read)
    }
}

impl ErrorDecoder for Meos {
    fn decode(failure: &Failure) -> Option<Explanation> {
        explain::explain(failure)
    }
}

export_mapper!(Meos);
export_projection!(Meos);
export_errors!(Meos);
