//! The complete rankings of both sides.

use super::config::MAX_SIZE;
use serde::{Deserialize, Serialize};
use sim_core::ConfigError;

/// The strict rankings of both sides, most preferred first, by 0-based index.
///
/// Worker 0 is shown to an agent as `W1`, task 0 as `T1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Preferences {
    /// `workers[w]` lists all tasks, the one that worker `w` prefers first.
    pub workers: Vec<Vec<u16>>,
    /// `tasks[t]` lists all workers, the one best suited to task `t` first.
    pub tasks: Vec<Vec<u16>>,
}

impl Preferences {
    /// Number of workers, which is the number of tasks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.workers.len()
    }

    /// Checks that both sides have the same size and every ranking names each agent of the other
    /// side exactly once.
    ///
    /// # Errors
    /// Names the place of the first ranking at fault.
    ///
    /// 2 to 1,000 agents per side.
    pub fn check(&self) -> Result<(), ConfigError> {
        let n = self.workers.len();
        if !(2..=usize::from(MAX_SIZE)).contains(&n) {
            return Err(ConfigError::new(
                "workers",
                format!("`{n}` rankings; there must be 2 to {}", MAX_SIZE),
            ));
        }
        if self.tasks.len() != n {
            return Err(ConfigError::new(
                "tasks",
                format!(
                    "`{}` rankings; there must be {n}, one for each task",
                    self.tasks.len()
                ),
            ));
        }
        for (side, rankings) in [("workers", &self.workers), ("tasks", &self.tasks)] {
            for (agent, ranking) in rankings.iter().enumerate() {
                // Both sides must rank everybody: deferred acceptance and the bit sets rely on
                // complete lists.
                if !is_permutation(ranking, n) {
                    return Err(ConfigError::new(
                        format!("{side}.{agent}"),
                        format!("must hold each of 0 to {} exactly once", n - 1),
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Whether `items` holds each of `0..n` exactly once.
///
/// ```
/// use econ_envs::scheduling::preferences::is_permutation;
///
/// assert!(is_permutation(&[2, 0, 1], 3));
/// assert!(!is_permutation(&[2, 0, 2], 3));
/// assert!(!is_permutation(&[0, 1], 3));
/// ```
#[must_use]
pub fn is_permutation(items: &[u16], n: usize) -> bool {
    // Up to 64 items fit into one word, which needs no allocation: this check runs in every step.
    if n <= 64 {
        let below = |&item: &u16| usize::from(item) < n;
        let seen = items.iter().filter(|item| below(item));
        let seen = seen.fold(0_u64, |seen, item| seen | 1 << (item % 64));
        return items.len() == n && seen.count_ones() as usize == n;
    }
    let mut seen = vec![false; n];
    items.len() == n
        && items.iter().all(|&item| {
            seen.get_mut(usize::from(item))
                .is_some_and(|slot| !std::mem::replace(slot, true))
        })
}

/// The inverse permutation: `inverse(task_of)[t]` is the worker of task `t`.
///
/// # Shape
/// `matching` is a permutation of `0..n`.
#[must_use]
pub(crate) fn inverse(matching: &[u16]) -> Vec<u16> {
    let mut other = vec![0_u16; matching.len()];
    for (agent, &partner) in (0_u16..).zip(matching) {
        if let Some(slot) = other.get_mut(usize::from(partner)) {
            *slot = agent;
        }
    }
    other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_told_from_others() {
        assert!(is_permutation(&[2, 0, 1], 3));
        assert!(!is_permutation(&[2, 0, 2], 3));
        assert!(!is_permutation(&[0, 1, 3], 3));
        assert!(!is_permutation(&[0, 1], 3));
        assert!(!is_permutation(&[64, 1], 2));
        let mut many: Vec<u16> = (0..70).rev().collect();
        assert!(is_permutation(&many, 70));
        many[3] = 70;
        assert!(!is_permutation(&many, 70));
        assert_eq!(inverse(&[2, 0, 1]), [1, 2, 0]);
    }

    #[test]
    fn check_names_the_ranking_at_fault() {
        let good = Preferences {
            workers: vec![vec![0, 1]; 2],
            tasks: vec![vec![1, 0]; 2],
        };
        assert!(good.check().is_ok());
        let mut bad = good.clone();
        bad.tasks[1] = vec![1, 1];
        assert_eq!(
            bad.check().unwrap_err().to_string(),
            "tasks.1: must hold each of 0 to 1 exactly once"
        );
        bad.tasks.pop();
        assert_eq!(bad.check().unwrap_err().place, "tasks");
    }
}
