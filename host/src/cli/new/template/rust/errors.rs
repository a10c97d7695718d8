//! {{name}}: an error decoder.
//!
//! [`decode`](Guest::decode) turns one ecosystem's raw failures into words, and says nothing about those it does not
//! know. It imports nothing and keeps nothing between calls.

use exports::abi_mcp::errors::decoder::{Class, Explanation, Failure, Guest, Retry};

wit_bindgen::generate!({ path: "wit", world: "errors" });

struct Plugin;

impl Guest for Plugin {
    fn decode(failure: Failure) -> Option<Explanation> {
        let Failure::Guest(guest) = failure else { return None };
        // Replace this kind by those of your ecosystem's runtime.
        (guest.kind == "Busy").then(|| Explanation {
            message: format!("`{}` is busy", guest.method),
            class: Class::Temporary,
            retry: Retry::Later,
            hint: None,
        })
    }
}

#[cfg(target_arch = "wasm32")]
export!(Plugin);

#[cfg(test)]
mod tests {
    use super::*;
    use exports::abi_mcp::errors::decoder::GuestFailure;

    #[test]
    fn it_explains_its_own_failures_and_no_others() {
        let failure = |kind: &str| {
            let (kind, method) = (kind.to_owned(), "greet".to_owned());
            Failure::Guest(GuestFailure { kind, data: None, message: None, method, signature: None })
        };
        assert_eq!(Plugin::decode(failure("Busy")).unwrap().message, "`greet` is busy");
        assert!(Plugin::decode(failure("Other")).is_none());
        assert!(Plugin::decode(Failure::Transport(String::new())).is_none());
    }
}
