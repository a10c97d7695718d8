//! What is wrong with arguments, from what the validator says.
//!
//! The validator answers with keywords and pointers; a model needs the argument, the place in it, what would be
//! right and what was there. For a union the branch that was meant is explained, or, where none was, all are listed.

use super::{ArgumentProblem, values};
use crate::schema::portable::compile;
use crate::text::nearest;
use jsonschema::Validator;
use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind};
use serde_json::{Map, Value};

/// The most problems of one call; a list with a thousand bad items does not need a thousand lines.
pub(super) const MOST_PROBLEMS: usize = 12;

/// The most of the validator's errors that are read.
const MOST_ERRORS: usize = 64;

/// From this many JSON values on, arguments are only told apart, not examined.
const LARGE: usize = 50_000;

/// The longest value that is shown, in characters.
const ECHO: usize = 40;

/// The longest piece of a description that is shown, in UTF-16 units.
const MOST_WORDS: usize = 120;

/// The most members of a union or names of a record that are listed.
const MOST_LISTED: usize = 24;

/// The problems of arguments that do not fit, in the order the schema lists the arguments; never empty.
pub(super) fn problems(schema: &Value, validator: &Validator, arguments: &Value) -> Vec<ArgumentProblem> {
    if values(arguments, LARGE) == LARGE {
        return large_problems(schema, arguments);
    }
    let mut explainer = Explainer { schema, arguments, problems: Vec::new() };
    for error in validator.iter_errors(arguments).take(MOST_ERRORS) {
        explainer.explain(&error);
    }
    let mut problems = explainer.problems;
    let properties = schema.get("properties").and_then(Value::as_object);
    let position = |problem: &ArgumentProblem| {
        properties.and_then(|known| known.keys().position(|name| *name == problem.name)).unwrap_or(usize::MAX)
    };
    problems.sort_by_key(position);
    if problems.is_empty() {
        problems.push(ArgumentProblem {
            name: String::new(),
            at: String::new(),
            expected: "arguments that fit the tool's schema".to_owned(),
            found: shown(arguments),
        });
    }
    problems.truncate(MOST_PROBLEMS);
    problems
}

/// Which arguments do not fit, without saying where: for arguments so large that the validator's list of all their
/// errors would not fit the memory.
fn large_problems(schema: &Value, arguments: &Value) -> Vec<ArgumentProblem> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let refused = arguments.as_object().into_iter().flatten().filter_map(|(name, value)| {
        let part = properties.and_then(|properties| properties.get(name));
        let fits = part.is_some_and(|part| compile(part).is_ok_and(|validator| validator.is_valid(value)));
        (!fits).then(|| ArgumentProblem {
            name: name.clone(),
            at: name.clone(),
            expected: part.map_or_else(|| "no such argument".to_owned(), summary),
            found: "a value that does not fit, too large to say where".to_owned(),
        })
    });
    let mut problems: Vec<ArgumentProblem> = refused.take(MOST_PROBLEMS).collect();
    if problems.is_empty() {
        problems.push(ArgumentProblem {
            name: String::new(),
            at: String::new(),
            expected: "all required arguments".to_owned(),
            found: "fewer".to_owned(),
        });
    }
    problems
}

struct Explainer<'a> {
    schema: &'a Value,
    arguments: &'a Value,
    problems: Vec<ArgumentProblem>,
}

impl Explainer<'_> {
    fn explain(&mut self, error: &ValidationError<'_>) {
        let path = segments(error.instance_path().as_str(), self.arguments);
        let value = self.arguments.pointer(error.instance_path().as_str()).unwrap_or(&Value::Null);
        match error.kind() {
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                self.union(error, context, &path, value);
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let expected =
                    self.member_of(error, name).map_or_else(|| "a value".to_owned(), |member| summary(&member));
                self.add(&joined(&path, name), expected, super::NOTHING.to_owned());
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                for name in unexpected.iter().take(MOST_PROBLEMS) {
                    let expected = self.names_instead(error, path.is_empty(), name);
                    self.add(&joined(&path, name), expected, "another name".to_owned());
                }
            }
            ValidationErrorKind::MinItems { .. } | ValidationErrorKind::MaxItems { .. } => {
                let expected = self.owner(error).map_or_else(|| "another length".to_owned(), summary);
                let count = value.as_array().map_or(0, Vec::len);
                self.add(&path, expected, format!("{count} item{}", if count == 1 { "" } else { "s" }));
            }
            kind => {
                let expected = expectation(kind).or_else(|| self.owner(error).map(summary));
                let mut expected = expected.unwrap_or_else(|| error.masked().to_string());
                // A pattern says little; the author's words beside it say what it is for.
                let words = matches!(kind, ValidationErrorKind::Pattern { .. }).then(|| self.words(error)).flatten();
                if let Some(words) = words {
                    expected = format!("{expected} ({words})");
                }
                self.add(&path, expected, shown(value));
            }
        }
    }

    /// A union none of whose branches fits.
    fn union(
        &mut self,
        error: &ValidationError<'_>,
        context: &[Vec<ValidationError<'static>>],
        path: &[Segment],
        value: &Value,
    ) {
        let Some(branches) = self.at(error.schema_path().as_str()).and_then(Value::as_array).cloned() else {
            self.add(path, "one of the listed forms".to_owned(), shown(value));
            return;
        };
        if let Some(meant) = meant_branch(&branches, context, error.instance_path().as_str(), value) {
            for inner in context.get(meant).into_iter().flatten() {
                self.explain(inner);
            }
            return;
        }
        let forms: Vec<String> = branches.iter().flat_map(forms).collect();
        let found = match value {
            Value::Object(map) if !map.is_empty() => {
                let keys: Vec<String> = map.keys().take(4).map(|key| quoted(key)).collect();
                format!("an object with {}", keys.join(", "))
            }
            other => shown(other),
        };
        self.add(path, one_of(&forms), found);
    }

    /// What to say of a member that does not belong: the nearest name, the names there are, or the rule for keys.
    fn names_instead(&self, error: &ValidationError<'_>, top: bool, name: &str) -> String {
        let owner = self.owner(error);
        let patterns = owner.and_then(|owner| owner.get("patternProperties")).and_then(Value::as_object);
        if let Some(pattern) = patterns.and_then(|patterns| patterns.keys().next()) {
            return format!("a key that matches `{pattern}`");
        }
        let properties = owner.and_then(|owner| owner.get("properties")).and_then(Value::as_object);
        let known: Vec<&str> = properties.into_iter().flat_map(Map::keys).map(String::as_str).collect();
        let what = if top { "argument" } else { "member" };
        if known.is_empty() {
            return format!("no {what}s");
        }
        let listed: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        let listed = listed_up_to(&listed);
        let expected = format!("one of the {what}s {listed}");
        match nearest(name, known) {
            Some(near) => format!("{expected} (did you mean `{near}`?)"),
            None => expected,
        }
    }

    /// The schema node whose keyword failed.
    fn owner(&self, error: &ValidationError<'_>) -> Option<&Value> {
        let pointer = error.schema_path().as_str();
        self.at(pointer.rsplit_once('/')?.0)
    }

    fn member_of(&self, error: &ValidationError<'_>, name: &str) -> Option<Value> {
        self.owner(error)?.get("properties")?.get(name).cloned()
    }

    /// The author's words at the failed node or at the union around it.
    fn words(&self, error: &ValidationError<'_>) -> Option<String> {
        let mut pointer = error.schema_path().as_str();
        for _ in 0..3 {
            pointer = pointer.rsplit_once('/')?.0;
            let words = self.at(pointer).and_then(|node| node.get("description")).and_then(Value::as_str);
            if let Some(words) = words.filter(|words| words.chars().count() <= 120) {
                return Some(words.to_owned());
            }
        }
        None
    }

    fn at(&self, pointer: &str) -> Option<&Value> {
        self.schema.pointer(pointer)
    }

    fn add(&mut self, path: &[Segment], expected: String, found: String) {
        let name = match path.first() {
            Some(Segment::Name(name)) => name.clone(),
            _ => String::new(),
        };
        let problem = ArgumentProblem { name, at: written(path), expected, found };
        if !self.problems.iter().any(|known| known.at == problem.at && known.expected == problem.expected) {
            self.problems.push(problem);
        }
    }
}

/// The branch a value was meant for: the only one that is not null, one whose tag it carries, or one that fails
/// deeper inside only. `None` where the value chose no member.
fn meant_branch(
    branches: &[Value],
    context: &[Vec<ValidationError<'static>>],
    at: &str,
    value: &Value,
) -> Option<usize> {
    let is_null = |branch: &Value| branch.get("type").and_then(Value::as_str) == Some("null");
    let of_type: Vec<usize> = context
        .iter()
        .enumerate()
        .filter(|(_, errors)| !errors.iter().any(|error| is_type(error) && error.instance_path().as_str() == at))
        .map(|(index, _)| index)
        .collect();
    let real: Vec<usize> =
        branches.iter().enumerate().filter(|(_, branch)| !is_null(branch)).map(|(index, _)| index).collect();
    if let [only] = real.as_slice() {
        return of_type.contains(only).then_some(*only);
    }
    if let Some(tagged) =
        of_type.iter().find(|index| branches.get(**index).is_some_and(|branch| carries_tag(branch, value)))
    {
        return Some(*tagged);
    }
    let here = |index: &usize| {
        let errors = context.get(*index).map_or(&[][..], Vec::as_slice);
        errors.iter().filter(|error| error.instance_path().as_str() == at && chooses(error)).count()
    };
    let deeper: Vec<usize> = of_type
        .iter()
        .copied()
        .filter(|index| here(index) == 0 && !mismatches_tag(branches.get(*index), value))
        .collect();
    match deeper.as_slice() {
        [] => None,
        [only] => Some(*only),
        // Several would do: the one with the fewest faults is the likeliest.
        several => several.iter().copied().min_by_key(|index| context.get(*index).map_or(usize::MAX, Vec::len)),
    }
}

fn is_type(error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), ValidationErrorKind::Type { .. })
}

/// Whether an error says that another member was meant, rather than that this one has a fault.
fn chooses(error: &ValidationError<'_>) -> bool {
    use ValidationErrorKind as Kind;
    matches!(
        error.kind(),
        Kind::Enum { .. } | Kind::Constant { .. } | Kind::Required { .. } | Kind::AdditionalProperties { .. }
    )
}

/// The tags of a record: members with one allowed value.
fn tags(branch: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let properties = branch.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().filter_map(|(name, member)| match member.get("enum")?.as_array()?.as_slice() {
        [only] => Some((name, only)),
        _ => None,
    })
}

fn carries_tag(branch: &Value, value: &Value) -> bool {
    tags(branch).any(|(name, tag)| value.get(name) == Some(tag))
}

fn mismatches_tag(branch: Option<&Value>, value: &Value) -> bool {
    branch.is_some_and(|branch| tags(branch).any(|(name, tag)| value.get(name) != Some(tag)))
}

/// How the members of a union look, one text each.
fn forms(branch: &Value) -> Vec<String> {
    if let Some(values) = branch.get("enum").and_then(Value::as_array) {
        return values.iter().map(short).collect();
    }
    let properties = branch.get("properties").and_then(Value::as_object).filter(|properties| !properties.is_empty());
    let Some(properties) = properties else { return vec![summary(branch)] };
    let members: Vec<String> = properties
        .iter()
        .take(6)
        .map(|(name, member)| match member.get("enum").and_then(Value::as_array).map(Vec::as_slice) {
            Some([only]) => format!("{}: {}", quoted(name), short(only)),
            _ => format!("{}: …", quoted(name)),
        })
        .collect();
    vec![format!("{{{}}}", members.join(", "))]
}

/// What a schema asks for, in a few words.
pub(super) fn summary(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return one_of(&values.iter().map(short).collect::<Vec<_>>());
    }
    if let Some(branches) = schema.get("anyOf").and_then(Value::as_array) {
        let forms = one_of(&branches.iter().flat_map(forms).collect::<Vec<_>>());
        // Of a union of forms the description says more than their types do: `bytes: a hex string or a byte array`.
        let words = schema.get("description").and_then(Value::as_str).filter(|words| !words.contains('\n'));
        return match words {
            Some(words) => format!("{forms} ({})", crate::text::cut(words, MOST_WORDS)),
            None => forms,
        };
    }
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    let count = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    match kind {
        "array" => match (count("minItems"), count("maxItems")) {
            (Some(least), Some(most)) if least == most => format!("an array of exactly {least} items"),
            (Some(least), Some(most)) => format!("an array of {least} to {most} items"),
            (Some(least), None) => format!("an array of at least {least} items"),
            (None, Some(most)) => format!("an array of at most {most} items"),
            (None, None) => "an array".to_owned(),
        },
        "integer" | "number" => {
            let article = if kind == "integer" { "an integer" } else { "a number" };
            match (schema.get("minimum"), schema.get("maximum")) {
                (Some(least), Some(most)) => format!("{article} from {least} to {most}"),
                (Some(least), None) => format!("{article}, {least} or more"),
                (None, Some(most)) => format!("{article}, {most} or less"),
                (None, None) => article.to_owned(),
            }
        }
        "" => "a value".to_owned(),
        other => typed(other).to_owned(),
    }
}

/// What a failed keyword asks for, where it says so itself.
fn expectation(kind: &ValidationErrorKind) -> Option<String> {
    match kind {
        ValidationErrorKind::Enum { options } => {
            let values: Vec<String> = options.as_array().into_iter().flatten().map(short).collect();
            Some(one_of(&values))
        }
        ValidationErrorKind::Pattern { pattern } => Some(format!("text that matches `{pattern}`")),
        ValidationErrorKind::MinLength { limit } => Some(format!("text of at least {limit} characters")),
        ValidationErrorKind::MaxLength { limit } => Some(format!("text of at most {limit} characters")),
        ValidationErrorKind::MinProperties { limit } => Some(format!("at least {limit} members")),
        ValidationErrorKind::MaxProperties { limit } => Some(format!("at most {limit} members")),
        ValidationErrorKind::ExclusiveMinimum { limit } => Some(format!("a number above {limit}")),
        ValidationErrorKind::ExclusiveMaximum { limit } => Some(format!("a number below {limit}")),
        ValidationErrorKind::MultipleOf { multiple_of } => Some(format!("a multiple of {multiple_of}")),
        ValidationErrorKind::UniqueItems => Some("items that all differ".to_owned()),
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) }
            if !matches!(kind.to_string().as_str(), "array" | "integer" | "number") =>
        {
            Some(typed(&kind.to_string()).to_owned())
        }
        _ => None,
    }
}

fn typed(kind: &str) -> &str {
    match kind {
        "string" => "a string",
        "boolean" => "true or false",
        "object" => "an object",
        "array" => "an array",
        "integer" => "an integer",
        "number" => "a number",
        other => other,
    }
}

/// A value as it may be shown: short ones as they are, long ones by their kind.
fn shown(value: &Value) -> String {
    let text = short(value);
    let kind = match value {
        Value::Null => return text,
        Value::Bool(_) | Value::Number(_) => {
            return format!("{} {text}", if value.is_boolean() { "the boolean" } else { "the number" });
        }
        Value::String(_) => "the string",
        Value::Array(items) if items.is_empty() => return "an empty array".to_owned(),
        Value::Array(_) => "an array",
        Value::Object(map) if map.is_empty() => return "an empty object".to_owned(),
        Value::Object(_) => "an object",
    };
    match value {
        Value::String(_) if text.ends_with('"') => format!("{kind} {text}"),
        Value::String(long) => format!("a string of {} characters", long.chars().count()),
        _ => kind.to_owned(),
    }
}

/// A scalar as JSON, cut with `…`.
fn short(value: &Value) -> String {
    let text = match value {
        Value::Array(_) => "[…]".to_owned(),
        Value::Object(_) => "{…}".to_owned(),
        scalar => scalar.to_string(),
    };
    let text = crate::text::clean_line(&text);
    if text.chars().count() <= ECHO { text } else { text.chars().take(ECHO).chain(['…']).collect() }
}

fn quoted(text: &str) -> String {
    short(&Value::from(text))
}

fn one_of(forms: &[String]) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for form in forms {
        if !distinct.contains(form) {
            distinct.push(form.clone());
        }
    }
    match distinct.as_slice() {
        [] => "a value".to_owned(),
        [only] => only.clone(),
        several => format!("one of {}", listed_up_to(several)),
    }
}

fn listed_up_to(names: &[String]) -> String {
    let shown = names.iter().take(MOST_LISTED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// One step into the arguments.
#[derive(Clone)]
enum Segment {
    Name(String),
    Index(usize),
}

/// The steps of a JSON pointer into the arguments. Only the value tells an index from a member called `0`.
fn segments(pointer: &str, arguments: &Value) -> Vec<Segment> {
    let mut path = Vec::new();
    let mut value = Some(arguments);
    for token in pointer.split('/').skip(1) {
        let name = token.replace("~1", "/").replace("~0", "~");
        let segment = match (value, name.parse()) {
            (Some(Value::Array(items)), Ok(index)) => {
                value = items.get(index);
                Segment::Index(index)
            }
            _ => {
                value = value.and_then(|value| value.get(&name));
                Segment::Name(name)
            }
        };
        path.push(segment);
    }
    path
}

fn joined(path: &[Segment], name: &str) -> Vec<Segment> {
    path.iter().cloned().chain([Segment::Name(name.to_owned())]).collect()
}

/// `p.inner[3]`; a name that is no identifier is quoted.
fn written(path: &[Segment]) -> String {
    let mut text = String::new();
    for (position, segment) in path.iter().enumerate() {
        match segment {
            Segment::Index(index) => text.push_str(&format!("[{index}]")),
            Segment::Name(name) => {
                let plain =
                    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
                match (plain, position) {
                    (true, 0) => text.push_str(name),
                    (true, _) => text.push_str(&format!(".{name}")),
                    (false, 0) => text.push_str(&crate::text::clean_line(name)),
                    (false, _) => text.push_str(&format!("[{}]", quoted(name))),
                }
            }
        }
    }
    text
}
