//! The plain types as golden files show them.

use crate::Document;
use crate::subject::{Explanation, Fault, Mapping, Method, Parameter, Problem, Recognition, Skipped, Tool};

/// JSON text as a value; text that is not JSON shows as such, for the golden file to reveal it.
pub(crate) fn json(text: &str) -> Document {
    Document::parse(text).unwrap_or_else(|error| Document::Text(format!("not JSON ({error}): {text}")))
}

/// What a mapper says of one manifest.
pub(crate) fn mapped(recognition: Option<&Recognition>, mapping: &Result<Mapping, Fault>) -> Document {
    let mut members = vec![("recognition", recognition.map_or_else(Document::null, recognised))];
    match mapping {
        Ok(mapping) => {
            members.push(("methods", list(&mapping.methods, method)));
            members.push(("skipped", list(&mapping.skipped, skipped)));
            let note = |note: &crate::Note| {
                object([
                    ("method", optional(note.method.as_deref())),
                    ("path", text(&note.path)),
                    ("text", text(&note.text)),
                ])
            };
            members.push(("notes", list(&mapping.notes, note)));
        }
        Err(fault) => members.push(("fault", self::fault(fault))),
    }
    object(members)
}

/// The problems of one call.
pub(crate) fn problems(problems: &[Problem]) -> Document {
    list(problems, |problem| object([("at", text(&problem.at)), ("message", text(&problem.message))]))
}

/// One explanation.
pub(crate) fn explanation(explanation: &Explanation) -> Document {
    object([
        ("message", text(&explanation.message)),
        ("class", text(explanation.class)),
        ("retry", text(explanation.retry)),
        ("hint", optional(explanation.hint.as_deref())),
    ])
}

/// A tool's own error.
pub(crate) fn tool_error(class: &str, message: &str, hint: Option<&str>) -> Document {
    object([("class", text(class)), ("message", text(message)), ("hint", optional(hint))])
}

/// The tools an extension lists.
pub(crate) fn tools(tools: &[Tool], left_out: &[Skipped]) -> Document {
    object([("tools", list(tools, tool)), ("skipped", list(left_out, skipped))])
}

fn tool(tool: &Tool) -> Document {
    object([
        ("name", text(&tool.name)),
        ("title", optional(tool.title.as_deref())),
        ("description", optional(tool.description.as_deref())),
        ("input-schema", json(&tool.input_schema)),
        ("output-schema", tool.output_schema.as_deref().map_or_else(Document::null, json)),
        ("read-only", boolean(tool.read_only)),
        ("destructive", flag(tool.destructive)),
        ("idempotent", flag(tool.idempotent)),
        ("open-world", flag(tool.open_world)),
        ("category", optional(tool.category.as_deref())),
        ("keywords", list(&tool.keywords, |word| text(word))),
    ])
}

fn recognised(recognition: &Recognition) -> Document {
    object([
        ("ecosystem", text(&recognition.ecosystem)),
        ("format", text(&recognition.format)),
        ("subject-version", optional(recognition.subject_version.as_deref())),
        ("fit", text(recognition.fit)),
        ("reasons", list(&recognition.reasons, |reason| text(reason))),
    ])
}

fn skipped(skipped: &Skipped) -> Document {
    object([("method", text(&skipped.method)), ("reason", text(&skipped.reason))])
}

fn fault(fault: &Fault) -> Document {
    match fault {
        Fault::NotRecognised(found) => object([("not-recognised", text(found))]),
        Fault::Malformed { at, problem } => {
            object([("malformed", object([("at", text(at)), ("problem", text(problem))]))])
        }
        Fault::TooLarge(bound) => object([("too-large", text(bound))]),
    }
}

fn method(method: &Method) -> Document {
    let call_spec = method
        .call_spec
        .as_ref()
        .map(|spec| object([("format", text(&spec.format)), ("bytes", text(&String::from_utf8_lossy(&spec.bytes)))]));
    let mut members = vec![
        ("name", text(&method.name)),
        ("signature", text(&method.signature)),
        ("title", optional(method.title.as_deref())),
        ("doc", optional(method.doc.as_deref())),
        ("role", text(method.role)),
        ("access", text(method.access)),
        ("destructive", flag(method.destructive)),
        ("idempotent", flag(method.idempotent)),
        ("open-world", flag(method.open_world)),
        ("category", optional(method.category.as_deref())),
        ("parameters", list(&method.parameters, parameter)),
        ("input-schema", json(&method.input_schema)),
        ("output-schema", method.output_schema.as_deref().map_or_else(Document::null, json)),
        ("plan", text(&String::from_utf8_lossy(&method.plan))),
        ("call-spec", call_spec.unwrap_or_else(Document::null)),
        ("needs-encode", boolean(method.needs_encode)),
        ("needs-decode", boolean(method.needs_decode)),
        ("meta", method.meta.as_deref().map_or_else(Document::null, json)),
    ];
    if !method.keywords.is_empty() {
        members.push(("keywords", list(&method.keywords, |word| text(word))));
    }
    object(members)
}

fn parameter(parameter: &Parameter) -> Document {
    object([
        ("name", text(&parameter.name)),
        ("required", boolean(parameter.required)),
        ("doc", optional(parameter.doc.as_deref())),
    ])
}

fn object<'a>(members: impl IntoIterator<Item = (&'a str, Document)>) -> Document {
    Document::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn list<T>(items: &[T], print: impl Fn(&T) -> Document) -> Document {
    Document::Array(items.iter().map(print).collect())
}

fn text(text: &str) -> Document {
    Document::Text(text.to_owned())
}

fn optional(given: Option<&str>) -> Document {
    given.map_or_else(Document::null, text)
}

fn boolean(value: bool) -> Document {
    Document::Word(value.to_string())
}

fn flag(value: Option<bool>) -> Document {
    value.map_or_else(Document::null, boolean)
}
