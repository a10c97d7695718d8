//! The tools that use applications; what they do has files of its own beside this folder.

use super::shape::{Kind, Member, optional, required};
use super::{Effect, FixedTool, Toolset};
use crate::tools::{app, call, call_many};
use serde_json::{Value, json};

const APP: super::Argument = required("app", Kind::Text, "Package, its last segment, display name, or application id.");
const SERVICE: super::Argument = optional("service", Kind::Text, "For an application with several services.");

const READER: FixedTool = FixedTool {
    name: "",
    title: "",
    description: "",
    set: Toolset::Apps,
    arguments: &[],
    answer: None,
    effect: Effect::Reads,
    for_folded: false,
    checks_itself: false,
    run: |asked| Box::pin(app::describe(asked.server, asked.arguments, asked.scope)),
};

pub(super) const TOOLS: &[FixedTool] = &[
    FixedTool {
        name: "describe_app",
        title: "Describe app",
        description: "An application's guide, then every method with its signature, and a handle to plan with. Picks \
                      no context. An application with several services needs `service`; the error lists them.",
        arguments: &[
            APP,
            SERVICE,
            optional(
                "from",
                Kind::Integer,
                "How many methods to skip; an answer that does not hold all of them names it.",
            ),
        ],
        answer: Some(&[("application", Member::Text), ("app_handle", Member::Text), ("methods", Member::TextList)]),
        run: |asked| Box::pin(app::describe(asked.server, asked.arguments, asked.scope)),
        ..READER
    },
    FixedTool {
        name: "select_app",
        title: "Select app",
        description: "Picks an application and a context, and returns the app_handle that every call of its tools \
                      needs, unchanged. Shows the guide the first time; `verbose` adds the methods.",
        arguments: &[
            APP,
            SERVICE,
            optional("context", Kind::Text, "Context id or alias; needed when there are several."),
            optional("verbose", Kind::Flag, "Also list the methods."),
        ],
        answer: Some(&[
            ("application", Member::Text),
            ("app_handle", Member::Text),
            ("tools", Member::TextList),
            ("context", Member::TextOrNull),
        ]),
        run: |asked| Box::pin(app::select(asked.server, asked.arguments, asked.scope)),
        ..READER
    },
    FixedTool {
        name: "call",
        title: "Call",
        description: "Calls any method of an application by name, with checked arguments. For clients that do not \
                      show the application's own tools.",
        arguments: CALL,
        effect: Effect::Open,
        checks_itself: true,
        run: |asked| Box::pin(call::call(asked.server, asked.arguments, asked.scope)),
        ..READER
    },
    FixedTool {
        name: "call_many",
        title: "Call many",
        description: "Makes up to 32 calls as `call` does, side by side. A failure concerns its own call only; results \
                      come in the order of the calls, but the order in which they run is not promised: do not let one \
                      that writes depend on another.",
        arguments: &[required(
            "calls",
            Kind::Other("call[]", calls),
            "1 to 32 calls, each with the arguments of `call`.",
        )],
        answer: Some(&[("result", Member::Other(results))]),
        effect: Effect::Open,
        checks_itself: true,
        run: |asked| Box::pin(call_many::call_many(asked.server, asked.arguments, asked.scope)),
        ..READER
    },
];

const CALL: &[super::Argument] = &[
    required("method", Kind::Text, "The method's name, as describe_app shows it."),
    optional("args", Kind::Object, "The method's arguments, keyed by parameter name."),
    optional("app_handle", Kind::Text, "The app_handle select_app returned; it names the application and context."),
    optional("app", Kind::Text, "Which application is meant, when no handle is at hand."),
    optional("context", Kind::Text, "Context id or alias to execute against; defaults to the handle's."),
];

fn calls() -> Value {
    json!({"type": "array", "minItems": 1, "maxItems": call_many::MOST, "items": super::shape::input(CALL)})
}

/// What `call_many` answers; also what its answer is held to.
pub(super) fn results() -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "ok": {"type": "boolean"},
                "result": crate::schema::portable::unknown(),
                "error": {"type": "string"},
            },
            "required": ["ok"],
        },
    })
}
