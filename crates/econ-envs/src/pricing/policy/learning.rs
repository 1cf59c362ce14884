//! A policy that learns the market from its sales.

// Why it works: dividing profit by quantity and adding the unit cost gives the real price, and price
// divided by real price is the hidden sensitivity, known up to rounding after a single sale. What
// remains unknown is one number, the common markup, because equal margins are optimal in nested logit
// markets. So a search in one dimension replaces a search over all prices.

use super::fit::Fit;
use super::forecast::{Estimate, Forecast};
use crate::pricing::action::Action;
use crate::pricing::env::Pricing;
use crate::pricing::observation::{Feedback, Observation, Sale, round_cents};
use sim_core::{Policy, math};

/// Markups tried while exploring \[$ at sensitivity 1\].
// The best markup is `mu (1 + w)` with `w` above 0 (see `optimum`), so above 1 at the presets: the
// interval begins below it, and the fit sees both of its sides. The upper end is chosen, not measured.
const MARKUPS: (f64, f64) = (0.8, 4.0);
/// Step of the exploration, as a share of the interval. The fractional parts of multiples of the
/// golden ratio cover an interval evenly for any number of steps, so exploring may stop at any time.
const GOLDEN: f64 = 0.618;
/// Smallest quantity from which the sensitivity is computed; below it the rounding error dominates.
const ENOUGH_SOLD: f64 = 0.2;
/// Real price that is assumed when less than that is sold.
const TOO_EXPENSIVE: f64 = 10.0;
/// Error of the logarithm of profit that is assumed for every period, because a quintic fits the
/// curve only approximately.
const TOLERATED: f64 = 0.002;
/// Standard deviation of the rounding to cents: a uniform error of width 0.01 has 0.01 / sqrt(12).
const ROUNDING: f64 = 0.002_887;

/// Markup search.
///
/// Every product is priced at the forecast sensitivity times (cost plus one common markup). Before the
/// scored periods the markup moves evenly over an interval; afterwards it is the maximum of a quintic
/// fitted to the logarithm of profit. The first price is half the printed ceiling.
///
/// # Source
/// Own; `docs/pricing.md`.
#[derive(Debug)]
pub struct Learning {
    exploring: u32,
    forecast: Forecast,
    costs: Vec<f64>,
    tried: Vec<Tried>,
}

/// Markup and profit of one period.
#[derive(Debug, Clone, Copy)]
struct Tried {
    /// Mean real markup, weighted by units sold.
    markup: f64,
    /// Variance of the markups over the units sold.
    variance: f64,
    /// Total profit \[$\].
    profit: f64,
}

impl Learning {
    /// A policy for `products` products that explores until period `exploring`.
    ///
    /// For the paper's setting `exploring` is
    /// [`Config::first_scored`](crate::pricing::Config::first_scored), 50: periods that
    /// do not count are used to explore.
    #[must_use]
    pub fn new(products: usize, exploring: u32) -> Self {
        Self {
            exploring,
            forecast: Forecast::new(products),
            costs: Vec::new(),
            tried: Vec::new(),
        }
    }

    fn record(&mut self, period: u32, sales: &[Sale]) {
        self.costs = sales.iter().map(|sale| sale.cost).collect();
        let (mut markup, mut square, mut sold) = (0.0, 0.0, 0.0);
        for (product, sale) in sales.iter().enumerate() {
            let mut estimate = |alpha: f64, weight: f64| {
                let estimate = Estimate {
                    period,
                    alpha,
                    weight,
                };
                self.forecast.add(product, estimate);
            };
            if sale.quantity < ENOUGH_SOLD {
                // The price is far too high, so the sensitivity is far below it. A guess with
                // almost no weight lowers the next price and is outweighed by the first real
                // estimate.
                let alpha = sale.price / TOO_EXPENSIVE;
                let weight = 1e-9 / (alpha * alpha + 1e-9);
                estimate(alpha, weight);
                continue;
            }
            // Also after a loss, which tells the sensitivity as well as a profit does: leaving such
            // periods out starts a spiral of prices (a score of -2.75 on one MEDIUM market).
            let margin = sale.profit / sale.quantity;
            let real = (margin + sale.cost).max(0.01);
            let alpha = sale.price / real;
            // Error propagation: the margin is profit / quantity, both rounded to cents; the price
            // adds the last term.
            let error = ROUNDING * (1.0 + margin * margin).sqrt() / sale.quantity + ROUNDING / 10.0;
            let deviation = (alpha * error / real).max(1e-9);
            let weight = 1.0 / (deviation * deviation);
            estimate(alpha, weight);
            markup += margin * sale.quantity;
            square += margin * margin * sale.quantity;
            sold += sale.quantity;
        }
        let profit: f64 = sales.iter().map(|sale| sale.profit).sum();
        if sold > 0.0 && profit > 0.0 {
            let markup = markup / sold;
            let variance = (square / sold - markup * markup).max(0.0);
            self.tried.push(Tried {
                markup,
                variance,
                profit,
            });
        }
    }

    /// The markup to use in `period`.
    fn markup(&self, period: u32) -> f64 {
        let (low, high) = MARKUPS;
        if period >= self.exploring
            && let Some(best) = self.best_markup()
        {
            return best;
        }
        low + (high - low) * (GOLDEN * f64::from(period)).fract()
    }

    /// The maximum of a quintic fitted to the logarithm of profit; `None` while there are too few
    /// periods.
    // The logarithm makes the curve flat enough for a low degree: profit itself falls
    // exponentially for high markups. The markup is scaled to [-1, 1] to keep the fit well
    // conditioned, and the maximum is taken on a grid because a quintic may have two.
    fn best_markup(&self) -> Option<f64> {
        let (low, high) = MARKUPS;
        let powers = |markup: f64| {
            let z = (2.0 * markup - low - high) / (high - low);
            [1.0, z, z * z, z * z * z, z * z * z * z, z * z * z * z * z]
        };
        let mut fit = Fit::<6>::new();
        for tried in &self.tried {
            if (low..=high).contains(&tried.markup) {
                // Near the optimum profit is quadratic in each margin, so unequal markups lose
                // profit in proportion to their variance.
                let error = TOLERATED + tried.variance;
                fit.add(
                    powers(tried.markup),
                    math::ln(tried.profit),
                    1.0 / (error * error),
                );
            }
        }
        let (coefficients, _) = fit.solve()?;
        let value = |markup: f64| -> f64 {
            powers(markup)
                .iter()
                .zip(&coefficients)
                .map(|(p, c)| p * c)
                .sum()
        };
        (0..=640)
            .map(|step| low + (high - low) * f64::from(step) / 640.0)
            .max_by(|a, b| value(*a).total_cmp(&value(*b)))
    }
}

impl Policy<Pricing> for Learning {
    fn act(&mut self, observation: &Observation) -> Action {
        if let Some(Feedback {
            attempt,
            sales: Some(sales),
        }) = &observation.previous
        {
            self.record(*attempt, sales);
        }
        let Some(law) = self.forecast.best() else {
            let first = round_cents(0.5 * observation.ceiling);
            return Action {
                prices: vec![first; usize::from(observation.products)],
            };
        };
        let markup = self.markup(observation.attempt);
        let price = |(alpha, cost): (f64, &f64)| {
            // A forecast may overshoot while it rests on few periods. The printed ceiling is at
            // least the highest best price of the block, so twice as much never binds a good price.
            // A ceiling below half a cent is printed as 0.
            let highest = (2.0 * observation.ceiling).max(0.01);
            round_cents((alpha * (cost + markup)).clamp(0.01, highest))
        };
        Action {
            prices: law
                .at(observation.attempt)
                .into_iter()
                .zip(&self.costs)
                .map(price)
                .collect(),
        }
    }
}
