//! Many markets stepped at once.

use super::config::Config;
use super::environment::{Assignment, Scheduling};
use super::generate::generate;
use super::instance::Instance;
use serde_json::Value;
use sim_core::{
    BatchEnvironment, BatchLayout, ConfigError, Desk, Environment as _, Field, Seed, ShapeError,
    ToolEnvironment,
};
use std::sync::Arc;

/// Independent runs of the scheduling environment, one a lane.
///
/// An action is one number a worker: the worker with the smallest gets task 0, the next task 1,
/// and so on (ties by worker). Task numbers themselves are read as what they say, and any other
/// vector is a valid assignment too. Lane `i` plays the family of episode `i` where families take
/// turns.
#[derive(Debug)]
pub struct SchedulingBatch {
    config: Config,
    layout: BatchLayout,
    lanes: Vec<Lane>,
}

#[derive(Debug)]
struct Lane {
    instance: Arc<Instance>,
    env: Scheduling,
    value: f64,
}

impl Lane {
    fn new(config: &Config, lane: usize, seed: Seed) -> Result<Self, ConfigError> {
        let instance = Arc::new(generate(config, seed, lane as u64)?);
        let env = Scheduling::new(Arc::clone(&instance));
        Ok(Self {
            instance,
            env,
            value: 0.0,
        })
    }
}

impl SchedulingBatch {
    /// `lanes` runs; lane `i` starts with the instance of `seed`'s child `i`.
    ///
    /// # Errors
    /// When the configuration is out of range.
    pub fn new(config: &Config, lanes: usize, seed: Seed) -> Result<Self, ConfigError> {
        config.check()?;
        let layout = layout(config, lanes);
        let lanes = (0..lanes)
            .map(|lane| Lane::new(config, lane, seed.child("lane", lane as u64)))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            config: config.clone(),
            layout,
            lanes,
        })
    }

    fn write(&self, lane: &Lane, out: &mut [f32]) {
        out.fill(-1.0);
        let n = usize::from(self.config.workers);
        let Some((attempt, rest)) = out.split_first_mut() else {
            return;
        };
        *attempt = f32::from(u16::try_from(lane.env.attempt()).unwrap_or(u16::MAX));
        let Some((tasks, problems)) = rest.split_at_mut_checked(n) else {
            return;
        };
        if let Some((standing, _)) = lane.env.standing() {
            for (slot, &task) in tasks.iter_mut().zip(&standing.task_of) {
                *slot = f32::from(task);
            }
        }
        if let Some(last) = lane.env.attempts().last() {
            for (slots, &(worker, task)) in problems.chunks_exact_mut(2).zip(&last.shown) {
                if let [w, t] = slots {
                    *w = f32::from(worker);
                    *t = f32::from(task);
                }
            }
        }
    }
}

fn layout(config: &Config, lanes: usize) -> BatchLayout {
    let n = f32::from(config.workers);
    let periods = f32::from(u16::try_from(config.periods).unwrap_or(u16::MAX));
    let field = |name: String, unit, low, high, integer| Field {
        name,
        unit,
        low,
        high,
        scale: high.max(1.0),
        integer,
    };
    let mut observation = vec![field("attempt".to_owned(), "attempts", 0.0, periods, true)];
    for worker in 1..=config.workers {
        observation.push(field(format!("task_of_W{worker}"), "", -1.0, n - 1.0, true));
    }
    for problem in 1..=config.shown {
        for side in ["worker", "task"] {
            observation.push(field(
                format!("problem_{problem}_{side}"),
                "",
                -1.0,
                n - 1.0,
                true,
            ));
        }
    }
    let action = (1..=config.workers)
        .map(|worker| field(format!("task_of_W{worker}"), "", 0.0, n - 1.0, false))
        .collect();
    BatchLayout {
        lanes,
        horizon: config.periods,
        observation,
        action,
        reward: "the change of 1 - blocking pairs / expected blocking pairs, counted from 0 \
                 before the first assignment: rewards sum to the score",
    }
}

/// The assignment that an action vector stands for: tasks in ascending order of the numbers.
fn decode(action: &[f32]) -> Assignment {
    let high = f32::from(u16::try_from(action.len().saturating_sub(1)).unwrap_or(u16::MAX));
    let mut order: Vec<(f32, u16)> = action
        .iter()
        .zip(0_u16..)
        .map(|(&x, worker)| {
            (
                if x.is_nan() {
                    0.0
                } else {
                    x.clamp(0.0, high) + 0.0
                },
                worker,
            )
        })
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut task_of = vec![0_u16; action.len()];
    for (task, (_, worker)) in (0_u16..).zip(order) {
        if let Some(slot) = task_of.get_mut(usize::from(worker)) {
            *slot = task;
        }
    }
    Assignment::new(task_of)
}

impl BatchEnvironment for SchedulingBatch {
    fn layout(&self) -> &BatchLayout {
        &self.layout
    }

    fn reset_lane(&mut self, lane: usize, seed: Seed) {
        if let Some(slot) = self.lanes.get_mut(lane)
            // The configuration was checked when the batch was made.
            && let Ok(fresh) = Lane::new(&self.config, lane, seed)
        {
            *slot = fresh;
        }
    }

    fn observe_into(&self, obs: &mut [f32]) -> Result<(), ShapeError> {
        ShapeError::check("obs", obs.len(), self.layout.observation_len())?;
        let fields = self.layout.observation.len();
        for (lane, out) in self.lanes.iter().zip(obs.chunks_exact_mut(fields)) {
            self.write(lane, out);
        }
        Ok(())
    }

    fn step_batch(
        &mut self,
        actions: &[f32],
        obs: &mut [f32],
        rewards: &mut [f32],
        dones: &mut [bool],
    ) -> Result<(), ShapeError> {
        self.layout.check(actions, obs, rewards, dones)?;
        let n = usize::from(self.config.workers);
        let outs = rewards.iter_mut().zip(dones.iter_mut());
        for ((lane, action), (reward, done)) in
            self.lanes.iter_mut().zip(actions.chunks_exact(n)).zip(outs)
        {
            let before = lane.value;
            if !lane.env.is_over() && lane.env.step(&decode(action)).is_ok() {
                let blocking = lane.env.standing().map_or(0, |(_, blocking)| blocking);
                lane.value = lane.env.value_of(blocking);
            }
            #[expect(
                clippy::cast_possible_truncation,
                reason = "rewards are single precision"
            )]
            let change = (lane.value - before) as f32;
            *reward = change;
            *done = lane.env.is_over();
        }
        self.observe_into(obs)
    }

    fn lane_value(&self, lane: usize) -> Option<f64> {
        self.lanes.get(lane).map(|lane| lane.value)
    }

    fn twin(&self, lane: usize) -> Option<Box<dyn ToolEnvironment>> {
        let lane = self.lanes.get(lane)?;
        Some(Box::new(Desk::new(Scheduling::new(Arc::clone(
            &lane.instance,
        )))))
    }

    fn action_value(&self, action: &[f32]) -> Value {
        serde_json::to_value(decode(action)).unwrap_or(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_numbers_are_an_assignment() {
        assert_eq!(decode(&[2.0, 0.0, 1.0]).task_of, [2, 0, 1]);
        assert_eq!(decode(&[0.3, f32::NAN, f32::INFINITY]).task_of, [1, 0, 2]);
        assert_eq!(decode(&[1.0, 1.0, 1.0]).task_of, [0, 1, 2]);
    }
}
