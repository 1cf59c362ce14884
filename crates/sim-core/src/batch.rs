//! Many independent episodes stepped at once over flat arrays, for reinforcement learning.
//!
//! A simulator says by [`LaneSpec`] how its episodes are played as numbers, and [`LaneBatch`] is its batch.

use crate::environment::Environment;
use crate::error::{ConfigError, ShapeError};
use crate::seed::Seed;
use crate::spec::Episode;
use crate::tool::ToolEnvironment;
use crate::tool_adapter::ToolAdapter;
use crate::tool_interface::ToolInterface;
use serde::Serialize;
use serde_json::Value;
use std::fmt;

/// What the values of a [`Field`] are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueKind {
    /// Any number of the range.
    #[default]
    Real,
    /// Whole numbers with an order (units, weeks); an action is rounded to the nearest.
    Whole,
    /// Numbers of alternatives from 0 to `high`, without an order (entries of a menu).
    Choice,
}

/// One number of an observation or action vector.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Field {
    /// Name (`on_hand`).
    pub name: String,
    /// Unit (`cases`), empty for none.
    pub unit: &'static str,
    /// Smallest value.
    pub low: f32,
    /// Largest value, `f32::MAX` for no limit; values beyond are clipped to it in an action.
    pub high: f32,
    /// Typical size, to divide an observation by before learning.
    pub scale: f32,
    /// Of an action: the largest value that sensible play uses, at most `high`. A learner's range of
    /// -1 to 1 maps to `low..=useful`; larger actions remain valid.
    pub useful: f32,
    /// What its values are.
    pub kind: ValueKind,
}

impl Field {
    /// A real number in `low..=high` of typical size `scale`; its whole range is useful.
    ///
    /// ```
    /// use sim_core::batch::{Field, ValueKind};
    ///
    /// let order = Field::new("quantity", "units", 0.0, 5_000.0, 100.0).whole().useful(1_500.0);
    /// assert_eq!((order.kind, order.high, order.useful), (ValueKind::Whole, 5_000.0, 1_500.0));
    /// ```
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        unit: &'static str,
        low: f32,
        high: f32,
        scale: f32,
    ) -> Self {
        Self {
            name: name.into(),
            unit,
            low,
            high,
            scale,
            useful: high,
            kind: ValueKind::Real,
        }
    }

    /// The same, of whole numbers.
    #[must_use]
    pub fn whole(self) -> Self {
        Self {
            kind: ValueKind::Whole,
            ..self
        }
    }

    /// The same, with the largest value that sensible play uses.
    #[must_use]
    pub fn useful(self, useful: f32) -> Self {
        // Actions above `high` are clipped to it, so a larger value would only waste a learner's range.
        Self {
            useful: useful.min(self.high),
            ..self
        }
    }
}

/// How the rewards of an episode relate to its score: their sum is `sign` times the score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Reward {
    /// What one step earns, in one sentence.
    pub about: &'static str,
    /// 1 where the sum of rewards is the score, -1 where it is minus the score (a cost).
    pub sign: f64,
    /// Typical size of one step's reward under sensible play, to divide by before learning; above 0.
    pub scale: f64,
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
/// use sim_core::batch::Reward;
///
/// let layout = BatchLayout {
///     lanes: 3,
///     horizon: 25,
///     observation: Vec::new(),
///     action: Vec::new(),
///     reward: Reward { about: "minus the cost of the week", sign: -1.0, scale: 400.0 },
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
    /// Largest number of steps in an episode.
    pub horizon: u32,
    /// Fields of one lane's observation.
    pub observation: Vec<Field>,
    /// Fields of one lane's action.
    pub action: Vec<Field>,
    /// How the rewards relate to the score.
    pub reward: Reward,
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
        rewards: &[f64],
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
/// Lane `k` of a new batch plays episode `k` of its run. Buffers hold one lane after the other, or one
/// field after the other if the caller [`arrange`](Self::arrange)s them so; fields are in the order of the
/// layout. NaN in an action counts as the `low` of its field; other values are clipped to `low..=high`, so
/// no action is refused. Finished lanes do not reset themselves: they keep their state and their reward is 0
/// until the caller resets them. [`Lanes`](crate::Lanes) adds what learners need: resets by themselves,
/// numbers of episodes, snapshots, records.
///
/// Rewards are doubles, so that their sum is the score to the last few digits.
pub trait BatchEnvironment: Send + Sync {
    /// Shapes and meanings.
    fn layout(&self) -> &BatchLayout;

    /// Changes the arrangement of the buffers of actions and observations; it is [`Layout::LaneMajor`]
    /// at first. Returns false, and changes nothing, if the environment does not offer `layout`; every
    /// environment offers `LaneMajor`.
    fn arrange(&mut self, layout: Layout) -> bool {
        layout == Layout::LaneMajor
    }

    /// Restarts lane `lane` with `episode`.
    ///
    /// # Errors
    /// When the lane does not exist, the episode cannot be drawn, or the lane cannot play it. The lane is
    /// unchanged then.
    fn reset_lane(&mut self, lane: usize, episode: Episode) -> Result<(), ConfigError>;

    /// Writes the observation of every lane. The default calls [`observe_lane`](Self::observe_lane) lane by
    /// lane; an environment that offers [`Layout::FieldMajor`] writes its own.
    ///
    /// # Errors
    /// When the buffer has the wrong length.
    fn observe_into(&self, obs: &mut [f32]) -> Result<(), ShapeError> {
        let layout = self.layout();
        ShapeError::check("obs", obs.len(), layout.observation_len())?;
        // An observation may have no fields, and a chunk must not be empty.
        let rows = obs.chunks_exact_mut(layout.observation.len().max(1));
        for (lane, row) in rows.enumerate() {
            self.observe_lane(lane, row)?;
        }
        Ok(())
    }

    /// Writes the observation of one lane, one number for each field. Nothing is written when the lane does
    /// not exist.
    ///
    /// # Errors
    /// When the buffer has the wrong length.
    fn observe_lane(&self, lane: usize, obs: &mut [f32]) -> Result<(), ShapeError>;

    /// Applies one action per lane, then writes the lane's observation, its reward and whether it is
    /// done.
    ///
    /// # Errors
    /// When a buffer has the wrong length. No lane is stepped in that case.
    fn step_batch(
        &mut self,
        actions: &[f32],
        obs: &mut [f32],
        rewards: &mut [f64],
        dones: &mut [bool],
    ) -> Result<(), ShapeError>;

    /// The score of a lane so far, in the unit of the score.
    fn lane_value(&self, lane: usize) -> Option<f64>;

    /// A single environment at the start of the episode that lane `lane` plays. Tests step it with
    /// the actions of the lane and compare. `None` when the lane does not exist.
    fn reference_env(&self, lane: usize) -> Option<Box<dyn ToolEnvironment>>;

    /// The typed action, as JSON, that the action vector of one lane encodes.
    fn action_value(&self, action: &[f32]) -> Value;

    /// An independent copy that continues identically.
    fn fork(&self) -> Box<dyn BatchEnvironment>;
}

/// The error of a lane that does not exist.
#[must_use]
pub fn no_lane(lane: usize, lanes: usize) -> ConfigError {
    ConfigError::new(
        "lane",
        format!("there are {lanes} lanes, `{lane}` is not one"),
    )
}

/// How a simulator plays its episodes as numbers; [`LaneBatch`] is the batch of it.
///
/// The [`Lane`](Self::Lane) is the environment itself where that is fast enough. An environment that writes texts,
/// series or a history in every step can take several times as long as its numbers do; its simulator then has a lane
/// that keeps the numbers only, and the test kit compares it with the environment.
pub trait LaneSpec: Clone + fmt::Debug + Send + Sync + 'static {
    /// Settings of the simulator.
    type Config;
    /// Its environment.
    type Env: ToolInterface;
    /// One episode.
    type Lane: Clone + fmt::Debug + Send + Sync + 'static;

    /// Checks `config`, and makes what all lanes share. The first lane plays episode 0 of the run with seed `seed`.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    fn new(config: &Self::Config, seed: Seed) -> Result<Self, ConfigError>;

    /// Shapes and meanings. They are the same for all episodes of a configuration.
    fn layout(&self, lanes: usize) -> BatchLayout;

    /// The lane at the start of `episode`.
    ///
    /// # Errors
    /// When the episode cannot be drawn.
    fn begin(&self, episode: Episode) -> Result<Self::Lane, ConfigError>;

    /// The action that a vector encodes. Its numbers are in the ranges of their fields, but whole numbers are not
    /// rounded yet.
    fn read(&self, action: &[f32]) -> <Self::Env as Environment>::Action;

    /// Applies the action that a vector encodes to a lane that is not over, and returns its reward.
    // `&mut self` for working memory that all lanes share, which stays in the cache from lane to lane.
    fn step(&mut self, lane: &mut Self::Lane, action: &[f32]) -> f64;

    /// Whether the episode of the lane has ended.
    fn is_over(&self, lane: &Self::Lane) -> bool;

    /// Writes the observation, one number for each field.
    fn write(&self, lane: &Self::Lane, row: &mut [f32]);

    /// The score so far.
    fn value(&self, lane: &Self::Lane) -> f64;

    /// The environment at the start of the episode that the lane plays.
    ///
    /// # Errors
    /// When the episode cannot be drawn again.
    fn reference_env(&self, lane: &Self::Lane) -> Result<Self::Env, ConfigError>;
}

/// Applies an action to the environment of a lane.
// Every vector is a valid action, so a refusal is unreachable. If it came up after all, the lane would forfeit
// instead of never ending.
pub fn play<E: Environment>(env: &mut E, action: &E::Action) {
    if env.step(action).is_err() {
        env.forfeit();
    }
}

/// The batch of a simulator that plays one lane after the other.
///
/// Simulators whose step takes nanoseconds have batches of their own, which compute the same step of many lanes at
/// once; for all others this costs nothing, because a step takes longer than to find its lane.
#[derive(Clone)]
pub struct LaneBatch<S: LaneSpec> {
    spec: S,
    layout: BatchLayout,
    lanes: Vec<S::Lane>,
    /// Working memory: the action of the lane that is stepped.
    action: Vec<f32>,
}

impl<S: LaneSpec> LaneBatch<S> {
    /// `lanes` lanes; lane `k` starts with episode `k` of the run with seed `seed`.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    pub fn new(config: &S::Config, lanes: usize, seed: Seed) -> Result<Self, ConfigError> {
        Self::of(S::new(config, seed)?, lanes, seed)
    }

    /// [`new`](Self::new) with a `spec` that the caller has made.
    ///
    /// # Errors
    /// When an episode cannot be drawn.
    pub fn of(spec: S, lanes: usize, seed: Seed) -> Result<Self, ConfigError> {
        // All at once: a list that grows leaves as much memory behind as it takes.
        let mut begun = Vec::new();
        if begun.try_reserve_exact(lanes).is_err() {
            let message = format!("`{lanes}` lanes do not fit into memory");
            return Err(ConfigError::new("lanes", message));
        }
        for lane in 0..lanes {
            begun.push(spec.begin(Episode::of_run(seed, lane as u64))?);
        }
        Ok(Self {
            layout: spec.layout(lanes),
            lanes: begun,
            spec,
            action: Vec::new(),
        })
    }
}

/// Writes the numbers of an action to `clipped`, each clipped to its field; NaN counts as `low`.
// A learner may emit anything. Clipping instead of refusing keeps one bad lane from stopping a batch of thousands.
fn clip(fields: &[Field], action: &[f32], clipped: &mut Vec<f32>) {
    clipped.clear();
    clipped.extend(action.iter().zip(fields).map(|(&x, field)| {
        // NaN fails the first comparison.
        let x = if x >= field.low { x } else { field.low };
        if x <= field.high { x } else { field.high }
    }));
}

impl<S: LaneSpec> BatchEnvironment for LaneBatch<S> {
    fn layout(&self) -> &BatchLayout {
        &self.layout
    }

    fn reset_lane(&mut self, lane: usize, episode: Episode) -> Result<(), ConfigError> {
        let Some(slot) = self.lanes.get_mut(lane) else {
            return Err(no_lane(lane, self.layout.lanes));
        };
        // Drawn before the old lane is touched, which an error must leave as it was.
        *slot = self.spec.begin(episode)?;
        Ok(())
    }

    fn observe_lane(&self, lane: usize, obs: &mut [f32]) -> Result<(), ShapeError> {
        ShapeError::check("obs", obs.len(), self.layout.observation.len())?;
        if let Some(lane) = self.lanes.get(lane) {
            self.spec.write(lane, obs);
        }
        Ok(())
    }

    fn step_batch(
        &mut self,
        actions: &[f32],
        obs: &mut [f32],
        rewards: &mut [f64],
        dones: &mut [bool],
    ) -> Result<(), ShapeError> {
        self.layout.check(actions, obs, rewards, dones)?;
        let (seen, width) = (self.layout.observation.len(), self.layout.action.len());
        let lanes = self.lanes.iter_mut().zip(rewards).zip(dones);
        for (k, ((lane, reward), done)) in lanes.enumerate() {
            // The buffers are the caller's and hold the last step: a lane that is over must not
            // earn that reward again.
            *reward = 0.0;
            if !self.spec.is_over(lane) {
                let action = actions.get(k * width..(k + 1) * width).unwrap_or_default();
                clip(&self.layout.action, action, &mut self.action);
                *reward = self.spec.step(lane, &self.action);
            }
            *done = self.spec.is_over(lane);
            if let Some(row) = obs.get_mut(k * seen..(k + 1) * seen) {
                self.spec.write(lane, row);
            }
        }
        Ok(())
    }

    fn lane_value(&self, lane: usize) -> Option<f64> {
        self.lanes.get(lane).map(|lane| self.spec.value(lane))
    }

    fn reference_env(&self, lane: usize) -> Option<Box<dyn ToolEnvironment>> {
        // No error is lost here: the lane itself began with the episode that is drawn again.
        let env = self.spec.reference_env(self.lanes.get(lane)?).ok()?;
        Some(Box::new(ToolAdapter::new(env)))
    }

    fn action_value(&self, action: &[f32]) -> Value {
        // Clipped as in a step, so that the value is the action that the lane took, not the one
        // that the learner asked for: a record is made of these values.
        let mut clipped = Vec::new();
        clip(&self.layout.action, action, &mut clipped);
        crate::bytes::json(&self.spec.read(&clipped))
    }

    fn fork(&self) -> Box<dyn BatchEnvironment> {
        Box::new(self.clone())
    }
}

impl<S: LaneSpec> fmt::Debug for LaneBatch<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaneBatch")
            .field("spec", &self.spec)
            .field("lanes", &self.lanes.len())
            .finish_non_exhaustive()
    }
}

/// The first number of `a`, the first of `b`, the second of `a` and so on; `TWICE` is `2 * N`.
///
/// A few rounds of it turn rows of lanes into lanes of fields. A round is a loop that compilers turn into vector
/// instructions at every width, which they do not for one loop over lanes and fields.
#[inline(always)]
#[must_use]
pub fn interleaved<const N: usize, const TWICE: usize>(a: &[f32; N], b: &[f32; N]) -> [f32; TWICE] {
    const { assert!(TWICE == 2 * N, "room for both") };
    let mut both = [0.0; TWICE];
    for ((pair, a), b) in both.as_chunks_mut::<2>().0.iter_mut().zip(a).zip(b) {
        *pair = [*a, *b];
    }
    both
}
