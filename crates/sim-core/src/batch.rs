//! Many independent episodes stepped at once over flat arrays, for reinforcement learning.

use crate::error::ShapeError;
use crate::seed::Seed;
use crate::tool::ToolEnvironment;
use serde::Serialize;
use serde_json::Value;

/// One number of an observation or action vector.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Field {
    /// Name (`on_hand`).
    pub name: String,
    /// Unit (`cases`), empty for none.
    pub unit: &'static str,
    /// Smallest value.
    pub low: f32,
    /// Largest value; values beyond are clipped to it in an action.
    pub high: f32,
    /// Typical size, to divide by before learning.
    pub scale: f32,
    /// Whether it is a whole number (an action is rounded to the nearest).
    pub integer: bool,
}

/// Shapes and meanings of the arrays of a [`BatchEnvironment`]: one table for spaces, scaling and
/// documentation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BatchLayout {
    /// Number of lanes (independent episodes).
    pub lanes: usize,
    /// Steps in an episode.
    pub horizon: u32,
    /// What a lane sees.
    pub observation: Vec<Field>,
    /// What a lane decides.
    pub action: Vec<Field>,
    /// How the sum of rewards relates to the score, in one sentence.
    pub reward: &'static str,
}

impl BatchLayout {
    /// Length of the observation buffer: lanes x fields, lane by lane.
    #[must_use]
    pub fn observation_len(&self) -> usize {
        self.lanes * self.observation.len()
    }

    /// Length of the action buffer: lanes x fields, lane by lane.
    #[must_use]
    pub fn action_len(&self) -> usize {
        self.lanes * self.action.len()
    }

    /// Checks the buffers of one step.
    ///
    /// # Errors
    /// Names the first buffer of a wrong length.
    pub fn check(
        &self,
        actions: &[f32],
        obs: &[f32],
        rewards: &[f32],
        dones: &[bool],
    ) -> Result<(), ShapeError> {
        ShapeError::check("actions", actions.len(), self.action_len())?;
        ShapeError::check("obs", obs.len(), self.observation_len())?;
        ShapeError::check("rewards", rewards.len(), self.lanes)?;
        ShapeError::check("dones", dones.len(), self.lanes)
    }
}

/// Many episodes in lockstep.
///
/// Buffers are row-major: lane by lane, fields in the order of the layout. An action that is not a
/// number counts as the field's `low`; others are clipped to `low..=high`. The caller resets: a
/// finished lane stays as it is and earns 0.
pub trait BatchEnvironment: Send {
    /// Shapes and meanings.
    fn layout(&self) -> &BatchLayout;

    /// Starts lane `lane` anew, with the episode that `seed` draws. A lane that does not exist is
    /// ignored.
    fn reset_lane(&mut self, lane: usize, seed: Seed);

    /// Writes what every lane sees.
    ///
    /// # Errors
    /// When the buffer has the wrong length.
    fn observe_into(&self, obs: &mut [f32]) -> Result<(), ShapeError>;

    /// Applies one action a lane, then writes observation, reward and whether the lane is done.
    ///
    /// # Errors
    /// When a buffer has the wrong length; no lane has moved then.
    fn step_batch(
        &mut self,
        actions: &[f32],
        obs: &mut [f32],
        rewards: &mut [f32],
        dones: &mut [bool],
    ) -> Result<(), ShapeError>;

    /// The score of a lane so far, in the unit of the score.
    fn lane_value(&self, lane: usize) -> Option<f64>;

    /// The same episode as lane `lane` plays, from its start, as a single environment: the naive
    /// twin that tests compare with.
    fn twin(&self, lane: usize) -> Option<Box<dyn ToolEnvironment>>;

    /// The typed action, as JSON, that the action vector of one lane stands for.
    fn action_value(&self, action: &[f32]) -> Value;
}
