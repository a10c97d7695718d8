//! An extension: its list held to what clients read, and each tool called with arguments it should refuse.

use super::report::Report;
use super::{SURVIVE, Subject, cause};
use crate::cli::inspect::shown;
use crate::model::{CallScope, Extent, Mapping, Method, Note};
use crate::schema::portable;
use crate::text::{clean_text, units};
use serde_json::{Value, json};

/// Longest description that is listed whole, in UTF-16 units (`wit/tool`).
const LISTED: usize = 1_000;

/// Bytes of JSON a model's token has, near enough.
const TOKEN: usize = 4;

/// Arguments of no schema.
const GARBAGE: [&str; 6] = ["{}", "null", "[[[]]]", "{\"\\u202e\": {\"a\": [1e300, null]}}", "\"text\"", "{\"a"];

impl Subject {
    /// The list, then every tool.
    pub(super) async fn check_extension(&self, report: &mut Report) {
        let tools = match self.plugin.list_tools(&self.cancel).await {
            Ok(tools) => tools,
            Err(error) => {
                report.bad(format!("tools: it {}", cause(&error)), "`list` runs without network and directories");
                return;
            }
        };
        for skipped in &tools.skipped {
            let left_out = format!("tools: `{}` is left out: {}", skipped.method, skipped.reason);
            match self.is_plain {
                true => report.ok(left_out),
                false => report.bad(left_out, "mend the definition; nobody can call the tool as it is"),
            }
        }
        if tools.methods.is_empty() {
            report.bad("tools: there is none", "list at least one");
        }
        for tool in &tools.methods {
            let before = report.count();
            check_definition(tool, report);
            self.check_calls(&tool.name, report).await;
            let signature = &tool.signature;
            report.ok_since(before, format!("tool: {signature}, portable, survives {} odd calls", GARBAGE.len()));
        }
        self.check_stranger_tool(report).await;
        print_cost(self.plugin.name(), &tools);
    }

    async fn check_calls(&self, name: &str, report: &mut Report) {
        for arguments in GARBAGE {
            if let Err(error) = self.plugin.call_tool(name, arguments, Extent::Granted, &CallScope::default()).await {
                report.bad(format!("tool `{name}` with {arguments}: it {}", cause(&error)), SURVIVE);
                // One that runs into its time would do so again.
                return;
            }
        }
    }

    async fn check_stranger_tool(&self, report: &mut Report) {
        // The host never asks for one. An answer is no harm; a trap shows a reader that trusts its caller.
        match self.plugin.call_tool("a tool it never listed", "{}", Extent::Granted, &CallScope::default()).await {
            Ok(_) => report.ok("tools: survives a call under a name it never listed"),
            Err(error) => report.bad(format!("tools: under a name it never listed, it {}", cause(&error)), SURVIVE),
        }
    }
}

/// Holds a definition to what every client reads and a model is shown.
fn check_definition(tool: &Method, report: &mut Report) {
    let name = &tool.name;
    let words = tool.doc.as_deref().unwrap_or_default();
    if words.trim().is_empty() {
        report.bad(format!("tool `{name}`: it has no description"), "say what it does and when to use it");
    }
    let length = units(words);
    if length > LISTED {
        report.bad(
            format!("tool `{name}`: its description has {length} characters, and the list cuts it at {LISTED}"),
            "say what matters first, and the rest in the descriptions of the parameters",
        );
    }
    if clean_text(words) != words {
        report.bad(
            format!("tool `{name}`: its description has characters that nobody can see"),
            "take them out: they are taken out of the list",
        );
    }
    let input = portable::input(&tool.input_schema, &[]);
    for renamed in &input.names {
        report.bad(
            format!(
                "tool `{name}`: clients refuse the parameter's name `{}`; it is shown as `{}`",
                renamed.original, renamed.wire
            ),
            "name parameters with up to 64 of a-z, A-Z, 0-9, `_`, `.` and `-`",
        );
    }
    widened(name, "input", &input.notes, report);
    compiles(name, "input", &Value::Object(tool.input_schema.clone()), report);
    if let Some(output) = &tool.output_schema {
        widened(name, "output", &portable::output(output).notes, report);
        compiles(name, "output", output, report);
    }
}

fn widened(name: &str, which: &str, notes: &[Note], report: &mut Report) {
    for Note { path, text, .. } in notes {
        report.bad(
            format!("tool `{name}`: {which} schema, `{path}`: {text}"),
            "say it with `type`, `properties`, `items`, `enum` and bounds, which every client reads",
        );
    }
}

fn compiles(name: &str, which: &str, schema: &Value, report: &mut Report) {
    if let Err(error) = portable::compile(schema) {
        report.bad(format!("tool `{name}`: {which} schema: {error}"), "write it as JSON Schema 2020-12");
    }
}

/// What a model's context pays for the list, as it is shown.
fn print_cost(plugin: &str, tools: &Mapping) {
    let listed = |tool: &Method| {
        let output = tool.output_schema.as_ref().map(|output| portable::output(output).schema);
        json!({
            "name": format!("{plugin}_{}", tool.name),
            "description": tool.doc,
            "inputSchema": portable::input(&tool.input_schema, &[]).schema,
            "outputSchema": output,
        })
        .to_string()
        .len()
    };
    let costs: Vec<usize> = tools.methods.iter().map(listed).collect();
    let all: usize = costs.iter().sum();
    println!("cost  the list of {} tools takes about {} tokens ({all} bytes)", costs.len(), all.div_ceil(TOKEN));
    if let Some((bytes, dearest)) = costs.iter().zip(&tools.methods).max_by_key(|(bytes, _)| **bytes) {
        println!("      the dearest is `{}` with about {}", shown(&dearest.name), bytes.div_ceil(TOKEN));
    }
}
