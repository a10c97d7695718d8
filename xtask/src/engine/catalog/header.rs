//! Reads a whole header: its functions, enumerations, typedefs and constants.
//!
//! Comes in: the text. Goes out: everything declared in it, in its order, and every piece that could not be read, so
//! that no prototype is lost without a word. It knows nothing of what the functions mean.

use super::conditional;
use super::ctype::CType;
use super::declarator::{self, Declared, Parameters};
use super::expression;
use super::lexer::{self, Kind, Token};
use std::collections::BTreeMap;

/// A declared function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prototype {
    pub(super) name: String,
    pub(super) returns: CType,
    pub(super) parameters: Parameters,
}

/// An enumeration that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Enumeration {
    pub(super) name: String,
    /// In the order of the header.
    pub(super) members: Vec<(String, i64)>,
}

/// What a header holds.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) functions: Vec<Prototype>,
    pub(super) enumerations: Vec<Enumeration>,
    /// Structures with a name, defined or only announced.
    pub(super) structures: Vec<String>,
    pub(super) typedefs: Vec<(String, CType)>,
    pub(super) constants: Vec<(String, i64)>,
    /// Line and beginning of what could not be read.
    pub(super) unreadable: Vec<(usize, String)>,
}

/// Reads a header.
pub(super) fn read(source: &str) -> Header {
    let tokens = lexer::tokens(source);
    let selected = conditional::select(&tokens);
    let mut header = Header {
        constants: selected.constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        unreadable: selected.unreadable.iter().map(|line| (*line, "#if".to_owned())).collect(),
        ..Header::default()
    };
    let code: Vec<Token<'_>> = selected.tokens.into_iter().filter(|token| token.kind != Kind::Doc).collect();
    for piece in pieces(&code) {
        header.add(piece);
    }
    header
}

/// The declarations of a text, each without its `;`. A function's body ends one too and belongs to it.
pub(super) fn pieces<'t, 'a>(code: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    for (at, token) in code.iter().enumerate() {
        depth += usize::from(["(", "{", "["].iter().any(|open| token.is(open)));
        depth = depth.saturating_sub(usize::from([")", "}", "]"].iter().any(|close| token.is(close))));
        let so_far = code.get(start..=at).unwrap_or_default();
        if depth == 0 && (token.is(";") || token.is("}") && is_function_body(so_far)) {
            found.push(so_far.strip_suffix(&[*token]).filter(|_| token.is(";")).unwrap_or(so_far));
            start = at + 1;
        }
    }
    found.push(code.get(start..).unwrap_or_default());
    found.retain(|piece| !piece.is_empty());
    found
}

/// Whether the braces of a piece follow a parameter list, or `extern "C"`'s do.
fn is_function_body(piece: &[Token<'_>]) -> bool {
    let open = piece.iter().position(|token| token.is("{"));
    let before = open.and_then(|at| piece.get(at.checked_sub(1)?));
    before.is_some_and(|token| token.is(")") || token.kind == Kind::Literal)
}

impl Header {
    fn add(&mut self, piece: &[Token<'_>]) {
        let added = match piece.first() {
            Some(first) if first.is_word("typedef") => self.add_typedef(piece.get(1..).unwrap_or_default()),
            Some(first) if first.is_word("enum") && has_body(piece) => self.add_enumeration(piece, ""),
            Some(first) if is_aggregate(first) && has_body(piece) => self.add_structure(piece),
            // `struct X;` announces a type.
            Some(first) if is_aggregate(first) && piece.len() == 2 => self.add_structure(piece),
            // Its braces hold ordinary declarations; the libraries' headers open them in another line of the
            // preprocessor, for C++ alone.
            Some(first) if first.is_word("extern") && piece.get(1).is_some_and(|token| token.kind == Kind::Literal) => {
                None
            }
            _ if is_function_body(piece) => Some(()),
            _ => self.add_declaration(piece),
        };
        if added.is_none() {
            let words: Vec<&str> = piece.iter().take(12).map(|token| token.text).collect();
            self.unreadable.push((piece.first().map_or(0, |token| token.line), words.join(" ")));
        }
    }

    fn add_declaration(&mut self, piece: &[Token<'_>]) -> Option<()> {
        let Declared { name, ctype, parameters } = declarator::read(piece)?;
        if let Some(parameters) = parameters {
            self.functions.push(Prototype { name, returns: ctype, parameters });
        }
        Some(())
    }

    fn add_typedef(&mut self, piece: &[Token<'_>]) -> Option<()> {
        let first = piece.first()?;
        if has_body(piece) {
            let close = piece.iter().rposition(|token| token.is("}"))?;
            let alias = piece.get(close + 1).filter(|token| token.kind == Kind::Word)?;
            if first.is_word("enum") {
                return self.add_enumeration(piece, alias.text);
            }
            let tag = piece.get(1).filter(|token| token.kind == Kind::Word);
            let target = tag.map_or_else(|| alias.text.to_owned(), |tag| format!("{} {}", first.text, tag.text));
            self.structures.push(alias.text.to_owned());
            self.typedefs.push((alias.text.to_owned(), CType { base: target, ..CType::default() }));
            return Some(());
        }
        let declared = declarator::read(piece)?;
        let ctype = match declared.parameters {
            // `typedef int f(int);` names a function type, which is of use behind a pointer only.
            Some(_) => return Some(()),
            None => declared.ctype,
        };
        if is_aggregate(first) {
            self.structures.push(declared.name.clone());
        }
        self.typedefs.push((declared.name, ctype));
        Some(())
    }

    fn add_structure(&mut self, piece: &[Token<'_>]) -> Option<()> {
        let name = piece.get(1).filter(|token| token.kind == Kind::Word)?;
        self.structures.push(name.text.to_owned());
        Some(())
    }

    fn add_enumeration(&mut self, piece: &[Token<'_>], alias: &str) -> Option<()> {
        let open = piece.iter().position(|token| token.is("{"))?;
        let close = piece.iter().rposition(|token| token.is("}"))?;
        let tag = piece.get(1).filter(|token| token.kind == Kind::Word).map_or("", |token| token.text);
        let members = members(piece.get(open + 1..close)?, &self.constants)?;
        let name = if alias.is_empty() { tag } else { alias }.to_owned();
        self.constants.extend(members.iter().cloned());
        if !name.is_empty() {
            self.enumerations.push(Enumeration { name, members });
        }
        Some(())
    }
}

fn is_aggregate(token: &Token<'_>) -> bool {
    token.is_word("struct") || token.is_word("union")
}

fn has_body(piece: &[Token<'_>]) -> bool {
    piece.iter().any(|token| token.is("{"))
}

/// The members of an enumeration with their numbers; `None` when one has a value that cannot be read.
fn members(body: &[Token<'_>], constants: &[(String, i64)]) -> Option<Vec<(String, i64)>> {
    let mut known: BTreeMap<String, i64> = constants.iter().cloned().collect();
    let mut found = Vec::new();
    let mut next = 0;
    for piece in body.split(|token| token.is(",")) {
        let Some((name, value)) = piece.split_first() else { continue };
        if let Some((equals, value)) = value.split_first() {
            let constant = expression::value(value, &|name| known.get(name).copied());
            next = constant.filter(|_| equals.is("="))?;
        }
        known.insert(name.text.to_owned(), next);
        found.push((name.text.to_owned(), next));
        next = next.checked_add(1)?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "
        #ifndef GUARD
        #define GUARD
        #define LIMIT 7
        typedef enum { A, B = 4, /**< four */ C, D = (1 << B) | LIMIT, } letters;
        enum other { E = -1, F };
        typedef struct Thing Thing;
        typedef struct { int a; union { int b; } u; } Pair;
        struct Plain { int x; };
        struct Announced;
        typedef int32 Day;
        typedef void (*handler)(int, const char *);
        static inline int twice(int n) { if (n) { return n; } return 2 * n; }
        extern int version;
        extern Thing *thing_in(const char *text);
        extern bool thing_eq(const Thing *, const Thing *)
          pg_attribute_pure();
        #endif";

    #[test]
    fn a_header_s_declarations_are_all_found() {
        let header = read(HEADER);
        assert_eq!(header.unreadable, []);
        let names: Vec<&str> = header.functions.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["thing_in", "thing_eq"]);
        assert_eq!(header.structures, ["Thing", "Pair", "Plain", "Announced"]);
        let typedefs: Vec<(&str, String)> =
            header.typedefs.iter().map(|(name, ctype)| (name.as_str(), ctype.spelled())).collect();
        let handler = "void (*)(int, const char *)".to_owned();
        let want = [
            ("Thing", "struct Thing".to_owned()),
            ("Pair", "Pair".to_owned()),
            ("Day", "int32".to_owned()),
            ("handler", handler),
        ];
        assert_eq!(typedefs, want);
    }

    #[test]
    fn members_count_on_from_the_last_number() {
        let header = read(HEADER);
        let member = |name: &str, value| (name.to_owned(), value);
        let letters = vec![member("A", 0), member("B", 4), member("C", 5), member("D", 23)];
        let other = vec![member("E", -1), member("F", 0)];
        let found: Vec<_> = header.enumerations.into_iter().map(|each| (each.name, each.members)).collect();
        assert_eq!(found, [("letters".to_owned(), letters), ("other".to_owned(), other)]);
    }

    #[test]
    fn a_prototype_that_cannot_be_read_is_told_with_its_line() {
        let header =
            read("int good(void);\nint (*get(int which))(void);\nint also_good(void);\nenum { X = sizeof(int) };");
        assert_eq!(header.functions.len(), 2);
        let told: Vec<usize> = header.unreadable.iter().map(|(line, _)| *line).collect();
        assert_eq!(told, [2, 4]);
    }
}
