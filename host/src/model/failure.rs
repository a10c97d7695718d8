//! A failure before and after an error decoder has read it.

/// What went wrong, undecoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The application or its runtime refused.
    Guest(GuestFailure),
    /// The backend's HTTP side refused.
    Http(HttpFailure),
    /// No answer at all: the transport's own words.
    Transport(String),
}

/// An error of the application's runtime.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GuestFailure {
    /// The kind the backend gives; empty when it gave none.
    pub kind: String,
    /// The error's data, as JSON text.
    pub data: Option<String>,
    /// The error's own message.
    pub message: Option<String>,
    /// The method called.
    pub method: String,
    /// Its signature.
    pub signature: Option<String>,
}

/// An HTTP answer that is not a success.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpFailure {
    /// The status code.
    pub status: u16,
    /// The reason phrase.
    pub reason: String,
    /// The request's address, or at least its path; without query.
    pub path: String,
    /// Response headers that may explain it, lower-case names.
    pub headers: Vec<(String, String)>,
    /// The body, cut at 64 KiB.
    pub body: String,
}

/// A stable class of failure; nothing matches on words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The application's own error.
    Application,
    /// The arguments were refused before the method's body ran; another encoding may be tried.
    ArgumentsNotRead,
    /// The method panicked, trapped or ran out of its budget.
    Crashed,
    /// No such method.
    MethodNotFound,
    /// What the call runs against does not exist or is not ours.
    ContextNotFound,
    /// It passes by itself.
    Temporary,
    /// Not allowed, or not logged in.
    NotAllowed,
    /// The backend refused the request as it was made.
    BadRequest,
    /// The backend failed or could not be reached.
    Backend,
}

/// Whether trying again makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// The same call will fail again.
    No,
    /// The same call may succeed in a moment.
    Later,
    /// A changed call may succeed.
    AfterChange,
}

/// A failure in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// For a person and a model.
    pub message: String,
    /// What kind.
    pub class: Class,
    /// Whether to try again.
    pub retry: Retry,
    /// The next step.
    pub hint: Option<String>,
}
