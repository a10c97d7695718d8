//! Which keys a map may have, as one pattern.
//!
//! Some clients fail on `propertyNames` (`mcp-protocol` §13), so the rule moves into `patternProperties`, which the
//! others ignore at worst. A rule that cannot be a pattern is left out, with a note.

use super::convert::{Converter, resolve};
use super::validator::is_portable_pattern;
use super::{JsonObject, REF_DEPTH};
use serde_json::Value;

/// The most values or alternatives of one rule.
const MOST: usize = 256;

/// What `propertyNames` says.
pub(super) enum KeyRule {
    /// Nothing.
    Any,
    /// Keys match a pattern.
    Matching(String),
    /// Something else.
    Unread,
}

impl Converter<'_> {
    /// Reads a `propertyNames` schema.
    pub(super) fn key_rule(&self, names: &Value) -> KeyRule {
        read(self.document(), names, 0)
    }
}

fn read(document: &Value, names: &Value, depth: usize) -> KeyRule {
    let Some(map) = names.as_object().filter(|_| depth <= REF_DEPTH) else {
        return if *names == Value::Bool(true) { KeyRule::Any } else { KeyRule::Unread };
    };
    if let Some(target) = map.get("$ref").and_then(Value::as_str) {
        return resolve(document, target).map_or(KeyRule::Unread, |target| read(document, target, depth + 1));
    }
    let pattern = match (map.get("const"), map.get("enum"), map.get("pattern"), union(map)) {
        (Some(name), ..) => one_of(std::slice::from_ref(name)),
        (None, Some(Value::Array(names)), ..) => one_of(names),
        (None, None, Some(Value::String(pattern)), _) => Some(pattern.clone()),
        (None, None, None, Some(branches)) => return any(document, branches, depth),
        (None, None, None, None) => match lengths(map) {
            Some(pattern) => Some(pattern),
            None if map.keys().all(|key| is_silent(key)) => return KeyRule::Any,
            None => None,
        },
        _ => None,
    };
    match pattern {
        Some(pattern) if is_portable_pattern(&pattern) => KeyRule::Matching(pattern),
        _ => KeyRule::Unread,
    }
}

fn union(map: &JsonObject) -> Option<&[Value]> {
    map.get("anyOf").or_else(|| map.get("oneOf")).and_then(Value::as_array).map(Vec::as_slice)
}

/// Any of several rules.
fn any(document: &Value, branches: &[Value], depth: usize) -> KeyRule {
    let mut patterns = Vec::new();
    for branch in branches.iter().take(MOST) {
        match read(document, branch, depth + 1) {
            KeyRule::Any => return KeyRule::Any,
            KeyRule::Matching(pattern) => patterns.push(format!("(?:{pattern})")),
            KeyRule::Unread => return KeyRule::Unread,
        }
    }
    if branches.len() > MOST || patterns.is_empty() { KeyRule::Unread } else { KeyRule::Matching(patterns.join("|")) }
}

/// `^(?:a|b)$` for a list of names.
fn one_of(names: &[Value]) -> Option<String> {
    if names.len() > MOST {
        return None;
    }
    let names: Vec<String> = names.iter().filter_map(Value::as_str).map(escaped).collect();
    (!names.is_empty()).then(|| format!("^(?:{})$", names.join("|")))
}

/// A text as a pattern that matches it.
fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$/".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

fn lengths(map: &JsonObject) -> Option<String> {
    let least = map.get("minLength").and_then(Value::as_u64);
    let most = map.get("maxLength").and_then(Value::as_u64);
    match (least, most) {
        (None, None) => None,
        (least, None) => Some(format!(r"^[\s\S]{{{},}}$", least.unwrap_or(0))),
        (least, Some(most)) => Some(format!(r"^[\s\S]{{{},{most}}}$", least.unwrap_or(0))),
    }
}

/// Keywords that restrict no key: every key is a string.
fn is_silent(keyword: &str) -> bool {
    matches!(keyword, "type" | "description" | "title" | "default" | "format" | "$comment" | "examples")
}
