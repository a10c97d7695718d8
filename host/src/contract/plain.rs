//! The adapter of components that state no contract of ours: their functions with plain WIT types are the tools.
//!
//! In comes any component, out comes an [`Extension`] with one tool for each exported function, of the world itself or
//! of an interface. What a tool takes and answers is read from the function's types ([`shape`]), so listing runs nothing;
//! calls go through the engine's dynamic values ([`value`]). What has no JSON form (handles, futures, streams) costs the
//! function its tool, with the reason. A WIT file's comments are not in the component, so a tool's description only
//! says whose function it is. Imports and grants are those of `abi-mcp:tool`.

mod function;
mod schema;
mod shape;
mod spelling;
mod value;

use super::{DraftTools, Extension, accept_tools, tool_0_1};
use crate::model::{ExtensionClass, ExtensionFailure, ExtensionReply, Grants, Skipped};
use crate::sandbox::{Compiled, Error, GuestStore, Reach, State};
use function::{Function, Functions};
use std::sync::Arc;
use wasmtime::component::{InstancePre, Linker, Val};

/// The contract as it is named in messages.
const CONTRACT: &str = "plain:tool@0.1.0";

/// A linked component; instances come from it.
struct Linked {
    component: InstancePre<State<Reach>>,
    functions: Vec<Function>,
    skipped: Vec<Skipped>,
    effects: Effects,
}

/// What a call can change or ask outside of itself, by what was granted: a component that was granted nothing can only
/// compute, whatever its functions are called.
#[derive(Debug, Clone, Copy)]
struct Effects {
    changes: bool,
    reaches_out: bool,
}

impl Effects {
    fn of(grants: &Grants) -> Self {
        let writes = grants.directories.iter().any(|directory| directory.writable);
        let reaches_out = !grants.http.is_empty();
        Self { changes: reaches_out || writes || grants.state, reaches_out }
    }
}

/// Links a component with what it was granted.
pub(super) fn link(component: &Compiled, grants: &Grants) -> Result<Arc<dyn Extension>, Error> {
    let (engine, component) = component.parts();
    let mut linker = Linker::new(engine);
    let linked = tool_0_1::offer(&mut linker, grants).and_then(|()| linker.instantiate_pre(component));
    let Functions { functions, skipped } = function::exported(engine, component);
    match linked {
        Ok(component) => Ok(Arc::new(Linked { component, functions, skipped, effects: Effects::of(grants) })),
        Err(error) => Err(Error::link(CONTRACT, &error)),
    }
}

/// The functions of a component that would be tools, as WIT spells them, and those that would not, with the reason. Runs
/// and links nothing.
pub(crate) fn functions(component: &Compiled) -> (Vec<String>, Vec<Skipped>) {
    let (engine, component) = component.parts();
    let Functions { functions, skipped } = function::exported(engine, component);
    let effects = Effects { changes: false, reaches_out: false };
    let tools = functions.iter().map(|function| function.tool(effects)).collect();
    // What an extension's answer is held to can cost a function its tool, too.
    let accepted = accept_tools(DraftTools { tools, skipped });
    let is_tool = |function: &&Function| accepted.methods.iter().any(|method| method.name == function.name);
    (functions.iter().filter(is_tool).map(ToString::to_string).collect(), accepted.skipped)
}

impl Extension for Linked {
    fn list(&self, _store: &mut GuestStore<Reach>) -> Result<DraftTools, Error> {
        let tools = self.functions.iter().map(|function| function.tool(self.effects)).collect();
        Ok(DraftTools { tools, skipped: self.skipped.clone() })
    }

    fn call(
        &self,
        store: &mut GuestStore<Reach>,
        name: &str,
        arguments: &str,
    ) -> Result<Result<ExtensionReply, ExtensionFailure>, Error> {
        let Some(function) = self.functions.iter().find(|function| function.name == name) else {
            return Ok(Err(refused(format!("the component has no function for the tool `{name}`"))));
        };
        let values = match function.values(arguments) {
            Ok(values) => values,
            Err(problem) => return Ok(Err(refused(problem))),
        };
        let mut results = vec![Val::Bool(false); function.answer.count()];
        let results = store.wait(async |store| {
            let instance = self.component.instantiate_async(&mut *store).await?;
            let gone = || wasmtime::Error::msg("the function is not there any more");
            let callee = instance.get_func(&mut *store, function.index).ok_or_else(gone)?;
            callee.call_async(&mut *store, &values, &mut results).await?;
            Ok(results)
        })?;
        function.answer.reply(results.into_iter().next()).map_err(|text| Error::Host { text })
    }
}

fn refused(message: String) -> ExtensionFailure {
    ExtensionFailure { class: ExtensionClass::Arguments, message, hint: None }
}
