//! Searches the assignment with the fewest expected blocking pairs.

// A swap of two workers' tasks changes two rows of one side's table and two columns of the other's, so
// its effect costs four products of vectors of length n instead of one over n^2 pairs.

use sim_core::Stream;

/// The probability that each ranker prefers one item to another, for both sides.
// The probability that (w, t) blocks is the product of both sides' probabilities: given the
// known orders the two sides' rankings are independent.
#[derive(Debug)]
pub(super) struct Odds {
    // Single precision: 96 samples give no more than two digits, and for 128 workers each table
    // takes 8 MB as it is.
    n: usize,
    /// Entry `(w n + held) n + t`: worker w prefers t to the task it holds.
    worker: Vec<f32>,
    /// Entry `(t n + held) n + w`: task t prefers w to the worker it has.
    task: Vec<f32>,
}

/// An assignment during descent. Both tables are kept by row and by column, so that every vector of a
/// swap is contiguous in memory.
struct Current {
    task_of: Vec<u16>,
    /// P(w prefers t to its task), by worker and by task.
    wish: Vec<f32>,
    wish_by_task: Vec<f32>,
    /// P(t prefers w to its worker), by worker and by task.
    fit: Vec<f32>,
    fit_by_task: Vec<f32>,
}

#[expect(
    clippy::indexing_slicing,
    reason = "workers and tasks are below n, tables have n^2 or n^3 entries"
)]
impl Odds {
    /// From probabilities, laid out as the tables above.
    pub(super) fn new(n: usize, worker: Vec<f32>, task: Vec<f32>) -> Self {
        Self { n, worker, task }
    }

    fn wishes(&self, worker: usize, held: usize) -> &[f32] {
        let from = (worker * self.n + held) * self.n;
        &self.worker[from..from + self.n]
    }

    fn fits(&self, task: usize, held: usize) -> &[f32] {
        let from = (task * self.n + held) * self.n;
        &self.task[from..from + self.n]
    }

    fn start(&self, task_of: &[u16]) -> Current {
        let n = self.n;
        let mut current = Current {
            task_of: task_of.to_vec(),
            wish: vec![0.0; n * n],
            wish_by_task: vec![0.0; n * n],
            fit: vec![0.0; n * n],
            fit_by_task: vec![0.0; n * n],
        };
        for (w, &t) in task_of.iter().enumerate() {
            self.place(&mut current, w, t);
        }
        current
    }

    /// Writes the tables for worker `w` holding task `t`.
    fn place(&self, current: &mut Current, w: usize, task: u16) {
        let n = self.n;
        let t = usize::from(task);
        current.task_of[w] = task;
        current.wish[w * n..(w + 1) * n].copy_from_slice(self.wishes(w, t));
        current.fit_by_task[t * n..(t + 1) * n].copy_from_slice(self.fits(t, w));
        for other in 0..n {
            current.wish_by_task[other * n + w] = current.wish[w * n + other];
            current.fit[other * n + t] = current.fit_by_task[t * n + other];
        }
    }

    /// Expected blocking pairs.
    fn total(current: &Current) -> f32 {
        dot(&current.wish, &current.fit)
    }

    /// Change of the expectation when workers `a` and `b` swap tasks.
    fn change(&self, current: &Current, a: usize, b: usize) -> f32 {
        let n = self.n;
        let (s, t) = (
            usize::from(current.task_of[a]),
            usize::from(current.task_of[b]),
        );
        let row = |i: usize| i * n..(i + 1) * n;
        let wish = |w: usize| &current.wish[row(w)];
        let fit = |w: usize| &current.fit[row(w)];
        let wish_at = |task: usize| &current.wish_by_task[row(task)];
        let fit_at = |task: usize| &current.fit_by_task[row(task)];
        // New rows of wishes for a (now with t) and b (now with s), new columns of fits for t
        // (now with a) and s (now with b).
        let (wish_a, wish_b) = (self.wishes(a, t), self.wishes(b, s));
        let (fit_t, fit_s) = (self.fits(t, a), self.fits(s, b));
        let mut change = difference(wish_a, wish(a), fit(a)) + difference(wish_b, wish(b), fit(b));
        change +=
            difference(fit_t, fit_at(t), wish_at(t)) + difference(fit_s, fit_at(s), wish_at(s));
        // The four cells where both factors change.
        for (w, new_wish) in [(a, wish_a), (b, wish_b)] {
            for (task, new_fit) in [(t, fit_t), (s, fit_s)] {
                let old_wish = current.wish[w * n + task];
                let old_fit = current.fit[w * n + task];
                change += (new_wish[task] - old_wish) * (new_fit[w] - old_fit);
            }
        }
        change
    }

    /// The local optimum that swaps reach, and its expected blocking pairs.
    pub(super) fn descend(&self, task_of: &[u16], draws: &mut Stream) -> (f32, Vec<u16>) {
        let n = self.n;
        let mut current = self.start(task_of);
        let mut order: Vec<usize> = (0..n).collect();
        draws.shuffle(&mut order);
        // A pass tries every pair of workers; a pass without a swap ends the descent. Rounding could
        // in theory let swaps alternate, hence the limit and the threshold of 1e-4.
        for _ in 0..50 {
            let mut moved = false;
            for i in 0..n {
                for j in i + 1..n {
                    let (a, b) = (order[i], order[j]);
                    if self.change(&current, a, b) < -1e-4 {
                        self.swap(&mut current, a, b);
                        moved = true;
                    }
                }
            }
            if !moved {
                break;
            }
        }
        (Self::total(&current), current.task_of)
    }

    fn swap(&self, current: &mut Current, a: usize, b: usize) {
        let (s, t) = (current.task_of[a], current.task_of[b]);
        self.place(current, a, t);
        self.place(current, b, s);
    }

    /// The best assignment one swap away from `task_of` that is not in `seen`, with its expected
    /// blocking pairs; `None` when all are.
    pub(super) fn best_unseen_neighbour(
        &self,
        task_of: &[u16],
        seen: impl Fn(&[u16]) -> bool,
    ) -> Option<(f32, Vec<u16>)> {
        let current = self.start(task_of);
        let base = Self::total(&current);
        let mut all: Vec<(f32, usize, usize)> = (0..self.n)
            .flat_map(|a| (a + 1..self.n).map(move |b| (a, b)))
            .map(|(a, b)| (self.change(&current, a, b), a, b))
            .collect();
        // Sorted, and not only the minimum: the best neighbours may have been submitted before.
        all.sort_by(|x, y| x.0.total_cmp(&y.0));
        all.into_iter().find_map(|(change, a, b)| {
            let mut next = task_of.to_vec();
            next.swap(a, b);
            (!seen(&next)).then_some((base + change, next))
        })
    }

    /// Expected blocking pairs of an assignment.
    #[cfg(test)]
    pub(super) fn expected(&self, task_of: &[u16]) -> f32 {
        Self::total(&self.start(task_of))
    }
}

/// Sum of products, in eight independent sums: the compiler may not reorder float additions, so one sum
/// alone could not be vectorised.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a8, a_rest), (b8, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0_f32; 8];
    for (x, y) in a8.iter().zip(b8) {
        for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}

/// Sum of `(new - old) * weight`, in eight independent sums as in [`dot`].
fn difference(new: &[f32], old: &[f32], weight: &[f32]) -> f32 {
    let (n8, n_rest) = new.as_chunks::<8>();
    let (o8, o_rest) = old.as_chunks::<8>();
    let (w8, w_rest) = weight.as_chunks::<8>();
    let mut sums = [0.0_f32; 8];
    for ((n, o), w) in n8.iter().zip(o8).zip(w8) {
        for (((sum, n), o), w) in sums.iter_mut().zip(n).zip(o).zip(w) {
            *sum += (n - o) * w;
        }
    }
    let rest = n_rest.iter().zip(o_rest).zip(w_rest);
    sums.iter().sum::<f32>() + rest.map(|((n, o), w)| (n - o) * w).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::Seed;

    fn random_odds(n: usize, draws: &mut Stream) -> Odds {
        let mut share = || f32::from(u8::try_from(draws.below(97)).unwrap()) / 96.0;
        let mut table = || -> Vec<f32> { (0..n * n * n).map(|_| share()).collect() };
        let (worker, task) = (table(), table());
        Odds::new(n, worker, task)
    }

    /// The change of a swap is the difference of the two expectations, and descent ends where no
    /// swap helps.
    #[test]
    fn changes_are_differences() {
        let mut draws = Seed(5).stream("test", 0);
        let mut compared = 0;
        for n in [2, 5, 9, 11] {
            let odds = random_odds(n, &mut draws);
            let mut task_of: Vec<u16> = (0_u16..).take(n).collect();
            draws.shuffle(&mut task_of);
            let current = odds.start(&task_of);
            for a in 0..n {
                for b in a + 1..n {
                    let mut swapped = task_of.clone();
                    swapped.swap(a, b);
                    let want = odds.expected(&swapped) - odds.expected(&task_of);
                    assert!((odds.change(&current, a, b) - want).abs() < 1e-3);
                    compared += 1;
                }
            }
            let (value, best) = odds.descend(&task_of, &mut draws);
            assert!((odds.expected(&best) - value).abs() < 1e-3);
            let next = odds.best_unseen_neighbour(&best, |_| false).unwrap();
            assert!(next.0 >= value - 2e-3);
        }
        assert!(compared > 90);
    }
}
