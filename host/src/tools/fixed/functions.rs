//! Finding tools that are not listed, and calling an engine's functions where there is no node.

use super::shape::{Kind, Member, optional, required};
use super::{Effect, FixedTool, Toolset};
use crate::tools::{find, functions};

const SEARCH: FixedTool = FixedTool {
    name: "",
    title: "",
    description: "",
    set: Toolset::Search,
    arguments: &[],
    answer: None,
    effect: Effect::Reads,
    for_folded: true,
    checks_itself: false,
    run: |asked| Box::pin(find::find_tools(asked.server, asked.arguments, asked.scope)),
};

pub(super) const TOOLS: &[FixedTool] = &[
    FixedTool {
        name: "find_tools",
        title: "Find tools",
        description: "Searches all tools, listed or not, best first. Answers each one's signature and how to call it.",
        arguments: &[
            required("query", Kind::Text, "What it should do, in a few plain words."),
            optional("limit", Kind::Integer, "How many at most; 8 unless told, 50 at most."),
        ],
        ..SEARCH
    },
    FixedTool {
        name: "describe_tool",
        title: "Describe tool",
        description: "The full definition of one tool that find_tools named: description and schemas.",
        arguments: &[required("tool", Kind::Text, "The tool's name.")],
        answer: Some(&[("tool", Member::Text), ("description", Member::Text), ("inputSchema", Member::Object)]),
        run: |asked| Box::pin(find::describe_tool(asked.server, asked.arguments, asked.scope)),
        ..SEARCH
    },
    FixedTool {
        name: "call",
        title: "Call",
        description: "Runs one function that find_tools named, with checked arguments.",
        set: Toolset::Functions,
        arguments: &[
            required("method", Kind::Text, "The function's name."),
            optional("args", Kind::Object, "Its arguments by name."),
        ],
        run: |asked| Box::pin(functions::call(asked.server, asked.arguments, asked.scope)),
        ..SEARCH
    },
];
