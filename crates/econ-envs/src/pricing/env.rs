//! The environment: state, steps and score of a run.
//!
//! ```
//! use econ_envs::pricing::{Action, Config, Instance, Pricing};
//! use sim_core::{Environment, Episode, Seed};
//! use std::sync::Arc;
//!
//! let config = Config { periods: 2, scored_periods: 1, ..Config::basic() };
//! let instance = Instance::generate(&config, Episode::of_run(Seed(2), 0))?;
//! let mut env = Pricing::new(Arc::new(instance))?;
//!
//! // A wrong price is refused and the period goes on.
//! assert!(env.step(&Action { prices: vec![f64::NAN] }).is_err());
//! // Period 0 is forfeited; in period 1 the best price is charged.
//! env.forfeit();
//! let alpha = env.instance().alpha_at(1);
//! let prices = vec![alpha[0] * env.optimum().real_prices[0]];
//! let feedback = env.step(&Action { prices })?;
//! assert_eq!(feedback.attempt, 1);
//! assert!(env.is_over());
//! assert!((env.score()?.value() - 1.0).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::action::Action;
use super::instance::Instance;
use super::market::Market;
use super::observation::{Feedback, Observation, Sale, round_cents};
use super::optimum::Optimum;
use crate::metrics;
use serde::{Deserialize, Serialize};
use sim_core::{
    ActionError, ConfigError, Environment, Incident, NotFinite, RestoreError, Score, Seat,
};
use std::sync::Arc;

/// Number of periods at the start in the metric `adaptability`.
const EARLY: usize = 10;

/// Everything that changes during a run.
///
/// Quantities and profits are not stored: they follow from the prices and the instance,
/// and are computed again by `set_state`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Prices of the finished periods, in order; `None` for a forfeited period.
    pub prices: Vec<Option<Vec<f64>>>,
}

/// A run of the pricing environment.
///
/// One period, in this order:
/// 1. the prices are checked (one for every product, each a finite number from 0 to
///    [`MAX_PRICE`](super::action::MAX_PRICE)) and refused when they are wrong;
/// 2. quantities and profits follow from the demand with the sensitivities of this period;
/// 3. both are added to the record, rounded to two decimals, and the period ends.
///
/// The score is the sum of the rounded profits of the last periods, divided by the highest profit
/// that these periods can earn; rounding can raise it above 1 by a few parts in 10,000. The profit
/// of a forfeited period is 0.
///
/// The optimum is part of the prepared market, so `score` is cheap in every period.
#[derive(Debug, Clone)]
pub struct Pricing {
    market: Arc<Market>,
    state: State,
    /// The earnings of each finished period of `state`. Without them, every score would compute the
    /// demand of the whole run again. INVARIANT: as many entries as `state.prices`.
    earned: Vec<Earned>,
}

/// The earnings of a finished period.
#[derive(Debug, Clone, Copy)]
struct Earned {
    /// Sum of the profits as the agent reads them, rounded to two decimals \[$\].
    shown: f64,
    /// Exact total profit \[$\].
    exact: f64,
}

impl Pricing {
    /// A run at its start.
    ///
    /// # Errors
    /// When [`Instance::check`] refuses the instance.
    pub fn new(instance: Arc<Instance>) -> Result<Self, ConfigError> {
        let market = Arc::new(Market::new(Arc::unwrap_or_clone(instance))?);
        Ok(Self {
            market,
            state: State::default(),
            earned: Vec::new(),
        })
    }

    /// The instance being played.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.market.instance
    }

    /// The best prices and what they earn.
    #[must_use]
    pub fn optimum(&self) -> &Optimum {
        &self.market.optimum
    }

    /// The printed ceiling of this period: prices above it are advised against \[$\].
    #[must_use]
    pub fn ceiling(&self) -> f64 {
        self.market.ceiling(self.attempt())
    }

    /// The feedback of each finished period.
    pub fn record(&self) -> impl Iterator<Item = Feedback> {
        (0_u32..)
            .zip(&self.state.prices)
            .map(|(period, prices)| self.period(period, prices.as_deref()).0)
    }

    /// Exact total profit of each finished period \[$\].
    ///
    /// In order; 0 for a forfeited period. Not rounded, unlike the record.
    #[must_use]
    pub fn profits(&self) -> Vec<f64> {
        self.earned.iter().map(|period| period.exact).collect()
    }

    pub(crate) fn attempt(&self) -> u32 {
        u32::try_from(self.state.prices.len()).unwrap_or(u32::MAX)
    }

    /// The result of a period, for the agent and for the score.
    fn period(&self, period: u32, prices: Option<&[f64]>) -> (Feedback, Earned) {
        let Some(prices) = prices else {
            let forfeited = Feedback {
                attempt: period,
                sales: None,
            };
            let (shown, exact) = (0.0, 0.0);
            return (forfeited, Earned { shown, exact });
        };
        let (quantities, profits) = self.market.sales(period, prices);
        let rows = prices
            .iter()
            .zip(&quantities)
            .zip(&profits)
            .zip(self.market.demand.costs());
        let sales: Vec<Sale> = rows
            .map(|(((price, quantity), profit), cost)| Sale {
                price: round_cents(*price),
                quantity: round_cents(*quantity),
                profit: round_cents(*profit),
                cost: round_cents(*cost),
            })
            .collect();
        let earned = Earned {
            shown: sales.iter().map(|sale| sale.profit).sum(),
            exact: profits.iter().sum(),
        };
        let feedback = Feedback {
            attempt: period,
            sales: Some(sales),
        };
        (feedback, earned)
    }
}

impl Environment for Pricing {
    type State = State;
    type Action = Action;
    type Observation = Observation;
    type Feedback = Feedback;

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        let fail = |index: usize, message: &str| {
            Err(RestoreError::new(format!("prices.{index}"), message))
        };
        if state.prices.len() > self.market.instance.config.periods as usize {
            return fail(state.prices.len(), "there are more attempts than periods");
        }
        for (index, prices) in state.prices.iter().enumerate() {
            let Some(prices) = prices else { continue };
            let action = Action {
                prices: prices.clone(),
            };
            if let Err(error) = action.check(self.market.demand.size()) {
                return fail(index, &error.message);
            }
        }
        let periods = (0_u32..).zip(&state.prices);
        self.earned = periods
            .map(|(period, prices)| self.period(period, prices.as_deref()).1)
            .collect();
        self.state = state;
        Ok(())
    }

    fn observe(&self) -> Observation {
        let attempt = self.attempt();
        Observation {
            products: self.market.instance.config.products,
            attempt,
            ceiling: self.ceiling(),
            previous: self
                .state
                .prices
                .last()
                .map(|prices| self.period(attempt.saturating_sub(1), prices.as_deref()).0),
        }
    }

    fn step(&mut self, action: &Action) -> Result<Feedback, ActionError> {
        if self.is_over() {
            return Err(ActionError::episode_over());
        }
        // 1. Check the prices.
        action.check(self.market.demand.size())?;
        // 2. Quantities and profits.
        let (feedback, earned) = self.period(self.attempt(), Some(&action.prices));
        // 3. The record.
        self.earned.push(earned);
        self.state.prices.push(Some(action.prices.clone()));
        Ok(feedback)
    }

    fn forfeit(&mut self) -> Feedback {
        let (feedback, earned) = self.period(self.attempt(), None);
        if !self.is_over() {
            self.earned.push(earned);
            self.state.prices.push(None);
        }
        feedback
    }

    fn is_over(&self) -> bool {
        self.attempt() >= self.market.instance.config.periods
    }

    /// Metrics: `adaptability` (after the run), `scored_profit` and `total_profit` \[$\],
    /// `whole_run` (profit of all periods over the best). Incidents: `forfeited_period`.
    fn score(&self) -> Result<Score, NotFinite> {
        let config = &self.market.instance.config;
        let (mut scored, mut all) = (0.0, 0.0);
        for (period, earned) in (0_u32..).zip(&self.earned) {
            all += earned.shown;
            if period >= config.first_scored() {
                scored += earned.shown;
            }
        }
        let ratios: Vec<f64> = self
            .earned
            .iter()
            // Exact profits, like the optimum below them: the rounding of the record is no
            // adaptation.
            .map(|period| period.exact / self.market.optimum.profit)
            .collect();
        let late = config.scored_periods as usize;
        // Before the end its last periods would be others than those that count.
        let adaptability = self
            .is_over()
            .then(|| metrics::adaptability(&ratios, EARLY, late));
        let forfeits = (0_u32..)
            .zip(&self.state.prices)
            .filter(|(_, p)| p.is_none());
        Ok(Score::new(scored / self.market.scored_optimum())?
            .metric("adaptability", adaptability.flatten())
            .metric("scored_profit", scored)
            .metric("total_profit", all)
            .metric(
                "whole_run",
                all / (self.market.optimum.profit * f64::from(self.attempt().max(1))),
            )
            .incidents(forfeits.map(|(period, _)| {
                Incident::forfeited(period, "no prices were set; the period earned nothing")
            })))
    }

    /// The profits. The other metrics are measured against the optimum, which is hidden.
    fn sees_metric(&self, _: &Seat, metric: &str) -> bool {
        matches!(metric, "scored_profit" | "total_profit")
    }
}
