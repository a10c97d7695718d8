//! The adapter of `abi-mcp:tool@0.1`: its types onto `model`, its imports onto what a call may reach, nothing else.

use super::{DraftMethod, DraftTools, Extension};
use crate::model::{self, Grants, ProgressReport};
use crate::sandbox::{Compiled, Error, GuestStore, Level, Reach, Refusal, State, link_granted};
use std::sync::Arc;
use wasmtime::component::{HasSelf, Linker};

mod bindings {
    wasmtime::component::bindgen!({
        path: "../wit/tool/0.1.0",
        world: "stateful-tool",
        exports: { default: async },
    });
}

use bindings::abi_mcp::tool as host;
use bindings::exports::abi_mcp::tool::tools;

/// The contract as it is named in messages.
const CONTRACT: &str = "abi-mcp:tool@0.1.0";

/// A linked component; instances come from it.
struct Linked(bindings::StatefulToolPre<State<Reach>>);

/// Links a component with what it was granted.
pub(super) fn link(component: &Compiled, grants: &Grants) -> Result<Arc<dyn Extension>, Error> {
    let (engine, component) = component.parts();
    let mut linker = Linker::new(engine);
    let linked = offer(&mut linker, grants)
        .and_then(|()| linker.instantiate_pre(component))
        .and_then(bindings::StatefulToolPre::new);
    match linked {
        Ok(linked) => Ok(Arc::new(Linked(linked))),
        Err(error) => Err(Error::link(CONTRACT, &error)),
    }
}

/// What every extension may import, as far as it was granted.
pub(super) fn offer(linker: &mut Linker<State<Reach>>, grants: &Grants) -> wasmtime::Result<()> {
    host::log::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    host::config::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    host::progress::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    host::cancellation::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    if grants.state {
        host::state::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    }
    link_granted(linker, grants)
}

impl Extension for Linked {
    fn list(&self, store: &mut GuestStore<Reach>) -> Result<DraftTools, Error> {
        let tools = store.wait(async |store| {
            let guest = self.0.instantiate_async(&mut *store).await?;
            guest.abi_mcp_tool_tools().call_list(store).await
        })?;
        Ok(DraftTools { tools: tools.into_iter().map(tool).collect(), skipped: Vec::new() })
    }

    fn call(
        &self,
        store: &mut GuestStore<Reach>,
        name: &str,
        arguments: &str,
    ) -> Result<Result<model::ExtensionReply, model::ExtensionFailure>, Error> {
        let (name, arguments) = (name.to_owned(), arguments.to_owned());
        let answer = store.wait(async |store| {
            let guest = self.0.instantiate_async(&mut *store).await?;
            guest.abi_mcp_tool_tools().call_call(store, &name, &arguments).await
        })?;
        Ok(answer.map(reply).map_err(failure))
    }
}

fn tool(given: tools::ToolDefinition) -> DraftMethod {
    let tools::Hints { read_only, destructive, idempotent, open_world } = given.hints;
    let method = model::Method {
        name: given.name,
        title: given.title,
        doc: Some(given.description),
        signature: String::new(),
        role: model::Role::Ordinary,
        access: match read_only {
            Some(true) => model::Access::View,
            Some(false) => model::Access::Mutate,
            None => model::Access::Unspecified,
        },
        destructive,
        idempotent,
        open_world,
        category: given.category,
        keywords: given.keywords,
        parameters: Vec::new(),
        input_schema: model::JsonObject::new(),
        output_schema: None,
        plan: Arc::default(),
        call_spec: None,
        needs_encode: false,
        needs_decode: false,
        meta: None,
    };
    DraftMethod { method, input_schema: given.input_schema, output_schema: given.output_schema, meta: None }
}

fn reply(given: tools::Reply) -> model::ExtensionReply {
    model::ExtensionReply { text: given.text, structured: given.structured }
}

fn failure(given: tools::Failure) -> model::ExtensionFailure {
    model::ExtensionFailure {
        class: match given.class {
            tools::Class::Arguments => model::ExtensionClass::Arguments,
            tools::Class::NotAllowed => model::ExtensionClass::NotAllowed,
            tools::Class::Temporary => model::ExtensionClass::Temporary,
            tools::Class::Failed => model::ExtensionClass::Failed,
        },
        message: given.message,
        hint: given.hint,
    }
}

impl host::log::Host for State<Reach> {
    fn write(&mut self, level: host::log::Level, line: String) {
        let level = match level {
            host::log::Level::Trace => Level::Trace,
            host::log::Level::Debug => Level::Debug,
            host::log::Level::Info => Level::Info,
            host::log::Level::Warn => Level::Warn,
            host::log::Level::Error => Level::Error,
        };
        self.beside.log(level, &line);
    }
}

impl host::config::Host for State<Reach> {
    fn get(&mut self, key: String) -> Option<String> {
        self.beside.config(&key)
    }

    fn keys(&mut self) -> Vec<String> {
        self.beside.config_keys()
    }
}

impl host::progress::Host for State<Reach> {
    fn report(&mut self, done: f64, total: Option<f64>, message: Option<String>) {
        self.beside.report(ProgressReport { done, total, message });
    }
}

impl host::cancellation::Host for State<Reach> {
    fn cancelled(&mut self) -> bool {
        self.beside.is_cancelled()
    }
}

impl host::state::Host for State<Reach> {
    fn get(&mut self, key: String) -> Result<Option<Vec<u8>>, host::state::Refusal> {
        self.beside.keeper().and_then(|keeper| keeper.get(&key)).map_err(refusal)
    }

    fn set(&mut self, key: String, value: Vec<u8>) -> Result<(), host::state::Refusal> {
        self.beside.keeper_to_write().and_then(|keeper| keeper.set(&key, &value)).map_err(refusal)
    }

    fn delete(&mut self, key: String) -> Result<(), host::state::Refusal> {
        self.beside.keeper_to_write().and_then(|keeper| keeper.delete(&key)).map_err(refusal)
    }

    fn keys(&mut self) -> Result<Vec<String>, host::state::Refusal> {
        self.beside.keeper().and_then(|keeper| keeper.keys()).map_err(refusal)
    }
}

fn refusal(given: Refusal) -> host::state::Refusal {
    match given {
        Refusal::Key => host::state::Refusal::Key,
        Refusal::Full(limit) => host::state::Refusal::Full(limit),
        Refusal::Unavailable(text) => host::state::Refusal::Unavailable(text),
    }
}
