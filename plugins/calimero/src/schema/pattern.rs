//! Says whether an author's regular expression may go into a schema.
//!
//! Validators differ in dialect and some backtrack, so only what all of them read alike, in linear time, passes:
//! literals, character classes, groups and bounded repetition, with no repetition inside a repetition. Whatever else
//! an author wrote is shown in words.

use std::iter::Peekable;
use std::str::Chars;

/// Longest pattern accepted, in bytes.
const LONGEST: usize = 256;

/// Largest count in `{n,m}`: a validator may unroll it.
const LARGEST_COUNT: u32 = 1000;

/// Whether a pattern is plain enough to run anywhere.
pub(super) fn is_safe(pattern: &str) -> bool {
    if pattern.len() > LONGEST {
        return false;
    }
    let mut reader = Reader { left: pattern.chars().peekable() };
    reader.alternatives(0).is_some() && reader.left.next().is_none()
}

struct Reader<'a> {
    left: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    /// Reads to the end or an unopened `)`. `Some(true)`: something in it repeats.
    fn alternatives(&mut self, depth: u32) -> Option<bool> {
        let mut repeats = false;
        while let Some(&next) = self.left.peek() {
            if next == ')' {
                break;
            }
            self.left.next();
            let inner = self.atom(next, depth)?;
            let repeated = self.repetition()?;
            // `(a+)+`: what takes a backtracking matcher for ever.
            if inner && repeated {
                return None;
            }
            repeats |= inner || repeated;
        }
        Some(repeats)
    }

    fn atom(&mut self, first: char, depth: u32) -> Option<bool> {
        match first {
            '(' => self.group(depth),
            '[' => self.class().map(|()| false),
            '\\' => self.escape().map(|()| false),
            '*' | '+' | '?' | '{' | '}' | ']' => None,
            _ => Some(false),
        }
    }

    fn group(&mut self, depth: u32) -> Option<bool> {
        if depth >= 8 {
            return None;
        }
        if self.left.next_if_eq(&'?').is_some() {
            // `(?:` only: look-around, names and flags differ between dialects.
            self.left.next_if_eq(&':')?;
        }
        let repeats = self.alternatives(depth + 1)?;
        self.left.next_if_eq(&')')?;
        Some(repeats)
    }

    fn class(&mut self) -> Option<()> {
        self.left.next_if_eq(&'^');
        let mut members = 0;
        loop {
            match self.left.next()? {
                ']' => return (members > 0).then_some(()),
                // Set operations and nested classes mean something in one dialect and not in another.
                '[' | '&' | '~' => return None,
                '\\' => self.escape()?,
                _ => {}
            }
            members += 1;
        }
    }

    /// Escaped punctuation. `\d`, `\w`, `\s`, `\b`, `\p` and back-references differ between dialects.
    fn escape(&mut self) -> Option<()> {
        self.left.next_if(|next| next.is_ascii_punctuation()).map(drop)
    }

    /// `*`, `+`, `?`, `{n}`, `{n,}`, `{n,m}`. `Some(true)`: what precedes may be there more than once.
    fn repetition(&mut self) -> Option<bool> {
        let Some(sign) = self.left.next_if(|next| matches!(next, '*' | '+' | '?' | '{')) else { return Some(false) };
        if sign == '{' {
            let body: String = std::iter::from_fn(|| self.left.next_if(|next| *next != '}')).collect();
            self.left.next_if_eq(&'}')?;
            let (from, to) = body.split_once(',').unwrap_or((&body, &body));
            let from = count(from)?;
            if !to.is_empty() && count(to)? < from {
                return None;
            }
        }
        // Lazy and possessive repetition, or repetition of a repetition.
        let again = self.left.peek().is_some_and(|next| matches!(next, '*' | '+' | '?' | '{'));
        (!again).then_some(sign != '?')
    }
}

fn count(digits: &str) -> Option<u32> {
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|count| plain && *count <= LARGEST_COUNT)
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn plain_patterns_pass() {
        for pattern in ["^[0-9a-f]{64}$", "^(?:[0-9a-f]{2})$", "a|b+", r"^\+?[1-9][0-9]{1,14}$", "^0x[^g-z]*$", ""] {
            assert!(is_safe(pattern), "{pattern}");
        }
    }

    #[test]
    fn what_dialects_or_backtracking_make_risky_does_not() {
        for pattern in [
            "(a+)+$",
            "(?:a{2})*",
            "(?=a)",
            "(?<!a)b",
            "(?<n>a)",
            r"(a)\1",
            r"^\d+$",
            r"\p{L}",
            "a**",
            "a+?",
            "[a&&b]",
            "[[:alpha:]]",
            "a{1001}",
            "a{2,1}",
            "(a",
            "a)",
            "[a",
            "a{",
            "*a",
            r"\",
            "[]",
        ] {
            assert!(!is_safe(pattern), "{pattern}");
        }
        assert!(!is_safe(&"a".repeat(257)));
        assert!(!is_safe(&"(".repeat(200)));
    }
}
