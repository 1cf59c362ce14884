//! The environment: set prices, hear what sold and what it earned, again.

use super::demand::Demand;
use super::instance::Instance;
use super::money::round_cents;
use super::optimum::Optimum;
use crate::metrics;
use serde::{Deserialize, Serialize};
use sim_core::{ActionError, Environment, Incident, NotFinite, RestoreError, Score};
use std::sync::Arc;

/// Dearest price that is accepted \[$\].
pub const MAX_PRICE: f64 = 1e9;

/// Periods at the start that adaptability compares with.
const EARLY: usize = 10;

/// One price for every product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Price of each product \[$\], 0 to [`MAX_PRICE`].
    pub prices: Vec<f64>,
}

/// Everything that changes during a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Prices of the finished periods, in order; absent where the period was forfeited.
    pub prices: Vec<Option<Vec<f64>>>,
}

/// What one product did in one period, rounded to two decimals as the agent reads it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sale {
    /// Price that was set \[$\].
    pub price: f64,
    /// Units sold.
    pub quantity: f64,
    /// Profit earned \[$\].
    pub profit: f64,
    /// Cost of a unit \[$\].
    pub cost: f64,
}

/// What an agent may see.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observation {
    /// Number of products.
    pub products: u16,
    /// Number of this attempt, from 0.
    pub attempt: u32,
    /// Price above which it is advised not to go \[$\].
    pub ceiling: f64,
    /// What came of the attempt before; absent in the first period.
    pub previous: Option<Feedback>,
}

/// What comes of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feedback {
    /// Number of the attempt, from 0.
    pub attempt: u32,
    /// What each product did; absent when the period was forfeited.
    pub sales: Option<Vec<Sale>>,
}

/// What an instance never changes, with what is derived from it.
#[derive(Debug)]
pub(crate) struct Market {
    pub(crate) instance: Instance,
    pub(crate) demand: Demand,
    pub(crate) optimum: Optimum,
    ceilings: Vec<f64>,
}

impl Market {
    pub(crate) fn new(instance: Instance) -> Self {
        let demand = instance.demand();
        let optimum = instance.optimum();
        let ceilings = instance.ceilings();
        Self {
            instance,
            demand,
            optimum,
            ceilings,
        }
    }

    /// Printed ceiling of a period \[$\].
    pub(crate) fn ceiling(&self, period: u32) -> f64 {
        let block = (period / self.instance.config.ceiling_block) as usize;
        self.ceilings
            .get(block)
            .or(self.ceilings.last())
            .copied()
            .unwrap_or(0.0)
    }

    /// Exact quantities and profits at `prices` in `period`.
    pub(crate) fn sales(&self, period: u32, prices: &[f64]) -> (Vec<f64>, Vec<f64>) {
        self.demand.sales(&self.instance.alpha_at(period), prices)
    }

    /// The most that the scored periods can earn \[$\].
    pub(crate) fn scored_optimum(&self) -> f64 {
        self.optimum.profit * f64::from(self.instance.config.scored_periods)
    }
}

/// A run of the pricing environment.
///
/// One period, in this order:
/// 1. the prices are checked (one for every product, each a finite number from 0 to
///    [`MAX_PRICE`]), else refused;
/// 2. quantities and profits follow from the demand with the sensitivities of this period;
/// 3. both join the record, rounded to two decimals, and the period ends.
///
/// The score is the sum of the rounded profits of the last periods over the most that they can
/// earn; the rounding can lift it above 1 by a few parts in 10,000. A forfeited period earns
/// nothing.
#[derive(Debug, Clone)]
pub struct Pricing {
    market: Arc<Market>,
    state: State,
    /// The earnings of each finished period of `state`: without them, a score would have to compute the
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
    /// A run at its start. The instance must have passed [`Instance::check`].
    #[must_use]
    pub fn new(instance: Arc<Instance>) -> Self {
        let market = Arc::new(Market::new(Arc::unwrap_or_clone(instance)));
        Self {
            market,
            state: State::default(),
            earned: Vec::new(),
        }
    }

    /// The instance being played.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.market.instance
    }

    /// The best that can be earned.
    #[must_use]
    pub fn optimum(&self) -> &Optimum {
        &self.market.optimum
    }

    /// Price above which the agent is advised not to go in this period \[$\].
    #[must_use]
    pub fn ceiling(&self) -> f64 {
        self.market.ceiling(self.attempt())
    }

    /// What came of each finished period.
    pub fn record(&self) -> impl Iterator<Item = Feedback> {
        (0_u32..)
            .zip(&self.state.prices)
            .map(|(period, prices)| self.period(period, prices.as_deref()).0)
    }

    /// Exact total profit of each finished period \[$\].
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

    fn check(&self, prices: &[f64]) -> Result<(), ActionError> {
        let n = self.market.demand.size();
        if prices.len() != n {
            return Err(ActionError::new(
                "wrong_number_of_prices",
                format!("there are `{}` prices for {n} products", prices.len()),
            ));
        }
        (1_usize..)
            .zip(prices)
            .try_for_each(|(number, price)| check_price(number, *price))
    }
}

/// Whether `price` can be the price of product `number` (from 1).
pub(crate) fn check_price(number: usize, price: f64) -> Result<(), ActionError> {
    if (0.0..=MAX_PRICE).contains(&price) {
        return Ok(());
    }
    Err(ActionError::new(
        "bad_price",
        format!("the price of Product_{number} is `{price}`, it must be a number from 0 to 1e9"),
    ))
}

impl Environment for Pricing {
    type State = State;
    type Action = Prices;
    type Observation = Observation;
    type Feedback = Feedback;

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        let fail = |index: usize, message: &str| {
            Err(RestoreError {
                place: format!("prices.{index}"),
                message: message.to_owned(),
            })
        };
        if state.prices.len() > self.market.instance.config.periods as usize {
            return fail(state.prices.len(), "there are more attempts than periods");
        }
        for (index, prices) in state.prices.iter().enumerate() {
            if let Some(Err(error)) = prices.as_deref().map(|prices| self.check(prices)) {
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

    fn step(&mut self, action: &Prices) -> Result<Feedback, ActionError> {
        if self.is_over() {
            return Err(ActionError::episode_over());
        }
        // 1. Only prices.
        self.check(&action.prices)?;
        // 2. What sells.
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
            .map(|period| period.exact / self.market.optimum.profit)
            .collect();
        let late = config.scored_periods as usize;
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
            .incidents(forfeits.map(|(period, _)| Incident {
                code: "forfeited_period".to_owned(),
                period,
                note: "no prices were set; the period earned nothing".to_owned(),
            })))
    }
}
