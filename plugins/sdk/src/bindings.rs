//! The generated bindings and the translation between them and the author's types.
//!
//! One generated world a contract: a component's type section then names exactly the roles it exports. Nothing here
//! is public surface; authors use [`crate::export_mapper!`] and its siblings.

use crate::{engine, errors, mapper, projection};
use serde_json::Value;
use std::cell::RefCell;
use std::marker::PhantomData;

/// `abi-mcp:mapper`, as generated.
#[allow(unsafe_code, missing_docs, unreachable_pub, clippy::all, clippy::indexing_slicing, reason = "generated")]
pub mod mapper_world {
    wit_bindgen::generate!({
        path: "../../wit/mapper/0.1.0",
        world: "mapper",
        pub_export_macro: true,
    });
}

/// The optional part of `abi-mcp:mapper`, as generated.
#[allow(unsafe_code, missing_docs, unreachable_pub, clippy::all, clippy::indexing_slicing, reason = "generated")]
pub mod projection_world {
    wit_bindgen::generate!({
        path: "../../wit/mapper/0.1.0",
        world: "projection-only",
        pub_export_macro: true,
    });
}

/// `abi-mcp:errors`, as generated.
#[allow(unsafe_code, missing_docs, unreachable_pub, clippy::all, clippy::indexing_slicing, reason = "generated")]
pub mod errors_world {
    wit_bindgen::generate!({
        path: "../../wit/errors/0.1.0",
        world: "errors",
        pub_export_macro: true,
    });
}

/// `abi-mcp:engine`, as generated.
#[allow(unsafe_code, missing_docs, unreachable_pub, clippy::all, clippy::indexing_slicing, reason = "generated")]
pub mod engine_world {
    wit_bindgen::generate!({
        path: "../../wit/engine/0.1.0",
        world: "engine-component",
        pub_export_macro: true,
    });
}

/// Carries an author's type `T` to the generated traits.
pub struct Component<T>(PhantomData<T>);

/// What `render` needs of the mapping made just before in this instance, so that nothing is parsed twice.
struct Rendered {
    manifest: Vec<u8>,
    signatures: Vec<(String, String)>,
}

thread_local! {
    static RENDERED: RefCell<Option<Rendered>> = const { RefCell::new(None) };
}

fn map_and_keep<T: mapper::Mapper>(
    manifest: Vec<u8>,
    options: &mapper::Options,
) -> Result<mapper::Mapping, mapper::Fault> {
    let mapping = T::map(&manifest, options)?;
    let signatures = mapping.methods.iter().map(|method| (method.name.clone(), method.signature.clone())).collect();
    RENDERED.set(Some(Rendered { manifest, signatures }));
    Ok(mapping)
}

fn render<T: mapper::Mapper>(manifest: Vec<u8>, names: &[String]) -> Result<Vec<String>, mapper::Fault> {
    let kept = RENDERED.with_borrow(|kept| kept.as_ref().is_some_and(|kept| kept.manifest == manifest));
    if !kept {
        // The mapping itself is not wanted here, only the signatures it leaves behind.
        map_and_keep::<T>(manifest, &mapper::Options { list_internal: true })?;
    }
    RENDERED.with_borrow(|kept| {
        let signatures = kept.as_ref().map_or(&[][..], |kept| &kept.signatures);
        mapper::pick_signatures(signatures, names)
    })
}

fn parse(text: &str) -> Result<Value, Vec<mapper::Problem>> {
    crate::json::parse(text.as_bytes()).map_err(|message| vec![mapper::Problem { at: String::new(), message }])
}

mod mapping {
    use super::mapper_world::exports::abi_mcp::mapper::{codec, schema, signature};
    use super::{Component, map_and_keep, mapper, parse, render};

    impl<T: mapper::Mapper> schema::Guest for Component<T> {
        fn recognise(manifest: Vec<u8>) -> Option<schema::Recognition> {
            T::recognise(&manifest).map(|found| schema::Recognition {
                ecosystem: found.ecosystem,
                format: found.format,
                subject_version: found.subject_version,
                fit: match found.fit {
                    mapper::Fit::Exact => schema::Fit::Exact,
                    mapper::Fit::Compatible => schema::Fit::Compatible,
                },
                reasons: found.reasons,
            })
        }

        fn map_manifest(manifest: Vec<u8>, options: schema::Options) -> Result<schema::Mapping, schema::Fault> {
            let options = mapper::Options { list_internal: options.list_internal };
            let mapping = map_and_keep::<T>(manifest, &options)?;
            Ok(mapping.into())
        }
    }

    impl<T: mapper::Mapper> signature::Guest for Component<T> {
        fn render(manifest: Vec<u8>, names: Vec<String>) -> Result<Vec<String>, schema::Fault> {
            Ok(render::<T>(manifest, &names)?)
        }
    }

    impl<T: mapper::Mapper> codec::Guest for Component<T> {
        fn encode_arguments(plan: Vec<u8>, json: String) -> Result<codec::Encoded, Vec<codec::Problem>> {
            match parse(&json).and_then(|arguments| T::encode(&plan, arguments)) {
                Ok(encoded) => Ok(codec::Encoded { json: encoded.json, alternatives: encoded.alternatives }),
                Err(problems) => Err(problems.into_iter().map(Into::into).collect()),
            }
        }

        fn decode_result(plan: Vec<u8>, json: String) -> Result<String, Vec<codec::Problem>> {
            match parse(&json).and_then(|value| T::decode(&plan, value)) {
                Ok(value) => Ok(value.to_string()),
                Err(problems) => Err(problems.into_iter().map(Into::into).collect()),
            }
        }
    }

    impl From<mapper::Problem> for codec::Problem {
        fn from(problem: mapper::Problem) -> Self {
            Self { at: problem.at, message: problem.message }
        }
    }

    impl From<mapper::Fault> for schema::Fault {
        fn from(fault: mapper::Fault) -> Self {
            match fault {
                mapper::Fault::NotRecognised(found) => Self::NotRecognised(found),
                mapper::Fault::Malformed { at, problem } => Self::Malformed(schema::Malformation { at, problem }),
                mapper::Fault::TooLarge(bound) => Self::TooLarge(bound),
            }
        }
    }

    impl From<mapper::Mapping> for schema::Mapping {
        fn from(mapping: mapper::Mapping) -> Self {
            let skipped = |it: mapper::Skipped| schema::Skipped { method: it.method, reason: it.reason };
            let note = |it: mapper::Note| schema::Note { method: it.method, path: it.path, text: it.text };
            Self {
                methods: mapping.methods.into_iter().map(Into::into).collect(),
                skipped: mapping.skipped.into_iter().map(skipped).collect(),
                notes: mapping.notes.into_iter().map(note).collect(),
            }
        }
    }

    impl From<mapper::Method> for schema::Method {
        fn from(method: mapper::Method) -> Self {
            let parameter =
                |it: mapper::Parameter| schema::Parameter { name: it.name, required: it.required, doc: it.doc };
            Self {
                name: method.name,
                title: method.title,
                doc: method.doc,
                role: match method.role {
                    mapper::Role::Ordinary => schema::Role::Ordinary,
                    mapper::Role::Initialiser => schema::Role::Initialiser,
                    mapper::Role::Handler => schema::Role::Handler,
                    mapper::Role::Timer => schema::Role::Timer,
                },
                access: match method.access {
                    mapper::Access::View => schema::Access::View,
                    mapper::Access::Mutate => schema::Access::Mutate,
                    mapper::Access::Unspecified => schema::Access::Unspecified,
                },
                destructive: method.destructive,
                idempotent: method.idempotent,
                open_world: method.open_world,
                category: method.category,
                keywords: method.keywords,
                parameters: method.parameters.into_iter().map(parameter).collect(),
                input_schema: method.input_schema.to_string(),
                output_schema: method.output_schema.map(|schema| schema.to_string()),
                plan: method.plan,
                call_spec: method.call_spec.map(|spec| schema::CallSpec { format: spec.format, bytes: spec.bytes }),
                needs_encode: method.needs_encode,
                needs_decode: method.needs_decode,
                meta: method.meta.map(|meta| meta.to_string()),
            }
        }
    }
}

mod writer {
    use super::projection_world::exports::abi_mcp::mapper::projection as contract;
    use super::{Component, mapper, projection};

    impl<T: projection::Projection> contract::Guest for Component<T> {
        fn formats() -> Vec<String> {
            T::formats().iter().map(|&format| format.to_owned()).collect()
        }

        fn project(manifest: Vec<u8>, format: String, settings: String) -> Result<Vec<u8>, contract::Fault> {
            let settings = projection::settings(&settings)?;
            Ok(T::project(&manifest, &format, &settings)?)
        }
    }

    impl From<mapper::Fault> for contract::Fault {
        fn from(fault: mapper::Fault) -> Self {
            match fault {
                mapper::Fault::NotRecognised(found) => Self::NotRecognised(found),
                mapper::Fault::Malformed { at, problem } => Self::Malformed(contract::Malformation { at, problem }),
                mapper::Fault::TooLarge(bound) => Self::TooLarge(bound),
            }
        }
    }
}

mod decoder {
    use super::errors_world::exports::abi_mcp::errors::decoder;
    use super::{Component, errors};

    impl<T: errors::ErrorDecoder> decoder::Guest for Component<T> {
        fn decode(failure: decoder::Failure) -> Option<decoder::Explanation> {
            T::decode(&failure.into()).map(|explanation| decoder::Explanation {
                message: explanation.message,
                class: explanation.class.into(),
                retry: match explanation.retry {
                    errors::Retry::No => decoder::Retry::No,
                    errors::Retry::Later => decoder::Retry::Later,
                    errors::Retry::AfterChange => decoder::Retry::AfterChange,
                },
                hint: explanation.hint,
            })
        }
    }

    impl From<decoder::Failure> for errors::Failure {
        fn from(failure: decoder::Failure) -> Self {
            match failure {
                decoder::Failure::Guest(guest) => Self::Guest(errors::GuestFailure {
                    kind: guest.kind,
                    // Data that is not JSON still says something: it is taken as text.
                    data: guest.data.map(|text| serde_json::from_str(&text).unwrap_or(text.into())),
                    message: guest.message,
                    method: guest.method,
                    signature: guest.signature,
                }),
                decoder::Failure::Http(http) => Self::Http(errors::HttpFailure {
                    status: http.status,
                    reason: http.reason,
                    path: http.path,
                    headers: http.headers,
                    body: http.body,
                }),
                decoder::Failure::Transport(words) => Self::Transport(words),
            }
        }
    }

    impl From<errors::Class> for decoder::Class {
        fn from(class: errors::Class) -> Self {
            match class {
                errors::Class::Application => Self::Application,
                errors::Class::ArgumentsNotRead => Self::ArgumentsNotRead,
                errors::Class::Crashed => Self::Crashed,
                errors::Class::MethodNotFound => Self::MethodNotFound,
                errors::Class::ContextNotFound => Self::ContextNotFound,
                errors::Class::Temporary => Self::Temporary,
                errors::Class::NotAllowed => Self::NotAllowed,
                errors::Class::BadRequest => Self::BadRequest,
                errors::Class::Backend => Self::Backend,
            }
        }
    }
}

mod runner {
    use super::engine_world::exports::abi_mcp::engine::engine as contract;
    use super::{Component, engine, mapper};

    impl<T: engine::Engine> contract::Guest for Component<T> {
        fn describe() -> contract::About {
            let engine::About { name, release, licence, limits } = T::describe();
            contract::About { name, release, licence, limits }
        }

        fn accepts() -> Vec<String> {
            T::accepts().iter().map(|&format| format.to_owned()).collect()
        }

        fn supported(specs: Vec<contract::CallSpec>) -> Vec<contract::Unsupported> {
            let lacking = |(index, spec): (u32, contract::CallSpec)| {
                Some(contract::Unsupported { index, reason: engine::unsupported::<T>(&spec.into())? })
            };
            (0..).zip(specs).filter_map(lacking).collect()
        }

        fn execute(spec: contract::CallSpec, arguments: String) -> Result<Option<String>, contract::Failure> {
            Ok(engine::execute::<T>(&spec.into(), &arguments)?)
        }
    }

    impl From<contract::CallSpec> for mapper::CallSpec {
        fn from(spec: contract::CallSpec) -> Self {
            Self { format: spec.format, bytes: spec.bytes }
        }
    }

    impl From<engine::CallFailure> for contract::Failure {
        fn from(failure: engine::CallFailure) -> Self {
            let engine::CallFailure { stage, argument, code, message } = failure;
            let stage = match stage {
                engine::Stage::Arguments => contract::Stage::Arguments,
                engine::Stage::Execution => contract::Stage::Execution,
                engine::Stage::Outcome => contract::Stage::Outcome,
            };
            Self { stage, argument, code, message }
        }
    }
}
