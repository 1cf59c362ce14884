//! Which of the blocking pairs an agent is shown.

use super::blocking::{BlockingPairs, Pair};
use sim_core::Seed;

/// Chooses the pairs; keeps its working memory, so that a batch chooses without allocating.
#[derive(Debug, Clone, Default)]
pub(super) struct Chooser {
    /// Places that no longer hold their own number, sorted by place.
    moved: Vec<(usize, usize)>,
    drawn: Vec<usize>,
}

impl Chooser {
    /// Writes the pairs shown after attempt `attempt` to `shown`: all `count` of them, by worker
    /// and task, if there are at most `most`, else `most` drawn without replacement, in random
    /// order.
    pub(super) fn choose(
        &mut self,
        (blocking, count): (&BlockingPairs, usize),
        most: usize,
        (feedback_seed, attempt): (Seed, u32),
        shown: &mut Vec<Pair>,
    ) {
        if count <= most {
            return blocking.list_into(shown);
        }
        shown.clear();
        let mut draws = feedback_seed.stream("problems", u64::from(attempt));
        let drawn = self.draw_distinct(count, most, |below| draws.index(below));
        blocking.pick(drawn, shown);
    }

    /// `k` distinct numbers below `n` (all `n` if there are fewer), each set and each order equally
    /// likely: the first `k` places of a shuffle that touches only those places.
    fn draw_distinct(
        &mut self,
        n: usize,
        k: usize,
        mut below: impl FnMut(usize) -> usize,
    ) -> &[usize] {
        let Self { moved, drawn } = self;
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
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_is_without_replacement_and_even() {
        let mut draws = Seed(5).stream("test", 0);
        let mut chooser = Chooser::default();
        let mut counts = [0_u32; 7];
        for _ in 0..7000 {
            let drawn = chooser.draw_distinct(7, 3, |below| draws.index(below));
            for &d in drawn {
                counts[d] += 1;
            }
            let mut drawn = drawn.to_vec();
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), 3);
        }
        // 3000 each, standard deviation 41.
        assert!(
            counts.iter().all(|&c| (2800..3200).contains(&c)),
            "{counts:?}"
        );
        assert_eq!(chooser.draw_distinct(2, 5, |_| 0).len(), 2);
    }
}
