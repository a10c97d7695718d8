//! What a node's runtime says about one run of a method: one text, built from whatever went wrong.
//!
//! The application's own error arrived, by age of the node: as the decimal bytes of its JSON behind a fixed prefix;
//! as the text itself behind that prefix; bare. A panic's text may contain brackets and numbers of its own, so
//! bytes are looked for in one place only: all of what follows the prefix.

use super::{explanation, hinted};
use abi_mcp_sdk::serde_json::{Value, from_str};
use abi_mcp_sdk::{Class, Explanation, Retry};

/// What precedes an application's own error, in every release since 2024-04.
const RETURNED: &str = "the method call returned an error:";

const PANICKED: &str = "guest panicked: ";

/// How a panic of the argument reader goes on, after the method's name.
const NOT_READ: &str = "failed to deserialize arguments";
const TAKES_NONE: &str = "takes no arguments, but the call sent unknown field(s)";

/// How texts of the WebAssembly runtime begin: traps, and budgets used up.
const TRAPS: [&str; 9] = [
    "unreachable code reached",
    "memory out of bounds",
    "out of bounds",
    "stack overflow",
    "call stack exhausted",
    "integer divide by zero",
    "integer overflow",
    "indirect call type mismatch",
    "execution exhausted its gas limit",
];

/// Explains the text; `None` when it says nothing. `signature` goes into hints.
pub(super) fn explain(text: &str, signature: Option<&str>) -> Option<Explanation> {
    let text = text.trim();
    if let Some(returned) = text.strip_prefix(RETURNED) {
        return application(returned.trim());
    }
    if let Some(panic) = text.strip_prefix(PANICKED) {
        return Some(panicked(text, panic, signature));
    }
    if text.is_empty() {
        return None;
    }
    Some(known(text).unwrap_or_else(|| explanation(Class::Application, Retry::AfterChange, unquoted(text))))
}

/// The application's own error as bytes of UTF-8; `None` when they are none.
pub(super) fn from_bytes(bytes: Vec<u8>) -> Option<Explanation> {
    let text = String::from_utf8(bytes).ok()?;
    let text = unquoted(text.trim());
    let said = !text.trim().is_empty();
    said.then(|| explanation(Class::Application, Retry::AfterChange, text))
}

fn application(returned: &str) -> Option<Explanation> {
    match byte_list(returned) {
        Some(bytes) => from_bytes(bytes?),
        None => {
            let text = unquoted(returned);
            let said = !text.trim().is_empty();
            said.then(|| explanation(Class::Application, Retry::AfterChange, text))
        }
    }
}

/// Reads `[34, 98]` as a Rust debug list of bytes. Outer `None`: not a list of numbers; inner: not of bytes.
fn byte_list(text: &str) -> Option<Option<Vec<u8>>> {
    let inside = text.strip_prefix('[')?.strip_suffix(']')?;
    if !inside.bytes().all(|byte| byte.is_ascii_digit() || byte == b',' || byte == b' ') {
        return None;
    }
    Some(inside.split(',').map(|number| number.trim().parse().ok()).collect())
}

/// A JSON string's content; anything else as it is, so that a structured error stays readable JSON.
fn unquoted(text: &str) -> String {
    match from_str::<Value>(text) {
        Ok(Value::String(inner)) if text.starts_with('"') => inner,
        _ => text.to_owned(),
    }
}

fn panicked(whole: &str, panic: &str, signature: Option<&str>) -> Explanation {
    let unread = panic.split_once(": ").and_then(|(method, rest)| Some((method, unread(rest)?)));
    let Some((method, problem)) = unread else {
        return explanation(Class::Crashed, Retry::AfterChange, whole);
    };
    let message = format!("`{method}` could not read its arguments: {problem}");
    let explanation = explanation(Class::ArgumentsNotRead, Retry::AfterChange, message);
    match signature {
        Some(signature) => hinted(explanation, format!("the method is {signature}")),
        None => explanation,
    }
}

/// What the argument reader found wrong, without the Rust around it.
fn unread(rest: &str) -> Option<String> {
    if let Some(fields) = rest.strip_prefix(TAKES_NONE) {
        let fields = without_place(fields.trim_start_matches(':')).trim();
        return Some(format!("it takes none, but the call sent {fields}"));
    }
    let rest = rest.strip_prefix(NOT_READ)?;
    let Some((_, error)) = rest.split_once("Error(\"") else {
        return Some(without_place(rest).trim_start_matches([':', ' ']).to_owned());
    };
    Some(debug_string(error))
}

/// Reads a Rust debug string up to its closing quote.
fn debug_string(text: &str) -> String {
    let mut content = String::new();
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        match next {
            '"' => break,
            '\\' => match chars.next() {
                Some('n') => content.push('\n'),
                Some('t') => content.push('\t'),
                Some('r') => content.push('\r'),
                Some('0') => content.push('\0'),
                Some('u') => {
                    let digits: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                    content.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                }
                other => content.extend(other),
            },
            other => content.push(other),
        }
    }
    content
}

/// Takes `at file.rs:1:2` off the end of a panic's text.
fn without_place(text: &str) -> &str {
    let is_place = |place: &str| place.contains(".rs:") && !place.contains(' ');
    text.rsplit_once(" at ").filter(|(_, place)| is_place(place)).map_or(text, |(before, _)| before)
}

/// Texts of the node itself.
fn known(text: &str) -> Option<Explanation> {
    if text.starts_with("method \"") && text.ends_with("not found") {
        return Some(explanation(Class::MethodNotFound, Retry::AfterChange, text));
    }
    if text.starts_with("method name contains invalid character") {
        return Some(explanation(Class::BadRequest, Retry::AfterChange, text));
    }
    if text.starts_with("No owned identity found for this context") {
        let gone = explanation(Class::ContextNotFound, Retry::AfterChange, text);
        return Some(hinted(gone, "the context does not exist on this node, or the node is not a member of it"));
    }
    if text.starts_with("Caller is not a member of this context") {
        return Some(explanation(Class::NotAllowed, Retry::No, text));
    }
    let trapped = TRAPS.iter().any(|trap| text.starts_with(trap));
    trapped.then(|| explanation(Class::Crashed, Retry::AfterChange, text))
}
