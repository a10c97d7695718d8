//! The host's plain types onto the golden harness's, and back where a case gives them.

use crate::model::{
    Access, Class, Explanation, ExtensionClass, ExtensionFailure, ExtensionReply, Failure, Fault, Fit, GuestFailure,
    HttpFailure, Mapping, Method, Problem, Recognition, Retry, Role, Skipped,
};
use abi_mcp_golden as golden;
use serde_json::Value;

pub(super) fn recognition(given: Recognition) -> golden::Recognition {
    golden::Recognition {
        ecosystem: given.ecosystem,
        format: given.format,
        subject_version: given.subject_version.map(|version| version.to_string()),
        fit: match given.fit {
            Fit::Exact => "exact",
            Fit::Compatible => "compatible",
        },
        reasons: given.reasons,
    }
}

pub(super) fn mapping(given: Mapping) -> golden::Mapping {
    let note = |it: crate::model::Note| golden::Note { method: it.method, path: it.path, text: it.text };
    golden::Mapping {
        methods: given.methods.into_iter().map(method).collect(),
        skipped: given.skipped.into_iter().map(skipped).collect(),
        notes: given.notes.into_iter().map(note).collect(),
    }
}

pub(super) fn skipped(given: Skipped) -> golden::Skipped {
    golden::Skipped { method: given.method, reason: given.reason }
}

fn method(given: Method) -> golden::Method {
    let parameter =
        |it: crate::model::Parameter| golden::Parameter { name: it.name, required: it.required, doc: it.doc };
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
        input_schema: Value::Object(given.input_schema).to_string(),
        output_schema: given.output_schema.map(|schema| schema.to_string()),
        plan: given.plan.to_vec(),
        call_spec: given.call_spec.map(|spec| golden::CallSpec { format: spec.format, bytes: spec.bytes.to_vec() }),
        needs_encode: given.needs_encode,
        needs_decode: given.needs_decode,
        meta: given.meta.map(|meta| Value::Object(meta).to_string()),
    }
}

pub(super) fn fault(given: Fault) -> golden::Fault {
    match given {
        Fault::NotRecognised(found) => golden::Fault::NotRecognised(found),
        Fault::Malformed { at, problem } => golden::Fault::Malformed { at, problem },
        Fault::TooLarge(bound) => golden::Fault::TooLarge(bound),
    }
}

pub(super) fn problems(given: Vec<Problem>) -> Vec<golden::Problem> {
    given.into_iter().map(|it| golden::Problem { at: it.at, message: it.message }).collect()
}

pub(super) fn failure(given: &golden::Failure) -> Failure {
    match given.clone() {
        golden::Failure::Guest(guest) => Failure::Guest(GuestFailure {
            kind: guest.kind,
            data: guest.data,
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
    }
}

pub(super) fn explanation(given: Explanation) -> golden::Explanation {
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

pub(super) fn tool(given: &Method) -> golden::Tool {
    golden::Tool {
        name: given.name.clone(),
        title: given.title.clone(),
        description: given.doc.clone(),
        input_schema: Value::Object(given.input_schema.clone()).to_string(),
        output_schema: given.output_schema.as_ref().map(ToString::to_string),
        read_only: given.access == Access::View,
        destructive: given.destructive,
        idempotent: given.idempotent,
        open_world: given.open_world,
        category: given.category.clone(),
        keywords: given.keywords.clone(),
    }
}

pub(super) fn called(answer: Result<ExtensionReply, ExtensionFailure>) -> golden::Called {
    match answer {
        Ok(ExtensionReply { text, structured }) => golden::Called::Reply { text, structured },
        Err(ExtensionFailure { class, message, hint }) => golden::Called::Error {
            class: match class {
                ExtensionClass::Arguments => "arguments",
                ExtensionClass::NotAllowed => "not-allowed",
                ExtensionClass::Temporary => "temporary",
                ExtensionClass::Failed => "failed",
            },
            message,
            hint,
        },
    }
}
