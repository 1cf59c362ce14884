//! Blocking pairs: a fast kernel, and the exact expectation for a random matching.
//!
//! A pair (w, t) blocks a matching when worker w ranks t above its own task and task t ranks w above its
//! own worker.
//!
//! ```
//! use econ_envs::scheduling::blocking::Kernel;
//! use econ_envs::scheduling::preferences::Preferences;
//!
//! // Both workers prefer task 0, and both tasks prefer worker 0.
//! let preferences = Preferences {
//!     workers: vec![vec![0, 1], vec![0, 1]],
//!     tasks: vec![vec![0, 1], vec![0, 1]],
//! };
//! let kernel = Kernel::new(&preferences)?;
//! assert_eq!(kernel.blocking(&[0, 1])?.count(), 0);
//! // Worker 0 with task 1 and worker 1 with task 0: worker 0 and task 0 would both rather change.
//! assert_eq!(kernel.blocking(&[1, 0])?.list(), [(0, 0)]);
//! // One of the two matchings has one blocking pair: a half on average.
//! assert_eq!(kernel.expected_blocking(), (1, 2));
//! assert!(kernel.blocking(&[0, 0]).is_err());
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

// Up to 64 agents per side the kernel works on bit sets of one word each: the tasks that `w`
// prefers to its own, and the workers that `t` prefers to its own. Both are read from tables, one
// word per agent. The second kind is indexed by task, so it is transposed as a 64 x 64 bit matrix;
// a bitwise "and" of both then gives all blocking pairs in about 5,500 instructions. The definition
// would compare 64 x 64 pairs of ranks. Larger markets use a plain scan over rank tables.

use super::preferences::{Preferences, inverse, is_permutation};
use sim_core::ConfigError;

/// A worker and a task, 0-based.
pub type Pair = (u16, u16);

/// Largest number of agents per side for the bit kernel: the bits of a word.
const LANES: usize = 64;

/// The blocking pairs of one matching, kept as rows of bits and listed on request only: most callers
/// need the count and a few pairs.
///
/// Order of all lists: by worker, then by task.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockingPairs {
    /// Bit `t` of row `w` is set when (w, t) blocks.
    Rows(Box<[u64; LANES]>),
    /// A plain list, for markets with more than 64 agents per side.
    List(Vec<Pair>),
}

impl BlockingPairs {
    /// Number of blocking pairs.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.iter().map(|row| row.count_ones() as usize).sum(),
            Self::List(pairs) => pairs.len(),
        }
    }

    /// Whether the matching is stable.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Rows(rows) => rows.iter().all(|&row| row == 0),
            Self::List(pairs) => pairs.is_empty(),
        }
    }

    /// All pairs, by worker, then by task.
    #[must_use]
    pub fn list(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        self.list_into(&mut pairs);
        pairs
    }

    /// [`list`](Self::list) into `pairs`, whose content is replaced.
    pub fn list_into(&self, pairs: &mut Vec<Pair>) {
        pairs.clear();
        match self {
            Self::Rows(rows) => {
                // Pairs are written eight at a time, more than a row has: the next row overwrites
                // the surplus. The number of rounds is easier to predict than the end of each row.
                let counts = rows.map(|row| row.count_ones() as usize);
                let count: usize = counts.iter().sum();
                pairs.resize(count + AT_ONCE, (0, 0));
                let mut from = 0;
                for ((worker, &row), in_row) in (0_u16..).zip(rows.iter()).zip(counts) {
                    let mut left = row;
                    let slots = pairs.get_mut(from..).unwrap_or_default();
                    let rounds = slots.chunks_exact_mut(AT_ONCE);
                    for slots in rounds.take(in_row.div_ceil(AT_ONCE)) {
                        for slot in slots {
                            *slot = (worker, lowest(left));
                            // Clears the lowest bit that is set.
                            left &= left.wrapping_sub(1);
                        }
                    }
                    from += in_row;
                }
                pairs.truncate(count);
            }
            Self::List(list) => pairs.extend_from_slice(list),
        }
    }

    /// Adds the pairs at these positions of [`list`](Self::list) to `picked`, in the order of
    /// `positions`; positions past the end are skipped.
    pub fn pick(&self, positions: &[usize], picked: &mut Vec<Pair>) {
        match self {
            Self::Rows(rows) => {
                // Running counts locate the row of a position without listing the pairs before it.
                let mut ends = [0_usize; LANES];
                let mut sum = 0;
                for (end, row) in ends.iter_mut().zip(rows.iter()) {
                    sum += row.count_ones() as usize;
                    *end = sum;
                }
                picked.extend(positions.iter().filter_map(|&position| {
                    let worker = ends.partition_point(|&end| end <= position);
                    let mut bits = *rows.get(worker)?;
                    let before = worker.checked_sub(1).and_then(|above| ends.get(above));
                    for _ in 0..position - before.copied().unwrap_or(0) {
                        bits &= bits - 1;
                    }
                    let worker = u16::try_from(worker).ok()?;
                    Some((worker, lowest(bits)))
                }));
            }
            Self::List(list) => {
                picked.extend(positions.iter().filter_map(|&at| list.get(at).copied()));
            }
        }
    }
}

/// Number of pairs that a list is written by.
const AT_ONCE: usize = 8;

/// Position of the lowest bit that is set; 64 when none is.
#[inline]
fn lowest(bits: u64) -> u16 {
    #[expect(clippy::cast_possible_truncation, reason = "at most 64")]
    let position = bits.trailing_zeros() as u16;
    position
}

impl Default for BlockingPairs {
    /// No pair.
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

/// Tables derived from the preferences, from which the blocking pairs of any matching are computed.
///
/// Making it takes n^2 steps, so keep it for all matchings of a market.
#[derive(Debug, Clone)]
pub struct Kernel {
    n: usize,
    tables: Tables,
    /// See [`Kernel::expected_blocking`].
    expected: (u64, u64),
}

#[derive(Debug, Clone)]
enum Tables {
    Bits {
        /// Entry `w * n + t`: the tasks that worker `w` prefers to task `t`.
        above_worker: Vec<u64>,
        /// Entry `t * n + w`: the workers that task `t` prefers to worker `w`.
        above_task: Vec<u64>,
    },
    Ranks(RankTables),
}

impl Kernel {
    /// Checks `preferences` and prepares their tables.
    ///
    /// # Errors
    /// When [`Preferences::check`] refuses them.
    ///
    /// # Complexity
    /// n^2 steps; 16 n^2 bytes up to 64 agents per side (39 KiB for 50), 4 n^2 bytes beyond.
    pub fn new(preferences: &Preferences) -> Result<Self, ConfigError> {
        preferences.check()?;
        Ok(Self::of_checked(preferences))
    }

    /// Prepares the tables of preferences that [`Preferences::check`] accepts.
    pub(super) fn of_checked(preferences: &Preferences) -> Self {
        let n = preferences.size();
        let ranks = RankTables::of_checked(preferences);
        Self {
            n,
            expected: ranks.expected_blocking(),
            tables: if n <= LANES {
                Tables::Bits {
                    above_worker: prefix_sets(&preferences.workers),
                    above_task: prefix_sets(&preferences.tasks),
                }
            } else {
                Tables::Ranks(ranks)
            },
        }
    }

    /// Number of agents per side.
    #[must_use]
    pub fn size(&self) -> usize {
        self.n
    }

    /// The blocking pairs of the matching that gives worker `w` the task `task_of[w]`.
    ///
    /// # Errors
    /// When `task_of` does not hold each of `0..n` exactly once.
    pub fn blocking(&self, task_of: &[u16]) -> Result<BlockingPairs, ConfigError> {
        self.check(task_of)?;
        let mut pairs = BlockingPairs::default();
        self.blocking_into(task_of, &mut pairs);
        Ok(pairs)
    }

    fn check(&self, task_of: &[u16]) -> Result<(), ConfigError> {
        if is_permutation(task_of, self.n) {
            return Ok(());
        }
        Err(ConfigError::new(
            "task_of",
            format!(
                "must hold each of 0 to {} exactly once",
                self.n.saturating_sub(1)
            ),
        ))
    }

    /// [`blocking`](Self::blocking) of a checked matching into `pairs`, whose content is replaced; up
    /// to 64 agents per side its memory is used again.
    pub(super) fn blocking_into(&self, task_of: &[u16], pairs: &mut BlockingPairs) {
        match &self.tables {
            Tables::Bits {
                above_worker,
                above_task,
            } => {
                if let BlockingPairs::Rows(rows) = pairs {
                    fill(self.n, above_worker, above_task, task_of, rows);
                } else {
                    let mut rows = Box::new([0_u64; LANES]);
                    fill(self.n, above_worker, above_task, task_of, &mut rows);
                    *pairs = BlockingPairs::Rows(rows);
                }
            }
            Tables::Ranks(ranks) => *pairs = BlockingPairs::List(ranks.scan(task_of)),
        }
    }

    /// Number of pairs that block the matching; does not allocate up to 64 agents per side, so it
    /// is the one to call where the pairs themselves are not needed.
    ///
    /// # Errors
    /// As [`blocking`](Self::blocking).
    pub fn count(&self, task_of: &[u16]) -> Result<usize, ConfigError> {
        self.check(task_of)?;
        Ok(match &self.tables {
            Tables::Bits {
                above_worker,
                above_task,
            } => {
                // On the stack: the rows of `BlockingPairs` are in a box.
                let mut rows = [0_u64; LANES];
                fill(self.n, above_worker, above_task, task_of, &mut rows);
                rows.iter().map(|row| row.count_ones() as usize).sum()
            }
            Tables::Ranks(ranks) => ranks.scan(task_of).len(),
        })
    }

    /// [`RankTables::expected_blocking`] of the preferences that the kernel was made from.
    #[must_use]
    pub fn expected_blocking(&self) -> (u64, u64) {
        self.expected
    }
}

/// The rankings of both sides as numbers of agents that are ranked below.
#[derive(Debug, Clone)]
pub struct RankTables {
    n: usize,
    /// Entry `w * n + t`: how many tasks worker `w` ranks below task `t`.
    // Numbers up to 999 fit 16 bits, and a vector holds twice as many as of 32 bits.
    worker: Vec<i16>,
    /// Entry `w * n + t`: how many workers task `t` ranks below worker `w`.
    task: Vec<i16>,
}

impl RankTables {
    /// Checks `preferences` and prepares the tables.
    ///
    /// # Errors
    /// When [`Preferences::check`] refuses them.
    ///
    /// # Complexity
    /// n^2 steps and 4 n^2 bytes.
    pub fn new(preferences: &Preferences) -> Result<Self, ConfigError> {
        preferences.check()?;
        Ok(Self::of_checked(preferences))
    }

    fn of_checked(preferences: &Preferences) -> Self {
        let n = preferences.size();
        Self {
            n,
            worker: ranked_below(&preferences.workers, n, 1),
            task: ranked_below(&preferences.tasks, 1, n),
        }
    }

    /// The exact expected number of blocking pairs of a uniformly random perfect matching, as an unreduced
    /// fraction.
    ///
    /// The first number is the numerator, the second the denominator `n (n - 1)`. A pair (w, t) blocks a
    /// matching when w's task is below t in w's ranking and t's worker is below w in t's ranking. With
    /// probability `(n - 1) / n` w and t are not matched to each other; then all `(n - 1)^2` combinations
    /// of another task for w and another worker for t are equally likely. With `r_w(t)` the rank of t for
    /// w, from 0, `(n - 1 - r_w(t)) (n - 1 - r_t(w))` of them block. The product of both is
    /// `(n - 1 - r_w(t)) (n - 1 - r_t(w)) / (n (n - 1))`, and expectations add up over pairs.
    ///
    /// # Source
    /// Own derivation; the authors estimate it from 10,000 draws (appendix D.2).
    // The tables have the layout that vector instructions need.
    #[must_use]
    pub fn expected_blocking(&self) -> (u64, u64) {
        let (worker, _) = self.worker.as_chunks::<LANES>();
        let (task, _) = self.task.as_chunks::<LANES>();
        let sum = worker.iter().zip(task).map(|(mine, theirs)| {
            let products = mine.iter().zip(theirs);
            // At most 64 products below 1000 squared, so 32 bits suffice.
            let sum: i32 = products.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            u64::from(sum.unsigned_abs())
        });
        let n = self.n as u64;
        (sum.sum(), n * n.saturating_sub(1))
    }

    /// The blocking pairs of a matching that is a permutation of `0..n`.
    #[expect(
        clippy::indexing_slicing,
        reason = "both tables have n * n entries and task_of is a permutation of 0..n"
    )]
    fn scan(&self, task_of: &[u16]) -> Vec<Pair> {
        // How every task ranks its own worker is looked up once, so the inner loop reads three arrays in
        // order and compares two numbers per pair.
        let Self { n, worker, task } = self;
        let worker_of = inverse(task_of);
        let own: Vec<i16> = worker_of
            .iter()
            .enumerate()
            .map(|(t, &w)| task[usize::from(w) * n + t])
            .collect();
        let mut pairs = Vec::new();
        for (w, (mine, theirs)) in (0_u16..)
            .zip(worker.chunks_exact(*n).zip(task.chunks_exact(*n)))
            .take(*n)
        {
            let bar = mine[usize::from(task_of[usize::from(w)])];
            for (t, ((&below, &suit), &held)) in (0_u16..).zip(mine.iter().zip(theirs).zip(&own)) {
                if below > bar && suit > held {
                    pairs.push((w, t));
                }
            }
        }
        pairs
    }
}

/// Writes the blocking pairs of a matching as rows of bits; rows past the last worker become 0.
fn fill(
    n: usize,
    above_worker: &[u64],
    above_task: &[u64],
    task_of: &[u16],
    rows: &mut [u64; LANES],
) {
    let mut by_task = [0_u64; LANES];
    let workers = above_worker.chunks_exact(n).zip(rows.iter_mut());
    for (w, ((prefers, row), &t)) in workers.zip(task_of).enumerate() {
        // The remainder keeps the index of `by_task` in range without a check; it changes no task.
        let t = usize::from(t) % LANES;
        *row = prefers.get(t).copied().unwrap_or(0);
        if let Some(slot) = by_task.get_mut(t) {
            *slot = above_task.get(t * n + w).copied().unwrap_or(0);
        }
    }
    transpose(&mut by_task);
    // Rows past the last worker have no bits in `by_task`, so the "and" clears their old content.
    for (row, suited) in rows.iter_mut().zip(&by_task) {
        *row &= suited;
    }
}

/// For each agent and each partner, the set of partners ranked strictly above it.
fn prefix_sets(rankings: &[Vec<u16>]) -> Vec<u64> {
    let n = rankings.len();
    let mut sets = vec![0_u64; n * n];
    for (ranking, row) in rankings.iter().zip(sets.chunks_exact_mut(n.max(1))) {
        let mut above = 0_u64;
        for &partner in ranking {
            if let Some(slot) = row.get_mut(usize::from(partner)) {
                *slot = above;
            }
            // The remainder keeps the shift valid; a checked ranking has no number above 63 here.
            above |= 1 << (partner % 64);
        }
    }
    sets
}

/// For each ranker i and item j, at `i * by_ranker + j * by_item`, the number of items ranked below
/// j; then zeros up to a whole number of [`LANES`].
fn ranked_below(rankings: &[Vec<u16>], by_ranker: usize, by_item: usize) -> Vec<i16> {
    let entries = rankings.len() * rankings.len();
    let mut below = vec![0; entries.next_multiple_of(LANES)];
    for (ranker, ranking) in rankings.iter().enumerate() {
        for (count, &item) in (0_i16..).zip(ranking.iter().rev()) {
            if let Some(slot) = below.get_mut(ranker * by_ranker + usize::from(item) * by_item) {
                *slot = count;
            }
        }
    }
    below
}

/// Transposes a 64 x 64 bit matrix in place: six rounds swap the off-diagonal blocks of size 32, 16, ...,
/// 1 (Warren, Hacker's Delight, section 7-3, here with bit 0 as the first column). That is 6 x 32
/// exchanges of words instead of 64 x 64 of bits.
fn transpose(rows: &mut [u64; LANES]) {
    round::<32>(rows, 0x0000_0000_FFFF_FFFF);
    round::<16>(rows, 0x0000_FFFF_0000_FFFF);
    round::<8>(rows, 0x00FF_00FF_00FF_00FF);
    round::<4>(rows, 0x0F0F_0F0F_0F0F_0F0F);
    round::<2>(rows, 0x3333_3333_3333_3333);
    round::<1>(rows, 0x5555_5555_5555_5555);
}

#[inline]
fn round<const WIDTH: usize>(rows: &mut [u64; LANES], mask: u64) {
    for block in rows.chunks_exact_mut(2 * WIDTH) {
        let (upper, lower) = block.split_at_mut(WIDTH);
        for (a, b) in upper.iter_mut().zip(lower) {
            let swap = ((*a >> WIDTH) ^ *b) & mask;
            *b ^= swap;
            *a ^= swap << WIDTH;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_moves_every_bit() {
        let mut rows = [0_u64; LANES];
        let mut x = 1_u64;
        for row in &mut rows {
            x = x
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            *row = x;
        }
        let before = rows;
        transpose(&mut rows);
        for (i, row) in rows.iter().enumerate() {
            for (j, old) in before.iter().enumerate() {
                assert_eq!(row >> j & 1, old >> i & 1);
            }
        }
    }

    /// Two workers want task 0 and both tasks want worker 0: giving worker 0 the other task
    /// blocks at (0, 0) and nowhere else; one random matching in two has that one pair.
    #[test]
    fn two_by_two_by_hand() {
        let preferences = Preferences {
            workers: vec![vec![0, 1]; 2],
            tasks: vec![vec![0, 1]; 2],
        };
        let kernel = Kernel::new(&preferences).unwrap();
        assert!(kernel.blocking(&[0, 1]).unwrap().is_empty());
        for bad in [&[0, 0][..], &[0], &[0, 1, 2]] {
            assert!(kernel.blocking(bad).is_err() && kernel.count(bad).is_err());
        }
        let blocking = kernel.blocking(&[1, 0]).unwrap();
        assert_eq!(blocking.list(), [(0, 0)]);
        let mut picked = Vec::new();
        blocking.pick(&[1, 0, 7], &mut picked);
        assert_eq!(picked, [(0, 0)]);
        assert_eq!(kernel.expected_blocking(), (1, 2));
    }
}
