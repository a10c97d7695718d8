//! Runs one function of a sheet.
//!
//! In come a call-spec's bytes and the arguments of one call, out comes a number, or why there is none: which
//! part failed, which argument is to blame, and which character of which formula. Steps are counted, because functions
//! that call each other twice take twice as long at each turn.

use crate::formula::Does;
use crate::link::{Linked, link};
use crate::math::Undefined;
use crate::parameter::{Parameter, plain};
use crate::sheet::{Function, Sheet};
use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{CallFailure, Fault, Stage};

/// Most steps of one call; well under a second.
const MOST_STEPS: usize = 1_000_000;

/// Codes of failures, which the error decoder knows.
pub(crate) mod code {
    pub(crate) const ARGUMENT: &str = "ARGUMENT";
    pub(crate) const DIVISION_BY_ZERO: &str = "DIVISION_BY_ZERO";
    pub(crate) const OUTSIDE_DOMAIN: &str = "OUTSIDE_DOMAIN";
    pub(crate) const TOO_LARGE: &str = "TOO_LARGE";
    pub(crate) const OUT_OF_BOUNDS: &str = "OUT_OF_BOUNDS";
    pub(crate) const TOO_MANY_STEPS: &str = "TOO_MANY_STEPS";
}

/// Why a call-spec cannot be run; `None` when it can.
pub(crate) fn unsupported(call_spec: &[u8]) -> Option<String> {
    match read(call_spec) {
        Ok(sheet) => functions(&sheet).err(),
        Err(reason) => Some(reason),
    }
}

/// Runs the last function of a call-spec.
pub(crate) fn run(call_spec: &[u8], arguments: &Value) -> Result<Value, CallFailure> {
    let unsupported = |reason| CallFailure::at(Stage::Execution, reason);
    let sheet = read(call_spec).map_err(unsupported)?;
    let functions = functions(&sheet).map_err(unsupported)?;
    let (last, Linked { function, .. }) = functions.iter().enumerate().next_back().ok_or_else(broken)?;
    let values = function.takes.iter().map(|parameter| take(parameter, arguments)).collect::<Result<_, _>>()?;
    Machine { functions: &functions, left: MOST_STEPS }.call(last, values).map(plain)
}

fn read(call_spec: &[u8]) -> Result<Sheet, String> {
    Sheet::read(call_spec).map_err(|fault| match fault {
        Fault::NotRecognised(problem) | Fault::TooLarge(problem) => problem,
        Fault::Malformed { at, problem } => format!("{at}: {problem}"),
    })
}

/// The functions of a call-spec, in which nothing may be wrong.
fn functions(sheet: &Sheet) -> Result<Vec<Linked<'_>>, String> {
    let named = sheet.entries.iter().zip(link(sheet));
    let functions: Vec<_> = named
        .map(|(entry, linked)| linked.map_err(|reason| format!("`{}`: {reason}", entry.label)))
        .collect::<Result<_, _>>()?;
    if functions.is_empty() { Err("there is no function in it".to_owned()) } else { Ok(functions) }
}

fn take(parameter: &Parameter, arguments: &Value) -> Result<f64, CallFailure> {
    let value = match arguments.get(&parameter.name) {
        Some(value) => parameter.take(value),
        None => parameter.default.ok_or_else(|| "is missing".to_owned()),
    };
    value.map_err(|problem| CallFailure::argument(&parameter.name, problem).code(code::ARGUMENT))
}

struct Machine<'a> {
    functions: &'a [Linked<'a>],
    left: usize,
}

impl Machine<'_> {
    /// Runs a function on values for all its parameters. Goes no deeper than functions reach each other.
    fn call(&mut self, position: usize, values: Vec<f64>) -> Result<f64, CallFailure> {
        let Linked { function, steps, .. } = self.functions.get(position).ok_or_else(broken)?;
        let (mut stack, mut next) = (Vec::new(), 0);
        while let Some(step) = steps.get(next) {
            self.left = self.left.checked_sub(1).ok_or_else(|| {
                CallFailure::at(Stage::Execution, format!("takes more than {MOST_STEPS} steps"))
                    .code(code::TOO_MANY_STEPS)
            })?;
            next += 1;
            match step.does {
                Does::Push(value) => stack.push(value),
                Does::Load(parameter) => stack.push(values.get(parameter).copied().ok_or_else(broken)?),
                Does::Apply(math, count) => {
                    let from = stack.len().checked_sub(count).ok_or_else(broken)?;
                    let result = math.apply(stack.get(from..).unwrap_or_default());
                    stack.truncate(from);
                    stack.push(result.map_err(|why| undefined(why, math.name, function, step.at))?);
                }
                Does::Call(callee, count) => {
                    let from = stack.len().checked_sub(count).ok_or_else(broken)?;
                    let given = self.given(callee, &stack.split_off(from), function, step.at)?;
                    stack.push(self.call(callee, given)?);
                }
                Does::Jump(to) => next = to,
                Does::JumpIfZero(to) => {
                    if stack.pop().ok_or_else(broken)? == 0.0 {
                        next = to;
                    }
                }
            }
        }
        stack.pop().ok_or_else(broken)
    }

    /// What one function hands to another: within its bounds, and what is left out as it is by default.
    fn given(&self, callee: usize, values: &[f64], caller: &Function, at: usize) -> Result<Vec<f64>, CallFailure> {
        let function = self.functions.get(callee).ok_or_else(broken)?.function;
        let given = function.takes.iter().enumerate().map(|(index, parameter)| {
            let value = values.get(index).copied().or(parameter.default).ok_or_else(broken)?;
            parameter.fits(value).map_err(|problem| {
                let what = format!("`{}` of `{}`: {problem}", parameter.name, function.name);
                failed(code::OUT_OF_BOUNDS, &what, caller, at)
            })
        });
        given.collect()
    }
}

fn undefined(why: Undefined, math: &str, function: &Function, at: usize) -> CallFailure {
    match why {
        Undefined::DivisionByZero => failed(code::DIVISION_BY_ZERO, "division by zero", function, at),
        Undefined::OutsideDomain => failed(code::OUTSIDE_DOMAIN, &format!("`{math}` has no value there"), function, at),
        Undefined::TooLarge => failed(code::TOO_LARGE, &format!("the result of `{math}` is too large"), function, at),
    }
}

fn failed(code: &str, what: &str, function: &Function, at: usize) -> CallFailure {
    let message = format!("{what}, in `{}` at character {at} of `{}`", function.name, function.formula);
    CallFailure::at(Stage::Execution, message).code(code)
}

/// Compiled formulas never come here.
fn broken() -> CallFailure {
    CallFailure::at(Stage::Execution, "the formula's steps do not fit together")
}
