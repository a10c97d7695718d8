//! What a plugin used for one call: the most memory, and the bytes handed in and out.
//!
//! Whoever wants to know runs the call with [`Usage::measure`]; whatever the plugin of that name does within it is counted,
//! however many instances that takes, and nothing that other plugins do. The count travels with the task, as a span does:
//! nothing between the call and its guests knows of it. Guests that outlive a cancelled call are counted up to its end.

use crate::sandbox::GuestStore;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

tokio::task_local! {
    static CALL: Usage;
}

/// The account of one call of one plugin; a copy is the same account.
#[derive(Debug, Clone)]
pub struct Usage(Arc<Account>);

#[derive(Debug)]
struct Account {
    plugin: String,
    memory: AtomicU64,
    handed_in: AtomicU64,
    handed_out: AtomicU64,
}

/// What was used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Bytes of linear memory that one instance had at most.
    pub peak_memory: u64,
    /// Bytes handed to it: arguments and values as text, plans and call-specs as they are.
    pub handed_in: u64,
    /// Bytes it answered with.
    pub handed_out: u64,
}

impl Usage {
    /// An account of nothing yet.
    #[must_use]
    pub fn of(plugin: &str) -> Self {
        let (memory, handed_in, handed_out) = Default::default();
        Self(Arc::new(Account { plugin: plugin.to_owned(), memory, handed_in, handed_out }))
    }

    /// Runs a call, and counts what its plugin uses.
    pub async fn measure<T>(&self, call: impl Future<Output = T>) -> T {
        CALL.scope(self.clone(), call).await
    }

    /// What was used so far.
    #[must_use]
    pub fn used(&self) -> Used {
        let Account { memory, handed_in, handed_out, .. } = &*self.0;
        let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
        Used { peak_memory: read(memory), handed_in: read(handed_in), handed_out: read(handed_out) }
    }
}

/// Where a plugin's work is counted; nowhere outside of a measured call of it.
#[derive(Debug, Clone)]
pub(super) struct Meter(Option<Usage>);

impl Meter {
    /// The account of the call that is under way, if it is one of this plugin.
    pub(super) fn of(plugin: &str) -> Self {
        Self(CALL.try_with(Clone::clone).ok().filter(|usage| usage.0.plugin == plugin))
    }

    /// Counts what is handed to the plugin, in bytes.
    pub(super) fn handed_in(&self, bytes: usize) {
        self.add(bytes, |account| &account.handed_in);
    }

    /// Counts what it answered with, in bytes.
    pub(super) fn handed_out(&self, bytes: usize) {
        self.add(bytes, |account| &account.handed_out);
    }

    /// Counts the memory of an instance that has done its work, well or not.
    pub(super) fn saw<X: Send>(&self, store: &GuestStore<X>) {
        if let Self(Some(usage)) = self {
            usage.0.memory.fetch_max(store.peak_memory() as u64, Ordering::Relaxed);
        }
    }

    fn add(&self, bytes: usize, to: fn(&Account) -> &AtomicU64) {
        if let Self(Some(usage)) = self {
            to(&usage.0).fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::specimen::{guest, sandbox};
    use crate::artifact::{Origin, Plugin};
    use crate::model::{CallScope, Extent, PluginRelease};
    use std::borrow::Cow;

    #[tokio::test]
    async fn only_the_plugin_of_the_call_is_counted_and_only_within_it() {
        let usage = Usage::of("weather");
        Meter::of("weather").handed_in(1);
        usage
            .measure(async {
                Meter::of("weather").handed_in(20);
                Meter::of("other").handed_in(300);
                Meter::of("weather").handed_out(4_000);
            })
            .await;
        assert_eq!(usage.used(), Used { peak_memory: 0, handed_in: 20, handed_out: 4_000 });
    }

    #[tokio::test]
    async fn a_call_of_an_extension_counts_its_memory_and_the_bytes_both_ways() {
        let (origin, bytes) = (Origin::Extension(Box::default()), Cow::Owned(guest("greeter")));
        let plugin = Plugin::load("g", PluginRelease("1".to_owned()), origin, bytes, &sandbox(), None).unwrap();
        let (usage, arguments) = (Usage::of("g"), r#"{"name":"Ann"}"#);
        let scope = CallScope::default();
        let answer =
            usage.measure(plugin.call_tool("greet", arguments, Extent::Granted, &scope)).await.unwrap().answer.unwrap();
        let answered = answer.text.map_or(0, |text| text.len()) + answer.structured.map_or(0, |value| value.len());
        let Used { peak_memory, handed_in, handed_out } = usage.used();
        assert!(peak_memory >= 64 << 10 && peak_memory.is_multiple_of(64 << 10), "whole pages: {peak_memory}");
        assert_eq!((handed_in, handed_out), (arguments.len() as u64, answered as u64));
        // Whatever is not within the measured call is not counted.
        plugin.call_tool("greet", arguments, Extent::Granted, &scope).await.unwrap();
        assert_eq!(usage.used().handed_in, handed_in);
    }
}
