//! Cuts C text into tokens.
//!
//! Comes in: the text of a header or a source file. Goes out: words, numbers, literals, symbols, preprocessor lines and
//! documentation comments, each with its line; other comments are gone. It expands no macro and judges nothing: whether
//! a preprocessor line holds is `conditional`'s business.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or a keyword.
    Word,
    /// A numeric literal with its suffixes.
    Number,
    /// A string or character literal, quotes included.
    Literal,
    /// One punctuation character; `...` is one token.
    Symbol,
    /// What stands between `/**` and `*/`. A trailing comment (`/**<`) is dropped: it documents a field.
    Doc,
    /// A preprocessor line without its `#`, continuation lines included.
    Directive,
}

/// One token and where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    /// Counted from 1.
    pub(super) line: usize,
}

impl Token<'_> {
    /// Whether it is that punctuation.
    pub(super) fn is(&self, symbol: &str) -> bool {
        self.kind == Kind::Symbol && self.text == symbol
    }

    /// Whether it is that word.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }
}

/// The tokens of a text. Text that is no C gives odd tokens, never an error; an unclosed comment or literal ends with
/// the text.
pub(super) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { source, at: 0, line: 1, fresh: true };
    let mut found = Vec::new();
    while let Some(token) = lexer.next() {
        found.push(token);
    }
    found
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    line: usize,
    /// Nothing but blanks since the line began, where alone a `#` opens a directive.
    fresh: bool,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Steps over the first `length` bytes and returns them.
    fn take(&mut self, length: usize) -> &'a str {
        let rest = self.rest();
        let text = rest.get(..length).unwrap_or(rest);
        self.at += text.len();
        self.line += text.bytes().filter(|byte| *byte == b'\n').count();
        text
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c: char| !wanted(c)).unwrap_or(rest.len());
        self.take(length)
    }

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let first = self.rest().chars().next()?;
            let line = self.line;
            let token = |kind, text| Some(Token { kind, text, line });
            if first.is_whitespace() || first == '\\' {
                self.fresh |= first == '\n';
                self.take(first.len_utf8());
            } else if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest().starts_with("/*") {
                if let Some(text) = self.comment() {
                    return token(Kind::Doc, text);
                }
            } else if first == '#' && self.fresh {
                self.take(1);
                let length = directive_length(self.rest());
                return token(Kind::Directive, self.take(length));
            } else {
                self.fresh = false;
                let (kind, text) = self.plain(first);
                return token(kind, text);
            }
        }
    }

    /// Steps over a comment; its text when it documents what follows.
    fn comment(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let length = rest.get(2..).and_then(|inner| inner.find("*/")).map_or(rest.len(), |end| end + 4);
        let text = self.take(length);
        // `/***` is a ruler of the source and `/**/` is empty.
        let inner = text.strip_prefix("/**")?.strip_suffix("*/")?;
        (!inner.starts_with(['*', '<', '/'])).then_some(inner)
    }

    fn plain(&mut self, first: char) -> (Kind, &'a str) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if first.is_ascii_digit() {
            (Kind::Number, self.take_while(|c| is_word(c) || c == '.'))
        } else if is_word(first) {
            (Kind::Word, self.take_while(is_word))
        } else if first == '"' || first == '\'' {
            let length = literal_length(self.rest(), first);
            (Kind::Literal, self.take(length))
        } else if self.rest().starts_with("...") {
            (Kind::Symbol, self.take(3))
        } else {
            (Kind::Symbol, self.take(first.len_utf8()))
        }
    }
}

/// Up to the end of the line that no backslash continues; a comment may hold line ends too.
fn directive_length(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(found) = rest.find(['\n', '/']) else { return text.len() };
        at += found;
        let here = text.get(at..).unwrap_or_default();
        if here.starts_with("//") {
            return at + here.find('\n').unwrap_or(here.len());
        } else if here.starts_with("/*") {
            at += here.find("*/").map_or(here.len(), |end| end + 2);
        } else if here.starts_with('\n') && !text.get(..at).unwrap_or_default().trim_end_matches('\r').ends_with('\\') {
            return at;
        } else {
            at += 1;
        }
    }
}

fn literal_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<(Kind, &str)> {
        tokens(source).iter().map(|token| (token.kind, token.text)).collect()
    }

    #[test]
    fn comments_vanish_and_documentation_stays() {
        let source = "/* a */ int /** what */ x; // b\n/*** ruler ***/ /**< field */ /**/ y";
        let want =
            [(Kind::Word, "int"), (Kind::Doc, " what "), (Kind::Word, "x"), (Kind::Symbol, ";"), (Kind::Word, "y")];
        assert_eq!(kinds(source), want);
    }

    #[test]
    fn a_directive_holds_its_continuation_lines_and_comments() {
        let source = "#define A \\\n 1 /* two\nlines */ + 2\nint b;\n a # b";
        let found = tokens(source);
        assert_eq!(found[0].kind, Kind::Directive);
        assert_eq!(found[0].text, "define A \\\n 1 /* two\nlines */ + 2");
        assert_eq!((found[1].text, found[1].line), ("int", 4));
        assert!(found.iter().any(|token| token.is("#")), "inside a line it is a symbol");
    }

    #[test]
    fn quotes_inside_literals_do_not_end_them() {
        assert_eq!(kinds(r#""a\"b;" 'c'"#), [(Kind::Literal, r#""a\"b;""#), (Kind::Literal, "'c'")]);
        assert_eq!(kinds("\"open"), [(Kind::Literal, "\"open")]);
        assert_eq!(kinds("f(int n, ...)").last(), Some(&(Kind::Symbol, ")")));
        assert_eq!(kinds("/* open"), []);
    }
}
