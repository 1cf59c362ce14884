//! The typed side of a simulator: state, action, observation, feedback.

use crate::error::{ActionError, RestoreError};
use crate::score::{NotFinite, Score};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use std::fmt;

/// A position that an agent takes, with its own observations and actions (`retailer`, `cfo`). Most
/// environments have one seat, [`Seat::AGENT`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seat(pub Cow<'static, str>);

impl Seat {
    /// The only seat of an environment for one agent.
    pub const AGENT: Self = Self(Cow::Borrowed("agent"));

    /// The seat called `name`.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// The name of the seat.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }

    /// What its player is counted as: `judge` for the seats `judge` and `judge_1`, `judge_2` .., `interviewer` for the
    /// seat of that name, and `agent` for every other one, which is under test.
    ///
    /// ```
    /// use sim_core::Seat;
    /// let roles = ["judge_2", "interviewer", "cfo"].map(|name| Seat::named(name).role());
    /// assert_eq!(roles, ["judge", "interviewer", "agent"]);
    /// ```
    #[must_use]
    pub fn role(&self) -> &'static str {
        role_of(&self.0)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The role of the player of the seat `name`, as [`Seat::role`] says.
#[must_use]
pub fn role_of(name: &str) -> &'static str {
    match name.split_once('_').map_or(name, |(name, _)| name) {
        "interviewer" => "interviewer",
        "judge" => "judge",
        _ => "agent",
    }
}

/// A simulator with typed actions and observations, as policies, reinforcement learning and tests use it.
///
/// An environment is a *value*: the shared, immutable instance (usually behind an `Arc`) and a
/// [`State`](Self::State). Cloning it forks the episode; a saved state can be restored in another
/// process and continues identically. An environment does no input or output, reads no clock, and
/// draws random numbers only from [`Seed::stream`](crate::Seed::stream) by period, so no generator is
/// part of the state.
///
/// Several agents act in turns: [`turn`](Self::turn) is the seat whose observation
/// [`observe`](Self::observe) returns and whose action [`step`](Self::step) applies. Simultaneous
/// decisions are kept in the state, hidden from the other seats, until all seats have decided.
pub trait Environment: Clone + Send + Sync + 'static {
    /// Everything that changes during an episode.
    type State: Clone + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// One decision of one seat.
    type Action: Clone + Serialize + DeserializeOwned + Send + 'static;
    /// What the seat in turn sees: a separate type, so that hidden state cannot leak.
    type Observation: Clone + Serialize + DeserializeOwned + Send + 'static;
    /// What the seat learns right after its decision.
    type Feedback: Clone + Serialize + Send + Sync + 'static;

    /// The current state.
    fn state(&self) -> &Self::State;

    /// Replaces the current state by a saved one.
    ///
    /// # Errors
    /// When the state does not fit this instance (lengths, ranges). The environment is unchanged then.
    fn set_state(&mut self, state: Self::State) -> Result<(), RestoreError>;

    /// All seats, in the order in which they act.
    fn seats(&self) -> Vec<Seat> {
        vec![Seat::AGENT]
    }

    /// The seat that acts next.
    fn turn(&self) -> Seat {
        Seat::AGENT
    }

    /// Whether the decisions of a period are simultaneous: what a seat sees and may do does not depend
    /// on what the seats before it decided in the same period. A server then takes the decisions of a
    /// period in any order and applies them in the order of the seats.
    fn simultaneous(&self) -> bool {
        false
    }

    /// The observation of the seat in turn.
    fn observe(&self) -> Self::Observation;

    /// Applies one action of the seat in turn.
    ///
    /// # Errors
    /// When the rules refuse the action. The environment is unchanged then.
    fn step(&mut self, action: &Self::Action) -> Result<Self::Feedback, ActionError>;

    /// Continues without an action of the seat in turn. Always possible before the end; the score records
    /// it as an incident. After the end it changes nothing.
    fn forfeit(&mut self) -> Self::Feedback;

    /// Whether the episode has ended.
    fn is_over(&self) -> bool;

    /// The score so far; final when the episode is over. It is cheap: it never solves an optimisation
    /// problem.
    ///
    /// # Errors
    /// When the value is not a finite number.
    fn score(&self) -> Result<Score, NotFinite>;

    /// Whether the agent of `seat` may know the metric `metric` of the score: it follows from what that seat has
    /// observed and done.
    ///
    /// Memories and searches for instructions get these metrics and the value of the score, and no others. By
    /// default no metric is seen, so that a new metric cannot tell hidden state.
    fn sees_metric(&self, seat: &Seat, metric: &str) -> bool {
        let _ = (seat, metric);
        false
    }
}
