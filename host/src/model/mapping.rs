//! What a mapper makes of a manifest, whichever contract version it speaks.

use crate::model::{JsonObject, SubjectVersion};
use serde_json::Value;
use std::sync::Arc;

/// How sure a mapper is of a manifest. `Exact` sorts before `Compatible`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// Made by a toolchain the mapper was written for.
    Exact,
    /// Understood, though the toolchain is newer, older or unknown.
    Compatible,
}

/// What a mapper says of a manifest it understands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognition {
    /// The family of apps.
    pub ecosystem: String,
    /// The manifest's format, as it names itself.
    pub format: String,
    /// The generation or release the manifest shows.
    pub subject_version: Option<SubjectVersion>,
    /// How well the mapper fits.
    pub fit: Fit,
    /// What was seen that led here, one line each.
    pub reasons: Vec<String>,
}

/// Settings that change a mapping; part of its cache key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct MapOptions {
    /// List methods of the roles `Handler` and `Timer` as well.
    pub list_internal: bool,
}

/// What a method is for in the life of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Becomes a tool.
    Ordinary,
    /// Runs once, when a context is created.
    Initialiser,
    /// Meant for the node, on an event.
    Handler,
    /// Meant for the node, on a timer.
    Timer,
}

/// What a method does to state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads only.
    View,
    /// Writes.
    Mutate,
    /// The ABI does not say; treated as a write.
    Unspecified,
}

/// One parameter, in declaration order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name the application knows it by.
    pub name: String,
    /// Whether a call must give it.
    pub required: bool,
    /// The author's words.
    pub doc: Option<String>,
}

/// What an engine needs to run a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSpec {
    /// The format of `bytes`, which the engine must accept.
    pub format: String,
    /// Opaque to the host.
    pub bytes: Arc<[u8]>,
}

/// One method of an app.
#[derive(Debug, Clone, PartialEq)]
pub struct Method {
    /// The name a call sends to the backend; not unique where an ABI has overloads.
    pub name: String,
    /// A short human name.
    pub title: Option<String>,
    /// The author's words.
    pub doc: Option<String>,
    /// One line, as the ecosystem's people would write it.
    pub signature: String,
    /// What it is for.
    pub role: Role,
    /// What it does to state.
    pub access: Access,
    /// Whether it may remove data, if the ABI can say.
    pub destructive: Option<bool>,
    /// Whether calling it twice is calling it once, if the ABI can say.
    pub idempotent: Option<bool>,
    /// Whether it reaches the outside world, if the ABI can say.
    pub open_world: Option<bool>,
    /// A group for search and toolsets.
    pub category: Option<String>,
    /// Further words a search should find it by.
    pub keywords: Vec<String>,
    /// In declaration order.
    pub parameters: Vec<Parameter>,
    /// JSON Schema 2020-12 of the arguments object, in full form (local `$defs`, exact recursion).
    pub input_schema: JsonObject,
    /// JSON Schema 2020-12 of the result value; absent when nothing is returned.
    pub output_schema: Option<Value>,
    /// Opaque bytes that go back to the mapper that made them.
    pub plan: Arc<[u8]>,
    /// For an engine.
    pub call_spec: Option<CallSpec>,
    /// Whether arguments pass through the mapper on their way out.
    pub needs_encode: bool,
    /// Whether results pass through the mapper on their way back.
    pub needs_decode: bool,
    /// For the tool's `_meta`.
    pub meta: Option<JsonObject>,
}

/// A method that could not be mapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its name, or its position such as `#3`.
    pub method: String,
    /// What is wrong, where.
    pub reason: String,
}

/// A construct that was widened to *unknown*.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The method it is in; absent for the manifest as a whole.
    pub method: Option<String>,
    /// Where, for example `p.inner`.
    pub path: String,
    /// What was not understood.
    pub text: String,
}

/// A whole app, mapped.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mapping {
    /// In the manifest's order.
    pub methods: Vec<Method>,
    /// What was left out, with its reason.
    pub skipped: Vec<Skipped>,
    /// What was widened.
    pub notes: Vec<Note>,
}

/// Why a mapper could not use a manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Not a manifest of a format the mapper reads.
    #[error("not a manifest this mapper reads: {0}")]
    NotRecognised(String),
    /// A manifest of its format, but broken.
    #[error("malformed manifest at `{at}`: {problem}")]
    Malformed {
        /// A path such as `methods[2].params`; empty for the whole document.
        at: String,
        /// What was found and expected.
        problem: String,
    },
    /// Over a bound of the mapper's own.
    #[error("manifest too large: {0}")]
    TooLarge(String),
}

/// One thing wrong with one argument or result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, from the arguments object: `p.inner[3]`; empty for the whole.
    pub at: String,
    /// What was found and expected, one line.
    pub message: String,
}

/// Arguments as the backend takes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// JSON text of the likeliest form.
    pub json: String,
    /// JSON text of the other forms, likeliest first.
    pub alternatives: Vec<String>,
}
