//! The tools that are always there: one table of what they are, one match of what they do.

use crate::model::{Annotations, CallScope, JsonObject, ToolDefinition, ToolReply};
use crate::schema::arguments::{ArgumentChecker, render};
use crate::tools::{Server, app, call as call_tool, find as find_tool, node};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// One fixed tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FixedTool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Name, JSON type, required, description; in order.
    arguments: &'static [(&'static str, &'static str, bool, &'static str)],
    kind: Kind,
    /// Listed only while apps are folded.
    for_folded: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Reads,
    Writes,
    /// Runs whatever it is given.
    Open,
}

const APP: (&str, &str, bool, &str) =
    ("app", "string", true, "Package, its last segment, display name, or application id.");

const TOOLS: &[FixedTool] = &[
    FixedTool {
        name: "node_status",
        title: "Node status",
        description: "Health and identity of the connected Calimero node: address, how it was found, how this server \
                      authenticates. A good first call.",
        arguments: &[],
        kind: Kind::Reads,
        for_folded: false,
    },
    FixedTool {
        name: "list_applications",
        title: "List applications",
        description: "Applications installed on the node, with version, metadata and the procedures their guides name.",
        arguments: &[],
        kind: Kind::Reads,
        for_folded: false,
    },
    FixedTool {
        name: "list_contexts",
        title: "List contexts",
        description: "Contexts on the node, of one application or of all. A context is one running instance of an \
                      application's state.",
        arguments: &[("application", "string", false, "Only this application's: package, short name or id.")],
        kind: Kind::Reads,
        for_folded: false,
    },
    FixedTool {
        name: "list_namespaces",
        title: "List namespaces",
        description: "Namespaces on the node. A context is created in a namespace or in a group of one.",
        arguments: &[],
        kind: Kind::Reads,
        for_folded: false,
    },
    FixedTool {
        name: "create_namespace",
        title: "Create namespace",
        description: "Creates a namespace for an application; contexts are then created in it.",
        arguments: &[
            ("application", "string", true, "Package, short name or application id."),
            ("name", "string", false, "A name for people."),
        ],
        kind: Kind::Writes,
        for_folded: false,
    },
    FixedTool {
        name: "create_context",
        title: "Create context",
        description: "Creates a context of an application. `args` are for the application's `init`; describe_app \
                      shows `init` with its parameters.",
        arguments: &[
            ("application", "string", true, "Package, short name or application id."),
            ("group", "string", false, "Namespace or group id to create it in; see list_namespaces."),
            ("namespace", "string", false, "Older name of `group`."),
            ("name", "string", false, "A name for people."),
            ("service", "string", false, "Which service it runs, for an application with several."),
            ("args", "object", false, "Arguments of `init`, keyed by parameter name."),
        ],
        kind: Kind::Writes,
        for_folded: false,
    },
    FixedTool {
        name: "describe_app",
        title: "Describe app",
        description: "An application's guide, then every method with its signature, and a handle to plan with. Picks \
                      no context. An application with several services needs `service`; the error lists them.",
        arguments: &[
            APP,
            ("service", "string", false, "For an application with several services."),
            ("from", "integer", false, "How many methods to skip; an answer that does not hold all of them names it."),
        ],
        kind: Kind::Reads,
        for_folded: false,
    },
    FixedTool {
        name: "select_app",
        title: "Select app",
        description: "Picks an application and a context, and returns the app_handle that every call of its tools \
                      needs, unchanged. Shows the guide the first time; `verbose` adds the methods.",
        arguments: &[
            APP,
            ("service", "string", false, "For an application with several services."),
            ("context", "string", false, "Context id or alias; needed when there are several."),
            ("verbose", "boolean", false, "Also list the methods."),
        ],
        kind: Kind::Reads,
        for_folded: false,
    },
    FixedTool {
        name: "call",
        title: "Call",
        description: "Calls any method of an application by name, with checked arguments. For clients that do not \
                      show the application's own tools.",
        arguments: &[
            ("method", "string", true, "The method's name, as describe_app shows it."),
            ("args", "object", false, "The method's arguments, keyed by parameter name."),
            (
                "app_handle",
                "string",
                false,
                "The app_handle select_app returned; it names the application and context.",
            ),
            ("app", "string", false, "Which application is meant, when no handle is at hand."),
            ("context", "string", false, "Context id or alias to execute against; defaults to the handle's."),
        ],
        kind: Kind::Open,
        for_folded: false,
    },
    FixedTool {
        name: "find_tools",
        title: "Find tools",
        description: "Searches the tools of all applications, listed or not, by name, description and signature; best \
                      first.",
        arguments: &[
            ("query", "string", true, "What it should do, in a few words."),
            ("limit", "integer", false, "How many at most; 10 unless told, 50 at most."),
        ],
        kind: Kind::Reads,
        for_folded: true,
    },
    FixedTool {
        name: "describe_tool",
        title: "Describe tool",
        description: "The full definition of one tool find_tools named: description and input schema. It is called by \
                      its own name, listed or not, or through `call`.",
        arguments: &[("tool", "string", true, "The tool's name.")],
        kind: Kind::Reads,
        for_folded: true,
    },
];

impl FixedTool {
    /// Whether it answers what the node says of itself, and nothing of an app's.
    pub(crate) fn is_of_the_node(&self) -> bool {
        matches!(self.name, "node_status" | "list_applications" | "list_contexts" | "list_namespaces")
    }
}

/// Every fixed tool's name, whether it is listed now or not: names must not change hands when apps fold.
pub(crate) fn names() -> Vec<&'static str> {
    TOOLS.iter().map(|tool| tool.name).collect()
}

/// The tool of a name.
pub(crate) fn find(name: &str) -> Option<&'static FixedTool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The definitions in list order.
pub(crate) fn definitions(folds: bool) -> impl Iterator<Item = ToolDefinition> {
    TOOLS.iter().filter(move |tool| folds || !tool.for_folded).map(definition)
}

/// Runs a fixed tool. Its arguments are checked first, except for `call`, which has a gate before that.
pub(crate) async fn call(server: &Server, tool: &FixedTool, arguments: JsonObject, scope: &CallScope) -> ToolReply {
    let outcome = async {
        if tool.name == "call" {
            return call_tool::call(server, arguments, scope).await;
        }
        let arguments = check(tool.name, &arguments)?;
        match tool.name {
            "node_status" => node::status(server, scope).await,
            "list_applications" => node::applications(server, scope).await,
            "list_contexts" => node::contexts(server, &arguments, scope).await,
            "list_namespaces" => node::namespaces(server, scope).await,
            "create_namespace" => node::create_namespace(server, &arguments, scope).await,
            "create_context" => node::create_context(server, &arguments, scope).await,
            "describe_app" => app::describe(server, &arguments, scope).await,
            "select_app" => app::select(server, &arguments, scope).await,
            "find_tools" => find_tool::find_tools(server, &arguments),
            "describe_tool" => find_tool::describe_tool(server, &arguments),
            other => Err(ToolReply::error(format!("Error: `{other}` has no implementation"))),
        }
    };
    outcome.await.unwrap_or_else(|reply: ToolReply| reply)
}

/// Checks a fixed tool's arguments against its advertised schema.
pub(crate) fn check(name: &str, arguments: &JsonObject) -> Result<JsonObject, ToolReply> {
    static CHECKERS: LazyLock<HashMap<&'static str, Result<ArgumentChecker, String>>> = LazyLock::new(|| {
        let checker = |tool| ArgumentChecker::new(&schema(tool), &[]).map_err(|error| error.to_string());
        TOOLS.iter().map(|tool| (tool.name, checker(tool))).collect()
    });
    match CHECKERS.get(name) {
        Some(Ok(checker)) => checker.check(arguments.clone()).map_err(|problems| {
            let text = render(&problems, &usage(name));
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
        input_schema: Arc::new(schema(tool)),
        output_schema: None,
        annotations: annotations(tool.kind),
        meta: None,
    }
}

fn schema(tool: &FixedTool) -> JsonObject {
    let mut properties = JsonObject::new();
    for (name, kind, _, description) in tool.arguments {
        let mut property = JsonObject::new();
        property.insert("type".to_owned(), json!(kind));
        property.insert("description".to_owned(), json!(description));
        if *kind == "object" {
            property.insert("properties".to_owned(), json!({}));
        }
        properties.insert((*name).to_owned(), Value::Object(property));
    }
    let required: Vec<&str> =
        tool.arguments.iter().filter(|(.., required, _)| *required).map(|(name, ..)| *name).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// The arguments in one line, as signatures are written.
fn usage(name: &str) -> String {
    let Some(tool) = find(name) else { return String::new() };
    let arguments: Vec<String> = tool
        .arguments
        .iter()
        .map(|(name, kind, required, _)| format!("{name}{}: {kind}", if *required { "" } else { "?" }))
        .collect();
    format!("{name}({})", arguments.join(", "))
}

fn annotations(kind: Kind) -> Annotations {
    let hints =
        |read_only| Annotations { read_only: Some(read_only), destructive: Some(false), ..Annotations::default() };
    match kind {
        Kind::Reads => hints(true),
        Kind::Writes => hints(false),
        Kind::Open => Annotations::default(),
    }
}
