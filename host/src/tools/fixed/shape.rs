//! What fixed tools take and give, in a form short enough for a table.
//!
//! In: one line an argument or answered member. Out: JSON Schema within the portable profile. Knows no tool.

use crate::model::JsonObject;
use serde_json::{Value, json};

/// One argument.
#[derive(Debug, Clone, Copy)]
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) required: bool,
    about: &'static str,
}

/// What an argument may be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Text.
    Text,
    /// A whole number.
    Integer,
    /// True or false.
    Flag,
    /// Any object.
    Object,
    /// An object whose values are texts.
    Texts,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list of texts, at least one.
    TextList,
    /// Anything else; the word is for the usage line.
    Other(&'static str, fn() -> Value),
}

/// What a member of an answer is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Member {
    /// Text.
    Text,
    /// Text or null.
    TextOrNull,
    /// A whole number.
    Integer,
    /// True or false.
    Flag,
    /// A list of objects, open because their fields are the node's.
    Rows,
    /// A list of texts.
    TextList,
    /// An object, open.
    Object,
    /// Anything else.
    Other(fn() -> Value),
}

/// The members of an answer that are always there, in order. An answer may hold more.
pub(super) type Answer = &'static [(&'static str, Member)];

/// An argument every call gives.
pub(super) const fn required(name: &'static str, kind: Kind, about: &'static str) -> Argument {
    Argument { name, kind, required: true, about }
}

/// An argument a call may leave out.
pub(super) const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Argument {
    Argument { name, kind, required: false, about }
}

impl Kind {
    /// For a usage line.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Text | Self::OneOf(_) => "string",
            Self::Integer => "integer",
            Self::Flag => "boolean",
            Self::Object | Self::Texts => "object",
            Self::TextList => "string[]",
            Self::Other(word, _) => word,
        }
    }

    fn schema(self) -> Value {
        match self {
            Self::Text => json!({"type": "string"}),
            Self::Integer => json!({"type": "integer", "minimum": 0}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Object => json!({"type": "object", "properties": {}}),
            Self::Texts => json!({"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}),
            Self::OneOf(words) => json!({"type": "string", "enum": words}),
            Self::TextList => json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
            Self::Other(_, schema) => schema(),
        }
    }
}

impl Member {
    fn schema(self) -> Value {
        match self {
            Self::Text => json!({"type": "string"}),
            Self::TextOrNull => json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            Self::Integer => json!({"type": "integer"}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Rows => json!({"type": "array", "items": {"type": "object", "properties": {}}}),
            Self::TextList => json!({"type": "array", "items": {"type": "string"}}),
            Self::Object => json!({"type": "object", "properties": {}}),
            Self::Other(schema) => schema(),
        }
    }
}

/// The schema of a tool's arguments: these and no others.
pub(super) fn input(arguments: &[Argument]) -> JsonObject {
    let property = |argument: &Argument| {
        let mut schema = argument.kind.schema();
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".to_owned(), json!(argument.about));
        }
        (argument.name.to_owned(), schema)
    };
    let required: Vec<&str> =
        arguments.iter().filter(|argument| argument.required).map(|argument| argument.name).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(arguments.iter().map(property).collect()));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// The schema of a tool's structured answer: an open object.
pub(super) fn output(answer: Answer) -> JsonObject {
    let properties = answer.iter().map(|(name, member)| ((*name).to_owned(), member.schema())).collect();
    let required: Vec<&str> = answer.iter().map(|(name, _)| *name).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}
