//! Repairing what one is shown.

use super::{heard, random_matching};
use crate::scheduling::blocking::Pair;
use crate::scheduling::env::{Assignment, Observation, Scheduling};
use sim_core::{Policy, Seed, Stream};
use std::collections::BTreeSet;

/// Knuth's heuristic: match one blocking pair, and the two who are left over to each other.
///
/// An assignment that was submitted before is shown with the same pairs as before, so with few
/// pairs shown the plain rule can go round in circles for ever. Before it repeats itself this
/// player swaps the tasks of two random workers.
///
/// # Source
/// Knuth (1976), as in appendix D.3 of the paper; starts from a random assignment. The way out of
/// circles is our own.
#[derive(Debug)]
pub struct FixOnePair {
    draws: Stream,
    seen: Seen,
}

impl FixOnePair {
    /// With chance from `seed`.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        Self {
            draws: seed.stream("fix-one-pair", 0),
            seen: Seen::default(),
        }
    }
}

impl Policy<Scheduling> for FixOnePair {
    fn act(&mut self, observation: &Observation) -> Assignment {
        let Some((task_of, feedback)) = heard(observation) else {
            let start = random_matching(observation.workers, &mut self.draws);
            return self.seen.leave(start, &mut self.draws);
        };
        let mut task_of = task_of.to_vec();
        if let Some(&pair) = self.draws.pick(&feedback.problems) {
            fix(&mut task_of, pair);
        }
        self.seen.leave(task_of, &mut self.draws)
    }
}

/// Repairs every shown pair that moves nobody whom an earlier repair of the same period has moved;
/// otherwise as [`FixOnePair`].
#[derive(Debug)]
pub struct FixAllPairs {
    draws: Stream,
    seen: Seen,
}

impl FixAllPairs {
    /// With chance from `seed`.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        Self {
            draws: seed.stream("fix-all-pairs", 0),
            seen: Seen::default(),
        }
    }
}

impl Policy<Scheduling> for FixAllPairs {
    fn act(&mut self, observation: &Observation) -> Assignment {
        let Some((task_of, feedback)) = heard(observation) else {
            let start = random_matching(observation.workers, &mut self.draws);
            return self.seen.leave(start, &mut self.draws);
        };
        let mut task_of = task_of.to_vec();
        let mut pairs = feedback.problems.clone();
        self.draws.shuffle(&mut pairs);
        let mut moved: Vec<u16> = Vec::new();
        for (worker, task) in pairs {
            let holder = (0_u16..)
                .zip(&task_of)
                .find(|(_, t)| **t == task)
                .map(|(w, _)| w);
            // All tasks in question belong to these two workers.
            let Some(holder) = holder else { continue };
            if !moved.contains(&worker) && !moved.contains(&holder) {
                fix(&mut task_of, (worker, task));
                moved.extend([worker, holder]);
            }
        }
        self.seen.leave(task_of, &mut self.draws)
    }
}

/// The assignments submitted so far.
#[derive(Debug, Default)]
struct Seen {
    all: BTreeSet<Vec<u16>>,
}

impl Seen {
    /// Moves `task_of` away from what was submitted before, and remembers it.
    fn leave(&mut self, mut task_of: Vec<u16>, draws: &mut Stream) -> Assignment {
        let n = task_of.len();
        // Two workers have only two assignments, so at some point repeating is all that is left.
        for _ in 0..100 {
            if self.all.insert(task_of.clone()) {
                break;
            }
            let (a, b) = (draws.index(n), draws.index(n));
            task_of.swap(a, b);
        }
        Assignment::new(task_of)
    }
}

/// Gives `worker` the `task`; whoever had it takes the worker's old one.
fn fix(task_of: &mut [u16], (worker, task): Pair) {
    if let Some(holder) = task_of.iter().position(|&t| t == task) {
        task_of.swap(holder, usize::from(worker));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_left_over_are_matched() {
        let mut task_of = vec![0, 1, 2];
        fix(&mut task_of, (0, 2));
        assert_eq!(task_of, [2, 1, 0]);
    }
}
