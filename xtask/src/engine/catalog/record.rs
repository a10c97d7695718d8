//! One function's entry in the catalog.
//!
//! Comes in: everything known of the function. Goes out: a JSON object with the keys of MobilityDB's own catalogs, and
//! ours beside them: `doc` from the sources, `kinds` of parameters, `shape.onError`, `defined`.

use super::accepts;
use super::category;
use super::comment::Comment;
use super::ctype::{CType, Typedefs};
use super::definition::Definition;
use super::forms::Types;
use super::header::Prototype;
use super::kinds::{self, Kinds};
use super::library::Declared;
use super::manual::Manual;
use super::wire::{self, Wire};
use serde_json::{Map, Value, json};

/// Makes the entry.
pub(super) fn of(
    declared: &Declared<Prototype>,
    definition: Option<&Definition>,
    types: &Types<'_>,
    manual: &Manual,
) -> Value {
    let prototype = &declared.item;
    let silent = Comment::default();
    let comment = definition.map_or(&silent, |definition| &definition.comment);
    let accepts = accepts::accepts(prototype, definition, declared.family, types.typedefs);
    let mut wire = wire::of(prototype, comment, &accepts, types);
    let writes_result = wire.result.get("from_outparam").is_some();
    let category = category::of(&prototype.name, &prototype.returns, writes_result);
    let is_public = is_public(comment);
    let reasons = reasons(is_public, category, definition, &wire);

    let mut entry = Map::new();
    let mut put = |key: &str, value: Value| drop(entry.insert(key.to_owned(), value));
    put("name", json!(prototype.name));
    put("file", json!(declared.file));
    put("family", json!(declared.family));
    put("returnType", both(&prototype.returns, types.typedefs));
    put("params", parameters(prototype, definition, comment, types.typedefs));
    put("api", json!(if is_public { "public" } else { "internal" }));
    put("category", json!(category));
    let exposable = reasons.is_empty();
    let reason = (!exposable).then(|| reasons.join("; "));
    put("network", json!({"exposable": exposable, "method": exposable.then_some("POST"), "reason": reason}));
    let shape = shape(prototype, definition, comment, &mut wire);
    if !shape.is_empty() {
        put("shape", Value::Object(shape));
    }
    if let Some(group) = comment.groups.first() {
        put("group", json!(group));
    }
    if !comment.brief.is_empty() {
        put("doc", json!(doc(comment)));
    }
    if definition.is_none() {
        put("defined", json!(false));
    }
    add_sql(&mut put, prototype, comment, manual);
    let signatures = if exposable { signatures(prototype, &accepts, &wire) } else { Vec::new() };
    if !signatures.is_empty() {
        put("sqlSignatures", Value::Array(signatures));
    }
    put("wire", json!({"params": wire.params, "result": wire.result}));
    Value::Object(entry)
}

/// A type as written and with its typedefs resolved.
fn both(ctype: &CType, typedefs: &Typedefs) -> Value {
    json!({"c": ctype.spelled(), "canonical": typedefs.canonical(ctype).spelled()})
}

fn parameters(prototype: &Prototype, definition: Option<&Definition>, comment: &Comment, typedefs: &Typedefs) -> Value {
    let described = |at: usize, name: &str| {
        // The definition may name it otherwise, and its comment speaks of that name.
        let there = definition.and_then(|definition| definition.parameters.get(at)).map_or(name, String::as_str);
        comment.of(there).or_else(|| comment.of(name)).map(|it| it.text.clone()).filter(|text| !text.is_empty())
    };
    let list = prototype.parameters.list.iter().enumerate().map(|(at, parameter)| {
        let canonical = typedefs.canonical(&parameter.ctype).spelled();
        let mut value = json!({"name": parameter.name, "cType": parameter.ctype.spelled(), "canonical": canonical});
        if let (Some(text), Value::Object(fields)) = (described(at, &parameter.name), &mut value) {
            fields.insert("doc".to_owned(), json!(text));
        }
        value
    });
    Value::Array(list.collect())
}

/// MEOS sorts its functions into groups of the manual; those of internal groups, and those in none, are not its interface.
fn is_public(comment: &Comment) -> bool {
    comment.groups.iter().any(|group| group.starts_with("meos_") && !group.starts_with("meos_internal"))
}

fn reasons(is_public: bool, category: &str, definition: Option<&Definition>, wire: &Wire) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut add = |holds: bool, reason: &str| reasons.extend(holds.then(|| reason.to_owned()));
    add(!is_public, "internal");
    add(matches!(category, "lifecycle" | "index"), category);
    add(definition.is_none(), "undefined");
    add(definition.is_some_and(|definition| definition.unfinished), "not-implemented");
    for reason in &wire.reasons {
        if !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    reasons
}

/// The brief, and the notes that tell a caller something.
fn doc(comment: &Comment) -> String {
    // Notes about how the function is written, or for whom it is kept, tell a caller nothing.
    const INWARD: [&str; 19] = [
        "efficien",
        "B-tree",
        "implemented",
        "MobilityDB",
        "PostGIS",
        "validity testing",
        "overwrite",
        "used for",
        "last parameter",
        "complement",
        "function is called",
        "PostgreSQL",
        "PG_",
        "Function derived",
        "Function adapted",
        "must be free",
        "stricter version",
        "Errors return",
        "performance reasons",
    ];
    let telling =
        comment.notes.iter().filter(|note| note.len() <= 200 && !INWARD.iter().any(|word| note.contains(word)));
    let sentences: Vec<&str> = std::iter::once(&comment.brief).chain(telling).map(String::as_str).collect();
    // A caller over the wire sees no last argument, and one slip of the sources would look like ours.
    sentences
        .join(" ")
        .replace("Return in the last argument", "Return")
        .replace("Return in last argument", "Return")
        .replace("funcion", "function")
}

/// What the C types do not say: what is written to, what may be null, how long an array is, what an error looks like.
fn shape(
    prototype: &Prototype,
    definition: Option<&Definition>,
    comment: &Comment,
    wire: &mut Wire,
) -> Map<String, Value> {
    let mut shape = Map::new();
    if let Some(array) = wire.array.take() {
        shape.insert("arrayReturn".to_owned(), array);
    }
    if !wire.written.is_empty() {
        shape.insert("outParams".to_owned(), json!(wire.written));
    }
    let may_be_null = |(at, name): (usize, &String)| {
        let there = definition.and_then(|definition| definition.parameters.get(at)).unwrap_or(name);
        // The first call of an aggregate has no state yet.
        let is_state = name == "state" && prototype.name.ends_with("_transfn");
        (is_state || comment.of(there).is_some_and(|it| it.may_be_null())).then(|| name.clone())
    };
    let names: Vec<&String> = prototype.parameters.list.iter().map(|parameter| &parameter.name).collect();
    let pointer = |at: usize| prototype.parameters.list.get(at).is_some_and(|parameter| parameter.ctype.stars > 0);
    let nullable: Vec<String> =
        names.into_iter().enumerate().filter(|(at, _)| pointer(*at)).filter_map(may_be_null).collect();
    if !nullable.is_empty() {
        shape.insert("nullable".to_owned(), json!(nullable));
    }
    let on_error = comment
        .returns
        .trim_end_matches('.')
        .strip_prefix("On error")
        .and_then(|rest| rest.trim_start_matches(',').trim().strip_prefix("return "));
    if let Some(value) = on_error {
        let value = value.split([',', ' ']).next().unwrap_or(value);
        shape.insert("onError".to_owned(), json!(value));
    }
    shape
}

fn add_sql(put: &mut impl FnMut(&str, Value), prototype: &Prototype, comment: &Comment, manual: &Manual) {
    let given = comment.sql_functions.first().map(String::as_str);
    let wrapper = comment
        .wrappers
        .first()
        .or_else(|| comment.sql_functions.iter().find(|name| name.starts_with(char::is_uppercase)));
    if let Some(wrapper) = wrapper {
        put("mdbC", json!(wrapper));
    }
    let given = given.filter(|name| !name.starts_with(char::is_uppercase));
    let named = given.or_else(|| manual.sql_name(wrapper?)).or_else(|| manual.sql_name(&prototype.name));
    if let Some(name) = named.filter(|_| wrapper.is_some() || given.is_some()) {
        put("sqlfn", json!(name));
    }
    if let Some(operator) = comment.sql_operators.first() {
        put("sqlop", json!(operator));
    }
}

/// The combinations of SQL types the arguments may have, in the order of `wire.params`, and what comes back.
///
/// They are worked out, not read from SQL files, so they list what MEOS accepts and not what an extension declares.
fn signatures(prototype: &Prototype, accepts: &[Kinds], wire: &Wire) -> Vec<Value> {
    let list = &prototype.parameters.list;
    let given: Vec<Kinds> =
        wire.given.iter().map(|at| accepts.get(*at).cloned().unwrap_or_default()).map(or_text).collect();
    // A subtype of temporal values is of the type of the value it belongs to.
    let class = |at: usize| {
        let name = wire.given.get(at).and_then(|at| list.get(*at)).map(|parameter| parameter.ctype.name());
        name.map(|name| if matches!(name, "TInstant" | "TSequence" | "TSequenceSet") { "Temporal" } else { name })
    };
    let alike = |a: usize, b: usize| class(a) == class(b);
    let is_array = |at: usize| wire.params.get(at).is_some_and(|param| param.get("kind") == Some(&json!("array")));
    let found = accepts::combinations(&given, &alike).into_iter().map(|args| {
        let ret = returned(prototype, &args, wire);
        let args: Vec<String> = args
            .iter()
            .enumerate()
            .map(|(at, kind)| if is_array(at) { format!("{kind}[]") } else { (*kind).to_owned() })
            .collect();
        json!({"args": args, "ret": ret})
    });
    found.collect()
}

/// Members of enumerations are text in SQL.
fn or_text(kinds: Kinds) -> Kinds {
    if kinds.is_empty() { vec!["text"] } else { kinds }
}

/// The SQL type of the result: the one its C type has, told apart by the function's name or by the arguments.
fn returned(prototype: &Prototype, args: &[&'static str], wire: &Wire) -> String {
    let written = wire.result.get("from_outparam").and_then(Value::as_str);
    let target = written.and_then(|name| prototype.parameters.list.iter().find(|parameter| parameter.name == name));
    let ctype = target.map_or_else(|| prototype.returns.clone(), |parameter| parameter.ctype.pointee());
    let possible = kinds::of_c_type(&ctype, &ctype);
    let is_array = wire.result.get("kind") == Some(&json!("array"));
    let one = match possible.as_slice() {
        [] => "text",
        [only] => only,
        _ => among(&possible, &prototype.name, args),
    };
    if is_array { format!("{one}[]") } else { one.to_owned() }
}

fn among(possible: &Kinds, name: &str, args: &[&'static str]) -> &'static str {
    let first = possible.first().copied().unwrap_or("text");
    let words: Vec<&str> = name.split('_').collect();
    let verb = words.first().copied().unwrap_or_default();
    let asks = verb.strip_prefix('t').is_some_and(|rest| {
        matches!(
            rest,
            "eq" | "ne"
                | "lt"
                | "le"
                | "gt"
                | "ge"
                | "contains"
                | "covers"
                | "disjoint"
                | "intersects"
                | "touches"
                | "dwithin"
                | "and"
                | "or"
                | "not"
        )
    });
    let only = |wanted: &'static str| possible.contains(&wanted).then_some(wanted);
    let asked = if asks {
        only("tbool")
    } else if verb == "tdistance" {
        only("tfloat")
    } else {
        None
    };
    // `tint_to_tfloat`, `tfloat_in`: the last word that names a possible result.
    let conversion = words.iter().rposition(|word| *word == "to").and_then(|to| words.get(to + 1)).or(words.first());
    let named = conversion.and_then(|word| kinds::of_word(word)).filter(|kinds| kinds.len() == 1 && words.len() > 1);
    let named = named.and_then(|kinds| possible.iter().copied().find(|kind| kinds.contains(kind)));
    let same = args.iter().copied().find(|kind| possible.contains(kind));
    let bases: Vec<&str> = args.iter().filter_map(|kind| kinds::base(kind)).collect();
    let based = possible.iter().copied().find(|kind| kinds::base(kind).is_some_and(|base| bases.contains(&base)));
    asked.or(if words.contains(&"to") { named.or(same) } else { same.or(named) }).or(based).unwrap_or(first)
}
