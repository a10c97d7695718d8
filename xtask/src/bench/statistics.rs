//! Samples of one measurement, and what is said of them.

use std::time::Duration;

/// At least one measured time, sorted.
#[derive(Debug, Clone)]
pub(super) struct Samples(Vec<Duration>);

impl Samples {
    /// `None` without a single sample.
    pub(super) fn new(mut times: Vec<Duration>) -> Option<Self> {
        times.sort_unstable();
        (!times.is_empty()).then_some(Self(times))
    }

    /// The middle one; the upper of two middle ones.
    pub(super) fn median(&self) -> Duration {
        self.at(50)
    }

    /// 95 of 100 are at most this.
    pub(super) fn p95(&self) -> Duration {
        self.at(95)
    }

    pub(super) fn worst(&self) -> Duration {
        self.0.last().copied().unwrap_or_default()
    }

    fn at(&self, percent: usize) -> Duration {
        let index = (self.0.len() * percent / 100).min(self.0.len().saturating_sub(1));
        self.0.get(index).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_percentile_do_not_depend_on_the_order() {
        let times = [5, 1, 4, 2, 3, 100].map(Duration::from_millis).to_vec();
        let samples = Samples::new(times).expect("six samples");
        assert_eq!(samples.median(), Duration::from_millis(4));
        assert_eq!((samples.p95(), samples.worst()), (Duration::from_millis(100), Duration::from_millis(100)));
        assert!(Samples::new(Vec::new()).is_none());
    }
}
