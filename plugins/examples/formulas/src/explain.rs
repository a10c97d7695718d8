//! Says what to do about a failure of the engine.
//!
//! A formula is its arguments and nothing else: the same call fails again, and a changed one may not.

use crate::run::code;
use abi_mcp_sdk::{Class, Explanation, Failure, Retry};

/// Explains a failure by its code; `None` for one that is none of ours, or whose own words say it all.
pub(crate) fn explain(failure: &Failure) -> Option<Explanation> {
    let Failure::Guest(guest) = failure else { return None };
    let (retry, hint) = match guest.kind.as_str() {
        code::DIVISION_BY_ZERO => (Retry::AfterChange, "choose arguments for which the divisor is not 0"),
        code::OUTSIDE_DOMAIN => (Retry::AfterChange, "choose arguments for which it is defined"),
        code::TOO_LARGE => (Retry::AfterChange, "choose arguments whose result stays below 1.8e308"),
        code::OUT_OF_BOUNDS => (Retry::AfterChange, "choose arguments for which the inner function's bounds hold"),
        code::TOO_MANY_STEPS => (Retry::No, "the sheet's author can make its functions call each other less often"),
        _ => return None,
    };
    Some(Explanation { message: guest.message.clone()?, class: Class::Application, retry, hint: Some(hint.to_owned()) })
}
