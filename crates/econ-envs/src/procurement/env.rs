//! The environment: state, steps and score of a run.
//!
//! ```
//! use econ_envs::procurement::observation::PlanOutcome;
//! use econ_envs::procurement::{Action, Config, Instance, Procurement};
//! use sim_core::{Environment, Episode, Seed};
//! use std::sync::Arc;
//!
//! let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(3), 0))?;
//! let seed_plan = Action::new(instance.seed_plan.iter().copied())?;
//! let mut env = Procurement::new(Arc::new(instance))?;
//!
//! // An offer that does not exist is refused; the period goes on.
//! assert!(env.step(&Action::from_counts(&[1; 13])?).is_err());
//! assert_eq!(env.observe().attempt, 0);
//! // The budget was made from this plan, so it fits; it covers every category unless a minimum fails.
//! let result = env.step(&seed_plan)?;
//! assert!(matches!(result.outcome, PlanOutcome::Supports { workers, .. } if workers > 0.0));
//! // A thousand copies of everything do not fit.
//! let result = env.step(&Action::from_counts(&[1_000; 12])?)?;
//! assert!(matches!(result.outcome, PlanOutcome::NotAllowed { over_budget: Some(_), .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::action::{Action, Lines, canonical};
use super::evaluate::{Evaluator, PlanEvaluation, shown_workers};
use super::instance::Instance;
use super::menu::OfferId;
use super::observation::{Feedback, Observation, PlanOutcome, Shortfall};
use crate::metrics;
use serde::{Deserialize, Serialize};
use sim_core::{
    ActionError, ConfigError, Environment, Incident, NotFinite, RestoreError, Score, Seat,
};
use std::sync::Arc;

/// Everything that changes during a run.
///
/// Only the plans are stored: results follow from the instance, and `set_state` computes
/// them again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The plans of the finished periods, in order; `None` for a forfeited period.
    pub attempts: Vec<Option<Lines>>,
}

/// A run of the procurement environment.
///
/// One period, in this order:
/// 1. the plan is refused when it names an offer that does not exist;
/// 2. it is evaluated: a plan within the budget whose lines keep their minimum quantities supports
///    workers, any other plan is not allowed and supports none;
/// 3. the result is added to the history and the period ends.
///
/// The market never changes. The score is the number of workers of the best allowed plan, 0 when there
/// is none.
///
/// The history is shared behind `Arc`s, so observing costs one pointer per finished
/// period.
#[derive(Debug, Clone)]
pub struct Procurement {
    shared: Arc<Shared>,
    state: State,
    /// Results of the plans in `state`. INVARIANT: as many entries as `state.attempts`.
    // The evaluation as well, because the score takes the exact workers and the feedback has them
    // rounded.
    attempts: Vec<(Arc<Feedback>, Option<PlanEvaluation>)>,
}

#[derive(Debug)]
struct Shared {
    instance: Arc<Instance>,
    evaluator: Evaluator,
}

impl Procurement {
    /// A run at its start.
    ///
    /// # Errors
    /// When [`Instance::check`] refuses the instance.
    pub fn new(instance: Arc<Instance>) -> Result<Self, ConfigError> {
        let evaluator = Evaluator::new(&instance)?;
        Ok(Self {
            shared: Arc::new(Shared {
                instance,
                evaluator,
            }),
            state: State::default(),
            attempts: Vec::new(),
        })
    }

    /// The instance being played, including its hidden parts.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.shared.instance
    }

    /// The finished periods.
    pub(super) fn attempts(&self) -> impl ExactSizeIterator<Item = &Feedback> {
        self.attempts.iter().map(|(attempt, _)| &**attempt)
    }

    /// Number of the running period, from 0.
    pub(super) fn attempt(&self) -> u32 {
        u32::try_from(self.attempts.len()).unwrap_or(u32::MAX)
    }

    fn record(&mut self, plan: Option<Lines>) -> Arc<Feedback> {
        let evaluation = plan
            .as_ref()
            .map(|lines| self.shared.evaluator.evaluate(lines));
        let outcome = match (&plan, &evaluation) {
            (Some(lines), Some(evaluation)) => self.outcome(lines, evaluation),
            _ => PlanOutcome::Forfeited,
        };
        let attempt = Arc::new(Feedback {
            plan: plan.clone(),
            outcome,
        });
        self.state.attempts.push(plan);
        self.attempts.push((Arc::clone(&attempt), evaluation));
        attempt
    }

    fn outcome(&self, lines: &[(OfferId, u32)], evaluation: &PlanEvaluation) -> PlanOutcome {
        if evaluation.is_feasible() {
            return PlanOutcome::Supports {
                workers: shown_workers(evaluation.workers),
                cost_cents: evaluation.cost_cents,
            };
        }
        let offers = &self.shared.instance.menu.offers;
        let under_minimum = lines.iter().filter_map(|&(offer, copies)| {
            let needed = offers.get(offer.index())?.min_copies();
            (copies > 0 && copies < needed).then_some(Shortfall {
                offer,
                copies,
                needed,
            })
        });
        PlanOutcome::NotAllowed {
            under_minimum: under_minimum.collect(),
            over_budget: evaluation.over_budget.then_some(evaluation.cost_cents),
        }
    }

    /// The submitted plans with their evaluations.
    fn submitted(&self) -> impl Iterator<Item = (&Lines, &PlanEvaluation)> {
        self.state
            .attempts
            .iter()
            .zip(&self.attempts)
            .filter_map(|(plan, (_, evaluation))| Some((plan.as_ref()?, evaluation.as_ref()?)))
    }
}

impl Environment for Procurement {
    type State = State;
    type Action = Action;
    type Observation = Observation;
    type Feedback = Arc<Feedback>;

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        let refuse = |place: String, message: &str| Err(RestoreError::new(place, message));
        let periods = usize::try_from(self.shared.instance.rules.periods).unwrap_or(usize::MAX);
        if state.attempts.len() > periods {
            return refuse(
                "attempts".to_owned(),
                "there are more attempts than periods",
            );
        }
        for (number, lines) in state.attempts.iter().enumerate() {
            let Some(lines) = lines else { continue };
            let plan = Action::new(lines.iter().copied());
            let fits = plan.is_ok_and(|plan| {
                // `Action::new` merges two lines of one offer. No step stores such a plan, so a
                // state that has one is not of this game.
                plan.lines().len() == lines.len()
                    && plan.check(self.shared.evaluator.offers()).is_ok()
            });
            if !fits {
                return refuse(
                    format!("attempts.{number}"),
                    "the plan does not fit the menu",
                );
            }
        }
        self.state.attempts.clear();
        self.attempts.clear();
        for plan in state.attempts {
            self.record(plan);
        }
        Ok(())
    }

    fn observe(&self) -> Observation {
        Observation {
            attempt: self.attempt(),
            menu: Arc::clone(&self.shared.instance.menu),
            history: self
                .attempts
                .iter()
                .map(|(attempt, _)| Arc::clone(attempt))
                .collect(),
        }
    }

    fn step(&mut self, plan: &Action) -> Result<Arc<Feedback>, ActionError> {
        if self.is_over() {
            return Err(ActionError::episode_over());
        }
        // 1. Check the plan.
        plan.check(self.shared.evaluator.offers())?;
        // 2 and 3. Evaluate and add to the history.
        Ok(self.record(Some(plan.lines().into())))
    }

    fn forfeit(&mut self) -> Arc<Feedback> {
        if self.is_over() {
            return Arc::new(Feedback {
                plan: None,
                outcome: PlanOutcome::Forfeited,
            });
        }
        self.record(None)
    }

    fn is_over(&self) -> bool {
        self.attempt() >= self.shared.instance.rules.periods
    }

    /// The value is the number of workers of the best allowed plan, 0 when there is none. The paper's
    /// score is this value divided by the reference.
    ///
    /// Metrics: `plans`, `feasible_share`, `best_attempt` (number of the period),
    /// `budget_utilization` with its loose variant, `exploration_rate`. Incidents:
    /// `forfeited_period`.
    fn score(&self) -> Result<Score, NotFinite> {
        let mut best: Option<(usize, f64)> = None;
        let (mut plans, mut feasible) = (0_u32, 0_u32);
        for (number, (_, evaluation)) in self.attempts.iter().enumerate() {
            let Some(evaluation) = evaluation else {
                continue;
            };
            plans += 1;
            if evaluation.is_feasible() {
                feasible += 1;
                if best.is_none_or(|(_, most)| evaluation.workers > most) {
                    best = Some((number, evaluation.workers));
                }
            }
        }
        let budget = self.shared.instance.menu.budget_cents;
        let strict = self
            .submitted()
            .map(|(_, e)| e.is_feasible().then_some(e.cost_cents));
        let loose = self.submitted().map(|(_, e)| Some(e.cost_cents));
        let canonical = self.submitted().map(|(lines, _)| canonical(lines));
        #[expect(clippy::cast_precision_loss, reason = "numbers of periods")]
        let best_attempt = best.map(|(number, _)| number as f64);
        // NaN before the first plan; `metric` leaves it out.
        let share = f64::from(feasible) / f64::from(plans);
        Ok(Score::new(best.map_or(0.0, |(_, workers)| workers))?
            .metric("plans", f64::from(plans))
            .metric("feasible_share", share)
            .metric("best_attempt", best_attempt)
            .metric(
                "budget_utilization",
                metrics::budget_utilization(strict, budget),
            )
            .metric(
                "budget_utilization_loose",
                metrics::budget_utilization(loose, budget),
            )
            .metric("exploration_rate", metrics::exploration_rate(canonical))
            .incidents(
                self.attempts
                    .iter()
                    .zip(0..)
                    .filter(|((_, e), _)| e.is_none())
                    .map(|(_, period)| Incident::forfeited(period, "no plan was submitted")),
            ))
    }

    /// All: they follow from the menu, the plans and their results.
    fn sees_metric(&self, _: &Seat, _: &str) -> bool {
        true
    }
}
