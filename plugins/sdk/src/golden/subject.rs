//! An author's types as a subject of the harness: our plain types onto its, and JSON text onto values.

use crate::{Access, Class, ErrorDecoder, Failure, Fault, Fit, GuestFailure, HttpFailure, Options, Retry, Role};
use abi_mcp_golden::{self as golden, Stopped, Subject};
use serde_json::Value;
use std::marker::PhantomData;

/// How to accept what a plugin now answers.
const ACCEPT: &str = "BLESS=1 cargo test";

/// A mapper.
pub(super) struct OfMapper<M>(PhantomData<M>);

/// An error decoder.
pub(super) struct OfDecoder<D>(PhantomData<D>);

impl<M> OfMapper<M> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<D> OfDecoder<D> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<M: crate::Mapper> Subject for OfMapper<M> {
    fn mapper(&mut self) -> Option<&mut dyn golden::Mapper> {
        Some(self)
    }

    fn is_whole(&self) -> bool {
        false
    }

    fn accept(&self) -> String {
        ACCEPT.to_owned()
    }
}

impl<D: ErrorDecoder> Subject for OfDecoder<D> {
    fn decoder(&mut self) -> Option<&mut dyn golden::Decoder> {
        Some(self)
    }

    fn is_whole(&self) -> bool {
        false
    }

    fn accept(&self) -> String {
        ACCEPT.to_owned()
    }
}

impl<M: crate::Mapper> golden::Mapper for OfMapper<M> {
    fn recognise(&mut self, manifest: &str) -> Result<Option<golden::Recognition>, Stopped> {
        Ok(M::recognise(manifest.as_bytes()).map(recognition))
    }

    fn map(&mut self, manifest: &str) -> Result<Result<golden::Mapping, golden::Fault>, Stopped> {
        Ok(M::map(manifest.as_bytes(), &Options::default()).map(mapping).map_err(fault))
    }

    fn encode(
        &mut self,
        plan: &[u8],
        arguments: &str,
    ) -> Result<Result<golden::Encoded, Vec<golden::Problem>>, Stopped> {
        let encoded = M::encode(plan, value(arguments)?).map_err(problems);
        Ok(encoded.map(|it| golden::Encoded { json: it.json, alternatives: it.alternatives }))
    }

    fn decode(&mut self, plan: &[u8], result: &str) -> Result<Result<String, Vec<golden::Problem>>, Stopped> {
        Ok(M::decode(plan, value(result)?).map(|it| it.to_string()).map_err(problems))
    }
}

impl<D: ErrorDecoder> golden::Decoder for OfDecoder<D> {
    fn explain(&mut self, given: &golden::Failure) -> Result<Option<golden::Explanation>, Stopped> {
        Ok(D::decode(&failure(given)?).map(explanation))
    }
}

fn value(text: &str) -> Result<Value, Stopped> {
    serde_json::from_str(text).map_err(|error| Stopped(format!("was given no JSON: {error}")))
}

fn recognition(given: crate::Recognition) -> golden::Recognition {
    golden::Recognition {
        ecosystem: given.ecosystem,
        format: given.format,
        subject_version: given.subject_version,
        fit: match given.fit {
            Fit::Exact => "exact",
            Fit::Compatible => "compatible",
        },
        reasons: given.reasons,
    }
}

fn mapping(given: crate::Mapping) -> golden::Mapping {
    let skipped = |it: crate::Skipped| golden::Skipped { method: it.method, reason: it.reason };
    let note = |it: crate::Note| golden::Note { method: it.method, path: it.path, text: it.text };
    golden::Mapping {
        methods: given.methods.into_iter().map(method).collect(),
        skipped: given.skipped.into_iter().map(skipped).collect(),
        notes: given.notes.into_iter().map(note).collect(),
    }
}

fn method(given: crate::Method) -> golden::Method {
    let parameter = |it: crate::Parameter| golden::Parameter { name: it.name, required: it.required, doc: it.doc };
    golden::Method {
        name: given.name,
        signature: given.signature,
        title: given.title,
        doc: given.doc,
        role: match given.role {
            Role::Ordinary => "ordinary",
            Role::Initialiser => "initialiser",
            Role::Handler => "handler",
            Role::Timer => "timer",
        },
        access: match given.access {
            Access::View => "view",
            Access::Mutate => "mutate",
            Access::Unspecified => "unspecified",
        },
        destructive: given.destructive,
        idempotent: given.idempotent,
        open_world: given.open_world,
        category: given.category,
        keywords: given.keywords,
        parameters: given.parameters.into_iter().map(parameter).collect(),
        input_schema: given.input_schema.to_string(),
        output_schema: given.output_schema.map(|schema| schema.to_string()),
        plan: given.plan,
        call_spec: given.call_spec.map(|spec| golden::CallSpec { format: spec.format, bytes: spec.bytes }),
        needs_encode: given.needs_encode,
        needs_decode: given.needs_decode,
        meta: given.meta.map(|meta| meta.to_string()),
    }
}

fn fault(given: Fault) -> golden::Fault {
    match given {
        Fault::NotRecognised(found) => golden::Fault::NotRecognised(found),
        Fault::Malformed { at, problem } => golden::Fault::Malformed { at, problem },
        Fault::TooLarge(bound) => golden::Fault::TooLarge(bound),
    }
}

fn problems(given: Vec<crate::Problem>) -> Vec<golden::Problem> {
    given.into_iter().map(|it| golden::Problem { at: it.at, message: it.message }).collect()
}

fn failure(given: &golden::Failure) -> Result<Failure, Stopped> {
    Ok(match given.clone() {
        golden::Failure::Guest(guest) => Failure::Guest(GuestFailure {
            kind: guest.kind,
            data: guest.data.as_deref().map(value).transpose()?,
            message: guest.message,
            method: guest.method,
            signature: guest.signature,
        }),
        golden::Failure::Http(http) => Failure::Http(HttpFailure {
            status: http.status,
            reason: http.reason,
            path: http.path,
            headers: http.headers,
            body: http.body,
        }),
        golden::Failure::Transport(words) => Failure::Transport(words),
    })
}

fn explanation(given: crate::Explanation) -> golden::Explanation {
    golden::Explanation {
        message: given.message,
        class: match given.class {
            Class::Application => "application",
            Class::ArgumentsNotRead => "arguments-not-read",
            Class::Crashed => "crashed",
            Class::MethodNotFound => "method-not-found",
            Class::ContextNotFound => "context-not-found",
            Class::Temporary => "temporary",
            Class::NotAllowed => "not-allowed",
            Class::BadRequest => "bad-request",
            Class::Backend => "backend",
        },
        retry: match given.retry {
            Retry::No => "no",
            Retry::Later => "later",
            Retry::AfterChange => "after-change",
        },
        hint: given.hint,
    }
}
