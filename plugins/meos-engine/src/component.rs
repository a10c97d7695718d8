//! The engine contract's exports.

use crate::border::Meos;
use crate::machine::Machine;
use crate::{Failure, Stage, check, run};
use abi_mcp_meos_call::{Call, FORMAT};

#[allow(clippy::all, clippy::pedantic, missing_docs, unreachable_pub, unsafe_code, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({ path: "../../wit/engine/0.1.0", world: "engine-component" });
}

use bindings::exports::abi_mcp::engine::engine;

struct Engine;

#[allow(unsafe_code, reason = "generated")]
mod exported {
    super::bindings::export!(Engine with_types_in super::bindings);
    use super::Engine;
}

impl engine::Guest for Engine {
    fn describe() -> engine::About {
        let meos = Meos::default();
        let mut limits = vec![
            "built without PROJ: no transforms between reference systems".to_owned(),
            "no `ways` table: no network points whose route has to be looked up".to_owned(),
        ];
        if !meos.has_geos() {
            limits.push("built without GEOS: most relationships and set operations of geometries fail".to_owned());
        }
        let (name, licence) = ("MEOS".to_owned(), "GPL-3.0-or-later".to_owned());
        engine::About { name, release: meos.release(), licence, limits }
    }

    fn accepts() -> Vec<String> {
        vec![FORMAT.to_owned()]
    }

    fn supported(specs: Vec<engine::CallSpec>) -> Vec<engine::Unsupported> {
        let meos = Meos::default();
        (0..)
            .zip(specs)
            .filter_map(|(index, spec)| {
                let reason = match parsed(&spec) {
                    Ok(call) => check::unsupported(&meos, &call)?,
                    Err(failure) => failure.message,
                };
                Some(engine::Unsupported { index, reason })
            })
            .collect()
    }

    fn execute(spec: engine::CallSpec, arguments: String) -> Result<Option<String>, engine::Failure> {
        let call = parsed(&spec).map_err(told)?;
        let result = run(&mut Meos::default(), &call, &arguments).map_err(told)?;
        Ok(result.map(|value| value.to_string()))
    }
}

fn parsed(spec: &engine::CallSpec) -> Result<Call, Failure> {
    if spec.format != FORMAT {
        return Err(Failure::at(
            Stage::Execution,
            format!("call-specs of format `{}` are unknown, `{FORMAT}` is known", spec.format),
        ));
    }
    serde_json::from_slice(&spec.bytes)
        .map_err(|error| Failure::at(Stage::Execution, format!("the call-spec cannot be read: {error}")))
}

fn told(failure: Failure) -> engine::Failure {
    let stage = match failure.stage {
        Stage::Arguments => engine::Stage::Arguments,
        Stage::Execution => engine::Stage::Execution,
        Stage::Outcome => engine::Stage::Outcome,
    };
    engine::Failure { stage, argument: failure.argument, code: failure.code, message: failure.message }
}
