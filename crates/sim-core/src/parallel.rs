//! A batch that is split over threads.

use crate::batch::{BatchEnvironment, BatchLayout, no_lane};
use crate::dyn_spec::DynEnvironmentSpec;
use crate::error::{ConfigError, ShapeError};
use crate::seed::Seed;
use crate::spec::Episode;
use crate::tool::ToolEnvironment;
use serde_json::Value;
use std::fmt;

/// Lanes of one environment, in parts with a fixed number of lanes.
///
/// The number of lanes per part is a setting and does not depend on the machine; threads determine only
/// which part is stepped where. So one thread and many threads give the same trajectories. Without the
/// feature `parallel` the calling thread steps all parts; with it the threads of rayon's pool share them
/// (`rayon::ThreadPool::install` selects another pool).
///
/// A part is worth a thread when stepping it takes at least some tens of microseconds: a few thousand
/// lanes of a light simulator, a few dozen of a heavy one.
pub struct ParallelBatch {
    layout: BatchLayout,
    lanes_per_shard: usize,
    shards: Vec<Box<dyn BatchEnvironment>>,
}

impl ParallelBatch {
    /// `lanes` lanes of an environment, `lanes_per_shard` in each part (the last may have fewer). Lane `k`
    /// starts with episode `k` of the run with seed `run`, as in a batch of one part.
    ///
    /// `None` when the environment has no batch form.
    ///
    /// # Errors
    /// When the configuration cannot be used or `lanes_per_shard` is 0.
    pub fn new(
        spec: &dyn DynEnvironmentSpec,
        config: &Value,
        lanes: usize,
        lanes_per_shard: usize,
        run: Seed,
    ) -> Result<Option<Self>, ConfigError> {
        if lanes_per_shard == 0 {
            return Err(ConfigError::new("lanes_per_shard", "must be at least 1"));
        }
        let mut shards = Vec::new();
        let mut layout = None;
        // A batch without lanes has a layout too, hence at least one part.
        // Whole parts but for the last: where a part begins depends on the setting alone,
        // so the same lane is in the same part on every machine.
        let firsts = (0..lanes.max(1)).step_by(lanes_per_shard);
        for first in firsts {
            let here = lanes_per_shard.min(lanes - first.min(lanes));
            let Some(mut shard) = spec.new_batch(config, here, run)? else {
                return Ok(None);
            };
            // Every part numbers its lanes from 0, so it has drawn the first episodes of
            // the run; its lanes are set to their own ones.
            for lane in 0..here {
                shard.reset_lane(lane, Episode::of_run(run, (first + lane) as u64))?;
            }
            layout.get_or_insert_with(|| BatchLayout {
                lanes,
                ..shard.layout().clone()
            });
            shards.push(shard);
        }
        Ok(layout.map(|layout| Self {
            layout,
            lanes_per_shard,
            shards,
        }))
    }

    /// The part that holds a lane, and the number of the lane in it.
    fn place(&self, lane: usize) -> Option<(&dyn BatchEnvironment, usize)> {
        let shard = self.shards.get(lane / self.lanes_per_shard)?;
        Some((shard.as_ref(), lane % self.lanes_per_shard))
    }
}

/// One part of the batch with its section of every buffer.
struct Job<'a> {
    shard: &'a mut dyn BatchEnvironment,
    actions: &'a [f32],
    obs: &'a mut [f32],
    rewards: &'a mut [f64],
    dones: &'a mut [bool],
}

impl Job<'_> {
    fn step(self) -> Result<(), ShapeError> {
        self.shard
            .step_batch(self.actions, self.obs, self.rewards, self.dones)
    }
}

#[cfg(feature = "parallel")]
fn step_all(jobs: Vec<Job<'_>>) -> Result<(), ShapeError> {
    use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
    jobs.into_par_iter().try_for_each(Job::step)
}

#[cfg(not(feature = "parallel"))]
fn step_all(jobs: Vec<Job<'_>>) -> Result<(), ShapeError> {
    jobs.into_iter().try_for_each(Job::step)
}

impl BatchEnvironment for ParallelBatch {
    fn layout(&self) -> &BatchLayout {
        &self.layout
    }

    fn reset_lane(&mut self, lane: usize, episode: Episode) -> Result<(), ConfigError> {
        let within = lane % self.lanes_per_shard;
        let shard = self.shards.get_mut(lane / self.lanes_per_shard);
        let shard = shard.ok_or_else(|| no_lane(lane, self.layout.lanes))?;
        shard.reset_lane(within, episode)
    }

    fn observe_into(&self, obs: &mut [f32]) -> Result<(), ShapeError> {
        ShapeError::check("obs", obs.len(), self.layout.observation_len())?;
        let mut rest = obs;
        for shard in &self.shards {
            let (here, after) = rest.split_at_mut(shard.layout().observation_len());
            shard.observe_into(here)?;
            rest = after;
        }
        Ok(())
    }

    fn observe_lane(&self, lane: usize, obs: &mut [f32]) -> Result<(), ShapeError> {
        ShapeError::check("obs", obs.len(), self.layout.observation.len())?;
        match self.place(lane) {
            Some((shard, within)) => shard.observe_lane(within, obs),
            None => Ok(()),
        }
    }

    fn step_batch(
        &mut self,
        actions: &[f32],
        obs: &mut [f32],
        rewards: &mut [f64],
        dones: &mut [bool],
    ) -> Result<(), ShapeError> {
        self.layout.check(actions, obs, rewards, dones)?;
        let (mut actions, mut obs, mut rewards, mut dones) = (actions, obs, rewards, dones);
        // Each part gets its own section of every buffer. Sections do not overlap, so
        // threads can write without locks and no result depends on their order.
        let mut jobs = Vec::with_capacity(self.shards.len());
        for shard in &mut self.shards {
            let layout = shard.layout();
            let (lanes, seen) = (layout.lanes, layout.observation_len());
            let (own_actions, after) = actions.split_at(layout.action_len());
            actions = after;
            let (own_obs, after) = obs.split_at_mut(seen);
            obs = after;
            let (own_rewards, after) = rewards.split_at_mut(lanes);
            rewards = after;
            let (own_dones, after) = dones.split_at_mut(lanes);
            dones = after;
            jobs.push(Job {
                shard: shard.as_mut(),
                actions: own_actions,
                obs: own_obs,
                rewards: own_rewards,
                dones: own_dones,
            });
        }
        step_all(jobs)
    }

    fn lane_value(&self, lane: usize) -> Option<f64> {
        let (shard, within) = self.place(lane)?;
        shard.lane_value(within)
    }

    fn reference_env(&self, lane: usize) -> Option<Box<dyn ToolEnvironment>> {
        let (shard, within) = self.place(lane)?;
        shard.reference_env(within)
    }

    fn action_value(&self, action: &[f32]) -> Value {
        self.shards
            .first()
            .map_or(Value::Null, |shard| shard.action_value(action))
    }

    fn fork(&self) -> Box<dyn BatchEnvironment> {
        Box::new(Self {
            layout: self.layout.clone(),
            lanes_per_shard: self.lanes_per_shard,
            shards: self.shards.iter().map(|shard| shard.fork()).collect(),
        })
    }
}

impl fmt::Debug for ParallelBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParallelBatch")
            .field("lanes", &self.layout.lanes)
            .field("lanes_per_shard", &self.lanes_per_shard)
            .finish_non_exhaustive()
    }
}
