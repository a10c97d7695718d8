//! The type table of one manifest (or one plan), and what can be said of a type by looking through it.

use crate::types::{Definition, Shape, Tagging, Type};
use abi_mcp_sdk::json::Object;
use std::collections::{BTreeMap, BTreeSet};

/// Longest chain of aliases followed. Real manifests have two; the bound protects from a table made to hurt.
const LONGEST_CHAIN: usize = 64;

/// Every named type.
#[derive(Debug, Default)]
pub(crate) struct Table(BTreeMap<String, Definition>);

impl Table {
    /// Reads `types` and makes safe what would never end: a type that is nothing but itself is broken.
    pub(crate) fn read(types: Option<&Object>) -> Self {
        let read = |(name, value): (&String, _)| (name.clone(), Definition::read(value));
        let mut table = Self(types.into_iter().flatten().map(read).collect());
        for name in table.empty_cycles() {
            if let Some(definition) = table.0.get_mut(&name) {
                definition.shape = Shape::Broken("a type that is nothing but itself".to_owned());
            }
        }
        table
    }

    /// Looks a name up; the name comes back as the table's own.
    pub(crate) fn get(&self, name: &str) -> Option<(&str, &Definition)> {
        self.0.get_key_value(name).map(|(name, definition)| (name.as_str(), definition))
    }

    /// Looks through references and aliases to what is on the wire; `None` where the table has no answer.
    pub(crate) fn resolve<'a>(&'a self, mut of: &'a Type) -> Option<Resolved<'a>> {
        for _ in 0..LONGEST_CHAIN {
            let Type::Reference(name) = of else { return Some(Resolved::Inline(of)) };
            match &self.0.get(name)?.shape {
                Shape::Alias { target, .. } => of = target,
                shape => return Some(Resolved::Named(shape)),
            }
        }
        None
    }

    /// Whether a value of this type is always null, so that there is nothing to describe.
    pub(crate) fn is_unit(&self, of: &Type) -> bool {
        matches!(self.resolve(of), Some(Resolved::Inline(Type::Unit)))
    }

    /// Marks the records that emitters before 1.0 wrote for tuple variants: `{Enum}_{Variant}` with numbered fields.
    /// On the wire they are arrays. Returns their names.
    pub(crate) fn mark_tuple_variants(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        for (name, definition) in &self.0 {
            let Shape::Variant { variants, .. } = &definition.shape else { continue };
            for variant in variants {
                let expected = format!("{name}_{}", variant.name);
                if variant.payload == Some(Type::Reference(expected.clone())) && self.is_numbered(&expected) {
                    found.push(expected);
                }
            }
        }
        self.mark_positional(&found);
        found
    }

    /// Marks these records as arrays on the wire.
    pub(crate) fn mark_positional(&mut self, names: &[String]) {
        for name in names {
            if let Some(Definition { shape: Shape::Record(fields), .. }) = self.0.get_mut(name) {
                fields.positional = true;
            }
        }
    }

    /// Every name these types reach, themselves included where the table has them.
    pub(crate) fn reach<'a>(&'a self, from: impl Iterator<Item = &'a Type>) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        self.walk(from, |name, _| reached.insert(name), |_| {});
        reached
    }

    /// Whether a caller may write bytes as text somewhere in these types, so that a call needs encoding.
    ///
    /// Under an untagged enum bytes are never text: what looks like hex may be another member's string.
    pub(crate) fn takes_bytes<'a>(&'a self, from: impl Iterator<Item = &'a Type>) -> bool {
        let (mut seen, mut found) = (BTreeSet::new(), false);
        let enter = |name, shape: &Shape| {
            let untagged = matches!(shape, Shape::Variant { tagging: Tagging::Untagged, .. });
            !untagged && seen.insert(name)
        };
        self.walk(from, enter, |of| found |= matches!(of, Type::Bytes(_)));
        found
    }

    fn is_numbered(&self, name: &str) -> bool {
        matches!(self.0.get(name), Some(Definition { shape: Shape::Record(fields), .. }) if fields.are_numbered())
    }

    /// Visits every type below `from`, each name only where `enter` says so. A stack of its own: a table may chain
    /// more names than the machine stack has room for.
    fn walk<'a>(
        &'a self,
        from: impl Iterator<Item = &'a Type>,
        mut enter: impl FnMut(&'a str, &'a Shape) -> bool,
        mut visit: impl FnMut(&'a Type),
    ) {
        let mut left: Vec<&Type> = from.collect();
        while let Some(of) = left.pop() {
            visit(of);
            match of {
                Type::List(items) => left.push(items),
                Type::Map { key, value } => left.extend([key.as_ref(), value.as_ref()]),
                Type::Tuple(elements) => left.extend(elements),
                Type::Record(fields) => left.extend(fields.list.iter().map(|field| &field.of)),
                Type::Reference(name) => {
                    if let Some((name, definition)) = self.0.get_key_value(name)
                        && enter(name, &definition.shape)
                    {
                        left.extend(parts(&definition.shape));
                    }
                }
                _ => {}
            }
        }
    }

    /// One name of every cycle in which no step adds anything to a value: aliases and untagged members.
    fn empty_cycles(&self) -> Vec<String> {
        #[derive(PartialEq)]
        enum State {
            Open,
            Done,
        }
        let (mut states, mut found) = (BTreeMap::<&str, State>::new(), Vec::new());
        for start in self.0.keys() {
            let mut path = vec![(start.as_str(), false)];
            while let Some((name, left)) = path.pop() {
                if left {
                    states.insert(name, State::Done);
                    continue;
                }
                if states.contains_key(name) {
                    continue;
                }
                states.insert(name, State::Open);
                path.push((name, true));
                for next in self.steps(name) {
                    match states.get(next) {
                        None => path.push((next, false)),
                        Some(State::Open) => found.push(name.to_owned()),
                        Some(State::Done) => {}
                    }
                }
            }
        }
        found
    }

    /// The names a value of `name` may be, with nothing added.
    fn steps(&self, name: &str) -> Vec<&str> {
        let named = |of: &'_ Type| match of {
            Type::Reference(name) => self.0.get_key_value(name.as_str()).map(|(name, _)| name.as_str()),
            _ => None,
        };
        match self.0.get(name).map(|definition| &definition.shape) {
            Some(Shape::Alias { target, .. }) => named(target).into_iter().collect(),
            Some(Shape::Variant { variants, tagging: Tagging::Untagged }) => {
                variants.iter().filter_map(|variant| variant.payload.as_ref()).filter_map(named).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A type with every reference and alias looked through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Resolved<'a> {
    /// Written where it is used.
    Inline(&'a Type),
    /// A record, an enum or a broken definition of the table.
    Named(&'a Shape),
}

fn parts(shape: &Shape) -> Vec<&Type> {
    match shape {
        Shape::Record(fields) => fields.list.iter().map(|field| &field.of).collect(),
        Shape::Variant { variants, .. } => variants.iter().filter_map(|variant| variant.payload.as_ref()).collect(),
        Shape::Alias { target, .. } => vec![target],
        Shape::Broken(_) => Vec::new(),
    }
}
