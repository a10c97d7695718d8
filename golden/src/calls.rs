//! `calls.json`: each call and its outcome, of a mapper's method or of an extension's tool.

use crate::case::{Case, unknown};
use crate::run::held;
use crate::subject::{Called, Mapper, Mapping, Stopped, Subject, Tools};
use crate::{Document, print, settings};

/// The file.
pub(crate) const FILE: &str = "calls.json";

/// The file of the tools an extension lists.
const TOOLS: &str = "tools.json";

const METHOD_INPUT: [&str; 3] = ["method", "arguments", "result"];
const METHOD_OUTCOME: [&str; 4] = ["encoded", "alternatives", "decoded", "problems"];
const TOOL_INPUT: [&str; 2] = ["tool", "arguments"];
const TOOL_OUTCOME: [&str; 3] = ["text", "structured", "error"];

/// Calls of methods and calls of tools, and whose turn it is not: those stay as they are.
pub(crate) fn check(case: &mut Case, subject: &mut dyn Subject) {
    let Some(calls) = case.list(FILE) else { return };
    for (index, call) in calls.iter().enumerate() {
        if let Err(problem) = form(call) {
            return case.complain(FILE, &format!("entry {}: {problem}", index + 1));
        }
    }
    let has = |key: &str| calls.iter().any(|call| call.get(key).is_some());
    let (methods, tools) = (has("method"), has("tool"));
    let mut answered = calls;
    if methods && held(case, FILE, "a mapper's method", subject.is_whole(), subject.mapper().is_some()) {
        let Some(mapper) = subject.mapper() else { return };
        if call_methods(case, mapper, &mut answered).is_none() {
            return;
        }
    }
    if tools && held(case, FILE, "a tool", subject.is_whole(), subject.extension().is_some()) {
        let Some(settings) = settings::read(case) else { return };
        let Some(extension) = subject.extension() else { return };
        match extension.open(case.folder(), &settings) {
            Ok(mut opened) => {
                if call_tools(case, opened.as_mut(), &mut answered).is_none() {
                    return;
                }
            }
            Err(Stopped(problem)) => return case.complain(settings::FILE, &problem),
        }
    }
    if (methods && subject.mapper().is_some()) || (tools && subject.extension().is_some()) {
        case.compare(FILE, &Document::Array(answered));
    }
}

/// Whether a call says what to call, and nothing else.
fn form(call: &Document) -> Result<(), String> {
    let known = |input: &[&'static str], outcome: &[&'static str]| [input, outcome].concat();
    let text = |key: &str| call.get(key).and_then(Document::text).is_some();
    let (known, named) = match (call.get("method"), call.get("tool")) {
        (Some(_), None) => (known(&METHOD_INPUT, &METHOD_OUTCOME), text("method")),
        (None, Some(_)) => (known(&TOOL_INPUT, &TOOL_OUTCOME), text("tool")),
        _ => return Err("expected either a `method` or a `tool`".to_owned()),
    };
    if let Some(problem) = unknown(call, &known) {
        return Err(problem);
    }
    if !named {
        return Err("expected its name as a string".to_owned());
    }
    let one = call.get("arguments").is_some() != call.get("result").is_some();
    if call.get("method").is_some() && !one {
        return Err("a method's call has either `arguments` or a `result`".to_owned());
    }
    Ok(())
}

fn call_methods(case: &mut Case, mapper: &mut dyn Mapper, calls: &mut [Document]) -> Option<()> {
    let manifest = case.read("manifest.json").unwrap_or_default();
    let mapping = match mapper.map(&manifest) {
        Ok(Ok(mapping)) => mapping,
        Ok(Err(fault)) => {
            case.complain(FILE, &format!("its manifest does not map: {fault:?}"));
            return None;
        }
        Err(Stopped(how)) => {
            case.complain("manifest.json", &format!("the mapper {how}"));
            return None;
        }
    };
    for (index, call) in calls.iter_mut().enumerate().filter(|(_, call)| call.get("method").is_some()) {
        match call_method(mapper, &mapping, call) {
            Ok(answered) => *call = answered,
            Err(Stopped(how)) => {
                case.complain(FILE, &format!("entry {}: the mapper {how}", index + 1));
                return None;
            }
        }
    }
    Some(())
}

fn call_method(mapper: &mut dyn Mapper, mapping: &Mapping, call: &Document) -> Result<Document, Stopped> {
    let mut answered = call.without(&METHOD_OUTCOME);
    let name = call.get("method").and_then(Document::text).unwrap_or_default();
    let Some(method) = mapping.methods.iter().find(|method| method.name == name) else {
        answered.set("problems", Document::Text(format!("no method `{name}`")));
        return Ok(answered);
    };
    if let Some(arguments) = call.get("arguments") {
        match mapper.encode(&method.plan, &arguments.compact())? {
            Ok(encoded) => {
                answered.set("encoded", print::json(&encoded.json));
                let alternatives = encoded.alternatives.iter().map(|it| print::json(it)).collect();
                answered.set("alternatives", Document::Array(alternatives));
            }
            Err(problems) => answered.set("problems", print::problems(&problems)),
        }
    } else if let Some(result) = call.get("result") {
        match mapper.decode(&method.plan, &result.compact())? {
            Ok(value) => answered.set("decoded", print::json(&value)),
            Err(problems) => answered.set("problems", print::problems(&problems)),
        }
    }
    Ok(answered)
}

/// The tools first, then each call in order.
fn call_tools(case: &mut Case, tools: &mut dyn Tools, calls: &mut [Document]) -> Option<()> {
    list_tools(case, tools)?;
    for (index, call) in calls.iter_mut().enumerate().filter(|(_, call)| call.get("tool").is_some()) {
        let name = call.get("tool").and_then(Document::text).unwrap_or_default();
        let arguments = call.get("arguments").map_or_else(|| "{}".to_owned(), Document::compact);
        match tools.call(name, &arguments) {
            Ok(called) => *call = called_entry(call, &called),
            Err(Stopped(how)) => {
                case.complain(FILE, &format!("entry {}: `{name}` {how}", index + 1));
                return None;
            }
        }
    }
    Some(())
}

/// Holds `tools.json` to what an extension lists.
fn list_tools(case: &mut Case, tools: &mut dyn Tools) -> Option<()> {
    match tools.list() {
        Ok((listed, skipped)) => case.compare(TOOLS, &print::tools(&listed, &skipped)),
        Err(Stopped(how)) => {
            case.complain(TOOLS, &format!("asked for its tools, the plugin {how}"));
            return None;
        }
    }
    Some(())
}

fn called_entry(call: &Document, called: &Called) -> Document {
    let mut entry = call.without(&TOOL_OUTCOME);
    match called {
        Called::Reply { text, structured } => {
            if let Some(text) = text {
                entry.set("text", Document::Text(text.clone()));
            }
            if let Some(structured) = structured {
                entry.set("structured", print::json(structured));
            }
        }
        Called::Error { class, message, hint } => {
            entry.set("error", print::tool_error(class, message, hint.as_deref()))
        }
    }
    entry
}

/// A case with nothing but settings or a list of tools: what there is under these settings.
pub(crate) fn check_list(case: &mut Case, subject: &mut dyn Subject) {
    if case.has(FILE) && case.list(FILE).is_some_and(|calls| calls.iter().any(|call| call.get("tool").is_some())) {
        return;
    }
    let Some(file) = [TOOLS, settings::FILE].into_iter().find(|file| case.has(file)) else { return };
    if !held(case, file, "an extension", subject.is_whole(), subject.extension().is_some()) {
        return;
    }
    let Some(settings) = settings::read(case) else { return };
    let Some(extension) = subject.extension() else { return };
    match extension.open(case.folder(), &settings) {
        Ok(mut opened) => drop(list_tools(case, opened.as_mut())),
        Err(Stopped(problem)) => case.complain(settings::FILE, &problem),
    }
}
