//! The built-in policies.

use super::action::Action;
use super::env::Patience;
use super::instance::Instance;
use super::observation::Observation;
use sim_core::{ConfigError, Policy, PolicySpec, Stream, math};

/// The built-in policies.
///
/// `discounter` is the rational agent with a fixed yearly rate: its score is that rate up
/// to the grid of amounts, with a reliability of nearly 1.
#[must_use]
pub fn policies() -> Vec<PolicySpec<Patience, Instance>> {
    vec![
        PolicySpec::new("random", "either option with equal chance", |context| {
            Ok(Coin {
                draws: context.seed.stream("random", 0),
            })
        })
        .random(),
        PolicySpec::new("now", "always the money now", |_| Ok(Always(Action::Now))),
        PolicySpec::new("later", "always the larger amount later", |_| {
            Ok(Always(Action::Later))
        }),
        PolicySpec::new(
            "discounter",
            "waits when the amount grows by more than a yearly rate [%] (5, or the argument)",
            |context| {
                let rate = context.number()?.unwrap_or(5.0);
                if !(0.0..=1000.0).contains(&rate) {
                    return Err(ConfigError::new(
                        "agent",
                        format!("`{rate}` must be a yearly rate from 0 to 1000"),
                    ));
                }
                Ok(Discounter {
                    factor: 1.0 + rate / 100.0,
                })
            },
        )
        .argument("<rate>", "5"),
    ]
}

/// Either option with equal probability.
struct Coin {
    draws: Stream,
}

impl Policy<Patience> for Coin {
    fn act(&mut self, _observation: &Observation) -> Action {
        if self.draws.chance(0.5) {
            Action::Now
        } else {
            Action::Later
        }
    }
}

/// Always the same answer.
struct Always(Action);

impl Policy<Patience> for Always {
    fn act(&mut self, _observation: &Observation) -> Action {
        self.0
    }
}

/// Compares the amount with 100 dollars at a fixed yearly factor.
struct Discounter {
    factor: f64,
}

impl Policy<Patience> for Discounter {
    fn act(&mut self, observation: &Observation) -> Action {
        let worth = 100.0 * math::pow(self.factor, observation.years);
        // At equal worth either answer would do: the fit leaves out an amount at its cutoff.
        if observation.amount > worth {
            Action::Later
        } else {
            Action::Now
        }
    }
}
