//! What a mapper's author implements, and the plain types it answers with.
//!
//! They mirror `wit/mapper/0.1.0/mapper.wit`, which documents each item in full; [`crate::export_mapper!`]
//! translates. JSON is [`serde_json::Value`] here and text there.

use serde_json::Value;

/// Turns one ecosystem's ABI documents into methods.
///
/// Nothing may be kept between calls: every call runs in a fresh instance. What a later call needs goes into
/// [`Method::plan`].
pub trait Mapper {
    /// Looks at a manifest; `None` when it is not one of this mapper's.
    fn recognise(manifest: &[u8]) -> Option<Recognition>;

    /// Maps a whole manifest.
    ///
    /// # Errors
    ///
    /// A [`Fault`] when the manifest *as a whole* cannot be used. One method that cannot be mapped goes into
    /// [`Mapping::skipped`] and loses nothing else.
    fn map(manifest: &[u8], options: &Options) -> Result<Mapping, Fault>;

    /// Encodes the arguments of one call, which have passed the input schema. Only called for methods with
    /// [`Method::needs_encode`]; by default they go out as they came.
    ///
    /// # Errors
    ///
    /// Every problem found, each with its path.
    fn encode(plan: &[u8], arguments: Value) -> Result<Encoded, Vec<Problem>> {
        let _ = plan;
        Ok(Encoded::from(&arguments))
    }

    /// Decodes a raw result into what the output schema describes. Only called for methods with
    /// [`Method::needs_decode`]; by default it comes back as it is.
    ///
    /// # Errors
    ///
    /// Every problem found, each with its path.
    fn decode(plan: &[u8], value: Value) -> Result<Value, Vec<Problem>> {
        let _ = plan;
        Ok(value)
    }
}

/// How sure a mapper is of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Made by a toolchain the mapper was written for.
    Exact,
    /// Understood, but made by another toolchain; detail may be lost.
    Compatible,
}

/// What a mapper says of a manifest it understands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognition {
    /// The family of apps, `[a-z][a-z0-9-]*`, at most 32 characters.
    pub ecosystem: String,
    /// The manifest's format, as it names itself where it does.
    pub format: String,
    /// The generation or toolchain release the manifest shows.
    pub subject_version: Option<String>,
    /// How well the mapper fits.
    pub fit: Fit,
    /// What was seen that led here, one line each.
    pub reasons: Vec<String>,
}

/// Settings of the host that change a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether the host lists methods of the roles [`Role::Handler`] and [`Role::Timer`]. They are mapped either way.
    pub list_internal: bool,
}

/// What a method is for in the life of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// Becomes a tool.
    #[default]
    Ordinary,
    /// Runs once, when a context is created.
    Initialiser,
    /// Meant for the node, on an event.
    Handler,
    /// Meant for the node, on a timer.
    Timer,
}

/// What a method does to state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Reads only.
    View,
    /// Writes.
    Mutate,
    /// The ABI does not say; the host treats it as a write.
    #[default]
    Unspecified,
}

/// One parameter, in declaration order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name the application knows it by; unique in its method.
    pub name: String,
    /// Whether a call must give it.
    pub required: bool,
    /// The author's words.
    pub doc: Option<String>,
}

/// What an engine needs to run a method; absent for methods a node runs by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSpec {
    /// The format of `bytes`, which the engine must accept.
    pub format: String,
    /// Opaque to the host.
    pub bytes: Vec<u8>,
}

/// One method of an app. Start from [`Method::new`] and fill in what the ABI knows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Method {
    /// The name a call sends to the backend. May occur twice in a mapping (overloads).
    pub name: String,
    /// One line, as the ecosystem's people would write it.
    pub signature: String,
    /// A short human name.
    pub title: Option<String>,
    /// The author's words, plain text or Markdown.
    pub doc: Option<String>,
    /// What it is for.
    pub role: Role,
    /// What it does to state.
    pub access: Access,
    /// Whether it may remove data; `None` when the ABI cannot say.
    pub destructive: Option<bool>,
    /// Whether calling it twice is calling it once; `None` when the ABI cannot say.
    pub idempotent: Option<bool>,
    /// Whether it reaches the world outside its own state; `None` when the ABI cannot say.
    pub open_world: Option<bool>,
    /// A group for search and toolsets.
    pub category: Option<String>,
    /// Further words a search should find it by: what people of the field call it. Never shown.
    pub keywords: Vec<String>,
    /// In declaration order.
    pub parameters: Vec<Parameter>,
    /// JSON Schema 2020-12 of the arguments object, in full form: local `$defs`, exact recursion, no cap.
    pub input_schema: Value,
    /// JSON Schema 2020-12 of the result; `None` when the method returns nothing.
    pub output_schema: Option<Value>,
    /// What [`Mapper::encode`] and [`Mapper::decode`] get back. Self-contained, at most 1 MiB.
    pub plan: Vec<u8>,
    /// For an engine.
    pub call_spec: Option<CallSpec>,
    /// Whether [`Mapper::encode`] has work to do.
    pub needs_encode: bool,
    /// Whether [`Mapper::decode`] has work to do.
    pub needs_decode: bool,
    /// A JSON object for the tool's `_meta`.
    pub meta: Option<Value>,
}

impl Method {
    /// An ordinary method of which nothing is known but its name, signature and arguments.
    #[must_use]
    pub fn new(name: impl Into<String>, signature: impl Into<String>, input_schema: Value) -> Self {
        Self { name: name.into(), signature: signature.into(), input_schema, ..Self::default() }
    }
}

/// A method that could not be mapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its name, or its position such as `#3` when it has none.
    pub method: String,
    /// What is wrong, where.
    pub reason: String,
}

/// A construct that was widened to *unknown*: accepted unvalidated and passed through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The method it is in; `None` for the manifest as a whole.
    pub method: Option<String>,
    /// Where, for example `p.inner` or `returns`.
    pub path: String,
    /// What was not understood.
    pub text: String,
}

/// A whole app, mapped.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mapping {
    /// In the manifest's order.
    pub methods: Vec<Method>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// What was widened.
    pub notes: Vec<Note>,
}

/// Why a manifest as a whole could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Not a manifest of a format this mapper reads: says what was found.
    NotRecognised(String),
    /// A manifest of its format, but broken.
    Malformed {
        /// A path such as `methods[2].params`; empty for the document as a whole.
        at: String,
        /// What was found and what was expected, one line.
        problem: String,
    },
    /// Over a bound of the mapper's own: names the bound.
    TooLarge(String),
}

/// One thing wrong with one argument or result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, from the arguments object: `p.inner[3]`; empty for the whole.
    pub at: String,
    /// What was found and what was expected, one line.
    pub message: String,
}

/// Arguments as the backend takes them: JSON text, so that a large value can be written without a tree of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The likeliest form.
    pub json: String,
    /// Other forms, likeliest first, where the ABI is ambiguous; the host tries at most 8.
    pub alternatives: Vec<String>,
}

impl From<&Value> for Encoded {
    /// One form, no alternatives.
    fn from(arguments: &Value) -> Self {
        Self { json: arguments.to_string(), alternatives: Vec::new() }
    }
}

/// Finds the signature of each name; the n-th occurrence of a name means the n-th method of that name.
#[cfg_attr(not(any(test, target_arch = "wasm32")), expect(dead_code, reason = "only components render"))]
pub(crate) fn pick_signatures(signatures: &[(String, String)], names: &[String]) -> Result<Vec<String>, Fault> {
    let mut asked = std::collections::BTreeMap::<&str, usize>::new();
    let mut answer = Vec::with_capacity(names.len());
    for name in names {
        let nth = asked.entry(name).or_default();
        let found = signatures.iter().filter(|(of, _)| of == name).nth(*nth);
        let Some((_, signature)) = found else {
            return Err(Fault::Malformed {
                at: "methods".to_owned(),
                problem: format!("no method number {} of the name `{name}`", *nth + 1),
            });
        };
        *nth += 1;
        answer.push(signature.clone());
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_time_a_name_is_asked_for_means_its_nth_method() {
        let pair = |name: &str, signature: &str| (name.to_owned(), signature.to_owned());
        let signatures = [pair("a", "a(1)"), pair("b", "b()"), pair("a", "a(2)")];
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();

        let answer = pick_signatures(&signatures, &names(&["a", "a", "b"])).unwrap();
        assert_eq!(answer, ["a(1)", "a(2)", "b()"]);
        let error = pick_signatures(&signatures, &names(&["b", "b"])).unwrap_err();
        assert!(matches!(error, Fault::Malformed { problem, .. } if problem.contains("number 2 of the name `b`")));
    }
}
