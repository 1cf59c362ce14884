//! Plays instances with the policies of an environment, on all cores.

use anyhow::{Context, Result, anyhow};
use sim_core::testkit::play_typed;
use sim_core::{Environment as _, EnvironmentSpec, Score, Seed};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// One episode of `instance` played by `policy`.
pub(crate) fn play<F: EnvironmentSpec>(
    family: &F,
    instance: &Arc<F::Instance>,
    policy: &str,
    seed: Seed,
) -> Result<Score> {
    let end = play_typed(family, instance, policy, seed).map_err(|e| anyhow!(e))?;
    end.score().context("the score is not finite")
}

/// Applies `work` to every item, with as many threads as there are cores; the results are in the
/// order of the items.
///
/// # Errors
/// The first error in that order.
pub(crate) fn on_all_cores<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let mut found: Vec<(usize, Result<R>)> = thread::scope(|scope| {
        let worker = || {
            let mut done = Vec::new();
            while let Some((index, item)) = {
                let index = next.fetch_add(1, Ordering::Relaxed);
                items.get(index).map(|item| (index, item))
            } {
                done.push((index, work(item)));
            }
            done
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        handles
            .into_iter()
            .flat_map(|handle| handle.join().unwrap_or_default())
            .collect()
    });
    found.sort_by_key(|(index, _)| *index);
    if found.len() != items.len() {
        return Err(anyhow!("a thread broke off"));
    }
    found.into_iter().map(|(_, result)| result).collect()
}

/// Mean; 0 for an empty list.
pub(crate) fn mean(values: &[f64]) -> f64 {
    sim_core::stats::mean(values).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let items: Vec<usize> = (0..100).collect();
        let doubled = on_all_cores(&items, |n| Ok(n * 2)).unwrap();
        assert_eq!(doubled, (0..100).map(|n| n * 2).collect::<Vec<_>>());
        let failed = on_all_cores(&items, |n| {
            if *n == 7 {
                Err(anyhow!("seven"))
            } else {
                Ok(())
            }
        });
        assert_eq!(failed.unwrap_err().to_string(), "seven");
    }
}
