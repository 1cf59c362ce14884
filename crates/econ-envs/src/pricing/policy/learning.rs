//! A player that learns the market from what it sells.

use super::fit::Fit;
use super::forecast::{Estimate, Forecast};
use crate::pricing::environment::{Feedback, Observation, Prices, Pricing, Sale};
use crate::pricing::money::round_cents;
use sim_core::{Policy, math};

/// Markups tried while exploring \[$ at sensitivity 1\].
const MARKUPS: (f64, f64) = (0.8, 4.0);
/// Golden ratio's fraction: its multiples cover an interval evenly at any time.
const GOLDEN: f64 = 0.618;
/// Fewest units sold from which the sensitivity can be read.
const ENOUGH_SOLD: f64 = 0.2;
/// Real price assumed where next to nothing is sold.
const TOO_DEAR: f64 = 10.0;
/// Error of the logarithm of profit that is taken for granted.
const TOLERATED: f64 = 0.002;
/// Standard deviation of a number rounded to cents: 0.01 over the root of 12.
const ROUNDING: f64 = 0.002_887;

/// Markup search.
///
/// Profit over quantity plus cost is the real price, price over it the sensitivity: each product
/// shows its own after the fact, up to the rounding of the record. All products are priced at the
/// forecast sensitivity times cost plus one common markup, since equal markups are optimal in this
/// class of markets. Before the scored periods the markup runs evenly over an interval, then it is
/// the peak of a quintic fitted to the logarithm of profit. The first price is half the printed
/// ceiling.
///
/// # Source
/// Page on optima, section 4; own.
#[derive(Debug)]
pub struct Learning {
    exploring: u32,
    forecast: Forecast,
    costs: Vec<f64>,
    tried: Vec<Tried>,
}

/// What one period says of markups.
#[derive(Debug, Clone, Copy)]
struct Tried {
    /// Mean real markup, by units sold.
    markup: f64,
    /// How unequal the markups were: their variance.
    variance: f64,
    /// Total profit \[$\].
    profit: f64,
}

impl Learning {
    /// A player for `products` products that explores until period `exploring`.
    #[must_use]
    pub fn new(products: usize, exploring: u32) -> Self {
        Self {
            exploring,
            forecast: Forecast::new(products),
            costs: Vec::new(),
            tried: Vec::new(),
        }
    }

    fn hear(&mut self, period: u32, sales: &[Sale]) {
        self.costs = sales.iter().map(|sale| sale.cost).collect();
        let (mut markup, mut square, mut sold) = (0.0, 0.0, 0.0);
        for (product, sale) in sales.iter().enumerate() {
            if sale.quantity < ENOUGH_SOLD {
                // Far too dear, so the sensitivity is far below the price. A guess with next to
                // no weight brings the price down and is soon outweighed.
                let alpha = sale.price / TOO_DEAR;
                let weight = 1e-9 / (alpha * alpha + 1e-9);
                self.forecast.add(
                    product,
                    Estimate {
                        period,
                        alpha,
                        weight,
                    },
                );
                continue;
            }
            let margin = sale.profit / sale.quantity;
            let real = (margin + sale.cost).max(0.01);
            let alpha = sale.price / real;
            let error = ROUNDING * (1.0 + margin * margin).sqrt() / sale.quantity + ROUNDING / 10.0;
            let deviation = (alpha * error / real).max(1e-9);
            let weight = 1.0 / (deviation * deviation);
            self.forecast.add(
                product,
                Estimate {
                    period,
                    alpha,
                    weight,
                },
            );
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

    /// The peak of a quintic through the logarithm of profit; `None` while there is too little.
    fn best_markup(&self) -> Option<f64> {
        let (low, high) = MARKUPS;
        let powers = |markup: f64| {
            let z = (2.0 * markup - low - high) / (high - low);
            [1.0, z, z * z, z * z * z, z * z * z * z, z * z * z * z * z]
        };
        let mut fit = Fit::<6>::new();
        for tried in &self.tried {
            if (low..=high).contains(&tried.markup) {
                // Unequal markups earn less in proportion to their variance.
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
    fn act(&mut self, observation: &Observation) -> Prices {
        if let Some(Feedback {
            attempt,
            sales: Some(sales),
        }) = &observation.previous
        {
            self.hear(*attempt, sales);
        }
        let Some(law) = self.forecast.best() else {
            let first = round_cents(0.5 * observation.ceiling);
            return Prices {
                prices: vec![first; usize::from(observation.products)],
            };
        };
        let markup = self.markup(observation.attempt);
        let price = |(alpha, cost): (f64, &f64)| {
            round_cents((alpha * (cost + markup)).clamp(0.01, 2.0 * observation.ceiling))
        };
        Prices {
            prices: law
                .at(observation.attempt)
                .into_iter()
                .zip(&self.costs)
                .map(price)
                .collect(),
        }
    }
}
