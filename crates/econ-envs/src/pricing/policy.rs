//! The built-in policies.
//!
//! | policy | knows | idea |
//! |---|---|---|
//! | `random` | nothing | uniform below the printed ceiling |
//! | `cost-plus` | costs and first sensitivities | the rule of thumb of many shops |
//! | `hold-first-price` | the whole first period | what is lost by not adapting |
//! | `learning` | the form of demand | estimates sensitivities, forecasts them, searches one markup |
//! | `optimal` | everything | the best prices of each period |
//!
//! ```
//! use econ_envs::pricing::{Config, Instance, Pricing, policies};
//! use sim_core::{Environment, Episode, PolicyContext, Seat, Seed};
//! use std::sync::Arc;
//!
//! let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(1), 0))?;
//! let mut scores = Vec::new();
//! for spec in policies() {
//!     let mut policy = spec.make(PolicyContext::new(&instance, &Seat::AGENT, Seed(9)))?;
//!     let mut env = Pricing::new(Arc::new(instance.clone()))?;
//!     while !env.is_over() {
//!         let action = policy.act(&env.observe());
//!         let feedback = env.step(&action)?;
//!         policy.learn(&feedback);
//!     }
//!     scores.push(env.score()?.value());
//! }
//! let [random, _, _, learning, optimal] = scores[..] else { return Err("five policies".into()) };
//! assert!(random < learning && learning <= optimal + 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fit;
mod forecast;
pub mod learning;

use super::action::Action;
use super::env::Pricing;
use super::instance::Instance;
use super::observation::{Observation, round_cents};
use sim_core::{Policy, PolicyContext, PolicySpec, Stream};

pub use learning::Learning;

/// The built-in policies, the simplest first.
#[must_use]
pub fn policies() -> Vec<PolicySpec<Pricing, Instance>> {
    vec![
        PolicySpec::new(
            "random",
            "new prices in every period, each uniform between 0 and the printed ceiling",
            |context: PolicyContext<'_, Instance>| {
                Ok(Random {
                    draws: context.seed.stream("random", 0),
                })
            },
        )
        .random(),
        PolicySpec::new(
            "cost-plus",
            "1.5 times cost times the price sensitivity of the first period, unchanged in all periods",
            |context: PolicyContext<'_, Instance>| {
                let i = context.instance;
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
            "the best prices of the first period, in whole cents, unchanged in all periods",
            |context: PolicyContext<'_, Instance>| {
                let instance = context.instance;
                let prices = prices_at(instance, &instance.optimum()?.real_prices, 0);
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
            |context: PolicyContext<'_, Instance>| {
                Ok(Learning::new(
                    usize::from(context.instance.config.products),
                    context.instance.config.first_scored(),
                ))
            },
        ),
        PolicySpec::new(
            "optimal",
            "the best prices of every period, from the hidden parameters",
            |context: PolicyContext<'_, Instance>| {
                Ok(Optimal {
                    real_prices: context.instance.optimum()?.real_prices,
                    instance: context.instance.clone(),
                })
            },
        )
        .oracle(),
    ]
}

/// Prices of `period` for given real prices: the sensitivity of the period times the real price.
fn prices_at(instance: &Instance, real_prices: &[f64], period: u32) -> Vec<f64> {
    instance
        .alpha_at(period)
        .iter()
        .zip(real_prices)
        .map(|(a, x)| a * x)
        .collect()
}

/// Uniform prices between 0 and the printed ceiling.
#[derive(Debug)]
pub struct Random {
    draws: Stream,
}

impl Policy<Pricing> for Random {
    fn act(&mut self, observation: &Observation) -> Action {
        let draws = &mut self.draws;
        let price = |_| round_cents(draws.uniform(0.0, observation.ceiling));
        Action {
            prices: (0..observation.products).map(price).collect(),
        }
    }
}

/// The same prices in every period.
#[derive(Debug)]
pub struct Hold {
    prices: Vec<f64>,
}

impl Policy<Pricing> for Hold {
    fn act(&mut self, _observation: &Observation) -> Action {
        Action {
            prices: self.prices.clone(),
        }
    }
}

/// The best prices of each period: an oracle (knows hidden state).
#[derive(Debug)]
pub struct Optimal {
    /// The best real prices, which are the same in every period; computed once because the closed
    /// form costs more than a period.
    real_prices: Vec<f64>,
    instance: Instance,
}

impl Policy<Pricing> for Optimal {
    fn act(&mut self, observation: &Observation) -> Action {
        Action {
            prices: prices_at(&self.instance, &self.real_prices, observation.attempt),
        }
    }
}
