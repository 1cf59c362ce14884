//! Policies that repair the blocking pairs they are shown.

use super::{last_feedback, random_matching};
use crate::scheduling::action::Action;
use crate::scheduling::blocking::Pair;
use crate::scheduling::env::Scheduling;
use crate::scheduling::observation::Observation;
use sim_core::{Policy, Seed, Stream};
use std::collections::BTreeSet;

/// Knuth's heuristic: match a blocking pair to each other, and their two partners to each other.
///
/// A repeated assignment is shown with the same pairs as before, so with few pairs shown the plain
/// rule can cycle forever. Before it repeats an assignment this policy swaps the tasks of two random
/// workers.
///
/// # Source
/// Knuth (1976), as in appendix D.3 of the paper; starts from a random assignment. Leaving
/// cycles is our own addition.
#[derive(Debug)]
pub struct FixPairs {
    draws: Stream,
    seen: Seen,
    all: bool,
}

impl FixPairs {
    /// Repairs one shown pair in a period.
    #[must_use]
    pub fn one(seed: Seed) -> Self {
        Self {
            draws: seed.stream("fix-one-pair", 0),
            seen: Seen::default(),
            all: false,
        }
    }

    /// Repairs every shown pair whose two workers no earlier repair of the same period has moved.
    #[must_use]
    pub fn all(seed: Seed) -> Self {
        Self {
            draws: seed.stream("fix-all-pairs", 0),
            all: true,
            ..Self::one(seed)
        }
    }
}

impl Policy<Scheduling> for FixPairs {
    fn act(&mut self, observation: &Observation) -> Action {
        let Some((task_of, feedback)) = last_feedback(observation) else {
            let start = random_matching(observation.workers, &mut self.draws);
            return self.seen.leave(start, &mut self.draws);
        };
        let mut task_of = task_of.to_vec();
        if self.all {
            let mut pairs = feedback.problems.clone();
            self.draws.shuffle(&mut pairs);
            fix_apart(&mut task_of, pairs);
        // Drawn, because all pairs, where all are shown, come in the order of the workers: the
        // first one would favour workers with low numbers.
        } else if let Some(&pair) = self.draws.pick(&feedback.problems) {
            fix(&mut task_of, pair);
        }
        self.seen.leave(task_of, &mut self.draws)
    }
}

/// Repairs pairs in turn. A repair changes the tasks of two workers only, so two repairs are independent
/// when they share no worker.
fn fix_apart(task_of: &mut [u16], pairs: Vec<Pair>) {
    let mut moved: Vec<u16> = Vec::new();
    for (worker, task) in pairs {
        let holder = (0_u16..).zip(task_of.iter()).find(|(_, t)| **t == task);
        let Some((holder, _)) = holder else { continue };
        if !moved.contains(&worker) && !moved.contains(&holder) {
            fix(task_of, (worker, task));
            moved.extend([worker, holder]);
        }
    }
}

/// The assignments submitted so far.
#[derive(Debug, Default)]
struct Seen {
    all: BTreeSet<Vec<u16>>,
}

impl Seen {
    /// Changes `task_of` until it was not submitted before, and remembers it.
    fn leave(&mut self, mut task_of: Vec<u16>, draws: &mut Stream) -> Action {
        let n = task_of.len();
        // Two workers have only two assignments, so the number of attempts is limited.
        for _ in 0..100 {
            if self.all.insert(task_of.clone()) {
                break;
            }
            let (a, b) = (draws.index(n), draws.index(n));
            task_of.swap(a, b);
        }
        Action::new(task_of)
    }
}

/// Gives `worker` the `task`; the worker who had it gets the old task of `worker`.
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
