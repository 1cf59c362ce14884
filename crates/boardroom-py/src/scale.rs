//! Numbers of learners (about 1 in size) from numbers in units, and back.

use sim_core::BatchLayout;
use sim_core::batch::ValueKind;

/// Scaled observations beyond this are cut off, so that their space is bounded.
pub(crate) const MOST: f32 = 20.0;

/// Factors for whole buffers: one entry for each number, so that the loops have no inner structure and
/// the compiler makes vector instructions of them.
#[derive(Debug, Clone)]
pub(crate) struct Scale {
    /// What an observation is multiplied with.
    observation: Vec<f32>,
    /// An action `a` in -1 to 1 stands for `middle + a * half`.
    middle: Vec<f32>,
    half: Vec<f32>,
    reward: f64,
}

impl Scale {
    pub(crate) fn new(layout: &BatchLayout) -> Self {
        let fields = |len: usize| layout.action.iter().cycle().take(len);
        let len = layout.action_len();
        let choice = |field: &sim_core::Field| field.kind == ValueKind::Choice;
        Self {
            observation: layout
                .observation
                .iter()
                .cycle()
                .take(layout.observation_len())
                .map(|field| 1.0 / field.scale)
                .collect(),
            // The number of an alternative has no size to scale.
            middle: fields(len)
                .map(|field| {
                    if choice(field) {
                        0.0
                    } else {
                        // Up to `useful`, not `high`: a learner that draws from -1 to 1 at first
                        // would otherwise order thousands of units where a hundred are needed.
                        f32::midpoint(field.low, field.useful)
                    }
                })
                .collect(),
            half: fields(len)
                .map(|field| {
                    if choice(field) {
                        1.0
                    } else {
                        (field.useful - field.low) / 2.0
                    }
                })
                .collect(),
            reward: layout.reward.scale,
        }
    }

    /// Observations in units, in place.
    pub(crate) fn observations(&self, obs: &mut [f32]) {
        for (number, factor) in obs.iter_mut().zip(&self.observation) {
            *number = (*number * factor).clamp(-MOST, MOST);
        }
    }

    /// The actions in units that scaled ones stand for.
    pub(crate) fn actions(&self, scaled: &[f32], actions: &mut [f32]) {
        let factors = self.middle.iter().zip(&self.half);
        for ((action, scaled), (middle, half)) in actions.iter_mut().zip(scaled).zip(factors) {
            *action = middle + scaled * half;
        }
    }

    /// Rewards in units of the score, in place.
    pub(crate) fn rewards(&self, rewards: &mut [f64]) {
        for reward in rewards {
            *reward /= self.reward;
        }
    }
}
