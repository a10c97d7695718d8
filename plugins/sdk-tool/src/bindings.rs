//! The contract's generated bindings and the conversion onto the author's types. Nothing here is public surface; authors
//! use [`crate::export_extension!`].

#![allow(missing_docs, unreachable_pub, unsafe_code, clippy::all, reason = "generated code")]

use crate::{Class, Extension, Failure, Hints, Reply, Tool};
use serde_json::Value;
use std::marker::PhantomData;

pub mod world {
    wit_bindgen::generate!({ path: "../../wit/tool/0.1.0", world: "stateful-tool", pub_export_macro: true });
}

use world::exports::abi_mcp::tool::tools;

/// An [`Extension`] as the contract's export.
pub struct Component<T>(PhantomData<T>);

impl<T: Extension> tools::Guest for Component<T> {
    fn list() -> Vec<tools::ToolDefinition> {
        T::tools().into_iter().map(definition).collect()
    }

    fn call(name: String, arguments: String) -> Result<tools::Reply, tools::Failure> {
        let arguments: Value = serde_json::from_str(&arguments)
            .map_err(|error| failure(Failure::new(Class::Arguments, format!("the arguments are no JSON: {error}"))))?;
        T::call(&name, &arguments).map(reply).map_err(failure)
    }
}

fn definition(tool: Tool) -> tools::ToolDefinition {
    let Hints { read_only, destructive, idempotent, open_world } = tool.hints;
    tools::ToolDefinition {
        name: tool.name,
        title: tool.title,
        description: tool.description,
        input_schema: tool.input_schema.to_string(),
        output_schema: tool.output_schema.map(|schema| schema.to_string()),
        hints: tools::Hints { read_only, destructive, idempotent, open_world },
        category: tool.category,
        keywords: tool.keywords,
    }
}

fn reply(given: Reply) -> tools::Reply {
    tools::Reply { text: given.text, structured: given.structured.map(|value| value.to_string()) }
}

fn failure(given: Failure) -> tools::Failure {
    let class = match given.class {
        Class::Arguments => tools::Class::Arguments,
        Class::NotAllowed => tools::Class::NotAllowed,
        Class::Temporary => tools::Class::Temporary,
        Class::Failed => tools::Class::Failed,
    };
    tools::Failure { class, message: given.message, hint: given.hint }
}
