//! The adapter of `abi-mcp:errors@0.1`: its types onto `model`, and nothing else.

use super::Decoder;
use crate::model;
use crate::sandbox::{Compiled, Error, GuestStore, State};
use std::sync::Arc;
use wasmtime::component::Linker;

mod bindings {
    wasmtime::component::bindgen!({ path: "../wit/errors/0.1.0", world: "errors" });
}

use bindings::exports::abi_mcp::errors::decoder;

/// The contract as it is named in messages.
const CONTRACT: &str = "abi-mcp:errors@0.1.0";

/// A linked component; instances come from it.
struct Linked(bindings::ErrorsPre<State>);

/// Links a component. The linker is empty: this contract imports nothing.
pub(super) fn link(component: &Compiled) -> Result<Arc<dyn Decoder>, Error> {
    let (engine, component) = component.parts();
    let linked = Linker::new(engine).instantiate_pre(component).and_then(bindings::ErrorsPre::new);
    match linked {
        Ok(linked) => Ok(Arc::new(Linked(linked))),
        Err(error) => Err(Error::link(CONTRACT, &error)),
    }
}

impl Decoder for Linked {
    fn explain(&self, store: &mut GuestStore, given: &model::Failure) -> Result<Option<model::Explanation>, Error> {
        let guest = store.start(|store| self.0.instantiate(store))?;
        let failure = failure(given);
        let answer = store.call(|store| guest.abi_mcp_errors_decoder().call_decode(store, &failure))?;
        Ok(answer.map(explanation))
    }
}

fn failure(given: &model::Failure) -> decoder::Failure {
    match given.clone() {
        model::Failure::Guest(failure) => decoder::Failure::Guest(decoder::GuestFailure {
            kind: failure.kind,
            data: failure.data,
            message: failure.message,
            method: failure.method,
            signature: failure.signature,
        }),
        model::Failure::Http(failure) => decoder::Failure::Http(decoder::HttpFailure {
            status: failure.status,
            reason: failure.reason,
            path: failure.path,
            headers: failure.headers,
            body: failure.body,
        }),
        model::Failure::Transport(text) => decoder::Failure::Transport(text),
    }
}

fn explanation(given: decoder::Explanation) -> model::Explanation {
    model::Explanation {
        message: given.message,
        class: class(given.class),
        retry: match given.retry {
            decoder::Retry::No => model::Retry::No,
            decoder::Retry::Later => model::Retry::Later,
            decoder::Retry::AfterChange => model::Retry::AfterChange,
        },
        hint: given.hint,
    }
}

fn class(given: decoder::Class) -> model::Class {
    match given {
        decoder::Class::Application => model::Class::Application,
        decoder::Class::ArgumentsNotRead => model::Class::ArgumentsNotRead,
        decoder::Class::Crashed => model::Class::Crashed,
        decoder::Class::MethodNotFound => model::Class::MethodNotFound,
        decoder::Class::ContextNotFound => model::Class::ContextNotFound,
        decoder::Class::Temporary => model::Class::Temporary,
        decoder::Class::NotAllowed => model::Class::NotAllowed,
        decoder::Class::BadRequest => model::Class::BadRequest,
        decoder::Class::Backend => model::Class::Backend,
    }
}
