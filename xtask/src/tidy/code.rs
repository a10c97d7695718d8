//! Rust source with everything that is not code blanked out: comments, and what is inside strings and characters.
//!
//! Comes in: a source text. Goes out: a text with the same lines and columns, so that a rule about code does not
//! stumble over a doc comment that names what it forbids. It is a scanner and no parser: it knows tokens, not syntax.

/// The code of `source`; every blanked character became a space, line breaks stayed.
pub(super) fn only(source: &str) -> String {
    let mut scanner = Scanner { rest: source, out: String::with_capacity(source.len()) };
    while let Some(next) = scanner.rest.chars().next() {
        scanner.step(next);
    }
    scanner.out
}

/// The line (from 1) where tests begin: by our order of a file they are its last part. `None`: no tests.
pub(super) fn tests_begin(code: &str) -> Option<usize> {
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let module = |line: &&str| line.starts_with("mod ") || line.starts_with("#[");
    let attribute = |line: &str| line.starts_with("#[cfg(") && line.contains("test");
    let pairs = lines.iter().zip(lines.iter().skip(1)).position(|(line, next)| attribute(line) && module(next));
    pairs.map(|index| index + 1)
}

struct Scanner<'a> {
    rest: &'a str,
    out: String,
}

impl Scanner<'_> {
    fn step(&mut self, next: char) {
        if self.rest.starts_with("//") {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.blank(end);
        } else if self.rest.starts_with("/*") {
            self.blank(block_comment(self.rest));
        } else if let Some(length) = raw_string(self.rest).filter(|_| !self.inside_a_word()) {
            self.blank(length);
        } else if next == '"' {
            self.blank(string(self.rest));
        } else if let Some(length) = character(self.rest) {
            self.blank(length);
        } else {
            self.out.push(next);
            self.rest = self.rest.get(next.len_utf8()..).unwrap_or_default();
        }
    }

    /// Whether the character before belongs to a word: the `r` of `for"` starts no raw string.
    fn inside_a_word(&self) -> bool {
        self.out.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_')
    }

    fn blank(&mut self, length: usize) {
        let (blanked, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.out.extend(blanked.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        self.rest = rest;
    }
}

/// The length of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth.saturating_sub(1), at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of a raw string such as `r#"…"#`, if one starts here.
fn raw_string(text: &str) -> Option<usize> {
    let after_r = text.strip_prefix("br").or_else(|| text.strip_prefix("cr")).or_else(|| text.strip_prefix('r'))?;
    let quote = after_r.find('"').filter(|at| after_r.bytes().take(*at).all(|byte| byte == b'#'))?;
    let end = format!("\"{}", "#".repeat(quote));
    let start = text.len() - after_r.len() + quote + 1;
    let length = text.get(start..)?.find(&end).map_or(text.len(), |at| start + at + end.len());
    Some(length)
}

/// The length of an ordinary string, quotes included.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character literal, if one starts here and it is not a lifetime.
fn character(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    if let Some(escape) = inner.strip_prefix('\\') {
        // The escaped character itself may be a quote.
        let first = escape.chars().next()?.len_utf8();
        return Some(2 + first + escape.get(first..)?.find('\'')? + 1);
    }
    let first = inner.chars().next()?.len_utf8();
    inner.get(first..)?.starts_with('\'').then_some(first + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_blanked_and_lines_stay() {
        let source =
            "a // wasmtime\n/* wasmtime /* x */ */ b \"wasmtime \\\" \" c\nr#\"was\"mtime\"# d 'x' '\\'' e<'f>\n";
        let code = only(source);
        assert!(!code.contains("wasmtime") && !code.contains("mtime"), "{code}");
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "b", "c", "d", "e<'f>"]);
        assert_eq!(code.lines().count(), source.lines().count());
        assert_eq!(code.chars().count(), source.chars().count());
    }

    #[test]
    fn a_string_that_never_ends_ends_the_scan() {
        assert_eq!(only("a \"b"), "a   ");
        assert_eq!(only("a /* b"), "a     ");
    }

    #[test]
    fn tests_begin_at_their_attribute() {
        assert_eq!(tests_begin("fn a() {}\n#[cfg(test)]\nmod tests {\n}"), Some(2));
        assert_eq!(tests_begin("#[cfg(test)]\nfn only_for_tests() {}\n"), None);
    }
}
