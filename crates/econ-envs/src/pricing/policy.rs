//! The built-in players.

mod fit;
mod forecast;
pub mod learning;

use super::environment::{Observation, Prices, Pricing};
use super::instance::Instance;
use super::money::round_cents;
use sim_core::{Policy, PolicyContext, PolicySpec, Stream};

pub use learning::Learning;

/// All players, the simplest first.
pub(crate) fn specs() -> Vec<PolicySpec<Pricing, Instance>> {
    vec![
        PolicySpec::new(
            "random",
            "every price uniform between 0 and the printed ceiling, every period anew",
            |making: PolicyContext<'_, Instance>| {
                Ok(Random {
                    draws: making.seed.stream("random", 0),
                })
            },
        )
        .random(),
        PolicySpec::new(
            "cost-plus",
            "one and a half times cost times the price sensitivity of the first period, for ever",
            |making: PolicyContext<'_, Instance>| {
                let i = making.instance;
                Ok(Hold {
                    prices: i
                        .costs
                        .iter()
                        .zip(&i.alpha)
                        .map(|(c, a)| 1.5 * c * a)
                        .collect(),
                })
            },
        )
        .oracle(),
        PolicySpec::new(
            "hold-first-price",
            "the best prices of the first period, in cents, for ever",
            |making: PolicyContext<'_, Instance>| {
                let prices = best_prices(making.instance, 0);
                Ok(Hold {
                    prices: prices.into_iter().map(round_cents).collect(),
                })
            },
        )
        .oracle(),
        PolicySpec::new(
            "learning",
            "finds each product's price sensitivity from what was sold, forecasts it, tries \
             markups in the first half and then stays with the best; knows beforehand that demand \
             is a nested logit in price over sensitivity, that sensitivities drift or swing, and \
             which periods count",
            |making: PolicyContext<'_, Instance>| {
                Ok(Learning::new(
                    usize::from(making.instance.config.products),
                    making.instance.config.first_scored(),
                ))
            },
        ),
        PolicySpec::new(
            "optimal",
            "the best prices of every period, from the hidden parameters",
            |making: PolicyContext<'_, Instance>| {
                Ok(Optimal {
                    instance: making.instance.clone(),
                })
            },
        )
        .oracle(),
    ]
}

/// The best prices of `period`.
pub(crate) fn best_prices(instance: &Instance, period: u32) -> Vec<f64> {
    let best = instance.optimum();
    instance
        .alpha_at(period)
        .iter()
        .zip(&best.real_prices)
        .map(|(a, x)| a * x)
        .collect()
}

/// Uniform prices up to the ceiling.
#[derive(Debug)]
pub struct Random {
    draws: Stream,
}

impl Policy<Pricing> for Random {
    fn act(&mut self, observation: &Observation) -> Prices {
        let draws = &mut self.draws;
        let price = |_| round_cents(draws.uniform(0.0, observation.ceiling));
        Prices {
            prices: (0..observation.products).map(price).collect(),
        }
    }
}

/// The same prices for ever.
#[derive(Debug)]
pub struct Hold {
    prices: Vec<f64>,
}

impl Policy<Pricing> for Hold {
    fn act(&mut self, _observation: &Observation) -> Prices {
        Prices {
            prices: self.prices.clone(),
        }
    }
}

/// The best prices of each period.
#[derive(Debug)]
pub struct Optimal {
    instance: Instance,
}

impl Policy<Pricing> for Optimal {
    fn act(&mut self, observation: &Observation) -> Prices {
        Prices {
            prices: best_prices(&self.instance, observation.attempt),
        }
    }
}
