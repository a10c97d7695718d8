//! The error-decoder role: explains transport failures, knows no other kind.

use crate::behave::{flood, misbehave};

mod bindings {
    wit_bindgen::generate!({ path: "../../../wit/errors/0.1.0", world: "errors", pub_export_macro: true });
}

use bindings::exports::abi_mcp::errors::decoder::{Class, Explanation, Failure, Guest, Retry};

struct Hostile;

bindings::export!(Hostile with_types_in bindings);

impl Guest for Hostile {
    fn decode(failure: Failure) -> Option<Explanation> {
        let Failure::Transport(text) = failure else { return None };
        misbehave(&text);
        let message = if text == "flood" { flood() } else { format!("no answer: {text}") };
        Some(Explanation { message, class: Class::Backend, retry: Retry::Later, hint: None })
    }
}
