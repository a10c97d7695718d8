//! The shape of a stored mapping: types of its own, converted from and to `model` here and nowhere else.

use super::{FORMAT, MappingKey};
use crate::model::{Access, CallSpec, JsonObject, Mapping, Method, Note, Parameter, Role, Skipped};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;

/// The file as it is on disk.
pub(super) fn write(key: &MappingKey, mapping: &Mapping) -> io::Result<Vec<u8>> {
    let entry = StoredEntry {
        format: FORMAT,
        manifest: key.manifest.to_string(),
        component: key.component.to_string(),
        list_internal: key.options.list_internal,
        methods: mapping.methods.iter().map(StoredMethod::from).collect(),
        skipped: mapping.skipped.iter().map(|skipped| [skipped.method.clone(), skipped.reason.clone()]).collect(),
        notes: mapping.notes.iter().map(|note| (note.method.clone(), note.path.clone(), note.text.clone())).collect(),
    };
    serde_json::to_vec(&entry).map_err(io::Error::from)
}

/// The mapping in a file, if the file is whole, of this format, and of this key.
pub(super) fn read(bytes: &[u8], key: &MappingKey) -> Option<Mapping> {
    let entry: StoredEntry = serde_json::from_slice(bytes).ok()?;
    let same = entry.format == FORMAT
        && entry.manifest == key.manifest.to_string()
        && entry.component == key.component.to_string()
        && entry.list_internal == key.options.list_internal;
    if !same {
        return None;
    }
    Some(Mapping {
        methods: entry.methods.into_iter().map(StoredMethod::into_model).collect::<Option<_>>()?,
        skipped: entry.skipped.into_iter().map(|[method, reason]| Skipped { method, reason }).collect(),
        notes: entry.notes.into_iter().map(|(method, path, text)| Note { method, path, text }).collect(),
    })
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredEntry {
    format: u32,
    manifest: String,
    component: String,
    list_internal: bool,
    methods: Vec<StoredMethod>,
    skipped: Vec<[String; 2]>,
    notes: Vec<(Option<String>, String, String)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredMethod {
    name: String,
    title: Option<String>,
    doc: Option<String>,
    signature: String,
    role: StoredRole,
    access: StoredAccess,
    destructive: Option<bool>,
    idempotent: Option<bool>,
    open_world: Option<bool>,
    category: Option<String>,
    keywords: Vec<String>,
    parameters: Vec<StoredParameter>,
    input_schema: JsonObject,
    output_schema: Option<Value>,
    /// Base64, as are all bytes here.
    plan: String,
    call_spec: Option<(String, String)>,
    needs_encode: bool,
    needs_decode: bool,
    meta: Option<JsonObject>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredParameter {
    name: String,
    required: bool,
    doc: Option<String>,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum StoredRole {
    Ordinary,
    Initialiser,
    Handler,
    Timer,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum StoredAccess {
    View,
    Mutate,
    Unspecified,
}

impl From<&Method> for StoredMethod {
    fn from(method: &Method) -> Self {
        let parameter = |given: &Parameter| StoredParameter {
            name: given.name.clone(),
            required: given.required,
            doc: given.doc.clone(),
        };
        Self {
            name: method.name.clone(),
            title: method.title.clone(),
            doc: method.doc.clone(),
            signature: method.signature.clone(),
            role: match method.role {
                Role::Ordinary => StoredRole::Ordinary,
                Role::Initialiser => StoredRole::Initialiser,
                Role::Handler => StoredRole::Handler,
                Role::Timer => StoredRole::Timer,
            },
            access: match method.access {
                Access::View => StoredAccess::View,
                Access::Mutate => StoredAccess::Mutate,
                Access::Unspecified => StoredAccess::Unspecified,
            },
            destructive: method.destructive,
            idempotent: method.idempotent,
            open_world: method.open_world,
            category: method.category.clone(),
            keywords: method.keywords.clone(),
            parameters: method.parameters.iter().map(parameter).collect(),
            input_schema: method.input_schema.clone(),
            output_schema: method.output_schema.clone(),
            plan: STANDARD.encode(&method.plan),
            call_spec: method.call_spec.as_ref().map(|spec| (spec.format.clone(), STANDARD.encode(&spec.bytes))),
            needs_encode: method.needs_encode,
            needs_decode: method.needs_decode,
            meta: method.meta.clone(),
        }
    }
}

impl StoredMethod {
    fn into_model(self) -> Option<Method> {
        let call_spec = match self.call_spec {
            Some((format, bytes)) => Some(CallSpec { format, bytes: STANDARD.decode(bytes).ok()?.into() }),
            None => None,
        };
        let parameter =
            |stored: StoredParameter| Parameter { name: stored.name, required: stored.required, doc: stored.doc };
        Some(Method {
            name: self.name,
            title: self.title,
            doc: self.doc,
            signature: self.signature,
            role: match self.role {
                StoredRole::Ordinary => Role::Ordinary,
                StoredRole::Initialiser => Role::Initialiser,
                StoredRole::Handler => Role::Handler,
                StoredRole::Timer => Role::Timer,
            },
            access: match self.access {
                StoredAccess::View => Access::View,
                StoredAccess::Mutate => Access::Mutate,
                StoredAccess::Unspecified => Access::Unspecified,
            },
            destructive: self.destructive,
            idempotent: self.idempotent,
            open_world: self.open_world,
            category: self.category,
            keywords: self.keywords,
            parameters: self.parameters.into_iter().map(parameter).collect(),
            input_schema: self.input_schema,
            output_schema: self.output_schema,
            plan: STANDARD.decode(self.plan).ok()?.into(),
            call_spec,
            needs_encode: self.needs_encode,
            needs_decode: self.needs_decode,
            meta: self.meta,
        })
    }
}
