//! What a plugin must keep to beyond its types: JSON that is JSON, names of the promised form, sizes, counts.
//!
//! In comes what an adapter converted, out comes a checked `model` value or a [`Breach`]. The rules are the
//! contracts' own words (`wit/`). A method that breaks one is skipped with its reason; the rest of its app stays. It
//! does not clean text for display: whoever shows it does.

use super::{DraftMapping, DraftMethod, DraftTools};
use crate::model::{
    Encoded, ExtensionReply, Fault, JsonObject, Mapping, Method, Note, Parameter, Recognition, Skipped, Unsupported,
};
use crate::text::{clean_line, clean_text};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::HashSet;

/// Most bytes a plan may have (`wit/mapper`, `method.plan`). Plans go back into a guest with every call.
const MAX_PLAN: usize = 1 << 20;

/// Most alternatives that are kept (`wit/mapper`, `encoded.alternatives`). Each may cost a request to the backend.
const MAX_ALTERNATIVES: usize = 8;

/// Most characters in an ecosystem's name (`wit/mapper`, `recognition.ecosystem`).
const MAX_ECOSYSTEM: usize = 32;

/// Most tools of one extension (`wit/tool`, `tools.list`); more than a client can list, and each is kept in memory.
const MAX_TOOLS: usize = 200;

/// Most characters in a tool's own name (`wit/tool`, `tool-definition.name`).
const MAX_TOOL_NAME: usize = 128;

/// Most search words of one tool that are kept.
const MAX_KEYWORDS: usize = 32;

/// Most characters of an extension's description that are kept: many times what a list shows, little enough to index.
const MAX_DESCRIPTION: usize = 16_384;

/// Most characters of a tool's title, category and each search word that are kept.
const MAX_WORDS: usize = 200;

/// Most bytes of one of an extension's schemas (`wit/tool`); a client gets 32 KiB of it at most.
const MAX_SCHEMA: usize = 256 << 10;

/// A plugin broke its contract; its author's fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Breach {
    /// The name of an ecosystem has another form than promised.
    #[error("named an ecosystem {name:?}; expected `[a-z][a-z0-9-]*`, at most 32 characters")]
    EcosystemName {
        /// What it named, cut short.
        name: String,
    },
    /// Encoded arguments or a decoded result are not JSON.
    #[error("answered with {what} that is not JSON ({problem})")]
    NotJson {
        /// `arguments`, `an alternative` or `a result`.
        what: &'static str,
        /// What the parser says.
        problem: String,
    },
    /// An engine speaks of a call-spec that nobody asked about.
    #[error("named call-spec {index} of {asked}")]
    NoSuchSpec {
        /// What it named, counted from zero.
        index: usize,
        /// How many there are.
        asked: usize,
    },
    /// An extension's answer has neither text nor a value.
    #[error("answered with neither text nor a value")]
    NoAnswer,
}

impl Breach {
    /// A stable name for this kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::EcosystemName { .. } => "contract::ecosystem_name",
            Self::NotJson { .. } => "contract::not_json",
            Self::NoSuchSpec { .. } => "contract::no_such_spec",
            Self::NoAnswer => "contract::no_answer",
        }
    }
}

/// Accepts what a mapper says of a manifest.
pub(crate) fn accept_recognition(given: Recognition) -> Result<Recognition, Breach> {
    let name = &given.ecosystem;
    let well_formed = name.len() <= MAX_ECOSYSTEM
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if well_formed { Ok(given) } else { Err(Breach::EcosystemName { name: name.chars().take(64).collect() }) }
}

/// Accepts encoded arguments; keeps the first few alternatives.
pub(crate) fn accept_encoded(mut given: Encoded) -> Result<Encoded, Breach> {
    require_json("arguments", &given.json)?;
    given.alternatives.truncate(MAX_ALTERNATIVES);
    for alternative in &given.alternatives {
        require_json("an alternative", alternative)?;
    }
    Ok(given)
}

/// Accepts a decoded result.
pub(crate) fn accept_decoded(given: String) -> Result<String, Breach> {
    require_json("a result", &given)?;
    Ok(given)
}

/// Accepts an engine's result.
pub(crate) fn accept_executed(given: Option<String>) -> Result<Option<String>, Breach> {
    if let Some(result) = &given {
        require_json("a result", result)?;
    }
    Ok(given)
}

/// Accepts what an engine says it cannot run, of `asked` call-specs.
pub(crate) fn accept_unsupported(given: Vec<Unsupported>, asked: usize) -> Result<Vec<Unsupported>, Breach> {
    match given.iter().find(|unsupported| unsupported.index >= asked) {
        None => Ok(given),
        Some(Unsupported { index, .. }) => Err(Breach::NoSuchSpec { index: *index, asked }),
    }
}

/// Accepts an extension's answer.
pub(crate) fn accept_reply(given: ExtensionReply) -> Result<ExtensionReply, Breach> {
    match &given {
        ExtensionReply { text: None, structured: None } => Err(Breach::NoAnswer),
        ExtensionReply { structured: Some(json), .. } => require_json("a value", json).map(|()| given),
        _ => Ok(given),
    }
}

/// Accepts an extension's tools, without those that break a rule: they become skipped ones.
pub(crate) fn accept_tools(given: DraftTools) -> Mapping {
    let DraftTools { tools, skipped } = given;
    let mut mapping = Mapping { skipped, ..Mapping::default() };
    let mut names = HashSet::new();
    for draft in tools {
        let name = draft.method.name.clone();
        match accept_tool(draft, mapping.methods.len(), &mut names) {
            Ok(method) => mapping.methods.push(method),
            Err(reason) => mapping.skipped.push(Skipped { method: name.chars().take(MAX_TOOL_NAME).collect(), reason }),
        }
    }
    mapping
}

fn accept_tool(mut draft: DraftMethod, before: usize, names: &mut HashSet<String>) -> Result<Method, String> {
    let name = &draft.method.name;
    if before >= MAX_TOOLS {
        return Err(format!("an extension has at most {MAX_TOOLS} tools"));
    }
    if name.is_empty() || name.chars().count() > MAX_TOOL_NAME {
        return Err(format!("a tool's name has 1 to {MAX_TOOL_NAME} characters"));
    }
    if !names.insert(name.clone()) {
        return Err("the extension lists another tool of this name".to_owned());
    }
    let schemas = std::iter::once(&draft.input_schema).chain(&draft.output_schema);
    if let Some(large) = schemas.map(String::len).find(|length| *length > MAX_SCHEMA) {
        return Err(format!("its schema has {large} bytes, over the limit of {MAX_SCHEMA}"));
    }
    shorten(&mut draft.method);
    let mut method = accept_method(draft, None, "extension")?;
    for schema in std::iter::once(&Value::Object(method.input_schema.clone())).chain(&method.output_schema) {
        if let Some(hidden) = hidden(schema) {
            return Err(format!("its schema has characters that nobody can see in {:?}", clean_line(hidden)));
        }
    }
    // Where an extension cannot say, the worst is said, as the protocol reads silence.
    method.destructive = Some(method.destructive.unwrap_or(true));
    method.open_world = Some(method.open_world.unwrap_or(true));
    method.parameters = parameters_of(&method.input_schema);
    method.signature = signature_of(&method);
    Ok(method)
}

/// Cuts words to lengths that can be kept and searched whatever an extension hands over.
fn shorten(method: &mut Method) {
    let cut = |text: &mut String, most: usize| {
        if let Some((at, _)) = text.char_indices().nth(most) {
            text.truncate(at);
        }
    };
    method.keywords.truncate(MAX_KEYWORDS);
    method.doc.iter_mut().for_each(|doc| cut(doc, MAX_DESCRIPTION));
    let words = method.title.iter_mut().chain(&mut method.category).chain(&mut method.keywords);
    words.for_each(|text| cut(text, MAX_WORDS));
}

/// A name or value of a schema with a character nobody can see. Descriptions are cleaned when they are shown; a name or
/// value has to go back as it is, so what a model saw and what it sends would differ.
fn hidden(schema: &Value) -> Option<&str> {
    let dirty = |text: &str| clean_text(text) != text;
    match schema {
        Value::String(text) => dirty(text).then_some(text.as_str()),
        Value::Array(items) => items.iter().find_map(hidden),
        Value::Object(members) => members.iter().find_map(|(name, member)| {
            if dirty(name) {
                return Some(name.as_str());
            }
            let shown = matches!(name.as_str(), "title" | "description" | "$comment") && member.is_string();
            if shown { None } else { hidden(member) }
        }),
        _ => None,
    }
}

/// The parameters an arguments object's schema declares.
fn parameters_of(schema: &JsonObject) -> Vec<Parameter> {
    let required: HashSet<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let names = schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name);
    names.map(|name| Parameter { name: name.clone(), required: required.contains(name.as_str()), doc: None }).collect()
}

/// `find(text: string, limit?: integer) -> object`: an extension renders none, its schemas say it all.
fn signature_of(method: &Method) -> String {
    let property = |name: &str| method.input_schema.get("properties").and_then(|all| all.get(name));
    let parameters = method.parameters.iter().map(|parameter| {
        let mark = if parameter.required { "" } else { "?" };
        format!("{}{mark}: {}", clean_line(&parameter.name), property(&parameter.name).map_or("any", type_of))
    });
    let result = method.output_schema.as_ref().map_or("text", type_of);
    format!("{}({}) -> {result}", clean_line(&method.name), parameters.collect::<Vec<_>>().join(", "))
}

/// The name of a schema's type; `any` where it has none or several.
fn type_of(schema: &Value) -> &str {
    schema.get("type").and_then(Value::as_str).unwrap_or("any")
}

/// Accepts a mapping, without the methods that break a rule: those become skipped ones.
pub(crate) fn accept_mapping(given: DraftMapping) -> Mapping {
    let DraftMapping { methods, mut skipped, mut notes, signatures } = given;
    let signatures = accept_signatures(signatures, methods.len(), &mut notes);
    let mut accepted = Vec::with_capacity(methods.len());
    for (draft, signature) in methods.into_iter().zip(signatures) {
        let name = draft.method.name.clone();
        match accept_method(draft, signature, "mapper") {
            Ok(method) => accepted.push(method),
            Err(reason) => skipped.push(Skipped { method: name, reason }),
        }
    }
    Mapping { methods: accepted, skipped, notes }
}

/// One signature for each method, `None` where the mapper gave none that can be matched to it.
fn accept_signatures(given: Result<Vec<String>, Fault>, methods: usize, notes: &mut Vec<Note>) -> Vec<Option<String>> {
    let problem = match given {
        Ok(signatures) if signatures.len() == methods => return signatures.into_iter().map(Some).collect(),
        Ok(signatures) => format!("the mapper rendered {} signatures for {methods} methods", signatures.len()),
        Err(fault) => format!("the mapper rendered no signatures: {fault}"),
    };
    let text = format!("{problem}; methods show their parameters' names instead");
    notes.push(Note { method: None, path: "signatures".to_owned(), text });
    vec![None; methods]
}

/// Reads a method's schemas and metadata. `whose` it is says a refusal.
fn accept_method(draft: DraftMethod, signature: Option<String>, whose: &str) -> Result<Method, String> {
    let DraftMethod { mut method, input_schema, output_schema, meta } = draft;
    if method.plan.len() > MAX_PLAN {
        return Err(format!("the {whose}'s plan has {} bytes, over the limit of {MAX_PLAN}", method.plan.len()));
    }
    if let Some(twin) = twin(&method.parameters) {
        return Err(format!("the {whose} lists the parameter {twin:?} twice"));
    }
    method.input_schema = object(whose, "input schema", &input_schema)?;
    if method.input_schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(format!("the {whose}'s input schema does not say `\"type\": \"object\"`"));
    }
    method.output_schema = output_schema.map(|text| schema(whose, "output schema", &text)).transpose()?;
    method.meta = meta.map(|text| object(whose, "metadata", &text)).transpose()?;
    method.signature = signature.unwrap_or_else(|| plain_signature(&method));
    Ok(method)
}

/// The first parameter name that occurs twice.
fn twin(parameters: &[Parameter]) -> Option<&str> {
    let mut seen = HashSet::new();
    parameters.iter().map(|parameter| parameter.name.as_str()).find(|name| !seen.insert(*name))
}

/// `name(a, b?)`: all the host can say without knowing the ABI.
fn plain_signature(method: &Method) -> String {
    let names = method.parameters.iter().map(|p| if p.required { p.name.clone() } else { format!("{}?", p.name) });
    format!("{}({})", method.name, names.collect::<Vec<_>>().join(", "))
}

fn object(whose: &str, what: &str, text: &str) -> Result<JsonObject, String> {
    match json(whose, what, text)? {
        Value::Object(object) => Ok(object),
        other => Err(format!("the {whose}'s {what} is {}, not a JSON object", kind(&other))),
    }
}

/// A JSON Schema: an object, or a boolean (2020-12, section 4.3.2).
fn schema(whose: &str, what: &str, text: &str) -> Result<Value, String> {
    match json(whose, what, text)? {
        schema @ (Value::Object(_) | Value::Bool(_)) => Ok(schema),
        other => Err(format!("the {whose}'s {what} is {}, not a JSON Schema", kind(&other))),
    }
}

fn json(whose: &str, what: &str, text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("the {whose}'s {what} is not JSON ({error})"))
}

fn require_json(what: &'static str, text: &str) -> Result<(), Breach> {
    let read: Result<IgnoredAny, _> = serde_json::from_str(text);
    read.map(|_| ()).map_err(|error| Breach::NotJson { what, problem: error.to_string() })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
