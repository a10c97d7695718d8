//! Values of constant C expressions: the condition of `#if`, the number of an enumeration's member.
//!
//! Comes in: tokens and what the names in them stand for. Goes out: a number. It knows integers only.

use super::lexer::{Kind, Token};

/// Loosest first; each row binds tighter than the one before. Two-character operators come before their first half.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// The value of an expression that is the whole of `tokens`; `None` when it is none, does not fit 64 bits, or holds a
/// name that `lookup` does not know.
pub(super) fn value(tokens: &[Token<'_>], lookup: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let mut reader = Reader { tokens, at: 0, lookup };
    let found = reader.binary(0)?;
    (reader.at == tokens.len()).then_some(found)
}

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
    lookup: &'t dyn Fn(&str) -> Option<i64>,
}

impl Reader<'_, '_> {
    fn binary(&mut self, level: usize) -> Option<i64> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.at_operator(operator)) {
            self.at += operator.len();
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right)?;
        }
        Some(left)
    }

    /// Whether that operator and no longer one is next: `|` is not the beginning of `||`.
    fn at_operator(&self, operator: &str) -> bool {
        let symbol = |offset: usize| {
            let token = self.tokens.get(self.at + offset)?;
            (token.kind == Kind::Symbol).then_some(token.text)
        };
        let matches = operator.char_indices().all(|(at, c)| symbol(at).is_some_and(|text| text.starts_with(c)));
        let longer =
            matches!((operator, symbol(1)), ("|", Some("|")) | ("&", Some("&")) | ("<", Some("<")) | (">", Some(">")));
        matches && !longer
    }

    fn unary(&mut self) -> Option<i64> {
        let token = *self.tokens.get(self.at)?;
        self.at += 1;
        match (token.kind, token.text) {
            (Kind::Symbol, "!") => Some(i64::from(self.unary()? == 0)),
            (Kind::Symbol, "-") => self.unary()?.checked_neg(),
            (Kind::Symbol, "+") => self.unary(),
            (Kind::Symbol, "~") => Some(!self.unary()?),
            (Kind::Symbol, "(") => {
                let inner = self.binary(0)?;
                let closed = self.tokens.get(self.at)?.is(")");
                self.at += 1;
                closed.then_some(inner)
            }
            (Kind::Number, text) => number(text),
            (Kind::Literal, text) => character(text),
            (Kind::Word, name) => (self.lookup)(name),
            _ => None,
        }
    }
}

fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    let truth = |holds: bool| Some(i64::from(holds));
    match operator {
        "||" => truth(left != 0 || right != 0),
        "&&" => truth(left != 0 && right != 0),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&" => Some(left & right),
        "==" => truth(left == right),
        "!=" => truth(left != right),
        "<=" => truth(left <= right),
        ">=" => truth(left >= right),
        "<" => truth(left < right),
        ">" => truth(left > right),
        "<<" => left.checked_shl(u32::try_from(right).ok()?),
        ">>" => left.checked_shr(u32::try_from(right).ok()?),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        _ => None,
    }
}

fn number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        i64::from_str_radix(hexadecimal, 16).ok()
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(digits, 8).ok()
    } else {
        digits.parse().ok()
    }
}

/// A plain character literal; escapes are not needed here.
fn character(text: &str) -> Option<i64> {
    let mut inner = text.strip_prefix('\'')?.strip_suffix('\'')?.chars();
    let first = inner.next()?;
    (inner.next().is_none() && first != '\\').then_some(i64::from(u32::from(first)))
}

#[cfg(test)]
mod tests {
    use super::super::lexer;

    fn value(text: &str) -> Option<i64> {
        super::value(&lexer::tokens(text), &|name| (name == "SIX").then_some(6))
    }

    #[test]
    fn operators_bind_as_in_c() {
        assert_eq!(value("1 + 2 * 3 == 7 && !0"), Some(1));
        assert_eq!(value("1 << 3 | 0x10"), Some(24));
        assert_eq!(value("(SIX - 8) < -1"), Some(1));
        assert_eq!(value("1 | 0 || 0"), Some(1));
        assert_eq!(value("010 + 'A' + 2UL"), Some(75));
    }

    #[test]
    fn what_is_no_constant_has_no_value() {
        for text in ["", "1 +", "SEVEN", "1 2", "(1", "1 / 0", "sizeof(int)", "99999999999999999999", "'\\n'"] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}
