//! A manifest to methods.

use crate::Toolchain;
use crate::generation::Generation;
use crate::manifest::{Head, Manifest, Method};
use crate::{plan, schema, signature};
use abi_mcp_sdk::json::Object;
use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{self as sdk, Access, Fault, Fit, Mapping, Note, Parameter, Recognition, Skipped};

/// The ecosystem's name in configuration and messages.
const ECOSYSTEM: &str = "calimero";

/// Largest plan the contract takes, in bytes.
const LARGEST_PLAN: usize = 1024 * 1024;

/// Most types written into the schemas of one app, each as often as it is written. The largest real app has about
/// a thousand; a hostile one could ask for methods times types of them.
const MOST_TYPES: usize = 500_000;

/// Recognises a manifest of any toolchain; exact for those of `toolchain`.
pub(crate) fn recognise(manifest: &[u8], toolchain: Toolchain) -> Option<Recognition> {
    let Head { format, generation, mark, .. } = Head::read(manifest).ok()?;
    let exact = toolchain.wrote(generation);
    let by = if exact { "by this mapper's toolchain" } else { "by another toolchain" };
    Some(Recognition {
        ecosystem: ECOSYSTEM.to_owned(),
        format: format.clone(),
        subject_version: Some(generation.to_string()),
        fit: if exact { Fit::Exact } else { Fit::Compatible },
        reasons: vec![
            format!("`schema_version` is `{format}`"),
            format!("generation {generation}, written {by}: {mark}"),
        ],
    })
}

/// Maps a manifest of any toolchain by the rules of `toolchain`.
pub(crate) fn map(manifest: &[u8], toolchain: Toolchain) -> Result<Mapping, Fault> {
    let mut manifest = Manifest::read(manifest, |generation| toolchain.writes_tuple_variants_as_records(generation))?;
    let mut mapping = Mapping { skipped: std::mem::take(&mut manifest.skipped), ..Mapping::default() };
    let mut size = 0;
    for method in &manifest.methods {
        match map_method(&manifest, method, toolchain) {
            Ok((method, notes, written)) => {
                mapping.methods.push(method);
                mapping.notes.extend(notes);
                size += written;
            }
            Err(reason) => mapping.skipped.push(Skipped { method: method.name.clone(), reason }),
        }
        if size > MOST_TYPES {
            return Err(Fault::TooLarge(format!("its methods reach more than {MOST_TYPES} types in all")));
        }
    }
    Ok(mapping)
}

fn map_method(
    manifest: &Manifest,
    method: &Method,
    toolchain: Toolchain,
) -> Result<(sdk::Method, Vec<Note>, usize), String> {
    let plan = plan::write(manifest, method);
    if plan.len() > LARGEST_PLAN {
        return Err(format!("its types are too large: {} bytes of plan, at most {LARGEST_PLAN}", plan.len()));
    }
    let input = schema::of_arguments(&manifest.table, &method.params);
    let output = schema::of_result(&manifest.table, method.returns.as_ref(), method.returns_doc.as_deref());
    let size = input.size + output.as_ref().map_or(0, |output| output.size);
    let mut notes: Vec<Note> = schema::notes(&method.name, input.notes).collect();
    let output = output.map(|output| {
        notes.extend(schema::notes(&method.name, output.notes));
        output.schema
    });
    // Only from 1.0 on does the absence of a hint mean anything.
    let says = toolchain.wrote(Generation::G5) && manifest.generation == Generation::G5;
    let reads = method.access == Access::View;
    let mapped = sdk::Method {
        doc: method.doc.clone(),
        role: method.role,
        access: method.access,
        destructive: if reads { Some(false) } else { said(says, method.destructive) },
        idempotent: if reads { Some(true) } else { said(says, method.idempotent) },
        // A method works on its context's state and nothing else.
        open_world: Some(false),
        parameters: method.params.iter().map(parameter).collect(),
        output_schema: output,
        needs_encode: !plan.is_empty(),
        plan,
        meta: Some(Value::Object(meta(method))),
        ..sdk::Method::new(&method.name, signature::render(method), input.schema)
    };
    Ok((mapped, notes, size))
}

/// A hint that is set says so in any generation; one that is not set only where its absence means something.
fn said(absence_means_no: bool, set: bool) -> Option<bool> {
    if set || absence_means_no { Some(set) } else { None }
}

fn parameter(param: &crate::types::Field) -> Parameter {
    Parameter { name: param.name.clone(), required: !param.nullable, doc: param.doc.clone() }
}

/// What goes into a tool's `_meta` of the ABI's own.
fn meta(method: &Method) -> Object {
    let intent = match method.access {
        Access::View => "read_only",
        Access::Mutate => "mutating",
        Access::Unspecified => "unspecified",
    };
    let mut meta = Object::from_iter([("intent".to_owned(), Value::from(intent))]);
    if method.xcall_callable {
        meta.insert("calimero/xcallCallable".to_owned(), Value::Bool(true));
    }
    if let Some(callers) = &method.xcall_callers {
        meta.insert("calimero/xcallCallers".to_owned(), Value::from(callers.as_str()));
    }
    meta
}
