//! The adapter of `abi-mcp:engine@0.1`: its types onto `model`, and nothing else.

use super::Engine;
use crate::model;
use crate::sandbox::{Compiled, Error, GuestStore, State};
use std::sync::Arc;
use wasmtime::component::Linker;

mod bindings {
    wasmtime::component::bindgen!({ path: "../wit/engine/0.1.0", world: "engine-component" });
}

use bindings::exports::abi_mcp::engine::engine;

/// The contract as it is named in messages.
const CONTRACT: &str = "abi-mcp:engine@0.1.0";

/// A linked component; instances come from it.
struct Linked(bindings::EngineComponentPre<State>);

/// Links a component. The linker is empty: this contract imports nothing.
pub(super) fn link(component: &Compiled) -> Result<Arc<dyn Engine>, Error> {
    let (engine, component) = component.parts();
    let linked = Linker::new(engine).instantiate_pre(component).and_then(bindings::EngineComponentPre::new);
    match linked {
        Ok(linked) => Ok(Arc::new(Linked(linked))),
        Err(error) => Err(Error::link(CONTRACT, &error)),
    }
}

impl Engine for Linked {
    fn describe(&self, store: &mut GuestStore) -> Result<model::EngineAbout, Error> {
        let guest = store.start(|store| self.0.instantiate(store))?;
        let about = store.call(|store| guest.abi_mcp_engine_engine().call_describe(store))?;
        let engine::About { name, release, licence, limits } = about;
        Ok(model::EngineAbout { name, release, licence, limits })
    }

    fn supported(
        &self,
        store: &mut GuestStore,
        specs: &[model::CallSpec],
    ) -> Result<Option<Vec<model::Unsupported>>, Error> {
        let guest = store.start(|store| self.0.instantiate(store))?;
        let formats = store.call(|store| guest.abi_mcp_engine_engine().call_accepts(store))?;
        if !specs.iter().all(|spec| formats.contains(&spec.format)) {
            return Ok(None);
        }
        let specs: Vec<engine::CallSpec> = specs.iter().map(call_spec).collect();
        let unsupported = store.call(|store| guest.abi_mcp_engine_engine().call_supported(store, &specs))?;
        Ok(Some(unsupported.into_iter().filter_map(self::unsupported).collect()))
    }

    fn execute(
        &self,
        store: &mut GuestStore,
        spec: &model::CallSpec,
        arguments: &str,
    ) -> Result<Result<Option<String>, model::EngineFailure>, Error> {
        let guest = store.start(|store| self.0.instantiate(store))?;
        let (spec, arguments) = (call_spec(spec), arguments.to_owned());
        let answer = store.call(|store| guest.abi_mcp_engine_engine().call_execute(store, &spec, &arguments))?;
        Ok(answer.map_err(failure))
    }
}

fn call_spec(spec: &model::CallSpec) -> engine::CallSpec {
    engine::CallSpec { format: spec.format.clone(), bytes: spec.bytes.to_vec() }
}

fn unsupported(given: engine::Unsupported) -> Option<model::Unsupported> {
    Some(model::Unsupported { index: usize::try_from(given.index).ok()?, reason: given.reason })
}

fn failure(given: engine::Failure) -> model::EngineFailure {
    model::EngineFailure {
        stage: match given.stage {
            engine::Stage::Arguments => model::Stage::Arguments,
            engine::Stage::Execution => model::Stage::Execution,
            engine::Stage::Outcome => model::Stage::Outcome,
        },
        argument: given.argument,
        code: given.code,
        message: given.message,
    }
}
