//! Reads one C declaration: a type and what is declared to be of it.
//!
//! Comes in: the tokens of one declaration without its `;` or body. Goes out: its name, its type and, for a function,
//! its parameters. It reads what library headers hold: no bit fields, no functions that return pointers to functions.

use super::ctype::CType;
use super::lexer::{Kind, Token};

/// One declared thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    /// Empty for a parameter without a name.
    pub(super) name: String,
    /// Its type; what it returns, for a function.
    pub(super) ctype: CType,
    /// `Some` for a function.
    pub(super) parameters: Option<Parameters>,
}

/// A parameter list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parameters {
    /// In order; their own `parameters` are `None`.
    pub(super) list: Vec<Declared>,
    /// Ends in `...`.
    pub(super) variadic: bool,
}

/// Words that say how a thing is stored or compiled and nothing of its type.
const STORAGE: [&str; 9] =
    ["extern", "static", "inline", "__inline", "__inline__", "register", "_Noreturn", "PGDLLEXPORT", "pg_noinline"];

/// Words a built-in type may consist of.
const BUILT_IN: [&str; 10] = ["void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool"];

/// Reads a declaration; `None` when it is none of the kind this reads.
pub(super) fn read(tokens: &[Token<'_>]) -> Option<Declared> {
    let mut reader = Reader { tokens, at: 0 };
    let declared = reader.declaration()?;
    reader.attributes();
    (reader.at == tokens.len() && !declared.name.is_empty()).then_some(declared)
}

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
}

impl<'a> Reader<'_, 'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).copied()
    }

    fn skip(&mut self, symbol: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is(symbol));
        self.at += usize::from(found);
        found
    }

    fn skip_word(&mut self, wanted: impl Fn(&str) -> bool) -> Option<&'a str> {
        let token = self.peek().filter(|token| token.kind == Kind::Word && wanted(token.text))?;
        self.at += 1;
        Some(token.text)
    }

    /// Steps over `( .. )` or `[ .. ]`; returns what is inside.
    fn group(&mut self, open: &str, close: &str) -> Option<(usize, usize)> {
        if !self.skip(open) {
            return None;
        }
        let (start, mut depth) = (self.at, 1_usize);
        while let Some(token) = self.peek() {
            depth += usize::from(token.is(open));
            depth -= usize::from(token.is(close));
            self.at += 1;
            if depth == 0 {
                return Some((start, self.at - 1));
            }
        }
        None
    }

    fn attributes(&mut self) {
        while self.skip_word(|word| word == "UNUSED" || word.contains("attribute")).is_some() {
            let _ = self.group("(", ")");
        }
    }

    fn declaration(&mut self) -> Option<Declared> {
        let mut base = self.base()?;
        base.stars = self.stars();
        if self.at_function_pointer() {
            return self.function_pointer(&base);
        }
        let name = self.skip_word(|_| true).unwrap_or_default().to_owned();
        if self.peek().is_some_and(|token| token.is("(")) && !name.is_empty() {
            let parameters = self.parameters()?;
            return Some(Declared { name, ctype: base, parameters: Some(parameters) });
        }
        while self.group("[", "]").is_some() {
            base.stars += 1;
        }
        Some(Declared { name, ctype: base, parameters: None })
    }

    /// Everything before the stars.
    fn base(&mut self) -> Option<CType> {
        let mut is_const = false;
        let mut words: Vec<&str> = Vec::new();
        loop {
            self.attributes();
            if let Some(word) = self.skip_word(|word| STORAGE.contains(&word) || word == "const" || word == "volatile")
            {
                is_const |= word == "const";
            } else if let Some(word) = self.skip_word(|word| BUILT_IN.contains(&word)) {
                words.push(word);
            } else if !words.is_empty() {
                break;
            } else if let Some(tag) = self.skip_word(|word| matches!(word, "struct" | "union" | "enum")) {
                words.extend([tag, self.skip_word(|_| true)?]);
            } else {
                words.push(self.skip_word(|_| true)?);
            }
        }
        Some(CType { is_const, base: built_in(&words), stars: 0 })
    }

    fn stars(&mut self) -> usize {
        let mut stars = 0;
        loop {
            if self.skip("*") {
                stars += 1;
            } else if self.skip_word(|word| matches!(word, "const" | "volatile" | "restrict" | "__restrict")).is_none()
            {
                return stars;
            }
        }
    }

    fn at_function_pointer(&self) -> bool {
        let next =
            |offset: usize, symbol: &str| self.tokens.get(self.at + offset).is_some_and(|token| token.is(symbol));
        next(0, "(") && next(1, "*")
    }

    /// `(*name)(int, void *)` after the type it returns.
    fn function_pointer(&mut self, returned: &CType) -> Option<Declared> {
        self.skip("(");
        self.stars();
        let name = self.skip_word(|_| true).unwrap_or_default().to_owned();
        if !self.skip(")") {
            return None;
        }
        let parameters = self.parameters()?;
        let mut types: Vec<String> = parameters.list.iter().map(|parameter| parameter.ctype.spelled()).collect();
        if parameters.variadic {
            types.push("...".to_owned());
        }
        let gap = if returned.stars > 0 { "" } else { " " };
        let base = format!("{}{gap}(*)({})", returned.spelled(), types.join(", "));
        Some(Declared { name, ctype: CType { is_const: false, base, stars: 0 }, parameters: None })
    }

    fn parameters(&mut self) -> Option<Parameters> {
        let (start, end) = self.group("(", ")")?;
        let mut parameters = Parameters::default();
        let inside = self.tokens.get(start..end)?;
        if inside.is_empty() {
            return Some(parameters);
        }
        for piece in split_at_commas(inside) {
            match piece {
                [only] if only.is("...") => parameters.variadic = true,
                [only] if only.is_word("void") => {}
                _ => parameters.list.push(parameter(piece)?),
            }
        }
        Some(parameters)
    }
}

fn parameter(tokens: &[Token<'_>]) -> Option<Declared> {
    let mut reader = Reader { tokens, at: 0 };
    let mut declared = reader.declaration()?;
    reader.attributes();
    if declared.parameters.take().is_some() {
        // `int f(int g(int))` passes a pointer to a function; no header of the library writes it so.
        return None;
    }
    (reader.at == tokens.len()).then_some(declared)
}

/// The pieces between the commas that no parentheses enclose.
fn split_at_commas<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let mut depth = 0_usize;
    let is_comma = |token: &Token<'_>| {
        depth += usize::from(token.is("(") || token.is("["));
        depth = depth.saturating_sub(usize::from(token.is(")") || token.is("]")));
        depth == 0 && token.is(",")
    };
    tokens.split(is_comma).collect()
}

/// One spelling for a built-in type: `long int` and `int long` are `long`.
fn built_in(words: &[&str]) -> String {
    let count = |word: &str| words.iter().filter(|other| **other == word).count();
    if !words.iter().all(|word| BUILT_IN.contains(word)) {
        return words.join(" ");
    }
    let sign = if count("unsigned") > 0 { "unsigned " } else { "" };
    let size = match (count("char"), count("short"), count("long"), count("double")) {
        (1.., ..) if count("signed") > 0 => return "signed char".to_owned(),
        (1.., ..) => "char",
        (_, 1.., ..) => "short",
        (_, _, 1, 1..) => "long double",
        (_, _, _, 1..) => "double",
        (_, _, 1, _) => "long",
        (_, _, 2.., _) => "long long",
        _ if count("void") > 0 => "void",
        _ if count("float") > 0 => "float",
        _ if count("_Bool") > 0 => "bool",
        _ => "int",
    };
    format!("{sign}{size}")
}

#[cfg(test)]
mod tests {
    use super::super::lexer;
    use super::*;

    fn shape(source: &str) -> Option<String> {
        let declared = read(&lexer::tokens(source))?;
        let Some(parameters) = declared.parameters else {
            return Some(format!("{}: {}", declared.name, declared.ctype.spelled()));
        };
        let mut list: Vec<String> =
            parameters.list.iter().map(|each| format!("{}: {}", each.name, each.ctype.spelled())).collect();
        if parameters.variadic {
            list.push("...".to_owned());
        }
        Some(format!("{}({}) -> {}", declared.name, list.join(", "), declared.ctype.spelled()))
    }

    #[test]
    fn prototypes_are_read_whatever_their_spelling() {
        let cases = [
            (
                "extern Thing *thing_make(const Part **parts, int count)",
                "thing_make(parts: const Part **, count: int) -> Thing *",
            ),
            ("int none()", "none() -> int"),
            ("static inline unsigned long int none ( void )", "none() -> unsigned long"),
            ("void log(const char* fmt, ...)", "log(fmt: const char *, ...) -> void"),
            (
                "struct Box * grow(struct Box const *, double by[2])",
                "grow(: const struct Box *, by: double *) -> struct Box *",
            ),
            ("Thing **many(Thing *const *all, size_t *n)", "many(all: Thing **, n: size_t *) -> Thing **"),
            (
                "bool f(signed char a, long long b, unsigned c, short int d) pg_attribute_printf(1, 2)",
                "f(a: signed char, b: long long, c: unsigned int, d: short) -> bool",
            ),
        ];
        for (source, want) in cases {
            assert_eq!(shape(source).as_deref(), Some(want));
        }
    }

    #[test]
    fn pointers_to_functions_are_types() {
        let source = "void walk(void *(*merge)(void *, const int *), int (*cmp)(void *a, ...), Datum (*)(void))";
        let want = "walk(merge: void *(*)(void *, const int *), cmp: int (*)(void *, ...), : Datum (*)()) -> void";
        assert_eq!(shape(source).as_deref(), Some(want));
        assert_eq!(
            shape("void (*handler)(int, int, const char *)").as_deref(),
            Some("handler: void (*)(int, int, const char *)")
        );
    }

    #[test]
    fn what_is_no_single_declaration_is_refused() {
        for source in ["", "int", "int a, b", "int f(int", "X(1 + 2)", "int f(int a) int b", "int f(int g(int))"] {
            assert_eq!(shape(source), None, "{source}");
        }
    }
}
