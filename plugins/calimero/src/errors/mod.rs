//! A node's failures in words, whichever release the node is of.
//!
//! A node answers with a type name and perhaps data, whose form changed over the years; HTTP failures come from the
//! node, its auth service or a proxy before it. An application's own text always comes through unchanged.

mod guest;
mod http;
mod text;

use abi_mcp_sdk::{Class, Explanation, Failure, Retry};

/// Explains a failure; `None` where there is nothing to add to it.
pub(crate) fn explain(failure: &Failure) -> Option<Explanation> {
    match failure {
        Failure::Guest(guest) => guest::explain(guest),
        Failure::Http(http) => Some(http::explain(http)),
        // Which address was tried is the host's to say.
        Failure::Transport(_) => None,
    }
}

fn explanation(class: Class, retry: Retry, message: impl Into<String>) -> Explanation {
    Explanation { message: message.into(), class, retry, hint: None }
}

fn hinted(explanation: Explanation, hint: impl Into<String>) -> Explanation {
    Explanation { hint: Some(hint.into()), ..explanation }
}

#[cfg(test)]
mod tests;
