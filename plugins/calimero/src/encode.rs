//! Arguments as a schema describes them to arguments as a node takes them, at any depth.
//!
//! In: a plan and the arguments of one call. Out: JSON text, written as the values are walked so that a large byte
//! array never exists as a tree of numbers. Scalars pass untouched, every digit kept: the host has checked them.
//! Neither plan nor arguments are trusted; values are at most 127 levels deep, as JSON text may not be deeper.

use crate::bytes::{Form, ID, forms};
use crate::plan::Plan;
use crate::table::{Resolved, Table};
use crate::types::{Field, Fields, Shape, Tagging, Type, Variant};
use abi_mcp_sdk::json::{Object, kind_of, member};
use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{Encoded, Problem};
use std::collections::BTreeMap;

/// Most alternatives worth giving: the contract tries no more.
const MOST_ALTERNATIVES: usize = 8;

/// Forms an ambiguous value may have at most: array, hex, base58.
const MOST_FORMS: usize = 3;

/// Most problems listed; more would not help anyone repair a call.
const MOST_PROBLEMS: usize = 20;

/// How many internally tagged enums may share one object.
const DEEPEST_MERGE: usize = 16;

/// Encodes one call.
pub(crate) fn encode(plan: &[u8], arguments: &Value) -> Result<Encoded, Vec<Problem>> {
    let whole = |message: String| vec![Problem { at: String::new(), message }];
    let plan = match Plan::read(plan) {
        Ok(Some(plan)) => plan,
        Ok(None) => return Ok(Encoded::from(arguments)),
        Err(problem) => return Err(whole(format!("the plan of this method cannot be read: {problem}"))),
    };
    let Some(arguments) = arguments.as_object() else {
        return Err(whole(format!("expected an object of arguments, found {}", kind_of(arguments))));
    };
    let mut first = Encoder::new(&plan.table, BTreeMap::new());
    first.arguments(&plan.params, arguments);
    if !first.problems.is_empty() {
        return Err(first.problems);
    }
    let mut encoded = Encoded { json: first.out, alternatives: Vec::new() };
    for choice in choices(&first.sites) {
        let mut other = Encoder::new(&plan.table, choice);
        other.arguments(&plan.params, arguments);
        if other.out != encoded.json && !encoded.alternatives.contains(&other.out) {
            encoded.alternatives.push(other.out);
        }
        if encoded.alternatives.len() == MOST_ALTERNATIVES {
            break;
        }
    }
    Ok(encoded)
}

/// Which form to take at each site, likeliest first.
///
/// A site is a place in the types, not in the values: all elements of a list are of one type, so they turn together.
/// First every site turns, as an app mostly uses one kind of id; then each on its own and in combination.
fn choices(sites: &BTreeMap<String, usize>) -> impl Iterator<Item = BTreeMap<String, usize>> {
    let names: Vec<String> = sites.keys().cloned().collect();
    let all = names.clone();
    let together =
        (1..MOST_FORMS).map(move |form| all.iter().map(|site| (site.clone(), form)).collect::<BTreeMap<_, _>>());
    // Four sites already have more combinations than are ever tried.
    let few = names.len().min(4);
    let combinations = MOST_FORMS.pow(u32::try_from(few).unwrap_or(0));
    let mixed = (1..combinations).map(move |number| {
        let digit = |position: usize| number / MOST_FORMS.pow(u32::try_from(position).unwrap_or(0)) % MOST_FORMS;
        names.iter().take(few).enumerate().map(|(position, site)| (site.clone(), digit(position))).collect()
    });
    let worth_it = if sites.is_empty() { 0 } else { usize::MAX };
    together.chain(mixed).take(worth_it)
}

/// A step of the path to a value, kept apart until a problem needs it as text.
#[derive(Clone, Copy)]
enum Step<'a> {
    Member(&'a str),
    Element(usize),
}

struct Encoder<'a> {
    table: &'a Table,
    /// The form to take at each site; the first where nothing is said.
    choice: BTreeMap<String, usize>,
    /// Every site met, with the most forms a value there had.
    sites: BTreeMap<String, usize>,
    path: Vec<Step<'a>>,
    out: String,
    problems: Vec<Problem>,
}

impl<'a> Encoder<'a> {
    fn new(table: &'a Table, choice: BTreeMap<String, usize>) -> Self {
        let (sites, path, out, problems) = Default::default();
        Self { table, choice, sites, path, out, problems }
    }

    fn arguments(&mut self, params: &'a [Field], arguments: &'a Object) {
        for param in params {
            if !param.nullable && !arguments.contains_key(&param.name) {
                self.problem_at(member("", &param.name), "is missing");
            }
        }
        let find = |name: &str| params.iter().find(|param| param.name == name);
        self.object(arguments, |this, name, value| match find(name) {
            Some(param) => this.field(param, value),
            None => this.problem("no such argument"),
        });
    }

    fn field(&mut self, field: &'a Field, value: &'a Value) {
        if field.nullable && value.is_null() { self.raw(value) } else { self.value(&field.of, value, None) }
    }

    /// `named`: the name this type was reached by, if it was.
    fn value(&mut self, of: &'a Type, value: &'a Value, named: Option<&'a str>) {
        match of {
            Type::Bytes(size) => self.bytes(*size, value, named),
            Type::List(items) => self.array(value, |this, _, value| this.value(items, value, None)),
            Type::Map { value: values, .. } => match value {
                Value::Object(object) => self.object(object, |this, _, value| this.value(values, value, None)),
                other => self.expected("an object", other),
            },
            Type::Tuple(elements) => {
                self.exactly(elements.len(), value, |this, index, value| match elements.get(index) {
                    Some(of) => this.value(of, value, None),
                    None => this.raw(value),
                });
            }
            Type::Record(fields) => self.record(fields, value),
            Type::Reference(name) => match self.table.resolve(of) {
                Some(Resolved::Inline(inner)) => self.value(inner, value, Some(name)),
                Some(Resolved::Named(shape)) => self.shape(shape, value),
                None => self.raw(value),
            },
            _ => self.raw(value),
        }
    }

    fn shape(&mut self, shape: &'a Shape, value: &'a Value) {
        match shape {
            Shape::Record(fields) => self.record(fields, value),
            Shape::Variant { variants, tagging } => self.variant(variants, tagging, value),
            Shape::Alias { .. } | Shape::Broken(_) => self.raw(value),
        }
    }

    fn record(&mut self, fields: &'a Fields, value: &'a Value) {
        if fields.positional {
            return self.exactly(fields.list.len(), value, |this, index, value| match fields.list.get(index) {
                Some(field) => this.field(field, value),
                None => this.raw(value),
            });
        }
        let Value::Object(object) = value else { return self.expected("an object", value) };
        for field in &fields.list {
            if !field.nullable && !object.contains_key(&field.name) {
                self.path.push(Step::Member(&field.name));
                self.problem("is missing");
                self.path.pop();
            }
        }
        self.object(object, |this, name, value| match find_field(fields, name) {
            Some(field) => this.field(field, value),
            // The application ignores members it does not know.
            None => this.raw(value),
        });
    }

    fn variant(&mut self, variants: &'a [Variant], tagging: &'a Tagging, value: &'a Value) {
        match (tagging, value) {
            // Bytes are never text in here, so there is nothing to turn.
            (Tagging::Untagged, _) => self.raw(value),
            (Tagging::External, Value::String(name)) => match find_variant(variants, name) {
                Some(Variant { payload: None, .. }) => self.raw(value),
                Some(_) => self.problem(&format!("`{name}` carries data: write {{\"{name}\": …}}")),
                None => self.problem(&format!("expected {}", members(variants))),
            },
            (Tagging::External, Value::Object(object)) if object.len() == 1 => {
                self.object(object, |this, name, value| match find_variant(variants, name) {
                    Some(Variant { payload: Some(payload), .. }) => this.value(payload, value, None),
                    Some(_) if value.is_null() => this.raw(value),
                    Some(_) => this.problem(&format!("`{name}` carries no data: write \"{name}\"")),
                    None => this.problem(&format!("expected {}", members(variants))),
                });
            }
            (Tagging::Adjacent { tag, content }, Value::Object(object)) => {
                let chosen = self.chosen(variants, tag, object);
                let payload = chosen.and_then(|chosen| chosen.payload.as_ref());
                self.object(object, |this, name, value| match payload {
                    Some(payload) if name == content => this.value(payload, value, None),
                    _ => this.raw(value),
                });
            }
            (Tagging::Internal(tag), Value::Object(object)) => self.internal(variants, tag, object),
            _ => self.expected(&members(variants), value),
        }
    }

    /// `{tag: "Name", …}`: the payload's members stand beside the tag, perhaps behind several tags.
    fn internal(&mut self, variants: &'a [Variant], tag: &'a str, object: &'a Object) {
        let mut tags = vec![tag];
        let mut payload = self.chosen(variants, tag, object).and_then(|chosen| chosen.payload.as_ref());
        let mut inside = Inside::Open;
        while let Some(of) = payload.take() {
            inside = match self.table.resolve(of) {
                Some(Resolved::Named(Shape::Record(fields)) | Resolved::Inline(Type::Record(fields)))
                    if !fields.positional =>
                {
                    Inside::Fields(fields)
                }
                Some(Resolved::Inline(Type::Map { value, .. })) => Inside::Values(value),
                Some(Resolved::Named(Shape::Variant { variants, tagging: Tagging::Internal(inner) }))
                    if !tags.contains(&inner.as_str()) && tags.len() < DEEPEST_MERGE =>
                {
                    tags.push(inner);
                    payload = self.chosen(variants, inner, object).and_then(|chosen| chosen.payload.as_ref());
                    Inside::Open
                }
                _ => Inside::Open,
            };
        }
        self.object(object, |this, name, value| match inside {
            _ if tags.contains(&name) => this.raw(value),
            Inside::Fields(fields) => match find_field(fields, name) {
                Some(field) => this.field(field, value),
                None => this.raw(value),
            },
            Inside::Values(of) => this.value(of, value, None),
            Inside::Open => this.raw(value),
        });
    }

    /// The member a tag names.
    fn chosen(&mut self, variants: &'a [Variant], tag: &'a str, object: &Object) -> Option<&'a Variant> {
        let found = object.get(tag).and_then(Value::as_str).and_then(|name| find_variant(variants, name));
        if found.is_none() {
            self.path.push(Step::Member(tag));
            self.problem(&format!("expected {}", members(variants)));
            self.path.pop();
        }
        found
    }

    fn bytes(&mut self, size: Option<u64>, value: &'a Value, named: Option<&'a str>) {
        let forms = match forms(value, size) {
            Ok(forms) => forms,
            Err((None, problem)) => return self.problem(&problem),
            Err((Some(index), problem)) => {
                self.path.push(Step::Element(index));
                self.problem(&problem);
                self.path.pop();
                return;
            }
        };
        let mut form = 0;
        if size == Some(ID) {
            let site = named.map_or_else(|| self.place(), |name| format!("type {name}"));
            form = self.choice.get(&site).copied().unwrap_or(0);
            let most = self.sites.entry(site).or_default();
            *most = forms.len().max(*most);
        }
        // Where a value has fewer forms than asked for, its last is as far as it goes.
        let chosen: Option<&Form> = forms.get(form).or(forms.last());
        if let Some(chosen) = chosen {
            chosen.write(&mut self.out);
        }
    }

    fn exactly(&mut self, count: usize, value: &'a Value, each: impl FnMut(&mut Self, usize, &'a Value)) {
        match value {
            Value::Array(elements) if elements.len() != count => {
                self.problem(&format!("expected exactly {count} elements, found {}", elements.len()));
            }
            _ => self.array(value, each),
        }
    }

    fn array(&mut self, value: &'a Value, mut each: impl FnMut(&mut Self, usize, &'a Value)) {
        let Value::Array(elements) = value else { return self.expected("an array", value) };
        self.out.push('[');
        for (index, element) in elements.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.path.push(Step::Element(index));
            each(self, index, element);
            self.path.pop();
        }
        self.out.push(']');
    }

    fn object(&mut self, object: &'a Object, mut each: impl FnMut(&mut Self, &'a str, &'a Value)) {
        self.out.push('{');
        for (index, (name, value)) in object.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.out.push_str(&Value::from(name.as_str()).to_string());
            self.out.push(':');
            self.path.push(Step::Member(name));
            each(self, name, value);
            self.path.pop();
        }
        self.out.push('}');
    }

    fn raw(&mut self, value: &Value) {
        self.out.push_str(&value.to_string());
    }

    fn expected(&mut self, expected: &str, found: &Value) {
        self.problem(&format!("expected {expected}, found {}", kind_of(found)));
    }

    fn problem(&mut self, message: &str) {
        let mut at = String::new();
        for step in &self.path {
            at = match step {
                Step::Member(name) => member(&at, name),
                Step::Element(index) => format!("{at}[{index}]"),
            };
        }
        self.problem_at(at, message);
    }

    fn problem_at(&mut self, at: String, message: &str) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(Problem { at, message: message.to_owned() });
        }
    }

    /// Where we are, without positions.
    fn place(&self) -> String {
        let steps = self.path.iter().filter_map(|step| match step {
            Step::Member(name) => Some(*name),
            Step::Element(_) => None,
        });
        steps.collect::<Vec<_>>().join("/")
    }
}

/// What stands beside the tags of an internally tagged enum.
#[derive(Clone, Copy)]
enum Inside<'a> {
    Fields(&'a Fields),
    Values(&'a Type),
    Open,
}

fn find_field<'a>(fields: &'a Fields, name: &str) -> Option<&'a Field> {
    fields.list.iter().find(|field| field.name == name)
}

fn find_variant<'a>(variants: &'a [Variant], name: &str) -> Option<&'a Variant> {
    variants.iter().find(|variant| variant.name == name)
}

/// The members of an enum, for messages.
fn members(variants: &[Variant]) -> String {
    let names: Vec<String> = variants.iter().take(20).map(|variant| format!("`{}`", variant.name)).collect();
    let more = if variants.len() > 20 { ", …" } else { "" };
    format!("one of {}{more}", names.join(", "))
}
