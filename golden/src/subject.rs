//! Whose answers are held to files: the roles a plugin can have, and the plain types they answer with.
//!
//! The types mirror the contracts in `wit/`, which document each item. JSON is text here, because each side has a parser
//! of its own; the words of an enumeration are the contract's. It knows neither files nor how a plugin is run.

use crate::Settings;
use std::path::Path;

/// Why there is no answer: a fault, a limit, a broken contract. Never a golden answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped(pub String);

/// A plugin, in whichever roles it has.
pub trait Subject {
    /// Its mapper.
    fn mapper(&mut self) -> Option<&mut dyn Mapper> {
        None
    }

    /// Its error decoder.
    fn decoder(&mut self) -> Option<&mut dyn Decoder> {
        None
    }

    /// Its tools.
    fn extension(&mut self) -> Option<&mut dyn Extension> {
        None
    }

    /// Whether these are all its roles, so that a file none of them answers is a mistake. One role of several that are
    /// tested one by one is not whole.
    fn is_whole(&self) -> bool;

    /// The command that accepts new answers.
    fn accept(&self) -> String;
}

/// Manifests to methods (`wit/mapper`).
pub trait Mapper {
    /// Whether it understands a manifest.
    ///
    /// # Errors
    /// There is no answer.
    fn recognise(&mut self, manifest: &str) -> Result<Option<Recognition>, Stopped>;

    /// A manifest's methods, or its own refusal.
    ///
    /// # Errors
    /// There is no answer.
    fn map(&mut self, manifest: &str) -> Result<Result<Mapping, Fault>, Stopped>;

    /// A call's arguments, JSON text, as the backend takes them.
    ///
    /// # Errors
    /// There is no answer.
    fn encode(&mut self, plan: &[u8], arguments: &str) -> Result<Result<Encoded, Vec<Problem>>, Stopped>;

    /// A call's raw result as its schema describes it; both are JSON text.
    ///
    /// # Errors
    /// There is no answer.
    fn decode(&mut self, plan: &[u8], value: &str) -> Result<Result<String, Vec<Problem>>, Stopped>;
}

/// Failures to words (`wit/errors`).
pub trait Decoder {
    /// A failure in words; `None` when it is none of its own.
    ///
    /// # Errors
    /// There is no answer.
    fn explain(&mut self, failure: &Failure) -> Result<Option<Explanation>, Stopped>;
}

/// Tools of its own (`wit/tool`).
pub trait Extension {
    /// The extension as one case finds it; `folder` is the case's. What a call changes is seen by the next of the case and
    /// by no other case.
    ///
    /// # Errors
    /// The settings do not fit the extension.
    fn open(&mut self, folder: &Path, settings: &Settings) -> Result<Box<dyn Tools + '_>, Stopped>;
}

/// An extension in one case.
pub trait Tools {
    /// Which tools there are, and which are left out.
    ///
    /// # Errors
    /// There is no answer.
    fn list(&mut self) -> Result<(Vec<Tool>, Vec<Skipped>), Stopped>;

    /// Runs a tool; `arguments` is JSON text.
    ///
    /// # Errors
    /// There is no answer, or none that a client would be given.
    fn call(&mut self, tool: &str, arguments: &str) -> Result<Called, Stopped>;
}

/// What a mapper says of a manifest it understands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognition {
    /// The family of apps.
    pub ecosystem: String,
    /// The manifest's format.
    pub format: String,
    /// The release the manifest shows.
    pub subject_version: Option<String>,
    /// `exact` or `compatible`.
    pub fit: &'static str,
    /// What was seen.
    pub reasons: Vec<String>,
}

/// A mapped manifest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mapping {
    /// Its methods.
    pub methods: Vec<Method>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// What was widened.
    pub notes: Vec<Note>,
}

/// One method.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Method {
    /// What a call sends.
    pub name: String,
    /// One line.
    pub signature: String,
    /// A short human name.
    pub title: Option<String>,
    /// The author's words.
    pub doc: Option<String>,
    /// `ordinary`, `initialiser`, `handler` or `timer`.
    pub role: &'static str,
    /// `view`, `mutate` or `unspecified`.
    pub access: &'static str,
    /// Whether it may remove data.
    pub destructive: Option<bool>,
    /// Whether calling it twice is calling it once.
    pub idempotent: Option<bool>,
    /// Whether it reaches the outside world.
    pub open_world: Option<bool>,
    /// A group.
    pub category: Option<String>,
    /// Further words for a search.
    pub keywords: Vec<String>,
    /// In declaration order.
    pub parameters: Vec<Parameter>,
    /// JSON text.
    pub input_schema: String,
    /// JSON text.
    pub output_schema: Option<String>,
    /// Opaque.
    pub plan: Vec<u8>,
    /// For an engine.
    pub call_spec: Option<CallSpec>,
    /// Whether arguments pass through the mapper.
    pub needs_encode: bool,
    /// Whether results do.
    pub needs_decode: bool,
    /// JSON text.
    pub meta: Option<String>,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Whether a call must give it.
    pub required: bool,
    /// The author's words.
    pub doc: Option<String>,
}

/// What an engine needs to run a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSpec {
    /// The format.
    pub format: String,
    /// Opaque.
    pub bytes: Vec<u8>,
}

/// A method or tool that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its name or position.
    pub method: String,
    /// What is wrong.
    pub reason: String,
}

/// A construct that was widened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The method it is in.
    pub method: Option<String>,
    /// Where.
    pub path: String,
    /// What was not understood.
    pub text: String,
}

/// Why a mapper refuses a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Another format.
    NotRecognised(String),
    /// Its format, but broken.
    Malformed {
        /// Where.
        at: String,
        /// What is wrong.
        problem: String,
    },
    /// Over a bound of its own.
    TooLarge(String),
}

/// One thing wrong with one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub at: String,
    /// What was found and expected.
    pub message: String,
}

/// Encoded arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// JSON text.
    pub json: String,
    /// JSON text of other forms.
    pub alternatives: Vec<String>,
}

/// What went wrong, undecoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The application's runtime refused.
    Guest(GuestFailure),
    /// The backend's HTTP side refused.
    Http(HttpFailure),
    /// No answer at all.
    Transport(String),
}

/// An error of the application's runtime.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GuestFailure {
    /// The kind.
    pub kind: String,
    /// JSON text.
    pub data: Option<String>,
    /// Its own words.
    pub message: Option<String>,
    /// The method called.
    pub method: String,
    /// Its signature.
    pub signature: Option<String>,
}

/// An HTTP answer that is no success.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpFailure {
    /// The status code.
    pub status: u16,
    /// The reason phrase.
    pub reason: String,
    /// The request's path.
    pub path: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

/// A failure in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The words.
    pub message: String,
    /// The contract's name of the class, for example `not-allowed`.
    pub class: &'static str,
    /// `no`, `later` or `after-change`.
    pub retry: &'static str,
    /// The next step.
    pub hint: Option<String>,
}

/// One tool, as a host lists it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tool {
    /// Its own name.
    pub name: String,
    /// A short human name.
    pub title: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// JSON text.
    pub input_schema: String,
    /// JSON text.
    pub output_schema: Option<String>,
    /// Whether it changes nothing.
    pub read_only: bool,
    /// Whether it may remove something.
    pub destructive: Option<bool>,
    /// Whether calling it twice is calling it once.
    pub idempotent: Option<bool>,
    /// Whether it reaches the outside world.
    pub open_world: Option<bool>,
    /// A group.
    pub category: Option<String>,
    /// Further words for a search.
    pub keywords: Vec<String>,
}

/// How a tool's call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Called {
    /// With an answer.
    Reply {
        /// For a model to read.
        text: Option<String>,
        /// JSON text.
        structured: Option<String>,
    },
    /// With the tool's own error.
    Error {
        /// `arguments`, `not-allowed`, `temporary` or `failed`.
        class: &'static str,
        /// What failed.
        message: String,
        /// The next step.
        hint: Option<String>,
    },
}
