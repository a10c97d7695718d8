//! The exported functions of a component, and each as a tool.
//!
//! In comes a compiled component, out come its functions under names that are unique, with the shapes of what they take
//! and answer, and those that cannot be tools with the reason. Looking at them runs nothing.

use super::shape::{Reader, Shape};
use super::value::{record, to_json};
use super::{Effects, schema};
use crate::contract::DraftMethod;
use crate::model::{Access, ExtensionClass, ExtensionFailure, ExtensionReply, JsonObject, Method, Role, Skipped};
use schema::Way;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use wasmtime::Engine;
use wasmtime::component::types::{ComponentFunc, ComponentItem};
use wasmtime::component::{Component, ComponentExportIndex, Val};

/// Most functions that are looked at: more than an extension may have tools, and a component can export a million.
const MAX_FUNCTIONS: usize = 400;

/// What a component exports.
pub(super) struct Functions {
    pub(super) functions: Vec<Function>,
    pub(super) skipped: Vec<Skipped>,
}

/// One function that is a tool.
#[derive(Debug)]
pub(super) struct Function {
    /// Its tool's name, unique within the component.
    pub(super) name: String,
    /// Whose it is; `None` for one of the world itself.
    interface: Option<String>,
    /// What it is called there.
    own_name: String,
    /// Where it is found in an instance.
    pub(super) index: ComponentExportIndex,
    pub(super) parameters: Vec<(String, Shape)>,
    pub(super) answer: Answer,
}

/// What a function answers.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// Nothing, which is good news.
    Nothing,
    /// A value.
    Value(Shape),
    /// A value or nothing, or the error of the tool.
    Fallible(Option<Shape>),
}

/// One export, before its types were read.
struct Export {
    interface: Option<String>,
    name: String,
    index: ComponentExportIndex,
    ty: ComponentFunc,
}

/// A component's exported functions.
pub(super) fn exported(engine: &Engine, component: &Component) -> Functions {
    let mut exports = exports(engine, component);
    let mut skipped = Vec::new();
    if exports.len() > MAX_FUNCTIONS {
        let reason = format!("only the first {MAX_FUNCTIONS} functions are looked at");
        let at = format!("#{MAX_FUNCTIONS} to #{}", exports.len() - 1);
        skipped.push(Skipped { method: at, reason });
        exports.truncate(MAX_FUNCTIONS);
    }
    let names =
        names(&exports.iter().map(|export| (export.interface.as_deref(), export.name.as_str())).collect::<Vec<_>>());
    let mut functions = Vec::new();
    for (export, name) in exports.into_iter().zip(names) {
        match read(&export) {
            Ok((parameters, answer)) => {
                let Export { interface, name: own_name, index, .. } = export;
                functions.push(Function { name, interface, own_name, index, parameters, answer });
            }
            Err(reason) => skipped.push(Skipped { method: name, reason }),
        }
    }
    Functions { functions, skipped }
}

fn exports(engine: &Engine, component: &Component) -> Vec<Export> {
    let mut found = Vec::new();
    for (name, export) in component.component_type().exports(engine) {
        let Some(index) = component.get_export_index(None, name) else { continue };
        match export.ty {
            ComponentItem::ComponentFunc(ty) => {
                found.push(Export { interface: None, name: name.to_owned(), index, ty });
            }
            ComponentItem::ComponentInstance(instance) => {
                for (function, export) in instance.exports(engine) {
                    let ComponentItem::ComponentFunc(ty) = export.ty else { continue };
                    let Some(index) = component.get_export_index(Some(&index), function) else { continue };
                    found.push(Export { interface: Some(name.to_owned()), name: function.to_owned(), index, ty });
                }
            }
            _ => {}
        }
    }
    found
}

/// The shapes of what a function takes and answers.
fn read(export: &Export) -> Result<(Vec<(String, Shape)>, Answer), String> {
    // `[constructor]file`, `[method]file.read`: of a resource, whatever their types.
    if export.name.starts_with('[') && !export.name.starts_with("[async]") {
        return Err("it belongs to a resource, and a handle cannot be handed to a model".to_owned());
    }
    if export.ty.async_() {
        return Err("it is asynchronous".to_owned());
    }
    let mut reader = Reader::new();
    let takes = |name: &str, what: &str| format!("its parameter `{name}` has {what}, which has no JSON form");
    let parameters =
        export.ty.params().map(|(name, ty)| Ok((name.to_owned(), reader.read(&ty).map_err(|what| takes(name, what))?)));
    let parameters = parameters.collect::<Result<_, String>>()?;
    let answers = |what: &str| format!("its result has {what}, which has no JSON form");
    let result = export.ty.results().next().map(|ty| reader.read(&ty)).transpose().map_err(answers)?;
    let answer = match result {
        None => Answer::Nothing,
        Some(Shape::Result(ok, _)) => Answer::Fallible(ok.map(|ok| *ok)),
        Some(shape) => Answer::Value(shape),
    };
    Ok((parameters, answer))
}

/// An interface, unless it is the world itself, and the name of a function of it.
type Named<'a> = (Option<&'a str>, &'a str);

/// A name for each function: its own where no other interface has one like it, else with its interface's, else with the
/// interface's whole name. A function of the world itself keeps its own.
fn names(functions: &[Named<'_>]) -> Vec<String> {
    let own = |(_, name): &Named<'_>| snake(name);
    let short = |function: &Named<'_>| match function.0 {
        Some(interface) => format!("{}_{}", snake(short_name(interface)), own(function)),
        None => own(function),
    };
    let whole = |function: &Named<'_>| match function.0 {
        Some(interface) => format!("{}_{}", snake(interface), own(function)),
        None => own(function),
    };
    let counted = |name: &dyn Fn(&Named<'_>) -> String| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for function in functions {
            *counts.entry(name(function)).or_default() += 1;
        }
        counts
    };
    let (own_counts, short_counts) = (counted(&own), counted(&short));
    let mut taken: HashSet<String> = functions.iter().filter(|(interface, _)| interface.is_none()).map(own).collect();
    let mut name_of = |function: &Named<'_>| {
        if function.0.is_none() {
            return own(function);
        }
        let is_free =
            |name: &String, counts: &BTreeMap<String, usize>| counts.get(name) == Some(&1) && !taken.contains(name);
        let candidates = [(own(function), &own_counts), (short(function), &short_counts)];
        let chosen = candidates.into_iter().find(|(name, counts)| is_free(name, counts)).map(|(name, _)| name);
        let chosen = chosen.unwrap_or_else(|| whole(function));
        taken.insert(chosen.clone());
        chosen
    };
    functions.iter().map(&mut name_of).collect()
}

/// `shapes` of `test:plain/shapes@1.2.0`.
fn short_name(interface: &str) -> &str {
    let path = interface.split('@').next().unwrap_or(interface);
    path.rsplit('/').next().unwrap_or(path)
}

fn snake(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

impl Function {
    /// As a tool.
    pub(super) fn tool(&self, effects: Effects) -> DraftMethod {
        let Effects { changes, reaches_out } = effects;
        let whose = self.interface.as_ref().map(|interface| format!(" of `{interface}`")).unwrap_or_default();
        let method = Method {
            name: self.name.clone(),
            title: None,
            doc: Some(format!("The function `{}`{whose}.", self.own_name)),
            signature: String::new(),
            role: Role::Ordinary,
            // What can reach nothing changes nothing; what can may, and does not say.
            access: if changes { Access::Unspecified } else { Access::View },
            destructive: Some(changes),
            idempotent: Some(!changes),
            open_world: Some(reaches_out),
            category: self.interface.as_deref().map(|interface| short_name(interface).to_owned()),
            keywords: Vec::new(),
            parameters: Vec::new(),
            input_schema: JsonObject::new(),
            output_schema: None,
            plan: Arc::default(),
            call_spec: None,
            needs_encode: false,
            needs_decode: false,
            meta: None,
        };
        let input_schema = schema::object(&self.parameters, Way::In).to_string();
        let output_schema = self.answer.shape().map(|shape| schema::schema(shape, Way::Out).to_string());
        DraftMethod { method, input_schema, output_schema, meta: None }
    }

    /// The values of a call's arguments, in order.
    ///
    /// # Errors
    /// What is wrong with them, and where.
    pub(super) fn values(&self, arguments: &str) -> Result<Vec<Val>, String> {
        let given: Value = serde_json::from_str(arguments).map_err(|error| format!("they are not JSON ({error})"))?;
        let values = record(&self.parameters, &given).map_err(|wrong| wrong.to_string())?;
        Ok(values.into_iter().map(|(_, value)| value).collect())
    }
}

impl Answer {
    /// How many values the engine hands over.
    pub(super) fn count(&self) -> usize {
        usize::from(*self != Self::Nothing)
    }

    /// The value's shape, where a good answer has one.
    fn shape(&self) -> Option<&Shape> {
        match self {
            Self::Nothing => None,
            Self::Value(shape) => Some(shape),
            Self::Fallible(shape) => shape.as_ref(),
        }
    }

    /// What the engine handed over as the tool's answer.
    ///
    /// # Errors
    /// A value of another type than the function's, which the engine never hands over; in words.
    pub(super) fn reply(&self, result: Option<Val>) -> Result<Result<ExtensionReply, ExtensionFailure>, String> {
        let strange = || "the engine answered with a value of another type".to_owned();
        let json = |value: Val| to_json(value).ok_or_else(strange);
        match (self, result) {
            (Self::Nothing, _) => Ok(Ok(done())),
            (Self::Value(_), Some(value)) => Ok(Ok(structured(&json(value)?))),
            (Self::Fallible(_), Some(Val::Result(Ok(None)))) => Ok(Ok(done())),
            (Self::Fallible(_), Some(Val::Result(Ok(Some(value))))) => Ok(Ok(structured(&json(*value)?))),
            (Self::Fallible(_), Some(Val::Result(Err(error)))) => {
                Ok(Err(failed(error.map(|error| json(*error)).transpose()?)))
            }
            _ => Err(strange()),
        }
    }
}

/// A function that answers nothing has done what it does.
fn done() -> ExtensionReply {
    ExtensionReply { text: Some("done".to_owned()), structured: None }
}

/// A value, and a text as itself too: whoever reads it need not see it quoted.
fn structured(value: &Value) -> ExtensionReply {
    let text = value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    ExtensionReply { text, structured: Some(value.to_string()) }
}

/// An error in its own words; one that is no text, as it is written in JSON.
fn failed(error: Option<Value>) -> ExtensionFailure {
    let message = match error {
        None => "it failed and does not say why".to_owned(),
        Some(Value::String(text)) => text,
        Some(value) => value.to_string(),
    };
    ExtensionFailure { class: ExtensionClass::Failed, message, hint: None }
}

#[cfg(test)]
mod tests;
