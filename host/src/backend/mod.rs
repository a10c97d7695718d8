//! What executes a method: a node, in one of its contexts, or an engine, in a fresh instance.
//!
//! In come a method and its encoded arguments, out comes the raw result as JSON text or a failure in the backend's own
//! words. Knows no gate and no schema.

use crate::artifact::{Plugin, PluginError};
use crate::model::{
    CallScope, Class, EngineFailure, Explanation, Failure, GuestFailure, HttpFailure, Method, Retry, Stage,
};
use crate::source::{self, NodeSource};
use serde_json::json;
use std::fmt;
use std::time::Duration;

/// Where one call runs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Backend<'a> {
    /// In a context of a node, named by its id.
    Context {
        /// The node.
        node: &'a NodeSource,
        /// The context.
        id: &'a str,
    },
    /// In an engine.
    Engine(&'a Plugin),
}

/// Why a call has no result.
#[derive(Debug, Clone)]
pub(crate) enum Error {
    /// The node's answer, or the lack of one.
    Node(source::Error),
    /// The engine's own words.
    Engine(EngineFailure),
    /// The engine was stopped: a trap, its deadline, its memory.
    Stopped(PluginError),
    /// The method's mapper wrote nothing an engine could run.
    NoCallSpec,
}

impl Backend<'_> {
    /// Runs a method; `None` for nothing.
    ///
    /// # Errors
    /// The application, function or backend refused or failed.
    pub(crate) async fn execute(
        self,
        method: &Method,
        arguments: &str,
        scope: &CallScope,
    ) -> Result<Option<String>, Error> {
        match self {
            Self::Context { node, id } => {
                let call = source::Call { context: id, method: &method.name, arguments };
                node.execute(call, scope).await.map_err(Error::Node)
            }
            Self::Engine(engine) => {
                let spec = method.call_spec.as_ref().ok_or(Error::NoCallSpec)?;
                let answer = engine.execute(spec, arguments, &scope.cancel).await.map_err(Error::Stopped)?;
                answer.map_err(Error::Engine)
            }
        }
    }

    /// The context's id, where there is one.
    pub(crate) fn context(&self) -> Option<&str> {
        match self {
            Self::Context { id, .. } => Some(id),
            Self::Engine(_) => None,
        }
    }
}

impl Error {
    /// What an error decoder can have words for; `None` where only the error itself can say it.
    pub(crate) fn failure(&self, method: &Method) -> Option<Failure> {
        match self {
            Self::Node(error) => {
                let mut failure = error.failure()?;
                if let Failure::Guest(guest) = &mut failure {
                    guest.signature = Some(method.signature.clone());
                }
                Some(failure)
            }
            Self::Engine(failure) => Some(Failure::Guest(GuestFailure {
                kind: failure.code.clone().unwrap_or_default(),
                data: Some(json!({"stage": stage(failure.stage), "argument": failure.argument}).to_string()),
                message: Some(failure.message.clone()),
                method: method.name.clone(),
                signature: Some(method.signature.clone()),
            })),
            Self::Stopped(_) | Self::NoCallSpec => None,
        }
    }

    /// The explanation where no decoder has one.
    pub(crate) fn plainly(&self, failure: &Failure) -> Explanation {
        let (class, retry) = match (self, failure) {
            (Self::Engine(EngineFailure { stage: Stage::Arguments, .. }), _) => (Class::BadRequest, Retry::AfterChange),
            (_, Failure::Guest(_)) => (Class::Application, Retry::No),
            (_, Failure::Http(HttpFailure { status: 503, .. })) => (Class::Temporary, Retry::Later),
            (_, Failure::Http(_)) => (Class::Backend, Retry::No),
            (_, Failure::Transport(_)) => (Class::Backend, Retry::Later),
        };
        Explanation { message: self.to_string(), class, retry, hint: None }
    }

    /// How long the backend asks to wait.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Node(error) => error.retry_after(),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(error) => error.fmt(f),
            Self::Engine(EngineFailure { argument, code, message, .. }) => {
                if let Some(argument) = argument {
                    write!(f, "`{argument}`: ")?;
                }
                f.write_str(message)?;
                code.as_ref().map_or(Ok(()), |code| write!(f, " ({code})"))
            }
            Self::Stopped(error) => error.fmt(f),
            Self::NoCallSpec => f.write_str("its mapper says no way to call it"),
        }
    }
}

fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Arguments => "arguments",
        Stage::Execution => "execution",
        Stage::Outcome => "outcome",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engines_failure_names_the_argument_and_the_code() {
        let error = Error::Engine(EngineFailure {
            stage: Stage::Arguments,
            argument: Some("temp".to_owned()),
            code: Some("E_TEXT".to_owned()),
            message: "cannot be read".to_owned(),
        });
        assert_eq!(error.to_string(), "`temp`: cannot be read (E_TEXT)");
        let failure = Failure::Guest(GuestFailure::default());
        assert_eq!(error.plainly(&failure).class, Class::BadRequest);
    }
}
