//! Chooses the blocking pairs that the agent is shown.

use super::blocking::{BlockingPairs, Pair};
use super::market::Evaluator;

/// Working memory, so that a batch answers assignments without allocating.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    blocking: BlockingPairs,
    /// Positions of the virtual shuffle that no longer hold their own number, sorted by position.
    moved: Vec<(usize, usize)>,
    drawn: Vec<usize>,
}

impl Evaluator {
    /// Counts the pairs that block an assignment and writes to `shown` those that the agent is shown
    /// when it submits the assignment for the first time, in period `attempt`: all of them, by worker
    /// and task, if there are at most as many as the rules show, else that many drawn without
    /// replacement, in random order.
    pub(super) fn answer(
        &self,
        task_of: &[u16],
        attempt: u32,
        scratch: &mut Scratch,
        shown: &mut Vec<Pair>,
    ) -> u32 {
        self.kernel.blocking_into(task_of, &mut scratch.blocking);
        let count = scratch.blocking.count();
        if count <= self.shown {
            scratch.blocking.list_into(shown);
        } else {
            let mut draws = self.feedback_seed.stream("problems", u64::from(attempt));
            scratch.draw_distinct(count, self.shown, |below| draws.index(below));
            shown.clear();
            scratch.blocking.pick(&scratch.drawn, shown);
        }
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

impl Scratch {
    /// Draws `k` distinct numbers below `n` (all `n` if there are fewer) into `drawn`; each set and each
    /// order is equally likely.
    ///
    /// These are the first `k` steps of a Fisher-Yates shuffle of `0..n`. The shuffled list is not
    /// stored: only the at most `k` positions that were swapped are, because `n` can be a thousand
    /// times larger than `k`.
    fn draw_distinct(&mut self, n: usize, k: usize, mut below: impl FnMut(usize) -> usize) {
        let Self { moved, drawn, .. } = self;
        moved.clear();
        drawn.clear();
        let held = |moved: &[(usize, usize)], place: usize| {
            moved
                .binary_search_by_key(&place, |m| m.0)
                .ok()
                .and_then(|at| moved.get(at))
                .map_or(place, |m| m.1)
        };
        for place in 0..k.min(n) {
            let other = place + below(n - place);
            drawn.push(held(moved, other));
            let stays = held(moved, place);
            match moved.binary_search_by_key(&other, |m| m.0) {
                Ok(at) => {
                    if let Some(entry) = moved.get_mut(at) {
                        entry.1 = stays;
                    }
                }
                Err(at) => moved.insert(at, (other, stays)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::Seed;

    #[test]
    fn drawing_is_without_replacement_and_even() {
        let mut draws = Seed(5).stream("test", 0);
        let mut scratch = Scratch::default();
        let mut counts = [0_u32; 7];
        for _ in 0..7000 {
            scratch.draw_distinct(7, 3, |below| draws.index(below));
            let mut drawn = scratch.drawn.clone();
            for &d in &drawn {
                counts[d] += 1;
            }
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), 3);
        }
        // 3000 each, standard deviation 41.
        assert!(
            counts.iter().all(|&c| (2800..3200).contains(&c)),
            "{counts:?}"
        );
        scratch.draw_distinct(2, 5, |_| 0);
        assert_eq!(scratch.drawn.len(), 2);
    }
}
