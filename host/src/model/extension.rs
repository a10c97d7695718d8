//! What a tool extension answers.

/// An answer; at least one of the two is there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExtensionReply {
    /// For a model to read.
    pub text: Option<String>,
    /// JSON text of the value its output schema describes.
    pub structured: Option<String>,
}

/// What kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtensionClass {
    /// Something is wrong with the arguments that no schema can say.
    Arguments,
    /// What it needs was not granted or not allowed.
    NotAllowed,
    /// It passes by itself.
    Temporary,
    /// Anything else.
    Failed,
}

/// Why an extension's tool has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionFailure {
    /// What kind.
    pub class: ExtensionClass,
    /// What failed, on what; its own words.
    pub message: String,
    /// The next step, if it names one.
    pub hint: Option<String>,
}
