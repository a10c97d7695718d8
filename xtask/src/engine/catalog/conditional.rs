//! Decides which lines of a C text are compiled.
//!
//! Comes in: all tokens of a file and the names defined for the build. Goes out: the tokens of the branches that are
//! taken, without directives, and the constants the file defines. It reads no included file and expands nothing.

use super::expression;
use super::lexer::{self, Kind, Token};
use std::collections::BTreeMap;

/// Names the build defines, and the number each stands for.
///
/// `MEOS` builds the library instead of the database extension; the four families are optional parts; the releases are
/// those MEOS' own build files state for the PostgreSQL and PostGIS code it carries.
const BUILD: [(&str, i64); 7] = [
    ("MEOS", 1),
    ("CBUFFER", 1),
    ("NPOINT", 1),
    ("POSE", 1),
    ("RGEO", 1),
    ("POSTGRESQL_VERSION_NUMBER", 140_200),
    ("POSTGIS_VERSION_NUMBER", 30_500),
];

/// What is left of a file.
#[derive(Debug, Default)]
pub(super) struct Selected<'a> {
    /// Without directives.
    pub(super) tokens: Vec<Token<'a>>,
    /// The object-like macros whose value is a number, in the order of the file.
    pub(super) constants: Vec<(&'a str, i64)>,
    /// Lines of conditions that could not be read; both branches of such a one are kept.
    pub(super) unreadable: Vec<usize>,
}

/// Keeps the tokens that are compiled.
pub(super) fn select<'a>(tokens: &[Token<'a>]) -> Selected<'a> {
    let mut state =
        State { names: BUILD.iter().map(|(name, value)| (*name, Some(*value))).collect(), ..State::default() };
    let mut selected = Selected::default();
    for token in tokens {
        if token.kind == Kind::Directive {
            state.directive(token, &mut selected);
        } else if state.active() {
            selected.tokens.push(*token);
        }
    }
    selected
}

#[derive(Default)]
struct State<'a> {
    /// `None` for a name that stands for something else than a number.
    names: BTreeMap<&'a str, Option<i64>>,
    open: Vec<Branch>,
}

/// One `#if` that is open.
#[derive(Clone, Copy)]
struct Branch {
    active: bool,
    /// An earlier branch was taken, so no `#else` is.
    taken: bool,
}

impl<'a> State<'a> {
    fn active(&self) -> bool {
        self.open.iter().all(|branch| branch.active)
    }

    fn directive(&mut self, token: &Token<'a>, selected: &mut Selected<'a>) {
        let words = lexer::tokens(token.text);
        let Some((name, rest)) = words.split_first() else { return };
        match name.text {
            "ifdef" | "ifndef" => {
                let defined = rest.first().is_some_and(|word| self.names.contains_key(word.text));
                self.enter(defined == (name.text == "ifdef"));
            }
            "if" => {
                let holds = self.holds(rest, token.line, selected);
                self.enter(holds);
            }
            "elif" => {
                let holds = self.holds(rest, token.line, selected);
                self.turn(holds);
            }
            "else" => self.turn(true),
            "endif" => drop(self.open.pop()),
            "define" if self.active() => self.define(token.text, rest, selected),
            "undef" if self.active() => drop(rest.first().and_then(|word| self.names.remove(word.text))),
            _ => {}
        }
    }

    fn enter(&mut self, holds: bool) {
        self.open.push(Branch { active: holds, taken: holds });
    }

    fn turn(&mut self, holds: bool) {
        if let Some(branch) = self.open.last_mut() {
            branch.active = holds && !branch.taken;
            branch.taken |= holds;
        }
    }

    /// An unknown name counts as zero, as in C.
    fn holds(&self, condition: &[Token<'_>], line: usize, selected: &mut Selected<'_>) -> bool {
        let known = self.resolve_defined(condition);
        let lookup = |name: &str| Some(self.names.get(name).copied().flatten().unwrap_or(0));
        match expression::value(&known, &lookup) {
            Some(value) => value != 0,
            None => {
                selected.unreadable.push(line);
                true
            }
        }
    }

    /// Replaces `defined X` and `defined(X)` by a number.
    fn resolve_defined<'t>(&self, condition: &[Token<'t>]) -> Vec<Token<'t>> {
        let mut known = Vec::with_capacity(condition.len());
        let mut rest = condition;
        while let [token, tail @ ..] = rest {
            let (name, after) = match tail {
                [open, name, close, after @ ..] if token.is_word("defined") && open.is("(") && close.is(")") => {
                    (name, after)
                }
                [name, after @ ..] if token.is_word("defined") => (name, after),
                _ => {
                    known.push(*token);
                    rest = tail;
                    continue;
                }
            };
            let text = if self.names.contains_key(name.text) { "1" } else { "0" };
            known.push(Token { kind: Kind::Number, text, line: token.line });
            rest = after;
        }
        known
    }

    fn define(&mut self, line: &'a str, rest: &[Token<'a>], selected: &mut Selected<'a>) {
        let Some((name, body)) = rest.split_first() else { return };
        let after_name = line.trim_start().trim_start_matches("define").trim_start().strip_prefix(name.text);
        let function_like = after_name.is_some_and(|after| after.starts_with('('));
        let lookup = |name: &str| self.names.get(name).copied().flatten();
        let value = if function_like { None } else { expression::value(body, &lookup) };
        selected.constants.extend(value.map(|value| (name.text, value)));
        self.names.insert(name.text, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(source: &str) -> (String, Vec<(&str, i64)>, Vec<usize>) {
        let selected = select(&lexer::tokens(source));
        let words: Vec<&str> = selected.tokens.iter().map(|token| token.text).collect();
        (words.join(" "), selected.constants, selected.unreadable)
    }

    #[test]
    fn the_library_s_branch_is_taken_with_all_families() {
        let source = "#if MEOS\na\n#else\nb\n#endif\n#ifdef _MSC_VER\nc\n#elif defined(NPOINT) && ! defined X\nd\n#else\ne\n#endif\n#if ! RGEO\nf\n#endif";
        assert_eq!(kept(source).0, "a d");
    }

    #[test]
    fn conditions_nest_and_an_outer_no_silences_inner_lines() {
        let source = "#if 0\n#if 1\na\n#else\nb\n#endif\n#define HIDDEN 1\n#else\nc\n#endif\n#ifdef HIDDEN\nd\n#endif";
        assert_eq!(kept(source), ("c".to_owned(), vec![], vec![]));
    }

    #[test]
    fn constants_are_numbers_and_functions_are_none() {
        let source = "#ifndef GUARD\n#define GUARD\n#define A 0x04 /* four */\n#define B (A << 1)\n#define F(x) 3\n#define S \"s\"\n#endif";
        assert_eq!(kept(source).1, [("A", 4), ("B", 8)]);
    }

    #[test]
    fn a_condition_nobody_can_read_is_told_and_loses_nothing() {
        let (words, _, unreadable) = kept("x\n#if WHAT(1)\na\n#endif");
        assert_eq!((words.as_str(), unreadable.as_slice()), ("x a", &[2][..]));
    }
}
