//! Stable matchings by deferred acceptance, from either side.
//!
//! ```
//! use econ_envs::scheduling::blocking::Kernel;
//! use econ_envs::scheduling::preferences::Preferences;
//! use econ_envs::scheduling::stable::{task_optimal, worker_optimal};
//!
//! // Opposite wishes: each side gets what it wants when it proposes.
//! let preferences = Preferences {
//!     workers: vec![vec![0, 1], vec![1, 0]],
//!     tasks: vec![vec![1, 0], vec![0, 1]],
//! };
//! assert_eq!(worker_optimal(&preferences)?, [0, 1]);
//! assert_eq!(task_optimal(&preferences)?, [1, 0]);
//! let kernel = Kernel::new(&preferences)?;
//! assert_eq!((kernel.count(&[0, 1])?, kernel.count(&[1, 0])?), (0, 0));
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use super::preferences::{Preferences, inverse};
use sim_core::ConfigError;
use std::collections::VecDeque;

/// The stable matching that is best for every worker at once (workers propose):
/// entry `w` of the result is the task of worker `w`.
///
/// # Errors
/// When [`Preferences::check`] refuses the lists.
///
/// # Complexity
/// At most n^2 proposals.
///
/// # Source
/// Gale and Shapley (1962).
pub fn worker_optimal(preferences: &Preferences) -> Result<Vec<u16>, ConfigError> {
    preferences.check()?;
    Ok(propose(&preferences.workers, &preferences.tasks))
}

/// The stable matching that is best for every task at once (tasks propose), again as the task of
/// each worker.
///
/// # Errors
/// When [`Preferences::check`] refuses the lists.
pub fn task_optimal(preferences: &Preferences) -> Result<Vec<u16>, ConfigError> {
    preferences.check()?;
    Ok(inverse(&propose(&preferences.tasks, &preferences.workers)))
}

/// Deferred acceptance: the partner of each proposer.
///
/// Proposers propose in the order of their rankings; a receiver holds the best proposal so far. The
/// result does not depend on the order in which free proposers are served, so a queue is as good as
/// any other order.
///
/// # Shape
/// Both sides hold n rankings of n; the result has length n.
#[expect(
    clippy::indexing_slicing,
    reason = "rankings are permutations of 0..n, so every index is below n"
)]
pub(super) fn propose(proposers: &[Vec<u16>], receivers: &[Vec<u16>]) -> Vec<u16> {
    let n = proposers.len();
    // Ranks instead of rankings for the receivers: comparing two proposers is then two reads instead of
    // a search.
    let mut rank = vec![0_u16; n * n];
    for (receiver, ranking) in receivers.iter().enumerate() {
        for (position, &proposer) in (0_u16..).zip(ranking) {
            rank[receiver * n + usize::from(proposer)] = position;
        }
    }
    let mut next = vec![0_usize; n];
    let mut held: Vec<Option<u16>> = vec![None; n];
    let mut free: VecDeque<u16> = (0_u16..).take(n).collect();
    // It ends: no proposer asks the same receiver twice. With complete rankings of equal
    // length everyone is matched then.
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

    /// The first choices of both sides form different matchings, so the two results differ.
    #[test]
    fn each_side_gets_its_best() {
        let preferences = Preferences {
            workers: vec![vec![0, 1], vec![1, 0]],
            tasks: vec![vec![1, 0], vec![0, 1]],
        };
        assert_eq!(worker_optimal(&preferences).unwrap(), [0, 1]);
        assert_eq!(task_optimal(&preferences).unwrap(), [1, 0]);
    }

    #[test]
    fn bad_lists_are_refused() {
        let good = Preferences {
            workers: vec![vec![0, 1]; 2],
            tasks: vec![vec![0, 1]; 2],
        };
        let mut short = good.clone();
        short.tasks[1].pop();
        let mut outside = good.clone();
        outside.workers[0][0] = 9;
        for (bad, place) in [(short, "tasks.1"), (outside, "workers.0")] {
            assert_eq!(worker_optimal(&bad).unwrap_err().place, place);
            assert_eq!(task_optimal(&bad).unwrap_err().place, place);
        }
    }
}
