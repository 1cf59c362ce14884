//! The typed side of a simulator: state, action, observation, step.

use crate::error::{ActionError, RestoreError};
use crate::score::{NotFinite, Score};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use std::fmt;

/// Who acts: a role with a view and decisions of its own (`retailer`, `cfo`). Most environments
/// have one seat, [`Seat::AGENT`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seat(pub Cow<'static, str>);

impl Seat {
    /// The only seat of an environment for one mind.
    pub const AGENT: Self = Self(Cow::Borrowed("agent"));

    /// The seat called `name`.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A simulator with types of its own: what policies, reinforcement learning and tests drive.
///
/// An environment is a *value*: the shared, immutable instance (usually behind an `Arc`) and a
/// [`State`](Self::State). Cloning it forks the world; saving and restoring the state moves it
/// elsewhere, and it goes on identically. It does no input or output, reads no clock, and draws
/// chance only from [`Seed::stream`](crate::Seed::stream) by period, so no generator is part of
/// the state.
///
/// Where several minds act, they act in turns: [`turn`](Self::turn) names the seat whose view
/// [`observe`](Self::observe) gives and whose decision [`step`](Self::step) takes. Decisions that
/// the rules call simultaneous are kept sealed in the state until the last one is in.
pub trait Environment: Clone + Send + 'static {
    /// Everything that changes during an episode.
    type State: Clone + Serialize + DeserializeOwned + Send + 'static;
    /// One decision of one seat.
    type Action: Clone + Serialize + DeserializeOwned + Send + 'static;
    /// What the seat in turn may see: a type of its own, so that hidden state cannot leak.
    type Observation: Clone + Serialize + DeserializeOwned + Send + 'static;
    /// What the seat learns right after its decision.
    type Feedback: Clone + Serialize + Send + 'static;

    /// The current state.
    fn state(&self) -> &Self::State;

    /// Puts a saved state in place of the current one.
    ///
    /// # Errors
    /// When the state does not fit this instance (lengths, ranges); nothing is changed then.
    fn set_state(&mut self, state: Self::State) -> Result<(), RestoreError>;

    /// All seats, in the order in which they act.
    fn seats(&self) -> Vec<Seat> {
        vec![Seat::AGENT]
    }

    /// The seat that acts next.
    fn turn(&self) -> Seat {
        Seat::AGENT
    }

    /// What the seat in turn sees now.
    fn observe(&self) -> Self::Observation;

    /// Applies one decision of the seat in turn.
    ///
    /// # Errors
    /// When the rules refuse the action; the environment is exactly as before then.
    fn step(&mut self, action: &Self::Action) -> Result<Self::Feedback, ActionError>;

    /// Goes on without a decision of the seat in turn. Always possible before the end, always
    /// visible in the score's incidents.
    fn forfeit(&mut self) -> Self::Feedback;

    /// Whether the episode has ended.
    fn is_over(&self) -> bool;

    /// The score so far; final once the episode is over. Cheap: it never solves anything.
    ///
    /// # Errors
    /// When the value is not a finite number.
    fn score(&self) -> Result<Score, NotFinite>;
}
