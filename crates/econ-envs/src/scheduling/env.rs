//! The environment: state, steps and score of a run.
//!
//! ```
//! use econ_envs::scheduling::stable::worker_optimal;
//! use econ_envs::scheduling::{Action, Config, Instance, Scheduling};
//! use sim_core::{Environment, Episode, Seed};
//! use std::sync::Arc;
//!
//! let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(5), 0))?;
//! let stable = worker_optimal(&instance.preferences)?;
//! let mut env = Scheduling::new(Arc::new(instance))?;
//! let first = Action::new((0..10).collect());
//! let shown = env.step(&first)?.problems;
//! // The same assignment is shown with the same pairs, so repeating it teaches nothing.
//! assert_eq!(env.step(&first)?.problems, shown);
//! // A stable assignment ends the run at once.
//! assert!(env.step(&Action::new(stable))?.stable);
//! assert!(env.is_over());
//! assert_eq!(env.score()?.value(), 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::action::Action;
use super::blocking::{BlockingPairs, Pair};
use super::instance::Instance;
use super::market::Market;
use super::observation::{Feedback, Observation};
use super::shown::Scratch;
use crate::metrics;
use serde::{Deserialize, Serialize};
use sim_core::{
    ActionError, ConfigError, Environment, Incident, NotFinite, RestoreError, Score, Seat,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// One period of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// The submitted assignment; absent when the period was forfeited.
    pub assignment: Option<Action>,
    /// Number of pairs that block it (0 for a forfeit); never shown to the agent.
    pub blocking: u32,
    /// The blocking pairs that were shown.
    pub shown: Vec<Pair>,
}

/// Everything that changes during a run.
///
/// Shown pairs are stored, because they were drawn; `set_state` checks that they are
/// blocking pairs of the assignment, and as many as the rules show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The finished periods, in order.
    pub attempts: Vec<Attempt>,
}

/// A run of the scheduling environment.
///
/// One period, in this order:
/// 1. the assignment is checked (every worker and every task exactly once) and refused when it is
///    wrong;
/// 2. its blocking pairs are counted; the run ends at once when there are none;
/// 3. when the same assignment was submitted before, the same pairs are shown again; otherwise all
///    of them if there are at most `shown`, else `shown` of them, drawn without replacement, in
///    random order;
/// 4. the attempt is added to the record and the period ends.
///
/// The score is `1 - B / E`: `B` blocking pairs of the last assignment submitted, `E` the exact
/// expectation for a random assignment. After a forfeited period the assignment before it still
/// counts; the score of a run without any assignment is 0, the mean of a random assignment.
#[derive(Debug, Clone)]
pub struct Scheduling {
    market: Arc<Market>,
    state: State,
}

impl Scheduling {
    /// A run at its start.
    ///
    /// # Errors
    /// When [`Instance::check`] refuses the instance.
    pub fn new(instance: Arc<Instance>) -> Result<Self, ConfigError> {
        instance.check()?;
        Ok(Self {
            market: Arc::new(Market::of_checked(Arc::unwrap_or_clone(instance))),
            state: State::default(),
        })
    }

    /// The instance being played.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.market.instance
    }

    /// The finished periods.
    #[must_use]
    pub fn attempts(&self) -> &[Attempt] {
        &self.state.attempts
    }

    /// Expected blocking pairs of a random assignment: the denominator of the score.
    ///
    /// Exact, and above 0 in every market with more than two workers.
    #[must_use]
    pub fn expected_blocking(&self) -> f64 {
        self.market.evaluator.expected_blocking()
    }

    /// Number of the running period, from 0.
    pub(crate) fn attempt(&self) -> u32 {
        u32::try_from(self.state.attempts.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn final_attempt(&self) -> bool {
        self.attempt().saturating_add(1) >= self.market.instance.config.periods
    }

    /// The last assignment submitted, with its number of blocking pairs.
    pub(crate) fn standing(&self) -> Option<(&Action, u32)> {
        self.state.attempts.iter().rev().find_map(|a| {
            a.assignment
                .as_ref()
                .map(|assignment| (assignment, a.blocking))
        })
    }

    fn feedback_of(attempt: u32, past: &Attempt) -> Feedback {
        Feedback {
            attempt,
            task_of: past.assignment.as_ref().map(|a| a.task_of.clone()),
            stable: past.assignment.is_some() && past.blocking == 0,
            problems: past.shown.clone(),
        }
    }
}

impl Environment for Scheduling {
    type State = State;
    type Action = Action;
    type Observation = Observation;
    type Feedback = Feedback;

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        let fail = |index: usize, message: &str| {
            Err(RestoreError::new(format!("attempts.{index}"), message))
        };
        if state.attempts.len() > self.market.instance.config.periods as usize {
            return fail(state.attempts.len(), "there are more attempts than periods");
        }
        for (index, past) in state.attempts.iter().enumerate() {
            let Some(assignment) = &past.assignment else {
                if past.blocking != 0 || !past.shown.is_empty() {
                    return fail(index, "a forfeited attempt has no blocking pairs");
                }
                continue;
            };
            if let Err(error) = assignment.check(self.market.evaluator.kernel.size()) {
                return fail(index, &error.message);
            }
            let mut blocking = BlockingPairs::default();
            let kernel = &self.market.evaluator.kernel;
            kernel.blocking_into(&assignment.task_of, &mut blocking);
            if blocking.count() != past.blocking as usize {
                return fail(
                    index,
                    "the number of blocking pairs is not that of the assignment",
                );
            }
            let pairs = blocking.list();
            if past
                .shown
                .iter()
                .any(|pair| pairs.binary_search(pair).is_err())
            {
                return fail(index, "a pair is listed that does not block the assignment");
            }
            let shown: BTreeSet<Pair> = past.shown.iter().copied().collect();
            let most = self.market.evaluator.shown;
            if shown.len() != past.shown.len() || shown.len() != pairs.len().min(most) {
                return fail(
                    index,
                    "not as many different pairs are listed as the rules show",
                );
            }
            if past.blocking == 0 && index + 1 != state.attempts.len() {
                return fail(index, "the run goes on after a stable assignment");
            }
        }
        self.state = state;
        Ok(())
    }

    fn observe(&self) -> Observation {
        let attempt = self.attempt();
        Observation {
            workers: self.market.instance.config.workers,
            attempt,
            final_attempt: self.final_attempt(),
            previous: self
                .state
                .attempts
                .last()
                .map(|past| Self::feedback_of(attempt.saturating_sub(1), past)),
        }
    }

    fn step(&mut self, action: &Action) -> Result<Feedback, ActionError> {
        if self.is_over() {
            return Err(ActionError::episode_over());
        }
        // 1. Check the assignment.
        action.check(self.market.evaluator.kernel.size())?;
        // 2 and 3. Count the blocking pairs and choose those that are shown.
        let attempt = self.attempt();
        let mut shown = Vec::new();
        let mut scratch = Scratch::default();
        let blocking =
            self.market
                .evaluator
                .answer(&action.task_of, attempt, &mut scratch, &mut shown);
        let mut earlier = self.state.attempts.iter();
        let same = |a: &&Attempt| {
            let before = a.assignment.as_ref();
            before.is_some_and(|before| before.task_of == action.task_of)
        };
        // After the draw, not instead of it: the draws of a period depend on its number
        // only, so skipping them would change nothing for later periods and save little.
        if let Some(past) = earlier.find(same) {
            shown.clone_from(&past.shown);
        }
        // 4. Add to the record.
        let past = Attempt {
            assignment: Some(action.clone()),
            blocking,
            shown,
        };
        let feedback = Self::feedback_of(attempt, &past);
        self.state.attempts.push(past);
        Ok(feedback)
    }

    fn forfeit(&mut self) -> Feedback {
        let past = Attempt {
            assignment: None,
            blocking: 0,
            shown: Vec::new(),
        };
        let feedback = Self::feedback_of(self.attempt(), &past);
        if !self.is_over() {
            self.state.attempts.push(past);
        }
        feedback
    }

    fn is_over(&self) -> bool {
        self.attempt() >= self.market.instance.config.periods
            || self
                .state
                .attempts
                .last()
                .is_some_and(|a| a.assignment.is_some() && a.blocking == 0)
    }

    /// Negative when the last assignment is worse than a random one. Metrics: `solved`,
    /// `attempts`, `best_so_far_rate` with its variant, `exploration_rate`,
    /// `blocking_pairs`, `best_attempt` (value of the best assignment). Incidents:
    /// `forfeited_period`, `nothing_submitted`.
    fn score(&self) -> Result<Score, NotFinite> {
        let standing = self.standing();
        let submitted = || {
            self.state
                .attempts
                .iter()
                .filter(|a| a.assignment.is_some())
        };
        let counts = || submitted().map(|a| a.blocking as usize);
        let stable = standing.is_some_and(|(_, blocking)| blocking == 0);
        let forfeits = (0_u32..)
            .zip(&self.state.attempts)
            .filter(|(_, a)| a.assignment.is_none());
        let value_of = |blocking| self.market.evaluator.value_of(blocking);
        let mut score = Score::new(standing.map_or(0.0, |(_, blocking)| value_of(blocking)))?
            .metric("solved", f64::from(u8::from(stable)))
            .metric("attempts", f64::from(self.attempt()))
            .metric(
                "best_so_far_rate",
                metrics::best_so_far_rate(counts(), true),
            )
            .metric(
                "best_so_far_rate_without_first",
                metrics::best_so_far_rate(counts(), false),
            )
            .metric(
                "exploration_rate",
                metrics::exploration_rate(
                    submitted()
                        .filter_map(|a| a.assignment.as_ref())
                        .map(|a| &a.task_of),
                ),
            )
            .incidents(forfeits.map(|(period, _)| {
                Incident::forfeited(period, "no assignment was submitted; the one before stands")
            }));
        if let Some((_, blocking)) = standing {
            let best = counts()
                .min()
                .and_then(|b| u32::try_from(b).ok())
                .unwrap_or(blocking);
            score = score
                .metric("blocking_pairs", f64::from(blocking))
                .metric("best_attempt", value_of(best));
        } else if self.is_over() {
            score = score.incidents([Incident {
                code: "nothing_submitted".to_owned(),
                period: self.attempt().saturating_sub(1),
                note: "the run ended without any assignment and scores 0".to_owned(),
            }]);
        }
        Ok(score)
    }

    /// The agent's own assignments. A period shows a few blocking pairs, but not how many there are.
    fn sees_metric(&self, _: &Seat, metric: &str) -> bool {
        matches!(metric, "solved" | "attempts" | "exploration_rate")
    }
}
