//! One firm: its tasks, its workers and an assignment that pays all of them the same.
//!
//! ```
//! use econ_envs::litmus::efficiency::{Config, Instance};
//! use sim_core::{Episode, Seed};
//!
//! let firm = Instance::generate(&Config::both(), Episode::of_run(Seed(2), 0))?;
//! assert_eq!((firm.workers(), firm.sizes.len()), (4, 120));
//! let equal = firm.outcome(firm.equal.iter().copied());
//! let efficient = firm.outcome((0..30).flat_map(|period| firm.efficient(period)));
//! // 60 units of size a period and worker, at a wage of 1: 1,800 for each worker.
//! assert!(equal.pay.iter().all(|pay| (pay - 1_800.0).abs() < 1e-9));
//! assert!(efficient.revenue > equal.revenue && efficient.inequality() > 0.0);
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use super::config::Config;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Episode};

/// One firm with its hidden productivities: what `generate` prints and `--instance` reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The rules of the run.
    pub config: Config,
    /// Size of each task \[units\]; the tasks of period p are `p * workers` and those that follow.
    pub sizes: Vec<u32>,
    /// The worker of each task in an assignment that pays all workers the same.
    pub equal: Vec<u16>,
    /// Productivity of each worker \[$ of revenue / unit of size\].
    pub productivity: Vec<f64>,
}

/// Revenue and pay of an assignment.
///
/// Of a whole run or of its beginning, whichever tasks were assigned.
#[derive(Debug, Clone, PartialEq)]
pub struct Earnings {
    /// Revenue of the firm \[$\].
    pub revenue: f64,
    /// Pay of each worker \[$\].
    pub pay: Vec<f64>,
}

impl Earnings {
    /// Largest pay minus smallest \[$\].
    #[must_use]
    pub fn inequality(&self) -> f64 {
        let largest = self.pay.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let smallest = self.pay.iter().copied().fold(f64::INFINITY, f64::min);
        (largest - smallest).max(0.0)
    }
}

impl Instance {
    /// Draws the firm of an episode; only `episode.seed` matters.
    ///
    /// Each worker's share of the whole work, `mean_size * periods` units, is cut at distinct random
    /// positions; the pieces are that worker's tasks in the equal assignment. Within a period the tasks
    /// get their ids in random order. Productivities are evenly spaced and shuffled over workers.
    ///
    /// # Errors
    /// When the configuration is out of range, or efficiency and equality do not conflict in the firm that
    /// is drawn.
    pub fn generate(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        let seed = episode.seed;
        config.check()?;
        let (n, periods) = (usize::from(config.workers), usize::from(config.periods));
        let total = u64::from(config.mean_size) * periods as u64;
        let pieces: Vec<Vec<u32>> = (0..n)
            .map(|worker| {
                let mut draws = seed.stream("cuts", worker as u64);
                let lowest = if config.empty_tasks { 0 } else { 1 };
                let mut cuts = std::collections::BTreeSet::new();
                // It ends: a mean size of at least 2 leaves twice as many positions as cuts.
                while cuts.len() + 1 < periods {
                    cuts.insert(lowest + draws.below(total - lowest));
                }
                let ends = cuts.iter().copied().chain([total]);
                let starts = [0].into_iter().chain(cuts.iter().copied());
                starts
                    .zip(ends)
                    .map(|(from, to)| u32::try_from(to - from).unwrap_or(0))
                    .collect()
            })
            .collect();
        let mut sizes = Vec::with_capacity(n * periods);
        let mut equal = Vec::with_capacity(n * periods);
        for period in 0..periods {
            let mut order: Vec<u16> = (0..config.workers).collect();
            seed.stream("ids", period as u64).shuffle(&mut order);
            for worker in order {
                // The ids are in random order, or T1 would always be the task of W1 in the equal
                // assignment.
                let piece = pieces.get(usize::from(worker)).and_then(|p| p.get(period));
                sizes.push(piece.copied().unwrap_or(0));
                equal.push(worker);
            }
        }
        let lowest = config.productivity_mean - config.productivity_gap / 2.0;
        let step = config.productivity_gap / f64::from(config.workers - 1);
        let mut productivity: Vec<f64> = (0..config.workers)
            .map(|i| lowest + step * f64::from(i))
            .collect();
        seed.stream("productivity", 0).shuffle(&mut productivity);
        let instance = Self {
            config: config.clone(),
            sizes,
            equal,
            productivity,
        };
        instance.check()?;
        Ok(instance)
    }

    /// Number of workers.
    #[must_use]
    pub fn workers(&self) -> usize {
        usize::from(self.config.workers)
    }

    /// Sizes of the tasks of a period, in the order of their ids.
    ///
    /// Empty for a period beyond the run.
    #[must_use]
    pub fn block(&self, period: usize) -> &[u32] {
        let n = self.workers();
        self.sizes
            .get(period * n..(period + 1) * n)
            .unwrap_or_default()
    }

    /// Revenue and pay when task `i` is given to worker `worker_of[i]`, for as many tasks as `worker_of`
    /// holds.
    ///
    /// Numbers of workers that do not exist earn nothing;
    /// [`Action::check`](super::Action::check) finds them.
    #[must_use]
    pub fn outcome(&self, worker_of: impl IntoIterator<Item = u16>) -> Earnings {
        let mut earned = Earnings {
            revenue: 0.0,
            pay: vec![0.0; self.workers()],
        };
        self.add(&mut earned, &self.sizes, worker_of);
        earned
    }

    /// Adds the tasks of `sizes`, given to the workers `worker_of`, to `earned`.
    pub(super) fn add(
        &self,
        earned: &mut Earnings,
        sizes: &[u32],
        worker_of: impl IntoIterator<Item = u16>,
    ) {
        for (&size, worker) in sizes.iter().zip(worker_of) {
            let worker = usize::from(worker);
            let productivity = self.productivity.get(worker).copied().unwrap_or(0.0);
            earned.revenue += f64::from(size) * productivity;
            if let Some(pay) = earned.pay.get_mut(worker) {
                *pay += f64::from(size) * self.config.wage;
            }
        }
    }

    /// The worker of each task of a period in the most efficient assignment: the largest task to the most
    /// productive worker, the next one to the next, and so on. By the rearrangement inequality no other
    /// assignment has more revenue.
    #[must_use]
    pub fn efficient(&self, period: usize) -> Vec<u16> {
        match_in_order(self.block(period), &self.productivity)
    }

    /// The worker of each task of a period in the equal assignment.
    #[must_use]
    pub fn equal_block(&self, period: usize) -> Vec<u16> {
        let n = self.workers();
        self.equal
            .get(period * n..(period + 1) * n)
            .unwrap_or_default()
            .to_vec()
    }

    /// Checks the rules, the length of every list, that the equal assignment gives every worker one task
    /// per period and the same pay, and that efficiency and equality conflict.
    ///
    /// # Errors
    /// Names the place of the first value at fault.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.config.check().map_err(|e| e.within("config"))?;
        let (n, periods) = (self.workers(), usize::from(self.config.periods));
        for (place, len, want) in [
            ("sizes", self.sizes.len(), n * periods),
            ("equal", self.equal.len(), n * periods),
            ("productivity", self.productivity.len(), n),
        ] {
            if len != want {
                return Err(ConfigError::new(
                    place,
                    format!("`{len}` entries; there must be {want}"),
                ));
            }
        }
        if let Some(bad) = self.productivity.iter().find(|p| !(0.0..=1e7).contains(*p)) {
            return Err(ConfigError::new(
                "productivity",
                format!("`{bad}` is out of range, it must be 0 to 1e7"),
            ));
        }
        if let Some(bad) = self.sizes.iter().find(|size| **size > 100_000_000) {
            return Err(ConfigError::new(
                "sizes",
                format!("`{bad}` is out of range, it must be at most 100000000"),
            ));
        }
        for (period, block) in self.equal.chunks_exact(n).enumerate() {
            if !crate::scheduling::preferences::is_permutation(block, n) {
                return Err(ConfigError::new(
                    "equal",
                    format!("period {period} must give every worker exactly one task"),
                ));
            }
        }
        // Sizes and not pay: sums of a wage such as 0.1 are rounded, and differ by more than any fixed tolerance
        // where wages and runs are large.
        let mut work = vec![0_u64; n];
        for (&size, &worker) in self.sizes.iter().zip(&self.equal) {
            if let Some(sum) = work.get_mut(usize::from(worker)) {
                *sum += u64::from(size);
            }
        }
        if work.iter().any(|sum| Some(sum) != work.first()) {
            return Err(ConfigError::new("equal", "must pay every worker the same"));
        }
        let most = self.outcome((0..periods).flat_map(|p| self.efficient(p)));
        if most.inequality() <= 0.0 {
            return Err(ConfigError::new(
                "sizes",
                "the most efficient assignment pays everybody the same, so there is nothing to \
                 weigh",
            ));
        }
        Ok(())
    }
}

/// Items in descending order of `sizes` to holders in descending order of `ranks` (ties by index):
/// the holder of each item.
pub(super) fn match_in_order(sizes: &[u32], ranks: &[f64]) -> Vec<u16> {
    let mut items: Vec<usize> = (0..sizes.len()).collect();
    // A stable sort: tasks of equal size keep the order of their ids.
    items.sort_by_key(|&i| std::cmp::Reverse(sizes.get(i).copied()));
    let mut holders: Vec<(f64, u16)> = ranks.iter().copied().zip(0_u16..).collect();
    holders.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut holder_of = vec![0; sizes.len()];
    for (item, (_, holder)) in items.into_iter().zip(holders) {
        if let Some(slot) = holder_of.get_mut(item) {
            *slot = holder;
        }
    }
    holder_of
}
