//! The adapter of `abi-mcp:mapper@0.1`: its types onto `model`, and nothing else.

use super::{DraftMapping, DraftMethod, Mapper, Projected};
use crate::model;
use crate::sandbox::{Compiled, Error, GuestStore, State};
use std::sync::Arc;
use wasmtime::component::Linker;

mod bindings {
    wasmtime::component::bindgen!({ path: "../wit/mapper/0.1.0", world: "mapper" });
}

/// The optional interface that writes whole tool manifests.
mod projecting {
    wasmtime::component::bindgen!({ path: "../wit/mapper/0.1.0", world: "projection-only" });
}

use bindings::exports::abi_mcp::mapper::{codec, schema};

/// The contract as it is named in messages.
const CONTRACT: &str = "abi-mcp:mapper@0.1.0";

/// A linked component; instances come from it.
struct Linked {
    mapper: bindings::MapperPre<State>,
    /// Absent where the component does not export the optional interface.
    projection: Option<projecting::ProjectionOnlyPre<State>>,
}

/// Links a component. The linker is empty: this contract imports nothing.
pub(super) fn link(component: &Compiled) -> Result<Arc<dyn Mapper>, Error> {
    let (engine, component) = component.parts();
    let linked = Linker::new(engine).instantiate_pre(component).and_then(|linked| {
        let projection = projecting::ProjectionOnlyPre::new(linked.clone()).ok();
        Ok(Linked { mapper: bindings::MapperPre::new(linked)?, projection })
    });
    match linked {
        Ok(linked) => Ok(Arc::new(linked)),
        Err(error) => Err(Error::link(CONTRACT, &error)),
    }
}

impl Mapper for Linked {
    fn recognise(&self, store: &mut GuestStore, manifest: &[u8]) -> Result<Option<model::Recognition>, Error> {
        let guest = store.start(|store| self.mapper.instantiate(store))?;
        let answer = store.call(|store| guest.abi_mcp_mapper_schema().call_recognise(store, manifest))?;
        Ok(answer.map(recognition))
    }

    fn map(
        &self,
        store: &mut GuestStore,
        manifest: &[u8],
        options: model::MapOptions,
    ) -> Result<Result<DraftMapping, model::Fault>, Error> {
        let guest = store.start(|store| self.mapper.instantiate(store))?;
        let options = schema::Options { list_internal: options.list_internal };
        let schema = guest.abi_mcp_mapper_schema();
        let mapping = match store.call(|store| schema.call_map_manifest(store, manifest, options))? {
            Ok(mapping) => mapping,
            Err(refused) => return Ok(Err(fault(refused))),
        };
        let names: Vec<String> = mapping.methods.iter().map(|method| method.name.clone()).collect();
        let rendered = store.call(|store| guest.abi_mcp_mapper_signature().call_render(store, manifest, &names))?;
        Ok(Ok(DraftMapping {
            methods: mapping.methods.into_iter().map(method).collect(),
            skipped: mapping.skipped.into_iter().map(skipped).collect(),
            notes: mapping.notes.into_iter().map(note).collect(),
            signatures: rendered.map_err(fault),
        }))
    }

    fn encode(
        &self,
        store: &mut GuestStore,
        plan: &[u8],
        arguments: String,
    ) -> Result<Result<model::Encoded, Vec<model::Problem>>, Error> {
        let guest = store.start(|store| self.mapper.instantiate(store))?;
        let codec = guest.abi_mcp_mapper_codec();
        let answer = store.call(|store| codec.call_encode_arguments(store, plan, &arguments))?;
        Ok(match answer {
            Ok(codec::Encoded { json, alternatives }) => Ok(model::Encoded { json, alternatives }),
            Err(problems) => Err(problems.into_iter().map(problem).collect()),
        })
    }

    fn decode(
        &self,
        store: &mut GuestStore,
        plan: &[u8],
        value: String,
    ) -> Result<Result<String, Vec<model::Problem>>, Error> {
        let guest = store.start(|store| self.mapper.instantiate(store))?;
        let answer = store.call(|store| guest.abi_mcp_mapper_codec().call_decode_result(store, plan, &value))?;
        Ok(answer.map_err(|problems| problems.into_iter().map(problem).collect()))
    }

    fn project(
        &self,
        store: &mut GuestStore,
        manifest: &[u8],
        format: &str,
        settings: &str,
    ) -> Result<Projected, Error> {
        let Some(projection) = &self.projection else { return Ok(Projected::None) };
        let guest = store.start(|store| projection.instantiate(store))?;
        let projection = guest.abi_mcp_mapper_projection();
        let (format, settings) = (format.to_owned(), settings.to_owned());
        let formats = store.call(|store| projection.call_formats(store))?;
        if !formats.contains(&format) {
            return Ok(Projected::UnknownFormat(formats));
        }
        let written = store.call(|store| projection.call_project(store, manifest, &format, &settings))?;
        Ok(match written {
            Ok(bytes) => Projected::Written(bytes),
            Err(refused) => Projected::Refused(projection_fault(refused)),
        })
    }
}

/// The same fault, as the optional interface spells it.
fn projection_fault(given: projecting::exports::abi_mcp::mapper::projection::Fault) -> model::Fault {
    use projecting::exports::abi_mcp::mapper::projection::{Fault, Malformation};
    match given {
        Fault::NotRecognised(found) => model::Fault::NotRecognised(found),
        Fault::Malformed(Malformation { at, problem }) => model::Fault::Malformed { at, problem },
        Fault::TooLarge(bound) => model::Fault::TooLarge(bound),
    }
}

fn recognition(given: schema::Recognition) -> model::Recognition {
    model::Recognition {
        ecosystem: given.ecosystem,
        format: given.format,
        subject_version: given.subject_version.map(model::SubjectVersion),
        fit: match given.fit {
            schema::Fit::Exact => model::Fit::Exact,
            schema::Fit::Compatible => model::Fit::Compatible,
        },
        reasons: given.reasons,
    }
}

fn method(given: schema::Method) -> DraftMethod {
    let method = model::Method {
        name: given.name,
        title: given.title,
        doc: given.doc,
        signature: String::new(),
        role: role(given.role),
        access: access(given.access),
        destructive: given.destructive,
        idempotent: given.idempotent,
        open_world: given.open_world,
        category: given.category,
        keywords: given.keywords,
        parameters: given.parameters.into_iter().map(parameter).collect(),
        input_schema: model::JsonObject::new(),
        output_schema: None,
        plan: given.plan.into(),
        call_spec: given.call_spec.map(|spec| model::CallSpec { format: spec.format, bytes: spec.bytes.into() }),
        needs_encode: given.needs_encode,
        needs_decode: given.needs_decode,
        meta: None,
    };
    DraftMethod { method, input_schema: given.input_schema, output_schema: given.output_schema, meta: given.meta }
}

fn role(given: schema::Role) -> model::Role {
    match given {
        schema::Role::Ordinary => model::Role::Ordinary,
        schema::Role::Initialiser => model::Role::Initialiser,
        schema::Role::Handler => model::Role::Handler,
        schema::Role::Timer => model::Role::Timer,
    }
}

fn access(given: schema::Access) -> model::Access {
    match given {
        schema::Access::View => model::Access::View,
        schema::Access::Mutate => model::Access::Mutate,
        schema::Access::Unspecified => model::Access::Unspecified,
    }
}

fn parameter(given: schema::Parameter) -> model::Parameter {
    model::Parameter { name: given.name, required: given.required, doc: given.doc }
}

fn skipped(given: schema::Skipped) -> model::Skipped {
    model::Skipped { method: given.method, reason: given.reason }
}

fn note(given: schema::Note) -> model::Note {
    model::Note { method: given.method, path: given.path, text: given.text }
}

fn fault(given: schema::Fault) -> model::Fault {
    match given {
        schema::Fault::NotRecognised(found) => model::Fault::NotRecognised(found),
        schema::Fault::Malformed(schema::Malformation { at, problem }) => model::Fault::Malformed { at, problem },
        schema::Fault::TooLarge(bound) => model::Fault::TooLarge(bound),
    }
}

fn problem(given: codec::Problem) -> model::Problem {
    model::Problem { at: given.at, message: given.message }
}
