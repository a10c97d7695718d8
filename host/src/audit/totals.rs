//! How calls ended, and what those of one plugin come to.

use crate::artifact::{Cause, Plugin, PluginError, Used};
use crate::sandbox;
use serde_json::{Value, json};

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With a result.
    Ok,
    /// With an error of the application, the function or the plugin.
    Error,
    /// The plugin was stopped, or could not be run.
    Stopped(Stop),
    /// Nobody waited for it any longer.
    Cancelled,
}

/// What stopped a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It ran for longer than it may.
    Deadline,
    /// It panicked, or reached memory that is not its own.
    Trap,
    /// It wanted more memory, stack or table than it may have, or handed over too much.
    Limit,
    /// It could not be run, or broke its contract, or another plugin of the call was stopped.
    Other,
}

impl Outcome {
    /// The end of a call of `plugin` that some plugin's error ended.
    #[must_use]
    pub fn of(error: &PluginError, plugin: &Plugin) -> Self {
        if error.is_cancelled() {
            return Self::Cancelled;
        }
        match &error.cause {
            Cause::Sandbox(cause) if error.plugin == plugin.name() => Self::Stopped(Stop::of(cause)),
            _ => Self::Stopped(Stop::Other),
        }
    }

    /// The outcome in one word, as it stands in the record.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Stopped(_) => "stopped",
            Self::Cancelled => "cancelled",
        }
    }

    /// What stopped it, in one word; `None` unless something did.
    pub(super) fn stopped_by(self) -> Option<&'static str> {
        let Self::Stopped(stop) = self else { return None };
        Some(match stop {
            Stop::Deadline => "deadline",
            Stop::Trap => "trap",
            Stop::Limit => "limit",
            Stop::Other => "other",
        })
    }

    /// The outcome of these words; `None` for words of another release.
    pub(super) fn read(outcome: &str, stopped_by: Option<&str>) -> Option<Self> {
        Some(match outcome {
            "ok" => Self::Ok,
            "error" => Self::Error,
            "cancelled" => Self::Cancelled,
            "stopped" => Self::Stopped(match stopped_by {
                Some("deadline") => Stop::Deadline,
                Some("trap") => Stop::Trap,
                Some("limit") => Stop::Limit,
                _ => Stop::Other,
            }),
            _ => return None,
        })
    }
}

impl Stop {
    fn of(cause: &sandbox::Error) -> Self {
        use sandbox::Error;
        match cause {
            Error::Deadline { .. } => Self::Deadline,
            Error::Trap { .. } => Self::Trap,
            Error::Memory { .. } | Error::Table { .. } | Error::HandedOver { .. } | Error::StackOverflow { .. } => {
                Self::Limit
            }
            _ => Self::Other,
        }
    }
}

/// What the calls of one plugin come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// All calls, however they ended.
    pub calls: u64,
    /// Those that ended with an error.
    pub errors: u64,
    /// Those that ran too long.
    pub deadlines: u64,
    /// Those that trapped.
    pub traps: u64,
    /// Those that met a limit of memory, stack, tables or answers.
    pub limits: u64,
    /// Those that were stopped by anything else, or could not be run.
    pub others: u64,
    /// Those nobody waited for any longer.
    pub cancelled: u64,
    /// How long all took together.
    pub milliseconds: u64,
    /// How long the longest took.
    pub longest: u64,
    /// Bytes of linear memory that an instance had at most.
    pub peak_memory: u64,
    /// Bytes handed to it.
    pub handed_in: u64,
    /// Bytes it answered with.
    pub handed_out: u64,
}

impl Totals {
    /// Adds one call.
    pub(super) fn add(&mut self, outcome: Outcome, milliseconds: u64, used: Used) {
        let kind = match outcome {
            Outcome::Ok => None,
            Outcome::Error => Some(&mut self.errors),
            Outcome::Cancelled => Some(&mut self.cancelled),
            Outcome::Stopped(Stop::Deadline) => Some(&mut self.deadlines),
            Outcome::Stopped(Stop::Trap) => Some(&mut self.traps),
            Outcome::Stopped(Stop::Limit) => Some(&mut self.limits),
            Outcome::Stopped(Stop::Other) => Some(&mut self.others),
        };
        if let Some(count) = kind {
            *count += 1;
        }
        self.calls += 1;
        self.longest = self.longest.max(milliseconds);
        self.peak_memory = self.peak_memory.max(used.peak_memory);
        // A record can be written by anybody, and its numbers be any.
        self.milliseconds = self.milliseconds.saturating_add(milliseconds);
        self.handed_in = self.handed_in.saturating_add(used.handed_in);
        self.handed_out = self.handed_out.saturating_add(used.handed_out);
    }

    /// As it stands in the record.
    pub(super) fn json(&self) -> Value {
        let Self { calls, errors, deadlines, traps, limits, others, cancelled, .. } = self;
        json!({
            "calls": calls,
            "errors": errors,
            "stopped": deadlines + traps + limits + others,
            "deadlines": deadlines,
            "traps": traps,
            "limits": limits,
            "cancelled": cancelled,
            "milliseconds": self.milliseconds,
            "longest_milliseconds": self.longest,
            "peak_memory": self.peak_memory,
            "handed_in": self.handed_in,
            "handed_out": self.handed_out,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_reads_back_and_one_of_another_release_is_none() {
        let stops = [Stop::Deadline, Stop::Trap, Stop::Limit, Stop::Other].map(Outcome::Stopped);
        for outcome in [Outcome::Ok, Outcome::Error, Outcome::Cancelled].into_iter().chain(stops) {
            assert_eq!(Outcome::read(outcome.word(), outcome.stopped_by()), Some(outcome));
        }
        assert_eq!(Outcome::read("stopped", None), Some(Outcome::Stopped(Stop::Other)), "an earlier release's");
        assert_eq!(Outcome::read("paused", None), None);
    }

    #[test]
    fn the_longest_and_the_largest_are_kept_and_the_rest_is_added_up() {
        let mut totals = Totals::default();
        let used = |peak_memory, handed_in| Used { peak_memory, handed_in, handed_out: u64::MAX };
        totals.add(Outcome::Ok, 30, used(2, 5));
        totals.add(Outcome::Stopped(Stop::Trap), 10, used(1, 6));
        assert_eq!((totals.calls, totals.traps, totals.errors), (2, 1, 0));
        assert_eq!((totals.milliseconds, totals.longest, totals.peak_memory), (40, 30, 2));
        assert_eq!((totals.handed_in, totals.handed_out), (11, u64::MAX), "no number of a line can overflow it");
        assert_eq!(totals.json()["stopped"], json!(1));
    }
}
