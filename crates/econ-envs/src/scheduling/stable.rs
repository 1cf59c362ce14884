//! Stable matchings by deferred acceptance, from either side.

use super::preferences::{Preferences, inverse};
use std::collections::VecDeque;

/// The stable matching that is best for every worker at once (workers propose):
/// `worker_optimal(..)[w]` is the task of worker `w`.
///
/// # Complexity
/// At most n^2 proposals.
///
/// # Source
/// Gale and Shapley (1962).
#[must_use]
pub fn worker_optimal(preferences: &Preferences) -> Vec<u16> {
    propose(&preferences.workers, &preferences.tasks)
}

/// The stable matching that is best for every task at once (tasks propose), again as the task of
/// each worker.
#[must_use]
pub fn task_optimal(preferences: &Preferences) -> Vec<u16> {
    inverse(&propose(&preferences.tasks, &preferences.workers))
}

/// Deferred acceptance: the partner of each proposer.
///
/// # Shape
/// Both sides hold n rankings of n; the result has length n.
#[must_use]
#[expect(
    clippy::indexing_slicing,
    reason = "rankings are permutations of 0..n, so every index is below n"
)]
pub fn propose(proposers: &[Vec<u16>], receivers: &[Vec<u16>]) -> Vec<u16> {
    let n = proposers.len();
    let mut rank = vec![0_u16; n * n];
    for (receiver, ranking) in receivers.iter().enumerate() {
        for (position, &proposer) in (0_u16..).zip(ranking) {
            rank[receiver * n + usize::from(proposer)] = position;
        }
    }
    let mut next = vec![0_usize; n];
    let mut held: Vec<Option<u16>> = vec![None; n];
    let mut free: VecDeque<u16> = (0_u16..).take(n).collect();
    while let Some(proposer) = free.pop_front() {
        let p = usize::from(proposer);
        let Some(&receiver) = proposers[p].get(next[p]) else {
            continue;
        };
        next[p] += 1;
        let r = usize::from(receiver);
        match held[r] {
            None => held[r] = Some(proposer),
            Some(current)
                if rank[r * n + usize::from(proposer)] < rank[r * n + usize::from(current)] =>
            {
                held[r] = Some(proposer);
                free.push_back(current);
            }
            Some(_) => free.push_back(proposer),
        }
    }
    inverse(
        &held
            .into_iter()
            .map(Option::unwrap_or_default)
            .collect::<Vec<_>>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everybody's first wishes are crossed, so each side can have its way.
    #[test]
    fn each_side_gets_its_best() {
        let preferences = Preferences {
            workers: vec![vec![0, 1], vec![1, 0]],
            tasks: vec![vec![1, 0], vec![0, 1]],
        };
        assert_eq!(worker_optimal(&preferences), [0, 1]);
        assert_eq!(task_optimal(&preferences), [1, 0]);
    }
}
