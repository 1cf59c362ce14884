//! A policy that learns both sides' preferences from the shown pairs.

// Every shown pair is one strict order of each side, and few orders are known for most of a run. So the
// policy does not search the rankings that agree with the orders; it draws 96 samples of them and
// minimises the expected number of blocking pairs over the samples.

use super::beliefs::{Beliefs, WIDEST};
use super::search::Odds;
use super::{last_feedback, not_suited, random_matching};
use crate::scheduling::action::Action;
use crate::scheduling::env::Scheduling;
use crate::scheduling::generate::ordered_bits;
use crate::scheduling::observation::Observation;
use crate::scheduling::preferences::inverse;
use crate::scheduling::stable::propose;
use sim_core::{ConfigError, Policy, Seed, Stream};

/// Rounds of Gibbs sampling before the first sample of a period.
// On the authors' HARD markets 32 samples scored 99.09 % in trials of the method, 96 samples after
// 80 rounds 99.81 %.
const SWEEPS: usize = 80;
/// Samples a period.
const SAMPLES: u8 = 96;
/// A descent starts from a stable assignment of every fourth sample.
// Chosen, not measured: with every sample the descents would take nearly four times as long.
const START_EVERY: u8 = 4;

/// Posterior sampling over the preferences of both sides.
///
/// A shown pair says that its worker prefers the task to its own task, and that its task prefers the
/// worker to its own worker. The model takes ranking noise as normal and public scores as normal with
/// an unknown spread. Gibbs sampling under all known orders gives samples of all rankings; the samples
/// give the probability that a ranker prefers one item to another; swap descent from several starts
/// gives the assignment with the fewest expected blocking pairs. When an assignment was shown with
/// fewer pairs than the maximum, these are all its blocking pairs: every other pair does not block it,
/// which gives further orders.
///
/// # Source
/// Own; the model is the probit form of the public scores of appendix D.1. Normal noise replaces the
/// exponential one because its conditional distributions, which Gibbs sampling needs, are simple.
///
/// Its draws in a period depend on the seed and the number of the period; what it learned
/// is kept in the policy, so a run must be played from its start.
#[derive(Debug)]
pub struct Learning {
    n: u16,
    seed: Seed,
    workers: Beliefs,
    tasks: Beliefs,
    /// Submitted assignments with the pairs that were shown.
    past: Vec<Submitted>,
    /// Largest number of pairs shown for one assignment.
    most_shown: usize,
}

#[derive(Debug)]
struct Submitted {
    task_of: Vec<u16>,
    worker_of: Vec<u16>,
    shown: Vec<(u16, u16)>,
}

impl Learning {
    /// A policy for `n` workers.
    ///
    /// # Errors
    /// When there are more than 128 workers: its tables grow with the cube of their number.
    pub fn new(n: u16, seed: Seed) -> Result<Self, ConfigError> {
        let size = usize::from(n);
        if size > WIDEST {
            return Err(not_suited(format!(
                "policy `learning` plays up to {WIDEST} workers, not `{n}`"
            )));
        }
        Ok(Self {
            n,
            seed,
            workers: Beliefs::new(size),
            tasks: Beliefs::new(size),
            past: Vec::new(),
            most_shown: 0,
        })
    }

    fn record(&mut self, task_of: &[u16], shown: &[(u16, u16)]) {
        let worker_of = inverse(task_of);
        for &(w, t) in shown {
            let own = task_of.get(usize::from(w)).copied().unwrap_or(t);
            let holder = worker_of.get(usize::from(t)).copied().unwrap_or(w);
            self.workers.learn(w, t, own);
            self.tasks.learn(t, w, holder);
        }
        self.most_shown = self.most_shown.max(shown.len());
        // A repeated assignment is shown the same pairs, which are known.
        if self.past.iter().all(|p| p.task_of != task_of) {
            let shown = shown.to_vec();
            self.past.push(Submitted {
                task_of: task_of.to_vec(),
                worker_of,
                shown,
            });
        }
        self.exclude();
    }

    /// Submitted assignments whose blocking pairs were all shown.
    fn revealed(&self) -> impl Iterator<Item = &Submitted> {
        // An observation does not tell how many pairs the rules show. The largest number seen is at
        // most that, so fewer pairs than it are all that there are.
        self.past.iter().filter(|p| p.shown.len() < self.most_shown)
    }

    /// Adds the orders that follow with certainty from pairs that do not block: when one side is known
    /// to prefer the pair, the other side does not. New orders may imply further ones, hence the loop.
    fn exclude(&mut self) {
        loop {
            let mut new = Vec::new();
            for past in self.revealed() {
                for (w, &own) in (0_u16..).zip(&past.task_of) {
                    for (t, &holder) in (0_u16..).zip(&past.worker_of) {
                        if t == own || past.shown.contains(&(w, t)) {
                            continue;
                        }
                        let wish = self.workers.knows(w, t, own);
                        let fit = self.tasks.knows(t, w, holder);
                        if wish && !self.tasks.knows(t, holder, w) {
                            new.push((false, t, holder, w));
                        } else if fit && !self.workers.knows(w, own, t) {
                            new.push((true, w, own, t));
                        }
                    }
                }
            }
            let mut learned = false;
            for (worker, ranker, item, other) in new {
                let side = if worker {
                    &mut self.workers
                } else {
                    &mut self.tasks
                };
                learned |= side.learn(ranker, item, other);
            }
            if !learned {
                return;
            }
        }
    }

    /// Makes a sample agree with the pairs that do not block.
    ///
    /// Such a pair says "not both", which Gibbs sampling of one value at a time handles badly. So
    /// samples ignore these pairs at first, and a violated one is repaired here by lowering the item of a
    /// side that is not known to prefer it (a random side when neither is).
    #[expect(
        clippy::indexing_slicing,
        reason = "all indices are below n, tables have n * n"
    )]
    fn exclude_in(&self, workers: &mut [f64], tasks: &mut [f64], draws: &mut Stream) {
        let n = usize::from(self.n);
        for past in self.revealed() {
            for (w, &own) in (0_u16..).zip(&past.task_of) {
                let row = usize::from(w) * n;
                let bar = workers[row + usize::from(own)];
                for t in 0..self.n {
                    if workers[row + usize::from(t)] <= bar || past.shown.contains(&(w, t)) {
                        continue;
                    }
                    let holder = past.worker_of[usize::from(t)];
                    let at = usize::from(t) * n;
                    if tasks[at + usize::from(w)] <= tasks[at + usize::from(holder)] {
                        continue;
                    }
                    let wish = self.workers.knows(w, t, own);
                    let fit = self.tasks.knows(t, w, holder);
                    if !wish && (fit || draws.chance(0.5)) {
                        self.workers.push_below(workers, w, t, own);
                    } else if !fit {
                        self.tasks.push_below(tasks, t, w, holder);
                    }
                }
            }
        }
    }

    /// Samples both sides and searches the best assignment. Returns its expected blocking pairs, the
    /// assignment and the probabilities.
    fn best(&mut self, draws: &mut Stream) -> (f32, Vec<u16>, Odds) {
        let n = usize::from(self.n);
        for _ in 0..SWEEPS {
            self.workers.sweep(draws);
            self.tasks.sweep(draws);
        }
        let (mut workers, mut tasks) = (vec![0.0; n * n], vec![0.0; n * n]);
        let (mut worker_mean, mut task_mean) = (vec![0.0; n * n], vec![0.0; n * n]);
        let filled = n * n * stride(n);
        let (mut worker_count, mut task_count) = (vec![0; filled], vec![0; filled]);
        // Descent ends in the nearest local optimum, so it starts from many sides: stable
        // assignments of samples, those of the mean values from either side, and the last proposal.
        let mut starts = Vec::new();
        for sample in 0..SAMPLES {
            self.workers.sweep(draws);
            self.tasks.sweep(draws);
            self.workers.sample_into(&mut workers, draws);
            self.tasks.sample_into(&mut tasks, draws);
            self.exclude_in(&mut workers, &mut tasks, draws);
            let (worker_ranking, task_ranking) = (rankings(n, &workers), rankings(n, &tasks));
            count(n, &worker_ranking, &mut worker_count);
            count(n, &task_ranking, &mut task_count);
            for (mean, value) in worker_mean.iter_mut().zip(&workers) {
                *mean += value;
            }
            for (mean, value) in task_mean.iter_mut().zip(&tasks) {
                *mean += value;
            }
            if sample % START_EVERY == 0 {
                starts.push(propose(&worker_ranking, &task_ranking));
            }
        }
        let (worker_ranking, task_ranking) = (rankings(n, &worker_mean), rankings(n, &task_mean));
        starts.push(propose(&worker_ranking, &task_ranking));
        starts.push(inverse(&propose(&task_ranking, &worker_ranking)));
        starts.extend(self.past.last().map(|p| p.task_of.clone()));
        let odds = Odds::new(
            n,
            shares(n, &worker_count, &self.workers),
            shares(n, &task_count, &self.tasks),
        );
        let best = starts
            .iter()
            .map(|start| odds.descend(start, draws))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or_else(|| (f32::INFINITY, random_matching(self.n, draws)));
        (best.0, best.1, odds)
    }
}

impl Policy<Scheduling> for Learning {
    fn act(&mut self, observation: &Observation) -> Action {
        let mut draws = self.seed.stream("learning", u64::from(observation.attempt));
        if let Some((task_of, feedback)) = last_feedback(observation) {
            let (task_of, shown) = (task_of.to_vec(), feedback.problems.clone());
            self.record(&task_of, &shown);
        }
        if self.past.is_empty() {
            return Action::new(random_matching(observation.workers, &mut draws));
        }
        let (mut expected, mut task_of, odds) = self.best(&mut draws);
        let seen = |candidate: &[u16]| self.past.iter().any(|p| p.task_of == candidate);
        // A stable assignment would have ended the run, so a repeated one cannot be stable.
        if seen(&task_of)
            && let Some(next) = odds.best_unseen_neighbour(&task_of, seen)
        {
            (expected, task_of) = next;
        }
        // The last assignment is the score. A revealed one has a number of pairs that is certain,
        // so it also wins where the search expects as many.
        if observation.final_attempt
            && let Some(best) = self.revealed().min_by_key(|p| p.shown.len())
            && best.shown.len() as f32 <= expected
        {
            task_of.clone_from(&best.task_of);
        }
        Action::new(task_of)
    }
}

/// The rankings given by a table of values, best first.
fn rankings(n: usize, values: &[f64]) -> Vec<Vec<u16>> {
    let mut keys = Vec::with_capacity(n);
    values
        .chunks_exact(n)
        .map(|row| {
            keys.clear();
            keys.extend(
                row.iter()
                    .zip(0_u64..)
                    .map(|(&value, item)| sortable(value) | item),
            );
            keys.sort_unstable();
            keys.iter().map(|key| (key & ITEM) as u16).collect()
        })
        .collect()
}

/// Low bits of a sort key that hold the item: enough for [`WIDEST`] items. They replace the last digits
/// of the value, which are noise in a sample; sorting words is faster than sorting pairs.
const ITEM: u64 = 127;

/// Bits with the order of the values, largest first; the low bits are free for the item.
fn sortable(value: f64) -> u64 {
    !ordered_bits(value) & !ITEM
}

/// Length of a row of counts for `n` items: a multiple of 16, so that the inner loop of [`count`] runs
/// over whole vector registers.
fn stride(n: usize) -> usize {
    n.next_multiple_of(16)
}

/// For every ranker, held item and other item: adds 1 when the other item is preferred. Ranks are bytes,
/// so that one vector instruction compares sixteen or more of them.
fn count(n: usize, rankings: &[Vec<u16>], counts: &mut [u8]) {
    let width = stride(n);
    let mut rank = vec![u8::MAX; width];
    for (ranking, block) in rankings.iter().zip(counts.chunks_exact_mut(n * width)) {
        for (position, &item) in (0_u8..).zip(ranking) {
            if let Some(slot) = rank.get_mut(usize::from(item)) {
                *slot = position;
            }
        }
        for (&held, row) in rank.iter().zip(block.chunks_exact_mut(width)) {
            for (slots, others) in row.chunks_exact_mut(16).zip(rank.chunks_exact(16)) {
                for (slot, &other) in slots.iter_mut().zip(others) {
                    // A byte counts all samples, of which there are fewer than 256.
                    *slot = slot.wrapping_add(u8::from(other < held));
                }
            }
        }
    }
}

/// The probabilities estimated by the counts. An unknown order never has probability 0 or 1: half an
/// observation is added to either side.
fn shares(n: usize, counts: &[u8], beliefs: &Beliefs) -> Vec<f32> {
    let each = 1.0 / (f32::from(SAMPLES) + 2.0 * DOUBT);
    let mut shares = Vec::with_capacity(n * n * n);
    for (ranker, block) in (0_u16..).zip(counts.chunks_exact(n * stride(n))) {
        for (held, row) in (0_u16..).zip(block.chunks_exact(stride(n))) {
            for (other, &count) in (0_u16..).zip(row.iter().take(n)) {
                shares.push(if beliefs.knows(ranker, other, held) {
                    1.0
                } else if other == held || beliefs.knows(ranker, held, other) {
                    0.0
                } else {
                    (f32::from(count) + DOUBT) * each
                });
            }
        }
    }
    shares
}

/// Observations added to either side of an unknown order.
const DOUBT: f32 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rankings_follow_the_values() {
        let values = [0.5, -1.0, 2.0, 0.25, -0.0, 1e-300, -3.0, 7.0, 0.125];
        let ranked = rankings(3, &values);
        assert_eq!(ranked, [[2, 0, 1], [0, 2, 1], [1, 2, 0]]);
        let mut counts = vec![0; 3 * 3 * stride(3)];
        count(3, &ranked, &mut counts);
        // Ranker 0: with item 0 held only item 2 is better, with item 1 held both others are.
        assert_eq!(
            counts
                .chunks(stride(3))
                .map(|row| &row[..3])
                .take(3)
                .collect::<Vec<_>>(),
            [[0, 0, 1], [1, 0, 1], [0, 0, 0]]
        );
        // Known orders are certain, others never are.
        let mut beliefs = Beliefs::new(3);
        beliefs.learn(0, 0, 1);
        let shares = shares(3, &counts, &beliefs);
        assert_eq!((shares[1], shares[3]), (0.0, 1.0));
        assert!(shares[2] > 0.0 && shares[2] < 1.0);
    }
}
