//! From TOML text to checked values, with the place of whatever is wrong.
//!
//! In comes a document, out come values of the types in `schema`, or a [`Trouble`] with line and column. No message
//! holds any of the document's values: a line of it may be a secret, and the parser's own errors quote lines. Keys
//! nobody knows are warnings, but a key that would hold a secret is an error, because what is set there would be
//! believed to work.

use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a key's name contains when its value would be a secret.
const SECRET_WORDS: [&str; 7] = ["password", "passwd", "secret", "token", "apikey", "api_key", "credential"];

/// Ends of names whose value only leads to a secret.
const LEADS: [&str; 2] = ["_file", "_variable"];

/// Most characters shown of a key: what stands there may be anything.
const LONGEST_KEY: usize = 40;

/// Nested arrays and tables of free values, at most. Protects the stack of whoever converts them.
const DEEPEST: usize = 32;

/// A place in the document; both numbers start at 1, columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What is wrong with a document, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The place.
    pub at: Position,
    /// What.
    pub problem: Problem,
}

/// What is wrong at one place of a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It is no TOML. The parser's words, which name no value.
    #[error("not TOML: {0}")]
    Syntax(String),
    /// A value of another kind.
    #[error("`{key}` is {found}; expected {expected}")]
    Kind {
        /// The key, with the tables around it.
        key: String,
        /// The kind of value that is there.
        found: &'static str,
        /// The kind that belongs there.
        expected: &'static str,
    },
    /// A value of the right kind that means nothing.
    #[error("`{key}` holds something else than {expected}")]
    Value {
        /// The key, with the tables around it.
        key: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A table without a key it needs.
    #[error("`{table}` has no `{key}`, which it needs")]
    Missing {
        /// The table.
        table: String,
        /// The key.
        key: &'static str,
    },
    /// Two tables of a list that must differ.
    #[error("`{key}` is the same in two entries; expected one entry each")]
    Twice {
        /// The key that tells them apart.
        key: &'static str,
    },
    /// A key whose value would be a secret.
    #[error(
        "`{key}` would be a secret in this file\nhint: keep it in a file or an environment variable, and name that"
    )]
    Secret {
        /// The key, with the tables around it.
        key: String,
    },
}

/// A value together with where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub at: Position,
}

/// A type that values of the document are read as.
pub trait Value: Sized {
    /// What belongs there, as it reads in a message and in the generated page.
    const EXPECTED: &'static str;

    /// The keys of a table; `None` for everything else.
    fn section() -> Option<Section> {
        None
    }

    /// Reads one value.
    ///
    /// # Errors
    /// It is of another kind, or means nothing.
    fn read(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Result<Self, Trouble>;

    /// What it is when nothing is said; `None` where something has to be.
    fn absent() -> Option<Self> {
        None
    }
}

/// A table of the schema: what it is for and its keys.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// What it is for.
    pub about: &'static str,
    /// Its keys, in order.
    pub keys: &'static [Key],
    /// Whether there may be several.
    pub repeated: bool,
}

/// One key of a table.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// What belongs there.
    pub expected: &'static str,
    /// The table below it, if it is one.
    pub section: fn() -> Option<Section>,
    /// A value as it is written.
    pub example: &'static str,
}

/// Where reading is, and what was noticed on the way.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    path: Vec<&'static str>,
    warnings: Vec<String>,
}

/// Reads a whole document; answers warnings beside it, one sentence each.
///
/// # Errors
/// The first thing that is wrong.
pub fn read<T: Value>(text: &str) -> Result<(T, Vec<String>), Trouble> {
    let mut reader = Reader { text, path: Vec::new(), warnings: Vec::new() };
    let document = DeTable::parse(text).map_err(|error| {
        // `Display` of this error quotes the line; its message does not.
        let problem = Problem::Syntax(error.message().to_owned());
        Trouble { at: reader.position(&error.span().unwrap_or_default()), problem }
    })?;
    let span = document.span();
    let value = T::read(&Spanned::new(span, DeValue::Table(document.into_inner())), &mut reader)?;
    Ok((value, reader.warnings))
}

impl Reader<'_> {
    /// The value as a table, its keys held against those it may have.
    pub(super) fn table<'t, 'd>(
        &mut self,
        value: &'t Spanned<DeValue<'d>>,
        expected: &'static str,
        known: &[Key],
    ) -> Result<&'t DeTable<'d>, Trouble> {
        let DeValue::Table(table) = value.get_ref() else { return Err(self.other_kind(value, expected)) };
        for key in table.keys() {
            let name: &str = key.get_ref();
            if known.iter().any(|known| known.name == name) {
                continue;
            }
            let shown: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_KEY).collect();
            let at = self.position(&key.span());
            if is_secret(name) {
                return Err(Trouble { at, problem: Problem::Secret { key: self.named(&shown) } });
            }
            let nearest = nearest(name, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            self.warnings.push(format!("{at}: `{}` means nothing here and is ignored{nearest}", self.named(&shown)));
        }
        Ok(table)
    }

    /// The value of one key of a table.
    pub(super) fn field<T: Value>(
        &mut self,
        table: &DeTable<'_>,
        whole: &Spanned<DeValue<'_>>,
        name: &'static str,
    ) -> Result<T, Trouble> {
        let Some(value) = table.get(name) else {
            let missing = || Problem::Missing { table: self.path.join("."), key: name };
            return T::absent().ok_or_else(|| Trouble { at: self.position(&whole.span()), problem: missing() });
        };
        self.path.push(name);
        let read = T::read(value, self);
        self.path.pop();
        read
    }

    /// The trouble of a value of another kind.
    pub(super) fn other_kind(&self, value: &Spanned<DeValue<'_>>, expected: &'static str) -> Trouble {
        let problem = Problem::Kind { key: self.path.join("."), found: kind(value.get_ref()), expected };
        Trouble { at: self.at(value), problem }
    }

    /// The trouble of a value that means nothing.
    pub(super) fn no_meaning(&self, value: &Spanned<DeValue<'_>>, expected: &'static str) -> Trouble {
        Trouble { at: self.at(value), problem: Problem::Value { key: self.path.join("."), expected } }
    }

    /// Where a value stands.
    pub(super) fn at(&self, value: &Spanned<DeValue<'_>>) -> Position {
        self.position(&value.span())
    }

    fn named(&self, key: &str) -> String {
        self.path.iter().copied().chain([key]).collect::<Vec<_>>().join(".")
    }

    fn position(&self, span: &Range<usize>) -> Position {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Position { line: before.matches('\n').count() + 1, column: line.chars().count() + 1 }
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word)) && !LEADS.iter().any(|end| name.ends_with(end))
}

fn nearest(name: &str, known: &[Key]) -> Option<&'static str> {
    let close = known.iter().map(|key| (strsim::jaro_winkler(&name.to_lowercase(), key.name), key.name));
    close.filter(|(closeness, _)| *closeness > 0.75).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

impl<T: Value> Value for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn section() -> Option<Section> {
        T::section()
    }

    fn read(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Result<Self, Trouble> {
        T::read(value, reader).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Value> Value for Located<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn read(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Result<Self, Trouble> {
        Ok(Self { at: reader.at(value), value: T::read(value, reader)? })
    }
}

/// A list; absent is empty.
impl<T: Value> Value for Vec<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn section() -> Option<Section> {
        T::section().map(|section| Section { repeated: true, ..section })
    }

    fn read(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Result<Self, Trouble> {
        let DeValue::Array(items) = value.get_ref() else { return Err(reader.other_kind(value, "a list")) };
        items.iter().map(|item| T::read(item, reader)).collect()
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }
}

impl Value for bool {
    const EXPECTED: &'static str = "true or false";

    fn read(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Result<Self, Trouble> {
        match value.get_ref() {
            DeValue::Boolean(flag) => Ok(*flag),
            _ => Err(reader.other_kind(value, Self::EXPECTED)),
        }
    }
}

impl Value for String {
    const EXPECTED: &'static str = "a text";

    fn read(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Result<Self, Trouble> {
        match value.get_ref() {
            DeValue::String(text) if text.trim().is_empty() => {
                Err(reader.no_meaning(value, "a text that is not empty"))
            }
            DeValue::String(text) => Ok(text.clone().into_owned()),
            _ => Err(reader.other_kind(value, Self::EXPECTED)),
        }
    }
}

/// Values handed on as they are, as JSON; a date becomes its text.
impl Value for crate::model::JsonObject {
    const EXPECTED: &'static str = "a table of any values";

    fn read(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Result<Self, Trouble> {
        match free(value, reader, 0)? {
            serde_json::Value::Object(members) => Ok(members),
            _ => Err(reader.other_kind(value, Self::EXPECTED)),
        }
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }
}

fn free(value: &Spanned<DeValue<'_>>, reader: &Reader<'_>, depth: usize) -> Result<serde_json::Value, Trouble> {
    use serde_json::Value as Json;
    if depth > DEEPEST {
        return Err(reader.no_meaning(value, "values nested at most 32 deep"));
    }
    Ok(match value.get_ref() {
        DeValue::String(text) => Json::from(text.as_ref()),
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            Json::from(number.map_err(|_| reader.no_meaning(value, "a whole number of 64 bits"))?)
        }
        DeValue::Float(number) => {
            let number: Option<f64> = number.as_str().parse().ok().filter(|number: &f64| number.is_finite());
            Json::from(number.ok_or_else(|| reader.no_meaning(value, "a number that JSON has"))?)
        }
        DeValue::Boolean(flag) => Json::from(*flag),
        DeValue::Datetime(time) => Json::from(time.to_string()),
        DeValue::Array(items) => {
            items.iter().map(|item| free(item, reader, depth + 1)).collect::<Result<Vec<_>, _>>()?.into()
        }
        DeValue::Table(members) => {
            let member = |(name, value): (&Spanned<_>, _)| {
                Ok((AsRef::<std::borrow::Cow<'_, str>>::as_ref(name).to_string(), free(value, reader, depth + 1)?))
            };
            Json::Object(members.iter().map(member).collect::<Result<_, Trouble>>()?)
        }
    })
}

#[cfg(test)]
mod tests;
