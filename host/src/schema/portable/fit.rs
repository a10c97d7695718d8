//! Keeping a schema within its size.
//!
//! Every parameter is written out as deep as references may go. While the whole is too large, the largest
//! parameter gives up one level of references, and at last becomes *unknown*; if that is not enough the descriptions
//! go. The choice depends on sizes and order only, so that a tool looks the same after every start. Work is counted
//! as well: a schema made to explode is cut down in bounded time.

use super::convert::{Converter, Direction};
use super::{JsonObject, LIMIT, Note, REF_DEPTH, unknown};
use serde_json::Value;

/// The room of one conversion, in units of about a byte; more than that cannot fit anyway.
const ROOM: usize = 2 * LIMIT;

/// The work of one tool in the same units, over all parameters and attempts.
const WORK: usize = 64 * LIMIT;

/// Bytes of the root around the properties, with the list of required ones added separately.
const ENVELOPE: usize = 128;

/// Above this many properties none is cut level by level: one step takes it to *unknown*.
const MOST_GRADUAL: usize = 256;

/// The most notes of one tool.
const MOST_NOTES: usize = 32;

/// One top-level property, as it comes in.
pub(super) struct Part<'a> {
    name: &'a str,
    source: &'a Value,
}

impl<'a> Part<'a> {
    /// A property of this name.
    pub(super) fn new(name: &'a str, source: &'a Value) -> Self {
        Self { name, source }
    }
}

/// All top-level properties, as they go out.
pub(super) struct Fitted {
    /// In the order they came.
    pub(super) properties: JsonObject,
    /// What was widened.
    pub(super) notes: Vec<Note>,
}

/// How much of a property is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// With references expanded this often on one path.
    References(usize),
    /// Nothing.
    Unknown,
}

/// A property at its present level; no schema where it accepts no value at all.
struct Shown<'a> {
    part: Part<'a>,
    level: Level,
    schema: Option<JsonObject>,
    size: usize,
    notes: Vec<Note>,
}

/// Writes the properties out within [`LIMIT`].
pub(super) fn fit(document: &Value, direction: Direction, parts: Vec<Part<'_>>) -> Fitted {
    let mut work = WORK;
    let mut shown: Vec<Shown<'_>> = parts
        .into_iter()
        .map(|part| {
            let mut one = Shown { part, level: Level::References(REF_DEPTH), schema: None, size: 0, notes: Vec::new() };
            one.show(document, direction, &mut work);
            one
        })
        .collect();
    let names: usize = shown.iter().map(|one| 2 * one.part.name.len() + 8).sum();
    let budget = LIMIT.saturating_sub(ENVELOPE + names);
    let gradual = shown.len() <= MOST_GRADUAL;
    while total(&shown) > budget {
        let Some(largest) = largest_reducible(&mut shown) else { break };
        if gradual { largest.reduce(document, direction, &mut work) } else { largest.become_unknown() }
    }
    drop_descriptions(&mut shown, budget);
    let mut notes: Vec<Note> = Vec::new();
    let mut properties = JsonObject::new();
    for one in shown {
        notes.extend(one.notes);
        if let Some(schema) = one.schema {
            properties.insert(one.part.name.to_owned(), Value::Object(schema));
        }
    }
    notes.truncate(MOST_NOTES);
    Fitted { properties, notes }
}

impl Shown<'_> {
    /// Converts at the present level, or the next one that stays within its room.
    fn show(&mut self, document: &Value, direction: Direction, work: &mut usize) {
        loop {
            let Level::References(depth) = self.level else {
                self.become_unknown();
                return;
            };
            let mut converter = Converter::new(document, direction, depth, ROOM.min(*work), self.part.name);
            let schema = converter.convert_root(self.part.source);
            *work = work.saturating_sub(converter.spent());
            if !converter.is_exhausted() {
                self.size = schema.as_ref().map_or(0, size);
                self.schema = schema;
                self.notes = converter.into_notes();
                return;
            }
            self.level = next(self.level, *work);
        }
    }

    /// Goes down until it is smaller.
    fn reduce(&mut self, document: &Value, direction: Direction, work: &mut usize) {
        let before = self.size;
        while self.level != Level::Unknown && self.size >= before {
            self.level = next(self.level, *work);
            self.show(document, direction, work);
        }
    }

    fn become_unknown(&mut self) {
        let mut schema = unknown();
        if let Some(words) = self.schema.as_ref().and_then(|schema| schema.get("description")) {
            schema.insert("description".to_owned(), words.clone());
        }
        let text = "too large to describe: accepted unchecked".to_owned();
        self.notes = vec![Note { method: None, path: self.part.name.to_owned(), text }];
        self.size = size(&schema);
        self.schema = Some(schema);
        self.level = Level::Unknown;
    }
}

/// One level down; straight to nothing when the work is done.
fn next(level: Level, work: usize) -> Level {
    match level {
        Level::References(depth) if depth > 0 && work > 0 => Level::References(depth - 1),
        _ => Level::Unknown,
    }
}

/// The largest property that could be smaller as *unknown*; the first of equals.
fn largest_reducible<'s, 'a>(shown: &'s mut [Shown<'a>]) -> Option<&'s mut Shown<'a>> {
    let floor = size(&unknown());
    shown
        .iter_mut()
        .filter(|one| one.level != Level::Unknown && one.size > floor)
        .reduce(|largest, one| if one.size > largest.size { one } else { largest })
}

/// Takes the descriptions of the largest properties away while the whole is too large.
fn drop_descriptions(shown: &mut [Shown<'_>], budget: usize) {
    let mut over = total(shown).saturating_sub(budget);
    let mut order: Vec<&mut Shown<'_>> = shown.iter_mut().collect();
    order.sort_by_key(|one| std::cmp::Reverse(one.size));
    for one in order {
        if over == 0 {
            return;
        }
        let Some(schema) = &mut one.schema else { continue };
        schema.remove("description");
        let now = size(schema);
        over = over.saturating_sub(one.size - now);
        one.size = now;
    }
}

fn total(shown: &[Shown<'_>]) -> usize {
    shown.iter().map(|one| one.size).sum()
}

/// Bytes of compact JSON.
fn size(schema: &JsonObject) -> usize {
    serde_json::to_string(schema).map_or(LIMIT, |text| text.len())
}
