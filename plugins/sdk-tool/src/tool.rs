//! What an author writes and answers; the contract's words are in `wit/tool`.

use serde_json::Value;

/// A tool extension.
pub trait Extension {
    /// Its tools. Asked once for each component, configuration and grant, with neither network nor directories.
    fn tools() -> Vec<Tool>;

    /// Runs the tool of this name. `arguments` fit the tool's input schema: they were held to it before.
    ///
    /// # Errors
    /// Why there is no answer, for a model that can repair the call or tell its user.
    fn call(tool: &str, arguments: &Value) -> Result<Reply, Failure>;
}

/// One tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Unique among the extension's tools, 1 to 128 characters.
    pub name: String,
    /// A short human name.
    pub title: Option<String>,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema 2020-12 of the arguments object, with `"type": "object"` at its root.
    pub input_schema: Value,
    /// JSON Schema 2020-12 of [`Reply::structured`].
    pub output_schema: Option<Value>,
    /// What it does to the world.
    pub hints: Hints,
    /// A group for search and for choosing tools.
    pub category: Option<String>,
    /// Further words a search should find it by.
    pub keywords: Vec<String>,
}

impl Tool {
    /// A tool that says nothing of what it does to the world.
    #[must_use]
    pub fn new(name: &str, description: &str, input_schema: Value) -> Self {
        Self {
            name: name.to_owned(),
            title: None,
            description: description.to_owned(),
            input_schema,
            output_schema: None,
            hints: Hints::default(),
            category: None,
            keywords: Vec::new(),
        }
    }
}

/// What a tool does to the world; `None` where it cannot say, which clients read as the worst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may remove or overwrite something.
    pub destructive: Option<bool>,
    /// Calling it twice is calling it once.
    pub idempotent: Option<bool>,
    /// It reaches the outside world.
    pub open_world: Option<bool>,
}

impl Hints {
    /// Of a tool that only reads, and only here.
    pub const READS: Self =
        Self { read_only: Some(true), destructive: Some(false), idempotent: Some(true), open_world: Some(false) };
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    /// For a model to read; where absent, the JSON of `structured` stands for it.
    pub text: Option<String>,
    /// What the tool's output schema describes.
    pub structured: Option<Value>,
}

impl Reply {
    /// An answer in words.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), structured: None }
    }

    /// An answer of the announced shape.
    #[must_use]
    pub fn value(value: Value) -> Self {
        Self { text: None, structured: Some(value) }
    }
}

/// What kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Something is wrong with the arguments that no schema can say.
    Arguments,
    /// What it needs was not granted or not allowed.
    NotAllowed,
    /// It passes by itself.
    Temporary,
    /// Anything else.
    Failed,
}

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind.
    pub class: Class,
    /// What failed, on what.
    pub message: String,
    /// The next step, if there is one to name.
    pub hint: Option<String>,
}

impl Failure {
    /// A failure of this kind.
    #[must_use]
    pub fn new(class: Class, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), hint: None }
    }

    /// The same with a next step.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}
