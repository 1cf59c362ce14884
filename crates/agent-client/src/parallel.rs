//! Runs many pieces of work concurrently, with their results in order.

use std::collections::BTreeMap;
use std::future::Future;
use tokio::task::JoinSet;

/// Runs pieces of work, at most `at_once` (at least 1) at a time, and passes each result to `done`
/// in the order of `work`, independent of the order in which they finish.
///
/// The next piece is taken from `work` only when it can start, so an iterator that ends early stops
/// the run after the pieces in progress. A panic in a piece is passed on to the caller.
///
/// Results that finish early wait in memory, so a slow first piece holds back all later results.
///
/// # Example
/// ```
/// use agent_client::parallel::in_order;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut seen = Vec::new();
/// let work = (0..4).map(|n| async move { n * n });
/// in_order(work, 2, |index, result| seen.push((index, result))).await;
/// assert_eq!(seen, [(0, 0), (1, 1), (2, 4), (3, 9)]);
/// # }
/// ```
pub async fn in_order<F>(
    work: impl IntoIterator<Item = F>,
    at_once: usize,
    mut done: impl FnMut(usize, F::Output),
) where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let mut work = work.into_iter().enumerate();
    let mut running = JoinSet::new();
    // Early results wait here and not in the pieces, so that a slow piece does not keep others from starting.
    let mut finished = BTreeMap::new();
    let mut next = 0;
    loop {
        while running.len() < at_once.max(1) {
            let Some((index, piece)) = work.next() else {
                break;
            };
            // Spawned and not polled together: pieces parse large replies, which would otherwise all happen on one thread.
            running.spawn(async move { (index, piece.await) });
        }
        let Some(result) = running.join_next().await else {
            return;
        };
        match result {
            Ok((index, output)) => finished.insert(index, output),
            Err(e) if e.is_panic() => std::panic::resume_unwind(e.into_panic()),
            // Only this function could cancel a piece, and it does not.
            Err(_) => None,
        };
        while let Some(output) = finished.remove(&next) {
            done(next, output);
            next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test(start_paused = true)]
    async fn results_come_in_order_and_not_too_many_at_once() {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let work = (0..50_u64).map(|n| {
            let (now, most) = (Arc::clone(&now), Arc::clone(&most));
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                // Later pieces finish sooner.
                tokio::time::sleep(std::time::Duration::from_millis(1 + (97 * n) % 31)).await;
                now.fetch_sub(1, Ordering::SeqCst);
                n
            }
        });
        let mut seen = Vec::new();
        in_order(work, 7, |index, n| {
            assert_eq!(index as u64, n);
            seen.push(n);
        })
        .await;
        assert_eq!(seen, (0..50).collect::<Vec<_>>());
        assert_eq!(most.load(Ordering::SeqCst), 7);
    }
}
