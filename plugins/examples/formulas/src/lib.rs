//! Formula sheets as an ecosystem of their own: a JSON file of functions over numbers becomes methods, and this same
//! component computes them. `README.md` describes the format.
//!
//! In come a sheet and, call by call, arguments; out go methods with schemas, results, and words for what cannot be
//! computed. Three roles of one component, each a trait of the SDK: the mapper reads a sheet ([`sheet`]), ties its
//! functions together ([`link`]) and describes each ([`method`]); the engine reads the part of a sheet that came with a
//! call and runs it ([`run`]); the error decoder says what to do about a failure ([`explain`]). Knows nothing of MCP.

mod explain;
mod formula;
mod link;
mod math;
mod method;
mod parameter;
mod run;
mod sheet;

use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{
    About, CallFailure, CallSpec, Engine, ErrorDecoder, Explanation, Failure, Fault, Fit, Mapper, Mapping, Options,
    Recognition, Skipped, export_engine, export_errors, export_mapper, json,
};
use link::link;
use sheet::{RELEASE, Sheet};

/// The ecosystem, as an operator assigns it.
const ECOSYSTEM: &str = "formulas";

/// The format of call-specs: a sheet with the function to run at its end and before it all that it calls. One format,
/// one reader, one set of bounds; nothing in the bytes is trusted.
const FORMAT: &str = "formula/1";

/// The plugin.
pub struct Formulas;

impl Mapper for Formulas {
    fn recognise(manifest: &[u8]) -> Option<Recognition> {
        let manifest = json::parse(manifest).ok()?;
        let release = manifest.get("formulas")?.as_str().filter(|release| *release == RELEASE)?;
        Some(Recognition {
            ecosystem: ECOSYSTEM.to_owned(),
            format: format!("formulas/{release}"),
            subject_version: Some(release.to_owned()),
            fit: Fit::Exact,
            reasons: vec![format!("`formulas` is `{release}`")],
        })
    }

    fn map(manifest: &[u8], _options: &Options) -> Result<Mapping, Fault> {
        let sheet = Sheet::read(manifest)?;
        let mut mapping = Mapping::default();
        for (entry, linked) in sheet.entries.iter().zip(link(&sheet)) {
            match linked {
                Ok(linked) => mapping.methods.push(method::method(&sheet, &linked)),
                Err(reason) => mapping.skipped.push(Skipped { method: entry.label.clone(), reason }),
            }
        }
        mapping.notes = sheet.notes;
        Ok(mapping)
    }
}

impl Engine for Formulas {
    fn describe() -> About {
        About {
            name: "Formulas".to_owned(),
            release: env!("CARGO_PKG_VERSION").to_owned(),
            licence: env!("CARGO_PKG_LICENSE").to_owned(),
            limits: vec!["numbers are 64-bit floating point".to_owned()],
        }
    }

    fn accepts() -> &'static [&'static str] {
        &[FORMAT]
    }

    fn unsupported(spec: &CallSpec) -> Option<String> {
        run::unsupported(&spec.bytes)
    }

    fn execute(spec: &CallSpec, arguments: Value) -> Result<Option<Value>, CallFailure> {
        run::run(&spec.bytes, &arguments).map(Some)
    }
}

impl ErrorDecoder for Formulas {
    fn decode(failure: &Failure) -> Option<Explanation> {
        explain::explain(failure)
    }
}

export_mapper!(Formulas);
export_engine!(Formulas);
export_errors!(Formulas);
