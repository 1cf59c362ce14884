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

/// The arrangement of the numbers in buffers of actions and observations.
///
/// A simulator computes many lanes at once, one field after the other, so it writes `FieldMajor`
/// faster; most learners expect `LaneMajor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Shape lanes x fields: all fields of the first lane, then those of the second one.
    #[default]
    LaneMajor,
    /// Shape fields x lanes: the first field of all lanes, then the second one.
    FieldMajor,
}

/// Shapes and meanings of the arrays of a [`BatchEnvironment`], from which spaces, scaling and
/// documentation are derived.
///
/// Buffers are flat: field `f` of lane `k` is at `k * fields + f`.
///
/// ```
/// use sim_core::BatchLayout;
///
/// let layout = BatchLayout {
///     lanes: 3,
///     horizon: 25,
///     observation: Vec::new(),
///     action: Vec::new(),
///     reward: "minus the cost of the week",
/// };
/// assert_eq!((layout.observation_len(), layout.action_len()), (0, 0));
/// assert!(layout.check(&[], &[], &[0.0; 3], &[false; 3]).is_ok());
/// let wrong = layout.check(&[], &[], &[0.0; 2], &[false; 3]).expect_err("two rewards for three lanes");
/// assert!(wrong.to_string().contains("rewards"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BatchLayout {
    /// Number of lanes (independent episodes).
    pub lanes: usize,
    /// Steps in an episode.
    pub horizon: u32,
    /// Fields of one lane's observation.
    pub observation: Vec<Field>,
    /// Fields of one lane's action.
    pub action: Vec<Field>,
    /// How the sum of rewards relates to the score, in one sentence.
    pub reward: &'static str,
}

impl BatchLayout {
    /// Length of the observation buffer: lanes x fields.
    #[must_use]
    pub fn observation_len(&self) -> usize {
        // `lanes` is a public field: a product that does not fit must fail the check
        // below, not wrap round to a length that passes it.
        self.lanes.saturating_mul(self.observation.len())
    }

    /// Length of the action buffer: lanes x fields.
    #[must_use]
    pub fn action_len(&self) -> usize {
        self.lanes.saturating_mul(self.action.len())
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
        // All four before anything moves: a caller with one wrong buffer loses no step.
        ShapeError::check("actions", actions.len(), self.action_len())?;
        ShapeError::check("obs", obs.len(), self.observation_len())?;
        ShapeError::check("rewards", rewards.len(), self.lanes)?;
        ShapeError::check("dones", dones.len(), self.lanes)
    }
}

/// Many episodes stepped together, each in its own lane.
///
/// Buffers go lane by lane, or field by field where the caller [`arrange`](Self::arrange)s them so, with
/// fields in the order of the layout. NaN in an action counts
/// as the `low` of its field; other values are clipped to `low..=high`. Finished lanes do not reset
/// themselves: they keep their state and their reward is 0 until the caller resets them.
pub trait BatchEnvironment: Send {
    /// Shapes and meanings.
    fn layout(&self) -> &BatchLayout;

    /// Arranges the buffers of actions and observations from now on; the first arrangement is
    /// [`Layout::LaneMajor`]. Returns false, and changes nothing, where the environment does not offer
    /// `layout`; every one offers `LaneMajor`.
    fn arrange(&mut self, layout: Layout) -> bool {
        layout == Layout::LaneMajor
    }

    /// Restarts lane `lane` with the episode that `seed` draws. Does nothing when the lane does not
    /// exist.
    fn reset_lane(&mut self, lane: usize, seed: Seed);

    /// Writes the observation of every lane.
    ///
    /// # Errors
    /// When the buffer has the wrong length.
    fn observe_into(&self, obs: &mut [f32]) -> Result<(), ShapeError>;

    /// Applies one action per lane, then writes the lane's observation, its reward and whether it is
    /// done.
    ///
    /// # Errors
    /// When a buffer has the wrong length. No lane is stepped in that case.
    fn step_batch(
        &mut self,
        actions: &[f32],
        obs: &mut [f32],
        rewards: &mut [f32],
        dones: &mut [bool],
    ) -> Result<(), ShapeError>;

    /// The score of a lane so far, in the unit of the score.
    fn lane_value(&self, lane: usize) -> Option<f64>;

    /// A single environment at the start of the episode that lane `lane` plays. Tests step it with
    /// the actions of the lane and compare. `None` when the lane does not exist.
    fn reference_env(&self, lane: usize) -> Option<Box<dyn ToolEnvironment>>;

    /// The typed action, as JSON, that the action vector of one lane encodes.
    fn action_value(&self, action: &[f32]) -> Value;
}
