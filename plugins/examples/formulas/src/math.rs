//! The mathematics every formula has: operators and functions over 64-bit floating point.

/// Something that makes one number of others.
#[derive(Debug)]
pub(crate) struct Math {
    /// As it is written in a formula.
    pub(crate) name: &'static str,
    apply: Apply,
}

#[derive(Debug)]
enum Apply {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    /// Two or more, from the left.
    Fold(fn(f64, f64) -> f64),
}

/// Why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undefined {
    DivisionByZero,
    /// The function has no value there: the root of a negative number, the logarithm of 0.
    OutsideDomain,
    /// Beyond about 1.8e308.
    TooLarge,
}

/// The level of comparisons: `a < b < c` means nothing.
pub(crate) const COMPARE: u8 = 0;
/// The level of `^`, which groups to the right and goes before a sign: `-2^2` is -4.
pub(crate) const POWER: u8 = 3;

/// Operators with their levels; a higher one binds tighter. Longer names first: `<=` is not `<` and something.
pub(crate) static OPERATORS: [(u8, Math); 12] = [
    (COMPARE, two("<=", |a, b| truth(a <= b))),
    (COMPARE, two(">=", |a, b| truth(a >= b))),
    (COMPARE, two("!=", |a, b| truth(a != b))),
    (COMPARE, two("<", |a, b| truth(a < b))),
    (COMPARE, two(">", |a, b| truth(a > b))),
    (COMPARE, two("=", |a, b| truth(a == b))),
    (1, two("+", |a, b| a + b)),
    (1, two("-", |a, b| a - b)),
    (2, two("*", |a, b| a * b)),
    (2, two("/", |a, b| a / b)),
    (2, two("%", |a, b| a % b)),
    (POWER, two("^", f64::powf)),
];

/// The sign.
pub(crate) static NEGATE: Math = one("-", |a| -a);

static FUNCTIONS: [Math; 16] = [
    one("abs", f64::abs),
    one("acos", f64::acos),
    one("asin", f64::asin),
    one("atan", f64::atan),
    one("ceil", f64::ceil),
    one("cos", f64::cos),
    one("exp", f64::exp),
    one("floor", f64::floor),
    one("ln", |a| if a > 0.0 { a.ln() } else { f64::NAN }),
    one("log10", |a| if a > 0.0 { a.log10() } else { f64::NAN }),
    Math { name: "max", apply: Apply::Fold(f64::max) },
    Math { name: "min", apply: Apply::Fold(f64::min) },
    one("round", f64::round),
    one("sin", f64::sin),
    one("sqrt", f64::sqrt),
    one("tan", f64::tan),
];

const fn one(name: &'static str, apply: fn(f64) -> f64) -> Math {
    Math { name, apply: Apply::One(apply) }
}

const fn two(name: &'static str, apply: fn(f64, f64) -> f64) -> Math {
    Math { name, apply: Apply::Two(apply) }
}

fn truth(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

/// The function of a name.
pub(crate) fn function(name: &str) -> Option<&'static Math> {
    FUNCTIONS.iter().find(|math| math.name == name)
}

/// Whether a name means something in every formula, so that no sheet may give it away.
pub(crate) fn is_reserved(name: &str) -> bool {
    ["if", "pi"].contains(&name) || function(name).is_some()
}

impl Math {
    /// How many values it takes, at least and at most.
    pub(crate) fn takes(&self) -> (usize, usize) {
        match self.apply {
            Apply::One(_) => (1, 1),
            Apply::Two(_) => (2, 2),
            Apply::Fold(_) => (2, usize::MAX),
        }
    }

    /// Computes; what comes out is finite.
    pub(crate) fn apply(&self, values: &[f64]) -> Result<f64, Undefined> {
        let result = match (&self.apply, values) {
            (Apply::One(apply), [a]) => apply(*a),
            (Apply::Two(apply), [a, b]) => apply(*a, *b),
            (Apply::Fold(apply), [first, rest @ ..]) => rest.iter().fold(*first, |a, b| apply(a, *b)),
            _ => f64::NAN,
        };
        match (self.name, values) {
            _ if result.is_finite() => Ok(result),
            ("/" | "%", [_, 0.0]) | ("^", [0.0, _]) => Err(Undefined::DivisionByZero),
            _ if result.is_nan() => Err(Undefined::OutsideDomain),
            _ => Err(Undefined::TooLarge),
        }
    }
}
