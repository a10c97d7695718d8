//! What earlier processes found out is asked of the disk before a component is asked again.
//!
//! In comes a cache, a key and the way to find out, out comes the value. A cache is a convenience: whatever goes wrong
//! with it ends in finding out anew.

use std::future::Future;
use std::sync::Arc;

/// A folder of values by key. It blocks on the disk.
pub(super) trait Cache: Send + Sync + 'static {
    /// What a value depends on: all of it.
    type Key: Copy + Send + 'static;
    /// What was found out.
    type Value: Clone + Send + 'static;

    /// The value stored under a key, if there is a good one.
    fn get(&self, key: &Self::Key) -> Option<Self::Value>;

    /// Stores a value. Failing to is no error.
    fn put(&self, key: &Self::Key, value: &Self::Value);
}

/// The value of a key: the cache's, else what `find_out` gives, which is kept.
///
/// # Errors
/// Those of `find_out`.
pub(super) async fn recall<C: Cache, E>(
    cache: Option<Arc<C>>,
    key: C::Key,
    find_out: impl Future<Output = Result<C::Value, E>>,
) -> Result<C::Value, E> {
    let Some(cache) = cache else { return find_out.await };
    let reader = Arc::clone(&cache);
    // A task that panicked counts as a miss; there is nothing to clean up after it.
    if let Ok(Some(known)) = tokio::task::spawn_blocking(move || reader.get(&key)).await {
        return Ok(known);
    }
    let value = find_out.await?;
    let kept = value.clone();
    // Nobody waits for the disk: the value is there already.
    drop(tokio::task::spawn_blocking(move || cache.put(&key, &kept)));
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    #[derive(Default)]
    struct InMemory(Mutex<BTreeMap<u8, String>>);

    impl Cache for InMemory {
        type Key = u8;
        type Value = String;

        fn get(&self, key: &u8) -> Option<String> {
            self.0.lock().unwrap().get(key).cloned()
        }

        fn put(&self, key: &u8, value: &String) {
            self.0.lock().unwrap().insert(*key, value.clone());
        }
    }

    #[tokio::test]
    async fn what_is_known_is_not_found_out_again_and_a_failure_is_not_kept() {
        let cache = Arc::new(InMemory::default());
        let ask = |answer: Result<&'static str, &'static str>| {
            recall(Some(Arc::clone(&cache)), 1, async move { answer.map(str::to_owned) })
        };
        assert_eq!(ask(Err("no")).await.unwrap_err(), "no");
        assert_eq!(ask(Ok("first")).await.unwrap(), "first");
        // Stored behind the caller's back, so it may take a moment.
        while cache.get(&1).is_none() {
            tokio::task::yield_now().await;
        }
        assert_eq!(ask(Err("asked again")).await.unwrap(), "first");
        assert_eq!(recall(None::<Arc<InMemory>>, 1, async { Ok::<_, ()>("new".to_owned()) }).await.unwrap(), "new");
    }
}
