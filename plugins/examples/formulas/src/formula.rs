//! Compiles a formula's text to steps of a small stack machine.
//!
//! In come the text and the names it may use, out come steps or what is wrong at which character. Steps are a flat list,
//! so whoever runs them needs no recursion, and nothing can be nested deeper than [`MOST_NESTED`].

use crate::math::{self, COMPARE, Math, NEGATE, OPERATORS, POWER};
use crate::sheet::{Constant, Function};
use std::collections::BTreeMap;

/// Most bytes of a formula.
const MOST_BYTES: usize = 4_096;

/// How deep parentheses, signs, powers and values may lie in each other: the parser recurses, and this many times its
/// frame is a small part of the 1 MiB stack of a component.
const MOST_NESTED: usize = 64;

/// One step, and the character of the formula (from 1) it was made of.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) does: Does,
    pub(crate) at: usize,
}

/// What a step does. It takes its values from the top of a stack and leaves one there.
#[derive(Debug)]
pub(crate) enum Does {
    Push(f64),
    /// Pushes the parameter of this position.
    Load(usize),
    /// Applies it to so many values.
    Apply(&'static Math, usize),
    /// Calls the sheet's function of this position with so many values.
    Call(usize, usize),
    /// Goes on at that step.
    Jump(usize),
    /// Takes a value and goes on at that step if it is 0.
    JumpIfZero(usize),
}

/// The names one formula may use.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    /// Whose formula it is.
    pub(crate) function: &'a Function,
    pub(crate) constants: &'a [Constant],
    /// The functions of the sheet with their positions.
    pub(crate) functions: &'a BTreeMap<&'a str, (usize, &'a Function)>,
}

/// Compiles a function's formula; else says what is wrong, where.
pub(crate) fn compile(names: &Names<'_>) -> Result<Vec<Step>, String> {
    let formula = &names.function.formula;
    if formula.len() > MOST_BYTES {
        return Err(format!("formula: has {} bytes, {MOST_BYTES} at most are read", formula.len()));
    }
    let mut parser = Parser { names, rest: formula, at: 1, steps: Vec::new(), nested: 0 };
    let parsed = parser.expression(COMPARE).and_then(|()| match parser.peek() {
        None => Ok(()),
        Some(_) => Err(parser.fault("expected an operator or the end")),
    });
    parsed.map_err(|fault| format!("formula: character {}: {}", fault.at, fault.problem))?;
    Ok(parser.steps)
}

struct Fault {
    at: usize,
    problem: String,
}

struct Parser<'a> {
    names: &'a Names<'a>,
    /// What is not read yet, and which character it begins with.
    rest: &'a str,
    at: usize,
    steps: Vec<Step>,
    nested: usize,
}

impl<'a> Parser<'a> {
    /// A value and every operator of at least this level that follows it.
    fn expression(&mut self, level: u8) -> Result<(), Fault> {
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err(Fault { at: self.at, problem: format!("nested deeper than {MOST_NESTED} levels") });
        }
        self.value()?;
        let mut compared = false;
        while let Some((binds, math)) = self.operator().filter(|(binds, _)| *binds >= level) {
            if *binds == COMPARE && std::mem::replace(&mut compared, true) {
                return Err(self.fault("expected one comparison"));
            }
            let at = self.take(math.name.len()).1;
            self.expression(if *binds == POWER { POWER } else { binds + 1 })?;
            self.step(Does::Apply(math, 2), at);
        }
        self.nested -= 1;
        Ok(())
    }

    /// A number, a name, a call, a sign with what it belongs to, or something in parentheses.
    fn value(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some('0'..='9' | '.') => {
                let (text, at) = self.take(number(self.rest));
                let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
                let problem = || Fault { at, problem: format!("`{text}` is no number of 64-bit floating point") };
                self.step(Does::Push(value.ok_or_else(problem)?), at);
                Ok(())
            }
            Some('-') => {
                let at = self.take(1).1;
                self.expression(POWER)?;
                self.step(Does::Apply(&NEGATE, 1), at);
                Ok(())
            }
            Some('(') => {
                self.take(1);
                self.expression(COMPARE)?;
                self.expect(')')
            }
            Some('a'..='z' | 'A'..='Z' | '_') => {
                let (name, at) = self.take(run(self.rest, |byte| byte.is_ascii_alphanumeric() || byte == b'_'));
                let does = if self.peek() == Some('(') { self.call(name, at)? } else { Some(self.named(name, at)?) };
                if let Some(does) = does {
                    self.step(does, at);
                }
                Ok(())
            }
            _ => Err(self.fault("expected a value")),
        }
    }

    fn named(&self, name: &str, at: usize) -> Result<Does, Fault> {
        let Names { function, constants, functions } = self.names;
        if let Some(position) = function.takes.iter().position(|parameter| parameter.name == name) {
            return Ok(Does::Load(position));
        }
        let constant = constants.iter().find(|constant| constant.name == name).map(|constant| constant.value);
        if let Some(value) = constant.or((name == "pi").then_some(std::f64::consts::PI)) {
            return Ok(Does::Push(value));
        }
        let problem = if math::is_reserved(name) || functions.contains_key(name) {
            format!("`{name}` is a function: expected `{name}(…)`")
        } else {
            let takes: Vec<String> = function.takes.iter().map(|parameter| format!("`{}`", parameter.name)).collect();
            let takes = if takes.is_empty() { "none".to_owned() } else { takes.join(", ") };
            format!("there is no `{name}`; parameters: {takes}")
        };
        Err(Fault { at, problem })
    }

    /// A call, whose values come before it; `None` for `if`, which is nothing but jumps.
    fn call(&mut self, name: &str, at: usize) -> Result<Option<Does>, Fault> {
        self.take(1);
        if name == "if" {
            return self.choice(at).map(|()| None);
        }
        let values = self.values()?;
        let (does, (least, most)) = match (math::function(name), self.names.functions.get(name)) {
            (Some(math), _) => (Does::Apply(math, values), math.takes()),
            (None, Some((callee, function))) => (Does::Call(*callee, values), (function.least(), function.takes.len())),
            (None, None) => return Err(Fault { at, problem: format!("there is no function `{name}`") }),
        };
        if values < least || values > most {
            let problem = format!("`{name}` takes {}, found {values}", counted(least, most));
            return Err(Fault { at, problem });
        }
        Ok(Some(does))
    }

    /// The values of a call up to its `)`; how many.
    fn values(&mut self) -> Result<usize, Fault> {
        let mut count = 0;
        while self.peek() != Some(')') {
            if count > 0 {
                self.expect(',')?;
            }
            self.expression(COMPARE)?;
            count += 1;
        }
        self.expect(')')?;
        Ok(count)
    }

    /// `if(condition, then, else)`, of which only one side is computed.
    fn choice(&mut self, at: usize) -> Result<(), Fault> {
        self.expression(COMPARE)?;
        self.expect(',')?;
        let no = self.step(Does::JumpIfZero(0), at);
        self.expression(COMPARE)?;
        self.expect(',')?;
        let end = self.step(Does::Jump(0), at);
        self.land(no);
        self.expression(COMPARE)?;
        self.expect(')')?;
        self.land(end);
        Ok(())
    }

    /// Adds a step; its position.
    fn step(&mut self, does: Does, at: usize) -> usize {
        self.steps.push(Step { does, at });
        self.steps.len() - 1
    }

    /// Lets a jump end where the next step will be.
    fn land(&mut self, jump: usize) {
        let here = self.steps.len();
        if let Some(Step { does: Does::Jump(to) | Does::JumpIfZero(to), .. }) = self.steps.get_mut(jump) {
            *to = here;
        }
    }

    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        let spaces = self.rest.len() - self.rest.trim_start().len();
        self.take(spaces);
        self.rest.chars().next()
    }

    fn operator(&mut self) -> Option<&'static (u8, Math)> {
        self.peek()?;
        OPERATORS.iter().find(|(_, math)| self.rest.starts_with(math.name))
    }

    /// Reads so many bytes; them, and at which character they begin.
    fn take(&mut self, bytes: usize) -> (&'a str, usize) {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        let at = self.at;
        (self.rest, self.at) = (rest, at + taken.chars().count());
        (taken, at)
    }

    fn expect(&mut self, mark: char) -> Result<(), Fault> {
        if self.peek() != Some(mark) {
            return Err(self.fault(&format!("expected `{mark}`")));
        }
        self.take(mark.len_utf8());
        Ok(())
    }

    fn fault(&mut self, expected: &str) -> Fault {
        let found = self.peek().map_or("the end".to_owned(), |found| format!("`{}`", found.escape_debug()));
        Fault { at: self.at, problem: format!("{expected}, found {found}") }
    }
}

fn counted(least: usize, most: usize) -> String {
    match (least, most) {
        (least, usize::MAX) => format!("{least} values or more"),
        (1, 1) => "1 value".to_owned(),
        (least, most) if least == most => format!("{least} values"),
        (least, most) => format!("{least} to {most} values"),
    }
}

/// How many bytes at the start belong together, all of them ASCII.
fn run(text: &str, belongs: fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| belongs(*byte)).count()
}

/// The bytes of `12`, `1.5`, `6.02e23` or `1e-3`.
fn number(text: &str) -> usize {
    let digits = run(text, |byte| byte.is_ascii_digit() || byte == b'.');
    let power = text.get(digits..).and_then(|rest| rest.strip_prefix(['e', 'E'])).unwrap_or_default();
    let unsigned = power.strip_prefix(['-', '+']).unwrap_or(power);
    match run(unsigned, |byte| byte.is_ascii_digit()) {
        0 => digits,
        count => digits + 1 + (power.len() - unsigned.len()) + count,
    }
}
