//! The tools that are always there: what one is, which of them this process has, and how one runs.
//!
//! Each area has a file with its table of [`FixedTool`]s, every one beside its handler: nodes and aliases ([`core`]),
//! [`contexts`], [`blobs`] and installations, [`governance`], using applications ([`apps`]), and an engine's functions
//! ([`functions`]).

mod apps;
mod blobs;
mod contexts;
mod core;
mod functions;
mod governance;
mod reply;
mod shape;
mod toolset;

use crate::model::{Annotations, CallScope, JsonObject, ToolDefinition, ToolReply};
use crate::node::Session;
use crate::schema::arguments::{ArgumentChecker, render};
use crate::source::{self, App};
use crate::tools::Server;
use crate::tools::app::{identify, text};
use crate::tools::explain::or_reply;
use futures_util::future::BoxFuture;
use shape::{Answer, Argument};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use toolset::Toolset;
pub use toolset::{Modes, Toolsets};

/// One fixed tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FixedTool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    set: Toolset,
    arguments: &'static [Argument],
    /// What its structured answer holds; absent for a tool that answers in words.
    answer: Option<Answer>,
    effect: Effect,
    /// Listed only while apps are folded.
    for_folded: bool,
    /// Checks its arguments itself, because something comes before that.
    checks_itself: bool,
    run: Run,
}

/// What a tool does to the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    Writes,
    /// Removes something that cannot be brought back.
    Destroys,
    /// Whatever the method it is given does.
    Open,
}

type Outcome = Result<ToolReply, ToolReply>;
type Run = for<'a> fn(Asked<'a>) -> BoxFuture<'a, Outcome>;

/// One call of a fixed tool, its arguments checked unless the tool does that itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    server: &'a Server,
    arguments: &'a JsonObject,
    scope: &'a CallScope,
}

impl<'a> Asked<'a> {
    /// A text argument that was given and is not empty.
    fn text(self, name: &str) -> Option<&'a str> {
        text(self.arguments, name)
    }

    /// A text argument the schema requires.
    fn required(self, name: &str) -> &'a str {
        self.text(name).unwrap_or_default()
    }

    /// The node's own API.
    fn node(self) -> &'a Session {
        self.server.node().session()
    }

    /// The one installed application an argument means.
    async fn app(self, name: &str) -> Result<Arc<App>, ToolReply> {
        identify(self.server, self.required(name), self.scope).await
    }

    /// A node's answer, or its failure as a reply.
    async fn or_reply<T>(self, answer: Result<T, source::Error>) -> Result<T, ToolReply> {
        or_reply(self.server, answer, self.scope).await
    }
}

/// Every fixed tool of any mode, in list order.
fn all() -> impl Iterator<Item = &'static FixedTool> {
    let core = core::TOOLS.iter().chain(contexts::TOOLS).chain(core::ALIASES);
    core.chain(blobs::TOOLS).chain(governance::TOOLS).chain(apps::TOOLS).chain(functions::TOOLS)
}

/// What tells two tools apart: one name can be in two sets of which no server has both.
type Key = (&'static str, Toolset);

impl FixedTool {
    fn key(&self) -> Key {
        (self.name, self.set)
    }

    /// Whether it answers what the node says of itself, and nothing of an app's.
    pub(crate) fn is_of_the_node(&self) -> bool {
        matches!(self.name, "node_status" | "list_nodes" | "list_applications" | "list_contexts" | "list_namespaces")
    }

    /// Why this mode does not run it, if it does not.
    fn refusal(&self, modes: Modes) -> Option<ToolReply> {
        let changes = matches!(self.effect, Effect::Writes | Effect::Destroys);
        (modes.read_only && changes).then(|| {
            ToolReply::error(format!(
                "Error: `{}` changes the node, and this server is in read-only mode (CALIMERO_MCP_READ_ONLY). Nothing \
                 was sent; only whoever starts the server can change its mode.",
                self.name
            ))
        })
    }

    fn is_listed(&self, modes: Modes, folds: bool) -> bool {
        modes.has(self.set) && self.refusal(modes).is_none() && (folds || !self.for_folded)
    }
}

/// The name of every fixed tool of the active toolsets, whether it is listed now or not: names must not change hands
/// when apps fold or the mode changes.
pub(crate) fn names(modes: Modes) -> Vec<&'static str> {
    all().filter(|tool| modes.has(tool.set)).map(|tool| tool.name).collect()
}

/// The tool of a name, of the active toolsets.
pub(crate) fn find(name: &str, modes: Modes) -> Option<&'static FixedTool> {
    all().find(|tool| tool.name == name && modes.has(tool.set))
}

/// The definitions in list order.
pub(crate) fn definitions(modes: Modes, folds: bool) -> impl Iterator<Item = ToolDefinition> {
    all().filter(move |tool| tool.is_listed(modes, folds)).map(definition)
}

/// Runs a fixed tool.
pub(crate) async fn call(server: &Server, tool: &FixedTool, arguments: JsonObject, scope: &CallScope) -> ToolReply {
    if let Some(refusal) = tool.refusal(server.modes) {
        return refusal;
    }
    let outcome = async {
        let arguments = if tool.checks_itself { arguments } else { check(tool.name, server.modes, &arguments)? };
        (tool.run)(Asked { server, arguments: &arguments, scope }).await
    };
    outcome.await.unwrap_or_else(|reply: ToolReply| reply)
}

/// Checks a fixed tool's arguments against its advertised schema.
pub(crate) fn check(name: &str, modes: Modes, arguments: &JsonObject) -> Result<JsonObject, ToolReply> {
    static CHECKERS: LazyLock<HashMap<Key, Result<ArgumentChecker, String>>> = LazyLock::new(|| {
        let checker = |tool: &FixedTool| {
            ArgumentChecker::new(&shape::input(tool.arguments), &[]).map_err(|error| error.to_string())
        };
        all().map(|tool| (tool.key(), checker(tool))).collect()
    });
    let Some(tool) = find(name, modes) else {
        return Err(ToolReply::error(format!("Error: there is no tool `{name}`")));
    };
    match CHECKERS.get(&tool.key()) {
        Some(Ok(checker)) => checker.check(arguments.clone()).map_err(|problems| {
            let text = render(&problems, &usage(tool));
            ToolReply::error(format!("Input validation error: Invalid arguments for tool {name}: {text}"))
        }),
        Some(Err(error)) => Err(ToolReply::error(format!("Error: the schema of `{name}` cannot be used: {error}"))),
        None => Err(ToolReply::error(format!("Error: there is no tool `{name}`"))),
    }
}

fn definition(tool: &FixedTool) -> ToolDefinition {
    ToolDefinition {
        name: tool.name.to_owned(),
        title: Some(tool.title.to_owned()),
        description: tool.description.to_owned(),
        input_schema: Arc::new(shape::input(tool.arguments)),
        output_schema: tool.answer.map(|answer| Arc::new(shape::output(answer))),
        annotations: annotations(tool.effect),
        meta: None,
    }
}

/// The schema of a tool's structured answer.
pub(crate) fn answer_schema(name: &str) -> Option<JsonObject> {
    all().find(|tool| tool.name == name)?.answer.map(shape::output)
}

/// The arguments in one line, as signatures are written.
fn usage(tool: &FixedTool) -> String {
    let arguments: Vec<String> = tool
        .arguments
        .iter()
        .map(|argument| {
            format!("{}{}: {}", argument.name, if argument.required { "" } else { "?" }, argument.kind.word())
        })
        .collect();
    format!("{}({})", tool.name, arguments.join(", "))
}

/// One hint a tool at most, as this server's clients know them (Calimero server page, §16).
fn annotations(effect: Effect) -> Annotations {
    match effect {
        Effect::Reads => Annotations { read_only: Some(true), ..Annotations::default() },
        Effect::Destroys => Annotations { destructive: Some(true), ..Annotations::default() },
        Effect::Writes | Effect::Open => Annotations::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_can_check_and_every_name_is_one_tools() {
        for without_node in [false, true] {
            let modes = Modes { without_node, ..Modes::default() };
            let mut names = names(modes);
            let count = names.len();
            for name in &names {
                if let Err(reply) = check(name, modes, &JsonObject::new()) {
                    assert!(format!("{reply:?}").contains("Input validation error"), "{name}: {reply:?}");
                }
            }
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }

    #[test]
    fn every_description_is_short_enough_for_clients() {
        for tool in all() {
            assert!(tool.description.len() < 1024 && !tool.title.is_empty(), "{}", tool.name);
        }
    }
}
