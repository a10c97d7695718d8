//! The lines of `plugin check`, and whether all of them are good.

use crate::cli::inspect::shown;
use std::fmt;

/// What was checked so far.
#[derive(Debug, Default)]
pub(super) struct Report {
    bad: usize,
    good: usize,
}

impl Report {
    /// Something is as it must be.
    pub(super) fn ok(&mut self, what: impl fmt::Display) {
        self.good += 1;
        println!("ok    {}", shown(&what.to_string()));
    }

    /// Something is not, and what its author can do about it. Both are one line whatever the component put into them.
    pub(super) fn bad(&mut self, what: impl fmt::Display, next: impl fmt::Display) {
        self.bad += 1;
        println!("BAD   {}\n      next: {next}", shown(&what.to_string()));
    }

    /// `ok` where nothing went wrong since `before`.
    pub(super) fn ok_since(&mut self, before: usize, what: impl fmt::Display) {
        if self.bad == before {
            self.ok(what);
        }
    }

    /// How much is bad so far.
    pub(super) fn count(&self) -> usize {
        self.bad
    }

    /// The last line. Answers whether all is good.
    pub(super) fn finish(&self) -> bool {
        match self.bad {
            0 => println!("all {} checks are ok", self.good),
            bad => println!("{bad} of {} checks are BAD", bad + self.good),
        }
        self.bad == 0
    }
}
