//! One function becomes one method: shape, types, call-spec, schemas, signature and words put together.

use crate::choose::choose;
use crate::codecs::Codecs;
use crate::ctype::Enums;
use crate::function::Function;
use crate::keywords;
use crate::operand::{Operand, operands};
use crate::outcome::{Outgoing, outgoing};
use crate::shape::{Shape, Slot};
use crate::words::Sql;
use abi_mcp_meos_call::{Argument, Call, FORMAT};
use abi_mcp_sdk::json::Object;
use abi_mcp_sdk::serde_json::{self, Value as Json, json};
use abi_mcp_sdk::{Access, CallSpec, Method, Parameter};

/// Maps a function, or says in one line why nobody can call it.
pub(crate) fn map(function: &Function, sql: &Sql, codecs: &Codecs, enums: &Enums) -> Result<Method, String> {
    let shape = Shape::of(function, enums)?;
    let mut choice = choose(function, &shape);
    choice.retain(|row| row.iter().all(|it| codecs.text(it).is_some()));
    let given: Vec<_> = shape.given().collect();
    let operands = operands(&function.name, &given, &choice.rows, codecs, enums)?;
    let facts = sql.facts(function, choice.overload());
    let told = sql.results(function, choice.overloads.iter().map(|(index, _)| *index));
    let result = outgoing(function, &shape, &told, &operands, codecs, enums)?;
    let call = call(function, &shape, &operands, &result);
    let bytes = serde_json::to_vec(&call).map_err(|error| format!("its call cannot be written down: {error}"))?;

    Ok(Method {
        doc: Some(facts.doc(function)),
        access: Access::View,
        destructive: Some(false),
        idempotent: Some(true),
        open_world: Some(false),
        category: function.category.clone(),
        keywords: keywords::of(&function.name, choice.rows.iter().flatten().map(|of| of.name), &result.label),
        parameters: operands.iter().map(parameter).collect(),
        output_schema: Some(result.schema),
        call_spec: Some(CallSpec { format: FORMAT.to_owned(), bytes }),
        meta: Some(json!({ "x-meos": facts.meta(function) })),
        ..Method::new(&function.name, signature(function, &operands, &result.label), input_schema(&operands, enums))
    })
}

fn parameter(operand: &Operand) -> Parameter {
    let given = operand.given;
    Parameter { name: given.name.clone(), required: !given.optional, doc: given.doc.clone() }
}

fn call(function: &Function, shape: &Shape, operands: &[Operand], result: &Outgoing) -> Call {
    let mut operands = operands.iter();
    let arguments = shape.slots.iter().map(|slot| match slot {
        Slot::Given(given) => match operands.next() {
            Some(operand) => {
                Argument::Given { name: given.name.clone(), optional: given.optional, value: operand.input.clone() }
            }
            // There is an operand for each thing given; were there none, nothing would be read for it.
            None => Argument::Ignored,
        },
        Slot::Count(of) => Argument::Count(of.clone()),
        Slot::Output => Argument::Output,
        Slot::OutputCount => Argument::OutputCount,
        Slot::Ignored => Argument::Ignored,
    });
    Call { function: function.name.clone(), arguments: arguments.collect(), result: result.outcome.clone() }
}

fn input_schema(operands: &[Operand], enums: &Enums) -> Json {
    let mut properties = Object::new();
    for (index, operand) in operands.iter().enumerate() {
        let earlier = operands.get(..index).unwrap_or_default();
        properties.insert(operand.given.name.clone(), operand.schema(earlier, enums));
    }
    let required: Vec<&str> =
        operands.iter().filter(|it| !it.given.optional).map(|it| it.given.name.as_str()).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// `tpoint_length(temp: tgeompoint | tgeogpoint) -> float`.
fn signature(function: &Function, operands: &[Operand], result: &str) -> String {
    let operand = |it: &Operand| {
        let optional = if it.given.optional { "?" } else { "" };
        format!("{}{optional}: {}", it.given.name, it.label())
    };
    let operands: Vec<String> = operands.iter().map(operand).collect();
    format!("{}({}) -> {result}", function.name, operands.join(", "))
}
