//! One manifest, mapped by the mapper that was chosen for it, with everything a call needs derived once.

use crate::artifact::{Digest, Plugin, Selected};
use crate::catalog::{CONTEXT_ARGUMENT, HANDLE_ARGUMENT};
use crate::model::{Fit, JsonObject, Mapping, Method, Note, Recognition, Role, Skipped, Unsupported};
use crate::schema::arguments::ArgumentChecker;
use crate::schema::portable::{self, Portable, Renamed};
use crate::schema::result::ResultChecker;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// A mapped manifest. Made once per manifest content and plugin, shared by every list and every call.
#[derive(Debug)]
pub struct MappedUnit {
    /// The plugin that mapped it; calls go back to it with its own plans.
    pub plugin: Arc<Plugin>,
    /// What the plugin recognised.
    pub recognition: Recognition,
    /// Why this plugin and no other.
    pub why: String,
    /// The engine that runs the methods; absent where they run in a context of their app, or in the plugin itself.
    pub engine: Option<Arc<Plugin>>,
    /// Every method, in the manifest's order.
    pub methods: Vec<Arc<MappedMethod>>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// What was widened.
    pub notes: Vec<Note>,
    digest: Digest,
}

/// One method with its advertised schemas.
#[derive(Debug)]
pub struct MappedMethod {
    /// As the mapper gave it.
    pub method: Method,
    in_contexts: bool,
    declared: OnceLock<Input>,
    listed: OnceLock<Input>,
    output: OnceLock<Option<Arc<JsonObject>>>,
    result: OnceLock<Option<ResultChecker>>,
    /// Which form of ambiguous arguments the backend last took: 0 the likeliest, then the alternatives.
    winner: AtomicUsize,
}

/// An input schema as clients get it, and the check that holds arguments to it.
#[derive(Debug)]
pub(crate) struct Input {
    /// The schema itself.
    pub(crate) schema: Arc<JsonObject>,
    names: Vec<Renamed>,
    checker: OnceLock<Result<ArgumentChecker, String>>,
}

impl MappedUnit {
    /// A mapping whose methods run in contexts, with the plugin that made it.
    #[must_use]
    pub fn in_contexts(selected: Selected, mapping: Mapping) -> Self {
        Self::new(selected, mapping, None, true)
    }

    /// The tools of an extension, which runs them itself.
    #[must_use]
    pub fn of_extension(plugin: Arc<Plugin>, tools: Mapping) -> Self {
        let recognition = Recognition {
            ecosystem: plugin.name().to_owned(),
            format: "tools of its own".to_owned(),
            subject_version: None,
            fit: Fit::Exact,
            reasons: Vec::new(),
        };
        let why = "it lists its tools itself".to_owned();
        Self::new(Selected { plugin, recognition, why, passed_over: Vec::new() }, tools, None, false)
    }

    /// A mapping whose methods run on an engine, without those it cannot run.
    #[must_use]
    pub fn on_engine(
        selected: Selected,
        mut mapping: Mapping,
        engine: Arc<Plugin>,
        unsupported: Vec<Unsupported>,
    ) -> Self {
        let mut reasons: HashMap<usize, String> =
            unsupported.into_iter().map(|unsupported| (unsupported.index, unsupported.reason)).collect();
        let mut kept = Vec::with_capacity(mapping.methods.len());
        for (at, method) in mapping.methods.into_iter().enumerate() {
            match reasons.remove(&at) {
                None => kept.push(method),
                Some(reason) => mapping.skipped.push(Skipped { method: method.name, reason }),
            }
        }
        mapping.methods = kept;
        Self::new(selected, mapping, Some(engine), false)
    }

    fn new(selected: Selected, mapping: Mapping, engine: Option<Arc<Plugin>>, in_contexts: bool) -> Self {
        let Selected { plugin, recognition, why, .. } = selected;
        let digest = digest(&mapping);
        let methods =
            mapping.methods.into_iter().map(|method| Arc::new(MappedMethod::new(method, in_contexts))).collect();
        Self { plugin, recognition, why, engine, methods, skipped: mapping.skipped, notes: mapping.notes, digest }
    }

    /// The digest of what the lists show of the mapping.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// The methods of a name: none, one, or several where the ABI has overloads.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Arc<MappedMethod>> {
        self.methods.iter().filter(move |method| method.method.name == name)
    }

    /// The method that runs when a context is created.
    #[must_use]
    pub fn initialiser(&self) -> Option<&Arc<MappedMethod>> {
        self.methods.iter().find(|method| method.method.role == Role::Initialiser)
    }
}

/// Over every field of every method that a list shows.
fn digest(mapping: &Mapping) -> Digest {
    let shown: Vec<Value> = mapping
        .methods
        .iter()
        .map(|method| {
            let hints = (method.destructive, method.idempotent, method.open_world);
            let about =
                (&method.name, &method.title, &method.doc, &method.signature, &method.category, &method.keywords);
            let kind = format!("{:?} {:?} {hints:?}", method.role, method.access);
            json!([about, kind, method.input_schema, method.output_schema, method.meta])
        })
        .collect();
    Digest::of(Value::Array(shown).to_string().as_bytes())
}

impl Input {
    fn new(portable: Portable) -> Self {
        Self { schema: Arc::new(portable.schema), names: portable.names, checker: OnceLock::new() }
    }

    /// The check that holds arguments to the schema; compiled on first use, because most tools are never called.
    ///
    /// # Errors
    /// A fault of this host, whose narrowing made the schema.
    pub(crate) fn checker(&self) -> Result<&ArgumentChecker, &str> {
        let compile = || ArgumentChecker::new(&self.schema, &self.names).map_err(|error| error.to_string());
        self.checker.get_or_init(compile).as_ref().map_err(String::as_str)
    }
}

impl MappedMethod {
    fn new(method: Method, in_contexts: bool) -> Self {
        Self {
            method,
            in_contexts,
            declared: OnceLock::new(),
            listed: OnceLock::new(),
            output: OnceLock::new(),
            result: OnceLock::new(),
            winner: AtomicUsize::new(0),
        }
    }

    /// The arguments the method declares and nothing else, as `call` takes them; narrowed on first use.
    pub(crate) fn declared(&self) -> &Input {
        self.declared.get_or_init(|| Input::new(portable::input(&self.method.input_schema, &[])))
    }

    /// The arguments of the generated tool: the host's own first where there are contexts, then the method's.
    pub(crate) fn listed(&self) -> &Input {
        if !self.in_contexts {
            return self.declared();
        }
        self.listed.get_or_init(|| Input::new(portable::input(&self.method.input_schema, &host_arguments())))
    }

    /// The result's schema, wrapped; absent when nothing is returned.
    pub(crate) fn output(&self) -> Option<&Arc<JsonObject>> {
        let output = || Some(Arc::new(portable::output(self.method.output_schema.as_ref()?).schema));
        self.output.get_or_init(output).as_ref()
    }

    /// The check that holds results to [`MappedMethod::output`]; compiled on first use.
    pub(crate) fn result_checker(&self) -> Option<&ResultChecker> {
        let checker = || {
            let made = ResultChecker::new(self.output()?);
            made.inspect_err(|error| tracing::error!("output schema of `{}`: {error}", self.method.name)).ok()
        };
        self.result.get_or_init(checker).as_ref()
    }

    /// Whether a parameter of its own is called like our handle's argument: the two could not be told apart.
    #[must_use]
    pub fn collides(&self) -> bool {
        self.in_contexts && self.declares(HANDLE_ARGUMENT)
    }

    /// Whether the method declares a parameter of this name.
    #[must_use]
    pub fn declares(&self, parameter: &str) -> bool {
        self.method.parameters.iter().any(|declared| declared.name == parameter)
    }

    /// The form of ambiguous arguments to try first: 0 for the likeliest, then the alternatives.
    #[must_use]
    pub fn winner(&self) -> usize {
        self.winner.load(Ordering::Relaxed)
    }

    /// Remembers the form the backend took.
    pub fn remember_winner(&self, form: usize) {
        self.winner.store(form, Ordering::Relaxed);
    }
}

/// What the host adds to every generated tool. A parameter of the same name wins over the context; a method with its
/// own `app_handle` gets no tool.
fn host_arguments() -> [(&'static str, Value); 2] {
    [
        (
            HANDLE_ARGUMENT,
            json!({"type": "string", "description": "The app_handle select_app returned for this application."}),
        ),
        (
            CONTEXT_ARGUMENT,
            json!({
                "type": "string",
                "description": "Context id or alias to execute against; defaults to the selected context.",
            }),
        ),
    ]
}
