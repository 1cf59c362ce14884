//! Many markets stepped together.
//!
//! ```
//! use econ_envs::scheduling::{Batch, Config};
//! use sim_core::{BatchEnvironment, Seed};
//!
//! let mut batch = Batch::new(&Config::basic(), 2, Seed(6))?;
//! let layout = batch.layout().clone();
//! // The attempt, ten tasks, and one shown pair of a worker and a task.
//! assert_eq!((layout.observation.len(), layout.action.len()), (1 + 10 + 2, 10));
//! let mut obs = vec![0.0; layout.observation_len()];
//! let (mut rewards, mut dones) = ([0.0; 2], [false; 2]);
//! // Any ten numbers are an assignment: the smallest gets task 0, and so on.
//! let numbers: Vec<f32> = vec![0.3, 7.1, 2.2, 9.0, 4.4, 5.5, 1.0, 8.8, 3.3, 6.6];
//! batch.step_batch(&numbers.repeat(2), &mut obs, &mut rewards, &mut dones)?;
//! assert_eq!(obs[1..4], [0.0, 7.0, 2.0]);
//! assert_eq!(batch.lane_value(0), Some(rewards[0]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The lane is not the environment, which holds 80 KB at the end of a run of `hard`, 1.7 times as much as this lane
// (docs/benchmarks.md, memory of a lane): it keeps only the tables and the part of the record that the rules need. It
// allocates nothing in a step: the working memory is shared by all lanes, and the record has room for 256 attempts from
// the start. The instance is drawn again in the rare case that a reference environment is asked for.

use super::action::Action;
use super::blocking::Pair;
use super::config::Config;
use super::env::Scheduling;
use super::instance::Instance;
use super::market::Evaluator;
use super::shown::Scratch as Shown;
use sim_core::batch::{LaneBatch, LaneSpec, Reward};
use sim_core::{BatchLayout, ConfigError, Episode, Field, Seed};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

/// Independent runs of the scheduling environment, one per lane.
///
/// An action is one number per worker: the worker with the smallest number gets task 0, the next one
/// task 1, and so on (ties by worker). So a vector of task numbers means these tasks, and every other
/// vector is a valid assignment too; numbers outside the range of task numbers are clipped to it.
/// Where preference families alternate, they do so by the number of the episode.
pub type Batch = LaneBatch<Vectors>;

/// The assignments of a run as vectors.
#[derive(Debug, Clone)]
pub struct Vectors {
    config: Config,
    scratch: Scratch,
}

/// Working memory of a step, shared by all lanes.
#[derive(Debug, Clone, Default)]
struct Scratch {
    /// The workers in the order of their numbers.
    order: Vec<u64>,
    task_of: Vec<u16>,
    /// `task_of` as a record holds it.
    packed: Vec<u8>,
    shown: Shown,
}

/// Number of attempts for which a lane has room from the start.
const RESERVED: usize = 256;

/// A run with the part of its record that the rules need; [`Scheduling`] documents them.
#[derive(Debug, Clone)]
pub struct Lane {
    episode: Episode,
    /// Shared with the forks of the lane.
    evaluator: Arc<Evaluator>,
    /// Hashes of the assignments so far, in order. Comparing hashes first keeps the search for a
    /// repeated assignment to one word per attempt.
    hashes: Vec<u64>,
    /// The assignments so far, one after the other, as [`pack`] writes them: equal hashes do not prove equal
    /// assignments.
    submitted: Vec<u8>,
    /// The pairs shown after the last one.
    shown: Vec<Pair>,
    /// Whether the last one was stable.
    stable: bool,
    value: f64,
}

impl Lane {
    fn new(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        let evaluator = Evaluator::of_checked(&Instance::generate(config, episode)?);
        // Runs of up to RESERVED attempts never allocate in a step; the record of a longer one grows.
        let periods = (config.periods as usize).min(RESERVED);
        Ok(Self {
            hashes: Vec::with_capacity(periods),
            submitted: Vec::with_capacity(periods * packed_len(usize::from(config.workers))),
            shown: Vec::with_capacity(usize::from(config.shown)),
            stable: false,
            value: 0.0,
            episode,
            evaluator: Arc::new(evaluator),
        })
    }

    /// Submits `scratch.task_of` and returns the change of the value.
    fn step(&mut self, scratch: &mut Scratch) -> f64 {
        pack(&scratch.task_of, &mut scratch.packed);
        let packed = &scratch.packed;
        let hash = hash_of(packed);
        let same = |&(attempt, &earlier): &(usize, &u64)| {
            let n = packed.len();
            earlier == hash && self.submitted.get(attempt * n..(attempt + 1) * n) == Some(packed)
        };
        let mut earlier = self.hashes.iter().enumerate();
        // A repeated assignment is shown the same pairs: they are drawn again with the number of the
        // attempt in which it was submitted first.
        let attempt = earlier
            .find(same)
            .map_or(self.hashes.len(), |found| found.0);
        let attempt = u32::try_from(attempt).unwrap_or(u32::MAX);
        self.hashes.push(hash);
        self.submitted.extend_from_slice(packed);
        let blocking = self.evaluator.answer(
            &scratch.task_of,
            attempt,
            &mut scratch.shown,
            &mut self.shown,
        );
        // A stable assignment ends the lane, as it ends a single run.
        self.stable = blocking == 0;
        let before = self.value;
        self.value = self.evaluator.value_of(blocking);
        self.value - before
    }

    fn observe(&self, out: &mut [f32]) {
        // -1 stands for "nothing here": no assignment yet, or fewer pairs than the layout
        // has room for.
        out.fill(-1.0);
        let n = self.evaluator.kernel.size();
        let Some((attempt, rest)) = out.split_first_mut() else {
            return;
        };
        *attempt = f32::from(u16::try_from(self.hashes.len()).unwrap_or(u16::MAX));
        let Some((tasks, problems)) = rest.split_at_mut_checked(n) else {
            return;
        };
        let last = self.submitted.len().checked_sub(packed_len(n));
        if let Some(last) = last.and_then(|from| self.submitted.get(from..)) {
            unpack(last, tasks);
        }
        for (slots, &(worker, task)) in problems.chunks_exact_mut(2).zip(&self.shown) {
            if let [w, t] = slots {
                *w = f32::from(worker);
                *t = f32::from(task);
            }
        }
    }
}

fn hash_of(packed: &[u8]) -> u64 {
    // What it returns decides nothing: where hashes are equal, the bytes are compared.
    let mut hasher = DefaultHasher::new();
    packed.hash(&mut hasher);
    hasher.finish()
}

/// Largest number of tasks whose numbers fit a byte each.
const BYTES: usize = 256;

/// Bytes of an assignment of `n` tasks in a record.
fn packed_len(n: usize) -> usize {
    if n <= BYTES { n } else { 2 * n }
}

/// Writes an assignment as one byte per worker, or as two if there are more than [`BYTES`] tasks.
fn pack(task_of: &[u16], packed: &mut Vec<u8>) {
    packed.clear();
    let bytes = task_of.iter().map(|task| task.to_le_bytes());
    if task_of.len() <= BYTES {
        packed.extend(bytes.map(|[low, _]| low));
    } else {
        packed.extend(bytes.flatten());
    }
}

/// The tasks that [`pack`] wrote.
fn unpack(packed: &[u8], tasks: &mut [f32]) {
    if packed.len() == tasks.len() {
        for (slot, &task) in tasks.iter_mut().zip(packed) {
            *slot = f32::from(task);
        }
    } else {
        for (slot, &task) in tasks.iter_mut().zip(packed.as_chunks().0) {
            *slot = f32::from(u16::from_le_bytes(task));
        }
    }
}

impl LaneSpec for Vectors {
    type Config = Config;
    type Env = Scheduling;
    type Lane = Lane;

    fn new(config: &Config, _: Seed) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            config: config.clone(),
            scratch: Scratch::default(),
        })
    }

    fn layout(&self, lanes: usize) -> BatchLayout {
        layout(&self.config, lanes)
    }

    fn begin(&self, episode: Episode) -> Result<Lane, ConfigError> {
        Lane::new(&self.config, episode)
    }

    fn read(&self, action: &[f32]) -> Action {
        let mut task_of = Vec::new();
        decode(action, &mut Vec::new(), &mut task_of);
        Action::new(task_of)
    }

    fn step(&mut self, lane: &mut Lane, action: &[f32]) -> f64 {
        decode(action, &mut self.scratch.order, &mut self.scratch.task_of);
        lane.step(&mut self.scratch)
    }

    fn is_over(&self, lane: &Lane) -> bool {
        lane.stable || lane.hashes.len() >= self.config.periods as usize
    }

    fn write(&self, lane: &Lane, row: &mut [f32]) {
        lane.observe(row);
    }

    fn value(&self, lane: &Lane) -> f64 {
        lane.value
    }

    fn reference_env(&self, lane: &Lane) -> Result<Scheduling, ConfigError> {
        Scheduling::new(Arc::new(Instance::generate(&self.config, lane.episode)?))
    }
}

fn layout(config: &Config, lanes: usize) -> BatchLayout {
    let n = f32::from(config.workers);
    let periods = f32::from(u16::try_from(config.periods).unwrap_or(u16::MAX));
    let field =
        |name: String, unit, low, high: f32| Field::new(name, unit, low, high, high.max(1.0));
    let mut observation = vec![field("attempt".to_owned(), "attempts", 0.0, periods).whole()];
    for worker in 1..=config.workers {
        observation.push(field(format!("task_of_W{worker}"), "", -1.0, n - 1.0).whole());
    }
    for problem in 1..=config.shown {
        for side in ["worker", "task"] {
            observation.push(field(format!("problem_{problem}_{side}"), "", -1.0, n - 1.0).whole());
        }
    }
    let action = (1..=config.workers)
        .map(|worker| field(format!("task_of_W{worker}"), "", 0.0, n - 1.0))
        .collect();
    BatchLayout {
        lanes,
        horizon: config.periods,
        observation,
        action,
        reward: Reward {
            about: "the change of 1 - blocking pairs / expected blocking pairs, counted from 0 \
                    before the first assignment: rewards sum to the score",
            sign: 1.0,
            scale: 1.0,
        },
    }
}

/// Writes to `task_of` the assignment that an action vector encodes: tasks in ascending order of the
/// numbers, ties by worker. `order` is working memory.
// The sort key is one word, the bits of the number above the worker's index, because sorting whole
// numbers is faster than sorting pairs with a float.
fn decode(action: &[f32], order: &mut Vec<u64>, task_of: &mut Vec<u16>) {
    let high = f32::from(u16::try_from(action.len().saturating_sub(1)).unwrap_or(u16::MAX));
    order.clear();
    order.extend(action.iter().zip(0_u64..).map(|(&x, worker)| {
        // The bits of non-negative floats have the order of the floats. NaN and negative numbers
        // count as 0.
        let number = if x > 0.0 { x.min(high) } else { 0.0 };
        u64::from(number.to_bits()) << 32 | worker
    }));
    order.sort_unstable();
    task_of.clear();
    task_of.resize(action.len(), 0);
    for (task, &key) in (0_u16..).zip(order.iter()) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the lower half is the worker"
        )]
        let worker = key as u32 as usize;
        if let Some(slot) = task_of.get_mut(worker) {
            *slot = task;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_assignments_are_read_as_they_were_written() {
        for n in [2, 255, 256, 257, 1000] {
            let task_of: Vec<u16> = (0..n).rev().collect();
            let (mut packed, mut tasks) = (vec![7], vec![0.0; task_of.len()]);
            pack(&task_of, &mut packed);
            assert_eq!(packed.len(), packed_len(task_of.len()));
            unpack(&packed, &mut tasks);
            let wanted: Vec<f32> = task_of.into_iter().map(f32::from).collect();
            assert_eq!(tasks, wanted);
        }
    }

    #[test]
    fn any_numbers_are_an_assignment() {
        for (action, task_of) in [
            ([2.0, 0.0, 1.0], [2, 0, 1]),
            ([0.3, f32::NAN, f32::INFINITY], [1, 0, 2]),
            ([-1.0, -0.0, -7.0], [0, 1, 2]),
            ([1.0, 1.0, 1.0], [0, 1, 2]),
        ] {
            let mut decoded = vec![9];
            decode(&action, &mut vec![9], &mut decoded);
            assert_eq!(decoded, task_of, "{action:?}");
        }
    }
}
