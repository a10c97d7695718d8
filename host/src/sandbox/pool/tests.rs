//! The pool alone: no guest is needed to show what becomes of its jobs.

use super::*;
use std::sync::mpsc;
use std::time::Duration;

/// Occupies a worker until the sender is dropped; returns when the job runs.
fn occupy(pool: &Arc<Pool>, lane: Lane) -> (mpsc::Sender<()>, tokio::task::JoinHandle<Result<(), Error>>) {
    let (release, held) = mpsc::channel::<()>();
    let (started, running) = mpsc::channel();
    let pool = pool.clone();
    let task = tokio::spawn(async move {
        let job = move |_: &Abandoned| {
            started.send(()).unwrap();
            let _ = held.recv();
        };
        pool.run(lane, &Cancel::new(), job).await
    });
    running.recv_timeout(Duration::from_secs(10)).unwrap();
    (release, task)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_job_never_takes_the_last_worker() {
    let pool = Arc::new(Pool::new(2));
    let (release, first) = occupy(&pool, Lane::Long);
    let waiting = tokio::spawn({
        let pool = pool.clone();
        async move { pool.run(Lane::Long, &Cancel::new(), |_| "long").await }
    });
    for number in 0..10 {
        assert_eq!(pool.run(Lane::Short, &Cancel::new(), move |_| number).await, Ok(number));
    }
    assert!(!waiting.is_finished());
    drop(release);
    first.await.unwrap().unwrap();
    assert_eq!(waiting.await.unwrap(), Ok("long"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_cancelled_in_the_queue_never_runs_and_its_caller_does_not_wait() {
    let pool = Arc::new(Pool::new(2));
    let (release, first) = occupy(&pool, Lane::Long);
    let (cancel, ran) = (Cancel::new(), Arc::new(AtomicBool::new(false)));
    let queued = tokio::spawn({
        let (pool, cancel, ran) = (pool.clone(), cancel.clone(), ran.clone());
        async move { pool.run(Lane::Long, &cancel, move |_| ran.store(true, Ordering::SeqCst)).await }
    });
    tokio::task::yield_now().await;
    cancel.cancel();
    assert_eq!(queued.await.unwrap(), Err(Error::Cancelled), "while the worker is still taken");
    drop(release);
    first.await.unwrap().unwrap();
    // A later long job has gone through the same queue.
    pool.run(Lane::Long, &Cancel::new(), |_| ()).await.unwrap();
    assert!(!ran.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_dropped_future_abandons_its_job() {
    let pool = Arc::new(Pool::new(2));
    let (told, heard) = mpsc::channel();
    let cancel = Cancel::new();
    let job = move |abandoned: &Abandoned| {
        while !abandoned.is_set() {
            std::thread::sleep(Duration::from_millis(1));
        }
        told.send(()).unwrap();
    };
    let dropped = tokio::time::timeout(Duration::from_millis(20), pool.run(Lane::Short, &cancel, job)).await;
    assert!(dropped.is_err());
    heard.recv_timeout(Duration::from_secs(10)).expect("the job saw that nobody waits");
}

#[tokio::test]
async fn a_panic_in_a_job_neither_kills_the_worker_nor_hangs_the_caller() {
    let pool = Pool::new(2);
    for _ in 0..5 {
        let error = pool.run(Lane::Short, &Cancel::new(), |_| -> () { panic!("on purpose") }).await.unwrap_err();
        assert_eq!(error.code(), "sandbox::host");
        assert!(error.to_string().contains("on purpose"), "{error}");
    }
    assert_eq!(pool.run(Lane::Short, &Cancel::new(), |_| 7).await, Ok(7));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_pool_answers_whoever_still_waits() {
    let pool = Arc::new(Pool::new(2));
    let (release, first) = occupy(&pool, Lane::Long);
    first.abort();
    let _ = first.await;
    let shared = pool.shared.clone();
    drop(pool);
    assert!(shared.lock().closed);
    drop(release);
}
