//! Known orders and a posterior distribution for the rankings of one side.

use super::normal::{inverse_gamma, nearly, truncated};
use sim_core::Stream;

/// Largest number of items: the sets of items have one bit each in a 128-bit word.
pub(super) const WIDEST: usize = 128;

/// The rankings of `n` rankers over `n` items, of which some orders are known.
// Model: ranker a values item j at `score[j] + noise`, with standard normal noise and normal scores
// with mean 0 and an unknown spread. Values of items that no known order mentions are integrated out
// and drawn for whole samples only: they say nothing about the scores, and most items are of this
// kind early in a run.
#[derive(Debug, Clone)]
pub(super) struct Beliefs {
    n: usize,
    /// Current value of item j for ranker a, at `a * n + j`; unused for items that are not mentioned.
    value: Vec<f64>,
    /// Items mentioned by the orders of each ranker.
    mentioned: Vec<Vec<u16>>,
    /// Direct orders: items known to be better and worse than item j for ranker a.
    better: Vec<Vec<u16>>,
    worse: Vec<Vec<u16>>,
    /// All items that are worse by the transitive closure of the orders, as a set.
    all_worse: Vec<u128>,
    score: Vec<f64>,
    spread: f64,
}

#[expect(
    clippy::indexing_slicing,
    reason = "rankers and items are below n, all tables have n or n * n entries"
)]
impl Beliefs {
    pub(super) fn new(n: usize) -> Self {
        Self {
            n,
            value: vec![0.0; n * n],
            mentioned: vec![Vec::new(); n],
            better: vec![Vec::new(); n * n],
            worse: vec![Vec::new(); n * n],
            all_worse: vec![0; n * n],
            score: vec![0.0; n],
            spread: 1.0,
        }
    }

    /// Whether the known orders imply that `ranker` prefers `item` to `other`.
    pub(super) fn knows(&self, ranker: u16, item: u16, other: u16) -> bool {
        self.all_worse[usize::from(ranker) * self.n + usize::from(item)] >> other & 1 == 1
    }

    /// Adds that `ranker` prefers `item` to `other`. False when that, or its opposite, was known.
    pub(super) fn learn(&mut self, ranker: u16, item: u16, other: u16) -> bool {
        if item == other || self.knows(ranker, item, other) || self.knows(ranker, other, item) {
            return false;
        }
        let row = usize::from(ranker) * self.n;
        for one in [item, other] {
            if !self.mentioned[usize::from(ranker)].contains(&one) {
                self.mentioned[usize::from(ranker)].push(one);
                // Its mean given the scores; `lift` makes it agree with the orders, and the next
                // round draws it.
                self.value[row + usize::from(one)] = self.score[usize::from(one)];
            }
        }
        self.better[row + usize::from(other)].push(item);
        self.worse[row + usize::from(item)].push(other);
        // Keeps the closure: everything at or above `item` is above `other` and all below it.
        let gained = self.all_worse[row + usize::from(other)] | 1 << other;
        for j in 0..self.n {
            if j == usize::from(item) || self.all_worse[row + j] >> item & 1 == 1 {
                self.all_worse[row + j] |= gained;
            }
        }
        self.lift(row, usize::from(item), self.value[row + usize::from(other)]);
        true
    }

    /// Raises an item above `floor`, then the items that must stay above it, so that the current values
    /// agree with the orders: Gibbs sampling needs a valid start.
    fn lift(&mut self, row: usize, item: usize, floor: f64) {
        if self.value[row + item] > floor {
            return;
        }
        // Any gap will do, as the value is drawn anew between its neighbours.
        self.value[row + item] = floor + 1e-6;
        for at in 0..self.better[row + item].len() {
            let above = usize::from(self.better[row + item][at]);
            self.lift(row, above, floor + 1e-6);
        }
    }

    /// One round of Gibbs sampling: every mentioned value, the scores, their spread. Each is drawn from
    /// its distribution given all others: a truncated normal between its neighbours in the known orders,
    /// a normal, and an inverse gamma.
    pub(super) fn sweep(&mut self, draws: &mut Stream) {
        let n = self.n;
        let mut sum = vec![0.0; n];
        let mut count = vec![0.0; n];
        for ranker in 0..n {
            let row = ranker * n;
            for &item in &self.mentioned[ranker] {
                let j = usize::from(item);
                let at = |&other: &u16| self.value[row + usize::from(other)];
                let low = self.worse[row + j]
                    .iter()
                    .map(at)
                    .fold(f64::NEG_INFINITY, f64::max);
                let high = self.better[row + j]
                    .iter()
                    .map(at)
                    .fold(f64::INFINITY, f64::min);
                let drawn = truncated(self.score[j], low, high, draws);
                self.value[row + j] = drawn;
                sum[j] += drawn;
                count[j] += 1.0;
            }
        }
        let (mut squares, mut seen) = (0.0, 0.0);
        for ((score, &sum), &count) in self.score.iter_mut().zip(&sum).zip(&count) {
            let variance = 1.0 / (count + 1.0 / self.spread);
            *score = sum * variance + draws.normal() * variance.sqrt();
            // A score without data is a draw from its own prior: counted, it would hold the spread
            // where it is.
            if count > 0.0 {
                squares += *score * *score;
                seen += 1.0;
            }
        }
        // A weak prior (shape 1, scale 0.1), because the spread has no typical size: with identical
        // priorities it has to run beyond 100, a hundred times the variance of the noise.
        self.spread = inverse_gamma(1.0 + 0.5 * seen, 0.1 + 0.5 * squares, draws);
    }

    /// A whole sample: the current values of mentioned items, new draws for all others.
    pub(super) fn sample_into(&self, values: &mut [f64], draws: &mut Stream) {
        for ((row, out), mentioned) in self
            .value
            .chunks_exact(self.n)
            .zip(values.chunks_exact_mut(self.n))
            .zip(&self.mentioned)
        {
            for (slot, score) in out.iter_mut().zip(&self.score) {
                *slot = score + nearly(draws);
            }
            for &item in mentioned {
                out[usize::from(item)] = row[usize::from(item)];
            }
        }
    }

    /// Moves `item` below `other` in a sample, together with all items that are known to be worse than
    /// `item`. The opposite order must not be known.
    pub(super) fn push_below(&self, values: &mut [f64], ranker: u16, item: u16, other: u16) {
        let row = usize::from(ranker) * self.n;
        // As close as possible, so that the item changes places with as few others as possible.
        let limit = values[row + usize::from(other)] - 1e-9;
        values[row + usize::from(item)] = limit;
        let mut left = self.all_worse[row + usize::from(item)];
        while left != 0 {
            let j = left.trailing_zeros() as usize;
            left &= left - 1;
            let slot = &mut values[row + j];
            *slot = slot.min(limit - 1e-9);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::Seed;

    #[test]
    fn orders_are_closed_and_kept_by_every_sweep() {
        let mut beliefs = Beliefs::new(4);
        assert!(beliefs.learn(0, 1, 2));
        assert!(beliefs.learn(0, 3, 1));
        assert!(beliefs.knows(0, 3, 2));
        assert!(!beliefs.learn(0, 3, 2));
        assert!(!beliefs.knows(1, 3, 2));
        let mut draws = Seed(3).stream("test", 0);
        let mut values = vec![0.0; 16];
        for _ in 0..200 {
            beliefs.sweep(&mut draws);
            beliefs.sample_into(&mut values, &mut draws);
            assert!(values[3] > values[1] && values[1] > values[2]);
        }
        beliefs.push_below(&mut values, 0, 3, 0);
        assert!(values[0] > values[3] && values[3] > values[1] && values[1] > values[2]);
    }

    /// One ranking shared by all: after all neighbouring orders from every ranker the scores have this
    /// order and their spread is far above the noise.
    #[test]
    fn a_common_ranking_is_found() {
        let mut beliefs = Beliefs::new(8);
        for ranker in 0..8 {
            for item in 0..7 {
                beliefs.learn(ranker, item, item + 1);
            }
        }
        let mut draws = Seed(4).stream("test", 0);
        for _ in 0..600 {
            beliefs.sweep(&mut draws);
        }
        assert!(
            beliefs.score.windows(2).all(|pair| pair[0] > pair[1]),
            "{:?}",
            beliefs.score
        );
        assert!(beliefs.spread > 4.0, "{}", beliefs.spread);
    }
}
