//! The market over its periods: plans in, workers or reasons out.
//!
//! One period: the agent reads what it wants, submits a plan, and learns either how many workers
//! the plan supports and what it costs, or why it is not allowed. Nothing carries over between
//! periods but this knowledge; the market never changes. The episode ends after the last period.

use super::evaluate::{Evaluation, Ledger, shown_workers};
use super::instance::Instance;
use super::menu::{Menu, OfferId};
use super::plan::PurchasePlan;
use crate::metrics;
use serde::{Deserialize, Serialize};
use sim_core::{ActionError, ConfigError, Environment, Incident, NotFinite, RestoreError, Score};
use std::sync::Arc;

/// Lines of a plan in the order in which they were named.
pub type Lines = Arc<[(OfferId, u32)]>;

/// Everything that changes: what was submitted in each period, `None` where nothing was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// One entry a finished period.
    pub attempts: Vec<Option<Lines>>,
}

/// A finished period as an agent may see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attempt {
    /// What was submitted; absent when nothing was.
    pub plan: Option<Lines>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What an agent learns of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The plan was allowed.
    Supports {
        /// Workers, rounded to two decimals.
        workers: f64,
        /// Its cost \[cents\].
        cost_cents: i64,
    },
    /// The plan was not allowed.
    NotAllowed {
        /// Lines under their minimum quantity.
        under_minimum: Vec<Shortfall>,
        /// Its cost \[cents\], lines under their minimum counted as 0, when over the budget.
        over_budget: Option<i64>,
    },
    /// Nothing was submitted.
    Forfeited,
}

/// A line under its minimum quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Shortfall {
    /// The offer.
    pub offer: OfferId,
    /// Copies that were to be bought.
    pub copies: u32,
    /// Copies that are needed.
    pub needed: u32,
}

/// What an agent sees.
#[derive(Debug, Clone, Serialize)]
pub struct Observation {
    /// Number of the running period, from 0.
    pub attempt: u32,
    /// Products, offers and budget.
    pub menu: Arc<Menu>,
    /// The finished periods.
    pub history: Vec<Arc<Attempt>>,
}

/// The environment: a shared market and the plans so far.
#[derive(Debug, Clone)]
pub struct Market {
    shared: Arc<Shared>,
    state: State,
    /// Derived from the state, entry by entry.
    attempts: Vec<(Arc<Attempt>, Option<Evaluation>)>,
}

#[derive(Debug)]
struct Shared {
    instance: Arc<Instance>,
    ledger: Ledger,
}

impl Market {
    /// A market at its first period.
    ///
    /// # Errors
    /// When [`Instance::check`] refuses it.
    pub fn new(instance: Arc<Instance>) -> Result<Self, ConfigError> {
        instance.check()?;
        let ledger = Ledger::new(&instance);
        Ok(Self {
            shared: Arc::new(Shared { instance, ledger }),
            state: State::default(),
            attempts: Vec::new(),
        })
    }

    /// The market that is played, hidden parts included.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.shared.instance
    }

    /// The finished periods.
    pub(super) fn attempts(&self) -> impl ExactSizeIterator<Item = &Attempt> {
        self.attempts.iter().map(|(attempt, _)| &**attempt)
    }

    /// Number of the running period, from 0.
    pub(super) fn attempt(&self) -> u32 {
        u32::try_from(self.attempts.len()).unwrap_or(u32::MAX)
    }

    fn record(&mut self, plan: Option<Lines>) -> Arc<Attempt> {
        let evaluation = plan
            .as_ref()
            .map(|lines| self.shared.ledger.evaluate(lines));
        let outcome = match (&plan, &evaluation) {
            (Some(lines), Some(evaluation)) => self.outcome(lines, evaluation),
            _ => Outcome::Forfeited,
        };
        let attempt = Arc::new(Attempt {
            plan: plan.clone(),
            outcome,
        });
        self.state.attempts.push(plan);
        self.attempts.push((Arc::clone(&attempt), evaluation));
        attempt
    }

    fn outcome(&self, lines: &[(OfferId, u32)], evaluation: &Evaluation) -> Outcome {
        if evaluation.is_feasible() {
            return Outcome::Supports {
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
        Outcome::NotAllowed {
            under_minimum: under_minimum.collect(),
            over_budget: evaluation.over_budget.then_some(evaluation.cost_cents),
        }
    }

    /// Evaluations of the submitted plans, with the plans.
    fn submitted(&self) -> impl Iterator<Item = (&Lines, &Evaluation)> {
        self.state
            .attempts
            .iter()
            .zip(&self.attempts)
            .filter_map(|(plan, (_, evaluation))| Some((plan.as_ref()?, evaluation.as_ref()?)))
    }
}

impl Environment for Market {
    type State = State;
    type Action = PurchasePlan;
    type Observation = Observation;
    type Feedback = Arc<Attempt>;

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        let refuse = |place: String, message: &str| {
            Err(RestoreError {
                place,
                message: message.to_owned(),
            })
        };
        let periods = usize::try_from(self.shared.instance.rules.periods).unwrap_or(usize::MAX);
        if state.attempts.len() > periods {
            return refuse(
                "attempts".to_owned(),
                "there are more attempts than periods",
            );
        }
        for (number, lines) in state.attempts.iter().enumerate() {
            let Some(lines) = lines else { continue };
            let plan = PurchasePlan::new(lines.iter().copied());
            let fits = plan.is_ok_and(|plan| {
                plan.lines().len() == lines.len() && plan.check(self.shared.ledger.offers()).is_ok()
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

    fn step(&mut self, plan: &PurchasePlan) -> Result<Arc<Attempt>, ActionError> {
        if self.is_over() {
            return Err(ActionError::episode_over());
        }
        plan.check(self.shared.ledger.offers())?;
        Ok(self.record(Some(plan.lines().into())))
    }

    fn forfeit(&mut self) -> Arc<Attempt> {
        if self.is_over() {
            return Arc::new(Attempt {
                plan: None,
                outcome: Outcome::Forfeited,
            });
        }
        self.record(None)
    }

    fn is_over(&self) -> bool {
        self.attempt() >= self.shared.instance.rules.periods
    }

    /// The value is the number of workers that the best feasible plan supports, 0 when there is
    /// none; divide by the reference for the paper's score.
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
        let canonical = self.submitted().map(|(lines, _)| {
            let mut lines: Vec<_> = lines.iter().copied().filter(|line| line.1 > 0).collect();
            lines.sort_unstable();
            lines
        });
        #[expect(clippy::cast_precision_loss, reason = "numbers of periods")]
        let best_attempt = best.map(|(number, _)| number as f64);
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
                    .map(|(_, period)| Incident {
                        code: "forfeited_period".to_owned(),
                        period,
                        note: "no plan was submitted".to_owned(),
                    }),
            ))
    }
}
